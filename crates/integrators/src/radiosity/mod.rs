//! Radiosity: light that is stored on the surfaces, solved once for a world, and shown from any side
//! [Radiosity03, §3], [Stochastic04, §3.3].
//!
//! Surfaces are taken as ideally diffuse. Only mirrors and glass are followed by rays, for what the viewer sees in them;
//! they reflect no light onto other surfaces. Images converge to the solution, which has an error of its own: that of
//! texels or patches, and the noise of [`Radiosity::iterations`].

mod kept;
mod patches;
mod picture;
mod texels;
mod tracer;

use std::sync::Arc;

use fearless_simd::{Level, Simd, dispatch};
use serde::{Deserialize, Serialize};
use sunfleck_image::{Aov, AovSet, FilmTile, PixelSample};
use sunfleck_scene::{choices, parameters};
use sunfleck_transport::{SurfaceLight, World};

use crate::Algorithm;
use crate::algorithm::RefusedWorld;
use crate::integrator::{AddSamples, Integrator, PreparedIntegrator};
use crate::stage_times::{RenderStage, StageTimer, StageTimes};
use crate::view::{RayCount, SampleId, View};
use kept::Kept;
use tracer::Tracer;

choices! {
    /// Method of solution.
    pub enum Method {
        /// A random iteration over the texels of a map [Stochastic04, §2].
        Stochastic = "stochastic",
        /// Patches, the form factors between them, and a linear system [Radiosity03, §3]. Changes of light need no new
        /// form factors, and changes of geometry only some.
        Matrix = "matrix",
    }
}

choices! {
    /// What an image shows.
    pub enum Shown {
        /// The light.
        Light = "light",
        /// Each patch or texel in a colour of its own.
        Patches = "patches",
        /// Form factors of the patch or texel in the middle of the image, divided by the areas of the others, as a
        /// fraction of the largest; the scale is that of square roots.
        FormFactors = "form-factors",
        /// Residual of the solution relative to the mean light: black is one millionth, pale yellow is 1.
        Residual = "residual",
        /// Estimated error of the solution on the same scale: the noise of texels, or the difference that other rays
        /// between the patches make.
        Error = "error",
    }
}

parameters! {
    /// The parameters of radiosity.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Radiosity {
        /// Method: random iteration in a map of texels, or form factors between patches.
        pub method: Method = Method::Stochastic, of Method::NAMES;
        /// What the image shows: the light, or pictures of how it was found.
        pub show: Shown = Shown::Light, of Shown::NAMES;
        /// Random iterations that are averaged, or largest number of iterations of the matrix solver.
        pub iterations: u32 = 128, in 1..=100000, slider 1.0..=1000.0;
        /// Side of the map of `stochastic`, rounded up to a power of two, and to four texels for each triangle.
        pub resolution: u32 = 128, in 8..=4096, unit "texels";
        /// Rays of each iteration of `stochastic`: with the iterations, they decide on the noise of stored light.
        pub rays: u32 = 65536, in 64..=16777216, slider 1024.0..=1048576.0;
        /// Patches of `matrix` to aim at, half of them where light changes most; every part of a surface needs one.
        pub patches: u32 = 2000, in 16..=16384;
        /// Rays of each patch of `matrix` that find its form factors.
        pub patch_rays: u32 = 1024, in 16..=65536, slider 16.0..=4096.0;
        /// Specular reflections and refractions that a camera ray may undergo one after another.
        pub max_depth: u32 = 12, in 0..=24;
    }
}

impl Integrator for Radiosity {
    fn name(&self) -> &'static str {
        "radiosity"
    }

    fn summary(&self) -> &'static str {
        "radiosity: diffuse light stored on surfaces, and mirrors that show it"
    }

    fn channels(&self) -> AovSet {
        AovSet::ALL.without(Aov::Diffuse).without(Aov::Clamped)
    }

    fn shows_false_colors(&self) -> bool {
        self.show != Shown::Light
    }

    fn has_stored_light(&self) -> bool {
        true
    }

    fn while_moving(&self, _on_gpu: bool) -> Option<Algorithm> {
        Some((*self).into())
    }

    fn check_world(&self, world: &World) -> Result<(), RefusedWorld> {
        match self.method {
            Method::Stochastic => texels::check(world),
            Method::Matrix => patches::check(world),
        }
    }

    fn prepare<'a>(&self, level: Level, view: &'a View<'a>, _first_sample: u32) -> PreparedIntegrator<'a> {
        let light = view.world.with_derived(|kept: &mut Kept| kept.light(view, self));
        PreparedIntegrator::Sums(Box::new(RadiosityRenderer {
            max_depth: self.max_depth,
            level,
            view,
            light,
        }))
    }
}

/// Radiosity of one view.
#[derive(Debug)]
struct RadiosityRenderer<'a> {
    max_depth: u32,
    level: Level,
    view: &'a View<'a>,
    /// `None` if the world is refused: then only emission and the environment are seen.
    light: Option<Arc<dyn SurfaceLight>>,
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
                Tracer { view: self.view, light: self.light.as_deref(), max_depth: self.max_depth, id, rays };
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
