//! Exchange of light between two nodes: `A_i F_ij = A_j F_ji`, once for the pair.

use std::f32::consts::PI;

use fearless_simd::Level;
use sunfleck_kernel::{Coherence, RayBuffer};
use sunfleck_math::float::ONE_MINUS_EPSILON;
use sunfleck_math::{Vec2, Vec3};
use sunfleck_sampling::{Sampler, SamplerKind};
use sunfleck_transport::{AlphaSeed, SurfaceInteraction, World};

use super::HierarchyOptions;
use super::cells::{Cells, Node};
use super::oracle::Estimate;
use super::pieces::pieces;
use crate::atlas::Atlas;

/// Planar nodes nearer than this multiple of the sum of their radii exchange light by the closed form.
const NEAR: f32 = 2.0;

/// What the rays between two nodes found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    /// `A_i F_ij`, m².
    pub(super) exchange: f32,
    /// Part of it that varies between points of the nodes, m².
    pub(super) varying: f32,
}

/// Computes exchanges. They are functions of the seed and the two nodes.
pub(super) struct Exchanges<'a> {
    world: &'a World,
    atlas: &'a Atlas,
    cells: &'a Cells,
    sampler: Sampler,
    rays: u32,
}

/// Sums over the rays of a pair of the kernel `cos cos / π r²`.
#[derive(Clone, Copy, Default)]
struct Sums {
    all: f64,
    visible: f64,
}

impl<'a> Exchanges<'a> {
    pub(super) fn new(
        world: &'a World,
        atlas: &'a Atlas,
        cells: &'a Cells,
        options: &HierarchyOptions,
    ) -> Self {
        let sampler = Sampler::new(SamplerKind::Sobol, options.seed);
        Self { world, atlas, cells, sampler, rays: options.rays.max(1) }
    }

    /// Returns the exchanges of pairs, which are traced together.
    pub(super) fn of(&self, pairs: &[([u32; 2], Estimate)]) -> Vec<Exchange> {
        let mut rays = RayBuffer::with_capacity(pairs.len() * self.rays as usize);
        // Pair, sample and kernel of each ray
        let mut traced: Vec<(usize, u32, f32)> = Vec::with_capacity(pairs.len() * self.rays as usize);
        for (i, (pair, _)) in pairs.iter().enumerate() {
            let [a, b] = pair.map(|node| self.cells.node(node));
            let softening = if is_near(&a, &b) { a.area().min(b.area()) / self.rays as f32 } else { 0.0 };
            for sample in 0..self.rays {
                let u = [0, 2].map(|dimension| self.sampler.get_2d(*pair, sample, dimension));
                let (Some(p), Some(q)) = (self.point(&a, u[0]), self.point(&b, u[1])) else { continue };
                let offset = q.position - p.position;
                let Some(direction) = offset.try_normalize() else { continue };
                let cosines = normal(&a, &p).dot(direction).max(0.0) * (-normal(&b, &q).dot(direction)).max(0.0);
                if cosines > 0.0 {
                    rays.push(&p.spawn_shadow_ray(direction, offset.length()));
                    traced.push((i, sample, cosines / (PI * offset.length_squared() + softening)));
                }
            }
        }
        let mut occluded = vec![false; traced.len()];
        let seed = |ray: usize| {
            let (pair, sample, _) = traced[ray];
            AlphaSeed { pixel: pairs[pair].0, sample, stream: 0 }
        };
        self.world.occluded_stream(
            Level::new(),
            &rays.as_stream(),
            Coherence::Incoherent,
            &seed,
            &mut occluded,
        );
        let mut sums = vec![Sums::default(); pairs.len()];
        for (&(pair, _, kernel), occluded) in traced.iter().zip(occluded) {
            sums[pair].all += f64::from(kernel);
            sums[pair].visible += if occluded { 0.0 } else { f64::from(kernel) };
        }
        pairs.iter().zip(sums).map(|((pair, estimate), sums)| self.exchange(*pair, *estimate, sums)).collect()
    }

    fn exchange(&self, pair: [u32; 2], estimate: Estimate, sums: Sums) -> Exchange {
        let [a, b] = pair.map(|node| self.cells.node(node));
        let visibility = if sums.all > 0.0 { sums.visible / sums.all } else { 0.0 };
        let unoccluded = if is_near(&a, &b) && a.cell.extent.is_planar() && b.cell.extent.is_planar() {
            self.closed_form(&a, &b)
        } else {
            let areas = f64::from(a.area()) * f64::from(b.area());
            (areas * sums.all / f64::from(self.rays)).min(f64::from(a.area().min(b.area())))
        };
        let exchange = unoccluded * visibility;
        // The standard deviation of visibility and the variation of the kernel
        let partly = (visibility * (1.0 - visibility)).max(0.0).sqrt();
        let varying = unoccluded * partly + exchange * f64::from(estimate.variation);
        #[allow(clippy::cast_possible_truncation, reason = "sums in f64 are stored in f32")]
        Exchange { exchange: exchange as f32, varying: varying as f32 }
    }

    /// Returns the exchange of planar nodes without occlusion.
    fn closed_form(&self, a: &Node<'_>, b: &Node<'_>) -> f64 {
        let [from, to] =
            [a, b].map(|node| pieces(self.atlas, node.cell.square, node.cell.extent.triangle, node.axis));
        from.iter().flat_map(|from| to.iter().map(|to| from.exchange(to))).sum()
    }

    /// Returns a point of a node for uniforms.
    fn point(&self, node: &Node<'_>, u: Vec2) -> Option<SurfaceInteraction> {
        let (texel, u) = self.cells.sample(node, u.min(Vec2::splat(ONE_MINUS_EPSILON)));
        self.atlas.interaction_in(self.world, texel, u, node.is_front, 0.0)
    }
}

fn is_near(a: &Node<'_>, b: &Node<'_>) -> bool {
    a.cell.center.distance(b.cell.center) < NEAR * (a.cell.radius + b.cell.radius)
}

fn normal(node: &Node<'_>, surface: &SurfaceInteraction) -> Vec3 {
    if node.is_front { surface.ng } else { -surface.ng }
}
