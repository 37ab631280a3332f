//! The bottom levels of a mirror, each of which has a range of the units.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use sunfleck_kernel::{
    Blas, Bvh4, EntryPoints, Geometry, HitProbabilities, PairTriangle, PairedPiece, PairedShape,
    PairedShapes, PairedTriangles, Shapes,
};
use sunfleck_shaders::layout::{Leaf, Node, Unit};
use sunfleck_transport::PackedMesh;

use super::node_records::{NodeRecord, reference, units};
use super::refit_plan::RefitPlan;
use crate::GpuError;
use crate::buffer::{Pool, Upload};
use crate::build::{RefitJob, Refitter};

/// Bottom levels of a world.
#[derive(Debug, Default)]
pub(super) struct BottomLevelTrees {
    trees: Vec<BottomLevelTree>,
    /// Index of the tree of each geometry.
    of_geometry: Vec<usize>,
    refitter: Option<Refitter>,
}

#[derive(Debug)]
pub(super) struct BottomLevelTree {
    source: Source,
    pub(super) units: Range<u32>,
    depth: u32,
    plan: Option<RefitPlan>,
    /// Entry points at which instances may be split; none if the GPU is going to refit the tree, since boxes change
    /// then.
    entry_points: EntryPoints,
    /// The entry points as the GPU reads them.
    entries: Vec<TreeEntry>,
    /// Instance whose id the triangles have, if its transform is the identity.
    owner: Option<u32>,
    has_patches: bool,
}

/// Geometry that a tree was made from.
#[derive(Clone, Debug)]
enum Source {
    Triangles(Arc<Blas>),
    Shapes(Arc<Shapes>),
}

/// Address of the geometry that a tree was made from, which identifies it while the tree exists.
type SourceId = *const ();

impl Source {
    /// Errors: the GPU does not trace such geometry.
    fn of(geometry: &Geometry) -> Result<Self, GpuError> {
        match geometry {
            Geometry::Triangles(blas) => Ok(Self::Triangles(blas.clone())),
            Geometry::Shapes(shapes) => Ok(Self::Shapes(shapes.clone())),
            Geometry::User(_) => Err(GpuError::Unsupported { what: "user-defined geometry" }),
            Geometry::Group(_) => Err(GpuError::Unsupported { what: "nested instances" }),
        }
    }

    fn id(&self) -> SourceId {
        match self {
            Self::Triangles(blas) => Arc::as_ptr(blas).cast(),
            Self::Shapes(shapes) => Arc::as_ptr(shapes).cast(),
        }
    }

    /// Returns whether the tree has all triangles of a mesh of triangles.
    fn has_all_triangles(&self) -> bool {
        let Self::Triangles(blas) = self else { return false };
        let skipped = blas.stats().skipped;
        skipped.degenerate == 0 && skipped.non_finite == 0
    }
}

/// An entry point of a tree.
#[derive(Clone, Copy, Debug)]
struct TreeEntry {
    /// Reference to the entry, relative to the tree.
    at: u32,
    record: NodeRecord,
    /// Hit probabilities of a ray that hits the entry.
    hit_probabilities: HitProbabilities,
}

/// A mesh that replaces another one with the same triangles, but other vertex positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deformation<'a> {
    /// Index of the geometry in the previous world.
    pub(crate) from: usize,
    /// Index of the geometry in the current world.
    pub(crate) to: usize,
    /// Location of its vertices among the words.
    pub(crate) mesh: PackedMesh,
    /// Vertex indices of its triangles.
    pub(crate) triangles: &'a [[u32; 3]],
}

/// Statistics of an update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TreeChanges {
    /// Whether geometries were exchanged or reordered.
    pub(super) renumbered: bool,
    pub(super) uploaded: usize,
    pub(super) refitted: usize,
}

/// Trees are rebuilt if their SAH cost exceeds that at their construction by more than this factor, as on the CPU.
const MAX_COST_RATIO: f32 = 1.5;

