//! AOVs as images for display, with linear colours in [0, 1].

use sunfleck_math::Vec3;

use crate::srgb::linear_from_srgb8_table;
use crate::{Aov, Film, Picture, reflection_levels};

impl Film {
    /// Returns an AOV as an image for display, with linear colours in [0, 1]; `None` if it is not recorded.
    ///
    /// Near surfaces are bright; positions are relative to their bounding box; normals are `(n + 1) / 2`; instances
    /// have the exact colours of [`instance_color`]; variance is relative to its mean; levels of reflection
    /// have the colours of [`reflection_levels`]; features are shown by their albedo.
    pub fn display_image(&self, aov: Aov) -> Option<Picture> {
        picture(self, aov)
    }
}

fn picture(film: &Film, aov: Aov) -> Option<Picture> {
    let grey = |values: Vec<f32>| {
        Picture::new(film.width(), film.height(), values.into_iter().map(Vec3::splat).collect()).ok()
    };
    let normal = |picture: Picture| picture.map(|n| if n == Vec3::ZERO { n } else { n * 0.5 + 0.5 });
    match aov {
        Aov::Depth => grey(nearness(&film.depth()?)),
        Aov::Position => film.position().map(relative_to_bounds),
        Aov::NormalGeometric => film.normal_geometric().map(normal),
        Aov::NormalShading => film.normal_shading().map(normal),
        Aov::Albedo => film.albedo(),
        Aov::Diffuse => film.diffuse(),
        Aov::Alpha => grey(film.alpha()?),
        Aov::Clamped => film.clamped(),
        Aov::Ids => {
            let linear = linear_from_srgb8_table();
            let color = |&[inst_id, ..]: &[u32; 4]| {
                Vec3::from_array(instance_color(inst_id).map(|code| linear[usize::from(code)]))
            };
            Picture::new(film.width(), film.height(), film.ids()?.iter().map(color).collect()).ok()
        }
        Aov::AmbientOcclusion => grey(film.ambient_occlusion()?),
        Aov::Variance => Some(relative_to_mean(&film.variance())),
        Aov::Reflections => {
            let colors = film.reflections()?.into_iter().map(reflection_levels);
            Picture::new(film.width(), film.height(), colors.collect()).ok()
        }
        Aov::Features => {
            let albedo = film.features()?.into_iter().map(|features| features.albedo);
            Picture::new(film.width(), film.height(), albedo.collect()).ok()
        }
    }
}

/// Maps depths to 1 for the nearest surface, decreasing with distance, and 0 for the background.
fn nearness(depth: &[f32]) -> Vec<f32> {
    let hits = || depth.iter().copied().filter(|d| d.is_finite());
    let near = hits().fold(f32::INFINITY, f32::min);
    let far = hits().fold(0.0, f32::max);
    // The farthest surface differs from the background
    let span = (far - near).max(f32::MIN_POSITIVE) * 1.1;
    depth.iter().map(|d| if d.is_finite() { 1.0 - (d - near) / span } else { 0.0 }).collect()
}

/// Maps positions to coordinates in [0, 1]³ of their bounding box.
fn relative_to_bounds(positions: Picture) -> Picture {
    let low = positions.pixels().iter().fold(Vec3::INFINITY, |low, p| low.min(*p));
    let high = positions.pixels().iter().fold(Vec3::NEG_INFINITY, |high, p| high.max(*p));
    let size = (high - low).max(Vec3::splat(f32::MIN_POSITIVE));
    positions.map(|p| (p - low) / size)
}

/// Returns the sRGB colour of an instance in pictures of ids: black for none (`u32::MAX`), else a different one for
/// each of the first 2²⁴ − 1 instances. Those of the first 63 differ by at least 64 in a channel, those of 511 by 32.
pub fn instance_color(inst_id: u32) -> [u8; 3] {
    // Three bits of the number in turn are the highest, second, … bits of the channels
    let mut color = [0; 3];
    for bit in 0..24u8 {
        let set = inst_id.wrapping_add(1) >> bit & 1 == 1;
        color[usize::from(bit % 3)] |= u8::from(set) << (7 - bit / 3);
    }
    color
}

/// Divides by twice the mean of the finite values, and clamps to 1.
fn relative_to_mean(variance: &Picture) -> Picture {
    let finite = || variance.pixels().iter().filter(|v| v.is_finite());
    let mean =
        finite().map(|v| f64::from(v.element_sum())).sum::<f64>() / (3 * finite().count()).max(1) as f64;
    #[allow(clippy::cast_possible_truncation, reason = "a scale for display")]
    let scale = 0.5 / (mean as f32).max(f32::MIN_POSITIVE);
    variance.map(|v| (v * scale).min(Vec3::ONE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_is_bright_and_the_background_is_black() {
        let brightness = nearness(&[2.0, 4.0, f32::INFINITY, 3.0]);
        assert_eq!((brightness[0], brightness[2]), (1.0, 0.0));
        assert!(
            brightness[1] > 0.0 && brightness[1] < brightness[3] && brightness[3] < brightness[0],
            "{brightness:?}"
        );
    }

    #[test]
    fn an_empty_image_is_black() {
        assert_eq!(nearness(&[f32::INFINITY; 2]), [0.0, 0.0]);
    }

    #[test]
    fn every_instance_has_its_own_colour() {
        let mut used = vec![false; 1 << 24];
        for inst_id in (0..(1u32 << 24) - 1).chain([u32::MAX]) {
            let [red, green, blue] = instance_color(inst_id);
            let code = u32::from_be_bytes([0, red, green, blue]) as usize;
            assert!(!std::mem::replace(&mut used[code], true), "{inst_id}");
        }
        assert_eq!(instance_color(u32::MAX), [0; 3]);
        let apart = |a: [u8; 3], b: [u8; 3]| a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b))).max();
        for a in 0..511 {
            for b in 0..a {
                let expected = if a < 63 { 64 } else { 32 };
                assert!(apart(instance_color(a), instance_color(b)) >= Some(expected), "{a} and {b}");
            }
        }
    }

    #[test]
    fn colours_of_ids_are_exact_in_files() {
        let film_colors = Picture::from_fn(64, 64, |x, y| {
            let linear = linear_from_srgb8_table();
            Vec3::from_array(instance_color(64 * y + x).map(|code| linear[usize::from(code)]))
        });
        let options = crate::DisplayOptions { tone_curve: crate::ToneCurve::Linear, ..Default::default() };
        let png = crate::encode_png(&film_colors.unwrap(), &options).unwrap();
        let crate::Decoded::Rgba8 { texels, .. } = crate::decode(&png, "").unwrap() else { panic!("8 bits") };
        for (inst_id, texel) in (0..).zip(&texels) {
            assert_eq!(texel[..3], instance_color(inst_id), "{inst_id}, also with dither");
        }
    }
}
