//! Mip levels of an image, for surfaces whose footprint covers many texels [Williams83, pyramidal parametrics].

use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_math::{Vec3, Vec4};
use sunfleck_scene::Texels;

use super::halve::halved;
use super::{ImageSampler, SrgbTable};

/// Levels 1, 2, … of an image, each half as wide and high as the previous one, rounded up, down to a single texel. They
/// are encoded like the image, and concatenated. An image of a single texel has none.
#[derive(Clone, Debug)]
pub(crate) struct MipLevels {
    /// Source image, by which another table finds and reuses the levels.
    pub(super) image: ImageSampler,
    pub(super) texels: Texels,
}

impl MipLevels {
    pub(super) fn new(image: &ImageSampler, srgb: &SrgbTable) -> Self {
        let texel = |column, row| image.texel(srgb, column, row);
        let texels = match image.texels {
            Texels::Srgb8(_) => {
                let all = all_halves(image.size(), |column, row| weighted(texel(column, row)));
                Texels::Srgb8(Arc::new(all.into_par_iter().map(|mean| srgb.codes(color_of(mean))).collect()))
            }
            Texels::Linear8(_) => {
                let all = all_halves(image.size(), texel);
                Texels::Linear8(Arc::new(all.into_par_iter().map(|mean| mean.to_array().map(byte)).collect()))
            }
            Texels::Linear16(_) => {
                let all = all_halves(image.size(), texel);
                Texels::Linear16(Arc::new(
                    all.into_par_iter().map(|mean| mean.to_array().map(word)).collect(),
                ))
            }
            Texels::Float(_) => {
                let all = all_halves(image.size(), texel);
                Texels::Float(Arc::new(all.into_iter().map(Vec4::into).collect()))
            }
        };
        Self { image: image.clone(), texels }
    }

    /// Returns the offset of a level among the texels, and its size. Levels beyond the last one are clamped to it.
    ///
    /// * `size` — size of the image, which is level 0. * `level` — at least 1.
    #[inline(always)]
    pub(super) fn locate(size: [u32; 2], level: u32) -> (usize, [u32; 2]) {
        let (mut first, mut size) = (0, size.map(half));
        for _ in 1..level {
            if size == [1, 1] {
                break;
            }
            first += size[0] as usize * size[1] as usize;
            size = size.map(half);
        }
        (first, size)
    }
}

#[inline(always)]
fn half(edge: u32) -> u32 {
    edge / 2 + edge % 2
}

/// Returns the texels of all levels.
fn all_halves(size: [u32; 2], texel: impl Fn(u32, u32) -> Vec4 + Sync) -> Vec<Vec4> {
    if size == [1, 1] {
        return Vec::new();
    }
    let (mut size, mut level) = halved(size, texel);
    let mut all = level.clone();
    while size != [1, 1] {
        let width = size[0] as usize;
        (size, level) = halved(size, |column, row| level[row as usize * width + column as usize]);
        all.extend_from_slice(&level);
    }
    all
}

/// Constant that is added to alpha to weight colours, so that colours are also averaged where all texels are
/// transparent.
const TRANSPARENT_WEIGHT: f32 = 1.0 / 4096.0;

fn weighted(texel: Vec4) -> Vec4 {
    let weight = texel.w + TRANSPARENT_WEIGHT;
    (texel.truncate() * weight).extend(weight)
}

fn color_of(mean: Vec4) -> (Vec3, f32) {
    (mean.truncate() / mean.w, mean.w - TRANSPARENT_WEIGHT)
}

/// Returns the nearest 8-bit code of a linear value.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to bytes")]
pub(super) fn byte(value: f32) -> u8 {
    (value * 255.0 + 0.5).clamp(0.0, 255.0) as u8
}

/// Returns the nearest 16-bit code of a linear value.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 16 bits")]
fn word(value: f32) -> u16 {
    (value * 65535.0 + 0.5).clamp(0.0, 65535.0) as u16
}

#[cfg(test)]
mod tests {
    use sunfleck_scene::{Texture, TextureFilter, Wrap};

    use super::*;

    fn levels(size: [u32; 2], texels: Texels) -> MipLevels {
        let texture = Texture::new("t", size[0], size[1], texels).unwrap();
        let texture = texture.with_sampling([Wrap::Repeat; 2], TextureFilter::Linear);
        MipLevels::new(&ImageSampler::new(&texture), &SrgbTable::new())
    }

    #[test]
    fn every_level_has_the_mean_of_the_image() {
        for size in [[1, 1], [2, 2], [3, 5], [16, 8], [17, 1], [1, 6], [100, 37]] {
            let texel = |i: u32| [(i * i % 101) as f32, 1.0, (i % 7) as f32, 0.5];
            let values: Vec<_> = (0..size[0] * size[1]).map(texel).collect();
            let mean = |values: &[[f32; 4]]| {
                values.iter().map(|&v| Vec4::from(v)).sum::<Vec4>() / values.len() as f32
            };
            let expected = mean(&values);
            let Texels::Float(found) = levels(size, Texels::Float(Arc::new(values))).texels else {
                panic!("levels are encoded like the image")
            };
            let mut end = 0;
            for level in 1..=7 {
                let (first, [width, height]) = MipLevels::locate(size, level);
                if size == [1, 1] {
                    assert!(found.is_empty(), "an image of a single texel has no levels");
                    continue;
                }
                end = first + (width * height) as usize;
                let level_mean = mean(&found[first..end]);
                assert!((level_mean - expected).abs().max_element() < 1e-3, "level {level} of {size:?}");
            }
            assert_eq!(end, found.len(), "level 7 is the last one of {size:?}");
        }
    }

    #[test]
    fn srgb_colours_are_averaged_linearly() {
        let board = Arc::new(vec![[0, 0, 0, 255], [255, 255, 255, 255]]);
        let grey = levels([2, 1], Texels::Srgb8(board.clone())).texels;
        assert_eq!(
            grey,
            Texels::Srgb8(Arc::new(vec![[188, 188, 188, 255]])),
            "half of the linear value is code 188"
        );
        let data = levels([2, 1], Texels::Linear8(board)).texels;
        assert_eq!(
            data,
            Texels::Linear8(Arc::new(vec![[128, 128, 128, 255]])),
            "data are averaged as numbers"
        );
        let fine = Texels::Linear16(Arc::new(vec![[0, 7, 65535, 100], [2, 7, 65535, 200]]));
        let mean = Texels::Linear16(Arc::new(vec![[1, 7, 65535, 150]]));
        assert_eq!(levels([2, 1], fine).texels, mean, "in steps of 16 bits");
    }

    #[test]
    fn transparent_texels_do_not_contribute_their_colour() {
        let leaf = Arc::new(vec![[0, 200, 0, 255], [255, 0, 255, 0]]);
        let Texels::Srgb8(mean) = levels([2, 1], Texels::Srgb8(leaf)).texels else {
            panic!("encoded like the image")
        };
        let [red, green, blue, alpha] = mean[0];
        assert!(red < 2 && blue < 2 && green >= 199, "{mean:?}");
        assert_eq!(alpha, 128);
        let hidden = Arc::new(vec![[10, 20, 30, 0]; 4]);
        let all = Texels::Srgb8(Arc::new(vec![[10, 20, 30, 0]]));
        assert_eq!(levels([2, 2], Texels::Srgb8(hidden)).texels, all);
    }
}
