use std::mem::discriminant;
use std::ops::{Add, Mul, Sub};

use sunfleck_math::{Vec2, Vec4};
use sunfleck_scene::{Texels, Texture, TextureFilter, Wrap};

use super::packed::share_words;
use super::{MipLevels, SrgbTable};

/// An image with its wrapping and filtering; the texels are shared with the scene.
#[derive(Clone, Debug)]
pub(crate) struct ImageSampler {
    width: u32,
    height: u32,
    pub(super) texels: Texels,
    wrap: [Wrap; 2],
    filter: TextureFilter,
}

impl ImageSampler {
    pub(crate) fn new(texture: &Texture) -> Self {
        Self {
            width: texture.width(),
            height: texture.height(),
            texels: texture.texels().clone(),
            wrap: texture.wrap(),
            filter: texture.filter(),
        }
    }

    /// Returns the image with another wrapping.
    pub(crate) fn with_wrap(self, wrap: [Wrap; 2]) -> Self {
        Self { wrap, ..self }
    }

    pub(crate) fn width(&self) -> u32 {
        self.width
    }

    pub(crate) fn height(&self) -> u32 {
        self.height
    }

    pub(super) fn size(&self) -> [u32; 2] {
        [self.width, self.height]
    }

    /// Returns whether both have the same texels, and therefore the same mip levels.
    pub(super) fn has_same_texels(&self, other: &Self) -> bool {
        let same_encoding = discriminant(&self.texels) == discriminant(&other.texels);
        same_encoding && share_words(&self.texels, &other.texels) && self.size() == other.size()
    }

    pub(super) fn wrap(&self) -> [Wrap; 2] {
        self.wrap
    }

    pub(crate) fn filter(&self) -> TextureFilter {
        self.filter
    }

    /// Returns the linear value at `uv`; (0, 0) is the upper left corner of the image. A `uv` that is not finite counts
    /// as 0.
    #[inline(always)]
    pub(crate) fn sample(&self, srgb: &SrgbTable, uv: Vec2) -> Vec4 {
        let grid = Grid { size: [self.width, self.height], wrap: self.wrap };
        match self.filter {
            TextureFilter::Nearest => {
                let [column, row] = grid.nearest(uv);
                self.texel(srgb, column, row)
            }
            TextureFilter::Linear => grid.bilinear(
                uv,
                #[inline(always)]
                |column, row| self.texel(srgb, column, row),
            ),
        }
    }

    /// Returns the linear value at `uv`, filtered over a footprint of about `width` texels: the bilinear lookup in the
    /// mip level whose texels are nearest to that width.
    ///
    /// Footprints are smaller than a pixel, so that interpolation between two levels would look the same and take twice
    /// as long. Images with the filter [`TextureFilter::Nearest`] are not filtered.
    #[inline(always)]
    pub(super) fn mean(&self, levels: &MipLevels, srgb: &SrgbTable, uv: Vec2, width: f32) -> Vec4 {
        match level_of_width(width) {
            0 => self.sample(srgb, uv),
            _ if self.filter == TextureFilter::Nearest || self.size() == [1, 1] => self.sample(srgb, uv),
            level => self.level(levels, srgb, uv, level),
        }
    }

    fn level(&self, levels: &MipLevels, srgb: &SrgbTable, uv: Vec2, level: u32) -> Vec4 {
        let (first, size) = MipLevels::locate(self.size(), level);
        Grid { size, wrap: self.wrap }.bilinear(
            uv,
            #[inline(always)]
            |column, row| {
                linear(&levels.texels, srgb, first + row as usize * size[0] as usize + column as usize)
            },
        )
    }

    /// Returns the linear value of a texel, whose column and row are inside the image.
    #[inline(always)]
    pub(crate) fn texel(&self, srgb: &SrgbTable, column: u32, row: u32) -> Vec4 {
        linear(&self.texels, srgb, row as usize * self.width as usize + column as usize)
    }
}

/// Returns the mip level whose texels are nearest to `width` texels of the image.
#[inline(always)]
fn level_of_width(width: f32) -> u32 {
    // A level is used for widths from 3/4 · 2^level to 3/2 · 2^level; the limit is wider than any image
    const MAX_WIDTH: f32 = 4_294_967_296.0;
    let scaled = width * (4.0 / 3.0);
    if scaled >= 2.0 { (scaled.min(MAX_WIDTH).to_bits() >> 23) - 127 } else { 0 }
}

#[inline(always)]
fn linear(texels: &Texels, srgb: &SrgbTable, index: usize) -> Vec4 {
    match texels {
        Texels::Srgb8(texels) => {
            let [r, g, b, a] = texels[index];
            Vec4::new(srgb.linear(r), srgb.linear(g), srgb.linear(b), f32::from(a) / 255.0)
        }
        Texels::Linear8(texels) => {
            let [r, g, b, a] = texels[index];
            Vec4::new(f32::from(r), f32::from(g), f32::from(b), f32::from(a)) / 255.0
        }
        Texels::Linear16(texels) => {
            let [r, g, b, a] = texels[index];
            Vec4::new(f32::from(r), f32::from(g), f32::from(b), f32::from(a)) / 65535.0
        }
        Texels::Float(texels) => Vec4::from_array(texels[index]),
    }
}

