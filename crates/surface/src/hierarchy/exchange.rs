//! Exchange of light between two nodes: `A_i F_ij = A_j F_ji`, once for the pair.

use std::f32::consts::PI;

use fearless_simd::Level;
use sunfleck_kernel::{Coherence, RayBuffer};
use sunfleck_math::float::{ONE_MINUS_EPSILON, offset_ray_origin};
use sunfleck_math::{Ray, Vec2, Vec3};
use sunfleck_sampling::{Sampler, SamplerKind};
use sunfleck_transport::{AlphaSeed, SurfaceInteraction, World};

use super::HierarchyOptions;
use super::cells::{Cells, Node};
use super::oracle::{Estimate, Pair, variation};
use super::pieces::pieces;
use crate::atlas::Atlas;

/// Planar nodes nearer than this multiple of the sum of their radii exchange light by the closed form.
const NEAR: f32 = 2.0;

/// Fraction of the length of a shadow ray that is traced. Its end is off the surface already; what is missing is smaller
/// than the gap between a lamp and the ceiling that it lies on.
const SHORTENED: f32 = 1.0 - 16.0 * f32::EPSILON;

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
    pub(super) fn of(&self, pairs: &[(Pair, Estimate)]) -> Vec<Estimate> {
        let mut rays = RayBuffer::with_capacity(pairs.len() * self.rays as usize);
        // Pair, sample and kernel of each ray
        let mut traced: Vec<(usize, u32, f32)> = Vec::with_capacity(pairs.len() * self.rays as usize);
        for (i, (pair, _)) in pairs.iter().enumerate() {
            let [a, b] = pair.nodes.map(|node| self.cells.node(node));
            let softening = if is_near(&a, &b) { a.area().min(b.area()) / self.rays as f32 } else { 0.0 };
            for sample in 0..self.rays {
                let u = [0, 2].map(|dimension| self.sampler.get_2d(pair.nodes, sample, dimension));
                let (Some(p), Some(q)) = (self.point(&a, u[0]), self.point(&b, u[1])) else { continue };
                let offset = q.position - p.position;
                let Some(direction) = offset.try_normalize() else { continue };
                let cosines =
                    normal(&a, &p).dot(direction).max(0.0) * (-normal(&b, &q).dot(direction)).max(0.0);
                if cosines > 0.0 {
                    rays.push(&ray_between(&p, &q, direction));
                    traced.push((i, sample, cosines / (PI * offset.length_squared() + softening)));
                }
            }
        }
        let mut occluded = vec![false; traced.len()];
        let seed = |ray: usize| {
            let (pair, sample, _) = traced[ray];
            AlphaSeed { pixel: pairs[pair].0.nodes, sample, stream: 0 }
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
        pairs.iter().zip(sums).map(|((pair, _), sums)| self.exchange(pair, sums)).collect()
    }

    fn exchange(&self, pair: &Pair, sums: Sums) -> Estimate {
        let [a, b] = pair.nodes.map(|node| self.cells.node(node));
        let visibility = if sums.all > 0.0 { sums.visible / sums.all } else { 0.0 };
        let unoccluded = if is_near(&a, &b) && a.cell.extent.is_planar() && b.cell.extent.is_planar() {
            self.closed_form(&a, &b)
        } else {
            let areas = f64::from(a.area()) * f64::from(b.area());
            (areas * sums.all / f64::from(self.rays)).min(f64::from(a.area().min(b.area())))
        };
        // The standard deviation of visibility, and the variation of the kernel
        let partly = unoccluded * (visibility * (1.0 - visibility)).max(0.0).sqrt();
        let exchange = unoccluded * visibility;
        let varying = variation(&a, &b).map(|variation| rounded(partly + exchange * f64::from(variation)));
        Estimate { exchange: rounded(exchange), varying }
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

/// Returns the shadow ray from one point to another. Both are moved off their surfaces, so that a grazing ray between near
/// surfaces does not meet them.
fn ray_between(p: &SurfaceInteraction, q: &SurfaceInteraction, direction: Vec3) -> Ray {
    let origin = offset_ray_origin(p.position, p.position_error, p.ng, direction);
    let end = offset_ray_origin(q.position, q.position_error, q.ng, -direction);
    let (offset, distance) = (end - origin, origin.distance(end));
    if offset.dot(direction) > 0.0 {
        Ray { t_far: distance * SHORTENED, ..Ray::new(origin, offset / distance) }
    } else {
        // Nearer than rounding errors: nothing is between them
        Ray { t_far: -1.0, ..Ray::new(origin, direction) }
    }
}

fn normal(node: &Node<'_>, surface: &SurfaceInteraction) -> Vec3 {
    if node.is_front { surface.ng } else { -surface.ng }
}

#[allow(clippy::cast_possible_truncation, reason = "sums in f64 are stored in f32")]
fn rounded(value: f64) -> f32 {
    value as f32
}