impl BottomLevelTrees {
    /// Updates the trees to other geometries. Existing trees keep their place. Trees of meshes that deform for the
    /// second time are refitted.
    ///
    /// * `owners` — of each geometry, an instance whose transform is the identity.
    /// * `words` — buffer of the vertices, if some move.
    pub(super) fn update(
        &mut self,
        upload: &mut Upload<'_>,
        units: &mut Pool<Unit>,
        geometries: &[Geometry],
        owners: &[Option<u32>],
        deformations: &[Deformation<'_>],
        words: Option<&wgpu::Buffer>,
    ) -> Result<TreeChanges, GpuError> {
        let wanted = geometries.iter().map(Source::of).collect::<Result<Vec<_>, _>>()?;
        let mut index_of: BTreeMap<SourceId, usize> = BTreeMap::new();
        let whole = units.whole().is_some() && words.is_some();
        let deformations = self.adopt(&wanted, deformations, whole);

        // Trees that stay; those that are gone make room for new ones
        let known = self.trees.drain(..).map(|tree| (tree.source.id(), tree));
        let mut known: BTreeMap<_, _> = known.collect();
        let (mut fresh, mut seen) = (Vec::new(), BTreeSet::new());
        for (source, owner) in wanted.iter().zip(owners).filter(|(source, _)| seen.insert(source.id())) {
            match known.remove(&source.id()) {
                Some(tree) => {
                    index_of.insert(source.id(), self.trees.len());
                    self.trees.push(tree);
                }
                None => fresh.push((source, *owner)),
            }
        }
        known.into_values().for_each(|tree| units.free(tree.units));

        // New trees, all at once, so that the array does not grow step by step during a first upload
        let prepared = |&(source, owner): &(&Source, _)| {
            PreparedTree::new(source, owner, deformations.refit_later.get(&source.id()).copied())
        };
        let prepared: Vec<PreparedTree> = fresh.iter().map(prepared).collect();
        if self.trees.is_empty() {
            let own: usize = prepared.iter().map(PreparedTree::len).sum();
            // With some memory for the top level, so that the array need not grow for it
            units.reserve(upload, own + own / 16 + 1024)?;
        }
        for ((source, _), prepared) in fresh.iter().zip(prepared) {
            index_of.insert(source.id(), self.trees.len());
            self.trees.push(BottomLevelTree::new(upload, units, source, prepared)?);
        }
        let of_geometry = wanted.iter().map(|source| index_of[&source.id()]);
        let of_geometry = of_geometry.collect();
        let renumbered = std::mem::replace(&mut self.of_geometry, of_geometry) != self.of_geometry;

        let refit_now: Vec<_> = deformations
            .refit_now
            .iter()
            .map(|deformation| (self.of_geometry[deformation.to], *deformation))
            .collect();
        let rebuilds = self.refit(upload, units, &refit_now, words)?;
        for &(tree, Deformation { triangles, .. }) in &rebuilds {
            let source = self.trees[tree].source.clone();
            let prepared = PreparedTree::new(&source, None, Some(triangles));
            let rebuilt = BottomLevelTree::new(upload, units, &source, prepared)?;
            units.free(std::mem::replace(&mut self.trees[tree], rebuilt).units);
        }
        let (uploaded, refitted) = (fresh.len() + rebuilds.len(), refit_now.len() - rebuilds.len());
        Ok(TreeChanges { renumbered, uploaded, refitted })
    }

    /// Assigns trees that can be refitted to the meshes that replace theirs.
    fn adopt<'a>(
        &mut self,
        wanted: &[Source],
        deformations: &[Deformation<'a>],
        whole: bool,
    ) -> SortedDeformations<'a> {
        let mut sorted = SortedDeformations::default();
        for deformation in deformations {
            let source = &wanted[deformation.to];
            let Some(tree) =
                self.of_geometry.get(deformation.from).and_then(|&tree| self.trees.get_mut(tree))
            else {
                continue;
            };
            // Another geometry still uses the unmodified tree
            if wanted.iter().any(|other| other.id() == tree.source.id()) || !source.has_all_triangles() {
                continue;
            }
            if whole && tree.plan.is_some() {
                tree.source = source.clone();
                sorted.refit_now.push(*deformation);
            } else {
                sorted.refit_later.insert(source.id(), deformation.triangles);
            }
        }
        sorted
    }