/// Grid of texels, with the wrapping that applies outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub(super) size: [u32; 2],
    pub(super) wrap: [Wrap; 2],
}

impl Grid {
    /// Returns column and row of the texel at `uv`.
    #[inline(always)]
    fn nearest(self, uv: Vec2) -> [u32; 2] {
        let [x, y] = self.texel_position(uv);
        self.wrapped_texel(x.floor(), y.floor())
    }

    /// Returns the bilinear interpolation of the four texels around `uv`.
    #[inline(always)]
    pub(super) fn bilinear<T>(self, uv: Vec2, texel: impl Fn(u32, u32) -> T) -> T
    where
        T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f32, Output = T>,
    {
        // Texel centres lie at halves
        let [x, y] = self.texel_position(uv);
        let (x, y) = (x - 0.5, y - 0.5);
        let (left, top) = (x.floor(), y.floor());
        let (right_share, bottom_share) = (x - left, y - top);
        let [first_column, first_row] = self.wrapped_texel(left, top);
        let [second_column, second_row] = self.wrapped_texel(left + 1.0, top + 1.0);
        let upper = lerp(texel(first_column, first_row), texel(second_column, first_row), right_share);
        let lower = lerp(texel(first_column, second_row), texel(second_column, second_row), right_share);
        lerp(upper, lower, bottom_share)
    }

    /// Returns the position of `uv` in texels, at most two periods from the corner of the image. Components that are
    /// not finite count as 0.
    #[inline(always)]
    fn texel_position(self, uv: Vec2) -> [f32; 2] {
        let [width, height] = self.size;
        [first_period(uv.x, self.wrap[0]) * width as f32, first_period(uv.y, self.wrap[1]) * height as f32]
    }

    /// Returns column and row, inside the image, of a texel that may be outside.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "at most one texel outside two periods of the image")]
    fn wrapped_texel(self, column: f32, row: f32) -> [u32; 2] {
        [wrapped(column as i32, self.size[0], self.wrap[0]), wrapped(row as i32, self.size[1], self.wrap[1])]
    }
}

/// Returns a coordinate shifted by whole periods to [0, 1], or to [0, 2] if mirrored, where f32 resolves texels.
#[inline(always)]
fn first_period(x: f32, wrap: Wrap) -> f32 {
    let x = if x.is_finite() { x } else { 0.0 };
    match wrap {
        Wrap::Repeat => x - x.floor(),
        Wrap::MirroredRepeat => x - 2.0 * (x * 0.5).floor(),
        Wrap::ClampToEdge => x.clamp(0.0, 1.0),
    }
}

/// Wraps column `i` of an image of width `size`; `i` is at most 1 outside the first period.
#[inline(always)]
#[allow(clippy::cast_sign_loss, reason = "all three arms are in [0, size)")]
fn wrapped(i: i32, size: u32, wrap: Wrap) -> u32 {
    let size = size as i32;
    let into = |period: i32| {
        if i < 0 {
            i + period
        } else if i >= period {
            i - period
        } else {
            i
        }
    };
    let inside = match wrap {
        Wrap::Repeat => into(size),
        Wrap::MirroredRepeat => {
            let i = into(2 * size);
            i.min(2 * size - 1 - i)
        }
        Wrap::ClampToEdge => i.clamp(0, size - 1),
    };
    inside as u32
}

