use std::any::Any;
use std::fmt;
use std::str::FromStr;

use sunfleck_image::AovSet;
use sunfleck_scene::parameter::{self, Parameter, Parameters, SetError, Value};

use crate::Algorithm;
use crate::igi::Igi;
use crate::parameters::ParameterError;

/// Declares [`Algorithm`] from its table: a variant and the parameters of each algorithm, which implement
/// [`Integrator`](crate::integrator::Integrator).
macro_rules! algorithms {
    ($($(#[$doc:meta])* $variant:ident($parameters:ty),)*) => {
        /// A way to compute a picture, with its parameters.
        #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        pub enum Algorithm {
            $($(#[$doc])* $variant($parameters),)*
        }

        impl Algorithm {
            /// All of them, with default parameters.
            pub const ALL: [Self; [$(stringify!($variant)),*].len()] = [$(Self::$variant(<$parameters>::DEFAULT)),*];

            pub(crate) fn integrator(&self) -> &dyn $crate::integrator::Integrator {
                match self {
                    $(Self::$variant(parameters) => parameters,)*
                }
            }

            /// The filter of an algorithm whose passes are frames.
            pub(crate) fn frame_filter(&self) -> Option<&dyn $crate::integrator::FrameFilter> {
                self.integrator().frame_filter()
            }

            fn integrator_mut(&mut self) -> &mut dyn $crate::integrator::Integrator {
                match self {
                    $(Self::$variant(parameters) => parameters,)*
                }
            }
        }

        $(impl From<$parameters> for Algorithm {
            fn from(parameters: $parameters) -> Self {
                Self::$variant(parameters)
            }
        })*
    };
}
pub(crate) use algorithms;

/// A name that no algorithm has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no integrator `{0}`; there are: {known}", known = Algorithm::ALL.map(|algorithm| algorithm.name()).join(", "))]
pub struct UnknownAlgorithm(pub String);

impl Algorithm {
    /// Name on the command line and in files, such as `path`.
    pub fn name(&self) -> &'static str {
        self.integrator().name()
    }

    /// One sentence, without a capital and a full stop.
    pub fn summary(&self) -> &'static str {
        self.integrator().summary()
    }

    /// Its parameter table.
    pub fn parameters(&self) -> &'static [Parameter] {
        self.integrator().parameters()
    }

    /// The parameters, if it is the algorithm whose parameters are of type `T`.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        let parameters: &dyn Any = self.integrator();
        parameters.downcast_ref()
    }

    /// The channels that it can record beside radiance.
    pub fn channels(&self) -> AovSet {
        self.integrator().channels()
    }

    /// Whether its samples are whole frames, each with a number of its own: a picture has those from 0 on, without gaps.
    pub fn samples_are_frames(&self) -> bool {
        self.frame_filter().is_some()
    }

    /// Whether its pictures depend on the lights of the scene.
    pub fn uses_lights(&self) -> bool {
        self.integrator().uses_lights()
    }

    /// The algorithm that renders previews while the camera or the scene moves.
    ///
    /// * `on_gpu` — a GPU renders: then nothing has to be left out.
    pub fn while_moving(&self, on_gpu: bool) -> Self {
        let preview = || if on_gpu { Igi::DEFAULT.into() } else { Igi::preview().into() };
        self.integrator().while_moving(on_gpu).unwrap_or_else(preview)
    }

    /// The parameters as a table, for code that treats all algorithms alike.
    pub fn as_parameters(&mut self) -> &mut dyn Parameters {
        self.integrator_mut()
    }

    /// Relative cost of a pass per pixel, in shadow rays, of algorithms that [`cheaper`](Self::cheaper) makes cheaper; `None` of others.
    pub fn cost(&self) -> Option<f64> {
        self.integrator().cost()
    }

    /// The same with what costs most halved; `None` if nothing can be left out.
    pub fn cheaper(&self) -> Option<Self> {
        self.integrator().cheaper()
    }

    /// Names of the presets that [`set_preset`](Self::set_preset) takes; most algorithms have none.
    pub fn presets(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.integrator().presets().into_iter().map(|(name, _)| name)
    }

    /// Sets all parameters to those of a preset. Errors: [`ParameterError`].
    pub fn set_preset(&mut self, name: &str) -> Result<(), ParameterError> {
        let presets = self.integrator().presets();
        let Some((_, preset)) = presets.iter().find(|(preset, _)| *preset == name) else {
            return Err(ParameterError::Preset {
                algorithm: self.name(),
                name: name.to_string(),
                known: self.presets().collect::<Vec<_>>().join(", "),
            });
        };
        *self = *preset;
        Ok(())
    }

    /// Sets one parameter from text. Errors: [`ParameterError`].
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ParameterError> {
        let row = parameter::find(self.parameters(), name).map_err(|error| self.named(error))?;
        self.set_value(name, row.parse(text)?)
    }

    /// Sets one parameter. Errors: [`ParameterError`].
    pub fn set_value(&mut self, name: &str, value: Value) -> Result<(), ParameterError> {
        self.integrator_mut().set(name, value).map_err(|error| self.named(error))
    }

    /// Refuses parameters out of range: those that come as text have been looked at, those of another machine have not.
    /// Errors: [`ParameterError::Value`].
    pub fn check(&self) -> Result<(), ParameterError> {
        Ok(self.integrator().check()?)
    }

    /// Every parameter with its value, in the order of the table.
    pub fn values(&self) -> Vec<(&'static Parameter, Value)> {
        self.integrator().values()
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
