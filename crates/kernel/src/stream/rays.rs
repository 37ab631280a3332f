use fearless_simd::{Simd, SimdBase, f32x16};
use sunfleck_math::{Ray, Vec3};

use crate::primitive::{BATCH, RawRays};

/// Rays as structure of arrays, the input of a stream query: 32 bytes per ray.
///
/// The length of a stream is that of its shortest slice.
#[derive(Clone, Copy, Debug)]
pub struct RayStream<'a> {
    /// Origins in world space, one slice per axis.
    pub origin: [&'a [f32]; 3],
    /// Starts of the intervals, inclusive.
    pub t_near: &'a [f32],
    /// Directions, not necessarily of unit length, one slice per axis.
    pub direction: [&'a [f32]; 3],
    /// Ends of the intervals, inclusive.
    pub t_far: &'a [f32],
}

impl RayStream<'_> {
    /// Number of rays.
    #[inline]
    pub fn len(&self) -> usize {
        let lengths = self.origin.iter().chain(&self.direction).chain([&self.t_near, &self.t_far]);
        lengths.map(|slice| slice.len()).min().unwrap_or(0)
    }

    /// Returns whether there are no rays.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns sixteen rays from `start` on; those beyond `count` are empty (all zeros).
    #[inline(always)]
    pub(crate) fn load<S: Simd>(&self, simd: S, start: usize, count: usize) -> RawRays<S> {
        let [x, y, z] = self.origin;
        let [dx, dy, dz] = self.direction;
        RawRays {
            origin: [load(simd, x, start, count), load(simd, y, start, count), load(simd, z, start, count)],
            direction: [
                load(simd, dx, start, count),
                load(simd, dy, start, count),
                load(simd, dz, start, count),
            ],
            t_near: load(simd, self.t_near, start, count),
            t_far: load(simd, self.t_far, start, count),
        }
    }

    /// Returns up to sixteen rays with the given indices.
    #[inline(always)]
    pub(crate) fn gather<S: Simd>(&self, simd: S, indices: &[usize]) -> RawRays<S> {
        let [x, y, z] = self.origin;
        let [dx, dy, dz] = self.direction;
        RawRays {
            origin: [gather(simd, x, indices), gather(simd, y, indices), gather(simd, z, indices)],
            direction: [gather(simd, dx, indices), gather(simd, dy, indices), gather(simd, dz, indices)],
            t_near: gather(simd, self.t_near, indices),
            t_far: gather(simd, self.t_far, indices),
        }
    }

    /// Returns one ray, or `None` beyond the end.
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<Ray> {
        let [x, y, z] = self.origin;
        let [dx, dy, dz] = self.direction;
        Some(Ray {
            origin: Vec3::new(*x.get(i)?, *y.get(i)?, *z.get(i)?),
            t_near: *self.t_near.get(i)?,
            direction: Vec3::new(*dx.get(i)?, *dy.get(i)?, *dz.get(i)?),
            t_far: *self.t_far.get(i)?,
        })
    }
}

#[inline(always)]
fn load<S: Simd>(simd: S, slice: &[f32], start: usize, count: usize) -> f32x16<S> {
    match slice.get(start..start + BATCH) {
        Some(whole) if count >= BATCH => f32x16::from_slice(simd, whole),
        _ => {
            let part = slice.get(start..).unwrap_or(&[]);
            let mut padded = [0.0; BATCH];
            padded.iter_mut().zip(part.iter().take(count)).for_each(|(to, from)| *to = *from);
            f32x16::load_array(simd, padded)
        }
    }
}

#[inline(always)]
fn gather<S: Simd>(simd: S, slice: &[f32], indices: &[usize]) -> f32x16<S> {
    let mut row = [0.0; BATCH];
    for (to, &index) in row.iter_mut().zip(indices) {
        *to = slice.get(index).copied().unwrap_or(0.0);
    }
    f32x16::load_array(simd, row)
}

/// Owned rays as structure of arrays.
#[derive(Clone, Debug, Default)]
pub struct RayBuffer {
    origin: [Vec<f32>; 3],
    t_near: Vec<f32>,
    direction: [Vec<f32>; 3],
    t_far: Vec<f32>,
}

impl RayBuffer {
    /// Returns an empty buffer with capacity for `rays` rays.
    pub fn with_capacity(rays: usize) -> Self {
        let axis = || Vec::with_capacity(rays);
        Self {
            origin: [axis(), axis(), axis()],
            t_near: axis(),
            direction: [axis(), axis(), axis()],
            t_far: axis(),
        }
    }

    /// Appends a ray.
    #[inline]
    pub fn push(&mut self, ray: &Ray) {
        for axis in 0..3 {
            self.origin[axis].push(ray.origin[axis]);
            self.direction[axis].push(ray.direction[axis]);
        }
        self.t_near.push(ray.t_near);
        self.t_far.push(ray.t_far);
    }

    /// Appends all rays of a stream.
    #[inline]
    pub fn extend(&mut self, rays: &RayStream<'_>) {
        let len = rays.len();
        for axis in 0..3 {
            self.origin[axis].extend_from_slice(&rays.origin[axis][..len]);
            self.direction[axis].extend_from_slice(&rays.direction[axis][..len]);
        }
        self.t_near.extend_from_slice(&rays.t_near[..len]);
        self.t_far.extend_from_slice(&rays.t_far[..len]);
    }

    /// Removes all rays and keeps the allocation.
    pub fn clear(&mut self) {
        self.origin.iter_mut().chain(&mut self.direction).for_each(Vec::clear);
        self.t_near.clear();
        self.t_far.clear();
    }

    /// Returns all rays as a stream.
    #[inline]
    pub fn as_stream(&self) -> RayStream<'_> {
        RayStream {
            origin: [&self.origin[0], &self.origin[1], &self.origin[2]],
            t_near: &self.t_near,
            direction: [&self.direction[0], &self.direction[1], &self.direction[2]],
            t_far: &self.t_far,
        }
    }
}

impl<'a> FromIterator<&'a Ray> for RayBuffer {
    fn from_iter<I: IntoIterator<Item = &'a Ray>>(rays: I) -> Self {
        let rays = rays.into_iter();
        let mut buffer = Self::with_capacity(rays.size_hint().0);
        rays.for_each(|ray| buffer.push(ray));
        buffer
    }
}
