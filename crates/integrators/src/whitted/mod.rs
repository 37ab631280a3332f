//! Classical recursive ray tracing [Whitted80, the improved model]: direct light with shadows, perfect reflection and refraction followed to
//! the end, and a constant for all other indirect light.
//!
//! What we changed: lights with extent are sampled (with multiple importance sampling), glossy lobes send one ray
//! [Cook84, gloss], and the ambient constant is not guessed but measured (see `ambient.rs`); it reaches a point only from
//! directions in which there is a surface, so corners stay dark. Rays that bring next to nothing are not followed [Hall83, adaptive
//! tree-depth control]. One ray at a time, recursively: the simple twin of the streams of [`crate::path`].

pub(crate) mod ambient;

use fearless_simd::{Level, Simd, dispatch};
use serde::{Deserialize, Serialize};
use sunfleck_image::{AovSample, FilmTile, PixelSample};
use sunfleck_math::{Ray, Vec3};
use sunfleck_scene::parameters;
use sunfleck_shading::{Bsdf, BsdfContext, Lobes};
use sunfleck_transport::{LastScattering, Scattering, SurfaceInteraction, Technique, scatter, spawn};

use crate::Algorithm;
use crate::dimension::Vertex;
use crate::integrator::{AddSamples, Integrator, Prepared};
use crate::stage_times::{Lap, RenderStage, StageTimes};
use crate::view::{RayCount, SampleId, TileSamples, View};

parameters! {
    /// The parameters of classical ray tracing.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Whitted {
        /// Specular reflections and refractions that a ray may undergo one after another.
        pub max_depth: u32 = 12, in 0..=24;
        /// Multiplies the ambient constant, which stands for indirect light; 0 shows direct light only.
        pub ambient: f32 = 1.0, in 0.0..=100.0;
        /// Rays that contribute less than this fraction of their light to the pixel are not followed; 0 follows all.
        pub cutoff: f32 = 0.001, in 0.0..=0.5;
    }
}

impl Integrator for Whitted {
    fn name(&self) -> &'static str {
        "whitted"
    }

    fn summary(&self) -> &'static str {
        "classical recursive ray tracing: direct light, mirrors, glass, a constant ambient term"
    }

    fn while_moving(&self, _on_gpu: bool) -> Option<Algorithm> {
        Some((*self).into())
    }

    fn prepare<'a>(&self, level: Level, view: &'a View<'a>, _first_sample: u32) -> Prepared<'a> {
        Prepared::Sums(Box::new(Classical {
            whitted: *self,
            level,
            view,
            ambient: self.ambient_light(level, view),
        }))
    }
}

/// Ready for tiles: these share the ambient light.
#[derive(Debug)]
struct Classical<'a> {
    whitted: Whitted,
    level: Level,
    view: &'a View<'a>,
    /// Radiance.
    ambient: Vec3,
}

impl AddSamples for Classical<'_> {
    fn add(&self, samples: &TileSamples, sums: &mut FilmTile, times: &mut StageTimes) -> RayCount {
        let Self { whitted, level, view, ambient } = self;
        let mut lap = Lap::start(times);
        let rays = dispatch!(*level, simd => whitted.render(simd, view, *ambient, samples, sums));
        lap.end(RenderStage::TraceAndShade);
        rays
    }
}

impl Whitted {
    /// The radiance that stands for all other indirect light of a view.
    pub fn ambient_light(&self, level: Level, view: &View<'_>) -> Vec3 {
        ambient::constant(level, view) * self.ambient
    }

    /// Adds samples to every pixel of a tile. `ambient` is [`ambient_light`](Self::ambient_light).
    #[inline(always)]
    fn render<S: Simd>(
        &self,
        simd: S,
        view: &View<'_>,
        ambient: Vec3,
        job: &TileSamples,
        tile: &mut FilmTile,
    ) -> RayCount {
        let mut rays = RayCount::default();
        for id in job.iter() {
            let (ray, weight) = view.camera_ray(id);
            let mut tracer = Tracer { view, whitted: self, ambient, id, rays, aov: AovSample::MISS };
            let camera = LastScattering { position: ray.origin, pdf_solid_angle: None };
            let radiance = tracer.radiance(simd, &ray, Vec3::ONE, 0, 0, &camera);
            rays = tracer.rays;
            tile.add(id.pixel[0], id.pixel[1], &PixelSample { radiance, weight, aov: tracer.aov });
        }
        rays
    }
}

/// The tree of rays below one camera ray.
struct Tracer<'a> {
    view: &'a View<'a>,
    whitted: &'a Whitted,
    ambient: Vec3,
    id: SampleId,
    rays: RayCount,
    aov: AovSample,
}

