//! The table of algorithms: names, presets and parameters, and what backends need to know of each.

use std::any::Any;
use std::fmt;
use std::str::FromStr;

use sunfleck_image::AovSet;
use sunfleck_scene::parameter::{self, Parameter, Parameters, SetError, Value};
use sunfleck_transport::World;

use crate::Algorithm;
use crate::igi::Igi;
use crate::parameters::ParameterError;
use crate::path::PathTracer;

/// Declares [`Algorithm`] from a table of variants and parameter types. Each parameter type implements
/// [`Integrator`](crate::integrator::Integrator).
macro_rules! algorithms {
    ($($(#[$doc:meta])* $variant:ident($parameters:ty),)*) => {
        /// A light transport algorithm with its parameters.
        #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        pub enum Algorithm {
            $($(#[$doc])* $variant($parameters),)*
        }

        impl Algorithm {
            /// All algorithms, with default parameters.
            pub const ALL: [Self; [$(stringify!($variant)),*].len()] = [$(Self::$variant(<$parameters>::DEFAULT)),*];

            pub(crate) fn integrator(&self) -> &dyn $crate::integrator::Integrator {
                match self {
                    $(Self::$variant(parameters) => parameters,)*
                }
            }

            /// Returns the filter of an algorithm whose passes are frames.
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

/// Error of parsing a name that no algorithm has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no integrator `{0}`; there are: {known}", known = Algorithm::ALL.map(|algorithm| algorithm.name()).join(", "))]
pub struct UnknownAlgorithm(pub String);

/// Reason why an algorithm cannot render a world.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RefusedWorld(String);

impl RefusedWorld {
    pub(crate) fn new(reason: impl fmt::Display) -> Self {
        Self(reason.to_string())
    }
}

impl Algorithm {
    /// Returns the name on the command line and in files, such as `path`.
    pub fn name(&self) -> &'static str {
        self.integrator().name()
    }

    /// Returns a description: one sentence without an initial capital and a full stop.
    pub fn summary(&self) -> &'static str {
        self.integrator().summary()
    }

    /// Returns the parameter table.
    pub fn parameters(&self) -> &'static [Parameter] {
        self.integrator().parameters()
    }

    /// Returns the parameters if they are of type `T`.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        let parameters: &dyn Any = self.integrator();
        parameters.downcast_ref()
    }

    /// Returns the AOVs that the algorithm can record.
    pub fn channels(&self) -> AovSet {
        self.integrator().channels()
    }

    /// Returns the number of samples per pixel in one frame, by which front ends multiply numbers of frames.
    pub fn samples_per_frame(&self) -> u32 {
        self.integrator().samples_per_frame()
    }

    /// Returns whether samples are whole frames. The frames of an image are numbered from 0 without gaps.
    pub fn samples_are_frames(&self) -> bool {
        self.frame_filter().is_some()
    }

    /// Returns whether images depend on the lights of the scene.
    pub fn uses_lights(&self) -> bool {
        self.integrator().uses_lights()
    }

    /// Returns whether images show values in false colours instead of light.
    pub fn shows_false_colors(&self) -> bool {
        self.integrator().shows_false_colors()
    }

    /// Returns whether light is stored in the world, so that a pixel costs little more than its camera ray.
    pub fn has_stored_light(&self) -> bool {
        self.integrator().has_stored_light()
    }

    /// Returns the algorithm that renders previews while the camera or the scene moves.
    ///
    /// * `on_gpu` — whether a GPU renders.
    pub fn while_moving(&self, on_gpu: bool) -> Self {
        let preview = || if on_gpu { Igi::DEFAULT.into() } else { PathTracer::DEFAULT.into() };
        self.integrator().while_moving(on_gpu).unwrap_or_else(preview)
    }

    /// Returns the parameters as a trait object, for code that treats all algorithms alike.
    pub fn as_parameters(&mut self) -> &mut dyn Parameters {
        self.integrator_mut()
    }

    /// Returns the relative cost of a pass per pixel, in shadow rays; `None` if [`cheaper`](Self::cheaper) is `None`
    /// for all parameters of the algorithm.
    pub fn cost(&self) -> Option<f64> {
        self.integrator().cost()
    }

    /// Returns this algorithm with the most expensive parameter halved; `None` if nothing can be reduced.
    pub fn cheaper(&self) -> Option<Self> {
        self.integrator().cheaper()
    }

    /// Returns the names of the presets that [`set_preset`](Self::set_preset) accepts; most algorithms have none.
    pub fn presets(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.integrator().presets().into_iter().map(|(name, _)| name)
    }

    /// Sets all parameters to those of a preset, which may be another algorithm. Errors: [`ParameterError`].
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

    /// Checks that the algorithm can render a world; if not, its images show emission and the environment only. Errors:
    /// [`RefusedWorld`].
    pub fn check_world(&self, world: &World) -> Result<(), RefusedWorld> {
        self.integrator().check_world(world)
    }

    /// Checks that all parameters are in range. Parameters set from text are checked already; deserialised ones are
    /// not. Errors: [`ParameterError::Value`].
    pub fn check(&self) -> Result<(), ParameterError> {
        Ok(self.integrator().check()?)
    }

    /// Returns every parameter with its value, in the order of the table.
    pub fn values(&self) -> Vec<(&'static Parameter, Value)> {
        self.integrator().values()
    }

    /// Adds the name of this algorithm to an error.
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
