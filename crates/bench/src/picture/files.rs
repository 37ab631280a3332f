//! Names of files, and images to look at.

use std::path::Path;

use sunfleck_image::{DisplayOptions, Picture, ToneCurve, save_picture};

use crate::BenchError;

/// Returns a file name of several parts. Characters that a file name should not have, such as slashes, become hyphens.
pub(super) fn name(parts: &[&str], extension: &str) -> String {
    let joined = parts.join("-");
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = joined.chars().map(|c| if allowed(c) { c } else { '-' }).collect();
    format!("{name}.{extension}")
}

/// Writes an image as it is displayed at an exposure, without a tone curve. Errors: it cannot be written.
pub(super) fn save_displayed(picture: &Picture, exposure_stops: f32, file: &Path) -> Result<(), BenchError> {
    let options =
        DisplayOptions { exposure_stops, tone_curve: ToneCurve::Linear, ..DisplayOptions::default() };
    Ok(save_picture(picture, file, &options)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_slashes_and_spaces() {
        assert_eq!(name(&["models/a.glb", "igi final", "8"], "png"), "models-a.glb-igi-final-8.png");
        assert_eq!(name(&["sunflowers:flowers=9"], "exr"), "sunflowers-flowers-9.exr");
    }
}
