//! Camera, rendering methods and display settings of a session.

use std::time::Duration;

use sunfleck_engine::{Budget, Denoiser, FrameRequest, InitialCamera, Upsampling};
use sunfleck_image::{Aov, AovSet, ToneCurve};
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{Algorithm, PlacedCamera, World};
use sunfleck_math::{DVec3, Vec3};

use super::denoise_setting::DenoiseSetting;
use super::level_camera::{LevelCamera, leveled};
use super::method::Method;
use super::preview_pace::PreviewSize;
use crate::ViewerScene;
use crate::encode::DisplaySettings;
use crate::protocol::{Pose, Settings, ViewState};

/// Size of the page before it has sent its own, in device pixels.
const SIZE: [u32; 2] = [960, 540];
/// Maximum size of a page along an edge, in device pixels.
const MAX_EDGE: u32 = 8192;
/// Maximum number of pixels of an image.
const MAX_PIXELS: f64 = 3840.0 * 2160.0;

const SCALES: std::ops::RangeInclusive<f32> = 0.1..=2.0;
const STOPS: std::ops::RangeInclusive<f32> = -16.0..=16.0;
const SAMPLES: std::ops::RangeInclusive<u32> = 1..=65_536;
/// Target times of a preview, milliseconds.
const FRAME_MS: std::ops::RangeInclusive<u32> = 16..=500;

/// Camera, resolution, rendering methods and display settings.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// Camera as it is rendered.
    pub(super) camera: PlacedCamera,
    /// How a client has set the camera, if it is level; `None` if that is exactly how it is rendered.
    level: Option<LevelCamera>,
    /// The view is that of this camera until it is moved, whatever the size of the page.
    initial_camera: InitialCamera,
    /// Size of the page in device pixels.
    size: [u32; 2],
    /// Pixels of the image per device pixel, along an edge.
    scale: f32,
    first: Method,
    /// Method of the second image, kept while that is not shown.
    second: Method,
    split: bool,
    auto_exposure: bool,
    exposure: f32,
    pub(super) tone_curve: ToneCurve,
    samples: u32,
    /// Target time of a preview, milliseconds.
    frame_ms: u32,
    pub(super) denoise: DenoiseSetting,
    /// Whether frames of radiance at rest record what denoisers need. They still do after denoising is switched off, so
    /// that the samples are kept.
    records_features: bool,
}

/// Frame to render, and what is shown of it.
#[derive(Debug)]
pub(super) struct ViewerFrame {
    pub(super) request: FrameRequest,
    /// AOV that is shown instead of radiance.
    pub(super) channel: Option<Aov>,
}

/// Effect of a change of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The image is displayed differently.
    Display,
    /// The image is denoised differently.
    Denoise,
    /// The image must be rendered again.
    Render,
}

impl View {
    pub(super) fn new(scene: &ViewerScene) -> Self {
        let stops = scene.world.scene().exposure_stops();
        Self {
            camera: scene.camera.camera(aspect(SIZE)),
            level: None,
            initial_camera: scene.camera.clone(),
            size: SIZE,
            scale: 1.0,
            // Denoised, it is nearer to the truth than instant global illumination from the first sample on
            first: Method::new(Algorithm::Path(PathTracer::DEFAULT)),
            second: Method::new(Algorithm::Igi(Igi::DEFAULT)),
            split: false,
            auto_exposure: stops.is_none(),
            exposure: stops.unwrap_or(0.0),
            tone_curve: ToneCurve::default(),
            samples: 1024,
            // 20 frames per second feel interactive
            frame_ms: 50,
            denoise: DenoiseSetting::default(),
            records_features: true,
        }
    }

    /// Adapts camera and exposure to another scene and keeps the other settings.
    pub(super) fn switch_scene(&mut self, scene: &ViewerScene) {
        self.initial_camera = scene.camera.clone();
        self.reset_camera();
        self.exposure = 0.0;
        self.set_exposure(scene.world.scene().exposure_stops());
    }

    /// Sets the exposure in stops; `None` if it is automatic. Returns whether it was another one.
    pub(super) fn set_exposure(&mut self, stops: Option<f32>) -> bool {
        let before = self.exposure();
        self.auto_exposure = stops.is_none();
        self.exposure = stops.unwrap_or(self.exposure);
        self.exposure() != before
    }

