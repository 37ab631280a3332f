//! Images that are computed from those of textures: alpha of masks, roughness of microfacets.

use std::sync::Arc;

use sunfleck_image::color::luminance;
use sunfleck_image::srgb::{linear_from_srgb, linear_from_srgb8_table};
use sunfleck_math::{DVec3, Vec3, vec3};

use crate::images::{Encoding, Image, Pixels};

/// Image and the encoding in which a texture reads it.
pub(crate) type Encoded<'a> = (&'a Image, Encoding);

/// Largest image that is computed of smaller ones, texels, unless one of them is larger.
const MAX_TEXELS: u64 = 1 << 24;

/// Calls a function with the linear colour of each texel.
fn for_each_color((image, encoding): Encoded<'_>, mut use_color: impl FnMut(Vec3)) {
    let is_color = encoding == Encoding::Color;
    match &image.pixels {
        Pixels::Bytes(texels) => {
            let table = linear_from_srgb8_table();
            let decode = |byte: u8| if is_color { table[usize::from(byte)] } else { f32::from(byte) / 255.0 };
            texels.iter().for_each(|&[r, g, b, _]| use_color(vec3(decode(r), decode(g), decode(b))));
        }
        Pixels::Words(texels) => {
            let decode = |word: u16| {
                let value = f32::from(word) / 65535.0;
                if is_color { linear_from_srgb(value) } else { value }
            };
            texels.iter().for_each(|&[r, g, b, _]| use_color(vec3(decode(r), decode(g), decode(b))));
        }
        Pixels::Floats(texels) => texels.iter().for_each(|&[r, g, b, _]| use_color(vec3(r, g, b))),
    }
}

/// Returns the linear luminance of each texel.
pub(crate) fn luminances(image: Encoded<'_>) -> Vec<f32> {
    let mut luminances = Vec::new();
    for_each_color(image, |color| luminances.push(luminance(color)));
    luminances
}

/// Returns the mean of the linear colours.
pub(crate) fn mean(image: Encoded<'_>) -> Vec3 {
    let (mut sum, mut count) = (DVec3::ZERO, 0.0);
    for_each_color(image, |color| {
        sum += color.as_dvec3();
        count += 1.0;
    });
    if count > 0.0 { (sum / count).as_vec3() } else { Vec3::ONE }
}

/// Returns the size of an image that is computed of others: large enough for all of them, unless that would be many
/// times larger than each, as of an image of one row and one of one column. Then it is the size of the largest.
fn common_size(sizes: impl Iterator<Item = (u32, u32)> + Clone) -> (u32, u32) {
    let texels = |(width, height): (u32, u32)| u64::from(width) * u64::from(height);
    let all = (sizes.clone().map(|s| s.0).max().unwrap_or(1), sizes.clone().map(|s| s.1).max().unwrap_or(1));
    let largest = sizes.max_by_key(|&size| texels(size)).unwrap_or(all);
    if texels(all) > MAX_TEXELS.max(texels(largest)) { largest } else { all }
}

/// Returns for each texel of an image of a size the index of the nearest one of `image`.
fn nearest(image: &Image, (width, height): (u32, u32)) -> impl Iterator<Item = usize> {
    let scaled = |at: u32, size: u32, own: u32| (at as usize * 2 + 1) * own as usize / (size as usize * 2);
    let (own_width, own_height) = (image.width, image.height);
    (0..height).flat_map(move |y| {
        let row = scaled(y, height, own_height) * own_width as usize;
        (0..width).map(move |x| row + scaled(x, width, own_width))
    })
}

