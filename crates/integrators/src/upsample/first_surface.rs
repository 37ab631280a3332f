//! What a camera ray sees at the first surface.

use sunfleck_kernel::{HitBuffer, MISS, RayStream};
use sunfleck_math::Vec3;
use sunfleck_shading::SurfaceAttributes;
use sunfleck_transport::InteractionBlock;
use sunfleck_transport::vectors::vector;

use super::light::BRIGHT;
use super::primary::{Followed, Plane, Primary, PrimarySurface, Specular};
use crate::View;

/// Difference of cosines up to which neighbouring pixels of a material without textures share an albedo.
const SAME_COSINE: f32 = 0.02;
/// Least cosine between ray and surface by which footprints of textures are widened.
const LEAST_SLANT: f32 = 0.05;
/// Number of materials whose albedo is kept.
const KEPT_ALBEDOS: usize = 32;

/// Direct-mapped cache of albedos by material.
pub(super) struct AlbedoCache([KeptAlbedo; KEPT_ALBEDOS]);

/// Albedo of the newest pixel of a material without textures.
#[derive(Clone, Copy)]
struct KeptAlbedo {
    material: u32,
    /// Cosine of the angle between normal and viewer, negative at the back face.
    mu: f32,
    albedo: Vec3,
}

impl KeptAlbedo {
    const NONE: Self = Self { material: u32::MAX, mu: f32::NAN, albedo: Vec3::ZERO };

    /// Returns whether a pixel of a material shares the albedo.
    #[inline(always)]
    fn is_near(&self, material: u32, mu: f32) -> bool {
        self.material == material && (self.mu - mu).abs() < SAME_COSINE
    }
}

impl AlbedoCache {
    pub(super) fn new() -> Self {
        Self([KeptAlbedo::NONE; KEPT_ALBEDOS])
    }
}

/// Hit of a stream.
pub(super) struct HitAt<'a> {
    pub(super) rays: &'a RayStream<'a>,
    pub(super) hits: &'a HitBuffer,
    pub(super) i: usize,
    pub(super) block: &'a InteractionBlock,
    pub(super) lane: usize,
}

/// Returns what a camera ray sees; `None` at mirrors and glass, where it is followed later.
///
/// * `lit` — whether emitters, the environment and mirrors are shown.
#[inline(always)]
pub(super) fn primary(
    view: &View<'_>,
    lit: bool,
    pixel: [u32; 2],
    at: &HitAt<'_>,
    albedos: &mut AlbedoCache,
    specular: &mut Specular,
) -> Option<Primary> {
    let &HitAt { rays, hits, i, block, lane } = at;
    let [x, y, z] = rays.direction;
    let direction = Vec3::new(x[i], y[i], z[i]);
    if hits.prim_id[i] == MISS {
        let [x, y, z] = rays.origin;
        let origin = Vec3::new(x[i], y[i], z[i]);
        let radiance = match lit {
            true => view.beyond(direction, origin, true),
            false => Vec3::ONE,
        };
        return Some(Primary::Radiance(radiance));
    }
    let (world, material, distance) = (view.world, block.material[lane], hits.t[i]);
    let materials = world.materials();
    // The footprint of the pixel's only ray is an ellipse: the geometric mean of its axes
    let slant = vector(&block.ng, lane).dot(direction).abs().clamp(LEAST_SLANT, 1.0);
    let width = view.footprint(direction, distance, 0) / slant.sqrt();
    if lit && materials.is_delta(material) {
        let surface = world.surface_interaction_of(hits, i, (block, lane), -direction, width);
        let mut at =
            Followed { pixel, ray: rays.get(i)?, distance, throughput: Vec3::ONE, is_straight: true };
        let primary = view.follow_or_primary(&mut at, &surface, true, true);
        if primary.is_none() {
            specular.followed.push(at);
        }
        return primary;
    }
    let is_uniform = world.is_uniform(hits.inst_id[i], material);
    let (normal, attributes) = if is_uniform {
        (vector(&block.ns, lane), SurfaceAttributes::default())
    } else if materials.is_bumpy(material) {
        let surface = world.surface_interaction_of(hits, i, (block, lane), -direction, width);
        (surface.frame.normal, surface.attributes)
    } else {
        (vector(&block.ns, lane), world.attributes_of(hits, i, width))
    };
    let mu = normal.dot(direction).abs().min(1.0);
    let emitted = world.emission(material, &attributes, block.side[lane] > 0.0);
    if lit && emitted.max_element() > BRIGHT {
        return Some(Primary::Radiance(emitted));
    }
    let kept = &mut albedos.0[material as usize % KEPT_ALBEDOS];
    let signed_mu = mu * block.side[lane];
    let albedo = if is_uniform && kept.is_near(material, signed_mu) {
        kept.albedo
    } else {
        // Inlined, so that only what its reflectance needs is computed of the bsdf
        let bsdf = materials.bsdf(material, &attributes);
        let albedo = (bsdf.reflectance(mu) + emitted).min(Vec3::ONE);
        if is_uniform {
            *kept = KeptAlbedo { material, mu: signed_mu, albedo };
        }
        albedo
    };
    let inverse_distance = distance.max(f32::MIN_POSITIVE).recip();
    let plane = Some(Plane { point: vector(&block.position, lane), normal: vector(&block.ng, lane) });
    Some(Primary::Surface(PrimarySurface { albedo, normal, inverse_distance, plane }))
}
