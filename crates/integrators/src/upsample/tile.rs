//! Camera rays of tiles, and the surfaces that they hit.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, f32x16};
use sunfleck_kernel::{Coherence, HitBuffer, MISS, RayBuffer, RayStream};
use sunfleck_math::Vec3;
use sunfleck_transport::InteractionBlock;
use sunfleck_transport::vectors::{LANES, Lanes, vector};

use super::RayPosition;
use super::canvas::BandCanvas;
use super::light::LightImage;
use super::primary::{Followed, Plane, Primary, PrimarySurface, Specular};
use crate::View;
use crate::view::{RayCount, SampleId};

/// Edge of the tiles whose rays are traced together, pixels.
pub(super) const TILE: u32 = 16;
/// Edge of the squares whose pixels are the lanes of a vector.
const SQUARE: u32 = 4;
/// Difference of cosines up to which neighbouring pixels of a material without textures share an albedo.
const SAME_COSINE: f32 = 0.02;

/// Tracer of the tiles of a band of rows.
pub(super) struct TileTracer<'a> {
    view: &'a View<'a>,
    /// First row of the band.
    top: u32,
    canvas: BandCanvas<'a>,
    pub(super) rays: RayCount,
    stream: RayBuffer,
    /// Upper left pixels of the squares of a tile, in the order of the rays.
    squares: Vec<[u32; 2]>,
    /// Direct-mapped cache by material.
    kept: [Option<KeptAlbedo>; KEPT_ALBEDOS],
    specular: Specular,
    at: RayPosition,
}

/// Number of materials whose albedo is kept.
const KEPT_ALBEDOS: usize = 32;

/// Albedo of the newest pixel of a material without textures.
#[derive(Clone, Copy)]
struct KeptAlbedo {
    material: u32,
    /// Cosine of the angle between normal and viewer, negative at the back face.
    mu: f32,
    albedo: Vec3,
}

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
            stream: RayBuffer::with_capacity((TILE * TILE) as usize),
            squares: Vec::new(),
            kept: [None; KEPT_ALBEDOS],
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
        }
    }

    /// Makes the rays of a tile, square by square, so that packets are narrow.
    #[inline(always)]
    fn make_rays<S: Simd>(&mut self, simd: S, left: u32) {
        let spec = self.view.spec;
        let on_lens = self.view.camera.on_lens(self.at.lens);
        let on_lens = [f32x16::splat(simd, on_lens.x), f32x16::splat(simd, on_lens.y)];
        self.stream.clear();
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
                let (mut origins, mut directions): ([Lanes; 3], [Lanes; 3]) = Default::default();
                for axis in 0..3 {
                    origin[axis].store_array(&mut origins[axis]);
                    direction[axis].store_array(&mut directions[axis]);
                }
                self.stream.extend(&RayStream {
                    origin: origins.each_ref().map(|row| &row[..]),
                    t_near: &[0.0; LANES],
                    direction: directions.each_ref().map(|row| &row[..]),
                    t_far: &[f32::INFINITY; LANES],
                });
            }
        }
    }

    /// Traces the rays of a tile and writes the radiance of its pixels.
    #[inline(always)]
    fn trace<S: Simd>(&mut self, simd: S, level: Level, hits: &mut HitBuffer) {
        let (view, world) = (self.view, self.view.world);
        let rays = self.stream.as_stream();
        let squares = &self.squares;
        let id = |i: usize| {
            let lane = u32::try_from(i % LANES).unwrap_or(0);
            SampleId { pixel: pixel(squares[i / LANES], lane), sample: 0 }
        };
        let seed = |i: usize| view.alpha_seed(id(i), 0);
        world.intersect_stream(level, &rays, Coherence::Coherent, &seed, &mut hits.as_stream());
        self.rays.intersect += rays.len() as u64;
        let mut block = InteractionBlock::new();
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
                if let Some(primary) = primary(view, pixel, &at, &mut self.kept, &mut self.specular) {
                    self.canvas.draw(pixel, &primary);
                }
            }
        }
        view.follow(simd, level, &mut self.specular, &mut self.rays, &mut self.canvas);
    }
}

/// Hit of a stream.
struct HitAt<'a> {
    rays: &'a RayStream<'a>,
    hits: &'a HitBuffer,
    i: usize,
    block: &'a InteractionBlock,
    lane: usize,
}

/// Returns what a camera ray sees; `None` if that may be a mirror or glass, where it is followed later.
#[inline(always)]
fn primary(
    view: &View<'_>,
    pixel: [u32; 2],
    at: &HitAt<'_>,
    kept: &mut [Option<KeptAlbedo>; KEPT_ALBEDOS],
    specular: &mut Specular,
) -> Option<Primary> {
    let &HitAt { rays, hits, i, block, lane } = at;
    let [x, y, z] = rays.direction;
    let direction = Vec3::new(x[i], y[i], z[i]);
    if hits.prim_id[i] == MISS {
        let [x, y, z] = rays.origin;
        return Some(Primary::Environment(view.environment(direction, Vec3::new(x[i], y[i], z[i]))));
    }
    let (world, material, distance) = (view.world, block.material[lane], hits.t[i]);
    let materials = world.materials();
    let normal = vector(&block.ns, lane);
    let on_surface = |albedo: Vec3| {
        let plane = Plane { point: vector(&block.position, lane), normal: vector(&block.ng, lane) };
        let inverse_distance = distance.max(f32::MIN_POSITIVE).recip();
        Some(Primary::Surface(PrimarySurface { albedo, normal, inverse_distance, plane: Some(plane) }))
    };
    let width = view.footprint(direction, distance, 0);
    if materials.is_plain(material) {
        // The same features without the detour over a bsdf
        return on_surface(world.plain_albedo(hits, i, material, width).min(Vec3::ONE));
    }
    let is_uniform = world.is_uniform(hits.inst_id[i], material);
    let mu = normal.dot(direction).abs() * block.side[lane];
    let kept = &mut kept[material as usize % KEPT_ALBEDOS];
    if let Some(kept) = kept
        && is_uniform
        && kept.material == material
        && (kept.mu - mu).abs() < SAME_COSINE
    {
        return on_surface(kept.albedo);
    }
    let ray = rays.get(i)?;
    let surface = world.surface_interaction_of(hits, i, (block, lane), -direction, width);
    let followed = Followed { pixel, ray, surface, distance, throughput: Vec3::ONE };
    if materials.may_be_specular(material) {
        specular.followed.push(followed);
        return None;
    }
    let primary = view.primary(&followed, true);
    if let Primary::Surface(PrimarySurface { albedo, .. }) = primary
        && is_uniform
    {
        *kept = Some(KeptAlbedo { material, mu, albedo });
    }
    Some(primary)
}

/// Returns a pixel of a square.
#[inline(always)]
fn pixel([x, y]: [u32; 2], lane: u32) -> [u32; 2] {
    [x + lane % SQUARE, y + lane / SQUARE]
}
