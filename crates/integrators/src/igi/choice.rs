//! Which lights get VPLs [Wald03, §14; Wald03b]: a coarse path-traced picture tells how much of its light comes from each. That each
//! pixel is noise does not matter, only the sums over the picture do.

use fearless_simd::Simd;
use rayon::prelude::*;
use sunfleck_math::{Vec2, Vec3, vec2};
use sunfleck_sampling::distribution::AliasTable;

use super::Igi;
use crate::dimension::Vertex;
use crate::direct::{Technique, consistent};
use crate::view::{SampleId, View};

/// Small pictures have about so many paths …
const PATHS: f32 = 2048.0;
/// … and larger ones one for each square of so many pixels.
const CELL: f32 = 12.0;
/// Surfaces of a path.
const LENGTH: u32 = 4;
/// Paths go on with this probability at most.
const MOST_SURVIVAL: f32 = 0.8;
/// Random decisions of paths are those of pixels that no film has.
const NOWHERE: u32 = 0x8000_0000;

/// A distribution over lights.
#[derive(Debug)]
pub(super) struct Choice {
    /// `None` if nothing shines.
    table: Option<AliasTable>,
}

impl Choice {
    /// For what is seen in frame number `pass`.
    pub(super) fn new<S: Simd>(simd: S, view: &View<'_>, igi: &Igi, pass: u32, film: Vec2) -> Self {
        let mut weights: Vec<f32> = view.world.lights.power_shares().collect();
        if igi.importance > 0.0 && weights.len() > 1 {
            let found = contributions(simd, view, pass, film);
            // In the order of pixels, so that the sums are the same on any number of threads
            let mut sums = vec![(0.0f64, 0u32); weights.len()];
            for &(light, luminance) in found.iter().flatten() {
                sums[light].0 += f64::from(luminance);
                sums[light].1 += 1;
            }
            if sums.iter().any(|(sum, _)| *sum > 0.0) {
                for (weight, share) in weights.iter_mut().zip(view.world.lights.found_shares(&sums)) {
                    *weight = (1.0 - igi.importance) * *weight + igi.importance * share;
                }
            }
        }
        Self { table: AliasTable::new(&weights).ok() }
    }

    /// A light, and the probability of its choice; `None` if nothing shines.
    pub(super) fn light(&self, u: f32) -> Option<(usize, f32)> {
        let (light, probability, _) = self.table.as_ref()?.sample(u);
        Some((light, probability))
    }
}

/// What lights bring to each row of cells: index and luminance.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers of cells")]
fn contributions<S: Simd>(simd: S, view: &View<'_>, pass: u32, film: Vec2) -> Vec<Vec<(usize, f32)>> {
    let cell = (film.x * film.y / PATHS).sqrt().min(CELL);
    let [columns, rows] = [film.x, film.y].map(|size| (size / cell).ceil().max(1.0) as u32);
    let row = |y: u32| {
        let mut found = Vec::new();
        simd.vectorize(
            #[inline(always)]
            || {
                for x in 0..columns {
                    let id = SampleId { pixel: [NOWHERE + x, y], sample: pass };
                    path(simd, view, id, vec2(x as f32, y as f32), cell, &mut found);
                }
            },
        );
        found
    };
    (0..rows).into_par_iter().map(row).collect()
}

/// What lights bring to one path.
#[inline(always)]
fn path<S: Simd>(
    simd: S,
    view: &View<'_>,
    id: SampleId,
    corner: Vec2,
    cell: f32,
    found: &mut Vec<(usize, f32)>,
) {
    let world = view.world;
    let SampleId { pixel, sample } = id;
    let offset = view.sampler.get_2d(pixel, sample, crate::dimension::FILM);
    let mut ray = view.camera.ray((corner + offset) * cell, Vec2::splat(0.5));
    let mut throughput = Vec3::ONE;
    for bounce in 0..LENGTH {
        let Some(hit) = world.intersect(simd, &ray, view.alpha_seed(id, 2 * bounce)) else { return };
        let surface = world.surface(&hit, -ray.direction);
        let bsdf = world.materials.bsdf(surface.material, &surface.attributes);
        let wo = surface.frame.local_from_world(-ray.direction);
        let vertex = Vertex::new(bounce);
        if !bsdf.is_delta() {
            let light_u = view.sampler.get_1d(pixel, sample, vertex.light());
            let point_u = view.sampler.get_2d(pixel, sample, vertex.light_point());
            let direct = world.sample_direct(&surface, &bsdf, wo, light_u, point_u, Technique::Alone);
            if let Some(direct) = direct
                && !world.occluded(simd, &direct.shadow_ray, view.alpha_seed(id, 2 * bounce + 1))
            {
                let luminance = (throughput * direct.radiance).dot(Vec3::new(0.2126, 0.7152, 0.0722));
                if luminance.is_finite() {
                    found.push((direct.light, luminance));
                }
            }
        }
        let lobe_u = view.sampler.get_1d(pixel, sample, vertex.lobe());
        let u = view.sampler.get_2d(pixel, sample, vertex.direction());
        let Some(scattered) = bsdf.sample(wo, lobe_u, u) else { return };
        let direction = surface.frame.world_from_local(scattered.wi).normalize_or(surface.ng);
        if !consistent(&surface, direction, scattered.wi) {
            return;
        }
        throughput *= scattered.throughput;
        let survival = throughput.max_element().min(MOST_SURVIVAL);
        if view.sampler.get_1d(pixel, sample, vertex.roulette()) >= survival {
            return;
        }
        throughput /= survival;
        ray = surface.ray_along(direction);
    }
}
