//! Classical recursive ray tracing [Whitted80, the improved model]: direct light with shadows, recursive perfect
//! reflection and refraction, and a constant for all other indirect light.
//!
//! In contrast to the paper, area lights are sampled with multiple importance sampling, glossy lobes spawn one ray
//! [Cook84, gloss], and the ambient constant is estimated (see `ambient.rs`). It arrives at a point only from
//! directions in which there is a surface, so corners stay dark. Rays of negligible contribution are not followed
//! [Hall83, adaptive tree-depth control]. Rays are traced one at a time, in contrast to the streams of [`crate::path`].

pub(crate) mod ambient;

use fearless_simd::{Level, Simd, dispatch};
use serde::{Deserialize, Serialize};
use sunfleck_image::{Aov, AovSample, AovSet, FilmTile, PixelSample};
use sunfleck_math::{Ray, Vec3};
use sunfleck_scene::parameters;
use sunfleck_shading::{Bsdf, BsdfContext, Lobes};
use sunfleck_transport::{
    DirectSampling, LastScattering, Scattering, SurfaceInteraction, passed, scatter, spawn,
};

use crate::Algorithm;
use crate::dimension::Vertex;
use crate::integrator::{AddSamples, Integrator, PreparedIntegrator};
use crate::stage_times::{RenderStage, StageTimer, StageTimes};
use crate::view::{RayCount, SampleId, View};

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

    fn channels(&self) -> AovSet {
        AovSet::ALL.without(Aov::Diffuse).without(Aov::Clamped)
    }

    fn while_moving(&self, _on_gpu: bool) -> Option<Algorithm> {
        Some((*self).into())
    }

    fn prepare<'a>(&self, level: Level, view: &'a View<'a>, _first_sample: u32) -> PreparedIntegrator<'a> {
        PreparedIntegrator::Sums(Box::new(WhittedRenderer {
            whitted: *self,
            level,
            view,
            ambient: self.ambient_light(level, view),
        }))
    }
}

/// Classical ray tracing of one view; tiles share the ambient constant.
#[derive(Debug)]
struct WhittedRenderer<'a> {
    whitted: Whitted,
    level: Level,
    view: &'a View<'a>,
    /// Radiance of ambient light.
    ambient: Vec3,
}

impl AddSamples for WhittedRenderer<'_> {
    fn add(&self, samples: &[SampleId], sums: &mut FilmTile, times: &mut StageTimes) -> RayCount {
        let Self { whitted, level, view, ambient } = self;
        let mut timer = StageTimer::start(times);
        let rays = dispatch!(*level, simd => whitted.render(simd, view, *ambient, samples, sums));
        timer.end(RenderStage::TraceAndShade);
        rays
    }
}

