//! Form factors between patches, by rays and in closed form.

use std::f32::consts::PI;

use fearless_simd::Level;
use rayon::prelude::*;
use sunfleck_math::Vec3;
use sunfleck_transport::World;

use super::balance::Unbalanced;
use super::exact::exact_links;
use super::links::Links;
use super::rays::{PatchRays, TracedRays};
use super::{Balance, Channels, Link, Patches};

/// Options for casting form factors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastOptions {
    /// Rays per patch.
    pub rays: u32,
    /// Pairs of patches whose form factor is computed in closed form.
    pub exact: ExactPairs,
    /// Rays between the two patches of such a pair, which estimate their visibility.
    pub visibility_rays: u32,
    /// Seed of all rays.
    pub seed: u32,
}

/// Pairs of patches whose form factor is computed in closed form and multiplied by their visibility.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExactPairs {
    /// None: all form factors are estimated by rays.
    None,
    /// Pairs with an emissive patch, and pairs whose distance is less than a multiple of the sum of their radii.
    Near(f32),
    /// All.
    All,
}

impl Default for CastOptions {
    fn default() -> Self {
        Self { rays: 1024, exact: ExactPairs::Near(2.0), visibility_rays: 32, seed: 0 }
    }
}

/// Form factors `F_ij`: the fraction of the light of patch i that arrives at patch j. They are reciprocal,
/// `A_i F_ij = A_j F_ji`, and the sum of each row is 1 with the share of the sky.
#[derive(Clone, Debug)]
pub struct FormFactors {
    pub(super) links: Links,
    areas: Vec<f32>,
    sky: Vec<f32>,
    sky_irradiance: Channels,
    balance: Balance,
}

/// Counts of the rays of a patch.
#[derive(Clone, Debug, Default)]
struct RayCounts {
    /// Hits of patches.
    hits: Vec<(u32, u32)>,
    /// Rays that hit no patch: they leave the scene, or hit a side that has no patches.
    others: u32,
    /// Radiance of the environment, summed over the rays that leave the scene.
    sky_radiance: Vec3,
}

impl FormFactors {
    /// Casts rays from all patches, in parallel. The result depends on the options only, not on threads or SIMD level.
    pub fn cast(world: &World, patches: &Patches, options: &CastOptions) -> Self {
        let areas: Vec<f32> = patches.patches().iter().map(|patch| patch.area).collect();
        let exact = exact_links(world, patches, options);
        let counts: Vec<RayCounts> =
            (0..patches.count()).into_par_iter().map(|patch| count(world, patches, options, patch)).collect();
        let per_ray = 1.0 / options.rays.max(1) as f32;
        let by_rays = |(counts, exact): (&RayCounts, &Vec<Link>)| {
            let is_exact = |patch: u32| exact.binary_search_by_key(&patch, |link| link.patch).is_ok();
            let counted = counts.hits.iter().filter(|(patch, _)| !is_exact(*patch));
            counted.map(|&(patch, count)| Link { patch, value: count as f32 * per_ray }).collect()
        };
        let by_rays: Links = counts.iter().zip(&exact).map(by_rays).collect();
        let other: Vec<f64> = counts.iter().map(|counts| f64::from(counts.others as f32 * per_ray)).collect();
        let unbalanced = Unbalanced { areas: areas.clone(), by_rays, exact, other: other.clone() };
        let (links, factors, balance) = unbalanced.balanced();
        let sky = other.iter().zip(&factors).map(|(share, factor)| (share * factor) as f32).collect();
        let irradiance =
            |(counts, factor): (&RayCounts, &f64)| counts.sky_radiance * (PI * per_ray * *factor as f32);
        let sky_irradiance = counts.iter().zip(&factors).map(irradiance).collect();
        Self { links, areas, sky, sky_irradiance, balance }
    }

    /// Returns form factors from given links.
    ///
    /// * `links` — `F_ij` of each patch, in the order of j, reciprocal.
    pub fn from_links(areas: Vec<f32>, links: Vec<Vec<Link>>) -> Self {
        let sky = vec![0.0; areas.len()];
        let sky_irradiance = Channels::black(areas.len());
        Self { links, areas, sky, sky_irradiance, balance: Balance::default() }
    }

    /// Returns the number of patches.
    pub fn patch_count(&self) -> usize {
        self.areas.len()
    }

    /// Returns the areas of the patches, m².
    pub fn areas(&self) -> &[f32] {
        &self.areas
    }

    /// Returns the form factors of a patch that are not 0, in the order of the other patches.
    pub fn row(&self, patch: usize) -> &[Link] {
        &self.links[patch]
    }

    /// Returns a form factor.
    pub fn get(&self, from: usize, to: u32) -> f32 {
        let row = &self.links[from];
        row.binary_search_by_key(&to, |link| link.patch).map_or(0.0, |index| row[index].value)
    }

    /// Returns the number of form factors that are not 0.
    pub fn link_count(&self) -> usize {
        self.links.iter().map(Vec::len).sum()
    }

    /// Returns the fraction of the light of each patch that leaves the scene.
    pub fn sky(&self) -> &[f32] {
        &self.sky
    }

    /// Returns the irradiance of each patch by the environment, W/m².
    pub fn sky_irradiance(&self) -> &Channels {
        &self.sky_irradiance
    }

    /// Returns what balancing changed.
    pub fn balance(&self) -> &Balance {
        &self.balance
    }
}

/// Rays of a patch that are traced at once.
const BATCH: u32 = 4096;

fn count(world: &World, patches: &Patches, options: &CastOptions, patch: u32) -> RayCounts {
    let mut counts = RayCounts::default();
    let mut hit_patches = Vec::new();
    for start in (0..options.rays).step_by(BATCH as usize) {
        let samples = start..options.rays.min(start + BATCH);
        let rays = PatchRays { seed: options.seed, patch, samples };
        let traced = TracedRays::trace(world, patches, &rays, Level::new());
        traced.for_each_hit(|_, instance, prim_id, uv, direction| {
            match patches.hit(instance, prim_id, uv, direction) {
                // A planar patch does not see itself; a ray that hits it again is due to rounding
                Some(point) if point.patch != patch => hit_patches.push(point.patch),
                _ => counts.others += 1,
            }
        });
        traced.for_each_miss(|direction| {
            counts.others += 1;
            counts.sky_radiance += world.lights().environment_radiance(direction);
        });
    }
    hit_patches.sort_unstable();
    for patch in hit_patches {
        match counts.hits.last_mut() {
            Some((last, count)) if *last == patch => *count += 1,
            _ => counts.hits.push((patch, 1)),
        }
    }
    counts
}
