//! Images that are computed from the maps of MTL materials.

use std::sync::Arc;

use sunfleck_image::color::luminance;
use sunfleck_math::{Vec3, vec3};

use crate::images::{Image, Pixels};

/// Image of a scalar map, with its channel: 0 to 3 for r, g, b and alpha; `None` is the luminance.
pub(super) type ScalarMap = (Image, Option<usize>);

/// Returns the components of a texel; 1 is white.
fn texel(image: &Image, index: usize) -> [f32; 4] {
    match &image.pixels {
        Pixels::Bytes(texels) => texels[index].map(|v| f32::from(v) / 255.0),
        Pixels::Words(texels) => texels[index].map(|v| f32::from(v) / 65535.0),
        Pixels::Floats(texels) => texels[index],
    }
}

/// Returns the value of a scalar map at a texel.
fn value(image: &Image, channel: Option<usize>, index: usize) -> f32 {
    let components = texel(image, index);
    match channel {
        Some(channel) => components[channel],
        None => luminance(Vec3::from_slice(&components[..3])),
    }
}

/// Returns the index of the texel of `image` that is nearest to a texel of an image of another size.
fn nearest(image: &Image, (x, y): (usize, usize), (width, height): (u32, u32)) -> usize {
    let scaled = |at: usize, size: u32, own: u32| (at * 2 + 1) * own as usize / (size as usize * 2);
    scaled(y, height, image.height) * image.width as usize + scaled(x, width, image.width)
}

/// Returns the texels of an image in rows from the top.
fn all_texels((width, height): (u32, u32)) -> impl Iterator<Item = (usize, usize)> {
    (0..height as usize).flat_map(move |y| (0..width as usize).map(move |x| (x, y)))
}

/// Combines a roughness map, whose values `roughness` converts, and a metallic map as glTF does: in the green and blue
/// channels. Without a map, the channel is 1.
pub(super) fn metallic_roughness(
    rough: Option<&ScalarMap>,
    metal: Option<&ScalarMap>,
    roughness: impl Fn(f32) -> f32,
) -> Image {
    let size = |map: Option<&ScalarMap>| map.map_or((1, 1), |(image, _)| (image.width, image.height));
    let (rough_size, metal_size) = (size(rough), size(metal));
    let size = (rough_size.0.max(metal_size.0), rough_size.1.max(metal_size.1));
    let at = |map: Option<&ScalarMap>, position| {
        map.map(|(image, channel)| value(image, *channel, nearest(image, position, size)))
    };
    let texels = all_texels(size).map(|position| {
        let rough = at(rough, position).map_or(1.0, &roughness);
        [255, byte(rough), byte(at(metal, position).unwrap_or(1.0)), 255]
    });
    let pixels = Pixels::Bytes(Arc::new(texels.collect()));
    Image { width: size.0, height: size.1, pixels, notes: Vec::new() }
}

/// Returns whether an image holds normals in tangent space rather than heights: almost all texels are unit vectors that
/// point outwards, and bluish.
pub(super) fn is_normal_map(image: &Image) -> bool {
    let count = image.width as usize * image.height as usize;
    let normals = (0..count).filter(|&index| {
        let [r, g, b, _] = texel(image, index);
        let length = (vec3(r, g, b) * 2.0 - 1.0).length();
        (0.8..1.2).contains(&length) && b > 0.5 && (b - r).max(b - g) > 0.05
    });
    normals.count() * 10 > count * 9
}

/// Converts heights to a normal map in the convention of glTF. A difference of 1 between neighbouring texels is a slope
/// of 1.
///
/// * `clamp` — whether the image ends at its edges; otherwise it repeats.
pub(super) fn normals_of_heights(heights: &Image, channel: Option<usize>, clamp: bool) -> Image {
    let (width, height) = (heights.width as usize, heights.height as usize);
    let step = |at: usize, size: usize, forwards: bool| match (forwards, clamp) {
        (true, true) => (at + 1).min(size - 1),
        (true, false) => (at + 1) % size,
        (false, true) => at.saturating_sub(1),
        (false, false) => (at + size - 1) % size,
    };
    let value = |x: usize, y: usize| value(heights, channel, y * width + x);
    let texels = all_texels((heights.width, heights.height)).map(|(x, y)| {
        let along_x = value(step(x, width, true), y) - value(step(x, width, false), y);
        let down = value(x, step(y, height, true)) - value(x, step(y, height, false));
        let normal = vec3(-0.5 * along_x, 0.5 * down, 1.0).normalize_or(Vec3::Z);
        (normal * 0.5 + 0.5).extend(1.0).to_array()
    });
    // Eight bits would lose gentle slopes.
    let pixels = Pixels::Floats(Arc::new(texels.collect()));
    Image { width: heights.width, height: heights.height, pixels, notes: Vec::new() }
}

