//! Light in a map of texels, by stochastic radiosity.

use std::sync::Arc;

use sunfleck_image::color::luminance;
use sunfleck_math::Vec3;
use sunfleck_surface::atlas::{Atlas, AtlasError, Surfaces};
use sunfleck_surface::stochastic::{
    RadiosityMap, StochasticOptions, StochasticRadiosity, StochasticState, TexelValues,
};
use sunfleck_transport::{SurfaceLight, World, WorldIdentity};

use super::{Method, Radiosity, Shown, picture};
use crate::algorithm::RefusedWorld;
use crate::view::View;

/// Side of the largest atlas.
const MAX_RESOLUTION: u32 = 1 << 13;
/// Steady frames add this fraction of the iterations each.
const STEPS: u32 = 8;
/// Random operators that form factors and residuals are the mean of.
const OPERATORS: u32 = 16;

/// Light in the texels of a world.
pub(super) struct TexelLight {
    of: WorldIdentity,
    /// Requested resolution, rays and seed.
    key: [u32; 3],
    atlas: Atlas,
    state: StochasticState,
    /// What was shown last, of how many iterations.
    shown: Option<(Picture, u32, Arc<dyn SurfaceLight>)>,
}

/// What is shown, with the element whose form factors are.
type Picture = (Shown, Option<usize>);

/// Refuses worlds with more triangles than the largest atlas has texels.
pub(super) fn check(world: &World) -> Result<(), RefusedWorld> {
    let reason = |error| RefusedWorld::new(format!("cannot light all surfaces: {error}"));
    let surfaces = Surfaces::of(world).map_err(reason)?;
    let (triangles, resolution) = (surfaces.triangles().len(), MAX_RESOLUTION);
    let is_small = triangles as u64 <= u64::from(resolution).pow(2);
    if is_small { Ok(()) } else { Err(reason(AtlasError::TooSmall { resolution, triangles })) }
}

impl TexelLight {
    /// Returns the light of a view's world; `None` if it has too many triangles.
    ///
    /// Frames of a temporal sequence have a part of the iterations, and get the rest one after another, while the world
    /// stays as it is. The light of other images has all of them, whatever is kept.
    ///
    /// * `kept` — of this or another world.
    pub(super) fn solve(kept: Option<Self>, view: &View<'_>, radiosity: &Radiosity) -> Option<Self> {
        let of = view.world.identity();
        let key = [radiosity.resolution, radiosity.rays, view.spec.seed];
        let is_moving = view.history.is_some();
        let (kept_atlas, state, shown) = match kept {
            Some(kept) if kept.of == of && kept.key == key => {
                (Some(kept.atlas), Some(kept.state), kept.shown)
            }
            Some(kept) if kept.of.has_same_geometry(&of) && kept.key[0] == key[0] => {
                (Some(kept.atlas), None, None)
            }
            _ => (None, None, None),
        };
        let atlas = kept_atlas.map_or_else(|| radiosity.atlas(view).ok(), Some)?;
        let state = state.filter(|state| is_moving || state.iterations() <= radiosity.iterations);
        let options = radiosity.options(view);
        let mut solver = match state {
            Some(state) => StochasticRadiosity::resume(view.world, &atlas, options, state),
            None => StochasticRadiosity::new(view.world, &atlas, options),
        };
        // A picture of the texels needs no light
        let needed = if radiosity.show == Shown::Patches { 0 } else { radiosity.iterations };
        let missing = needed.saturating_sub(solver.iterations());
        let step = radiosity.iterations.div_ceil(STEPS);
        solver.iterate(if is_moving { missing.min(step) } else { missing });
        let state = solver.into_state();
        Some(Self { of, key, atlas, state, shown })
    }

    /// Returns the light, or a picture of it.
    pub(super) fn shown(&mut self, view: &View<'_>, radiosity: &Radiosity) -> Arc<dyn SurfaceLight> {
        let of_factors = radiosity.show == Shown::FormFactors;
        let picture = (radiosity.show, of_factors.then(|| self.middle(view)).flatten());
        match &self.shown {
            Some((shown, iterations, light))
                if *shown == picture && *iterations == self.state.iterations() =>
            {
                light.clone()
            }
            _ => {
                let light = self.picture(view, radiosity, picture);
                self.shown = Some((picture, self.state.iterations(), light.clone()));
                light
            }
        }
    }