    /// Applies settings.
    ///
    /// # Errors
    /// A message for the user; then nothing has changed.
    pub(super) fn set(&mut self, settings: &Settings) -> Result<Effect, String> {
        let mut next = self.clone();
        next.set_rendering(settings)?;
        next.set_display(settings)?;
        if let Some(name) = &settings.denoise {
            next.denoise = self.denoise.named(name).map_err(|error| error.to_string())?;
        }
        let rendering = |view: &Self| (view.size, view.scale, view.first, view.split.then_some(view.second));
        let same_rendering = rendering(&next) == rendering(self);
        next.records_features = next.denoise.is_on() || (same_rendering && self.records_features);
        let effect = if !same_rendering || next.records_features != self.records_features {
            Effect::Render
        } else if next.denoise.name() != self.denoise.name() {
            Effect::Denoise
        } else {
            Effect::Display
        };
        *self = next;
        Ok(effect)
    }

    /// Checks that the rendering methods can show a world. Errors: a message for the user.
    pub(super) fn check_world(&self, world: &World) -> Result<(), String> {
        let check = |method: Method| {
            let checked = method.algorithm.check_world(world);
            checked.map_err(|why| format!("{} {why}", method.algorithm.name()))
        };
        self.methods().try_for_each(check)
    }

    fn set_rendering(&mut self, settings: &Settings) -> Result<(), String> {
        if let Some(size) = settings.size {
            if size.iter().any(|edge| !(1..=MAX_EDGE).contains(edge)) {
                return Err(format!("the size must be 1 to {MAX_EDGE} pixels along each edge"));
            }
            self.set_size(size);
        }
        if let Some(scale) = settings.scale {
            self.scale = within("the scale", scale, SCALES)?;
        }
        if let Some(samples) = settings.samples {
            if !SAMPLES.contains(&samples) {
                return Err(format!(
                    "the number of samples is {samples}; it must be {} to {}",
                    SAMPLES.start(),
                    SAMPLES.end()
                ));
            }
            self.samples = samples;
        }
        if let Some(millis) = settings.frame_ms {
            if !FRAME_MS.contains(&millis) {
                return Err(format!(
                    "the time of a frame is {millis} ms; it must be {} to {} ms",
                    FRAME_MS.start(),
                    FRAME_MS.end()
                ));
            }
            self.frame_ms = millis;
        }
        self.first.set(&settings.first())?;
        if let Some(second) = &settings.second {
            self.second.set(second)?;
        }
        self.split = settings.split.unwrap_or(self.split);
        Ok(())
    }

    /// Goes back to the initial camera of the scene.
    pub(super) fn reset_camera(&mut self) {
        (self.camera, self.level) = (self.initial_camera.camera(self.aspect()), None);
    }

    /// Sets the camera. Unless it is one of the scene's, it is rendered as options of `sunfleck render` describe it.
    ///
    /// * `own` — cameras of the scene, fitted to the aspect ratio.
    /// * `origin` — that of the scene.
    pub(super) fn set_camera(&mut self, given: PlacedCamera, own: &[PlacedCamera], origin: DVec3) {
        let is_own = own.iter().any(|other| other.is_same_view(&given));
        let level = if is_own { None } else { leveled(&given, own, origin) };
        (self.camera, self.level) = level.map_or((given, None), |(camera, level)| (camera, Some(level)));
    }

    /// Returns the camera as it was set.
    pub(super) fn given_camera(&self) -> &PlacedCamera {
        self.level.as_ref().map_or(&self.camera, |level| &level.given)
    }

    /// Returns a point from which, with the position, the axes of the camera are computed, if they were.
    pub(super) fn look_at(&self) -> Option<Vec3> {
        self.level.as_ref().map(|level| level.target)
    }

    /// Returns the aspect ratio of the image, width over height.
    pub(super) fn aspect(&self) -> f32 {
        aspect(self.size)
    }

    fn set_size(&mut self, size: [u32; 2]) {
        let is_initial = self.camera.is_same_view(&self.initial_camera.camera(self.aspect()));
        self.size = size;
        if is_initial {
            self.reset_camera();
        }
    }

    fn set_display(&mut self, settings: &Settings) -> Result<(), String> {
        if let Some(automatic) = settings.auto_exposure {
            self.auto_exposure = automatic;
        }
        if let Some(stops) = settings.exposure {
            self.exposure = within("the exposure", stops, STOPS)?;
            self.auto_exposure = false;
        }
        if let Some(name) = &settings.tone_curve {
            self.tone_curve =
                name.parse().map_err(|error: sunfleck_image::UnknownToneCurve| error.to_string())?;
        }
        Ok(())
    }

