//! Rendering method of an image: algorithm and channel.

use sunfleck_image::Aov;
use sunfleck_integrators::Algorithm;
use sunfleck_integrators::whitted::Whitted;

use crate::protocol::{MethodSettings, MethodState};

/// Maximum number of samples per pixel of channels, which have little noise.
const CHANNEL_SAMPLES: u32 = 16;

/// Rendering method of an image, or of one side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Method {
    pub(super) algorithm: Algorithm,
    /// AOV that is shown instead of radiance.
    pub(super) channel: Option<Aov>,
}

impl Method {
    pub(super) fn new(algorithm: Algorithm) -> Self {
        Self { algorithm, channel: None }
    }

    /// Applies settings.
    ///
    /// # Errors
    /// A message for the user; some settings may have been applied.
    pub(super) fn set(&mut self, settings: &MethodSettings) -> Result<(), String> {
        if let Some(name) = &settings.algorithm {
            self.algorithm = name.parse().map_err(message)?;
        }
        if let Some(preset) = &settings.preset {
            self.algorithm.set_preset(preset).map_err(message)?;
        }
        if let Some((name, value)) = &settings.parameter {
            self.algorithm.set_value(name, *value).map_err(message)?;
        }
        if let Some(name) = &settings.channel {
            self.channel = if name.is_empty() { None } else { Some(name.parse().map_err(message)?) };
        }
        Ok(())
    }

    /// Returns the algorithm of the image at rest. Only channels that depend on light transport need the selected one.
    pub(super) fn at_rest(&self) -> Algorithm {
        match self.channel {
            None | Some(Aov::Variance) => self.algorithm,
            Some(channel @ (Aov::Reflections | Aov::Clamped))
                if self.algorithm.channels().contains(channel) =>
            {
                self.algorithm
            }
            Some(_) => Whitted::DEFAULT.into(),
        }
    }

    /// Returns the algorithm of previews.
    ///
    /// * `on_gpu` — whether a GPU renders.
    pub(super) fn moving(&self, on_gpu: bool) -> Algorithm {
        match self.channel {
            None => self.algorithm.while_moving(on_gpu),
            Some(Aov::Variance | Aov::Reflections | Aov::Clamped) => self.at_rest(),
            Some(_) => Whitted::DEFAULT.into(),
        }
    }

    /// Returns whether the light of previews has fewer pixels than their edges.
    ///
    /// * `on_gpu` — whether a GPU renders, which has time for the light of all pixels.
    pub(super) fn is_upsampled(&self, on_gpu: bool) -> bool {
        self.channel.is_none() && !on_gpu && !self.algorithm.has_stored_light()
    }

    /// Returns the samples per pixel of a preview; a variance needs two.
    pub(super) fn moving_samples(&self) -> u32 {
        if self.channel == Some(Aov::Variance) { 2 } else { 1 }
    }

    /// Returns the samples per pixel at which an image at rest is done, if `samples` are the target for radiance.
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

fn message(error: impl std::error::Error) -> String {
    error.to_string()
}
