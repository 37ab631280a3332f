use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sunfleck_scene::parameter::{self, Parameter, Parameters, SetError, Value};

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
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ParameterError> {
        let row = parameter::find(self.parameters(), name).map_err(|error| self.named(error))?;
        self.set_value(name, row.parse(text)?)
    }

    /// Sets one parameter. Errors: [`ParameterError`].
    pub fn set_value(&mut self, name: &str, value: Value) -> Result<(), ParameterError> {
        let set = match self {
            Self::Path(path) => path.set(name, value),
            Self::Whitted(whitted) => whitted.set(name, value),
            Self::Igi(igi) => igi.set(name, value),
        };
        set.map_err(|error| self.named(error))
    }

    /// Refuses parameters out of range: those that come as text have been looked at, those of another machine have not.
    /// Errors: [`ParameterError::Value`].
    pub fn check(&self) -> Result<(), ParameterError> {
        Ok(self.settings().check()?)
    }

    /// Every parameter with its value, in the order of the table.
    pub fn values(&self) -> Vec<(&'static Parameter, Value)> {
        self.settings().values()
    }

    fn settings(&self) -> &dyn Parameters {
        match self {
            Self::Path(path) => path,
            Self::Whitted(whitted) => whitted,
            Self::Igi(igi) => igi,
        }
    }

    /// The error with the name of this algorithm.
    fn named(&self, error: SetError) -> ParameterError {
        match error {
            SetError::Unknown { name, known } => {
                ParameterError::Unknown { algorithm: self.name(), name, known }
            }
            SetError::Value(error) => error.into(),
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
    use sunfleck_testkit::parameters::check_table;

    use super::*;

    #[test]
    fn tables_are_true() {
        for algorithm in Algorithm::ALL {
            algorithm.check().unwrap();
            match algorithm {
                Algorithm::Path(mut path) => check_table("path", &mut path),
                Algorithm::Whitted(mut whitted) => check_table("whitted", &mut whitted),
                Algorithm::Igi(mut igi) => check_table("igi", &mut igi),
            }
        }
    }

    #[test]
    fn parameters_are_typed_and_their_errors_name_the_algorithm() {
        let mut algorithm = Algorithm::Igi(Igi::DEFAULT);
        for (text, compensate) in [("0", false), ("true", true), ("false", false), ("1", true)] {
            algorithm.set("compensate", text).unwrap();
            assert!(matches!(algorithm, Algorithm::Igi(igi) if igi.compensate == compensate), "{text}");
        }
        let unknown = algorithm.set("vpl", "1").unwrap_err().to_string();
        assert!(unknown.starts_with("`igi` has no parameter `vpl`; it has: vpls, "), "{unknown}");
        assert_eq!(algorithm.set_value("vpl", Value::Integer(1)).unwrap_err().to_string(), unknown);
        assert!(
            algorithm.set_value("compensate", Value::Integer(0)).is_err(),
            "typed values are of their kind"
        );
        let other_machine = Algorithm::Igi(Igi { vpls: 0, ..Igi::DEFAULT });
        assert!(matches!(other_machine.check(), Err(ParameterError::Value(_))));
    }
}
