//! The setting `denoise`, with the denoisers that it loads.

use sunfleck_engine::{DenoiseMethod, Denoiser, OidnError, UnknownDenoiseMethod};
use sunfleck_integrators::Algorithm;

/// Name of the setting that shows images as they are rendered.
const OFF: &str = "off";

/// How images are denoised, if at all.
#[derive(Clone, Debug)]
pub(crate) struct DenoiseSetting(Option<Loaded>);

/// Method with its denoisers.
#[derive(Clone, Debug)]
struct Loaded {
    method: DenoiseMethod,
    rest: Denoiser,
    moving: Denoiser,
}

/// Reason why a setting is refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum DenoiseSettingError {
    #[error("{0}; `off` shows images as they are rendered")]
    Unknown(#[from] UnknownDenoiseMethod),
    #[error("the denoiser is still `{before}`: {reason}")]
    Unavailable { reason: OidnError, before: &'static str },
}

impl Default for DenoiseSetting {
    fn default() -> Self {
        Self::load(DenoiseMethod::Auto).unwrap_or(Self::OFF)
    }
}

impl DenoiseSetting {
    /// Images are shown as they are rendered.
    pub(super) const OFF: Self = Self(None);

    /// Returns the names of all settings, the default first.
    pub(crate) fn names() -> Vec<&'static str> {
        let [first, rest @ ..] = DenoiseMethod::ALL.map(DenoiseMethod::name);
        [first, OFF].into_iter().chain(rest).collect()
    }

    /// Returns the setting with a name.
    ///
    /// # Errors
    /// No setting has this name, or the library is not installed.
    pub(super) fn named(&self, name: &str) -> Result<Self, DenoiseSettingError> {
        if name == self.name() {
            return Ok(self.clone());
        }
        if name == OFF {
            return Ok(Self::OFF);
        }
        let before = self.name();
        Self::load(name.parse()?).map_err(|reason| DenoiseSettingError::Unavailable { reason, before })
    }

    fn load(method: DenoiseMethod) -> Result<Self, OidnError> {
        let rest = Denoiser::new(method)?;
        let moving = match method {
            // Faster than the network for interactive frames
            DenoiseMethod::Features => rest.clone(),
            _ => Denoiser::interactive(),
        };
        Ok(Self(Some(Loaded { method, rest, moving })))
    }

    pub(super) fn name(&self) -> &'static str {
        self.0.as_ref().map_or(OFF, |loaded| loaded.method.name())
    }

    /// Returns whether it is the default.
    pub(super) fn is_default(&self) -> bool {
        self.name() == DenoiseMethod::Auto.name()
    }

    pub(super) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the denoiser of images at rest.
    pub(super) fn at_rest(&self, algorithm: &Algorithm) -> Option<Denoiser> {
        self.0.as_ref().map(|loaded| loaded.rest.clone().of_algorithm(algorithm))
    }

    /// Returns the denoiser of previews.
    pub(super) fn moving(&self, algorithm: &Algorithm) -> Option<Denoiser> {
        self.0.as_ref().map(|loaded| loaded.moving.clone().of_algorithm(algorithm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_setting() {
        assert_eq!(DenoiseSetting::names(), ["auto", "off", "features", "learned", "oidn"]);
        let default = DenoiseSetting::default();
        assert!(default.is_default() && default.is_on());
        for name in DenoiseSetting::names() {
            // Open Image Denoise need not be installed
            match default.named(name) {
                Ok(setting) => assert_eq!(setting.name(), name),
                Err(error) => assert!(name == "oidn" && error.to_string().contains("`auto`"), "{error}"),
            }
        }
        let error = default.named("soap").unwrap_err().to_string();
        assert!(error.contains("'soap'") && error.contains("`off`"), "{error}");
    }
    #[test]
    fn ambient_occlusion_is_denoised_without_albedo() {
        let setting = DenoiseSetting::default();
        for denoiser in [DenoiseSetting::at_rest, DenoiseSetting::moving] {
            let shown = |name: &str| format!("{:?}", denoiser(&setting, &name.parse().unwrap()).unwrap());
            assert!(
                shown("ao").contains("demodulates: false") && shown("path").contains("demodulates: true")
            );
        }
        assert!(DenoiseSetting::OFF.moving(&"ao".parse().unwrap()).is_none());
    }
}