    /// Refits trees, by index; returns those whose SAH cost is too large afterwards, and those that cannot be refitted.
    fn refit<'a>(
        &mut self,
        upload: &Upload<'_>,
        units: &Pool<Unit>,
        refit_now: &[(usize, Deformation<'a>)],
        words: Option<&wgpu::Buffer>,
    ) -> Result<Vec<(usize, Deformation<'a>)>, GpuError> {
        let whole = units.whole().zip(words);
        let Some((units, words)) = whole.filter(|_| !refit_now.is_empty()) else {
            // New trees may have made the arrays grow beyond a binding
            return Ok(refit_now.to_vec());
        };
        let refitter = match &mut self.refitter {
            Some(refitter) => refitter,
            none => none.insert(Refitter::new(upload.gpu)?),
        };
        let planned = refit_now
            .iter()
            .filter_map(|(tree, deformation)| Some((self.trees[*tree].plan.as_ref()?, deformation.mesh)));
        let all: Vec<_> = planned
            .map(|(plan, mesh)| RefitJob {
                order: &plan.order,
                levels: &plan.levels,
                boxes: &plan.boxes,
                mesh,
            })
            .collect();
        let costs = refitter.refit(upload.gpu, &all, units, words)?;
        let is_bad = |&(&(tree, _), cost): &(&(usize, Deformation<'_>), f32)| {
            self.trees[tree].plan.as_ref().is_none_or(|plan| cost > MAX_COST_RATIO * plan.cost)
        };
        Ok(refit_now.iter().zip(costs).filter(is_bad).map(|(job, _)| *job).collect())
    }

    /// Returns the tree of a geometry.
    pub(super) fn of(&self, geometry: u32) -> &BottomLevelTree {
        &self.trees[self.of_geometry[geometry as usize]]
    }

    /// Returns the entry points at which instances of each geometry may be split.
    pub(super) fn all_entry_points(&self) -> Vec<&EntryPoints> {
        self.of_geometry.iter().map(|&tree| &self.trees[tree].entry_points).collect()
    }

    /// Whether some trees have shapes.
    pub(super) fn has_shapes(&self) -> bool {
        self.trees.iter().any(|tree| matches!(tree.source, Source::Shapes(_)))
    }

    /// Whether some shapes are bicubic patches.
    pub(super) fn has_patches(&self) -> bool {
        self.trees.iter().any(|tree| tree.has_patches)
    }

    /// Maximum number of inner nodes on the path to a leaf.
    pub(super) fn depth(&self) -> u32 {
        self.trees.iter().map(|tree| tree.depth).max().unwrap_or(0)
    }
}

/// Deformations, by whether the trees are refitted in this update or may be refitted in the next one.
#[derive(Default)]
struct SortedDeformations<'a> {
    /// Deformations of trees that are refitted in this update.
    refit_now: Vec<Deformation<'a>>,
    /// Triangles, as vertex indices, of trees that are built in this update and may be refitted in the next one.
    refit_later: BTreeMap<SourceId, &'a [[u32; 3]]>,
}

/// A bottom level before its upload.
struct PreparedTree {
    tree: Bvh4,
    entry_points: EntryPoints,
    items: LeafItems,
    owner: Option<u32>,
    /// Whether it is going to be refitted.
    refittable: bool,
}

/// Units of the control points of a piece.
#[allow(clippy::cast_possible_truncation, reason = "12")]
const CONTROL_POINTS: u32 = Leaf::CONTROL_POINTS as u32;

/// Content of the leaves of a tree.
enum LeafItems {
    Triangles(Vec<PairTriangle>),
    Shapes {
        shapes: Vec<PairedShape>,
        /// Of each shape, the number of pieces of patches before it.
        pieces_before: Vec<u32>,
        /// Number of pieces.
        pieces: u32,
    },
}

impl PreparedTree {
    /// Prepares the upload of a tree.
    ///
    /// * `refit_later` — vertex indices of the triangles, if the tree is going to be refitted.
    fn new(source: &Source, owner: Option<u32>, refit_later: Option<&[[u32; 3]]>) -> Self {
        match source {
            Source::Triangles(blas) => {
                let PairedTriangles { tree, entry_points, triangles } =
                    refit_later.map_or_else(|| blas.paired(), |vertices| blas.paired_by_vertices(vertices));
                let refittable = refit_later.is_some() && !tree.slots.is_empty();
                Self { tree, entry_points, items: LeafItems::Triangles(triangles), owner, refittable }
            }
            Source::Shapes(shapes) => {
                let PairedShapes { tree, entry_points, shapes } = shapes.paired();
                let items = LeafItems::of_shapes(shapes);
                Self { tree, entry_points, items, owner, refittable: false }
            }
        }
    }

