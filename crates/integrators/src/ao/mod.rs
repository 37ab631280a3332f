//! Ambient occlusion [Zhukov98, obscurance]: the cosine-weighted fraction of the hemisphere above a point that is unoccluded. It needs no lights. It is the
//! smallest integrator, and a template for new ones.
//!
//! What we changed: instead of a weight that falls with distance, what lies farther than [`Ao::distance`] does not occlude.

use fearless_simd::{Level, Simd, dispatch};
use serde::{Deserialize, Serialize};
use sunfleck_image::{Aov, AovSample, AovSet, FilmTile, PixelSample};
use sunfleck_math::{Ray, Vec3};
use sunfleck_scene::parameters;

use crate::Algorithm;
use crate::integrator::{AddSamples, Integrator, Prepared};
use crate::stage_times::{Lap, RenderStage, StageTimes};
use crate::view::{RayCount, SampleId, TileSamples, View};

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
        AovSet::ALL.without(Aov::Reflections)
    }

    fn uses_lights(&self) -> bool {
        false
    }

    fn while_moving(&self, _on_gpu: bool) -> Option<Algorithm> {
        Some((*self).into())
    }

    fn prepare<'a>(&self, level: Level, view: &'a View<'a>, _first_sample: u32) -> Prepared<'a> {
        Prepared::Sums(Box::new(Occlusion { ao: *self, level, view }))
    }
}

/// Ready for tiles, which share nothing.
#[derive(Debug)]
struct Occlusion<'a> {
    ao: Ao,
    level: Level,
    view: &'a View<'a>,
}

impl AddSamples for Occlusion<'_> {
    fn add(&self, samples: &TileSamples, sums: &mut FilmTile, times: &mut StageTimes) -> RayCount {
        let mut lap = Lap::start(times);
        let rays = dispatch!(self.level, simd => self.render(simd, samples, sums));
        lap.end(RenderStage::TraceAndShade);
        rays
    }
}

impl Occlusion<'_> {
    #[inline(always)]
    fn render<S: Simd>(&self, simd: S, samples: &TileSamples, sums: &mut FilmTile) -> RayCount {
        let mut rays = RayCount::default();
        for id in samples.iter() {
            let (ray, weight) = self.view.camera_ray(id);
            let (radiance, aov) = simd.vectorize(
                #[inline(always)]
                || self.openness(simd, id, &ray, &mut rays),
            );
            sums.add(id.pixel[0], id.pixel[1], &PixelSample { radiance, weight, aov });
        }
        rays
    }

    /// 1 where one ray from what the camera sees escapes, and where it sees nothing; 0 where it is blocked.
    #[inline(always)]
    fn openness<S: Simd>(&self, simd: S, id: SampleId, ray: &Ray, rays: &mut RayCount) -> (Vec3, AovSample) {
        let Self { ao, view, .. } = self;
        rays.intersect += 1;
        let Some(hit) = view.world.intersect(simd, ray, view.alpha_seed(id, 0)) else {
            return (Vec3::ONE, AovSample::MISS);
        };
        let wo = -ray.direction;
        let width = view.footprint(ray.direction, hit.t, id.sample);
        let surface = view.world.surface_interaction(&hit, wo, width);
        let aov = if view.aovs == AovSet::EMPTY {
            AovSample::MISS
        } else {
            let bsdf = view.world.materials().bsdf(surface.material, &surface.attributes);
            view.first_surface(simd, &surface, hit.t, wo, bsdf.albedo(), id, rays)
        };
        rays.occluded += 1;
        let ray = view.occlusion_ray(&surface, wo, id, ao.distance);
        (view.world.transmittance(simd, &ray, view.alpha_seed(id, 1)), aov)
    }
}
