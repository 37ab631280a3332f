//! Light on patches, by matrix radiosity.

use std::sync::Arc;

use sunfleck_image::color::luminance;
use sunfleck_math::Vec3;
use sunfleck_surface::matrix::{
    AdaptOptions, CastOptions, Channels, FormFactors, Interpolation, Matrix, PatchSize, PatchValues, Patches,
    RadiosityError, RadiosityLight, RadiositySystem, Solver, StopRule, Subdivision,
};
use sunfleck_transport::{SurfaceLight, World, WorldIdentity};

use super::{Radiosity, Shown, picture};
use crate::algorithm::RefusedWorld;
use crate::view::View;

/// Largest number of patches.
const MOST_PATCHES: usize = 1 << 14;
/// Largest number of patches whose matrix is dense: 256 MiB.
const MOST_DENSE: usize = 1 << 13;
/// Contrast above which patches are divided: see [`AdaptOptions::contrast`].
const CONTRAST: f32 = 0.2;
/// Difference of the seeds of the rays that estimate the error.
const OTHER_RAYS: u32 = 0x3c6e_f372;

/// Light on the patches of a world.
pub(super) struct PatchLight {
    of: WorldIdentity,
    /// Requested numbers of patches, rays and iterations, and the seed.
    key: [u32; 4],
    patches: Arc<Patches>,
    factors: FormFactors,
    system: RadiositySystem,
    radiosity: Channels,
    /// Whether all surfaces stop every ray.
    is_opaque: bool,
    /// What was shown last.
    shown: Option<(Picture, Arc<dyn SurfaceLight>)>,
}

/// What is shown, with the patch whose form factors are.
type Picture = (Shown, Option<u32>);

/// Refuses worlds with shapes, and with more surfaces than patches are possible.
pub(super) fn check(world: &World) -> Result<(), RefusedWorld> {
    let reason = |error| match error {
        RadiosityError::Shapes { .. } => {
            "cannot divide spheres and other shapes into patches; method=stochastic can light them"
                .to_string()
        }
        RadiosityError::TooMany { needed, limit } => format!(
            "would need at least {needed} patches, more than the {limit} that are possible; method=stochastic needs none"
        ),
        error => format!("finds nothing to light: {error}"),
    };
    Patches::check(world, MOST_PATCHES).map_err(|error| RefusedWorld::new(reason(error)))
}

impl PatchLight {
    /// Returns the light of a view's world; `None` if it cannot be divided into patches. After a change of materials or
    /// lights, patches and form factors are kept; after one of the geometry, form factors that it does not touch.
    ///
    /// * `kept` — of this or another world.
    pub(super) fn solve(kept: Option<Self>, view: &View<'_>, radiosity: &Radiosity) -> Option<Self> {
        let of = view.world.identity();
        let key = [radiosity.patches, radiosity.patch_rays, radiosity.iterations, view.spec.seed];
        // Materials decide which rays pass transparent surfaces, and with them the form factors
        let is_opaque = view.world.is_opaque();
        let is_kept = |kept: &Self| kept.of == of || (kept.is_opaque && is_opaque);
        match kept.filter(is_kept) {
            Some(kept) if kept.key == key && kept.of == of => Some(kept),
            Some(kept) if kept.key == key && kept.of.has_same_geometry(&of) => {
                let patches = Arc::new(kept.patches.with_materials_of(view.world));
                let mut system = kept.system;
                system.relight(view.world, &patches, &kept.factors);
                let radiosity = radiosity.solved(&system).ok()?;
                Some(Self { of, patches, system, radiosity, shown: None, ..kept })
            }
            kept => {
                let kept = kept.filter(|kept| kept.key == key);
                radiosity.on_patches(kept, of, key, view).ok()
            }
        }
    }

    /// Returns the light, or a picture of it.
    pub(super) fn shown(&mut self, view: &View<'_>, radiosity: &Radiosity) -> Arc<dyn SurfaceLight> {
        let of_factors = radiosity.show == Shown::FormFactors;
        let picture = (radiosity.show, of_factors.then(|| self.middle(view)).flatten());
        match &self.shown {
            Some((shown, light)) if *shown == picture => light.clone(),
            _ => {
                let light = self.picture(view, radiosity, picture);
                self.shown = Some((picture, light.clone()));
                light
            }
        }
    }

