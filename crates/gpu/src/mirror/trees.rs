//! Bottom levels: each has a range of the units.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use sunfleck_kernel::{Blas, EntryPoints, Geometry, HitProbabilities, PairTriangle, PairedTriangles};
use sunfleck_shaders::layout::{Leaf, Node, Unit};
use sunfleck_transport::PackedMesh;

use super::plan::Plan;
use super::units::{Below, reference, units};
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
    pub(super) units: Range<u32>,
    depth: u32,
    plan: Option<Plan>,
    /// Where instances may be cut into parts; nowhere if the GPU is to move the tree, since boxes are others then.
    crown: EntryPoints,
    /// Where rays begin in each part.
    entries: Vec<Entry>,
    /// The instance whose number its triangles have.
    owner: Option<u32>,
}

/// Where a tree may be entered.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// What references to it say, in the tree itself.
    at: u32,
    below: Below,
    /// Of a ray that meets it.
    odds: HitProbabilities,
}

/// A mesh in place of another one that has the same triangles, but perhaps its vertices elsewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion<'a> {
    /// Geometry of the world before.
    pub(crate) from: usize,
    /// Geometry of the world now.
    pub(crate) to: usize,
    /// Where its vertices are among the words.
    pub(crate) mesh: PackedMesh,
    /// Its triangles, by vertices.
    pub(crate) triangles: &'a [[u32; 3]],
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

impl Trees {
    /// Goes on to other geometries. Trees that are there already stay where they are; those of meshes that move for the second time are moved.
    ///
    /// * `owners` — of each geometry the instance that stands in the world as it is. * `words` — where vertices are, if some move.
    pub(super) fn update(
        &mut self,
        upload: &mut Upload<'_>,
        units: &mut Pool<Unit>,
        geometries: &[Geometry],
        owners: &[Option<u32>],
        motions: &[Motion<'_>],
        words: Option<&wgpu::Buffer>,
    ) -> Result<Changes, GpuError> {
        let wanted = geometries.iter().map(blas_of).collect::<Result<Vec<_>, _>>()?;
        let mut index_of: BTreeMap<*const Blas, usize> = BTreeMap::new();
        let whole = units.whole().is_some() && words.is_some();
        let motions = self.adopt(&wanted, motions, whole);

        // What stays; who goes makes room for those who come
        let known = self.trees.drain(..).map(|tree| (Arc::as_ptr(&tree.blas), tree));
        let mut known: BTreeMap<_, _> = known.collect();
        let (mut fresh, mut seen) = (Vec::new(), BTreeSet::new());
        for (blas, owner) in wanted.iter().zip(owners).filter(|(blas, _)| seen.insert(Arc::as_ptr(blas))) {
            match known.remove(&Arc::as_ptr(blas)) {
                Some(tree) => {
                    index_of.insert(Arc::as_ptr(blas), self.trees.len());
                    self.trees.push(tree);
                }
                None => fresh.push((*blas, *owner)),
            }
        }
        known.into_values().for_each(|tree| units.give(tree.units));

        // What is new; all at once, so that a first upload grows nothing
        let laid = |&(blas, owner): &(&Arc<Blas>, _)| {
            Laid::new(blas, owner, motions.moving.get(&Arc::as_ptr(blas)).copied())
        };
        let laid: Vec<Laid> = fresh.iter().map(laid).collect();
        if self.trees.is_empty() {
            let own: usize = laid.iter().map(Laid::len).sum();
            // A little more for the top level, so that it does not make the array grow
            units.reserve(upload, own + own / 16 + 1024)?;
        }
        for ((blas, _), laid) in fresh.iter().zip(laid) {
            index_of.insert(Arc::as_ptr(blas), self.trees.len());
            self.trees.push(Tree::new(upload, units, blas, laid)?);
        }
        let of_geometry = wanted.iter().map(|blas| index_of[&Arc::as_ptr(blas)]);
        let of_geometry = of_geometry.collect();
        let renumbered = std::mem::replace(&mut self.of_geometry, of_geometry) != self.of_geometry;

        let moved: Vec<_> =
            motions.moved.iter().map(|motion| (self.of_geometry[motion.to], *motion)).collect();
        let again = self.refit(upload, units, &moved, words)?;
        for &(tree, Motion { triangles, .. }) in &again {
            let blas = self.trees[tree].blas.clone();
            let anew = Tree::new(upload, units, &blas, Laid::new(&blas, None, Some(triangles)))?;
            units.give(std::mem::replace(&mut self.trees[tree], anew).units);
        }
        let (uploaded, refitted) = (fresh.len() + again.len(), moved.len() - again.len());
        Ok(Changes { renumbered, uploaded, refitted })
    }

    /// Gives trees that can be moved to the meshes that have taken the place of theirs.
    fn adopt<'a>(&mut self, wanted: &[&Arc<Blas>], motions: &[Motion<'a>], whole: bool) -> Motions<'a> {
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
                sorted.moved.push(*motion);
            } else {
                sorted.moving.insert(Arc::as_ptr(blas), motion.triangles);
            }
        }
        sorted
    }

    /// Moves trees, by index; returns those in which rays cost too much then, and those that cannot be moved.
    fn refit<'a>(
        &mut self,
        upload: &Upload<'_>,
        units: &Pool<Unit>,
        moved: &[(usize, Motion<'a>)],
        words: Option<&wgpu::Buffer>,
    ) -> Result<Vec<(usize, Motion<'a>)>, GpuError> {
        let whole = units.whole().zip(words);
        let Some((units, words)) = whole.filter(|_| !moved.is_empty()) else {
            // What came meanwhile may have made arrays grow beyond a binding
            return Ok(moved.to_vec());
        };
        let refitter = match &mut self.refitter {
            Some(refitter) => refitter,
            none => none.insert(Refitter::new(upload.gpu)?),
        };
        let planned =
            moved.iter().filter_map(|(tree, motion)| Some((self.trees[*tree].plan.as_ref()?, motion.mesh)));
        let all: Vec<_> = planned
            .map(|(plan, mesh)| Moved { order: &plan.order, levels: &plan.levels, boxes: &plan.boxes, mesh })
            .collect();
        let costs = refitter.refit(upload.gpu, &all, units, words)?;
        let is_bad = |&(&(tree, _), cost): &(&(usize, Motion<'_>), f32)| {
            self.trees[tree].plan.as_ref().is_none_or(|plan| cost > MOST_COST_RATIO * plan.cost)
        };
        Ok(moved.iter().zip(costs).filter(is_bad).map(|(moved, _)| *moved).collect())
    }

    /// That of a geometry.
    pub(super) fn of(&self, geometry: u32) -> &Tree {
        &self.trees[self.of_geometry[geometry as usize]]
    }

    /// Where instances of each geometry may be cut into parts.
    pub(super) fn crowns(&self) -> Vec<&EntryPoints> {
        self.of_geometry.iter().map(|&tree| &self.trees[tree].crown).collect()
    }

    /// The most inner nodes on the way to a leaf.
    pub(super) fn depth(&self) -> u32 {
        self.trees.iter().map(|tree| tree.depth).max().unwrap_or(0)
    }
}

/// What becomes of motions.
#[derive(Default)]
struct Motions<'a> {
    /// Of trees that are moved.
    moved: Vec<Motion<'a>>,
    /// Those that are built, but may be moved next time, with their triangles by vertices.
    moving: BTreeMap<*const Blas, &'a [[u32; 3]]>,
}