/// Combines each texel of `color` (white if `None`) with the value of the nearest texel of `mask` as its alpha.
///
/// The value is that of `channel`; without one it is the alpha of the mask if that is not 1 everywhere, otherwise the
/// red channel. The result is in floating point if `color` is, otherwise in 8 bits.
pub(super) fn masked(color: Option<&Image>, mask: &Image, channel: Option<usize>) -> Image {
    let count = mask.width as usize * mask.height as usize;
    let has_alpha = || (0..count).any(|index| texel(mask, index)[3] != 1.0);
    let channel = channel.unwrap_or_else(|| if has_alpha() { 3 } else { 0 });
    let Image { width, height, .. } = *color.unwrap_or(mask);
    let alphas = all_texels((width, height))
        .map(|position| value(mask, Some(channel), nearest(mask, position, (width, height))).clamp(0.0, 1.0));
    let pixels = match color.map(|color| (color, &color.pixels)) {
        Some((_, Pixels::Floats(texels))) => {
            let texels = texels.iter().zip(alphas).map(|(&[r, g, b, _], alpha)| [r, g, b, alpha]);
            Pixels::Floats(Arc::new(texels.collect()))
        }
        color => {
            let texel = |index| color.map_or([1.0; 4], |(color, _)| texel(color, index)).map(byte);
            let texels = alphas.enumerate().map(|(index, alpha)| {
                let [r, g, b, _] = texel(index);
                [r, g, b, byte(alpha)]
            });
            Pixels::Bytes(Arc::new(texels.collect()))
        }
    };
    Image { width, height, pixels, notes: Vec::new() }
}

/// Rounds a value to 8 bits.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0 … 255")]
fn byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(width: u32, height: u32, texels: Vec<[u8; 4]>) -> Image {
        Image { width, height, pixels: Pixels::Bytes(Arc::new(texels)), notes: Vec::new() }
    }

    #[test]
    fn masks_of_another_size_are_resampled() {
        let color = bytes(4, 1, (0..4).map(|i| [i, i, i, 255]).collect());
        let mask = bytes(2, 1, vec![[0, 9, 9, 255], [200, 9, 9, 255]]);
        let Pixels::Bytes(texels) = masked(Some(&color), &mask, None).pixels else { panic!() };
        assert_eq!(*texels, [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 2, 200], [3, 3, 3, 200]]);
        let Pixels::Bytes(texels) = masked(None, &mask, None).pixels else { panic!() };
        assert_eq!(*texels, [[255, 255, 255, 0], [255, 255, 255, 200]]);
    }

    #[test]
    fn floating_point_colours_and_masks() {
        let floats = |texels: Vec<[f32; 4]>| {
            let pixels = Pixels::Floats(Arc::new(texels));
            Image { width: 2, height: 1, pixels, notes: Vec::new() }
        };
        let color = floats(vec![[4.0, 0.5, 0.0, 1.0]; 2]);
        let mask = bytes(2, 1, vec![[51, 9, 9, 255], [255, 9, 9, 255]]);
        let Pixels::Floats(texels) = masked(Some(&color), &mask, None).pixels else { panic!() };
        assert_eq!(*texels, [[4.0, 0.5, 0.0, 0.2], [4.0, 0.5, 0.0, 1.0]]);
        let mask = floats(vec![[0.2, 0.0, 0.0, 1.0], [7.0, 0.0, 0.0, 1.0]]);
        let color = bytes(2, 1, vec![[1, 2, 3, 255]; 2]);
        let Pixels::Bytes(texels) = masked(Some(&color), &mask, None).pixels else { panic!() };
        assert_eq!(*texels, [[1, 2, 3, 51], [1, 2, 3, 255]]);
    }

    #[test]
    fn roughness_and_metallic_are_green_and_blue() {
        let rough = (bytes(2, 1, vec![[25, 0, 0, 255], [255, 0, 0, 255]]), Some(0));
        let metal = (bytes(1, 1, vec![[51; 4]]), None);
        let texels = |image: Image| match image.pixels {
            Pixels::Bytes(texels) => texels.to_vec(),
            _ => Vec::new(),
        };
        let both = metallic_roughness(Some(&rough), Some(&metal), |value| value);
        assert_eq!(texels(both), [[255, 25, 51, 255], [255, 255, 51, 255]]);
        let one = metallic_roughness(Some(&rough), None, |value| 1.0 - value);
        assert_eq!(texels(one), [[255, 230, 255, 255], [255, 0, 255, 255]]);
    }

    #[test]
    fn heights_become_slopes() {
        // Heights grow by 51/255 = 0.2 per texel to the right, by nothing downwards.
        let ramp = bytes(4, 2, (0..8u8).map(|i| [i % 4 * 51; 4]).collect());
        let Pixels::Floats(texels) = normals_of_heights(&ramp, None, true).pixels else { panic!() };
        let slope = |texel: [f32; 4]| {
            let normal = Vec3::from_slice(&texel[..3]) * 2.0 - 1.0;
            (-normal.x / normal.z, normal.y)
        };
        for texel in [texels[1], texels[2], texels[5]] {
            assert!((slope(texel).0 - 0.2).abs() < 1e-5 && slope(texel).1.abs() < 1e-6, "{texel:?}");
        }
        assert!((slope(texels[0]).0 - 0.1).abs() < 1e-5, "one-sided at the edge");
        let Pixels::Floats(texels) = normals_of_heights(&ramp, None, false).pixels else { panic!() };
        assert!((slope(texels[0]).0 + 0.2).abs() < 1e-5, "the neighbour to the left is the last texel");
        // Higher towards the top of the image: the normal points down.
        let top = bytes(1, 3, vec![[255; 4], [128; 4], [0; 4]]);
        let Pixels::Floats(texels) = normals_of_heights(&top, Some(2), true).pixels else { panic!() };
        assert!(texels[1][1] < 0.5);
    }

    #[test]
    fn normal_maps_are_told_from_heights() {
        assert!(is_normal_map(&bytes(2, 1, vec![[128, 128, 255, 255], [218, 128, 218, 255]])));
        for grey in [0, 128, 201, 255] {
            assert!(!is_normal_map(&bytes(1, 1, vec![[grey, grey, grey, 255]])), "{grey}");
        }
        assert!(!is_normal_map(&bytes(1, 1, vec![[200, 120, 40, 255]])), "a photograph");
    }
}