    fn picture(
        &self,
        view: &View<'_>,
        radiosity: &Radiosity,
        (shown, element): Picture,
    ) -> Arc<dyn SurfaceLight> {
        let options = radiosity.options(view);
        let solver = StochasticRadiosity::resume(view.world, &self.atlas, options, self.state.clone());
        let texels = self.atlas.texels().len();
        let count = u32::try_from(2 * texels).unwrap_or(u32::MAX);
        let unit = mean_irradiance(&solver);
        let colors = match shown {
            Shown::Light => return Arc::new(solver.smooth_map()),
            Shown::Patches => (0..count).map(picture::color_of).collect(),
            Shown::FormFactors => picture::fractions(&form_factors(&solver, element)),
            Shown::Residual => {
                let [first, second] = solver.residuals(OPERATORS);
                picture::magnitudes(first.iter().zip(second).map(|(a, b)| (*a + b) * 0.5), unit)
            }
            Shown::Error => picture::magnitudes(solver.errors().into_iter(), unit),
        };
        Arc::new(TexelValues::new(self.atlas.clone(), colors, false))
    }

    /// Returns the element in the middle of the image.
    fn middle(&self, view: &View<'_>) -> Option<usize> {
        let (hit, is_front) = picture::middle(view)?;
        let point = self.atlas.point_of(hit.inst_id, hit.prim_id, [hit.u, hit.v])?;
        Some(self.atlas.texel_at(point) as usize + if is_front { 0 } else { self.atlas.texels().len() })
    }
}

/// Returns the form factors of an element to all elements, divided by their areas, up to a factor: the irradiance of the
/// elements by light of this one alone.
fn form_factors(solver: &StochasticRadiosity<'_>, element: Option<usize>) -> Vec<f32> {
    let count = solver.irradiance().len();
    let mut sum = vec![0.0; count];
    let Some(element) = element else { return sum };
    let mut radiance = vec![Vec3::ZERO; count];
    radiance[element] = Vec3::ONE;
    for operator in 0..OPERATORS {
        let irradiance = solver.random_transport(&radiance, operator);
        sum.iter_mut().zip(irradiance).for_each(|(sum, irradiance)| *sum += irradiance.x);
    }
    sum
}

impl Radiosity {
    /// Returns whether an image shows the light of texels.
    pub fn is_light_of_texels(&self) -> bool {
        (self.method, self.show) == (Method::Stochastic, Shown::Light)
    }

    /// Returns the irradiance of a view's world over its [atlas](Self::atlas).
    pub fn map(&self, view: &View<'_>, atlas: &Atlas) -> RadiosityMap {
        let mut solver = StochasticRadiosity::new(view.world, atlas, self.options(view));
        solver.iterate(self.iterations);
        solver.smooth_map()
    }

    /// Returns the options of the solver.
    pub fn options(&self, view: &View<'_>) -> StochasticOptions {
        StochasticOptions { seed: view.spec.seed, bundles: self.rays, ..StochasticOptions::default() }
    }

    /// Returns the smallest atlas that has the resolution, and four texels for each triangle if possible.
    ///
    /// # Errors
    /// [`AtlasError::TooSmall`], [`AtlasError::TooManyTriangles`].
    pub fn atlas(&self, view: &View<'_>) -> Result<Atlas, AtlasError> {
        let surfaces = Surfaces::of(view.world)?;
        let triangles = surfaces.triangles().len() as u64;
        let mut resolution = self.resolution.next_power_of_two();
        while u64::from(resolution) * u64::from(resolution) < 4 * triangles && resolution < MAX_RESOLUTION {
            resolution *= 2;
        }
        Atlas::of_surfaces(surfaces, resolution)
    }
}

/// Returns the mean luminance of the irradiance over the area.
fn mean_irradiance(solver: &StochasticRadiosity<'_>) -> f32 {
    let areas = solver.elements().areas.iter().chain(&solver.elements().areas);
    let weighted = areas.clone().zip(solver.irradiance()).map(|(area, e)| f64::from(area * luminance(*e)));
    let (sum, area) = (weighted.sum::<f64>(), areas.map(|&area| f64::from(area)).sum::<f64>());
    #[allow(clippy::cast_possible_truncation, reason = "a scale of colours")]
    let mean = (sum / area.max(f64::MIN_POSITIVE)) as f32;
    mean
}
