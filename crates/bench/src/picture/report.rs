//! Measurements of all images as tables.

use std::fmt;

use serde::Serialize;

use super::{PictureErrors, summary};
use crate::table::{NO_VALUE, Table};

/// Result of the benchmark.
#[derive(Debug, Serialize)]
pub struct PictureReport {
    /// Width and height of the images, pixels.
    pub size: [u32; 2],
    /// Samples per pixel of the references.
    pub reference_samples: u32,
    /// Name of the GPU that renders, as reported by its driver; `None`: the CPU.
    pub gpu: Option<String>,
    /// Version of Open Image Denoise, if it is compared with.
    pub oidn: Option<String>,
    /// Measurements of each scene.
    pub scenes: Vec<PictureScene>,
}

/// Measurements of a scene.
#[derive(Debug, Serialize)]
pub struct PictureScene {
    /// Name of the scene.
    pub name: String,
    /// Metered exposure of the reference.
    pub exposure_stops: f32,
    /// One row for each integrator and number of samples.
    pub rows: Vec<PictureRow>,
}

/// Measurements of an integrator with a number of samples.
#[derive(Debug, Serialize)]
pub struct PictureRow {
    /// Integrator and preset.
    pub integrator: &'static str,
    /// Samples per pixel; frames of instant global illumination.
    pub frames: u32,
    /// Rays per pixel of all samples together.
    pub rays_per_pixel: f64,
    /// Wall time of rendering, features for denoising included, milliseconds.
    pub render_ms: f64,
    /// Device that rendered.
    pub rendered_by: &'static str,
    /// The noisy image, then those of the denoisers.
    pub images: Vec<PictureImage>,
}

/// Measurements of an image.
#[derive(Clone, Debug, Serialize)]
pub struct PictureImage {
    /// Name of the denoiser; `off` for the noisy image.
    pub denoiser: &'static str,
    /// For Open Image Denoise: whether albedo and normal were denoised first. The variant of less FLIP is reported.
    pub prefiltered: Option<bool>,
    /// Wall time of denoising on all CPU cores, milliseconds.
    pub denoise_ms: Option<f64>,
    /// Errors against the reference.
    pub errors: PictureErrors,
}

impl PictureRow {
    /// Returns the name of the row, such as `path 16`.
    pub fn label(&self) -> String {
        format!("{} {}", self.integrator, self.frames)
    }

    /// Returns the image of a denoiser.
    pub fn image(&self, denoiser: &str) -> Option<&PictureImage> {
        self.images.iter().find(|image| image.denoiser == denoiser)
    }
}

impl PictureScene {
    fn table(&self) -> Table {
        let headings = ["integrator", "denoiser", "rays/pixel", "render ms", "denoise ms"];
        let errors = ["FLIP", "FLIP metered", "relMSE"];
        let mut table = Table::new(headings.into_iter().chain(errors)).indented();
        for row in &self.rows {
            for (index, image) in row.images.iter().enumerate() {
                // Once for each row
                let once = |text: String| if index == 0 { text } else { String::new() };
                let PictureErrors { flip, flip_metered, relmse } = image.errors;
                table.row([
                    once(row.label()),
                    format!("{}{}", image.denoiser, variant(image)),
                    once(format!("{:.1}", row.rays_per_pixel)),
                    once(format!("{:.1}", row.render_ms)),
                    image.denoise_ms.map_or(NO_VALUE.to_owned(), |ms| format!("{ms:.1}")),
                    format!("{flip:.4}"),
                    format!("{flip_metered:.4}"),
                    format!("{relmse:.5}"),
                ]);
            }
        }
        table
    }
}

fn variant(image: &PictureImage) -> &'static str {
    match image.prefiltered {
        Some(true) => ", prefiltered",
        Some(false) => ", not prefiltered",
        None => "",
    }
}

impl fmt::Display for PictureReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size: [width, height], reference_samples, gpu, oidn, scenes } = self;
        let device = gpu.as_deref().unwrap_or("the CPU");
        writeln!(
            f,
            "{width} × {height} pixels on {device}; references of {reference_samples} samples per pixel"
        )?;
        for scene in scenes {
            writeln!(f, "\n{}: metered exposure {:+.2} stops", scene.name, scene.exposure_stops)?;
            write!(f, "{}", scene.table())?;
            for row in scene.rows.iter().filter(|row| gpu.is_some() && row.rendered_by == "CPU") {
                writeln!(f, "  {} was rendered by the CPU", row.label())?;
            }
        }
        if let Some(version) = oidn {
            writeln!(
                f,
                "\nFLIP over that of Open Image Denoise {version}: geometric mean over scenes, and worst scene"
            )?;
            write!(f, "{}", summary::beside_oidn(scenes))?;
        }
        let worse = summary::worse_than_noisy(scenes);
        if !worse.is_empty() {
            writeln!(f, "\nWorse than the noisy image:")?;
            worse.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        }
        Ok(())
    }
}
