//! Smaller and smaller versions of an image, for surfaces that are seen from far away [Williams83, pyramidal parametrics].

use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_math::{Vec3, Vec4};
use sunfleck_scene::Texels;

use super::halve::halved;
use super::{ImageSampler, SrgbTable};

/// Versions of an image, each half as wide and high as the one before, rounded up, down to a single texel: coded as the image,
/// one after the other. Of a single texel there are none.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// What they were made from, to know it again.
    pub(super) image: ImageSampler,
    pub(super) texels: Texels,
}

impl Levels {
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
            Texels::Float(_) => {
                let all = all_halves(image.size(), texel);
                Texels::Float(Arc::new(all.into_iter().map(Vec4::into).collect()))
            }
        };
        Self { image: image.clone(), texels }
    }

    /// Where a level begins, and its size; the last one stands for all beyond.
    ///
    /// * `size` — of the image, which is level 0. * `level` — from 1 on.
    #[inline(always)]
    pub(super) fn place(size: [u32; 2], level: u32) -> (usize, [u32; 2]) {
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

/// All texels of all levels.
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

/// Colours count as much as they are seen; where nothing is seen, hidden ones still do.
const OF_HIDDEN: f32 = 1.0 / 4096.0;

fn weighted(texel: Vec4) -> Vec4 {
    let weight = texel.w + OF_HIDDEN;
    (texel.truncate() * weight).extend(weight)
}

fn color_of(mean: Vec4) -> (Vec3, f32) {
    (mean.truncate() / mean.w, mean.w - OF_HIDDEN)
}

/// The nearest code of a linear value.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to bytes")]
pub(super) fn byte(value: f32) -> u8 {
    (value * 255.0 + 0.5).clamp(0.0, 255.0) as u8
}

#[cfg(test)]
mod tests {
    use sunfleck_scene::{Texture, TextureFilter, Wrap};

    use super::*;

    fn levels(size: [u32; 2], texels: Texels) -> Levels {
        let texture = Texture::new("t", size[0], size[1], texels).unwrap();
        let texture = texture.with_sampling([Wrap::Repeat; 2], TextureFilter::Linear);
        Levels::new(&ImageSampler::new(&texture), &SrgbTable::new())
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
                panic!("levels are coded as the image")
            };
            let mut end = 0;
            for level in 1..=7 {
                let (first, [width, height]) = Levels::place(size, level);
                if size == [1, 1] {
                    assert!(found.is_empty(), "of a single texel there are none");
                    continue;
                }
                end = first + (width * height) as usize;
                let of_level = mean(&found[first..end]);
                assert!((of_level - expected).abs().max_element() < 1e-3, "level {level} of {size:?}");
            }
            assert_eq!(end, found.len(), "the seventh is the last of {size:?}");
        }
    }

    #[test]
    fn colours_are_mixed_as_light() {
        let board = Arc::new(vec![[0, 0, 0, 255], [255, 255, 255, 255]]);
        let grey = levels([2, 1], Texels::Srgb8(board.clone())).texels;
        assert_eq!(grey, Texels::Srgb8(Arc::new(vec![[188, 188, 188, 255]])), "half the light is code 188");
        let data = levels([2, 1], Texels::Linear8(board)).texels;
        assert_eq!(data, Texels::Linear8(Arc::new(vec![[128, 128, 128, 255]])), "data are numbers");
    }

    #[test]
    fn what_cannot_be_seen_has_no_colour() {
        let leaf = Arc::new(vec![[0, 200, 0, 255], [255, 0, 255, 0]]);
        let Texels::Srgb8(mean) = levels([2, 1], Texels::Srgb8(leaf)).texels else { panic!("of its kind") };
        let [red, green, blue, alpha] = mean[0];
        assert!(red < 2 && blue < 2 && green >= 199, "{mean:?}");
        assert_eq!(alpha, 128);
        let hidden = Arc::new(vec![[10, 20, 30, 0]; 4]);
        let all = Texels::Srgb8(Arc::new(vec![[10, 20, 30, 0]]));
        assert_eq!(levels([2, 2], Texels::Srgb8(hidden)).texels, all);
    }
}
