//! The first surfaces that camera rays meet.
//!
//! In frames that are filtered, irradiance is mixed over many pixels anyway. So where all camera rays of a pixel meet the same triangle,
//! one point of it is lit by all VPLs of the set, instead of each by a share of them; what the rays see of textures stays theirs.

use fearless_simd::Simd;
use sunfleck_image::{AovSet, TileRect};
use sunfleck_kernel::{Coherence, HitBuffer, MISS};
use sunfleck_math::Vec3;
use sunfleck_transport::InteractionBlock;
use sunfleck_transport::vectors::{LANES, vector};

use super::blocks::{Channel, DIFFUSE, Point, Target};
use super::camera::CameraRays;
use super::chance::counters_of;
use super::paths::{self, Job, Lane, Met, Path};
use super::tile_sums::TileSums;
use super::vpl;
use crate::tile_light::Surface;

/// Camera rays of a tile, and what they meet.
#[derive(Debug, Default)]
pub(super) struct Primary {
    camera: CameraRays,
    hits: HitBuffer,
    seen: Vec<Seen>,
}

/// A surface to be lit.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Which camera ray meets it.
    ray: u32,
    /// Whether all rays of its pixel do.
    together: bool,
}

impl Primary {
    /// Traces the camera rays of a tile; how many there are.
    #[inline(never)]
    pub(super) fn trace<S: Simd>(&mut self, simd: S, job: &Job<'_>, rect: TileRect) -> u64 {
        let Self { camera, hits, .. } = self;
        simd.vectorize(
            #[inline(always)]
            || camera.fill(simd, job.view, job.pattern, rect),
        );
        let len = camera.weights.len();
        hits.resize(len);
        let samples = job.igi.subsets() as usize;
        let seed = |i: usize| {
            let id = job.sample_id(rect, camera.pixels[i / samples], job.pattern.number(i));
            job.view.alpha_seed(id, 0)
        };
        let (rays, coherent) = (camera.as_stream(), Coherence::Coherent);
        job.view.world.intersect_stream(simd.level(), &rays, coherent, &seed, &mut hits.as_stream());
        len as u64
    }

    /// Lights what they meet.
    #[inline(never)]
    pub(super) fn shade<S: Simd>(
        &mut self,
        simd: S,
        job: &Job<'_>,
        light: &mut TileSums,
        surfaces: &mut InteractionBlock,
        met: &mut Met,
    ) {
        simd.vectorize(
            #[inline(always)]
            || {
                self.choose(job, light.rect);
                for seen in self.seen.chunks(LANES) {
                    let mut which = [0; LANES];
                    which.iter_mut().zip(seen).for_each(|(which, seen)| *which = seen.ray);
                    let direction = self.camera.as_stream().direction;
                    job.view.world.surface_interactions(
                        simd,
                        &self.hits,
                        direction,
                        &which[..seen.len()],
                        surfaces,
                    );
                    for (lane, seen) in seen.iter().enumerate() {
                        if !self.shade_plain(job, light, (surfaces, lane), *seen, met) {
                            let i = seen.ray as usize;
                            let path = self.path(job, i);
                            let at = Lane { hits: &self.hits, i, surfaces, lane };
                            paths::shade_any(simd, job, light, &path, &at, met);
                        }
                    }
                }
            },
        );
    }

    /// Lists the surfaces to be lit.
    #[inline(always)]
    fn choose(&mut self, job: &Job<'_>, rect: TileRect) {
        let rays = job.igi.subsets();
        self.seen.clear();
        for (&pixel, first) in self.camera.pixels.iter().zip((0..).step_by(rays as usize)) {
            if self.meet_the_same(job, first as usize, rays as usize) {
                let speaker = job.speaker(job.pixel(rect, pixel));
                self.seen.push(Seen { ray: first + speaker, together: true });
            } else {
                self.seen.extend((first..first + rays).map(|ray| Seen { ray, together: false }));
            }
        }
    }

    /// Whether some rays meet the same diffuse triangle, and may speak with one voice.
    #[inline(always)]
    fn meet_the_same(&self, job: &Job<'_>, first: usize, rays: usize) -> bool {
        let world = job.view.world;
        let (inst, prim) = (&self.hits.inst_id[first..][..rays], &self.hits.prim_id[first..][..rays]);
        job.merges
            && job.view.aovs == AovSet::EMPTY
            && prim[0] != MISS
            && prim.iter().all(|&other| other == prim[0])
            && inst.iter().all(|&other| other == inst[0])
            && world.materials().is_plain(world.material_at(inst[0], prim[0]))
    }

    /// Lights a diffuse surface where that is all there is to be done; false if it is not.
    #[inline(always)]
    fn shade_plain(
        &self,
        job: &Job<'_>,
        light: &mut TileSums,
        (surfaces, lane): (&InteractionBlock, usize),
        Seen { ray, together }: Seen,
        met: &mut Met,
    ) -> bool {
        let Job { view, igi, .. } = *job;
        let (i, rays) = (ray as usize, igi.subsets() as usize);
        let material = surfaces.material[lane];
        let is_lit = surfaces.hit >> lane & 1 == 1 && view.world.materials().is_plain(material);
        if !is_lit || view.aovs != AovSet::EMPTY {
            return false;
        }
        let samples = if together { i / rays * rays..(i / rays + 1) * rays } else { i..i + 1 };
        let mut weight = Vec3::ZERO;
        for sample in samples {
            let width = job.footprint(self.camera.ray(sample).direction, self.hits.t[sample]);
            let albedo = view.world.plain_albedo(&self.hits, sample, material, width);
            weight += albedo * (self.camera.weights[sample] * std::f32::consts::FRAC_1_PI);
        }
        let side = surfaces.side[lane];
        let ns = vector(&surfaces.ns, lane) * side;
        let path = self.path(job, i);
        let pixel = job.pixel(light.rect, path.target.pixel);
        let surface = Surface::new(ns, self.hits.t[i], self.hits.inst_id[i], material);
        met.points.points.push(Point {
            sample: match together {
                true => light.record_alone(path.target.pixel, surface),
                false => light.record(path.target.pixel, surface, weight),
            },
            group: if together { vpl::whole(job, pixel) } else { vpl::share(job, pixel, path.sample) },
            target: path.target,
            weight,
            origin: vector(&surfaces.outside, lane),
            ns,
            ng: vector(&surfaces.ng, lane) * side,
            glossy: DIFFUSE,
            counters: counters_of(
                view,
                job.sample_id(light.rect, path.target.pixel, path.sample),
                path.bounce,
            ),
        });
        if paths::compensates(job, pixel, &path) {
            paths::compensate_plain(
                job,
                light.rect,
                &path,
                &Lane { hits: &self.hits, i, surfaces, lane },
                met,
            );
        }
        true
    }

    /// A camera ray as a path.
    #[inline(always)]
    fn path(&self, job: &Job<'_>, i: usize) -> Path {
        let rays = job.igi.subsets() as usize;
        Path {
            ray: self.camera.ray(i),
            throughput: Vec3::splat(self.camera.weights[i]),
            target: Target { pixel: self.camera.pixels[i / rays], channel: Channel::Surface },
            sample: job.pattern.number(i),
            bounce: 0,
            distance: 0.0,
            bound_over_cos: 0.0,
        }
    }
}
