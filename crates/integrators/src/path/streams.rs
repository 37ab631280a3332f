//! State of all paths of a tile.

use sunfleck_constants::path::VERTEX_BITS;
use sunfleck_image::AovSample;
use sunfleck_kernel::{HitBuffer, MISS, RayBuffer};
use sunfleck_math::{Ray, Vec3};
use sunfleck_transport::{LastScattering, World};

use super::batch::ShadingBatch;
use super::diffuse::Reflection;
use crate::view::{RayCount, SampleId};

/// Streams that the stages read and write.
#[derive(Debug)]
pub(crate) struct Streams {
    /// Result of each camera sample, in the order of the tile.
    pub(crate) results: Vec<SampleResult>,
    /// Paths of this wave, in any order.
    pub(crate) live: LivePaths,
    /// Paths of the next wave.
    pub(crate) next: LivePaths,
    /// Indices into `live` in the order of shading: plain hits, other hits, misses.
    pub(crate) order: Vec<u32>,
    /// Sort key of each live path.
    keys: Vec<u32>,
    /// Index in `order` at which the counting sort places the next path of each key.
    ends: Vec<u32>,
    /// Number of plain hits, which are shaded together.
    pub(crate) plain_count: usize,
    /// Number of hits.
    pub(crate) hit_count: usize,
    pub(crate) batch: Box<ShadingBatch>,
    pub(crate) reflection: Box<Reflection>,
    /// Shadow rays of this wave.
    pub(crate) shadow: ShadowRays,
    /// Number of rays that were traced for features.
    pub(crate) feature_rays: RayCount,
}

/// Accumulated result of a camera sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleResult {
    pub(crate) id: SampleId,
    pub(crate) radiance: Vec3,
    pub(crate) film_weight: f32,
    pub(crate) aov: AovSample,
    /// Share of the light that arrives at the last vertex which is diffuse light of the first surface that is not
    /// specular: see [`Aov::Diffuse`](sunfleck_image::Aov::Diffuse).
    pub(crate) diffuse_share: Vec3,
    /// Whether the path has met that surface.
    pub(crate) is_split: bool,
    /// Number of vertices at which the path went straight on through a pane of thin glass.
    pub(crate) panes: u32,
}

impl SampleResult {
    /// Returns the number of surfaces that have scattered the path before its `vertex`-th vertex. Going straight on
    /// through a pane is no scattering, since shadow rays do so, too.
    #[inline(always)]
    pub(crate) fn scatterings(&self, vertex: u32) -> u32 {
        vertex - self.panes
    }

    /// Returns the index of the rays of the `vertex`-th vertex among those of the sample, for their alpha tests.
    #[inline(always)]
    pub(crate) fn node(&self, vertex: u32) -> u32 {
        vertex | self.panes << VERTEX_BITS
    }

    /// Adds radiance that arrives along the path.
    ///
    /// * `share` — what the limit of fireflies leaves of it.
    #[inline(always)]
    pub(crate) fn add(&mut self, radiance: Vec3, share: f32) {
        let left = radiance * share;
        self.radiance += left;
        self.aov.diffuse += left * self.diffuse_share;
        self.aov.clamped += radiance - left;
    }
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
    /// Transmittances; empty if the world has no panes of thin glass.
    pub(crate) through: Vec<Vec3>,
}

/// Use of a shadow ray.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ShadowRayKind {
    /// Next-event estimation: adds this radiance, and its diffuse part, if unoccluded.
    Direct(Vec3, Vec3),
    /// Ambient occlusion of the first surface.
    Occlusion,
}

impl LivePaths {
    fn with_capacity(paths: usize) -> Self {
        Self {
            slot: Vec::with_capacity(paths),
            rays: RayBuffer::with_capacity(paths),
            throughput: Vec::with_capacity(paths),
            eta_scale: Vec::with_capacity(paths),
            last: Vec::with_capacity(paths),
            hits: HitBuffer::default(),
        }
    }

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
        self.rays.push(&ray);
        self.push_path(slot, throughput, eta_scale, last);
    }

    /// Appends a path whose ray is appended elsewhere.
    #[inline(always)]
    pub(crate) fn push_path(&mut self, slot: u32, throughput: Vec3, eta_scale: f32, last: LastScattering) {
        self.slot.push(slot);
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
            live: LivePaths::with_capacity(samples),
            next: LivePaths::with_capacity(samples),
            order: Vec::with_capacity(samples),
            keys: Vec::with_capacity(samples),
            ends: Vec::new(),
            plain_count: 0,
            hit_count: 0,
            batch: Box::default(),
            reflection: Box::default(),
            shadow: ShadowRays::default(),
            feature_rays: RayCount::default(),
        }
    }

    /// Orders the hits by material, so that the tables and textures of each stay in cache, plain ones first.
    ///
    /// * `batches_plain` — whether hits on plain materials may be shaded together; see
    ///   [`MaterialTable::is_plain`](sunfleck_shading::MaterialTable::is_plain).
    pub(crate) fn sort_by_material(&mut self, world: &World, batches_plain: bool) {
        let HitBuffer { prim_id, inst_id, .. } = &self.live.hits;
        let materials = world.materials();
        let count = materials.len();
        self.keys.clear();
        self.keys.extend(inst_id.iter().zip(prim_id).map(|(&inst, &prim)| {
            if prim == MISS {
                return 2 * count;
            }
            let material = world.material_at(inst, prim);
            let is_plain = batches_plain && materials.is_plain(material);
            if is_plain { material } else { count + material }
        }));
        self.order.clear();
        self.order.extend((0..).take(self.keys.len()));
        // With more keys than paths, counting would cost more than comparing
        if 2 * count as usize > 4 * self.keys.len() {
            self.order.sort_by_key(|&i| self.keys[i as usize]);
        } else {
            self.counting_sort(2 * count as usize + 1);
        }
        let key = |&i: &u32| self.keys[i as usize];
        self.plain_count = self.order.partition_point(|i| key(i) < count);
        self.hit_count = self.order.partition_point(|i| key(i) < 2 * count);
    }

    /// Sorts the paths by their keys, and those of equal keys by their indices.
    ///
    /// * `keys` — number of different keys.
    fn counting_sort(&mut self, keys: usize) {
        self.ends.clear();
        self.ends.resize(keys, 0);
        for &key in &self.keys {
            self.ends[key as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut self.ends {
            (*end, sum) = (sum, sum + *end);
        }
        for (&key, i) in self.keys.iter().zip(0..) {
            let at = &mut self.ends[key as usize];
            self.order[*at as usize] = i;
            *at += 1;
        }
    }

    /// Makes the paths spawned in this wave the live ones.
    pub(crate) fn advance(&mut self) {
        std::mem::swap(&mut self.live, &mut self.next);
        self.next.clear();
    }
}