    /// Number of units: of the tree, and of the control points after it.
    fn len(&self) -> usize {
        self.tree.slots.len() * Node::UNITS + self.items.control_points().count()
    }
}

impl BottomLevelTree {
    fn new(
        upload: &mut Upload<'_>,
        pool: &mut Pool<Unit>,
        source: &Source,
        prepared: PreparedTree,
    ) -> Result<Self, GpuError> {
        let range = pool.allocate(upload, prepared.len())?;
        let PreparedTree { tree, entry_points, items, owner, refittable } = prepared;
        let after_tree = u32::try_from(tree.slots.len() * Node::UNITS).unwrap_or(u32::MAX);
        let points = range.start.saturating_add(after_tree);
        let leaf = |first, count| NodeRecord::Leaf(items.leaf(first, count, owner.unwrap_or(0), points));
        let mut units = units(&tree, range.start, leaf);
        units.extend(items.control_points());
        pool.write(upload, range.start, &units);
        let plan = if refittable { Some(RefitPlan::new(upload, &tree, range.start)?) } else { None };
        let entries = tree.entries.iter().filter_map(|entry| {
            let at = reference(&tree, entry.slot);
            Some(TreeEntry {
                at,
                record: NodeRecord::of(&units, at)?,
                hit_probabilities: entry.hit_probabilities,
            })
        });
        let (entries, depth) = (entries.collect(), tree.depth);
        let has_patches = matches!(items, LeafItems::Shapes { pieces: 1.., .. });
        let source = source.clone();
        Ok(Self { source, units: range, depth, plan, entry_points, entries, owner, has_patches })
    }

    /// Reference to an entry point, as the root of an instance.
    pub(super) fn entry_reference(&self, entry: usize) -> u32 {
        self.units.start + self.entries.get(entry).map_or(0, |entry| entry.at)
    }

    /// Record of an entry point, if the triangles have the id of the instance `inst_id`.
    pub(super) fn record(&self, entry: usize, inst_id: u32) -> Option<NodeRecord> {
        let entry = self.entries.get(entry).filter(|_| self.owner == Some(inst_id))?;
        Some(entry.record)
    }

    /// Hit probabilities of a ray that hits an entry point.
    pub(super) fn hit_probabilities(&self, entry: usize) -> HitProbabilities {
        self.entries.get(entry).map(|entry| entry.hit_probabilities).unwrap_or_default()
    }
}

impl LeafItems {
    fn of_shapes(shapes: Vec<PairedShape>) -> Self {
        let mut pieces = 0;
        let pieces_before = shapes.iter().map(|shape| {
            let before = pieces;
            pieces += u32::from(matches!(shape, PairedShape::Piece(_)));
            before
        });
        Self::Shapes { pieces_before: pieces_before.collect(), shapes, pieces }
    }

    /// Returns the units of the control points of all pieces of patches.
    fn control_points(&self) -> impl Iterator<Item = Unit> {
        let shapes = match self {
            Self::Triangles(_) => &[],
            Self::Shapes { shapes, .. } => &**shapes,
        };
        shapes.iter().flat_map(|shape| match shape {
            PairedShape::Whole { .. } => Vec::new(),
            PairedShape::Piece(piece) => Leaf::control_points(&piece.points).to_vec(),
        })
    }

    /// Returns the record of a leaf.
    ///
    /// * `first`, `count` — range of the items of the leaf.
    /// * `inst_id` — id of the instance that they belong to, if its transform is the identity.
    /// * `points` — index of the first unit of all control points.
    fn leaf(&self, first: u32, count: u32, inst_id: u32, points: u32) -> Leaf {
        match self {
            Self::Triangles(triangles) => {
                let triangle = |i: u32| {
                    let PairTriangle { corners, prim_id } = triangles[i as usize];
                    (corners, prim_id)
                };
                Leaf::new(triangle(first), (count > 1).then(|| triangle(first + 1)), inst_id)
            }
            Self::Shapes { shapes, pieces_before, .. } => match &shapes[first as usize] {
                PairedShape::Whole { unit, center, unit_from_object, prim_id } => {
                    Leaf::of_shape(unit, unit_from_object, *center, *prim_id, inst_id)
                }
                PairedShape::Piece(piece) => {
                    let PairedPiece { center, from, size, prim_id, .. } = **piece;
                    let points = points + pieces_before[first as usize] * CONTROL_POINTS;
                    Leaf::of_patch(center, [from, size], points, prim_id, inst_id)
                }
            },
        }
    }
}
