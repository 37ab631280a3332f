//! Pictures as users see them: noise that is left at few samples per pixel, without and with each denoiser, beside
//! Intel Open Image Denoise.
//!
//! Every image is compared with a path-traced reference of many samples, with another seed. All images use the box
//! filter, so that they differ from the reference by their noise and bias alone.

mod denoisers;
mod errors;
mod files;
mod reference;
mod renderings;
mod report;
mod summary;
mod view;

use std::path::PathBuf;

use fearless_simd::Level;
use sunfleck_engine::{DenoiseMethod, Denoiser, Device, Engine, EngineOptions, StageChoice};
use sunfleck_image::{Film, Picture, automatic_exposure};
use sunfleck_integrators::Schedule;
use sunfleck_scene::Scene;

use crate::BenchError;
use denoisers::{LoadedDenoisers, Restored};
use renderings::Rendering;
use view::PictureView;

pub use errors::PictureErrors;
pub use report::{PictureImage, PictureReport, PictureRow, PictureScene};

/// Settings of [`run`].
#[derive(Clone, Debug)]
pub struct PictureSettings {
    /// Width and height of the images, pixels.
    pub size: [u32; 2],
    /// Numbers of samples per pixel of the path-traced images.
    pub path_samples: Vec<u32>,
    /// Denoisers. The noisy image is always measured, too.
    pub denoise: Vec<DenoiseMethod>,
    /// Library of Open Image Denoise to compare with.
    pub oidn: Option<PathBuf>,
    /// Samples per pixel of the references.
    pub reference_samples: u32,
    /// Folder in which references are kept and looked for.
    pub references: Option<PathBuf>,
    /// Folder into which all images are written as PNG.
    pub save: Option<PathBuf>,
    /// Stage of the scenes.
    pub stage: StageChoice,
    /// Name or index of the camera; `None`: the first one.
    pub camera: Option<String>,
    /// Device that renders. Denoisers run on the CPU.
    pub device: Device,
    /// SIMD level of the integrators.
    pub level: Level,
}

/// Measures scenes that are given with their names. `progress` is told what is rendered.
///
/// # Errors
/// [`BenchError`] if a device or denoiser cannot be used, a scene cannot be rendered, or a file cannot be read or
/// written.
pub fn run(
    settings: &PictureSettings,
    scenes: impl IntoIterator<Item = (String, Scene)>,
    progress: &mut dyn FnMut(&str),
) -> Result<PictureReport, BenchError> {
    let denoisers = LoadedDenoisers::load(settings)?;
    let engine = Engine::new(EngineOptions {
        schedule: Schedule { level: settings.level, ..Schedule::default() },
        device: settings.device,
        changes: false,
        fall_back: settings.device.falls_back(),
        ..EngineOptions::default()
    })?;
    let mut measured = Vec::new();
    for (name, scene) in scenes {
        progress(&format!("{name}: building"));
        let view = PictureView::new(settings, &engine, name, scene)?;
        measured.push(measure_scene(settings, &view, &denoisers, progress)?);
    }
    Ok(PictureReport {
        size: settings.size,
        reference_samples: settings.reference_samples,
        gpu: engine.gpu().map(|name| name.to_string()),
        oidn: denoisers.oidn_version(),
        scenes: measured,
    })
}

fn measure_scene(
    settings: &PictureSettings,
    view: &PictureView,
    denoisers: &LoadedDenoisers,
    progress: &mut dyn FnMut(&str),
) -> Result<PictureScene, BenchError> {
    let reference = reference::of(settings, view, progress)?;
    let exposure_stops = automatic_exposure(&reference);
    let target = Target { settings, name: &view.name, reference, exposure_stops };
    target.save(&target.reference, &["reference"])?;
    let mut rows = Vec::new();
    for Rendering { name: integrator, algorithm, frames } in renderings::all(&settings.path_samples)? {
        progress(&format!("{}: {integrator} {frames}", view.name));
        // The first frame of an algorithm may take longer
        view.render(algorithm, 1, renderings::SEED, Denoiser::AOVS)?;
        let samples = frames * algorithm.samples_per_frame();
        let (film, result) = view.render(algorithm, samples, renderings::SEED, Denoiser::AOVS)?;
        let pixels = f64::from(film.width()) * f64::from(film.height());
        let mut row = PictureRow {
            integrator,
            frames,
            rays_per_pixel: result.rays.total() as f64 / pixels,
            render_ms: result.elapsed.as_secs_f64() * 1e3,
            rendered_by: result.by.name,
            images: Vec::new(),
        };
        row.images = target.images(&film, &row, denoisers)?;
        rows.push(row);
    }
    Ok(PictureScene { name: view.name.clone(), exposure_stops, rows })
}

/// What the images of a scene are compared with.
struct Target<'a> {
    settings: &'a PictureSettings,
    /// Name of the scene.
    name: &'a str,
    reference: Picture,
    /// Metered exposure of the reference.
    exposure_stops: f32,
}

