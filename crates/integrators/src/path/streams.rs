//! State of all paths of a tile.

use sunfleck_image::AovSample;
use sunfleck_kernel::{HitBuffer, MISS, RayBuffer};
use sunfleck_math::{Ray, Vec3};
use sunfleck_transport::{LastScattering, World};

use crate::view::SampleId;

/// Streams that the stages read and write.
#[derive(Debug)]
pub(crate) struct Streams {
    /// Result of each camera sample, in the order of the tile.
    pub(crate) results: Vec<SampleResult>,
    /// Paths of this wave, in any order.
    pub(crate) live: LivePaths,
    /// Paths of the next wave.
    pub(crate) next: LivePaths,
    /// Indices into `live` in the order of shading.
    pub(crate) order: Vec<u32>,
    /// Shadow rays of this wave.
    pub(crate) shadow: ShadowRays,
}

/// Accumulated result of a camera sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleResult {
    pub(crate) id: SampleId,
    pub(crate) radiance: Vec3,
    pub(crate) film_weight: f32,
    pub(crate) aov: AovSample,
}

/// Live paths as structure of arrays.
#[derive(Debug, Default)]
pub(crate) struct LivePaths {
    /// Index into [`Streams::results`].
    pub(crate) slot: Vec<u32>,
    pub(crate) rays: RayBuffer,
    pub(crate) throughput: Vec<Vec3>,
    /// Product of the squared relative indices of refraction. Multiplied by it, the throughput is free of the
    /// scaling of radiance by refraction, as Russian roulette needs.
    pub(crate) eta_scale: Vec<f32>,
    pub(crate) last: Vec<LastScattering>,
    /// Filled by the intersect stage.
    pub(crate) hits: HitBuffer,
}

/// Shadow rays of next-event estimation or of ambient occlusion, as structure of arrays.
#[derive(Debug, Default)]
pub(crate) struct ShadowRays {
    pub(crate) slot: Vec<u32>,
    pub(crate) rays: RayBuffer,
    pub(crate) kind: Vec<ShadowRayKind>,
    /// Filled when the rays are traced.
    pub(crate) occluded: Vec<bool>,
}

/// Use of a shadow ray.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ShadowRayKind {
    /// Next-event estimation: adds this radiance if unoccluded.
    Direct(Vec3),
    /// Ambient occlusion of the first surface.
    Occlusion,
}

impl LivePaths {
    pub(crate) fn len(&self) -> usize {
        self.slot.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slot.is_empty()
    }

    #[inline(always)]
    pub(crate) fn push(
        &mut self,
        slot: u32,
        ray: Ray,
        throughput: Vec3,
        eta_scale: f32,
        last: LastScattering,
    ) {
        self.slot.push(slot);
        self.rays.push(&ray);
        self.throughput.push(throughput);
        self.eta_scale.push(eta_scale);
        self.last.push(last);
    }

    fn clear(&mut self) {
        self.slot.clear();
        self.rays.clear();
        self.throughput.clear();
        self.eta_scale.clear();
        self.last.clear();
    }
}

impl ShadowRays {
    pub(crate) fn len(&self) -> usize {
        self.slot.len()
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, slot: u32, ray: &Ray, kind: ShadowRayKind) {
        self.slot.push(slot);
        self.rays.push(ray);
        self.kind.push(kind);
    }

    pub(crate) fn clear(&mut self) {
        self.slot.clear();
        self.rays.clear();
        self.kind.clear();
    }
}

impl Streams {
    pub(crate) fn with_capacity(samples: usize) -> Self {
        Self {
            results: Vec::with_capacity(samples),
            live: LivePaths::default(),
            next: LivePaths::default(),
            order: Vec::with_capacity(samples),
            shadow: ShadowRays::default(),
        }
    }

    /// Orders the paths by material, so that the tables and textures of each stay in cache.
    pub(crate) fn sort_by_material(&mut self, world: &World) {
        let HitBuffer { prim_id, inst_id, .. } = &self.live.hits;
        let key = |(&inst, &prim)| if prim == MISS { u32::MAX } else { world.material_at(inst, prim) };
        let mut keyed: Vec<(u32, u32)> = inst_id.iter().zip(prim_id).map(key).zip(0..).collect();
        keyed.sort_unstable();
        self.order.clear();
        self.order.extend(keyed.into_iter().map(|(_, index)| index));
    }

    /// Makes the paths spawned in this wave the live ones.
    pub(crate) fn advance(&mut self) {
        std::mem::swap(&mut self.live, &mut self.next);
        self.next.clear();
    }
}
