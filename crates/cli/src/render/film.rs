//! Memory of the film.

use sunfleck_engine::DenoiseMethod;
use sunfleck_integrators::Algorithm;

use super::aovs;
use super::args::RenderArgs;
use super::background::Background;
use super::image_size::ImageSize;
use super::output::Outputs;

/// Returns an upper bound of the bytes that the images of a rendering need at the same time: the film with its AOVs,
/// and what is made of it.
///
/// * `outputs`, `background` — what to write, and what is behind it.
pub(super) fn bytes_needed(
    args: &RenderArgs,
    algorithm: &Algorithm,
    outputs: &Outputs,
    background: &Background,
    size: &ImageSize,
) -> u64 {
    let denoise = outputs.denoise_method_used();
    // Features for denoising are one more
    let aovs = args.view.requested_aovs().union(aovs::implied(args, algorithm)).iter().count() as u64
        + u64::from(denoise.is_some());
    let [width, height] = size.rendered(algorithm);
    let behind = background.bytes(u64::from(width) * u64::from(height));
    let has_checkpoints = args.checkpoint.file().is_some();
    bytes(width, height, aovs, denoise, has_checkpoints).saturating_add(behind)
}

/// Upper bound of the bytes that the film, denoising, checkpoints, and the encoding of output files need at the same
/// time.
fn bytes(width: u32, height: u32, aovs: u64, denoise: Option<DenoiseMethod>, has_checkpoints: bool) -> u64 {
    // Per pixel: 96 bytes of sums and up to 56 bytes per AOV in the film, up to seven floats each while a file is
    // encoded, three floats for the image of the canvas
    const RADIANCE: u64 = 96 + 12 + 12;
    const AOV: u64 = 56 + 28;
    let denoising = denoise.map_or(0, DenoiseMethod::bytes_per_pixel);
    // A copy of the film, and its encoding
    let checkpoint = if has_checkpoints { 2 * (96 + 56 * aovs) } else { 0 };
    let pixel = RADIANCE + AOV * aovs + denoising + checkpoint;
    (u64::from(width) * u64::from(height)).saturating_mul(pixel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_do_not_overflow() {
        assert_eq!(bytes(1000, 1000, 0, None, false), 120_000_000);
        assert_eq!(bytes(u32::MAX, u32::MAX, 8, Some(DenoiseMethod::Auto), false), u64::MAX);
    }

    #[test]
    fn a_checkpoint_is_two_more_films() {
        let more = |aovs| bytes(1000, 1000, aovs, None, true) - bytes(1000, 1000, aovs, None, false);
        assert_eq!((more(0), more(2)), (192_000_000, 416_000_000));
    }
}
