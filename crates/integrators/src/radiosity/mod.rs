//! Radiosity: light that is stored on the surfaces, solved once for a view, and shown from any side
//! [Stochastic04, §3.3].
//!
//! Surfaces are taken as ideally diffuse. Only mirrors and glass are followed by rays, for what the viewer sees in them;
//! they reflect no light onto other surfaces. Images converge to the solution, which has an error of its own: that of
//! texels, and the noise of [`Radiosity::iterations`].

mod tracer;

use std::sync::Arc;

use fearless_simd::{Level, Simd, dispatch};
use serde::{Deserialize, Serialize};
use sunfleck_image::{Aov, AovSet, FilmTile, PixelSample};
use sunfleck_scene::parameters;
use sunfleck_surface::atlas::{Atlas, AtlasError};
use sunfleck_surface::stochastic::{RadiosityMap, StochasticOptions, StochasticRadiosity};
use sunfleck_transport::SurfaceLight;

use crate::integrator::{AddSamples, Integrator, PreparedIntegrator};
use crate::stage_times::{RenderStage, StageTimer, StageTimes};
use crate::view::{RayCount, SampleId, View};
use tracer::Tracer;

/// Side of the largest atlas.
const MAX_RESOLUTION: u32 = 1 << 13;

parameters! {
    /// The parameters of radiosity.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Radiosity {
        /// Side of the map in which light is stored, rounded up to a power of two, and to four texels for each triangle.
        pub resolution: u32 = 128, in 8..=4096, unit "texels";
        /// Random iterations that are averaged.
        pub iterations: u32 = 64, in 1..=100000;
        /// Rays that shoot light in each iteration.
        pub rays: u32 = 65536, in 64..=16777216;
        /// Specular reflections and refractions that a camera ray may undergo one after another.
        pub max_depth: u32 = 12, in 0..=24;
    }
}

impl Integrator for Radiosity {
    fn name(&self) -> &'static str {
        "radiosity"
    }

    fn summary(&self) -> &'static str {
        "stochastic radiosity: diffuse light stored on surfaces, and mirrors that show it"
    }

    fn channels(&self) -> AovSet {
        AovSet::ALL.without(Aov::Diffuse).without(Aov::Clamped)
    }

    fn prepare<'a>(&self, level: Level, view: &'a View<'a>, _first_sample: u32) -> PreparedIntegrator<'a> {
        let light = view.surface_light.get_or_init(|| self.solve(view));
        PreparedIntegrator::Sums(Box::new(RadiosityRenderer {
            max_depth: self.max_depth,
            level,
            view,
            light: light.as_deref(),
        }))
    }
}

impl Radiosity {
    /// Returns the light of a view's world; `None` if it has more triangles than an atlas can have.
    fn solve(&self, view: &View<'_>) -> Option<Arc<dyn SurfaceLight>> {
        let atlas = self.atlas(view).ok()?;
        Some(Arc::new(self.map(view, &atlas)))
    }

    /// Returns the irradiance of a view's world over its [atlas](Self::atlas).
    pub fn map(&self, view: &View<'_>, atlas: &Atlas) -> RadiosityMap {
        let mut solver = StochasticRadiosity::new(view.world, atlas, self.options(view));
        solver.iterate(self.iterations);
        solver.map()
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
        let surfaces = sunfleck_surface::atlas::Surfaces::of(view.world)?;
        let triangles = surfaces.triangles().len() as u64;
        let mut resolution = self.resolution.next_power_of_two();
        while u64::from(resolution) * u64::from(resolution) < 4 * triangles && resolution < MAX_RESOLUTION {
            resolution *= 2;
        }
        Atlas::of_surfaces(surfaces, resolution)
    }
}

/// Radiosity of one view.
#[derive(Debug)]
struct RadiosityRenderer<'a> {
    max_depth: u32,
    level: Level,
    view: &'a View<'a>,
    light: Option<&'a dyn SurfaceLight>,
}

impl AddSamples for RadiosityRenderer<'_> {
    fn add(&self, samples: &[SampleId], sums: &mut FilmTile, times: &mut StageTimes) -> RayCount {
        let mut timer = StageTimer::start(times);
        let rays = dispatch!(self.level, simd => self.render(simd, samples, sums));
        timer.end(RenderStage::TraceAndShade);
        rays
    }
}

impl RadiosityRenderer<'_> {
    #[inline(always)]
    fn render<S: Simd>(&self, simd: S, samples: &[SampleId], sums: &mut FilmTile) -> RayCount {
        let mut rays = RayCount::default();
        for &id in samples {
            let (ray, weight) = self.view.camera_ray(id);
            let mut tracer =
                Tracer { view: self.view, light: self.light, max_depth: self.max_depth, id, rays };
            let (radiance, aov) = simd.vectorize(
                #[inline(always)]
                || tracer.radiance(simd, ray),
            );
            rays = tracer.rays;
            sums.add(id.pixel[0], id.pixel[1], &PixelSample { radiance, weight, aov });
        }
        rays
    }
}
