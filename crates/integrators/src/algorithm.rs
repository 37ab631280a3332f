use std::fmt;
use std::str::FromStr;

use crate::igi::Igi;
use crate::parameters::{Parameter, ParameterError};
use crate::path::PathTracer;
use crate::whitted::Whitted;

/// A way to compute a picture, with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
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
