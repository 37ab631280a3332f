//! Ambient occlusion [Zhukov98, obscurance]: the cosine-weighted fraction of the hemisphere above a point that is
//! unoccluded. It needs no lights. It is the smallest integrator, and a template for new ones.
//!
//! Panes of thin glass occlude what they do not transmit: they have their colour, and the AOV has its luminance.
//! In contrast to the paper, occluders are not weighted by distance: those farther than [`Ao::distance`] do not count.

use fearless_simd::{Level, Simd, dispatch};
use serde::{Deserialize, Serialize};
use sunfleck_image::{Aov, AovSample, AovSet, FilmTile, PixelSample};
use sunfleck_math::{Ray, Vec3};
use sunfleck_scene::parameters;

use crate::Algorithm;
use crate::integrator::{AddSamples, Integrator, PreparedIntegrator};
use crate::stage_times::{RenderStage, StageTimer, StageTimes};
use crate::view::{RayCount, SampleId, View};

parameters! {
    /// The parameters of ambient occlusion.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Ao {
        /// Distance beyond which nothing occludes; a tenth of the size of the scene is a good start.
        pub distance: f32 = 1.0, in 1e-6..=1e9, slider 0.01..=10.0, unit "metres";
    }
}

impl Integrator for Ao {
    fn name(&self) -> &'static str {
        "ao"
    }

    fn summary(&self) -> &'static str {
        "ambient occlusion: the unoccluded fraction of the hemisphere, without lights"
    }

    fn channels(&self) -> AovSet {
        AovSet::ALL.without(Aov::Reflections).without(Aov::Diffuse).without(Aov::Clamped)
    }

    fn uses_lights(&self) -> bool {
        false
    }

    fn while_moving(&self, _on_gpu: bool) -> Option<Algorithm> {
        Some((*self).into())
    }

    fn prepare<'a>(&self, level: Level, view: &'a View<'a>, _first_sample: u32) -> PreparedIntegrator<'a> {
        PreparedIntegrator::Sums(Box::new(AoRenderer { ao: *self, level, view }))
    }
}

/// Ambient occlusion of one view.
#[derive(Debug)]
struct AoRenderer<'a> {
    ao: Ao,
    level: Level,
    view: &'a View<'a>,
}

impl AddSamples for AoRenderer<'_> {
    fn add(&self, samples: &[SampleId], sums: &mut FilmTile, times: &mut StageTimes) -> RayCount {
        let mut timer = StageTimer::start(times);
        let rays = dispatch!(self.level, simd => self.render(simd, samples, sums));
        timer.end(RenderStage::TraceAndShade);
        rays
    }
}

impl AoRenderer<'_> {
    #[inline(always)]
    fn render<S: Simd>(&self, simd: S, samples: &[SampleId], sums: &mut FilmTile) -> RayCount {
        let mut rays = RayCount::default();
        for &id in samples {
            let (ray, weight) = self.view.camera_ray(id);
            let (radiance, aov) = simd.vectorize(
                #[inline(always)]
                || self.unoccluded(simd, id, &ray, &mut rays),
            );
            sums.add(id.pixel[0], id.pixel[1], &PixelSample { radiance, weight, aov });
        }
        rays
    }

    /// Returns the transmittance of an occlusion ray from the first surface; if the camera ray hits nothing, 1 if it
    /// sees the background, else 0. The second value holds the AOVs.
    #[inline(always)]
    fn unoccluded<S: Simd>(
        &self,
        simd: S,
        id: SampleId,
        ray: &Ray,
        rays: &mut RayCount,
    ) -> (Vec3, AovSample) {
        let Self { ao, view, .. } = self;
        rays.intersect += 1;
        let Some(hit) = view.world.intersect(simd, ray, view.alpha_seed(id, 0)) else {
            let background = if view.spec.shows_environment { Vec3::ONE } else { Vec3::ZERO };
            return (background, AovSample::MISS);
        };
        let wo = -ray.direction;
        let width = view.footprint(ray.direction, hit.t, id.sample);
        let surface = view.world.surface_interaction(&hit, wo, width);
        let aov = if view.aovs == AovSet::EMPTY {
            AovSample::MISS
        } else {
            let bsdf = view.world.bsdf(&surface);
            view.first_surface(simd, &surface, hit.t, wo, &bsdf, id, rays)
        };
        rays.occluded += 1;
        let ray = view.occlusion_ray(&surface, wo, id, ao.distance);
        (view.world.transmittance(simd, &ray, view.alpha_seed(id, 1)), aov)
    }
}
