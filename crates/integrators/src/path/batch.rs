//! Hits that are shaded together, as structure of arrays.
//!
//! Each step is one loop over the hits of a batch. Loops that call only functions without side effects are vectorised
//! by the compiler at every SIMD level, and have the same bits as one call at a time.

use fearless_simd::Simd;
use sunfleck_kernel::{RayBuffer, RayStream};
use sunfleck_math::{Vec3, vec3};
use sunfleck_shading::{BATCH_SIZE, BatchRow, LightBatch, set_batch_row};
use sunfleck_transport::InteractionBlock;
use sunfleck_transport::vectors::{LANES, Lanes};

use super::streams::{LivePaths, SampleResult};
use crate::dimension::Vertex;
use crate::view::View;

/// Surfaces, random numbers and light samples of up to [`BATCH_SIZE`] hits.
#[derive(Debug)]
pub(super) struct ShadingBatch {
    /// Sixteen surfaces each.
    pub(super) blocks: Vec<InteractionBlock>,
    /// Unit directions to the viewers, in world space.
    pub(super) wo: [BatchRow; 3],
    pub(super) ng: [BatchRow; 3],
    pub(super) ns: [BatchRow; 3],
    /// See [`InteractionBlock::outside`].
    pub(super) outside: [BatchRow; 3],
    /// Sample of each path.
    pixel: [[u32; BATCH_SIZE]; 2],
    sample: [u32; BATCH_SIZE],
    /// Uniforms of the choice of a lobe.
    pub(super) lobe_u: BatchRow,
    /// Uniforms of the direction of scattering.
    pub(super) direction_u: [BatchRow; 2],
    /// Uniforms of Russian roulette.
    pub(super) roulette_u: BatchRow,
    /// Second uniforms of the pair of `roulette_u`.
    unused: BatchRow,
    pub(super) lights: LightBatch,
}

impl Default for ShadingBatch {
    fn default() -> Self {
        let (row, axes) = ([0.0; BATCH_SIZE], [[0.0; BATCH_SIZE]; 3]);
        Self {
            blocks: vec![InteractionBlock::new(); BATCH_SIZE / LANES],
            wo: axes,
            ng: axes,
            ns: axes,
            outside: axes,
            pixel: [[0; BATCH_SIZE]; 2],
            sample: [0; BATCH_SIZE],
            lobe_u: row,
            direction_u: [row; 2],
            roulette_u: row,
            unused: row,
            lights: LightBatch::default(),
        }
    }
}

impl ShadingBatch {
    /// Computes surfaces, random numbers and light samples of hits.
    ///
    /// * `scatters` — whether paths go on here; else there are only surfaces.
    /// * `which` — at most [`BATCH_SIZE`] indices of live paths whose rays hit a surface.
    #[inline(always)]
    pub(super) fn fill<S: Simd>(
        &mut self,
        simd: S,
        view: &View<'_>,
        live: &LivePaths,
        results: &[SampleResult],
        which: &[u32],
        bounce: u32,
        scatters: bool,
    ) {
        let count = which.len().min(BATCH_SIZE);
        let direction = live.rays.as_stream().direction;
        for (which, (block, start)) in
            which.chunks(LANES).zip(self.blocks.iter_mut().zip((0..).step_by(LANES)))
        {
            view.world.surface_interactions(simd, &live.hits, direction, which, block);
            copy(&mut self.lights.from, start, &block.position);
            copy(&mut self.ng, start, &block.ng);
            copy(&mut self.ns, start, &block.ns);
            copy(&mut self.outside, start, &block.outside);
            for axis in 0..3 {
                for lane in 0..LANES {
                    self.lights.facing[axis][start + lane] = block.ng[axis][lane] * block.side[lane];
                }
            }
        }
        for (i, &at) in which.iter().enumerate().take(count) {
            let at = at as usize;
            let [x, y, z] = direction;
            set_batch_row(&mut self.wo, i, -vec3(x[at], y[at], z[at]));
            let id = results[live.slot[at] as usize].id;
            [self.pixel[0][i], self.pixel[1][i]] = id.pixel;
            self.sample[i] = id.sample;
        }
        if !scatters {
            return;
        }
        self.draw(view, Vertex::new(bounce), count);
        let materials = view.world.materials();
        let Self { blocks, lights, .. } = self;
        view.world.lights().sample_batch(
            materials,
            lights,
            count,
            #[inline(always)]
            |i| !materials.is_delta(blocks[i / LANES].material[i % LANES]),
        );
    }

    /// Draws the random numbers of a vertex.
    #[inline(always)]
    fn draw(&mut self, view: &View<'_>, vertex: Vertex, count: usize) {
        let Self { pixel: [x, y], sample, lobe_u, direction_u, roulette_u, unused, lights, .. } = self;
        let samples = ([&x[..count], &y[..count]], &sample[..count]);
        fill(view, samples, vertex.light_point(), lights.u.each_mut());
        fill(view, samples, vertex.direction(), direction_u.each_mut());
        // The two decisions are a pair of dimensions
        fill(view, samples, vertex.light(), [&mut lights.light_u, lobe_u]);
        fill(view, samples, vertex.roulette(), [roulette_u, unused]);
    }
}

/// Pixels and indices of samples.
type SampleRows<'a> = ([&'a [u32]; 2], &'a [u32]);

#[inline(always)]
fn fill(view: &View<'_>, (pixels, samples): SampleRows<'_>, dimension: u32, u: [&mut BatchRow; 2]) {
    let count = samples.len();
    view.sampler.fill_2d(pixels, samples, dimension, u.map(|u| &mut u[..count]));
}

/// Rays that a loop over hits spawns, before they are appended to a stream.
#[derive(Debug)]
pub(super) struct SpawnedRays {
    origin: [BatchRow; 3],
    direction: [BatchRow; 3],
    /// Always 0.
    t_near: BatchRow,
    t_far: BatchRow,
    count: usize,
}

impl Default for SpawnedRays {
    fn default() -> Self {
        let (row, axes) = ([0.0; BATCH_SIZE], [[0.0; BATCH_SIZE]; 3]);
        Self { origin: axes, direction: axes, t_near: row, t_far: row, count: 0 }
    }
}

impl SpawnedRays {
    /// Adds a ray; rays beyond [`BATCH_SIZE`] are ignored.
    #[inline(always)]
    pub(super) fn push(&mut self, origin: Vec3, direction: Vec3, t_far: f32) {
        let i = self.count;
        if i < BATCH_SIZE {
            set_batch_row(&mut self.origin, i, origin);
            set_batch_row(&mut self.direction, i, direction);
            self.t_far[i] = t_far;
            self.count = i + 1;
        }
    }

    /// Moves the rays to the end of a stream.
    #[inline(always)]
    pub(super) fn append_to(&mut self, rays: &mut RayBuffer) {
        let n = self.count;
        rays.extend(&RayStream {
            origin: self.origin.each_ref().map(|row| &row[..n]),
            t_near: &self.t_near[..n],
            direction: self.direction.each_ref().map(|row| &row[..n]),
            t_far: &self.t_far[..n],
        });
        self.count = 0;
    }
}

#[inline(always)]
fn copy(rows: &mut [BatchRow; 3], start: usize, lanes: &[Lanes; 3]) {
    for (row, lanes) in rows.iter_mut().zip(lanes) {
        row[start..start + LANES].copy_from_slice(lanes);
    }
}