    /// Returns the rendering methods: one, or two that are compared.
    pub(super) fn methods(&self) -> impl Iterator<Item = Method> + use<> {
        std::iter::once(self.first).chain(self.split.then_some(self.second))
    }

    /// Returns exposure and tone curve.
    pub(super) fn display(&self) -> DisplaySettings {
        let is_channel = |method: Method| method.channel.is_some();
        DisplaySettings {
            exposure: self.exposure(),
            tone_curve: self.tone_curve,
            is_channel: [is_channel(self.first), is_channel(self.second)],
            cut: false,
        }
    }

    /// Returns the exposure in stops; `None` if it is automatic.
    pub(super) fn exposure(&self) -> Option<f32> {
        (!self.auto_exposure).then_some(self.exposure)
    }

    /// Returns the samples per pixel at which an image at rest is done.
    pub(super) fn target(&self, method: &Method) -> u32 {
        method.target(self.samples)
    }

    /// Returns the target time of a preview.
    pub(super) fn frame_time(&self) -> Duration {
        Duration::from_millis(self.frame_ms.into())
    }

    /// Returns the size of the image at rest, in pixels.
    pub(super) fn pixels(&self) -> [u32; 2] {
        let [width, height] = self.size.map(|edge| f64::from(edge) * f64::from(self.scale));
        let fit = (MAX_PIXELS / (width * height)).sqrt().min(1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most MAX_EDGE")]
        let whole = |edge: f64| ((edge * fit).round() as u32).max(1);
        [whole(width), whole(height)]
    }

    /// Returns the request of a frame that refines the image at rest.
    pub(super) fn rest_frame(&self, method: &Method, samples: u32) -> ViewerFrame {
        let request = self.frame(1.0, method, method.at_rest(), samples, self.records_features);
        ViewerFrame { request, channel: method.channel }
    }

    /// Returns the denoiser of an image at rest; `None` if it is shown as it is rendered, as are all AOVs.
    pub(super) fn rest_denoiser(&self, method: &Method) -> Option<Denoiser> {
        self.denoise.at_rest(&method.at_rest()).filter(|_| method.channel.is_none())
    }

    /// Returns the request of a preview.
    ///
    /// * `on_gpu` — whether a GPU renders.
    pub(super) fn moving_frame(&self, method: &Method, size: PreviewSize, on_gpu: bool) -> ViewerFrame {
        let algorithm = method.moving(on_gpu);
        // Only radiance has a history, and can be interpolated
        let steady = method.channel.is_none();
        let denoiser = || self.denoise.moving(&algorithm);
        let upsampling = size.light_divisor.map(|divisor| Upsampling { divisor, denoiser: denoiser() });
        let request = FrameRequest {
            steady,
            upsampling: upsampling.filter(|_| steady),
            ..self.frame(size.scale, method, algorithm, method.moving_samples(), false)
        };
        ViewerFrame { request, channel: method.channel }
    }

    fn frame(
        &self,
        scale: f32,
        method: &Method,
        algorithm: Algorithm,
        samples: u32,
        records_features: bool,
    ) -> FrameRequest {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most the size of the image"
        )]
        let [width, height] = self.pixels().map(|edge| (edge as f32 * scale).round().max(1.0) as u32);
        let aovs = match method.channel {
            Some(channel) => AovSet::EMPTY.with(channel),
            None if records_features => Denoiser::AOVS,
            None => AovSet::EMPTY,
        };
        FrameRequest {
            algorithm,
            aovs,
            budget: Budget::samples(samples),
            ..FrameRequest::new(self.camera.clone(), width, height)
        }
    }

    /// Returns the message `view`, without the fields that the session fills in.
    pub(super) fn state(&self) -> ViewState {
        ViewState {
            change: 0,
            pose: Pose::from(self.given_camera()),
            size: self.size,
            scale: self.scale,
            image_size: self.pixels(),
            first: self.first.state(),
            second: self.split.then(|| self.second.state()),
            auto_exposure: self.auto_exposure,
            exposure: self.exposure,
            tone_curve: self.tone_curve.name(),
            samples: self.samples,
            denoise: self.denoise.name(),
            frame_ms: self.frame_ms,
            moment: None,
            editor: None,
            clients: 0,
            problem: None,
        }
    }
}

/// Returns the aspect ratio of a size.
fn aspect([width, height]: [u32; 2]) -> f32 {
    width as f32 / height as f32
}

