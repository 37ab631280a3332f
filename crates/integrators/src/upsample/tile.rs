//! Camera rays of tiles.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, f32x16};
use sunfleck_kernel::{Coherence, HitBuffer, RayStream};
use sunfleck_math::Vec3;
use sunfleck_transport::vectors::LANES;
use sunfleck_transport::{InteractionBlock, Panes};

use super::RayPosition;
use super::canvas::BandCanvas;
use super::first_surface::{AlbedoCache, HitAt, primary};
use super::light::LightImage;
use super::primary::Specular;
use crate::View;
use crate::view::{RayCount, SampleId};

/// Edge of the tiles whose rays are traced together, pixels.
pub(super) const TILE: u32 = 16;
/// Edge of the squares whose pixels are the lanes of a vector.
const SQUARE: u32 = 4;

/// Tracer of the tiles of a band of rows.
pub(super) struct TileTracer<'a> {
    view: &'a View<'a>,
    /// First row of the band.
    top: u32,
    canvas: BandCanvas<'a>,
    pub(super) rays: RayCount,
    camera: CameraTile,
    /// Upper left pixels of the squares of a tile, in the order of the rays.
    squares: Vec<[u32; 2]>,
    albedos: AlbedoCache,
    specular: Specular,
    at: RayPosition,
}

/// Camera rays of a tile as structure of arrays, `[axis][ray]`.
struct CameraTile {
    origin: [[f32; RAYS]; 3],
    direction: [[f32; RAYS]; 3],
    len: usize,
}

/// Number of rays of a tile.
const RAYS: usize = (TILE * TILE) as usize;
/// Number of rays at mirrors and glass from which they are followed: streams are long, and stay in the cache.
const LONG_STREAM: usize = 1024;

impl<'a> TileTracer<'a> {
    pub(super) fn new(
        view: &'a View<'a>,
        light: &'a LightImage,
        at: RayPosition,
        top: u32,
        band: &'a mut [Vec3],
    ) -> Self {
        let size = [view.spec.width, view.spec.height];
        Self {
            view,
            top,
            canvas: BandCanvas::new(light, at.film, size, top, band),
            rays: RayCount::default(),
            camera: CameraTile { origin: [[0.0; RAYS]; 3], direction: [[0.0; RAYS]; 3], len: 0 },
            squares: Vec::new(),
            albedos: AlbedoCache::new(),
            specular: Specular::default(),
            at,
        }
    }

    /// Traces all tiles of the band. Inlined, so that everything is compiled for each SIMD level.
    #[inline(always)]
    pub(super) fn trace_all<S: Simd>(&mut self, simd: S, level: Level) {
        let mut hits = HitBuffer::with_len((TILE * TILE) as usize);
        for left in (0..self.view.spec.width).step_by(TILE as usize) {
            self.make_rays(simd, left);
            self.trace(simd, level, &mut hits);
            if self.specular.followed.len() >= LONG_STREAM {
                self.follow(simd, level);
            }
        }
        self.follow(simd, level);
        self.canvas.flush(simd);
    }

    /// Makes the rays of a tile, square by square, so that packets are narrow.
    #[inline(always)]
    fn make_rays<S: Simd>(&mut self, simd: S, left: u32) {
        let spec = self.view.spec;
        let on_lens = self.view.camera.on_lens(self.at.lens);
        let on_lens = [f32x16::splat(simd, on_lens.x), f32x16::splat(simd, on_lens.y)];
        self.squares.clear();
        let rows = self.top..(self.top + TILE).min(spec.height);
        for y in rows.step_by(SQUARE as usize) {
            for x in (left..(left + TILE).min(spec.width)).step_by(SQUARE as usize) {
                self.squares.push([x, y]);
                let mut film = [[0.0; LANES]; 2];
                for lane in 0..SQUARE * SQUARE {
                    let [px, py] = pixel([x, y], lane);
                    film[0][lane as usize] = px as f32 + self.at.film.x;
                    film[1][lane as usize] = py as f32 + self.at.film.y;
                }
                let film = [f32x16::load_array_ref(simd, &film[0]), f32x16::load_array_ref(simd, &film[1])];
                let (origin, direction) = self.view.camera.rays(simd, film, on_lens);
                let first = (self.squares.len() - 1) * LANES;
                for axis in 0..3 {
                    origin[axis].store_slice(&mut self.camera.origin[axis][first..first + LANES]);
                    direction[axis].store_slice(&mut self.camera.direction[axis][first..first + LANES]);
                }
            }
        }
        self.camera.len = self.squares.len() * LANES;
    }

    /// Traces the rays of a tile and writes the radiance of its pixels.
    #[inline(always)]
    fn trace<S: Simd>(&mut self, simd: S, level: Level, hits: &mut HitBuffer) {
        let (view, world) = (self.view, self.view.world);
        let rays = self.camera.stream();
        let squares = &self.squares;
        let id = |i: usize| {
            let lane = u32::try_from(i % LANES).unwrap_or(0);
            SampleId { pixel: pixel(squares[i / LANES], lane), sample: 0 }
        };
        let seed = |i: usize| view.alpha_seed(id(i), 0);
        let (coherence, panes) = (Coherence::Coherent, Panes::ClearByMajority);
        world.intersect_stream_through(level, &rays, coherence, panes, &seed, &mut hits.as_stream());
        self.rays.intersect += rays.len() as u64;
        let mut block = InteractionBlock::new();
        let lit = self.canvas.uses_lights();
        for square in 0..squares.len() {
            let first = square * LANES;
            #[expect(clippy::cast_possible_truncation, reason = "at most TILE²")]
            let which: [u32; LANES] = std::array::from_fn(|lane| (first + lane) as u32);
            world.surface_interactions(simd, hits, rays.direction, &which, &mut block);
            for lane in 0..LANES {
                let i = first + lane;
                let pixel = id(i).pixel;
                if pixel[0] >= view.spec.width || pixel[1] >= view.spec.height {
                    continue;
                }
                let at = HitAt { rays: &rays, hits, i, block: &block, lane };
                let primary = primary(view, lit, pixel, &at, &mut self.albedos, &mut self.specular);
                if let Some(primary) = primary {
                    self.canvas.draw(simd, pixel, &primary);
                }
            }
        }
    }

    /// Follows all rays at mirrors and glass.
    #[inline(never)]
    fn follow<S: Simd>(&mut self, simd: S, level: Level) {
        let Self { view, specular, rays, canvas, .. } = self;
        simd.vectorize(
            #[inline(always)]
            || view.follow(simd, level, specular, rays, canvas),
        );
    }
}

impl CameraTile {
    #[inline(always)]
    fn stream(&self) -> RayStream<'_> {
        RayStream {
            origin: self.origin.each_ref().map(|row| &row[..self.len]),
            t_near: &[0.0; RAYS][..self.len],
            direction: self.direction.each_ref().map(|row| &row[..self.len]),
            t_far: &[f32::INFINITY; RAYS][..self.len],
        }
    }
}

/// Returns a pixel of a square.
#[inline(always)]
fn pixel([x, y]: [u32; 2], lane: u32) -> [u32; 2] {
    [x + lane % SQUARE, y + lane / SQUARE]
}
