//! Structures and constants of `embree4/rtcore_*.h`, version 4.4. Packets of N rays are structures of arrays of N
//! 32-bit values.

use std::ffi::{c_int, c_void};

/// `RTCDevice`, `RTCScene`, `RTCGeometry`.
pub(super) type Handle = *mut c_void;

pub(super) const GEOMETRY_TYPE_TRIANGLE: c_int = 0;
pub(super) const BUFFER_TYPE_INDEX: c_int = 0;
pub(super) const BUFFER_TYPE_VERTEX: c_int = 1;
pub(super) const FORMAT_UINT3: c_int = 0x5003;
pub(super) const FORMAT_FLOAT3: c_int = 0x9003;
pub(super) const SCENE_FLAG_ROBUST: c_int = 1 << 2;
pub(super) const QUERY_FLAG_INCOHERENT: c_int = 0;
pub(super) const QUERY_FLAG_COHERENT: c_int = 1 << 16;
pub(super) const FEATURE_FLAG_ALL: u32 = u32::MAX;
pub(super) const INVALID_ID: u32 = u32::MAX;

/// `RTCRay` (N = 1), `RTCRay8`, `RTCRay16`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct RayN<const N: usize> {
    pub(super) origin: [[f32; N]; 3],
    pub(super) t_near: [f32; N],
    pub(super) direction: [[f32; N]; 3],
    pub(super) time: [f32; N],
    /// Set to the distance of the hit, or to −∞ by a query for any hit.
    pub(super) t_far: [f32; N],
    pub(super) mask: [u32; N],
    pub(super) id: [u32; N],
    pub(super) flags: [u32; N],
}

/// `RTCHit` (N = 1), `RTCHit8`, `RTCHit16` of a library with one level of instances and with instance arrays, as the
/// official builds are. No padding is needed between a ray and its hit, since a ray has 12 arrays.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct HitN<const N: usize> {
    pub(super) ng: [[f32; N]; 3],
    pub(super) u: [f32; N],
    pub(super) v: [f32; N],
    pub(super) prim_id: [u32; N],
    pub(super) geom_id: [u32; N],
    pub(super) inst_id: [u32; N],
    pub(super) inst_prim_id: [u32; N],
}

/// `RTCRayHit` (N = 1), `RTCRayHit8`, `RTCRayHit16`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct RayHitN<const N: usize> {
    pub(super) ray: RayN<N>,
    pub(super) hit: HitN<N>,
}

/// Wrapper with an alignment that suffices for all structures above: 16 bytes for one ray, 4 N bytes for packets.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Aligned<T>(pub(super) T);

impl<const N: usize> RayN<N> {
    /// Returns rays that cannot hit anything.
    pub(super) const NONE: Self = Self {
        origin: [[0.0; N]; 3],
        t_near: [0.0; N],
        direction: [[1.0; N]; 3],
        time: [0.0; N],
        t_far: [0.0; N],
        mask: [u32::MAX; N],
        id: [0; N],
        flags: [0; N],
    };
}

impl<const N: usize> HitN<N> {
    /// Initial hit before a query.
    pub(super) const NONE: Self = Self {
        ng: [[0.0; N]; 3],
        u: [0.0; N],
        v: [0.0; N],
        prim_id: [INVALID_ID; N],
        geom_id: [INVALID_ID; N],
        inst_id: [INVALID_ID; N],
        inst_prim_id: [INVALID_ID; N],
    };
}

/// `RTCIntersectArguments` and `RTCOccludedArguments`, which differ in name only.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct QueryArguments {
    pub(super) flags: c_int,
    pub(super) feature_mask: u32,
    pub(super) context: *mut c_void,
    pub(super) filter: *mut c_void,
    pub(super) callback: *mut c_void,
    /// Present only in libraries built with `EMBREE_MIN_WIDTH`; others do not read it.
    pub(super) min_width_distance_factor: f32,
}

impl QueryArguments {
    /// Returns the arguments of `rtcInitIntersectArguments`, with a coherence hint.
    pub(super) fn new(coherent: bool) -> Self {
        Self {
            flags: if coherent { QUERY_FLAG_COHERENT } else { QUERY_FLAG_INCOHERENT },
            feature_mask: FEATURE_FLAG_ALL,
            context: std::ptr::null_mut(),
            filter: std::ptr::null_mut(),
            callback: std::ptr::null_mut(),
            min_width_distance_factor: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    /// Offsets are those of the C headers.
    #[test]
    fn layouts_are_those_of_the_headers() {
        assert_eq!(offset_of!(RayN<1>, direction), 16);
        assert_eq!(offset_of!(RayN<1>, t_far), 32);
        assert_eq!((size_of::<RayN<1>>(), offset_of!(RayHitN<1>, hit)), (48, 48));
        assert_eq!(offset_of!(HitN<1>, prim_id), 20);
        assert_eq!((size_of::<RayN<8>>(), size_of::<RayN<16>>()), (12 * 32, 12 * 64));
        assert_eq!(offset_of!(HitN<16>, geom_id), 6 * 64);
        assert_eq!(align_of::<Aligned<RayHitN<16>>>(), 64);
        assert_eq!(offset_of!(QueryArguments, context), 8);
    }
}
