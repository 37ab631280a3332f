#![allow(unsafe_code, reason = "a C library is called")]

use std::ffi::c_int;

use sunfleck_kernel::{HitStream, MISS};

use super::EmbreeScene;
use super::library::{Query1, QueryN};
use super::types::{Aligned, HitN, INVALID_ID, QueryArguments, RayHitN, RayN};
use crate::query::Query;
use crate::rays::RaySlice;

/// Form in which rays are passed to Embree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmbreeForm {
    /// Single rays: `rtcIntersect1`, `rtcOccluded1`.
    Single,
    /// Packets of 8 rays: `rtcIntersect8`, `rtcOccluded8`.
    Packet8 {
        /// Coherence hint.
        coherent: bool,
    },
    /// Packets of 16 rays: `rtcIntersect16`, `rtcOccluded16`.
    Packet16 {
        /// Coherence hint.
        coherent: bool,
    },
}

impl EmbreeForm {
    /// All forms to measure.
    pub(crate) const ALL: [Self; 5] = [
        Self::Single,
        Self::Packet8 { coherent: false },
        Self::Packet8 { coherent: true },
        Self::Packet16 { coherent: false },
        Self::Packet16 { coherent: true },
    ];

    /// Name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Single => "1",
            Self::Packet8 { coherent: false } => "8 inc",
            Self::Packet8 { coherent: true } => "8 coh",
            Self::Packet16 { coherent: false } => "16 inc",
            Self::Packet16 { coherent: true } => "16 coh",
        }
    }
}

/// Embree with one scene and one form of query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmbreeQuery<'a> {
    /// Scene.
    pub(crate) scene: &'a EmbreeScene,
    /// Form of query.
    pub(crate) form: EmbreeForm,
}

impl Query for EmbreeQuery<'_> {
    fn name(&self) -> String {
        format!("{}{}", if self.scene.robust() { "robust " } else { "" }, self.form.name())
    }

    fn always_timed(&self) -> bool {
        self.form == EmbreeForm::Single
    }

    fn closest(&self, slice: &RaySlice<'_>, hits: &mut HitStream<'_>) {
        let f = &self.scene.library().functions;
        match self.form {
            EmbreeForm::Single => closest_single(self.scene, f.intersect1, slice, hits),
            EmbreeForm::Packet8 { coherent } => {
                closest_packets(self.scene, f.intersect8, coherent, slice, hits);
            }
            EmbreeForm::Packet16 { coherent } => {
                closest_packets(self.scene, f.intersect16, coherent, slice, hits);
            }
        }
    }

    fn occluded(&self, slice: &RaySlice<'_>, occluded: &mut [bool]) {
        let f = &self.scene.library().functions;
        match self.form {
            EmbreeForm::Single => any_single(self.scene, f.occluded1, slice, occluded),
            EmbreeForm::Packet8 { coherent } => {
                any_packets(self.scene, f.occluded8, coherent, slice, occluded);
            }
            EmbreeForm::Packet16 { coherent } => {
                any_packets(self.scene, f.occluded16, coherent, slice, occluded);
            }
        }
    }
}

fn closest_single(
    scene: &EmbreeScene,
    intersect: Query1<RayHitN<1>>,
    slice: &RaySlice<'_>,
    hits: &mut HitStream<'_>,
) {
    let mut arguments = QueryArguments::new(false);
    let mut packet = Aligned(RayHitN { ray: RayN::NONE, hit: HitN::NONE });
    let outputs = hits.t.iter_mut().zip(&mut *hits.prim_id).zip(hits.u.iter_mut().zip(&mut *hits.v));
    for (ray, ((t, prim), (u, v))) in slice.rays.iter().zip(outputs) {
        let RayHitN { ray: packed, hit } = &mut packet.0;
        packed.set(ray);
        hit.geom_id = [INVALID_ID];
        // SAFETY: the scene is committed; the structures have the layout and alignment that Embree requires.
        unsafe { intersect(scene.handle(), &raw mut packet.0, &raw mut arguments) };
        let RayHitN { ray: packed, hit } = &packet.0;
        let missed = hit.geom_id[0] == INVALID_ID;
        *t = if missed { f32::INFINITY } else { packed.t_far[0] };
        *prim = if missed { MISS } else { hit.prim_id[0] };
        (*u, *v) = (hit.u[0], hit.v[0]);
    }
}

