//! Form factors between patches, by rays and in closed form.

use std::f32::consts::PI;

use rayon::prelude::*;
use sunfleck_math::Vec3;
use sunfleck_transport::World;

use super::balance::Unbalanced;
use super::channels::rounded;
use super::edit::Edit;
use super::exact::exact_links;
use super::links::Links;
use super::ray_hits::RayHits;
use super::rays::PatchRays;
use super::{Balance, Channels, ClosestHits, Link, Patches};

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
    /// Factor of each row by balancing.
    factors: Vec<f32>,
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
        let Ok(factors) = Self::cast_by(world, patches, options);
        factors
    }

    /// Casts rays from all patches by another tracer. Apart from its rounding, the result is that of
    /// [`cast`](Self::cast). Errors: those of the tracer.
    pub fn cast_by<T: ClosestHits>(
        tracer: &T,
        patches: &Patches,
        options: &CastOptions,
    ) -> Result<Self, T::Error> {
        let exact = exact_links(tracer, patches, options, None)?;
        let (count, at_once) = (patches.count(), (T::RAYS_PER_CALL / options.rays.max(1)).max(1));
        let calls: Vec<u32> = (0..count).step_by(at_once as usize).collect();
        let trace = |&first: &u32| {
            let of = (first..count.min(first + at_once)).map(|patch| rays_of(options, patch)).collect();
            RayHits::trace(tracer, patches, of)
        };
        let hits: Result<Vec<Vec<RayHits>>, T::Error> = calls.par_iter().map(trace).collect();
        Ok(Self::assemble(*options, patches, exact, hits?.into_iter().flatten().collect()))
    }

    /// Returns the form factors after an edit of the geometry, equal to those of [`cast`](Self::cast), and the work.
    /// Only rays that pass a place where patches have come or gone are traced again, and only the visibility of pairs
    /// with such a place between them is computed again.
    ///
    /// * `before` — the patches of these form factors.
    pub fn update(&self, before: &Patches, world: &World, patches: &Patches) -> (Self, UpdateWork) {
        let edit = Edit::new(before, patches);
        let Ok(exact) = exact_links(world, patches, &self.options, Some((&edit, self)));
        let trace = |patch: u32| {
            let of = rays_of(&self.options, patch);
            match edit.former(patch).and_then(|former| self.hits.get(former as usize)) {
                None => hits_of_patch(world, patches, of),
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
        let factors = factors.into_iter().map(rounded).collect();
        Self { options, links, areas, sky, factors, balance, hits, exact }
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

    /// Returns the irradiance of each patch by the environment of a world with these patches, W/m². No rays are traced.
    pub fn sky_irradiance(&self, world: &World, patches: &Patches) -> Channels {
        let per_ray = PI / self.options.rays.max(1) as f32;
        let of_patch = |(patch, (hits, factor)): (usize, (&RayHits, &f32))| {
            let rays = rays_of(&self.options, u32::try_from(patch).unwrap_or(u32::MAX));
            hits.sky_radiance(world, patches, &rays) * (per_ray * factor)
        };
        let of_patches: Vec<Vec3> =
            self.hits.par_iter().zip(&self.factors).enumerate().map(of_patch).collect();
        of_patches.into_iter().collect()
    }

    /// Returns what balancing changed.
    pub fn balance(&self) -> &Balance {
        &self.balance
    }
}

fn rays_of(options: &CastOptions, patch: u32) -> PatchRays {
    PatchRays { seed: options.seed, patch, samples: 0..options.rays }
}

/// Returns the hits of the rays of a new patch, and their number.
fn hits_of_patch(world: &World, patches: &Patches, of: PatchRays) -> (RayHits, usize) {
    let count = of.samples.len();
    let Ok(mut hits) = RayHits::trace(world, patches, vec![of]);
    (hits.pop().unwrap_or_default(), count)
}