impl Tracer<'_> {
    /// Radiance that arrives along a ray.
    ///
    /// * `throughput` — of the path up to here. * `node` — numbers the rays of the tree as a binary heap does.
    fn radiance<S: Simd>(
        &mut self,
        simd: S,
        ray: &Ray,
        throughput: Vec3,
        depth: u32,
        node: u32,
        last: &LastScattering,
    ) -> Vec3 {
        simd.vectorize(
            #[inline(always)]
            || {
                let world = self.view.world;
                let wo_world = -ray.direction;
                self.aov.reflections = self.aov.reflections.max(depth);
                let Some((surface, distance)) = self.closest(simd, ray, node) else {
                    return world.escaped(ray.direction, last);
                };
                let bsdf = world.materials().bsdf(surface.material, &surface.attributes);
                if depth == 0 {
                    let (view, albedo, id) = (self.view, bsdf.albedo(), self.id);
                    self.aov =
                        view.first_surface(simd, &surface, distance, wo_world, albedo, id, &mut self.rays);
                }
                let emitted = world.emitted(&surface, wo_world, last);
                let wo = surface.frame.local_from_world(wo_world);
                let reflected = match bsdf.is_delta() {
                    true => self.specular(simd, &surface, &bsdf, wo, throughput, depth, node),
                    false => {
                        self.direct(simd, &surface, &bsdf, wo, node)
                            + self.scattered(simd, &surface, &bsdf, wo, throughput, depth, node)
                    }
                };
                emitted + reflected
            },
        )
    }

    /// The surface that a ray meets first, and how far away. Node 0 is the camera's ray.
    #[inline(always)]
    fn closest<S: Simd>(&mut self, simd: S, ray: &Ray, node: u32) -> Option<(SurfaceInteraction, f32)> {
        self.rays.intersect += 1;
        let hit = self.view.world.intersect(simd, ray, self.view.alpha_seed(self.id, node * 2))?;
        let width = if node == 0 { self.view.footprint(ray.direction, hit.t, self.id.sample) } else { 0.0 };
        Some((self.view.world.surface_interaction(&hit, -ray.direction, width), hit.t))
    }

    /// Perfect reflection and refraction: one ray for each lobe.
    #[inline(always)]
    fn specular<S: Simd>(
        &mut self,
        simd: S,
        surface: &SurfaceInteraction,
        bsdf: &Bsdf,
        wo: Vec3,
        throughput: Vec3,
        depth: u32,
        node: u32,
    ) -> Vec3 {
        if depth >= self.whitted.max_depth {
            return Vec3::ZERO;
        }
        let mut sum = Vec3::ZERO;
        for (lobe, child) in bsdf.delta_lobes(BsdfContext::RADIANCE, wo).into_iter().flatten().zip(1..) {
            let throughput = throughput * lobe.throughput;
            if let Some(ray) = spawn(surface, lobe.wi)
                && self.is_worth_while(throughput)
            {
                let last = LastScattering { position: surface.position, pdf_solid_angle: None };
                sum += lobe.throughput
                    * self.radiance(simd, &ray, throughput, depth + 1, node * 2 + child, &last);
            }
        }
        sum
    }

    /// Light from one sampled light, if nothing blocks it.
    #[inline(always)]
    fn direct<S: Simd>(
        &mut self,
        simd: S,
        surface: &SurfaceInteraction,
        bsdf: &Bsdf,
        wo: Vec3,
        node: u32,
    ) -> Vec3 {
        let SampleId { pixel, sample } = self.id;
        let vertex = Vertex::new(node);
        let light_u = self.view.sampler.get_1d(pixel, sample, vertex.light());
        let point_u = self.view.sampler.get_2d(pixel, sample, vertex.light_point());
        let Some(light) =
            self.view.world.sample_direct(surface, bsdf, wo, light_u, point_u, Technique::Combined)
        else {
            return Vec3::ZERO;
        };
        self.rays.occluded += 1;
        let seed = self.view.alpha_seed(self.id, node * 2 + 1);
        match self.view.world.transmittance(simd, &light.shadow_ray, seed) {
            Vec3::ZERO => Vec3::ZERO,
            transmittance => light.radiance * transmittance,
        }
    }

    /// One scattered ray: it finds lights for the multiple importance sampling; a glossy one goes on, a diffuse one
    /// that meets a surface brings the ambient constant.
    #[inline(always)]
    fn scattered<S: Simd>(
        &mut self,
        simd: S,
        surface: &SurfaceInteraction,
        bsdf: &Bsdf,
        wo: Vec3,
        throughput: Vec3,
        depth: u32,
        node: u32,
    ) -> Vec3 {
        let SampleId { pixel, sample } = self.id;
        let vertex = Vertex::new(node);
        let lobe_u = self.view.sampler.get_1d(pixel, sample, vertex.lobe());
        let direction_u = self.view.sampler.get_2d(pixel, sample, vertex.direction());
        let Some(scattering) = scatter(surface, bsdf, BsdfContext::RADIANCE, wo, lobe_u, direction_u) else {
            return Vec3::ZERO;
        };
        let Scattering { ray, sample: scattered } = scattering;
        let last = scattering.last(surface);
        if !scattered.lobe.intersects(Lobes::DIFFUSE) && depth < self.whitted.max_depth {
            let throughput = throughput * scattered.throughput;
            if !self.is_worth_while(throughput) {
                return Vec3::ZERO;
            }
            return scattered.throughput
                * self.radiance(simd, &ray, throughput, depth + 1, node * 2 + 1, &last);
        }
        let world = self.view.world;
        let arriving = match self.closest(simd, &ray, node * 2 + 1) {
            None => world.escaped(ray.direction, &last),
            Some((met, _)) => world.emitted(&met, -ray.direction, &last) + self.ambient,
        };
        scattered.throughput * arriving
    }

    /// Whether what arrives with such a throughput can be seen.
    #[inline(always)]
    fn is_worth_while(&self, throughput: Vec3) -> bool {
        throughput.max_element() >= self.whitted.cutoff
    }
}
