use sunfleck_image::Aov;
use sunfleck_integrators::Algorithm;
use sunfleck_integrators::whitted::Whitted;

use crate::protocol::{MethodSettings, MethodState};

/// Channels need no more samples: they hardly have noise.
const CHANNEL_SAMPLES: u32 = 16;

/// How a picture is computed: one side of a comparison, or all that there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Method {
    pub(super) algorithm: Algorithm,
    /// Shown instead of light.
    pub(super) channel: Option<Aov>,
}

impl Method {
    pub(super) fn new(algorithm: Algorithm) -> Self {
        Self { algorithm, channel: None }
    }

    /// Changes what is set. Errors: one sentence; then it may have changed in part.
    pub(super) fn set(&mut self, settings: &MethodSettings) -> Result<(), String> {
        if let Some(name) = &settings.algorithm {
            self.algorithm = name.parse().map_err(said)?;
        }
        if let Some(preset) = &settings.preset {
            self.algorithm.set_preset(preset).map_err(said)?;
        }
        if let Some((name, value)) = &settings.parameter {
            self.algorithm.set_value(name, *value).map_err(said)?;
        }
        if let Some(name) = &settings.channel {
            self.channel = if name.is_empty() { None } else { Some(name.parse().map_err(said)?) };
        }
        Ok(())
    }

    /// What computes the picture at rest: channels do not need the light, but for those that tell of it.
    pub(super) fn at_rest(&self) -> Algorithm {
        match self.channel {
            None | Some(Aov::Variance) => self.algorithm,
            Some(channel @ Aov::Reflections) if self.algorithm.channels().contains(channel) => self.algorithm,
            Some(_) => Whitted::DEFAULT.into(),
        }
    }

    /// The quick one.
    ///
    /// * `on_gpu` — a GPU renders it: then nothing has to be left out.
    pub(super) fn moving(&self, on_gpu: bool) -> Algorithm {
        match self.channel {
            None => self.algorithm.while_moving(on_gpu),
            Some(Aov::Variance | Aov::Reflections) => self.at_rest(),
            Some(_) => Whitted::DEFAULT.into(),
        }
    }

    /// Samples of a quick frame: of one sample there is no variance.
    pub(super) fn moving_samples(&self) -> u32 {
        if self.channel == Some(Aov::Variance) { 2 } else { 1 }
    }

    /// Samples per pixel at which a picture at rest is done, if so many are aimed at for light.
    pub(super) fn target(&self, samples: u32) -> u32 {
        if self.channel.is_some() { samples.min(CHANNEL_SAMPLES) } else { samples }
    }

    pub(super) fn state(&self) -> MethodState {
        MethodState {
            algorithm: self.algorithm.name(),
            parameters: self.algorithm.values().into_iter().map(|(_, value)| value).collect(),
            channel: self.channel.map_or("", Aov::name),
        }
    }
}

fn said(error: impl std::error::Error) -> String {
    error.to_string()
}
