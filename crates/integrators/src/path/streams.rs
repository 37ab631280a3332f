//! The state of all paths of a tile.

use sunfleck_image::AovSample;
use sunfleck_kernel::Hit;
use sunfleck_math::{Ray, Vec3};
use sunfleck_transport::{LastScattering, World};

use crate::view::SampleId;

/// The streams that the stages pass on.
#[derive(Debug)]
pub(crate) struct Streams {
    /// One for each camera sample, in the order of the tile.
    pub(crate) done: Vec<Done>,
    /// Paths that go on, in any order.
    pub(crate) live: Live,
    /// Where `live` is collected for the next wave.
    pub(crate) next: Live,
    /// Indices into `live` in the order of shading.
    pub(crate) order: Vec<u32>,
    /// Light that arrives if nothing blocks it.
    pub(crate) shadow: Vec<ShadowRay>,
}

/// What a camera sample has gathered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Done {
    pub(crate) id: SampleId,
    pub(crate) radiance: Vec3,
    pub(crate) film_weight: f32,
    pub(crate) aov: AovSample,
}

/// Structure of arrays: the rays in flight.
#[derive(Debug, Default)]
pub(crate) struct Live {
    /// Index into [`Streams::done`].
    pub(crate) slot: Vec<u32>,
    pub(crate) ray: Vec<Ray>,
    pub(crate) throughput: Vec<Vec3>,
    /// Product of the squared relative indices of refraction: throughput times this has no scale of refraction.
    pub(crate) eta_scale: Vec<f32>,
    pub(crate) last: Vec<LastScattering>,
    /// Filled by the intersect stage.
    pub(crate) hit: Vec<Option<Hit>>,
}

/// A test for the next-event estimation or for ambient occlusion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShadowRay {
    pub(crate) slot: u32,
    pub(crate) ray: Ray,
    pub(crate) purpose: Purpose,
}

/// What an unblocked or blocked shadow ray means.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// Unblocked: adds this radiance.
    Direct(Vec3),
    /// Blocked: the first surface is occluded.
    Occlusion,
}

impl Live {
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
        self.ray.push(ray);
        self.throughput.push(throughput);
        self.eta_scale.push(eta_scale);
        self.last.push(last);
    }

    fn clear(&mut self) {
        self.slot.clear();
        self.ray.clear();
        self.throughput.clear();
        self.eta_scale.clear();
        self.last.clear();
        self.hit.clear();
    }
}

impl Streams {
    pub(crate) fn with_capacity(samples: usize) -> Self {
        Self {
            done: Vec::with_capacity(samples),
            live: Live::default(),
            next: Live::default(),
            order: Vec::with_capacity(samples),
            shadow: Vec::with_capacity(samples),
        }
    }

    /// Paths that hit the same material are shaded one after another, so its tables and textures stay in cache.
    pub(crate) fn sort_by_material(&mut self, world: &World) {
        let key = |hit: &Option<Hit>| {
            hit.as_ref().map_or(u32::MAX, |hit| world.material_at(hit.inst_id, hit.prim_id))
        };
        let mut keyed: Vec<(u32, u32)> = self.live.hit.iter().map(key).zip(0..).collect();
        keyed.sort_unstable();
        self.order.clear();
        self.order.extend(keyed.into_iter().map(|(_, index)| index));
    }

    /// The paths spawned in this wave become the live ones.
    pub(crate) fn advance(&mut self) {
        std::mem::swap(&mut self.live, &mut self.next);
        self.next.clear();
    }
}
