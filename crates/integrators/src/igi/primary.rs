//! Camera rays and the first surfaces that they hit.
//!
//! In filtered frames, irradiance is averaged over many pixels. So if all camera rays of a pixel hit the same triangle,
//! a single point is lit by all VPLs of the set, instead of one point of each ray by its subset. Each ray still reads
//! textures at its own hit.

use fearless_simd::Simd;
use sunfleck_image::{AovSet, TileRect};
use sunfleck_kernel::{Coherence, HitBuffer, MISS};
use sunfleck_math::Vec3;
use sunfleck_transport::InteractionBlock;
use sunfleck_transport::vectors::{LANES, vector};

use super::blocks::{DIFFUSE, LightChannel, PixelTarget, ShadingPoint};
use super::camera::CameraRayStream;
use super::chance::counters_of;
use super::paths::{self, FrameContext, HitRef, Path, ShadingOutput};
use super::tile_sums::TileSums;
use super::vpl;
use crate::tile_light::VisibleSurface;

/// Camera rays of a tile, and their hits.
#[derive(Debug, Default)]
pub(super) struct Primary {
    camera: CameraRayStream,
    hits: HitBuffer,
    to_shade: Vec<PrimaryHit>,
}

/// Hit that is to be shaded.
#[derive(Clone, Copy, Debug)]
struct PrimaryHit {
    /// Index of the camera ray.
    ray: u32,
    /// Whether the hit stands for those of all camera rays of the pixel.
    merged: bool,
}

impl Primary {
    /// Traces the camera rays of a tile. Returns their number.
    #[inline(never)]
    pub(super) fn trace<S: Simd>(&mut self, simd: S, ctx: &FrameContext<'_>, rect: TileRect) -> u64 {
        let Self { camera, hits, .. } = self;
        simd.vectorize(
            #[inline(always)]
            || camera.fill(simd, ctx.view, ctx.pattern, rect),
        );
        let len = camera.weights.len();
        hits.resize(len);
        let samples = ctx.igi.subsets() as usize;
        let seed = |i: usize| {
            let id = ctx.sample_id(rect, camera.pixels[i / samples], ctx.pattern.number(i));
            ctx.view.alpha_seed(id, 0)
        };
        let (rays, coherent) = (camera.as_stream(), Coherence::Coherent);
        ctx.view.world.intersect_stream(simd.level(), &rays, coherent, &seed, &mut hits.as_stream());
        len as u64
    }

    /// Shades the hits.
    #[inline(never)]
    pub(super) fn shade<S: Simd>(
        &mut self,
        simd: S,
        ctx: &FrameContext<'_>,
        light: &mut TileSums,
        surfaces: &mut InteractionBlock,
        output: &mut ShadingOutput,
    ) {
        simd.vectorize(
            #[inline(always)]
            || {
                self.list_hits(ctx, light.rect);
                for block in self.to_shade.chunks(LANES) {
                    let mut which = [0; LANES];
                    which.iter_mut().zip(block).for_each(|(which, hit)| *which = hit.ray);
                    let direction = self.camera.as_stream().direction;
                    ctx.view.world.surface_interactions(
                        simd,
                        &self.hits,
                        direction,
                        &which[..block.len()],
                        surfaces,
                    );
                    for (lane, hit) in block.iter().enumerate() {
                        if !self.shade_plain(ctx, light, (surfaces, lane), *hit, output) {
                            let i = hit.ray as usize;
                            let path = self.path(ctx, i);
                            let at = HitRef { hits: &self.hits, i, surfaces, lane };
                            paths::shade_any(simd, ctx, light, &path, &at, output);
                        }
                    }
                }
            },
        );
    }

    /// Lists the hits that are to be shaded.
    #[inline(always)]
    fn list_hits(&mut self, ctx: &FrameContext<'_>, rect: TileRect) {
        let rays = ctx.igi.subsets();
        self.to_shade.clear();
        for (&pixel, first) in self.camera.pixels.iter().zip((0..).step_by(rays as usize)) {
            if self.can_merge(ctx, first as usize, rays as usize) {
                let representative = ctx.representative(ctx.pixel(rect, pixel));
                self.to_shade.push(PrimaryHit { ray: first + representative, merged: true });
            } else {
                self.to_shade.extend((first..first + rays).map(|ray| PrimaryHit { ray, merged: false }));
            }
        }
    }

