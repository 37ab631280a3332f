//! Walks of light: from a light to a surface, from surface to surface, to where it is absorbed.

use fearless_simd::Simd;
use sunfleck_constants::dimension::{LONGEST, OF_SURFACE, PER_SURFACE};
use sunfleck_constants::igi::LEAST_ABSORPTION;
use sunfleck_math::Vec3;
use sunfleck_shading::{Bsdf, BsdfContext, BsdfSample, EmittedRay, Lobes};
use sunfleck_transport::{SurfaceInteraction, scatter, survives};

use crate::view::{SampleId, View};

/// Random decisions of walks are those of pixels that no film has. Each kind of them and each frame has a sequence of its own: in one
/// that went on through the frames, neighbours would be numbers at equal strides, which in a low-discrepancy sequence reach but
/// a part of all decisions.
pub(crate) const fn sequence(kind: u32, pass: u32) -> [u32; 2] {
    [u32::MAX - kind, pass]
}

/// Light that arrives at a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) surface: SurfaceInteraction,
    pub(crate) bsdf: Bsdf,
    /// To where it comes from, unit, in the world …
    pub(crate) wi_world: Vec3,
    /// … and in the surface's frame.
    pub(crate) wi: Vec3,
    /// W.
    pub(crate) flux: Vec3,
    /// The part of it that comes by a specular lobe of the surface before, W.
    pub(crate) specular: Vec3,
    /// Surfaces before.
    pub(crate) bounce: u32,
}

/// Follows light from where it leaves a light. Where it is absorbed, it arrives with the flux of all walks that would have gone on;
/// `None` if it leaves the scene.
///
/// * `meet` — is told of every surface on the way, the last included, before it is known whether the light is absorbed there.
#[inline(always)]
pub(crate) fn walk<S: Simd>(
    simd: S,
    view: &View<'_>,
    id: SampleId,
    emitted: &EmittedRay,
    mut meet: impl FnMut(&Arrival),
) -> Option<Arrival> {
    let (world, SampleId { pixel, sample }) = (view.world, id);
    let (mut flux, mut specular) = (emitted.flux, Vec3::ZERO);
    let mut ray = emitted.ray;
    for bounce in 0..LONGEST {
        let hit = world.intersect(simd, &ray, view.alpha_seed(id, bounce + 1))?;
        let wi_world = -ray.direction;
        let surface = world.surface_interaction(&hit, wi_world, 0.0);
        let bsdf = world.materials().bsdf(surface.material, &surface.attributes);
        let wi = surface.frame.local_from_world(wi_world);
        let arrival = Arrival { surface, bsdf, wi_world, wi, flux, specular, bounce };
        meet(&arrival);
        let dimension = OF_SURFACE + PER_SURFACE * bounce;

        // Absorbed here?
        let survival = survival(&bsdf);
        if !survives(survival, view.sampler.get_1d(pixel, sample, dimension)) {
            return Some(Arrival { flux: flux / (1.0 - survival), ..arrival });
        }
        flux /= survival;

        // Scatter
        let lobe_u = view.sampler.get_1d(pixel, sample, dimension + 1);
        let direction_u = view.sampler.get_2d(pixel, sample, dimension + 2);
        let scattering = scatter(&surface, &bsdf, BsdfContext::IMPORTANCE, wi, lobe_u, direction_u)?;
        specular = flux * specular_throughput(&bsdf, wi, &scattering.sample);
        flux *= scattering.sample.throughput;
        if flux == Vec3::ZERO || !flux.is_finite() {
            return None;
        }
        ray = scattering.ray;
    }
    None
}

/// With which probability a walk goes on: about the share of light that is reflected.
fn survival(bsdf: &Bsdf) -> f32 {
    if bsdf.is_delta() { 1.0 } else { bsdf.albedo().max_element().min(1.0 - LEAST_ABSORPTION) }
}

/// The part of a sample's throughput that is due to specular lobes: the density is that of all lobes.
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
    fn light_leaves_its_own_surface() {
        // Its window is a large light whose plane is near to the origin
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
            assert!(hit.as_ref().is_none_or(|hit| hit.t > 1e-5), "light {light}: {emitted:?} meets {hit:?}");
        }
    }
}
