use sunfleck_denoise::NoisyImage;
use sunfleck_math::Vec3;
use sunfleck_shaders::layout::NoisyPixel;

/// Which channels of an image are known, of those for which that makes a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownChannels {
    pub(crate) albedo: bool,
    pub(crate) depth: bool,
}

impl KnownChannels {
    /// Returns those of an image.
    pub(super) fn of(image: &NoisyImage<'_>) -> Self {
        Self { albedo: !image.albedo().is_empty(), depth: !image.depth().is_empty() }
    }
}

/// Returns the pixels of an image. Unknown channels get the values by which they count as unknown.
pub(super) fn noisy_pixels(image: &NoisyImage<'_>) -> Vec<NoisyPixel> {
    let known =
        |values: &[Vec3], i: usize, unknown: Vec3| values.get(i).copied().unwrap_or(unknown).to_array();
    let pixel = |(i, radiance): (usize, &Vec3)| NoisyPixel {
        radiance: radiance.to_array(),
        variance: image.variance().get(i).copied().unwrap_or(0.0),
        albedo: known(image.albedo(), i, Vec3::ONE),
        depth: image.depth().get(i).copied().unwrap_or(0.0),
        normal: known(image.normal(), i, Vec3::ZERO),
        unused0: 0,
    };
    image.radiance().iter().enumerate().map(pixel).collect()
}
