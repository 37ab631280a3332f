use fearless_simd::Level;
use sunfleck_math::Ray;

use super::{Coherence, HitBuffer, HitStream, MISS, RayStream};
use crate::geometry::Tlas;

/// `N` rays as structure of arrays; 4, 8 and 16 are usual, and up to 64 are traversed together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayPacket<const N: usize> {
    /// Origins in world space, `[axis][ray]`.
    pub origin: [[f32; N]; 3],
    /// Starts of the intervals, inclusive.
    pub t_near: [f32; N],
    /// Directions, `[axis][ray]`, not necessarily of unit length.
    pub direction: [[f32; N]; 3],
    /// Ends of the intervals, inclusive.
    pub t_far: [f32; N],
}

impl<const N: usize> RayPacket<N> {
    /// Returns a packet of the given rays; lanes without a ray hit nothing.
    pub fn new(rays: &[Ray]) -> Self {
        let mut packet = Self {
            origin: [[0.0; N]; 3],
            t_near: [0.0; N],
            direction: [[0.0; N]; 3],
            t_far: [f32::NEG_INFINITY; N],
        };
        for (i, ray) in rays.iter().enumerate().take(N) {
            for axis in 0..3 {
                packet.origin[axis][i] = ray.origin[axis];
                packet.direction[axis][i] = ray.direction[axis];
            }
            (packet.t_near[i], packet.t_far[i]) = (ray.t_near, ray.t_far);
        }
        packet
    }

    /// Returns the packet in which the rays whose bits in `active` are not set are disabled.
    fn masked(&self, active: u64) -> Self {
        let mut packet = *self;
        for (i, t_far) in packet.t_far.iter_mut().enumerate() {
            if i < 64 && active >> i & 1 == 0 {
                *t_far = f32::NAN;
            }
        }
        packet
    }

    fn as_stream(&self) -> RayStream<'_> {
        RayStream {
            origin: self.origin.each_ref().map(|axis| &axis[..]),
            t_near: &self.t_near,
            direction: self.direction.each_ref().map(|axis| &axis[..]),
            t_far: &self.t_far,
        }
    }
}

/// Closest hits of a packet; see [`HitStream`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HitPacket<const N: usize> {
    /// Ray parameters; infinite where nothing was hit.
    pub t: [f32; N],
    /// Barycentric coordinates of the second vertices.
    pub u: [f32; N],
    /// Barycentric coordinates of the third vertices.
    pub v: [f32; N],
    /// Primitives; [`MISS`] where nothing was hit.
    pub prim_id: [u32; N],
    /// Instances; [`MISS`] where nothing was hit.
    pub inst_id: [u32; N],
}

impl Tlas {
    /// Returns the closest hits of the rays whose bits in `active` are set; the others hit nothing. Rays from the
    /// 64th on are always active.
    ///
    /// Finds the same hits as [`Tlas::intersect`]. A stream of many rays is faster than many packets.
    pub fn intersect_packet<const N: usize>(
        &self,
        level: Level,
        rays: &RayPacket<N>,
        active: u64,
        coherence: Coherence,
    ) -> HitPacket<N> {
        let mut hits = HitPacket {
            t: [f32::INFINITY; N],
            u: [0.0; N],
            v: [0.0; N],
            prim_id: [MISS; N],
            inst_id: [MISS; N],
        };
        let mut stream = HitStream {
            t: &mut hits.t,
            u: &mut hits.u,
            v: &mut hits.v,
            prim_id: &mut hits.prim_id,
            inst_id: &mut hits.inst_id,
        };
        self.intersect_stream(level, &rays.masked(active).as_stream(), coherence, &mut stream);
        hits
    }

    /// Returns which of the active rays of a packet hit anything; see [`Tlas::intersect_packet`].
    pub fn occluded_packet<const N: usize>(
        &self,
        level: Level,
        rays: &RayPacket<N>,
        active: u64,
        coherence: Coherence,
    ) -> [bool; N] {
        let mut occluded = [false; N];
        self.occluded_stream(level, &rays.masked(active).as_stream(), coherence, &mut occluded);
        occluded
    }
}

impl<const N: usize> From<&HitPacket<N>> for HitBuffer {
    fn from(hits: &HitPacket<N>) -> Self {
        Self {
            t: hits.t.to_vec(),
            u: hits.u.to_vec(),
            v: hits.v.to_vec(),
            prim_id: hits.prim_id.to_vec(),
            inst_id: hits.inst_id.to_vec(),
        }
    }
}
