//! Summary over scenes: denoisers beside Open Image Denoise, and images that denoising made worse.

use sunfleck_math::{exp, log};

use super::{PictureErrors, PictureImage, PictureRow, PictureScene};
use crate::table::{NO_VALUE, Table};

/// A kind of error.
type ErrorOf = fn(&PictureErrors) -> f64;

/// Ratios of an error of a denoiser to that of Open Image Denoise, with the names of the scenes.
struct Ratios<'a>(Vec<(f32, &'a str)>);

impl<'a> Ratios<'a> {
    /// Collects the ratios of all rows for which `is_wanted` returns true.
    fn of(
        scenes: &'a [PictureScene],
        is_wanted: impl Fn(&PictureRow) -> bool,
        denoiser: &str,
        error: ErrorOf,
    ) -> Self {
        let rows = scenes.iter().flat_map(|scene| scene.rows.iter().map(|row| (scene.name.as_str(), row)));
        let ratio = |(scene, row): (&'a str, &PictureRow)| {
            let [ours, theirs] = [row.image(denoiser)?, row.image("oidn")?].map(|image| error(&image.errors));
            #[expect(clippy::cast_possible_truncation, reason = "shown with two digits")]
            let ratio = (ours / theirs) as f32;
            (ratio.is_finite() && ratio > 0.0).then_some((ratio, scene))
        };
        Self(rows.filter(|(_, row)| is_wanted(row)).filter_map(ratio).collect())
    }

    /// Returns the geometric mean, the largest ratio and the scene of the latter, as cells.
    fn cells(&self) -> [String; 2] {
        let Some(&(worst, scene)) = self.0.iter().max_by(|a, b| a.0.total_cmp(&b.0)) else {
            return [NO_VALUE, NO_VALUE].map(String::from);
        };
        let mean = exp(self.0.iter().map(|&(ratio, _)| log(ratio)).sum::<f32>() / self.0.len() as f32);
        [format!("{mean:.2}"), format!("{worst:.2} {scene}")]
    }
}

/// Returns a table of the errors of each denoiser over those of Open Image Denoise: a row for each integrator and
/// number of samples, and one for all.
pub(super) fn beside_oidn(scenes: &[PictureScene]) -> Table {
    let mut table =
        Table::new(["integrator", "denoiser", "FLIP", "worst", "FLIP metered", "worst"]).indented();
    let Some(first) = scenes.first() else { return table };
    let labels = first.rows.iter().map(|row| Some(row.label())).chain([None]);
    let denoisers: Vec<_> = first.rows.first().map_or(&[][..], |row| &row.images).iter().collect();
    for label in labels {
        let is_wanted = |row: &PictureRow| label.as_ref().is_none_or(|label| *label == row.label());
        for image in denoisers.iter().filter(|image| !matches!(image.denoiser, "off" | "oidn")) {
            let cells = |error| Ratios::of(scenes, is_wanted, image.denoiser, error).cells();
            let [flip, worst] = cells(|errors| errors.flip);
            let [metered, worst_metered] = cells(|errors| errors.flip_metered);
            let label = label.clone().unwrap_or("all".to_string());
            table.row([label, image.denoiser.to_string(), flip, worst, metered, worst_metered]);
        }
    }
    table
}

/// Returns a line for each denoised image whose FLIP at exposure 0 or relative mean squared error is larger than that
/// of the noisy image, with the difference in percent.
pub(super) fn worse_than_noisy(scenes: &[PictureScene]) -> Vec<String> {
    const ERRORS: [(&str, ErrorOf); 2] = [("FLIP", |errors| errors.flip), ("relMSE", |errors| errors.relmse)];
    let mut lines = Vec::new();
    for (scene, row) in scenes.iter().flat_map(|scene| scene.rows.iter().map(move |row| (scene, row))) {
        let Some((noisy, denoised)) = row.images.split_first() else { continue };
        for image in denoised {
            let compared = |&(name, error): &(&str, ErrorOf)| worse(name, error, image, noisy);
            let errors: Vec<String> = ERRORS.iter().filter_map(compared).collect();
            if !errors.is_empty() {
                let errors = errors.join(", ");
                lines.push(format!("{}, {}, {}: {errors}", scene.name, row.label(), image.denoiser));
            }
        }
    }
    lines
}

fn worse(name: &str, error: ErrorOf, image: &PictureImage, noisy: &PictureImage) -> Option<String> {
    let [error, of_noisy] = [image, noisy].map(|image| error(&image.errors));
    // NaN is worse than every number
    let is_better = error <= of_noisy;
    (!is_better).then(|| format!("{name} {error:.5} ({:+.1} %)", 100.0 * (error / of_noisy - 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(name: &str, flips: [f64; 3]) -> PictureScene {
        let image = |(denoiser, flip): (&'static str, f64)| PictureImage {
            denoiser,
            prefiltered: None,
            denoise_ms: None,
            errors: PictureErrors { flip, flip_metered: 2.0 * flip, relmse: 0.5 },
        };
        let row = PictureRow {
            integrator: "path",
            frames: 4,
            rays_per_pixel: 9.0,
            render_ms: 1.0,
            rendered_by: "CPU",
            images: ["off", "features", "oidn"].into_iter().zip(flips).map(image).collect(),
        };
        PictureScene { name: name.into(), exposure_stops: 0.0, rows: vec![row] }
    }

    #[test]
    fn ratios_are_averaged_geometrically() {
        // Twice and eight times as large as those of Open Image Denoise
        let scenes = [scene("a", [0.5, 0.2, 0.1]), scene("b", [0.9, 0.4, 0.05])];
        let table = beside_oidn(&scenes).to_string();
        let cells = |line: usize| table.lines().nth(line).unwrap().split_whitespace().collect::<Vec<_>>();
        assert_eq!(cells(1), ["path", "4", "features", "4.00", "8.00", "b", "4.00", "8.00", "b"]);
        assert_eq!(cells(2)[0], "all");
    }

    #[test]
    fn worse_images_are_named() {
        let scenes = [scene("a", [0.1, 0.05, 0.2]), scene("b", [0.1, f64::NAN, 0.1])];
        let expected = ["a, path 4, oidn: FLIP 0.20000 (+100.0 %)", "b, path 4, features: FLIP NaN (NaN %)"];
        assert_eq!(worse_than_noisy(&scenes), expected);
    }
}
