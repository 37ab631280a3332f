#![allow(unsafe_code, reason = "a C library is called")]

use std::ffi::c_int;

use sunfleck_kernel::{HitStream, MISS};

use super::EmbreeScene;
use super::library::{Query1, QueryN};
use super::types::{Aligned, Arguments, HitN, INVALID_ID, RayHitN, RayN};
use crate::query::Query;
use crate::rays::Share;

/// How rays are passed to Embree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `rtcIntersect1`, `rtcOccluded1`.
    Single,
    /// `rtcIntersect8`, `rtcOccluded8`.
    Packet8 {
        /// The hint.
        coherent: bool,
    },
    /// `rtcIntersect16`, `rtcOccluded16`.
    Packet16 {
        /// The hint.
        coherent: bool,
    },
}

impl Form {
    /// All forms to measure.
    pub(crate) const ALL: [Self; 5] = [
        Self::Single,
        Self::Packet8 { coherent: false },
        Self::Packet8 { coherent: true },
        Self::Packet16 { coherent: false },
        Self::Packet16 { coherent: true },
    ];

    /// Name in the table.
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
    pub(crate) form: Form,
}

impl Query for EmbreeQuery<'_> {
    fn name(&self) -> String {
        format!("{}{}", if self.scene.robust() { "robust " } else { "" }, self.form.name())
    }

    fn stays(&self) -> bool {
        self.form == Form::Single
    }

    fn closest(&self, share: &Share<'_>, hits: &mut HitStream<'_>) {
        let f = &self.scene.library().functions;
        match self.form {
            Form::Single => closest_single(self.scene, f.intersect1, share, hits),
            Form::Packet8 { coherent } => closest_packets(self.scene, f.intersect8, coherent, share, hits),
            Form::Packet16 { coherent } => closest_packets(self.scene, f.intersect16, coherent, share, hits),
        }
    }

    fn occluded(&self, share: &Share<'_>, occluded: &mut [bool]) {
        let f = &self.scene.library().functions;
        match self.form {
            Form::Single => any_single(self.scene, f.occluded1, share, occluded),
            Form::Packet8 { coherent } => any_packets(self.scene, f.occluded8, coherent, share, occluded),
            Form::Packet16 { coherent } => any_packets(self.scene, f.occluded16, coherent, share, occluded),
        }
    }
}

fn closest_single(
    scene: &EmbreeScene,
    intersect: Query1<RayHitN<1>>,
    share: &Share<'_>,
    hits: &mut HitStream<'_>,
) {
    let mut arguments = Arguments::new(false);
    let mut packet = Aligned(RayHitN { ray: RayN::NONE, hit: HitN::NONE });
    let outputs = hits.t.iter_mut().zip(&mut *hits.prim_id).zip(hits.u.iter_mut().zip(&mut *hits.v));
    for (ray, ((t, prim), (u, v))) in share.rays.iter().zip(outputs) {
        let RayHitN { ray: packed, hit } = &mut packet.0;
        packed.set(ray);
        hit.geom_id = [INVALID_ID];
        // SAFETY: the scene is committed; the structures have the layout and alignment that Embree wants.
        unsafe { intersect(scene.handle(), &raw mut packet.0, &raw mut arguments) };
        let RayHitN { ray: packed, hit } = &packet.0;
        let missed = hit.geom_id[0] == INVALID_ID;
        *t = if missed { f32::INFINITY } else { packed.t_far[0] };
        *prim = if missed { MISS } else { hit.prim_id[0] };
        (*u, *v) = (hit.u[0], hit.v[0]);
    }
}

fn any_single(scene: &EmbreeScene, query: Query1<RayN<1>>, share: &Share<'_>, occluded: &mut [bool]) {
    let mut arguments = Arguments::new(false);
    let mut packet = Aligned(RayN::NONE);
    for (ray, blocked) in share.rays.iter().zip(occluded) {
        packet.0.set(ray);
        // SAFETY: the scene is committed; the structures have the layout and alignment that Embree wants.
        unsafe { query(scene.handle(), &raw mut packet.0, &raw mut arguments) };
        *blocked = packet.0.t_far[0] == f32::NEG_INFINITY;
    }
}

fn closest_packets<const N: usize>(
    scene: &EmbreeScene,
    intersect: QueryN<RayHitN<N>>,
    coherent: bool,
    share: &Share<'_>,
    hits: &mut HitStream<'_>,
) {
    let mut arguments = Arguments::new(coherent);
    let mut packet = Aligned(RayHitN { ray: RayN::<N>::NONE, hit: HitN::<N>::NONE });
    for first in (0..share.rays.len()).step_by(N) {
        let count = N.min(share.rays.len() - first);
        let valid = packet.0.ray.load(share, first, count);
        packet.0.hit.geom_id = [INVALID_ID; N];
        // SAFETY: the scene is committed; the structures have the layout and alignment that Embree wants.
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
    share: &Share<'_>,
    occluded: &mut [bool],
) {
    let mut arguments = Arguments::new(coherent);
    let mut packet = Aligned(RayN::<N>::NONE);
    for (chunk, blocked) in occluded.chunks_mut(N).enumerate() {
        let valid = packet.0.load(share, chunk * N, blocked.len());
        // SAFETY: the scene is committed; the structures have the layout and alignment that Embree wants.
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
    /// Takes `count` ≤ N rays; the mask says which columns they are in.
    #[inline(always)]
    fn load(&mut self, share: &Share<'_>, first: usize, count: usize) -> Aligned<[c_int; N]> {
        let range = first..first + count;
        let copy = |row: &mut [f32; N], from: &[f32]| match from[range.clone()].try_into() {
            Ok(whole) => *row = whole,
            Err(_) => row[..count].copy_from_slice(&from[range.clone()]),
        };
        for axis in 0..3 {
            copy(&mut self.origin[axis], share.stream.origin[axis]);
            copy(&mut self.direction[axis], share.stream.direction[axis]);
        }
        copy(&mut self.t_near, share.stream.t_near);
        copy(&mut self.t_far, share.stream.t_far);
        Aligned(std::array::from_fn(|i| if i < count { -1 } else { 0 }))
    }
}
