//! Decides which pairs of nodes are linked, and which are divided.

use std::f32::consts::PI;

use sunfleck_math::Vec3;

use super::cells::{Cells, Node};
use super::extent::{cos_of_difference, cos_of_sum};

/// Estimate of the light that two nodes exchange.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// Bound of the cosines at both nodes, and an approximation of the rest of `A_i F_ij`, m².
    pub(super) exchange: f32,
    /// Relative variation of the kernel between points of the two nodes, at most 1: the sum of their radii over their
    /// distance.
    pub(super) variation: f32,
}

/// Returns an estimate; `None` if the nodes cannot see each other.
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
    let reach = a.cell.radius + b.cell.radius;
    // The larger node as a disk, which the smaller one sees [Wallace89, disk source]
    let disk = PI * distance * distance + a.area().max(b.area());
    let exchange = a.area() * b.area() * cosines / disk;
    let variation = if reach < distance { reach / distance } else { 1.0 };
    Some(Estimate { exchange, variation })
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
    /// Luminance of the radiosity of each node, W/m².
    pub(super) brightness: Vec<f32>,
    /// Largest error of a link, W/m: that of the irradiance of a node, times the square root of its area.
    pub(super) limit: f32,
}

impl Oracle<'_> {
    /// Returns whether a link may represent a pair: BF refinement [Hanrahan91, brightness-weighted error], with the part of
    /// the form factor that varies instead of all of it. An error e of the irradiance of a node of area A adds `A e²` to
    /// the square error of all surfaces, so that √A e is compared.
    ///
    /// * `varying` — part of `A_i F_ij` that varies between points of the nodes, m².
    pub(super) fn is_accurate(&self, [a, b]: [u32; 2], varying: f32) -> bool {
        let error = |to: u32, from: u32| {
            self.brightness[from as usize] * varying / self.cells.node(to).area().sqrt()
        };
        error(a, b).max(error(b, a)) <= self.limit
    }

    /// Calls `found` for the pairs into which a pair is divided: by the larger node that can be divided. Returns whether
    /// there are any. A node and itself are divided into all pairs of its children.
    pub(super) fn divide(&self, [a, b]: [u32; 2], mut found: impl FnMut([u32; 2])) -> bool {
        let mut pair = |x: u32, y: u32| found([x.min(y), x.max(y)]);
        if a == b {
            let Some(children) = self.cells.children(a) else { return false };
            for (i, &x) in children.iter().enumerate() {
                children[i..].iter().for_each(|&y| pair(x, y));
            }
            return true;
        }
        let radius = |node: u32| self.cells.node(node).cell.radius;
        let [large, small] = if radius(a) >= radius(b) { [a, b] } else { [b, a] };
        let (divided, other) = match self.cells.children(large) {
            Some(children) => (children, small),
            None => match self.cells.children(small) {
                Some(children) => (children, large),
                None => return false,
            },
        };
        divided.into_iter().for_each(|child| pair(child, other));
        true
    }
}