impl Whitted {
    /// Returns the radiance of ambient light in a view: the estimated constant times [`Whitted::ambient`].
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
        samples: &[SampleId],
        tile: &mut FilmTile,
    ) -> RayCount {
        let mut rays = RayCount::default();
        for &id in samples {
            let (ray, weight) = view.camera_ray(id);
            let aov = AovSample::MISS;
            let mut tracer = Tracer { view, whitted: self, ambient, id, rays, aov, has_first: false };
            let camera = LastScattering::delta(ray.origin);
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
    /// Whether `aov` describes the first surface.
    has_first: bool,
}

impl Tracer<'_> {
    /// Returns the radiance that arrives along a ray. Behind panes of thin glass that it passes, it is the same ray.
    ///
    /// * `throughput` — throughput of the path so far.
    /// * `depth`, `node` — depth of the ray in the tree, and its index, numbered as in a binary heap.
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
                let (mut ray, mut sum, mut through) = (*ray, Vec3::ZERO, Vec3::ONE);
                self.aov.reflections = self.aov.reflections.max(depth);
                loop {
                    let wo_world = -ray.direction;
                    let Some((surface, distance)) = self.closest(simd, &ray, node) else {
                        if depth == 0 && !self.view.spec.shows_environment {
                            // Panes in front of the background cover what they do not transmit
                            self.aov = AovSample {
                                reflections: self.aov.reflections,
                                coverage: 1.0 - through.max_element(),
                                ..AovSample::MISS
                            };
                            return sum;
                        }
                        return sum + through * world.escaped(ray.direction, last);
                    };
                    let bsdf = world.bsdf(&surface);
                    if !self.has_first {
                        self.has_first = true;
                        let (view, id) = (self.view, self.id);
                        self.aov =
                            view.first_surface(simd, &surface, distance, wo_world, &bsdf, id, &mut self.rays);
                    }
                    let emitted = world.emitted(&surface, wo_world, last);
                    let wo = surface.frame.local_from_world(wo_world);
                    let throughput = throughput * through;
                    let reflected = match bsdf.is_delta() {
                        true => self.specular(simd, &surface, &bsdf, wo, throughput, depth, node),
                        false => {
                            self.direct(simd, &surface, &bsdf, wo, node)
                                + self.scattered(simd, &surface, &bsdf, wo, throughput, depth, node)
                        }
                    };
                    sum += through * (emitted + reflected);
                    match behind(&surface, &bsdf, wo) {
                        Some((next, transmittance)) if self.is_significant(throughput * transmittance) => {
                            ray = next;
                            through *= transmittance;
                        }
                        _ => return sum,
                    }
                }
            },
        )
    }

    /// Returns the closest surface on a ray, and its distance. Node 0 is the camera ray.
    #[inline(always)]
    fn closest<S: Simd>(&mut self, simd: S, ray: &Ray, node: u32) -> Option<(SurfaceInteraction, f32)> {
        self.rays.intersect += 1;
        let hit = self.view.world.intersect(simd, ray, self.view.alpha_seed(self.id, node * 2))?;
        let width = if node == 0 { self.view.footprint(ray.direction, hit.t, self.id.sample) } else { 0.0 };
        Some((self.view.world.surface_interaction(&hit, -ray.direction, width), hit.t))
    }

    /// Returns the radiance of perfect reflection and refraction, with one ray for each lobe, without what is
    /// [`behind`] panes of thin glass.
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
        let last = LastScattering::delta(surface.position);
        let mut sum = Vec3::ZERO;
        for (lobe, child) in bsdf.delta_lobes(BsdfContext::RADIANCE, wo).into_iter().flatten().zip(1..) {
            let throughput = throughput * lobe.throughput;
            if !bsdf.is_passed(lobe.lobe)
                && self.is_significant(throughput)
                && let Some(ray) = spawn(surface, lobe.wi)
            {
                sum += lobe.throughput
                    * self.radiance(simd, &ray, throughput, depth + 1, node * 2 + child, &last);
            }
        }
        sum
    }

    /// Returns the reflected radiance of one sampled light.
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
            self.view.world.sample_direct(surface, bsdf, wo, light_u, point_u, DirectSampling::Mis)
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

    /// Returns the radiance along one scattered ray. If the ray hits a light, that is the second estimate of multiple
    /// importance sampling. Glossy rays are followed recursively; diffuse rays that hit a surface add the ambient
    /// constant.
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
        let last = scattering.last(surface, bsdf, &LastScattering::delta(surface.position));
        if !scattered.lobe.intersects(Lobes::DIFFUSE) && depth < self.whitted.max_depth {
            let throughput = throughput * scattered.throughput;
            if !self.is_significant(throughput) {
                return Vec3::ZERO;
            }
            return scattered.throughput
                * self.radiance(simd, &ray, throughput, depth + 1, node * 2 + 1, &last);
        }
        scattered.throughput * self.arriving(simd, ray, node * 2 + 1, &last)
    }

    /// Returns the radiance along a ray that ends where it hits a surface, which adds the ambient constant. Through
    /// panes of thin glass it goes straight on, since the other estimate of multiple importance sampling does so, too.
    #[inline(always)]
    fn arriving<S: Simd>(&mut self, simd: S, mut ray: Ray, node: u32, last: &LastScattering) -> Vec3 {
        let world = self.view.world;
        let (mut sum, mut through) = (Vec3::ZERO, Vec3::ONE);
        loop {
            let Some((surface, _)) = self.closest(simd, &ray, node) else {
                return sum + through * world.escaped(ray.direction, last);
            };
            let wo_world = -ray.direction;
            sum += through * world.emitted(&surface, wo_world, last);
            let bsdf = world.bsdf(&surface);
            if !bsdf.is_pane() {
                return sum + through * self.ambient;
            }
            let wo = surface.frame.local_from_world(wo_world);
            let [reflection, _] = bsdf.delta_lobes(BsdfContext::RADIANCE, wo);
            sum += through * self.ambient * reflection.map_or(Vec3::ZERO, |lobe| lobe.throughput);
            let Some((next, transmittance)) = behind(&surface, &bsdf, wo) else { return sum };
            through *= transmittance;
            ray = next;
        }
    }

    /// Returns whether a ray of this throughput is followed.
    #[inline(always)]
    fn is_significant(&self, throughput: Vec3) -> bool {
        throughput.max_element() >= self.whitted.cutoff
    }
}

/// Returns the ray that goes straight on through a pane of thin glass, and its throughput; `None` for other surfaces,
/// and for panes all of whose transmission passes without a vertex.
#[inline(always)]
fn behind(surface: &SurfaceInteraction, bsdf: &Bsdf, wo: Vec3) -> Option<(Ray, Vec3)> {
    if !bsdf.is_pane() {
        return None;
    }
    let [_, transmission] = bsdf.delta_lobes(BsdfContext::RADIANCE, wo);
    Some((passed(surface, wo), transmission?.throughput))
}