impl Target<'_> {
    /// Measures the noisy image of a row, and what each denoiser makes of it.
    fn images(
        &self,
        film: &Film,
        row: &PictureRow,
        denoisers: &LoadedDenoisers,
    ) -> Result<Vec<PictureImage>, BenchError> {
        let noisy = Restored { denoiser: "off", prefiltered: None, picture: film.radiance(), secs: None };
        let mut images = Vec::new();
        for variants in [vec![noisy]].into_iter().chain(denoisers.denoise(film)?) {
            images.extend(self.best(variants, row)?);
        }
        Ok(images)
    }

    /// Measures the variant with the least FLIP, and writes it if requested.
    fn best(&self, variants: Vec<Restored>, row: &PictureRow) -> Result<Option<PictureImage>, BenchError> {
        let measure = |variant: Restored| Ok((self.errors(&variant.picture)?, variant));
        let variants = variants.into_iter().map(measure).collect::<Result<Vec<_>, BenchError>>()?;
        let best = variants.into_iter().min_by(|(a, _), (b, _)| a.flip.total_cmp(&b.flip));
        let Some((errors, Restored { denoiser, prefiltered, picture, secs })) = best else { return Ok(None) };
        self.save(&picture, &[row.integrator, &row.frames.to_string(), denoiser])?;
        Ok(Some(PictureImage { denoiser, prefiltered, denoise_ms: secs.map(|secs| secs * 1e3), errors }))
    }

    fn errors(&self, picture: &Picture) -> Result<PictureErrors, BenchError> {
        PictureErrors::measure(picture, &self.reference, self.exposure_stops)
    }

    fn save(&self, picture: &Picture, parts: &[&str]) -> Result<(), BenchError> {
        let Some(folder) = &self.settings.save else { return Ok(()) };
        let parts = [&[self.name], parts].concat();
        files::save_displayed(picture, self.exposure_stops, &folder.join(files::name(&parts, "png")))
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_image::{DisplayOptions, save_picture};
    use sunfleck_math::Vec3;

    use super::*;

    fn settings() -> PictureSettings {
        PictureSettings {
            size: [64, 64],
            path_samples: vec![4],
            denoise: vec![DenoiseMethod::Features],
            oidn: None,
            reference_samples: 256,
            references: None,
            save: None,
            stage: StageChoice::Automatic,
            camera: None,
            device: Device::Processor,
            level: Level::new(),
        }
    }

    fn measured(settings: &PictureSettings) -> Result<PictureReport, BenchError> {
        let scene = sunfleck_models::build("cornell").unwrap();
        run(settings, [("cornell".to_string(), scene)], &mut |_| {})
    }

    #[test]
    fn denoised_images_are_nearer_to_the_reference() {
        let folder = tempfile::tempdir().unwrap();
        let report = measured(&PictureSettings { save: Some(folder.path().into()), ..settings() }).unwrap();
        let rows = &report.scenes[0].rows;
        let labels: Vec<_> = rows.iter().map(PictureRow::label).collect();
        assert_eq!(labels, ["igi interactive 1", "igi wald03 1", "igi wald03 8", "igi final 8", "path 4"]);
        assert!(rows.iter().all(|row| row.rays_per_pixel > 1.0 && row.render_ms > 0.0), "{report}");
        let [noisy, denoised] = &rows[4].images[..] else { panic!("two images: {report}") };
        assert_eq!((noisy.denoiser, noisy.denoise_ms), ("off", None));
        assert!(denoised.denoise_ms.is_some_and(|ms| ms > 0.0), "{denoised:?}");
        assert!(denoised.errors.flip < noisy.errors.flip, "{report}");
        assert!(denoised.errors.relmse < 0.5 * noisy.errors.relmse, "{report}");
        let file = |name: &str| folder.path().join(name).exists();
        assert!(file("cornell-reference.png") && file("cornell-igi-final-8-off.png"), "images are written");
        assert!(file("cornell-path-4-features.png"), "denoised ones, too");
    }

    #[test]
    fn references_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let kept = PictureSettings {
            size: [16, 16],
            denoise: Vec::new(),
            reference_samples: 16,
            references: Some(folder.path().into()),
            ..settings()
        };
        let relmse = |report: PictureReport| report.scenes[0].rows[3].images[0].errors.relmse;
        let first = relmse(measured(&kept).unwrap());
        assert_eq!(relmse(measured(&kept).unwrap()), first, "the same reference");

        let file = folder.path().join("cornell-16x16-16.exr");
        let replace = |[width, height]: [u32; 2]| {
            let white = Picture::from_fn(width, height, |_, _| Vec3::splat(100.0)).unwrap();
            save_picture(&white, &file, &DisplayOptions::default()).unwrap();
        };
        replace([16, 16]);
        assert!((relmse(measured(&kept).unwrap()) - 1.0).abs() < 0.1, "the image is black beside it");
        replace([16, 8]);
        assert!(matches!(measured(&kept), Err(BenchError::Format { .. })), "a reference of another size");
        let other = PictureSettings { camera: Some("nobody".into()), ..kept };
        assert!(measured(&other).is_err_and(|error| error.to_string().contains("nobody")));
    }
}
