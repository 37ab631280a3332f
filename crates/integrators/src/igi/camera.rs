//! The camera rays of a tile: those of a square of pixels make a packet, all rays of a pixel side by side.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16};
use sunfleck_image::TileRect;
use sunfleck_kernel::{RayBuffer, RayStream};
use sunfleck_math::{Ray, Vec2, Vec3};

use super::Igi;
use crate::dimension::{FILM, LENS};
use crate::vectors::{LANES, Lanes};
use crate::view::View;

/// Where the camera rays of a frame pass film and lens: a pattern of pixels that is repeated [Keller01, interleaved sampling].
#[derive(Debug)]
pub(super) struct Pattern {
    /// Of a pixel.
    rays: usize,
    offsets: Vec<Offset>,
}

/// Edge of the pattern, pixels: another than that of sets, so that a set has many.
const EDGE: u32 = 8;

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
            let (pixel, sample) = ([place % EDGE, place / EDGE], pass.wrapping_mul(rays).wrapping_add(ray));
            let filtered = view.filter.sample(view.sampler.get_2d(pixel, sample, FILM));
            let on_lens = match view.camera.has_lens() {
                true => view.camera.on_lens(view.sampler.get_2d(pixel, sample, LENS)),
                false => Vec2::ZERO,
            };
            Offset { film: filtered.offset, weight: filtered.weight, on_lens }
        };
        Self { rays: rays as usize, offsets: (0..EDGE * EDGE * rays).map(offset).collect() }
    }

    #[inline(always)]
    fn of(&self, x: u32, y: u32) -> &[Offset] {
        let place = (y % EDGE * EDGE + x % EDGE) as usize;
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
    pub(super) rays: RayBuffer,
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
        self.rays.clear();
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

    #[inline(always)]
    fn append<S: Simd>(&mut self, simd: S, view: &View<'_>, pending: &Pending, len: usize) {
        let load = |rows: &[Lanes; 2]| {
            [f32x16::load_array_ref(simd, &rows[0]), f32x16::load_array_ref(simd, &rows[1])]
        };
        let (origin, direction) = view.camera.rays(simd, load(&pending.film), load(&pending.on_lens));
        let (mut from, mut along) = ([[0.0; LANES]; 3], [[0.0; LANES]; 3]);
        for axis in 0..3 {
            origin[axis].store_array(&mut from[axis]);
            direction[axis].store_array(&mut along[axis]);
        }
        let (t_near, t_far) = ([0.0; LANES], [f32::INFINITY; LANES]);
        self.rays.extend(&RayStream {
            origin: [&from[0][..len], &from[1][..len], &from[2][..len]],
            t_near: &t_near,
            direction: [&along[0][..len], &along[1][..len], &along[2][..len]],
            t_far: &t_far,
        });
    }

    /// One ray.
    #[inline(always)]
    pub(super) fn ray(&self, i: usize) -> Ray {
        self.rays.as_stream().get(i).unwrap_or(Ray::new(Vec3::ZERO, Vec3::ZERO))
    }
}