#[inline(always)]
fn lerp<T>(a: T, b: T, t: f32) -> T
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f32, Output = T>,
{
    a + (b - a) * t
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sunfleck_math::vec2;

    use super::*;

    /// Returns an image of 4 × 2 texels whose red is 0, 1, 2, 3 in the upper and 10, 11, 12, 13 in the lower row.
    fn image(both: Wrap, filter: TextureFilter) -> ImageSampler {
        let texel = |i: u8| [f32::from(i % 4 + i / 4 * 10), 0.0, 0.0, 1.0];
        let texels = Texels::Float(Arc::new((0..8).map(texel).collect()));
        ImageSampler::new(&Texture::new("numbers", 4, 2, texels).unwrap().with_sampling([both; 2], filter))
    }

    fn red(image: &ImageSampler, u: f32, v: f32) -> f32 {
        image.sample(&SrgbTable::new(), vec2(u, v)).x
    }

    #[test]
    fn centres_give_texels_and_the_origin_is_the_upper_left() {
        for filter in [TextureFilter::Nearest, TextureFilter::Linear] {
            for wrap in [Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToEdge] {
                let image = image(wrap, filter);
                for (column, row) in [(0u8, 0u8), (3, 0), (1, 1), (3, 1)] {
                    let (u, v) = ((f32::from(column) + 0.5) / 4.0, (f32::from(row) + 0.5) / 2.0);
                    assert_eq!(red(&image, u, v), f32::from(column + 10 * row), "{wrap:?} {filter:?}");
                }
            }
        }
    }

    #[test]
    fn bilinear_between_centres() {
        let image = image(Wrap::ClampToEdge, TextureFilter::Linear);
        assert_eq!(red(&image, 0.25, 0.25), 0.5, "halfway between columns 0 and 1");
        assert_eq!(red(&image, 0.125, 0.5), 5.0, "halfway between the rows");
        assert_eq!(red(&image, 0.3125, 0.375), 0.75 + 2.5);
    }

    #[test]
    fn wraps_outside() {
        let nearest = |wrap| image(wrap, TextureFilter::Nearest);
        let row = 0.25;
        assert_eq!(red(&nearest(Wrap::Repeat), 1.1, row), 0.0);
        assert_eq!(red(&nearest(Wrap::Repeat), -0.1, row), 3.0);
        assert_eq!(red(&nearest(Wrap::MirroredRepeat), 1.1, row), 3.0);
        assert_eq!(red(&nearest(Wrap::MirroredRepeat), -0.1, row), 0.0);
        assert_eq!(red(&nearest(Wrap::MirroredRepeat), 2.1, row), 0.0);
        assert_eq!(red(&nearest(Wrap::ClampToEdge), 1.1, row), 3.0);
        assert_eq!(red(&nearest(Wrap::ClampToEdge), -7.0, row), 0.0);
        // The upper left corner is the mean of the four texels that meet there
        assert_eq!(
            red(&image(Wrap::Repeat, TextureFilter::Linear), 0.0, 0.0),
            (0.0 + 3.0 + 10.0 + 13.0) / 4.0
        );
        assert_eq!(red(&image(Wrap::MirroredRepeat, TextureFilter::Linear), 0.0, 0.0), 0.0);
        assert_eq!(red(&image(Wrap::Repeat, TextureFilter::Linear), 1000.125, row), 0.0, "far away");
    }

    /// The image has levels of 4 × 2, 2 × 1 and 1 texels.
    #[test]
    fn wide_footprints_are_filtered() {
        let srgb = SrgbTable::new();
        let image = image(Wrap::ClampToEdge, TextureFilter::Linear);
        let levels = MipLevels::new(&image, &srgb);
        let mean = |u: f32, width: f32| image.mean(&levels, &srgb, vec2(u, 0.5), width).x;
        // Left and right half of the image, and all of it
        let [left, right, all] = [5.5, 7.5, 6.5];
        for width in [f32::NAN, -1.0, 0.0, 1.0, 1.49] {
            assert_eq!(mean(0.3, width), red(&image, 0.3, 0.5), "{width}, not wider than a texel");
        }
        for width in [1.51, 2.0, 2.99] {
            assert_eq!((mean(0.25, width), mean(0.75, width)), (left, right), "{width}, two texels");
            assert_eq!(mean(0.5, width), all, "{width}, between them");
        }
        for width in [3.01, 4.0, 5.0, 1e9, f32::MAX, f32::INFINITY] {
            assert_eq!(mean(0.75, width), all, "{width}");
        }
    }

    #[test]
    fn nearest_filter_uses_no_mip_levels() {
        let srgb = SrgbTable::new();
        let image = image(Wrap::Repeat, TextureFilter::Nearest);
        let levels = MipLevels::new(&image, &srgb);
        assert_eq!(image.mean(&levels, &srgb, vec2(0.9, 0.1), 3.0).x, 3.0);
    }

    #[test]
    fn no_coordinate_panics() {
        for both in [Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToEdge] {
            for filter in [TextureFilter::Nearest, TextureFilter::Linear] {
                let image = image(both, filter);
                for x in [f32::NAN, f32::INFINITY, f32::MAX, f32::MIN, -1e-30, 1.0, 2.0, 0.99999994] {
                    assert!(red(&image, x, x).is_finite(), "{both:?} {filter:?} {x}");
                }
            }
        }
    }

    #[test]
    fn encodings() {
        let srgb = SrgbTable::new();
        let codes = Arc::new(vec![[0, 51, 255, 255], [255, 51, 255, 0]]);
        let middle = |texels| {
            let texture = Texture::new("codes", 2, 1, texels).unwrap();
            ImageSampler::new(&texture).sample(&srgb, vec2(0.5, 0.5))
        };
        let linear = middle(Texels::Linear8(codes.clone()));
        assert!((linear - Vec4::new(0.5, 0.2, 1.0, 0.5)).abs().max_element() < 1e-6);
        let encoded = middle(Texels::Srgb8(codes));
        assert!((encoded - Vec4::new(0.5, 0.033_104_77, 1.0, 0.5)).abs().max_element() < 1e-6, "0.2 decoded");
        let fine = middle(Texels::Linear16(Arc::new(vec![[0, 1, 65535, 13107], [2, 1, 65535, 13107]])));
        assert_eq!(fine, Vec4::new(1.0 / 65535.0, 1.0 / 65535.0, 1.0, 0.2), "all 16 bits count");
    }
}
