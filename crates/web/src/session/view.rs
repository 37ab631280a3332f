use sunfleck_engine::{Budget, Frame};
use sunfleck_image::{Aov, AovSet, ToneCurve};
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::whitted::Whitted;
use sunfleck_integrators::{Algorithm, PlacedCamera};

use crate::Stage;
use crate::encode::Look;
use crate::protocol::{ClientId, Pose, Settings, ViewState};

/// A page may be so large, device pixels along an edge, and altogether.
const LARGEST_EDGE: u32 = 8192;
const MOST_PIXELS: f64 = 3840.0 * 2160.0;

const SCALES: std::ops::RangeInclusive<f32> = 0.1..=2.0;
const STOPS: std::ops::RangeInclusive<f32> = -16.0..=16.0;
const SAMPLES: std::ops::RangeInclusive<u32> = 1..=65_536;

/// Channels need no more: they hardly have noise.
const CHANNEL_SAMPLES: u32 = 16;

/// What is looked at, how it is computed, and how it is shown.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) camera: PlacedCamera,
    size: [u32; 2],
    scale: f32,
    pub(super) algorithm: Algorithm,
    pub(super) channel: Option<Aov>,
    auto_exposure: bool,
    exposure: f32,
    pub(super) tone_curve: ToneCurve,
    samples: u32,
}

/// What a change of settings asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The same picture, shown in another way.
    Look,
    /// Another picture.
    Picture,
}

impl View {
    pub(super) fn new(stage: &Stage) -> Self {
        Self {
            camera: stage.camera.clone(),
            size: [960, 540],
            scale: 1.0,
            algorithm: Algorithm::Igi(Igi::DEFAULT),
            channel: None,
            auto_exposure: stage.light_is_made_up,
            exposure: 0.0,
            tone_curve: ToneCurve::default(),
            samples: 1024,
        }
    }

    /// The same settings, for another scene.
    pub(super) fn turn_to(&mut self, stage: &Stage) {
        self.camera = stage.camera.clone();
        self.auto_exposure = stage.light_is_made_up;
        self.exposure = 0.0;
    }

    /// Changes what is set. Errors: one sentence; then nothing has changed.
    pub(super) fn set(&mut self, settings: &Settings) -> Result<Effect, String> {
        let mut next = self.clone();
        next.set_method(settings)?;
        next.set_look(settings)?;
        let same_picture = next.camera == self.camera
            && (next.size, next.scale, next.algorithm, next.channel)
                == (self.size, self.scale, self.algorithm, self.channel);
        *self = next;
        Ok(if same_picture { Effect::Look } else { Effect::Picture })
    }

    fn set_method(&mut self, settings: &Settings) -> Result<(), String> {
        if let Some(size) = settings.size {
            if size.iter().any(|edge| !(1..=LARGEST_EDGE).contains(edge)) {
                return Err(format!("a picture has 1 to {LARGEST_EDGE} pixels along an edge"));
            }
            self.size = size;
        }
        if let Some(scale) = settings.scale {
            self.scale = within("the scale", scale, SCALES)?;
        }
        if let Some(name) = &settings.algorithm {
            self.algorithm = name.parse().map_err(said)?;
        }
        if let Some(preset) = &settings.preset {
            self.algorithm.set_preset(preset).map_err(said)?;
        }
        if let Some((name, value)) = &settings.parameter {
            self.algorithm.set(name, &value.to_string()).map_err(said)?;
        }
        if let Some(samples) = settings.samples {
            if !SAMPLES.contains(&samples) {
                return Err(format!(
                    "{samples} samples: there can be {} to {}",
                    SAMPLES.start(),
                    SAMPLES.end()
                ));
            }
            self.samples = samples;
        }
        if let Some(name) = &settings.channel {
            self.channel = if name.is_empty() { None } else { Some(name.parse().map_err(said)?) };
        }
        Ok(())
    }

    fn set_look(&mut self, settings: &Settings) -> Result<(), String> {
        if let Some(automatic) = settings.auto_exposure {
            self.auto_exposure = automatic;
        }
        if let Some(stops) = settings.exposure {
            self.exposure = within("the exposure", stops, STOPS)?;
            self.auto_exposure = false;
        }
        if let Some(name) = &settings.tone_curve {
            self.tone_curve = name.parse().map_err(said)?;
        }
        Ok(())
    }

    pub(super) fn look(&self) -> Look {
        Look {
            exposure: self.exposure(),
            tone_curve: self.tone_curve,
            as_it_is: self.channel.is_some(),
            cut: false,
        }
    }

    /// In stops; `None`: automatic.
    pub(super) fn exposure(&self) -> Option<f32> {
        (!self.auto_exposure).then_some(self.exposure)
    }

    /// Samples per pixel at which a picture at rest is done.
    pub(super) fn target(&self) -> u32 {
        if self.channel.is_some() { self.samples.min(CHANNEL_SAMPLES) } else { self.samples }
    }

