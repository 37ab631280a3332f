//! Bottom levels: each has a range of the nodes and one of the triangles.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use sunfleck_integrators::PackedMesh;
use sunfleck_kernel::{Blas, Crown, Geometry, PairChild, PairNode, PairStart, PairTree, PairedTriangles};
use sunfleck_shaders::layout::{Child, Node, Triangle};

use super::plan::Plan;
use crate::GpuError;
use crate::buffer::{Pool, Upload};
use crate::build::{Moved, Refitter};

/// The bottom levels of a world.
#[derive(Debug, Default)]
pub(super) struct Trees {
    trees: Vec<Tree>,
    /// Of each geometry.
    of_geometry: Vec<usize>,
    refitter: Option<Refitter>,
}

#[derive(Debug)]
pub(super) struct Tree {
    blas: Arc<Blas>,
    pub(super) nodes: Range<u32>,
    triangles: Range<u32>,
    depth: u32,
    plan: Option<Plan>,
    /// Where instances may be cut into parts; nowhere if the GPU is to move the tree, since boxes are others then.
    crown: Crown,
}

/// A mesh in place of another one that has the same triangles, but perhaps its vertices elsewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// Geometry of the world before.
    pub(crate) from: usize,
    /// Geometry of the world now.
    pub(crate) to: usize,
    /// Where its vertices are among the words.
    pub(crate) mesh: PackedMesh,
}

/// What an update did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Geometries are others, or in another order.
    pub(super) renumbered: bool,
    pub(super) uploaded: usize,
    pub(super) refitted: usize,
}

/// A tree that rays cost half as much again in as when it was built is replaced: as on the processor.
const MOST_COST_RATIO: f32 = 1.5;

/// The arrays that trees are in.
pub(super) struct Arrays<'a> {
    pub(super) nodes: &'a mut Pool<Node>,
    pub(super) triangles: &'a mut Pool<Triangle>,
}

impl Trees {
    /// Goes on to other geometries. Trees that are there already stay where they are; those of meshes that move for the second time are moved.
    ///
    /// * `words` — where vertices are, if some move.
    pub(super) fn update(
        &mut self,
        upload: &mut Upload<'_>,
        mut arrays: Arrays<'_>,
        geometries: &[Geometry],
        motions: &[Motion],
        words: Option<&wgpu::Buffer>,
    ) -> Result<Changes, GpuError> {
        let wanted = geometries.iter().map(blas_of).collect::<Result<Vec<_>, _>>()?;
        let mut index_of: BTreeMap<*const Blas, usize> = BTreeMap::new();
        let whole = arrays.nodes.whole().zip(arrays.triangles.whole()).is_some() && words.is_some();
        let motions = self.adopt(&wanted, motions, whole);

        // What stays; who goes makes room for those who come
        let known = self.trees.drain(..).map(|tree| (Arc::as_ptr(&tree.blas), tree));
        let mut known: BTreeMap<_, _> = known.collect();
        let (mut fresh, mut seen) = (Vec::new(), BTreeSet::new());
        for blas in wanted.iter().filter(|blas| seen.insert(Arc::as_ptr(blas))) {
            match known.remove(&Arc::as_ptr(blas)) {
                Some(tree) => {
                    index_of.insert(Arc::as_ptr(blas), self.trees.len());
                    self.trees.push(tree);
                }
                None => fresh.push(*blas),
            }
        }
        known.into_values().for_each(|tree| tree.leave(&mut arrays));

        // What is new; all at once, so that a first upload grows nothing
        let paired: Vec<_> = fresh.iter().map(|blas| blas.paired()).collect();
        if self.trees.is_empty() {
            arrays.nodes.reserve(upload, paired.iter().map(|tree| tree.tree.nodes.len()).sum())?;
            arrays.triangles.reserve(upload, paired.iter().map(|tree| tree.triangles.len()).sum())?;
        }
        for (blas, paired) in fresh.iter().zip(&paired) {
            index_of.insert(Arc::as_ptr(blas), self.trees.len());
            let moves = motions.moving.contains(&Arc::as_ptr(blas));
            self.trees.push(Tree::new(upload, &mut arrays, blas, paired, moves)?);
        }
        let of_geometry = wanted.iter().map(|blas| index_of[&Arc::as_ptr(blas)]);
        let of_geometry = of_geometry.collect();
        let renumbered = std::mem::replace(&mut self.of_geometry, of_geometry) != self.of_geometry;

        let moved: Vec<_> = motions.moved.iter().map(|&(to, mesh)| (self.of_geometry[to], mesh)).collect();
        let again = self.refit(upload, &arrays, &moved, words)?;
        for &tree in &again {
            let blas = self.trees[tree].blas.clone();
            let anew = Tree::new(upload, &mut arrays, &blas, &blas.paired(), true)?;
            std::mem::replace(&mut self.trees[tree], anew).leave(&mut arrays);
        }
        let (uploaded, refitted) = (fresh.len() + again.len(), moved.len() - again.len());
        Ok(Changes { renumbered, uploaded, refitted })
    }

