//! Hits that are shaded together, as structure of arrays.
//!
//! Each step is one loop over the hits of a batch. Loops that call only functions without side effects are vectorised
//! by the compiler at every SIMD level, and have the same bits as one call at a time.

use fearless_simd::Simd;
use sunfleck_math::vec3;
use sunfleck_shading::{BATCH_SIZE, BatchRow, LightBatch, set_batch_row};
use sunfleck_transport::InteractionBlock;
use sunfleck_transport::vectors::{LANES, Lanes};

use super::sample_rows::SampleRows;
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
    samples: SampleRows,
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
            samples: SampleRows::default(),
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
                    self.lights.receiver_normal[axis][start + lane] = block.ng[axis][lane] * block.side[lane];
                }
            }
        }
        let [x, y, z] = direction;
        for (i, &at) in which.iter().enumerate().take(count) {
            let at = at as usize;
            set_batch_row(&mut self.wo, i, -vec3(x[at], y[at], z[at]));
        }
        if !scatters {
            return;
        }
        self.samples.set(which.iter().map(
            #[inline(always)]
            |&at| results[live.slot[at as usize] as usize].id,
        ));
        self.draw(view, Vertex::new(bounce));
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
    fn draw(&mut self, view: &View<'_>, vertex: Vertex) {
        let Self { samples, lobe_u, direction_u, roulette_u, unused, lights, .. } = self;
        samples.draw(view, vertex.light_point(), lights.u.each_mut());
        samples.draw(view, vertex.direction(), direction_u.each_mut());
        // The two decisions are a pair of dimensions
        samples.draw(view, vertex.light(), [&mut lights.light_u, lobe_u]);
        samples.draw(view, vertex.roulette(), [roulette_u, unused]);
    }
}

#[inline(always)]
fn copy(rows: &mut [BatchRow; 3], start: usize, lanes: &[Lanes; 3]) {
    for (row, lanes) in rows.iter_mut().zip(lanes) {
        row[start..start + LANES].copy_from_slice(lanes);
    }
}
