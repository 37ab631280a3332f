//! Means of an image over areas of increasing size, so that the mean over any area takes few reads.

use sunfleck_math::{Vec2, Vec4};
use sunfleck_scene::Wrap;

use super::halve::halved;
use super::sampler::Grid;
use super::{ImageSampler, SrgbTable};

/// Mip map of a quantity that is computed from each texel of an image. Each level is half as large as the previous one,
/// down to a single texel. The texels of a level are of equal size even if the previous level has an odd number of
/// them.
#[derive(Clone, Debug)]
pub(crate) struct MeanPyramid {
    /// Size of the image in texels.
    size: Vec2,
    wrap: [Wrap; 2],
    /// Levels, beginning with that of half the size of the image.
    levels: Vec<Level>,
}

#[derive(Clone, Debug)]
struct Level {
    size: [u32; 2],
    /// Means, row by row.
    means: Vec<f32>,
}

impl MeanPyramid {
    /// Computes the means of a quantity.
    ///
    /// * `of` — the quantity of a texel, finite and not so large that sums overflow.
    pub(super) fn new(image: &ImageSampler, srgb: &SrgbTable, of: impl Fn(Vec4) -> f32 + Sync) -> Self {
        let mut level =
            Level::halved([image.width(), image.height()], |column, row| of(image.texel(srgb, column, row)));
        let mut levels = Vec::new();
        while level.size != [1, 1] {
            let next = Level::halved(level.size, |column, row| level.at(column, row));
            levels.push(std::mem::replace(&mut level, next));
        }
        levels.push(level);
        let size = Vec2::new(image.width() as f32, image.height() as f32);
        Self { size, wrap: image.wrap(), levels }
    }

    /// Returns the finest level on which a lookup covers everything within `reach` on all sides, in texture
    /// coordinates.
    pub(crate) fn level_of_reach(&self, reach: Vec2) -> usize {
        // Let w be the width of the level's texels in texels of the image. The bilinear lookup at q covers all of the
        // texel with centre c if |q - c| < w. The value of the image at a point p depends on texels of the image whose
        // centres are less than 1 from p; such a centre lies in a texel of the level with |c - centre| ≤ (w - 1) / 2.
        // Therefore w ≥ 1 + 2 |p - q| suffices.
        let needed = Vec2::ONE + 2.0 * reach * self.size;
        let is_wide_enough = |level: &Level| {
            let [width, height] = level.size;
            let texel = self.size / Vec2::new(width as f32, height as f32);
            (width == 1 || texel.x >= needed.x) && (height == 1 || texel.y >= needed.y)
        };
        self.levels.iter().position(is_wide_enough).unwrap_or(self.levels.len() - 1)
    }

    /// Returns the mean around `uv`, over approximately the reach for which `level_of_reach` returned the
    /// level.
    ///
    /// For a nonnegative quantity, the mean is positive if the filtered image is positive at any point within
    /// that reach.
    pub(crate) fn mean_around(&self, uv: Vec2, level: usize) -> f32 {
        let level = &self.levels[level];
        Grid { size: level.size, wrap: self.wrap }.bilinear(uv, |column, row| level.at(column, row))
    }
}

impl Level {
    fn halved(size: [u32; 2], value: impl Fn(u32, u32) -> f32 + Sync) -> Self {
        let (size, means) = halved(size, value);
        Self { size, means }
    }

    fn at(&self, column: u32, row: u32) -> f32 {
        self.means[row as usize * self.size[0] as usize + column as usize]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sunfleck_math::vec2;
    use sunfleck_scene::{Texels, Texture, TextureFilter};
    use sunfleck_testkit::{Random, Uniforms};

    use super::*;

    const WRAPS: [Wrap; 3] = [Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToEdge];

    fn image(size: [u32; 2], both: Wrap, filter: TextureFilter, texel: impl Fn(u32) -> f32) -> ImageSampler {
        let texels = (0..size[0] * size[1]).map(|i| [texel(i), 0.0, 0.0, 1.0]).collect();
        let texture = Texture::new("t", size[0], size[1], Texels::Float(Arc::new(texels))).unwrap();
        ImageSampler::new(&texture.with_sampling([both; 2], filter))
    }

    fn means(image: &ImageSampler) -> MeanPyramid {
        MeanPyramid::new(image, &SrgbTable::new(), |texel| texel.x)
    }

    #[test]
    fn every_level_has_the_same_mean() {
        for size in [[1, 1], [2, 2], [3, 5], [16, 8], [17, 1], [1, 6], [100, 37]] {
            let texel = |i: u32| (i * i % 101) as f32;
            let count = size[0] * size[1];
            let expected = (0..count).map(texel).sum::<f32>() / count as f32;
            let means = means(&image(size, Wrap::Repeat, TextureFilter::Linear, texel));
            for level in &means.levels {
                let found = level.means.iter().sum::<f32>() / level.means.len() as f32;
                assert!((found - expected).abs() < 1e-4 * expected.max(1.0), "{:?} of {size:?}", level.size);
            }
            assert_eq!(means.levels.last().map(|level| level.size), Some([1, 1]), "{size:?}");
            let all = means.mean_around(vec2(0.3, 0.8), means.level_of_reach(vec2(1.0, 1.0)));
            assert!((all - expected).abs() < 1e-4 * expected.max(1.0), "{size:?}: {all}");
        }
    }

    #[test]
    fn local_where_the_area_is_small() {
        let half = image([64, 64], Wrap::ClampToEdge, TextureFilter::Linear, |i| f32::from(i % 64 >= 32));
        let means = means(&half);
        let level = means.level_of_reach(vec2(0.05, 0.05));
        assert_eq!(
            (means.mean_around(vec2(0.2, 0.5), level), means.mean_around(vec2(0.8, 0.5), level)),
            (0.0, 1.0)
        );
    }

    #[test]
    fn no_bright_texel_within_reach_is_missed() {
        let mut random = Random::new(2);
        for round in 0..30_000u32 {
            let [a, b, c, d, e] = <[f32; 5]>::draw(&mut random);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 40")]
            let [width, height] = [a, b].map(|u| 1 + (u * u * 40.0) as u32);
            let bright = round % (width * height);
            let filter = [TextureFilter::Nearest, TextureFilter::Linear][round as usize % 2];
            let both = WRAPS[round as usize % 3];
            let image = image([width, height], both, filter, |i| f32::from(i == bright));
            let means = means(&image);

            // A point at the edge of the area that depends on the texel, and one as far outside as `reach` permits
            let rim = if filter == TextureFilter::Nearest { 0.49 } else { 0.9 };
            let outward = vec2(c - 0.5, d - 0.5).signum();
            let center = vec2((bright % width) as f32, (bright / width) as f32) + 0.5;
            let size = vec2(width as f32, height as f32);
            let reach = Vec2::draw(&mut random) * e * e;
            let (point, beyond) = ((center + outward * rim) / size, outward * reach * 0.999);
            let value = image.sample(&SrgbTable::new(), point).x;
            let mean = means.mean_around(point + beyond, means.level_of_reach(reach));
            assert!(
                value == 0.0 || mean > 0.0,
                "texel {bright} of {width} × {height}, {both:?}, {filter:?}, {point} + {beyond}"
            );
        }
    }
}