fn any_single(scene: &EmbreeScene, query: Query1<RayN<1>>, slice: &RaySlice<'_>, occluded: &mut [bool]) {
    let mut arguments = QueryArguments::new(false);
    let mut packet = Aligned(RayN::NONE);
    for (ray, blocked) in slice.rays.iter().zip(occluded) {
        packet.0.set(ray);
        // SAFETY: the scene is committed; the structures have the layout and alignment that Embree requires.
        unsafe { query(scene.handle(), &raw mut packet.0, &raw mut arguments) };
        *blocked = packet.0.t_far[0] == f32::NEG_INFINITY;
    }
}

fn closest_packets<const N: usize>(
    scene: &EmbreeScene,
    intersect: QueryN<RayHitN<N>>,
    coherent: bool,
    slice: &RaySlice<'_>,
    hits: &mut HitStream<'_>,
) {
    let mut arguments = QueryArguments::new(coherent);
    let mut packet = Aligned(RayHitN { ray: RayN::<N>::NONE, hit: HitN::<N>::NONE });
    for first in (0..slice.rays.len()).step_by(N) {
        let count = N.min(slice.rays.len() - first);
        let valid = packet.0.ray.load(slice, first, count);
        packet.0.hit.geom_id = [INVALID_ID; N];
        // SAFETY: the scene is committed; the structures have the layout and alignment that Embree requires.
        unsafe { intersect(valid.0.as_ptr(), scene.handle(), &raw mut packet.0, &raw mut arguments) };
        let RayHitN { ray, hit } = &packet.0;
        let missed = hit.geom_id.map(|geom| geom == INVALID_ID);
        let t: [f32; N] = std::array::from_fn(|i| if missed[i] { f32::INFINITY } else { ray.t_far[i] });
        let prim: [u32; N] = std::array::from_fn(|i| if missed[i] { MISS } else { hit.prim_id[i] });
        let range = first..first + count;
        hits.t[range.clone()].copy_from_slice(&t[..count]);
        hits.prim_id[range.clone()].copy_from_slice(&prim[..count]);
        hits.u[range.clone()].copy_from_slice(&hit.u[..count]);
        hits.v[range].copy_from_slice(&hit.v[..count]);
    }
}

fn any_packets<const N: usize>(
    scene: &EmbreeScene,
    query: QueryN<RayN<N>>,
    coherent: bool,
    slice: &RaySlice<'_>,
    occluded: &mut [bool],
) {
    let mut arguments = QueryArguments::new(coherent);
    let mut packet = Aligned(RayN::<N>::NONE);
    for (chunk, blocked) in occluded.chunks_mut(N).enumerate() {
        let valid = packet.0.load(slice, chunk * N, blocked.len());
        // SAFETY: the scene is committed; the structures have the layout and alignment that Embree requires.
        unsafe { query(valid.0.as_ptr(), scene.handle(), &raw mut packet.0, &raw mut arguments) };
        blocked.iter_mut().zip(packet.0.t_far).for_each(|(b, t_far)| *b = t_far == f32::NEG_INFINITY);
    }
}

impl RayN<1> {
    #[inline(always)]
    fn set(&mut self, ray: &sunfleck_math::Ray) {
        self.origin = ray.origin.to_array().map(|x| [x]);
        self.direction = ray.direction.to_array().map(|x| [x]);
        (self.t_near, self.t_far) = ([ray.t_near], [ray.t_far]);
    }
}

impl<const N: usize> RayN<N> {
    /// Loads `count` ≤ N rays, beginning with ray `first` of the slice. Returns the mask of valid rays: −1, or 0
    /// beyond them.
    #[inline(always)]
    fn load(&mut self, slice: &RaySlice<'_>, first: usize, count: usize) -> Aligned<[c_int; N]> {
        let range = first..first + count;
        let copy = |row: &mut [f32; N], from: &[f32]| match from[range.clone()].try_into() {
            Ok(whole) => *row = whole,
            Err(_) => row[..count].copy_from_slice(&from[range.clone()]),
        };
        for axis in 0..3 {
            copy(&mut self.origin[axis], slice.stream.origin[axis]);
            copy(&mut self.direction[axis], slice.stream.direction[axis]);
        }
        copy(&mut self.t_near, slice.stream.t_near);
        copy(&mut self.t_far, slice.stream.t_far);
        Aligned(std::array::from_fn(|i| if i < count { -1 } else { 0 }))
    }
}