/// Whether all triangles are in the tree.
fn is_complete(blas: &Blas) -> bool {
    let left_out = blas.stats().left_out;
    left_out.degenerate == 0 && left_out.non_finite == 0
}

/// A bottom level that is to be uploaded.
struct Laid {
    paired: PairedTriangles,
    owner: Option<u32>,
    /// It is to be moved next time.
    moves: bool,
}

impl Laid {
    /// * `moving` — of a mesh that is to be moved next time, its triangles by vertices.
    fn new(blas: &Blas, owner: Option<u32>, moving: Option<&[[u32; 3]]>) -> Self {
        let paired = moving.map_or_else(|| blas.paired(), |vertices| blas.paired_by_vertices(vertices));
        let moves = moving.is_some() && !paired.tree.slots.is_empty();
        Self { paired, owner, moves }
    }

    fn len(&self) -> usize {
        self.paired.tree.slots.len() * Node::UNITS
    }
}

impl Tree {
    fn new(
        upload: &mut Upload<'_>,
        pool: &mut Pool<Unit>,
        blas: &Arc<Blas>,
        laid: Laid,
    ) -> Result<Self, GpuError> {
        let range = pool.take(upload, laid.len())?;
        let Laid { paired: PairedTriangles { tree, crown, triangles }, owner, moves } = laid;
        let leaf = |first, count| Below::Leaf(leaf_of(&triangles, first, count, owner.unwrap_or(0)));
        let units = units(&tree, range.start, leaf);
        pool.write(upload, range.start, &units);
        let plan = if moves { Some(Plan::new(upload, &tree, range.start)?) } else { None };
        let entries = tree.entries.iter().filter_map(|entry| {
            let at = reference(&tree, entry.slot);
            Some(Entry { at, below: Below::of(&units, at)?, odds: entry.odds })
        });
        let (entries, depth) = (entries.collect(), tree.depth);
        Ok(Self { blas: blas.clone(), units: range, depth, plan, crown, entries, owner })
    }

    /// What leads to an entry of the tree, as the root of an instance.
    pub(super) fn place(&self, entry: usize) -> u32 {
        self.units.start + self.entries.get(entry).map_or(0, |entry| entry.at)
    }

    /// What is there, if its triangles say that they are of that instance.
    pub(super) fn below(&self, entry: usize, inst_id: u32) -> Option<Below> {
        let entry = self.entries.get(entry).filter(|_| self.owner == Some(inst_id))?;
        Some(entry.below)
    }

    /// Of a ray that meets an entry.
    pub(super) fn odds(&self, entry: usize) -> HitProbabilities {
        self.entries.get(entry).map(|entry| entry.odds).unwrap_or_default()
    }
}

/// A leaf of a tree as the GPU reads it.
///
/// * `triangles` — of the tree. * `first`, `count` — those of the leaf. * `inst_id` — of the instance that its triangles belong to, if its transform is the identity.
fn leaf_of(triangles: &[PairTriangle], first: u32, count: u32, inst_id: u32) -> Leaf {
    let triangle = |i: u32| {
        let PairTriangle { corners, prim_id } = triangles[i as usize];
        (corners, prim_id)
    };
    Leaf::new(triangle(first), (count > 1).then(|| triangle(first + 1)), inst_id)
}

fn blas_of(geometry: &Geometry) -> Result<&Arc<Blas>, GpuError> {
    match geometry {
        Geometry::Triangles(blas) => Ok(blas),
        Geometry::Spheres(_) => Err(GpuError::Unsupported { what: "spheres" }),
        Geometry::User(_) => Err(GpuError::Unsupported { what: "geometry with callbacks" }),
        Geometry::Group(_) => Err(GpuError::Unsupported { what: "instances of instances" }),
    }
}
