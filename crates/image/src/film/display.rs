//! AOVs as images for display, with linear colours in [0, 1].

use sunfleck_math::{Vec3, vec3};

use crate::{Aov, Film, Picture, reflection_levels};

impl Film {
    /// Returns an AOV as an image for display, with linear colours in [0, 1]; `None` if it is not recorded.
    ///
    /// Near surfaces are bright; positions are relative to their bounding box; normals are `(n + 1) / 2`; ids of
    /// instances and materials have distinguishable colours; variance is relative to its mean; levels of reflection
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
            let colors = film.ids()?.iter().map(|&[inst_id, _, _, material]| id_color(inst_id, material));
            Picture::new(film.width(), film.height(), colors.collect()).ok()
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

/// Returns a colour from the bits of a hash; black for the background.
fn id_color(inst_id: u32, material: u32) -> Vec3 {
    if inst_id == u32::MAX {
        return Vec3::ZERO;
    }
    // Finalizer of MurmurHash3: every bit of the input changes half of the bits of the output
    let mut h = inst_id.wrapping_mul(0x9e37_79b9) ^ material.rotate_left(16);
    h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    h ^= h >> 16;
    let byte = |shift: u32| (h >> shift & 0xff) as f32 / 255.0;
    vec3(byte(0), byte(8), byte(16)) * 0.8 + 0.1
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
    fn neighbouring_ids_have_different_colours() {
        let colors: Vec<_> = (0..4).flat_map(|i| (0..4).map(move |m| id_color(i, m))).collect();
        for (i, a) in colors.iter().enumerate() {
            assert!(colors[..i].iter().all(|b| (*a - *b).length() > 0.05), "{i}: {a}");
        }
        assert_eq!(id_color(u32::MAX, u32::MAX), Vec3::ZERO);
    }
}