    fn picture(
        &self,
        view: &View<'_>,
        radiosity: &Radiosity,
        (shown, patch): Picture,
    ) -> Arc<dyn SurfaceLight> {
        let values =
            |values: &Channels, interpolation| PatchValues::new(self.patches.clone(), values, interpolation);
        let colors: Vec<Vec3> = match shown {
            Shown::Light => {
                let irradiance = self.system.irradiance(&self.radiosity);
                return Arc::new(RadiosityLight::new(values(&irradiance, Interpolation::Smooth)));
            }
            Shown::Patches => (0..self.patches.count()).map(picture::color_of).collect(),
            Shown::FormFactors => picture::fractions(&self.form_factors(patch)),
            Shown::Residual => {
                let residual = self.system.residual(&self.radiosity);
                picture::magnitudes(residual.iter(), self.mean_radiosity())
            }
            Shown::Error => {
                let errors = self.errors(view, radiosity);
                picture::magnitudes(errors.iter(), self.mean_radiosity())
            }
        };
        Arc::new(values(&colors.into_iter().collect(), Interpolation::Flat))
    }

    /// Returns the patch in the middle of the image.
    fn middle(&self, view: &View<'_>) -> Option<u32> {
        let (hit, is_front) = picture::middle(view)?;
        let point = self.patches.at(hit.inst_id, hit.prim_id, [hit.u, hit.v], is_front)?;
        Some(point.patch)
    }

    /// Returns the form factors of a patch to all others, divided by their areas.
    fn form_factors(&self, patch: Option<u32>) -> Vec<f32> {
        let mut values = vec![0.0; self.patches.patches().len()];
        let Some(patch) = patch else { return values };
        for link in self.factors.row(patch as usize) {
            let patch = link.patch as usize;
            values[patch] = link.value / self.patches.patches()[patch].area.max(f32::MIN_POSITIVE);
        }
        values
    }

    /// Returns what the radiosities would change by if form factors were found by other rays.
    fn errors(&self, view: &View<'_>, radiosity: &Radiosity) -> Channels {
        let options = radiosity.cast_options(view);
        let options = CastOptions { seed: options.seed ^ OTHER_RAYS, ..options };
        let factors = FormFactors::cast(view.world, &self.patches, &options);
        let matrix = Matrix::sparse(&factors, 0.0);
        RadiositySystem::new(view.world, &self.patches, &factors, matrix).residual(&self.radiosity)
    }

    /// Returns the mean luminance of the reflected radiosity over the area.
    fn mean_radiosity(&self) -> f32 {
        let patches = self.patches.patches().iter();
        let reflected = patches.clone().zip(self.radiosity.iter()).map(|(patch, radiosity)| {
            f64::from(patch.area * luminance((radiosity - patch.emission).max(Vec3::ZERO)))
        });
        let (sum, area) = (reflected.sum::<f64>(), patches.map(|patch| f64::from(patch.area)).sum::<f64>());
        #[allow(clippy::cast_possible_truncation, reason = "a scale of colours")]
        let mean = (sum / area.max(f64::MIN_POSITIVE)) as f32;
        mean
    }
}

impl Radiosity {
    fn cast_options(&self, view: &View<'_>) -> CastOptions {
        CastOptions { rays: self.patch_rays, seed: view.spec.seed, ..CastOptions::default() }
    }

    fn solved(&self, system: &RadiositySystem) -> Result<Channels, RadiosityError> {
        let stop = StopRule { most_iterations: self.iterations, ..StopRule::default() };
        Ok(system.solve(Solver::ConjugateGradients, &stop, None)?.radiosity)
    }

    /// Divides a world into patches, half of them evenly and half of them where the light of a first solution changes
    /// most, and solves it.
    fn on_patches(
        &self,
        kept: Option<PatchLight>,
        of: WorldIdentity,
        key: [u32; 4],
        view: &View<'_>,
    ) -> Result<PatchLight, RadiosityError> {
        let world = view.world;
        let number = self.patches as usize;
        let size = PatchSize::Number(number / 2);
        let mut patches = Patches::subdivide(world, &Subdivision { size, most_patches: MOST_PATCHES })?;
        let options = self.cast_options(view);
        let first = CastOptions { rays: (options.rays / 4).max(16), ..options };
        let factors = FormFactors::cast(world, &patches, &first);
        let system = RadiositySystem::new(world, &patches, &factors, Matrix::sparse(&factors, 0.0));
        let adapt = AdaptOptions { contrast: CONTRAST, least_edge: 0.0, most_patches: number };
        let divided = patches.too_coarse(&self.solved(&system)?, &adapt);
        patches.refine(world, &divided);

        let factors = match kept {
            Some(kept) => kept.factors.update(&kept.patches, world, &patches).0,
            None => FormFactors::cast(world, &patches, &options),
        };
        let is_dense = factors.patch_count() <= MOST_DENSE;
        let matrix = if is_dense { Matrix::dense(&factors) } else { Matrix::sparse(&factors, 0.0) };
        let system = RadiositySystem::new(world, &patches, &factors, matrix);
        let radiosity = self.solved(&system)?;
        let (patches, is_opaque) = (Arc::new(patches), world.is_opaque());
        Ok(PatchLight { of, key, patches, factors, system, radiosity, is_opaque, shown: None })
    }
}
