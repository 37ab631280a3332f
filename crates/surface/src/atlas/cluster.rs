//! The binary tree of clusters [Carr02; Radiosity03, §2.3].

use super::adjacency::Adjacency;
use super::part::{Member, Part};
use super::rect::Rect;
use super::split::split;
use super::{SurfaceTriangle, Surfaces};

/// Clusters smaller than this are split on one thread.
const FEWEST_FOR_TASKS: usize = 1024;

/// Cluster of triangles with the rectangle of its texels. The nodes of a tree are in preorder: the first child of node
/// `i` is node `i + 1`, and the second one node `i + 2 n` if the first one has `n` triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClusterNode {
    /// Texels of the cluster.
    pub rect: Rect,
    /// Number of triangles.
    pub count: u32,
    /// The triangle of a leaf; of other nodes the one that is first in order.
    pub triangle: u32,
}

impl ClusterNode {
    /// Returns the indices of the children; `None` for a leaf.
    pub fn children(nodes: &[Self], i: usize) -> Option<[usize; 2]> {
        if nodes.get(i)?.count < 2 {
            return None;
        }
        let first = nodes.get(i + 1)?;
        Some([i + 1, i + 2 * first.count as usize])
    }
}

/// Makes the tree of all triangles, `2 T - 1` nodes; none if there are no triangles.
///
/// * `rect` — the map; it has a texel for each triangle.
pub(super) fn clusters(surfaces: &Surfaces, rect: Rect) -> Vec<ClusterNode> {
    let triangles = surfaces.triangles();
    if triangles.is_empty() {
        return Vec::new();
    }
    let member = |(triangle, t): (u32, &SurfaceTriangle)| {
        let centroid = t.centroid();
        let centroid = if centroid.is_finite() { centroid } else { sunfleck_math::Vec3::ZERO };
        Member { triangle, area: t.area(), centroid }
    };
    let members = (0u32..).zip(triangles).map(member).collect();
    let part = Part { members, adjacency: Adjacency::of(triangles) };
    let mut nodes = vec![ClusterNode::default(); 2 * triangles.len() - 1];
    fill(part, rect, &mut nodes);
    nodes
}

/// Fills the nodes of a part.
fn fill(part: Part, rect: Rect, nodes: &mut [ClusterNode]) {
    let count = u32::try_from(part.len()).unwrap_or(u32::MAX);
    let triangle = part.members.iter().map(|member| member.triangle).min().unwrap_or(0);
    let Some((node, below)) = nodes.split_first_mut() else { return };
    *node = ClusterNode { rect, count, triangle };
    if part.len() < 2 {
        return;
    }
    let is_large = part.len() >= FEWEST_FOR_TASKS;
    let [first, second] = split(part, rect.texels());
    let [first_rect, second_rect] = rect.halves();
    let (first_nodes, second_nodes) = below.split_at_mut(2 * first.len() - 1);
    if is_large {
        rayon::join(|| fill(first, first_rect, first_nodes), || fill(second, second_rect, second_nodes));
    } else {
        fill(first, first_rect, first_nodes);
        fill(second, second_rect, second_nodes);
    }
}
