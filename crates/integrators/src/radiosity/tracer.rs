use fearless_simd::Simd;
use sunfleck_image::AovSample;
use sunfleck_math::{Ray, Vec3};
use sunfleck_shading::BsdfContext;
use sunfleck_transport::{LastScattering, SurfaceLight, scatter};

use crate::dimension::Vertex;
use crate::view::{RayCount, SampleId, View};

/// Follows one camera ray to a surface with stored light.
pub(super) struct Tracer<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) light: Option<&'a dyn SurfaceLight>,
    pub(super) max_depth: u32,
    pub(super) id: SampleId,
    pub(super) rays: RayCount,
}

impl Tracer<'_> {
    /// Returns the radiance along a camera ray, and the AOVs of the first surface. At mirrors and glass one of the
    /// lobes is chosen.
    #[inline(always)]
    pub(super) fn radiance<S: Simd>(&mut self, simd: S, mut ray: Ray) -> (Vec3, AovSample) {
        let (view, id) = (self.view, self.id);
        let (mut sum, mut throughput, mut aov) = (Vec3::ZERO, Vec3::ONE, AovSample::MISS);
        for depth in 0..=self.max_depth {
            aov.reflections = depth;
            self.rays.intersect += 1;
            let Some(hit) = view.world.intersect(simd, &ray, view.alpha_seed(id, depth * 2)) else {
                let is_seen = depth > 0 || view.spec.shows_environment;
                if is_seen {
                    sum += throughput * view.world.escaped(ray.direction, &LastScattering::delta(ray.origin));
                }
                break;
            };
            let wo = -ray.direction;
            let width = if depth == 0 { view.footprint(ray.direction, hit.t, id.sample) } else { 0.0 };
            let surface = view.world.surface_interaction(&hit, wo, width);
            let bsdf = view.world.bsdf(&surface);
            if depth == 0 {
                aov = view.first_surface(simd, &surface, hit.t, wo, &bsdf, id, &mut self.rays);
            }
            if let Some(stored) = self.light.and_then(|light| light.outgoing(view.world, &surface, wo)) {
                sum += throughput * stored;
                break;
            }
            let is_front = wo.dot(surface.ng) > 0.0;
            sum += throughput * view.world.emission(surface.material, &surface.attributes, is_front);
            let vertex = Vertex::new(depth);
            let lobe_u = view.sampler.get_1d(id.pixel, id.sample, vertex.lobe());
            let direction_u = view.sampler.get_2d(id.pixel, id.sample, vertex.direction());
            let local = surface.frame.local_from_world(wo);
            let context = BsdfContext::RADIANCE;
            if self.light.is_none() && !bsdf.is_delta() {
                break;
            }
            let Some(next) = scatter(&surface, &bsdf, context, local, lobe_u, direction_u) else { break };
            throughput *= next.sample.throughput;
            ray = next.ray;
        }
        (sum, aov)
    }
}