    /// Pixels of the picture at rest.
    pub(super) fn pixels(&self) -> [u32; 2] {
        let [width, height] = self.size.map(|edge| f64::from(edge) * f64::from(self.scale));
        let fit = (MOST_PIXELS / (width * height)).sqrt().min(1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is within the largest edge"
        )]
        let whole = |edge: f64| ((edge * fit).round() as u32).max(1);
        [whole(width), whole(height)]
    }

    /// A frame that makes the picture at rest better.
    pub(super) fn rest_frame(&self, samples: u32) -> Frame {
        let algorithm = match self.channel {
            None | Some(Aov::Variance) => self.algorithm,
            Some(_) => Algorithm::Whitted(Whitted::DEFAULT),
        };
        self.frame(1.0, algorithm, samples)
    }

    /// A quick frame, `scale` times as large.
    pub(super) fn moving_frame(&self, scale: f32) -> Frame {
        let preview =
            || Igi::PRESETS.iter().find(|(name, _)| *name == "preview").map_or(Igi::DEFAULT, |(_, igi)| *igi);
        let algorithm = match (self.channel, self.algorithm) {
            (None, Algorithm::Igi(_) | Algorithm::Path(_)) => Algorithm::Igi(preview()),
            (Some(Aov::Variance), other) => other,
            (Some(_), _) | (None, Algorithm::Whitted(_)) => Algorithm::Whitted(Whitted::DEFAULT),
        };
        let samples = if self.channel == Some(Aov::Variance) { 2 } else { 1 };
        Frame { steady: true, ..self.frame(scale, algorithm, samples) }
    }

    fn frame(&self, scale: f32, algorithm: Algorithm, samples: u32) -> Frame {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "smaller than the picture"
        )]
        let [width, height] = self.pixels().map(|edge| (edge as f32 * scale).round() as u32);
        let aovs: AovSet = self.channel.into_iter().collect();
        Frame {
            algorithm,
            aovs,
            budget: Budget::samples(samples),
            ..Frame::new(self.camera.clone(), width, height)
        }
    }

    pub(super) fn state(&self, editor: Option<ClientId>, clients: usize) -> ViewState {
        ViewState {
            pose: Pose::from(&self.camera),
            size: self.size,
            scale: self.scale,
            algorithm: self.algorithm.name(),
            parameters: self.algorithm.parameters().iter().map(|p| self.algorithm.value(p)).collect(),
            channel: self.channel.map_or("", Aov::name),
            auto_exposure: self.auto_exposure,
            exposure: self.exposure,
            tone_curve: self.tone_curve.name(),
            samples: self.samples,
            editor,
            clients,
        }
    }
}

fn said(error: impl std::error::Error) -> String {
    error.to_string()
}

fn within(what: &str, value: f32, range: std::ops::RangeInclusive<f32>) -> Result<f32, String> {
    match range.contains(&value) {
        true => Ok(value),
        false => Err(format!("{what} is {value}; it must be {} to {}", range.start(), range.end())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view() -> View {
        let scene = sunfleck_models::build("cornell").unwrap();
        View::new(&Stage::new("cornell", scene, Default::default(), Vec::new()).unwrap())
    }

    #[test]
    fn settings_change_what_they_name() {
        let mut view = view();
        let algorithm = Settings { algorithm: Some("path".into()), ..Settings::default() };
        assert_eq!(view.set(&algorithm), Ok(Effect::Picture));
        let depth = Settings { parameter: Some(("max_bounces".into(), 3.0)), ..Settings::default() };
        assert_eq!(view.set(&depth), Ok(Effect::Picture));
        let Algorithm::Path(path) = view.algorithm else { panic!("{:?}", view.algorithm) };
        assert_eq!(path.max_bounces, 3);
        let look = Settings { exposure: Some(1.5), tone_curve: Some("aces".into()), ..Settings::default() };
        assert_eq!(view.set(&look), Ok(Effect::Look), "the picture need not be rendered again");
        assert_eq!((view.exposure(), view.tone_curve), (Some(1.5), ToneCurve::Aces));
    }

    #[test]
    fn refused_settings_change_nothing() {
        let mut view = view();
        let before = view.state(None, 0);
        for bad in [
            Settings {
                algorithm: Some("path".into()),
                tone_curve: Some("sepia".into()),
                ..Settings::default()
            },
            Settings { algorithm: Some("radar".into()), ..Settings::default() },
            Settings { preset: Some("best".into()), ..Settings::default() },
            Settings { parameter: Some(("vpls".into(), 0.5)), ..Settings::default() },
            Settings { channel: Some("smell".into()), ..Settings::default() },
            Settings { exposure: Some(f32::NAN), ..Settings::default() },
            Settings { scale: Some(100.0), ..Settings::default() },
            Settings { size: Some([0, 10]), ..Settings::default() },
            Settings { size: Some([10, u32::MAX]), ..Settings::default() },
            Settings { samples: Some(0), ..Settings::default() },
        ] {
            assert!(view.set(&bad).is_err(), "{bad:?}");
            assert_eq!(view.state(None, 0), before, "{bad:?}");
        }
    }

    #[test]
    fn huge_pages_get_pictures_that_fit_into_memory() {
        let mut view = view();
        let huge = Settings { size: Some([8192, 4096]), scale: Some(2.0), ..Settings::default() };
        view.set(&huge).unwrap();
        let [width, height] = view.pixels();
        assert!(f64::from(width) * f64::from(height) < MOST_PIXELS * 1.01, "{width} × {height}");
        assert!((f64::from(width) / f64::from(height) - 2.0).abs() < 0.01, "the aspect ratio stays");
    }
}
