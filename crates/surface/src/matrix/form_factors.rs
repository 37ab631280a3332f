//! Form factors between patches, by rays and in closed form.

use std::f32::consts::PI;

use rayon::prelude::*;
use sunfleck_transport::World;

use super::balance::Unbalanced;
use super::channels::rounded;
use super::edit::Edit;
use super::exact::exact_links;
use super::links::Links;
use super::ray_hits::RayHits;
use super::rays::PatchRays;
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
    options: CastOptions,
    links: Links,
    areas: Vec<f32>,
    sky: Vec<f32>,
    sky_irradiance: Channels,
    balance: Balance,
    hits: Vec<RayHits>,
    /// `A_i F_ij` in closed form, before balancing.
    pub(super) exact: Links,
}

/// Work that an update of form factors took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateWork {
    /// Rays of patches that were traced.
    pub traced_rays: usize,
    /// Rays of patches whose hits were kept.
    pub kept_rays: usize,
}

impl FormFactors {
    /// Casts rays from all patches, in parallel. The result depends on the options only, not on threads or SIMD level.
    pub fn cast(world: &World, patches: &Patches, options: &CastOptions) -> Self {
        let exact = exact_links(world, patches, options, None);
        let trace = |patch: u32| RayHits::trace(world, patches, &rays_of(options, patch));
        let hits = (0..patches.count()).into_par_iter().map(trace).collect();
        Self::assemble(*options, patches, exact, hits)
    }

    /// Returns the form factors after an edit of the geometry, equal to those of [`cast`](Self::cast), and the work.
    /// Only rays that pass a place where patches have come or gone are traced again, and only the visibility of pairs
    /// with such a place between them is computed again.
    ///
    /// * `before` — the patches of these form factors.
    pub fn update(&self, before: &Patches, world: &World, patches: &Patches) -> (Self, UpdateWork) {
        let edit = Edit::new(before, patches);
        let exact = exact_links(world, patches, &self.options, Some((&edit, self)));
        let trace = |patch: u32| {
            let of = rays_of(&self.options, patch);
            match edit.former(patch).and_then(|former| self.hits.get(former as usize)) {
                None => (RayHits::trace(world, patches, &of), of.samples.len()),
                Some(hits) => hits.updated(world, patches, &of, edit.now(), |ray| edit.is_changed_along(ray)),
            }
        };
        let (hits, traced): (Vec<RayHits>, Vec<usize>) =
            (0..patches.count()).into_par_iter().map(trace).unzip();
        let traced_rays = traced.into_iter().sum();
        let all = hits.len() * self.options.rays as usize;
        let work = UpdateWork { traced_rays, kept_rays: all - traced_rays };
        (Self::assemble(self.options, patches, exact, hits), work)
    }

    fn assemble(options: CastOptions, patches: &Patches, exact: Links, hits: Vec<RayHits>) -> Self {
        let areas: Vec<f32> = patches.patches().iter().map(|patch| patch.area).collect();
        let (mut by_rays, other): (Links, Vec<f64>) = hits.par_iter().map(RayHits::fractions).unzip();
        for (row, exact) in by_rays.iter_mut().zip(&exact) {
            row.retain(|link| exact.binary_search_by_key(&link.patch, |exact| exact.patch).is_err());
        }
        let unbalanced = Unbalanced { areas: &areas, by_rays, exact: &exact, other: &other };
        let (links, factors, balance) = unbalanced.balanced();
        let sky = other.iter().zip(&factors).map(|(share, factor)| rounded(share * factor)).collect();
        let per_ray = PI / options.rays.max(1) as f32;
        let irradiance = hits.iter().zip(&factors);
        let sky_irradiance =
            irradiance.map(|(hits, factor)| hits.sky_radiance * (per_ray * rounded(*factor))).collect();
        Self { options, links, areas, sky, sky_irradiance, balance, hits, exact }
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

fn rays_of(options: &CastOptions, patch: u32) -> PatchRays {
    PatchRays { seed: options.seed, patch, samples: 0..options.rays }
}