/// Combines the luminances of several images, of which smaller ones are enlarged. The result is linear.
///
/// * `plain` — luminances without an image.
pub(crate) fn combined<const N: usize>(
    images: [Option<Encoded<'_>>; N],
    plain: [f32; N],
    texel: impl Fn([f32; N]) -> [f32; 4],
) -> Image {
    let (width, height) = common_size(images.iter().flatten().map(|(image, _)| (image.width, image.height)));
    let values = images.map(|image| {
        image.map(|encoded| {
            let luminances = luminances(encoded);
            nearest(encoded.0, (width, height)).map(|index| luminances[index]).collect::<Vec<f32>>()
        })
    });
    let texels = (0..width as usize * height as usize).map(|i| {
        texel(std::array::from_fn(|channel| values[channel].as_ref().map_or(plain[channel], |v| v[i])))
    });
    // Eight bits would be few for roots of small values
    let texels = texels.map(|texel| texel.map(|value| word(value.clamp(0.0, 1.0))));
    Image { width, height, pixels: Pixels::Words(Arc::new(texels.collect())), notes: Vec::new() }
}

/// Returns `color`, or white, with the luminance of `mask` as its alpha. The result has the encoding of `color`, and 16
/// bits or floating point.
pub(crate) fn masked(color: Option<Encoded<'_>>, mask: Encoded<'_>) -> Image {
    let Image { width, height, .. } = *color.map_or(mask.0, |(image, _)| image);
    let luminances = luminances(mask);
    let alphas = nearest(mask.0, (width, height)).map(|index| luminances[index].clamp(0.0, 1.0));
    let byte = |alpha: f32| {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
        let byte = (alpha * 255.0 + 0.5) as u8;
        byte
    };
    let pixels = match color.map(|(image, _)| &image.pixels) {
        None => Pixels::Bytes(Arc::new(alphas.map(|alpha| [255, 255, 255, byte(alpha)]).collect())),
        Some(Pixels::Bytes(texels)) => {
            let texels = texels.iter().zip(alphas).map(|(&[r, g, b, _], alpha)| [r, g, b, byte(alpha)]);
            Pixels::Bytes(Arc::new(texels.collect()))
        }
        Some(Pixels::Words(texels)) => {
            let texels = texels.iter().zip(alphas).map(|(&[r, g, b, _], alpha)| [r, g, b, word(alpha)]);
            Pixels::Words(Arc::new(texels.collect()))
        }
        Some(Pixels::Floats(texels)) => {
            let texels = texels.iter().zip(alphas).map(|(&[r, g, b, _], alpha)| [r, g, b, alpha]);
            Pixels::Floats(Arc::new(texels.collect()))
        }
    };
    Image { width, height, pixels, notes: Vec::new() }
}

/// Rounds a value in [0, 1] to 16 bits.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 65535")]
fn word(value: f32) -> u16 {
    (value * 65535.0 + 0.5) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(width: u32, height: u32, texels: Vec<[u8; 4]>) -> Image {
        Image { width, height, pixels: Pixels::Bytes(Arc::new(texels)), notes: Vec::new() }
    }

    #[test]
    fn masks_are_linear_luminances() {
        let mask = bytes(2, 1, vec![[0, 0, 0, 255], [188, 188, 188, 255]]);
        let color = bytes(2, 2, (0..4).map(|i| [i, i, i, 255]).collect());
        let Pixels::Bytes(texels) = masked(Some((&color, Encoding::Color)), (&mask, Encoding::Color)).pixels
        else {
            panic!("bytes")
        };
        // 188 is half of the light in sRGB
        assert_eq!(*texels, [[0, 0, 0, 0], [1, 1, 1, 128], [2, 2, 2, 0], [3, 3, 3, 128]]);
        let Pixels::Bytes(texels) = masked(None, (&mask, Encoding::Linear)).pixels else { panic!("bytes") };
        assert_eq!(*texels, [[255, 255, 255, 0], [255, 255, 255, 188]]);
    }

    #[test]
    fn two_images_are_combined_at_the_larger_size() {
        let small = bytes(1, 1, vec![[51, 51, 51, 255]]);
        let large = bytes(2, 1, vec![[0, 0, 0, 255], [255, 255, 255, 255]]);
        let linear = |image| Some((image, Encoding::Linear));
        let image = combined([linear(&small), linear(&large)], [1.0; 2], |[a, b]| [1.0, a, b, 1.0]);
        let Pixels::Words(texels) = image.pixels else { panic!("words") };
        assert_eq!(*texels, [[65535, 13107, 0, 65535], [65535, 13107, 65535, 65535]]);
        let Pixels::Words(texels) =
            combined([None, linear(&large)], [0.2, 1.0], |[a, b]| [a, b, 0.0, 1.0]).pixels
        else {
            panic!("words")
        };
        assert_eq!(texels[0], [13107, 0, 0, 65535]);
    }

    /// A row and a column, each of 65,536 texels, would become an image of 2³².
    #[test]
    fn a_row_and_a_column_do_not_become_a_huge_image() {
        let size = |sizes: &[(u32, u32)]| common_size(sizes.iter().copied());
        assert_eq!(size(&[(65_536, 1), (1, 65_536), (1, 1)]), (1, 65_536));
        assert_eq!(size(&[(256, 1), (1, 256)]), (256, 256));
        assert_eq!(size(&[(8192, 8192), (16, 4096)]), (8192, 8192));
        assert_eq!(size(&[]), (1, 1));
    }

    #[test]
    fn the_mean_is_that_of_the_light() {
        let image = bytes(2, 1, vec![[0, 0, 0, 255], [255, 51, 0, 255]]);
        assert!(mean((&image, Encoding::Linear)).abs_diff_eq(vec3(0.5, 0.1, 0.0), 1e-6));
        // 51 is 0.0331 in sRGB [IEC61966-2-1]
        assert!(mean((&image, Encoding::Color)).abs_diff_eq(vec3(0.5, 0.5 * 0.033_105, 0.0), 1e-6));
    }
}