fn within(what: &str, value: f32, range: std::ops::RangeInclusive<f32>) -> Result<f32, String> {
    match range.contains(&value) {
        true => Ok(value),
        false => Err(format!("{what} is {value}; it must be {} to {}", range.start(), range.end())),
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_scene::parameter::Value;

    use super::*;
    use crate::protocol::MethodSettings;

    fn view() -> View {
        let scene = sunfleck_models::build("cornell").unwrap();
        View::new(&ViewerScene::new("cornell", scene, Default::default(), Vec::new()).unwrap())
    }

    #[test]
    fn settings_change_their_fields_only() {
        let mut view = view();
        for name in ["igi", "path"] {
            let algorithm = Settings { algorithm: Some(name.into()), ..Settings::default() };
            assert_eq!(view.set(&algorithm), Ok(Effect::Render));
        }
        let depth =
            Settings { parameter: Some(("max_bounces".into(), Value::Integer(3))), ..Settings::default() };
        assert_eq!(view.set(&depth), Ok(Effect::Render));
        let Algorithm::Path(path) = view.first.algorithm else { panic!("{:?}", view.first) };
        assert_eq!(path.max_bounces, 3);
        let display =
            Settings { exposure: Some(1.5), tone_curve: Some("aces".into()), ..Settings::default() };
        assert_eq!(view.set(&display), Ok(Effect::Display), "the image is not rendered again");
        assert_eq!((view.exposure(), view.tone_curve), (Some(1.5), ToneCurve::Aces));
    }

    #[test]
    fn refused_settings_change_nothing() {
        let mut view = view();
        let before = view.state();
        for bad in [
            Settings {
                algorithm: Some("path".into()),
                tone_curve: Some("sepia".into()),
                ..Settings::default()
            },
            Settings { algorithm: Some("radar".into()), ..Settings::default() },
            Settings { preset: Some("best".into()), ..Settings::default() },
            Settings { parameter: Some(("vpls".into(), Value::Number(0.5))), ..Settings::default() },
            Settings { channel: Some("smell".into()), ..Settings::default() },
            Settings { exposure: Some(f32::NAN), ..Settings::default() },
            Settings { scale: Some(100.0), ..Settings::default() },
            Settings { size: Some([0, 10]), ..Settings::default() },
            Settings { size: Some([10, u32::MAX]), ..Settings::default() },
            Settings { samples: Some(0), ..Settings::default() },
            Settings {
                split: Some(true),
                second: Some(MethodSettings { algorithm: Some("radar".into()), ..MethodSettings::default() }),
                ..Settings::default()
            },
        ] {
            assert!(view.set(&bad).is_err(), "{bad:?}");
            assert_eq!(view.state(), before, "{bad:?}");
        }
    }

    #[test]
    fn the_size_of_the_image_at_rest_is_told() {
        let mut view = view();
        let quarter = Settings { size: Some([400, 300]), scale: Some(0.5), ..Settings::default() };
        view.set(&quarter).unwrap();
        assert_eq!(view.state().image_size, [200, 150]);
        let large = Settings { size: Some([3840, 2160]), scale: Some(2.0), ..Settings::default() };
        view.set(&large).unwrap();
        assert_eq!(view.state().image_size, [3840, 2160], "it has a limit");
    }

    #[test]
    fn two_methods_are_compared() {
        let mut view = view();
        let whitted = MethodSettings { algorithm: Some("whitted".into()), ..MethodSettings::default() };
        let hidden = Settings { second: Some(whitted), ..Settings::default() };
        assert_eq!(view.set(&hidden), Ok(Effect::Display), "the second image is not shown yet");
        assert_eq!((view.methods().count(), view.state().second), (1, None));
        assert_eq!(view.set(&Settings { split: Some(true), ..Settings::default() }), Ok(Effect::Render));
        let names: Vec<_> = view.methods().map(|method| method.algorithm.name()).collect();
        assert_eq!(names, ["path", "whitted"]);
        let ids = MethodSettings { channel: Some("ids".into()), ..MethodSettings::default() };
        view.set(&Settings { second: Some(ids), ..Settings::default() }).unwrap();
        assert_eq!(view.display().is_channel, [false, true]);
    }

    #[test]
    fn images_of_huge_pages_are_limited() {
        let mut view = view();
        let huge = Settings { size: Some([8192, 4096]), scale: Some(2.0), ..Settings::default() };
        view.set(&huge).unwrap();
        let [width, height] = view.pixels();
        assert!(f64::from(width) * f64::from(height) < MAX_PIXELS * 1.01, "{width} × {height}");
        assert!((f64::from(width) / f64::from(height) - 2.0).abs() < 0.01, "the aspect ratio is kept");
    }
}
