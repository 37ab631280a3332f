use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sunfleck_scene::parameter::Parameter;

use crate::igi::Igi;
use crate::parameters::ParameterError;
use crate::path::PathTracer;
use crate::whitted::Whitted;

/// A way to compute a picture, with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Algorithm {
    /// Unbiased path tracing: the reference.
    Path(PathTracer),
    /// Classical recursive ray tracing.
    Whitted(Whitted),
    /// Instant Global Illumination.
    Igi(Igi),
}

/// A name that no algorithm has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no integrator `{0}`; there are: path, whitted, igi")]
pub struct UnknownAlgorithm(pub String);

impl Algorithm {
    /// All of them, with default parameters.
    pub const ALL: [Self; 3] =
        [Self::Path(PathTracer::DEFAULT), Self::Whitted(Whitted::DEFAULT), Self::Igi(Igi::DEFAULT)];

    /// As typed.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Path(_) => "path",
            Self::Whitted(_) => "whitted",
            Self::Igi(_) => "igi",
        }
    }

    /// One sentence.
    pub const fn summary(&self) -> &'static str {
        match self {
            Self::Path(_) => {
                "unbiased path tracing with next-event estimation and multiple importance sampling"
            }
            Self::Whitted(_) => {
                "classical recursive ray tracing: direct light, mirrors, glass, a constant ambient term"
            }
            Self::Igi(_) => "instant global illumination: virtual point lights, interleaved and filtered",
        }
    }

    /// Its parameter table.
    pub const fn parameters(&self) -> &'static [Parameter] {
        match self {
            Self::Path(_) => PathTracer::PARAMETERS,
            Self::Whitted(_) => Whitted::PARAMETERS,
            Self::Igi(_) => Igi::PARAMETERS,
        }
    }

    /// Names of parameters that go together; none for most.
    pub fn presets(&self) -> impl Iterator<Item = &'static str> {
        let igi = matches!(self, Self::Igi(_));
        Igi::PRESETS.iter().map(|(name, _)| *name).filter(move |_| igi)
    }

    /// Sets all parameters to those of a preset. Errors: [`ParameterError`].
    pub fn set_preset(&mut self, name: &str) -> Result<(), ParameterError> {
        let found = Igi::PRESETS.iter().find(|(preset, _)| *preset == name);
        match (self, found) {
            (Self::Igi(igi), Some((_, preset))) => {
                *igi = *preset;
                Ok(())
            }
            (algorithm, _) => Err(ParameterError::Preset {
                algorithm: algorithm.name(),
                name: name.to_string(),
                known: algorithm.presets().collect::<Vec<_>>().join(", "),
            }),
        }
    }

    /// Sets one parameter from text. Errors: [`ParameterError`].
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ParameterError> {
        let parameter = self.parameters().iter().find(|p| p.name == name);
        let parameter = parameter.ok_or_else(|| ParameterError::Unknown {
            algorithm: self.name(),
            name: name.to_string(),
            known: self.parameters().iter().map(|p| p.name).collect::<Vec<_>>().join(", "),
        })?;
        let value = parameter.parse(value)?;
        match self {
            Self::Path(path) => path.set(parameter.name, value),
            Self::Whitted(whitted) => whitted.set(parameter.name, value),
            Self::Igi(igi) => igi.set(parameter.name, value),
        }
        Ok(())
    }

    /// Refuses parameters out of range: those that come as text have been looked at, those of another machine have not.
    /// Errors: [`ParameterError::Value`].
    pub fn check(&self) -> Result<(), ParameterError> {
        Ok(self.parameters().iter().try_for_each(|parameter| parameter.check(self.get(parameter.name)))?)
    }

    /// The value of one of its parameters.
    ///
    /// * `parameter` — of its own table.
    pub fn value(&self, parameter: &Parameter) -> f64 {
        self.get(parameter.name)
    }

    fn get(&self, name: &str) -> f64 {
        match self {
            Self::Path(path) => path.get(name),
            Self::Whitted(whitted) => whitted.get(name),
            Self::Igi(igi) => igi.get(name),
        }
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;
    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        let found = Self::ALL.into_iter().find(|algorithm| algorithm.name() == name);
        found.ok_or_else(|| UnknownAlgorithm(name.to_string()))
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_scene::parameter::Kind;

    #[test]
    fn every_parameter_can_be_read_and_its_range_is_checked() {
        for before in Algorithm::ALL {
            before.check().unwrap();
            for parameter in before.parameters() {
                let (least, most): (f64, f64) = match parameter.kind {
                    Kind::Integer { least, most, .. } => (least.into(), most.into()),
                    Kind::Number { least, most, .. } => (least.into(), most.into()),
                };
                let mut algorithm = before;
                for value in [least, most] {
                    algorithm.set(parameter.name, &value.to_string()).unwrap();
                    assert_eq!(algorithm.get(parameter.name), value, "{before}: {}", parameter.name);
                }
                algorithm.check().unwrap();
                set_unchecked(&mut algorithm, parameter.name, most + 1.0);
                assert!(algorithm.check().is_err(), "{before}: {} beyond {most}", parameter.name);
            }
        }
    }

    fn set_unchecked(algorithm: &mut Algorithm, name: &str, value: f64) {
        match algorithm {
            Algorithm::Path(path) => path.set(name, value),
            Algorithm::Whitted(whitted) => whitted.set(name, value),
            Algorithm::Igi(igi) => igi.set(name, value),
        }
    }
}
