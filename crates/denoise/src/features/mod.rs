//! A denoiser without weights: an edge-avoiding filter that is guided by features and variance.
//!
//! It is the spatial part of SVGF [Schied17, §4]: radiance is divided by albedo, and filtered five times by a kernel of
//! 5×5 taps without the corners, whose distance doubles from one time to the next [Dammertz10, §3]. The weight of a tap
//! falls with the difference of normals, of depths relative to the slope of the surface, and of luminances relative to
//! the standard deviation, which is filtered along. So the filter does less the less noise there is.
//!
//! In contrast to the paper, the variance is that of the renderer where it is known and estimated from neighbours only
//! elsewhere; nothing is reused from earlier images; the weight of normals falls with their distance, so that the
//! background, which has none, is filtered too; surfaces with a black albedo, which may be emitters, keep their
//! radiance and are not mixed with others; and `e⁻ˣ` is replaced by `(1 - x/8)⁸`, which reaches 0.
//!
//! **Bias.** Radiance outside the range that its neighbours make plausible is reduced, which loses energy:
//! highlights of a single pixel get darker, until the variance that the renderer knows has become so small that it
//! vouches for them. Details of the irradiance that features do not show, such as shadows and caustics, are blurred as
//! far as the noise covers them.

mod atrous;
mod fireflies;
mod input;
#[cfg(test)]
mod tests;
mod variance;

use fearless_simd::Level;
use rayon::prelude::*;
use sunfleck_constants::feature_filter::PASSES;
use sunfleck_math::Vec3;

use crate::NoisyImage;
use crate::planes::{BORDER, Planes};

/// Planes of what is filtered: the irradiance (radiance over albedo), its luminance, and the variance of that.
type Light = Planes<5>;
/// Planes that guide the filter: the normal (shifted where the albedo is black), the depth, and the reciprocal of the
/// least difference of depths that counts between neighbouring pixels.
type Guide = Planes<5>;

/// Denoises an image, guided by all features that it has. Returns one finite value per pixel.
///
/// The result has the same bits on every CPU, whatever the number of threads. Never panics.
pub fn denoise(image: &NoisyImage) -> Vec<Vec3> {
    denoise_at(Level::new(), image)
}

/// [`denoise`] with the instructions of a SIMD level.
fn denoise_at(level: Level, image: &NoisyImage) -> Vec<Vec3> {
    let (guide, noisy) = (input::guide(level, image), input::light(level, image));
    let mut light = fireflies::limit(level, &noisy);
    // The planes of the input are overwritten
    let mut other = noisy;
    variance::estimate(level, &guide, &light, &mut other);
    for pass in 0..PASSES {
        std::mem::swap(&mut light, &mut other);
        atrous::filter(level, &guide, &light, 1 << pass, &mut other);
    }
    radiance(image, &other)
}

/// Multiplies the irradiance with the albedo.
fn radiance(image: &NoisyImage, light: &Light) -> Vec<Vec3> {
    let width = light.width();
    let mut out = vec![Vec3::ZERO; width * light.height()];
    out.par_chunks_exact_mut(width).enumerate().for_each(|(y, out)| {
        let [r, g, b, ..] = light.row(y);
        for (x, out) in out.iter_mut().enumerate() {
            let at = BORDER + x;
            let divisor =
                image.albedo().get(y * width + x).map_or(Vec3::ONE, |&albedo| input::divisor(albedo));
            *out = Vec3::new(r[at], g[at], b[at]) * divisor;
        }
    });
    out
}
