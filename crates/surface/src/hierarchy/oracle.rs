//! Decides which pairs of nodes are linked, and which are divided.

use std::f32::consts::PI;

use sunfleck_math::Vec3;
use sunfleck_shading::luminance;

use super::cells::{Cells, Node};
use super::extent::{cos_of_difference, cos_of_sum};
use super::links::pulled;

/// Factor of errors that the links of a receiver have in common, so that they add up, in contrast to noise: across a large
/// receiver all light varies alike, and large sources are brightest where they are seen.
const COHERENCE: f32 = 10.0;

/// Two nodes, and the ways light takes between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) nodes: [u32; 2],
    /// Whether the first receives light of the second, and the second of the first.
    pub(super) ways: [bool; 2],
}

/// Estimate of the light that two nodes exchange, or what rays found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// `A_i F_ij = A_j F_ji`, m².
    pub(super) exchange: f32,
    /// Part of it that varies between points of each of the nodes, m².
    pub(super) varying: [f32; 2],
}

/// Returns an estimate: bounds of the cosines at both nodes, and an approximation of the distance; `None` if the nodes
/// cannot see each other.
pub(super) fn estimate(a: &Node<'_>, b: &Node<'_>) -> Option<Estimate> {
    let same_triangle = a.cell.extent.is_planar() && a.cell.extent.triangle == b.cell.extent.triangle;
    if a.area() <= 0.0 || b.area() <= 0.0 || same_triangle {
        return None;
    }
    let cosines = cosine_bound(a, b) * cosine_bound(b, a);
    if cosines <= 0.0 {
        return None;
    }
    let distance = a.cell.center.distance(b.cell.center);
    // The larger node as a disk, which the smaller one sees [Wallace89, disk source]
    let disk = PI * distance * distance + a.area().max(b.area());
    let exchange = a.area() * b.area() * cosines / disk;
    Some(Estimate { exchange, varying: variation(a, b).map(|variation| variation * exchange) })
}

/// Returns the relative variation of the kernel between points of each of two nodes, at most 1: the radius over the
/// distance from the other node.
pub(super) fn variation(a: &Node<'_>, b: &Node<'_>) -> [f32; 2] {
    let nearest = a.cell.center.distance(b.cell.center) - a.cell.radius - b.cell.radius;
    [a, b].map(|node| node.cell.radius / (node.cell.radius + nearest.max(0.0)))
}

/// Returns a bound of the cosine between a normal of `a` and the direction from a point of `a` to one of `b`; 0 if all
/// of `b` is behind `a`.
fn cosine_bound(a: &Node<'_>, b: &Node<'_>) -> f32 {
    let offset = b.cell.center - a.cell.center;
    let distance = offset.length();
    let reach = a.cell.radius + b.cell.radius;
    let mut bound = 1.0;
    if distance > reach {
        let sine = reach / distance;
        let cos_of_spheres = (1.0 - sine * sine).max(0.0).sqrt();
        let cos_spread = cos_of_sum(a.cell.extent.cos_spread, cos_of_spheres);
        bound = cos_of_difference(a.axis.dot(offset) / distance, cos_spread).max(0.0);
    }
    if a.cell.extent.is_planar() {
        // The plane of `a` is where its farthest point is
        let height = b.farthest(a.axis) - a.farthest(a.axis);
        // What rounding moves before the plane is in it
        let size = distance + reach + 0.25 * largest(a.cell.center).max(largest(b.cell.center));
        if height <= 1e-6 * size {
            return 0.0;
        }
        let nearest = distance - reach;
        if height < nearest * bound {
            bound = height / nearest;
        }
    }
    bound
}

fn largest(v: Vec3) -> f32 {
    v.abs().max_element()
}

/// Errors that links make, by an estimate of the radiosity of each node.
#[derive(Debug)]
pub(super) struct Oracle<'a> {
    pub(super) cells: &'a Cells,
    /// Mean and standard deviation of the luminance of the radiosity of each node, W/m².
    brightness: Vec<[f32; 2]>,
    /// Largest error of the irradiance of a node by a link, W/m².
    limit: f32,
    /// Relative error by rays of a form factor that varies as much as it is large.
    noise: f32,
}

impl<'a> Oracle<'a> {
    /// * `radiosity` — of all elements. * `rays` — of a link.
    pub(super) fn new(cells: &'a Cells, radiosity: &[Vec3], limit: f32, rays: u32) -> Self {
        let moments = |radiosity: &Vec3| {
            let luminance = luminance(*radiosity);
            Vec3::new(luminance, luminance * luminance, 0.0)
        };
        let moments: Vec<Vec3> = radiosity.iter().map(moments).collect();
        let brightness = |m: Vec3| [m.x, (m.y - m.x * m.x).max(0.0).sqrt()];
        let brightness = pulled(cells, &moments).into_iter().map(brightness).collect();
        Self { cells, brightness, limit, noise: 1.0 / (rays.max(1) as f32).sqrt() }
    }

    /// Divides a pair: calls `divide` for the pairs into which ways of light are divided whose link is not accurate. Returns
    /// the pair with the other ways.
    ///
    /// This is BF refinement [Hanrahan91, brightness-weighted error] with what varies of B and F instead of all of it. Each
    /// way is refined on its own: irradiance varies across a large receiver even if light of a large source hardly varies
    /// across a small one.
    pub(super) fn divided(&self, pair: Pair, found: &Estimate, mut divide: impl FnMut(Pair)) -> Pair {
        let choice = |way: usize| pair.ways[way].then(|| self.choice(pair.nodes, way, found)).flatten();
        let choices = [choice(0), choice(1)];
        for (i, node) in pair.nodes.into_iter().enumerate() {
            let ways = choices.map(|choice| choice == Some(i));
            if ways != [false; 2] {
                for child in self.cells.children(node).into_iter().flatten() {
                    let mut nodes = pair.nodes;
                    nodes[i] = child;
                    divide(Pair { nodes, ways });
                }
            }
        }
        Pair { ways: [0, 1].map(|way| pair.ways[way] && choices[way].is_none()), ..pair }
    }

    /// Returns which node has to be divided before a link can carry light one way; `None` for an accurate link, or
    /// between texels.
    fn choice(&self, nodes: [u32; 2], way: usize, found: &Estimate) -> Option<usize> {
        let (to, from) = (way, 1 - way);
        let area = self.cells.node(nodes[to]).area();
        let [mean, deviation] = self.brightness[nodes[from] as usize];
        let error = |i: usize| {
            // Of a source, the mean of B F over its points differs from that of B times that of F by their covariance
            let light = if i == to { COHERENCE * mean } else { COHERENCE * deviation + self.noise * mean };
            light * found.varying[i] / area
        };
        let is_divided = |&i: &usize| error(i) > self.limit && self.cells.children(nodes[i]).is_some();
        let radius = |i: usize| self.cells.node(nodes[i]).cell.radius;
        let by_size = if radius(0) >= radius(1) { [0, 1] } else { [1, 0] };
        by_size.into_iter().find(is_divided)
    }

    /// Calls `found` for the pairs into which a node and itself are divided.
    pub(super) fn divide_self(&self, node: u32, mut found: impl FnMut(Pair)) {
        let children = self.cells.children(node).into_iter().flatten();
        for (i, x) in children.clone().enumerate() {
            children.clone().skip(i).for_each(|y| found(Pair { nodes: [x, y], ways: [true; 2] }));
        }
    }
}
