//! The camera rays of a tile: those of a square of pixels make a packet, all rays of a pixel side by side.

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

/// Where the camera rays of a frame pass film and lens: a pattern of pixels that is repeated [Keller01, interleaved sampling].
#[derive(Debug)]
pub(super) struct Pattern {
    /// Of a pixel.
    rays: usize,
    offsets: Vec<Offset>,
}

#[derive(Clone, Copy, Debug)]
struct Offset {
    /// From the centre of the pixel, pixels.
    film: Vec2,
    /// In the reconstruction filter.
    weight: f32,
    /// Metres.
    on_lens: Vec2,
}

impl Pattern {
    /// That of frame number `pass`.
    pub(super) fn new(view: &View<'_>, igi: &Igi, pass: u32) -> Self {
        let rays = igi.subsets();
        let offset = |i: u32| {
            let (place, ray) = (i / rays, i % rays);
            let (pixel, sample) =
                ([place % PATTERN_EDGE, place / PATTERN_EDGE], pass.wrapping_mul(rays).wrapping_add(ray));
            let filtered = view.filter.sample(view.sampler.get_2d(pixel, sample, FILM));
            let on_lens = match view.camera.has_lens() {
                true => view.camera.on_lens(view.sampler.get_2d(pixel, sample, LENS)),
                false => Vec2::ZERO,
            };
            Offset { film: filtered.offset, weight: filtered.weight, on_lens }
        };
        Self { rays: rays as usize, offsets: (0..PATTERN_EDGE * PATTERN_EDGE * rays).map(offset).collect() }
    }

    #[inline(always)]
    fn of(&self, x: u32, y: u32) -> &[Offset] {
        let place = (y % PATTERN_EDGE * PATTERN_EDGE + x % PATTERN_EDGE) as usize;
        &self.offsets[place * self.rays..][..self.rays]
    }

    /// The camera ray of a pixel that a ray of the stream is.
    #[inline(always)]
    pub(super) fn number(&self, i: usize) -> u32 {
        u32::try_from(i % self.rays).unwrap_or(0)
    }

    /// Edge of squares of pixels whose rays fill a packet of 64.
    fn square(&self) -> u32 {
        match self.rays {
            1..4 => 8,
            4..16 => 4,
            _ => 2,
        }
    }
}

/// The camera rays of a tile.
#[derive(Debug, Default)]
pub(super) struct CameraRays {
    /// Number of rays; there is room for more.
    len: usize,
    origin: [Vec<f32>; 3],
    direction: [Vec<f32>; 3],
    t_near: Vec<f32>,
    t_far: Vec<f32>,
    /// Indices in the tile; the rays of each follow each other.
    pub(super) pixels: Vec<u32>,
    /// Of each ray in the reconstruction filter.
    pub(super) weights: Vec<f32>,
}

/// What makes sixteen rays.
struct Pending {
    film: [Lanes; 2],
    on_lens: [Lanes; 2],
    len: usize,
}

impl CameraRays {
    /// Makes them.
    #[inline(always)]
    pub(super) fn fill<S: Simd>(&mut self, simd: S, view: &View<'_>, pattern: &Pattern, rect: TileRect) {
        self.reserve(rect.area() * pattern.rays);
        self.len = 0;
        self.pixels.clear();
        self.weights.clear();
        let mut pending = Pending { film: [[0.0; LANES]; 2], on_lens: [[0.0; LANES]; 2], len: 0 };
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

    /// Makes room for so many rays, and whole vectors of them.
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

    #[inline(always)]
    fn append<S: Simd>(&mut self, simd: S, view: &View<'_>, pending: &Pending, len: usize) {
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

    /// All of them.
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

    /// One ray.
    #[inline(always)]
    pub(super) fn ray(&self, i: usize) -> Ray {
        self.as_stream().get(i).unwrap_or(Ray::new(Vec3::ZERO, Vec3::ZERO))
    }
}
