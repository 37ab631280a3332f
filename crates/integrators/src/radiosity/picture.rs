//! Colours of pictures, and what the middle of an image shows.

use fearless_simd::{Level, dispatch};
use sunfleck_image::color::luminance;
use sunfleck_image::magma;
use sunfleck_kernel::Hit;
use sunfleck_math::{Vec2, Vec3, log2, vec2};
use sunfleck_sampling::rng;

use crate::view::{SampleId, View};

/// Binary logarithm of the value that is black.
const LEAST: f32 = -20.0;

/// Returns the colour of a patch or texel, which differs from those of its neighbours.
pub(super) fn color_of(index: u32) -> Vec3 {
    let [r, g, b, _] = rng::pcg4d([index, 0, 0, 0]);
    [r, g, b].map(|bits| 0.1 + 0.8 * (bits >> 8) as f32 / (1 << 24) as f32).into()
}

/// Returns colours of the magnitudes of values: pale yellow for those of `unit`, black for a millionth of it.
pub(super) fn magnitudes(values: impl Iterator<Item = Vec3>, unit: f32) -> Vec<Vec3> {
    let color = |value: Vec3| {
        let relative = luminance(value.abs()) / unit.max(f32::MIN_POSITIVE);
        magma(1.0 - log2(relative.max(f32::MIN_POSITIVE)) / LEAST)
    };
    values.map(color).collect()
}

/// Returns colours of fractions of the largest value, on a scale of square roots.
pub(super) fn fractions(values: &[f32]) -> Vec<Vec3> {
    let largest = values.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    values.iter().map(|value| magma((value.max(0.0) / largest).sqrt())).collect()
}

/// Returns what the ray through the middle of the image hits, and whether it is the front of the surface.
pub(super) fn middle(view: &View<'_>) -> Option<(Hit, bool)> {
    let size = vec2(view.spec.width as f32, view.spec.height as f32);
    let ray = view.camera.ray(size * 0.5, Vec2::splat(0.5));
    let seed = view.alpha_seed(SampleId { pixel: [0, 0], sample: 0 }, 0);
    let hit = dispatch!(Level::new(), simd => view.world.intersect(simd, &ray, seed))?;
    let is_front = hit.ng.dot(ray.direction) < 0.0;
    Some((hit, is_front))
}