    /// Gives trees that can be moved to the meshes that have taken the place of theirs.
    fn adopt(&mut self, wanted: &[&Arc<Blas>], motions: &[Motion], whole: bool) -> Motions {
        let mut sorted = Motions::default();
        for motion in motions {
            let blas = wanted[motion.to];
            let Some(tree) = self.of_geometry.get(motion.from).and_then(|&tree| self.trees.get_mut(tree))
            else {
                continue;
            };
            // Others may still want it as it is
            if wanted.iter().any(|other| Arc::ptr_eq(other, &tree.blas)) || !is_complete(blas) {
                continue;
            }
            if whole && tree.plan.is_some() {
                tree.blas = blas.clone();
                sorted.moved.push((motion.to, motion.mesh));
            } else {
                sorted.moving.insert(Arc::as_ptr(blas));
            }
        }
        sorted
    }

    /// Moves trees, by index; returns those in which rays cost too much then, and those that cannot be moved.
    fn refit(
        &mut self,
        upload: &Upload<'_>,
        arrays: &Arrays<'_>,
        moved: &[(usize, PackedMesh)],
        words: Option<&wgpu::Buffer>,
    ) -> Result<Vec<usize>, GpuError> {
        let whole = arrays.nodes.whole().zip(arrays.triangles.whole()).zip(words);
        let Some(((nodes, triangles), words)) = whole.filter(|_| !moved.is_empty()) else {
            // What came meanwhile may have made arrays grow beyond a binding
            return Ok(moved.iter().map(|&(tree, _)| tree).collect());
        };
        let refitter = match &mut self.refitter {
            Some(refitter) => refitter,
            none => none.insert(Refitter::new(upload.gpu)?),
        };
        let planned = moved.iter().filter_map(|&(tree, mesh)| {
            let tree = &self.trees[tree];
            Some((tree, tree.plan.as_ref()?, mesh))
        });
        let all: Vec<_> = planned
            .map(|(tree, plan, mesh)| Moved {
                nodes: tree.nodes.clone(),
                triangles: tree.triangles.clone(),
                order: &plan.order,
                levels: &plan.levels,
                boxes: &plan.boxes,
                mesh,
            })
            .collect();
        let costs = refitter.refit(upload.gpu, &all, nodes, triangles, words)?;
        let is_bad = |&(&(tree, _), cost): &(&(usize, PackedMesh), f32)| {
            self.trees[tree].plan.as_ref().is_none_or(|plan| cost > MOST_COST_RATIO * plan.cost)
        };
        Ok(moved.iter().zip(costs).filter(is_bad).map(|(&(tree, _), _)| tree).collect())
    }

    /// That of a geometry.
    pub(super) fn of(&self, geometry: u32) -> &Tree {
        &self.trees[self.of_geometry[geometry as usize]]
    }

    /// Where instances of each geometry may be cut into parts.
    pub(super) fn crowns(&self) -> Vec<&Crown> {
        self.of_geometry.iter().map(|&tree| &self.trees[tree].crown).collect()
    }

