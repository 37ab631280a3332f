//! Random walks of light: paths that start at a light, scatter at surfaces, and end where they are absorbed.

use fearless_simd::Simd;
use sunfleck_constants::dimension::{LONGEST, OF_SURFACE, PER_SURFACE};
use sunfleck_constants::igi::LEAST_ABSORPTION;
use sunfleck_math::Vec3;
use sunfleck_shading::{Bsdf, BsdfContext, BsdfSample, EmittedRay, Lobes};
use sunfleck_transport::{SurfaceInteraction, scatter, survives};

use crate::view::{SampleId, View};

/// Returns the pixel, outside of every film, whose sample sequence the walks of one kind use in one frame.
/// Each frame has a sequence of its own: in one sequence for all frames, neighbouring VPLs would use samples
/// at equal strides, which in a low-discrepancy sequence cover only a part of the domain.
pub(crate) const fn sequence(kind: u32, pass: u32) -> [u32; 2] {
    [u32::MAX - kind, pass]
}

/// Vertex of a walk: light that arrives at a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LightVertex {
    pub(crate) surface: SurfaceInteraction,
    pub(crate) bsdf: Bsdf,
    /// Direction that the light comes from, unit, in world space.
    pub(crate) wi_world: Vec3,
    /// Direction that the light comes from, unit, in the shading frame.
    pub(crate) wi: Vec3,
    /// Flux, W.
    pub(crate) flux: Vec3,
    /// Part of the flux that a specular lobe of the previous surface scattered, W.
    pub(crate) specular: Vec3,
    /// Number of previous surfaces.
    pub(crate) bounce: u32,
}

/// Follows a walk from a light to the vertex where it is absorbed. That vertex has the flux divided by the probability
/// of absorption. Returns `None` if the walk leaves the scene.
///
/// * `visit` — called for every vertex, including the last one, before absorption is decided.
#[inline(always)]
pub(crate) fn walk<S: Simd>(
    simd: S,
    view: &View<'_>,
    id: SampleId,
    emitted: &EmittedRay,
    mut visit: impl FnMut(&LightVertex),
) -> Option<LightVertex> {
    let (world, SampleId { pixel, sample }) = (view.world, id);
    let (mut flux, mut specular) = (emitted.flux, Vec3::ZERO);
    let mut ray = emitted.ray;
    for bounce in 0..LONGEST {
        let hit = world.intersect(simd, &ray, view.alpha_seed(id, bounce + 1))?;
        let wi_world = -ray.direction;
        let surface = world.surface_interaction(&hit, wi_world, 0.0);
        let bsdf = world.bsdf(&surface);
        let wi = surface.frame.local_from_world(wi_world);
        let vertex = LightVertex { surface, bsdf, wi_world, wi, flux, specular, bounce };
        visit(&vertex);
        let dimension = OF_SURFACE + PER_SURFACE * bounce;

        // Absorb the walk by Russian roulette
        let survival = survival(&bsdf);
        if !survives(survival, view.sampler.get_1d(pixel, sample, dimension)) {
            return Some(LightVertex { flux: flux / (1.0 - survival), ..vertex });
        }
        flux /= survival;

        // Scatter
        let lobe_u = view.sampler.get_1d(pixel, sample, dimension + 1);
        let direction_u = view.sampler.get_2d(pixel, sample, dimension + 2);
        let scattering = scatter(&surface, &bsdf, BsdfContext::IMPORTANCE, wi, lobe_u, direction_u)?;
        // Shadow rays pass panes of thin glass, so that light behind them is no caustic
        specular = match bsdf.is_passed(scattering.sample.lobe) {
            true => specular * scattering.sample.throughput,
            false => flux * specular_throughput(&bsdf, wi, &scattering.sample),
        };
        flux *= scattering.sample.throughput;
        if flux == Vec3::ZERO || !flux.is_finite() {
            return None;
        }
        ray = scattering.ray;
    }
    None
}

/// Returns the probability that a walk continues: about the albedo.
fn survival(bsdf: &Bsdf) -> f32 {
    if bsdf.is_delta() { 1.0 } else { bsdf.albedo().max_element().min(1.0 - LEAST_ABSORPTION) }
}

/// Returns the part of a sample's throughput that is due to specular lobes; the density is that of all lobes.
fn specular_throughput(bsdf: &Bsdf, wi: Vec3, scattered: &BsdfSample) -> Vec3 {
    if !bsdf.lobes().intersects(Lobes::SPECULAR) {
        Vec3::ZERO
    } else if scattered.is_delta() {
        scattered.throughput
    } else {
        let others = BsdfContext::IMPORTANCE.with_lobes(Lobes::NON_SPECULAR);
        let others = bsdf.eval(others, wi, scattered.wi) / scattered.pdf_solid_angle;
        (scattered.throughput - others).max(Vec3::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};
    use sunfleck_math::vec2;
    use sunfleck_sampling::rng;

    use sunfleck_transport::{AlphaSeed, World};

    #[test]
    fn emitted_rays_do_not_hit_their_own_light() {
        // The window of this scene is a large light whose plane is near the origin
        let world = World::commit(&sunfleck_models::build("office").unwrap()).unwrap();
        let (lights, sphere) = (world.lights().len(), (world.bounds().center(), 99.0));
        for i in 0..u32::try_from(600 * lights).unwrap() {
            let u = |k: u32| rng::uniform([i, k, 3, 5]);
            let light = i as usize % lights;
            let emitter = world.lights().virtual_emitter(world.materials(), light, 1.0, vec2(u(0), u(1)));
            let Some(emitted) = emitter.and_then(|it| it.emit(vec2(u(2), u(3)), u(4), sphere)) else {
                continue;
            };
            let seed = AlphaSeed { pixel: [i, 0], sample: 0, stream: 0 };
            let hit = dispatch!(Level::new(), simd => world.intersect(simd, &emitted.ray, seed));
            assert!(hit.as_ref().is_none_or(|hit| hit.t > 1e-5), "light {light}: {emitted:?} hits {hit:?}");
        }
    }
}