    /// Returns whether the rays of a pixel hit the same diffuse triangle and may be lit at a single point.
    #[inline(always)]
    fn can_merge(&self, ctx: &FrameContext<'_>, first: usize, rays: usize) -> bool {
        let world = ctx.view.world;
        let (inst, prim) = (&self.hits.inst_id[first..][..rays], &self.hits.prim_id[first..][..rays]);
        ctx.merges
            && ctx.view.aovs == AovSet::EMPTY
            && prim[0] != MISS
            && prim.iter().all(|&other| other == prim[0])
            && inst.iter().all(|&other| other == inst[0])
            && !world.is_of_shapes(inst[0])
            && world.materials().is_plain(world.material_at(inst[0], prim[0]))
    }

    /// Appends the shading point of a diffuse surface. Returns false, and does nothing, if the hit needs more: a miss,
    /// another material, or AOVs.
    #[inline(always)]
    fn shade_plain(
        &self,
        ctx: &FrameContext<'_>,
        light: &mut TileSums,
        (surfaces, lane): (&InteractionBlock, usize),
        PrimaryHit { ray, merged }: PrimaryHit,
        output: &mut ShadingOutput,
    ) -> bool {
        let FrameContext { view, igi, .. } = *ctx;
        let (i, rays) = (ray as usize, igi.subsets() as usize);
        let material = surfaces.material[lane];
        let is_lit = surfaces.hit >> lane & 1 == 1 && view.world.materials().is_plain(material);
        if !is_lit || view.aovs != AovSet::EMPTY {
            return false;
        }
        let samples = if merged { i / rays * rays..(i / rays + 1) * rays } else { i..i + 1 };
        let mut weight = Vec3::ZERO;
        for sample in samples {
            let width = ctx.footprint(self.camera.ray(sample).direction, self.hits.t[sample]);
            let albedo = view.world.plain_albedo(&self.hits, sample, material, width);
            weight += albedo * (self.camera.weights[sample] * std::f32::consts::FRAC_1_PI);
        }
        let side = surfaces.side[lane];
        let ns = vector(&surfaces.ns, lane) * side;
        let path = self.path(ctx, i);
        let pixel = ctx.pixel(light.rect, path.target.pixel);
        let surface = VisibleSurface::new(ns, self.hits.t[i], self.hits.inst_id[i], material);
        output.points.points.push(ShadingPoint {
            sample: match merged {
                true => light.record_merged(path.target.pixel, surface),
                false => light.record(path.target.pixel, surface, weight),
            },
            group: match merged {
                true => vpl::set_group(ctx, pixel),
                false => vpl::subset_group(ctx, pixel, path.sample),
            },
            target: path.target,
            weight,
            origin: vector(&surfaces.outside, lane),
            ns,
            ng: vector(&surfaces.ng, lane) * side,
            glossy: DIFFUSE,
            counters: counters_of(
                view,
                ctx.sample_id(light.rect, path.target.pixel, path.sample),
                path.bounce,
            ),
        });
        if paths::compensates(ctx, pixel, &path) {
            paths::compensate_plain(
                ctx,
                light.rect,
                &path,
                &HitRef { hits: &self.hits, i, surfaces, lane },
                output,
            );
        }
        true
    }

    /// Makes the path of a camera ray.
    #[inline(always)]
    fn path(&self, ctx: &FrameContext<'_>, i: usize) -> Path {
        let rays = ctx.igi.subsets() as usize;
        Path {
            ray: self.camera.ray(i),
            throughput: Vec3::splat(self.camera.weights[i]),
            target: PixelTarget { pixel: self.camera.pixels[i / rays], channel: LightChannel::Surface },
            sample: ctx.pattern.number(i),
            bounce: 0,
            distance: 0.0,
            bound_over_cos: 0.0,
            is_straight: true,
        }
    }
}