    /// The most inner nodes on the way to a leaf.
    pub(super) fn depth(&self) -> u32 {
        self.trees.iter().map(|tree| tree.depth).max().unwrap_or(0)
    }
}

/// What becomes of motions.
#[derive(Default)]
struct Motions {
    /// Trees that are moved: geometries, and where their vertices are.
    moved: Vec<(usize, PackedMesh)>,
    /// Those that are built, but may be moved next time.
    moving: BTreeSet<*const Blas>,
}

/// Whether all triangles are in the tree.
fn is_complete(blas: &Blas) -> bool {
    let left_out = blas.stats().left_out;
    left_out.degenerate == 0 && left_out.non_finite == 0
}

impl Tree {
    /// * `moves` — it is to be moved next time.
    fn new(
        upload: &mut Upload<'_>,
        arrays: &mut Arrays<'_>,
        blas: &Arc<Blas>,
        PairedTriangles { tree, triangles: own }: &PairedTriangles,
        moves: bool,
    ) -> Result<Self, GpuError> {
        let nodes = arrays.nodes.take(upload, tree.nodes.len())?;
        let triangles = arrays.triangles.take(upload, own.len())?;
        let (first, items) = (nodes.start, triangles.start);
        let leaf = |item, count| Child::leaf(items + item, count);
        arrays.nodes.write(upload, first, &packed(tree, |node| first + node, leaf));
        let own: Vec<_> = own.iter().map(|t| Triangle::new(t.corners, t.prim_id)).collect();
        arrays.triangles.write(upload, items, &own);
        let plan = if moves && !tree.nodes.is_empty() { Some(Plan::new(upload, tree, first)?) } else { None };
        let crown = if plan.is_some() { Crown::default() } else { Crown::of(tree) };
        Ok(Self { blas: blas.clone(), nodes, triangles, depth: tree.depth, plan, crown })
    }

    /// What leads to a place of the tree: the number of a node, or a leaf.
    pub(super) fn place(&self, start: PairStart) -> u32 {
        match start {
            PairStart { first, count: 0 } => self.nodes.start + first,
            PairStart { first, count } => Child::leaf(self.triangles.start + first, count),
        }
    }

    fn leave(self, arrays: &mut Arrays<'_>) {
        arrays.nodes.give(self.nodes);
        arrays.triangles.give(self.triangles);
    }
}

fn blas_of(geometry: &Geometry) -> Result<&Arc<Blas>, GpuError> {
    match geometry {
        Geometry::Triangles(blas) => Ok(blas),
        Geometry::Spheres(_) => Err(GpuError::Unsupported { what: "spheres" }),
        Geometry::User(_) => Err(GpuError::Unsupported { what: "geometry with callbacks" }),
        Geometry::Group(_) => Err(GpuError::Unsupported { what: "instances of instances" }),
    }
}

/// Where no ray comes to.
const AWAY: [f32; 3] = [3.0e38; 3];

/// The nodes of a tree.
///
/// * `place` — where its nodes are. * `leaf` — what refers to some of its items.
pub(super) fn packed(
    tree: &PairTree,
    place: impl Fn(u32) -> u32,
    leaf: impl Fn(u32, u32) -> u32,
) -> Vec<Node> {
    let child = |child: &PairChild| match child {
        // A box that is empty would be met by the test, which sorts its planes
        child if *child == PairChild::NONE => Child::new(AWAY, AWAY, leaf(0, 1)),
        PairChild { min, max, count: 0, first } => Child::new(*min, *max, place(*first)),
        PairChild { min, max, count, first } => Child::new(*min, *max, leaf(*first, *count)),
    };
    let node = |PairNode { children: [left, right] }: &PairNode| Node::new(&child(left), &child(right));
    tree.nodes.iter().map(node).collect()
}

/// The root of nothing.
pub(super) fn nothing() -> Node {
    let away = Child::new(AWAY, AWAY, Child::leaf(0, 1));
    Node::new(&away, &away)
}
