//! Generation of the camera rays of a tile. The rays of a square of pixels make a packet, and those of a pixel are
//! consecutive.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16};
use sunfleck_constants::igi::PATTERN_EDGE;
use sunfleck_image::TileRect;
use sunfleck_kernel::RayStream;
use sunfleck_math::{Ray, Vec2, Vec3};
use sunfleck_transport::vectors::{LANES, Lanes};

use super::Igi;
use crate::dimension::{FILM, LENS};
use crate::view::View;

/// Film and lens samples of the camera rays of a frame: a square pattern of pixels that is repeated [Keller01,
/// interleaved sampling].
#[derive(Debug)]
pub(super) struct SamplePattern {
    /// Number of rays per pixel.
    rays: usize,
    offsets: Vec<SampleOffset>,
}

/// Film and lens sample of a camera ray.
#[derive(Clone, Copy, Debug)]
struct SampleOffset {
    /// Offset from the centre of the pixel, pixels.
    film: Vec2,
    /// Weight in the reconstruction filter.
    weight: f32,
    /// Offset from the centre of the lens, metres.
    on_lens: Vec2,
}

impl SamplePattern {
    /// Makes the pattern of frame number `pass`.
    pub(super) fn new(view: &View<'_>, igi: &Igi, pass: u32) -> Self {
        let rays = igi.subsets();
        let offset = |i: u32| {
            let (cell, ray) = (i / rays, i % rays);
            let (pixel, sample) =
                ([cell % PATTERN_EDGE, cell / PATTERN_EDGE], pass.wrapping_mul(rays).wrapping_add(ray));
            let filtered = view.filter.sample(view.sampler.get_2d(pixel, sample, FILM));
            let on_lens = match view.camera.has_lens() {
                true => view.camera.on_lens(view.sampler.get_2d(pixel, sample, LENS)),
                false => Vec2::ZERO,
            };
            SampleOffset { film: filtered.offset, weight: filtered.weight, on_lens }
        };
        Self { rays: rays as usize, offsets: (0..PATTERN_EDGE * PATTERN_EDGE * rays).map(offset).collect() }
    }

    /// Returns the samples of a pixel of the film.
    #[inline(always)]
    fn of(&self, x: u32, y: u32) -> &[SampleOffset] {
        let cell = (y % PATTERN_EDGE * PATTERN_EDGE + x % PATTERN_EDGE) as usize;
        &self.offsets[cell * self.rays..][..self.rays]
    }

    /// Returns the number in its pixel of the `i`-th ray of a stream.
    #[inline(always)]
    pub(super) fn number(&self, i: usize) -> u32 {
        u32::try_from(i % self.rays).unwrap_or(0)
    }

    /// Returns the edge length of squares of pixels whose rays fill a packet of 64.
    fn square(&self) -> u32 {
        match self.rays {
            1..4 => 8,
            4..16 => 4,
            _ => 2,
        }
    }
}

/// Camera rays of a tile, as structure of arrays.
#[derive(Debug, Default)]
pub(super) struct CameraRayStream {
    /// Number of rays; the arrays may be longer.
    len: usize,
    origin: [Vec<f32>; 3],
    direction: [Vec<f32>; 3],
    t_near: Vec<f32>,
    t_far: Vec<f32>,
    /// Index in the tile of each pixel, in the order of rays.
    pub(super) pixels: Vec<u32>,
    /// Weight of each ray in the reconstruction filter.
    pub(super) weights: Vec<f32>,
}

/// Samples of up to sixteen rays that are generated together.
struct PendingRays {
    film: [Lanes; 2],
    on_lens: [Lanes; 2],
    len: usize,
}

impl CameraRayStream {
    /// Generates the rays of a tile.
    #[inline(always)]
    pub(super) fn fill<S: Simd>(
        &mut self,
        simd: S,
        view: &View<'_>,
        pattern: &SamplePattern,
        rect: TileRect,
    ) {
        self.reserve(rect.area() * pattern.rays);
        self.len = 0;
        self.pixels.clear();
        self.weights.clear();
        let mut pending = PendingRays { film: [[0.0; LANES]; 2], on_lens: [[0.0; LANES]; 2], len: 0 };
        let square = pattern.square();
        for y0 in (rect.y0..rect.y1).step_by(square as usize) {
            for x0 in (rect.x0..rect.x1).step_by(square as usize) {
                for y in y0..(y0 + square).min(rect.y1) {
                    for x in x0..(x0 + square).min(rect.x1) {
                        self.pixels.push(rect.width() * (y - rect.y0) + x - rect.x0);
                        for offset in pattern.of(x, y) {
                            self.weights.push(offset.weight);
                            let lane = pending.len;
                            pending.film[0][lane] = x as f32 + 0.5 + offset.film.x;
                            pending.film[1][lane] = y as f32 + 0.5 + offset.film.y;
                            pending.on_lens[0][lane] = offset.on_lens.x;
                            pending.on_lens[1][lane] = offset.on_lens.y;
                            pending.len = (lane + 1) % LANES;
                            if pending.len == 0 {
                                self.append(simd, view, &pending, LANES);
                            }
                        }
                    }
                }
            }
        }
        self.append(simd, view, &pending, pending.len);
    }

    /// Grows the arrays to a number of rays, rounded up to whole vectors.
    fn reserve(&mut self, rays: usize) {
        let rays = (rays + 1).next_multiple_of(LANES);
        if self.t_far.len() < rays {
            for row in self.origin.iter_mut().chain(&mut self.direction) {
                row.resize(rays, 0.0);
            }
            self.t_near.resize(rays, 0.0);
            self.t_far.resize(rays, f32::INFINITY);
        }
    }

    /// Generates rays and appends the first `len` of them.
    #[inline(always)]
    fn append<S: Simd>(&mut self, simd: S, view: &View<'_>, pending: &PendingRays, len: usize) {
        let load = |rows: &[Lanes; 2]| {
            [f32x16::load_array_ref(simd, &rows[0]), f32x16::load_array_ref(simd, &rows[1])]
        };
        let (origin, direction) = view.camera.rays(simd, load(&pending.film), load(&pending.on_lens));
        let at = self.len..self.len + LANES;
        for axis in 0..3 {
            origin[axis].store_slice(&mut self.origin[axis][at.clone()]);
            direction[axis].store_slice(&mut self.direction[axis][at.clone()]);
        }
        self.len += len;
    }

    /// Returns all rays.
    #[inline(always)]
    pub(super) fn as_stream(&self) -> RayStream<'_> {
        let (origin, direction) = (&self.origin, &self.direction);
        RayStream {
            origin: [&origin[0][..self.len], &origin[1][..self.len], &origin[2][..self.len]],
            t_near: &self.t_near[..self.len],
            direction: [&direction[0][..self.len], &direction[1][..self.len], &direction[2][..self.len]],
            t_far: &self.t_far[..self.len],
        }
    }

    /// Returns the `i`-th ray.
    #[inline(always)]
    pub(super) fn ray(&self, i: usize) -> Ray {
        self.as_stream().get(i).unwrap_or(Ray::new(Vec3::ZERO, Vec3::ZERO))
    }
}
