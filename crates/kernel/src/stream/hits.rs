use crate::hit::Hit;

/// Value of [`HitStream::prim_id`] for a ray that hit nothing.
pub const MISS: u32 = sunfleck_constants::tree::MISS;

/// Closest hits as structure of arrays, the output of a stream query: 20 bytes per ray.
///
/// `P = (1 - u - v) V0 + u V1 + v V2`, as in [`Hit`](crate::Hit). Hits beyond the end of the shortest slice are not
/// written.
#[derive(Debug)]
pub struct HitStream<'a> {
    /// Ray parameter; infinite where nothing was hit.
    pub t: &'a mut [f32],
    /// Barycentric coordinate of the second vertex.
    pub u: &'a mut [f32],
    /// Barycentric coordinate of the third vertex.
    pub v: &'a mut [f32],
    /// Index of the primitive in its geometry; [`MISS`] where nothing was hit.
    pub prim_id: &'a mut [u32],
    /// Index of the instance; [`MISS`] where nothing was hit.
    pub inst_id: &'a mut [u32],
}

impl HitStream<'_> {
    /// Capacity: the length of the shortest slice.
    #[inline]
    pub fn len(&self) -> usize {
        let floats = self.t.len().min(self.u.len()).min(self.v.len());
        floats.min(self.prim_id.len()).min(self.inst_id.len())
    }

    /// Returns whether the capacity is zero.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the hit of ray `i`.
    pub(crate) fn set(&mut self, i: usize, hit: Option<&Hit>) {
        self.t[i] = hit.map_or(f32::INFINITY, |hit| hit.t);
        self.u[i] = hit.map_or(0.0, |hit| hit.u);
        self.v[i] = hit.map_or(0.0, |hit| hit.v);
        self.prim_id[i] = hit.map_or(MISS, |hit| hit.prim_id);
        self.inst_id[i] = hit.map_or(MISS, |hit| hit.inst_id);
    }

    /// Sets the first `len` hits to misses.
    pub(crate) fn clear(&mut self, len: usize) {
        self.t[..len].fill(f32::INFINITY);
        self.u[..len].fill(0.0);
        self.v[..len].fill(0.0);
        self.prim_id[..len].fill(MISS);
        self.inst_id[..len].fill(MISS);
    }
}

/// Owned closest hits as structure of arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HitBuffer {
    /// See [`HitStream::t`].
    pub t: Vec<f32>,
    /// See [`HitStream::u`].
    pub u: Vec<f32>,
    /// See [`HitStream::v`].
    pub v: Vec<f32>,
    /// See [`HitStream::prim_id`].
    pub prim_id: Vec<u32>,
    /// See [`HitStream::inst_id`].
    pub inst_id: Vec<u32>,
}

impl HitBuffer {
    /// Returns a buffer of `rays` misses.
    pub fn with_len(rays: usize) -> Self {
        let mut buffer = Self::default();
        buffer.resize(rays);
        buffer
    }

    /// Resizes the buffer; new entries are misses.
    pub fn resize(&mut self, rays: usize) {
        self.t.resize(rays, f32::INFINITY);
        self.u.resize(rays, 0.0);
        self.v.resize(rays, 0.0);
        self.prim_id.resize(rays, MISS);
        self.inst_id.resize(rays, MISS);
    }

    /// Returns all hits as the output of a stream query.
    #[inline]
    pub fn as_stream(&mut self) -> HitStream<'_> {
        HitStream {
            t: &mut self.t,
            u: &mut self.u,
            v: &mut self.v,
            prim_id: &mut self.prim_id,
            inst_id: &mut self.inst_id,
        }
    }
}
