//! Acceleration structures for the GPU: four-wide trees ([`Bvh4`]) whose leaves hold single triangles, pairs of
//! triangles that share an edge, or instances.

use sunfleck_math::{Aabb, Affine3, Vec3};

use crate::blas::Blas;
use crate::builder::{BuildOptions, BuildSettings, PrimRef};
use crate::geometry::Tlas;
use crate::geometry::build_tree;
use crate::geometry::instance::Placement;
use crate::geometry::open_largest;
use crate::layout::{
    Bvh2, Bvh2Node, Bvh4, ChildRef, EntryPoints, HitProbabilities, LeafItems, bvh2_from_bvh8,
};
use crate::primitive::{LANES, TriangleBlock, triangle_bounds};

/// BLAS for the GPU: a four-wide tree over triangles and triangle pairs.
#[derive(Clone, Debug, Default)]
pub struct PairedTriangles {
    /// Tree; a leaf is a range of [`triangles`](Self::triangles): one, or two that share an edge.
    pub tree: Bvh4,
    /// Entry points, into which [`Tlas::paired`] may split instances; they correspond to the entries of the tree.
    pub entry_points: EntryPoints,
    /// Triangles in the order of leaves. After spatial splits, a triangle may be in several leaves.
    pub triangles: Vec<PairTriangle>,
}

/// Triangle of a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairTriangle {
    /// Vertices in object space, `[vertex][axis]`.
    pub corners: [[f32; 3]; 3],
    /// Index in the mesh.
    pub prim_id: u32,
}

impl Blas {
    /// Returns the triangles of all leaves, in no particular order. After spatial splits, a triangle may occur several
    /// times.
    pub fn triangles(&self) -> impl Iterator<Item = PairTriangle> {
        let triangles_of =
            |block| TriangleBlock::triangles(block).map(|(lane, _)| PairTriangle::of(block, lane));
        self.blocks.iter().flat_map(triangles_of)
    }

    /// Converts the tree for the GPU, with entry points. Two triangles may form a pair if they have two vertex
    /// positions in common.
    pub fn paired(&self) -> PairedTriangles {
        self.paired_if(&|_, _| true, EntryPoints::of)
    }

    /// Converts the tree as [`paired`](Self::paired) does, for a mesh whose vertices are going to move.
    ///
    /// Triangles may form a pair only if they have two vertex indices in common, and the root is the only entry point.
    ///
    /// * `triangles` — vertex indices of the mesh.
    pub fn paired_by_vertices(&self, triangles: &[[u32; 3]]) -> PairedTriangles {
        let have_vertices_in_common =
            |prim, other| match [prim, other].map(|prim: u32| triangles.get(prim as usize)) {
                [Some(vertices), Some(others)] => in_common(vertices, others) == 2,
                _ => false,
            };
        self.paired_if(&have_vertices_in_common, |_| EntryPoints::default())
    }

    /// Converts the tree for the GPU.
    ///
    /// * `may_join` — whether two triangles, given by index, may form a pair.
    /// * `entry_points` — returns the entry points of the binary tree.
    fn paired_if(
        &self,
        may_join: &dyn Fn(u32, u32) -> bool,
        entry_points: impl Fn(&Bvh2) -> EntryPoints,
    ) -> PairedTriangles {
        let leaves = TriangleLeaves { blocks: &self.blocks, may_join };
        // Reinsertion is used only for `Quality::Best`, as spatial splits are.
        let binary = bvh2_from_bvh8(&self.bvh, &leaves, self.cuts_triangles);
        let triangles: Vec<PairTriangle> = binary.prims.iter().map(|&item| leaves.triangle(item)).collect();
        let hit_probabilities = |leaf: &Bvh2Node| {
            let (first, count) = leaf.leaf_range().unwrap_or_default();
            let own = triangles.iter().skip(first as usize).take(count as usize);
            let area: f32 = own.map(PairTriangle::area).sum();
            // A line that hits a convex body hits another one inside it with a probability equal to the ratio of their
            // surface areas. The surface of a triangle has two sides, hence area over half area of the box.
            let hit = (area / leaf.bounds.half_area().max(f32::MIN_POSITIVE)).min(1.0);
            HitProbabilities { hit, cost: count as f32 }
        };
        let entry_points = entry_points(&binary);
        PairedTriangles {
            tree: Bvh4::new(binary, &|_| false, &hit_probabilities, &entry_points),
            entry_points,
            triangles,
        }
    }
}

impl PairTriangle {
    fn of(block: &TriangleBlock, lane: usize) -> Self {
        Self { corners: block.corners(lane), prim_id: block.prim_ids[lane] }
    }

    fn area(&self) -> f32 {
        let [a, b, c] = self.corners.map(Vec3::from_array);
        0.5 * (b - a).cross(c - a).length()
    }
}

/// Items of a BLAS: triangles, numbered by the lanes of all blocks.
struct TriangleLeaves<'a> {
    blocks: &'a [TriangleBlock],
    may_join: &'a dyn Fn(u32, u32) -> bool,
}

impl TriangleLeaves<'_> {
    fn triangle(&self, item: u32) -> PairTriangle {
        PairTriangle::of(&self.blocks[item as usize / LANES], item as usize % LANES)
    }
}

impl LeafItems for TriangleLeaves<'_> {
    fn items(&self, leaf: ChildRef, bounds: &Aabb, found: &mut Vec<(Aabb, u32)>) {
        for block in leaf.items() {
            for (lane, _) in self.blocks[block].triangles() {
                let own = triangle_bounds(&self.blocks[block].corners(lane).map(Vec3::from_array));
                let item = u32::try_from(block * LANES + lane).unwrap_or(u32::MAX);
                found.push((Aabb { min: own.min.max(bounds.min), max: own.max.min(bounds.max) }, item));
            }
        }
    }

    fn can_pair(&self, item: u32, other: u32) -> bool {
        let [a, b] = [item, other].map(|item| self.triangle(item));
        let vertex_bits = |triangle: &PairTriangle| triangle.corners.map(|corner| corner.map(f32::to_bits));
        in_common(&vertex_bits(&a), &vertex_bits(&b)) == 2 && (self.may_join)(a.prim_id, b.prim_id)
    }
}

/// Returns how many elements of `some` are contained in `others`.
fn in_common<T: PartialEq>(some: &[T; 3], others: &[T; 3]) -> usize {
    some.iter().filter(|one| others.contains(one)).count()
}

mod shapes;

pub use shapes::{PairedPiece, PairedShape, PairedShapes};

/// TLAS for the GPU: a tree over instances and parts of them.
#[derive(Clone, Debug, Default)]
pub struct Bvh4Instances {
    tree: Bvh2,
    /// Instances or parts in the order of leaves; each leaf has one.
    pub parts: Vec<Bvh4InstancePart>,
}

impl Bvh4Instances {
    /// Returns the four-wide tree; each leaf has one of the [`parts`](Self::parts).
    ///
    /// * `leads_to_node` — whether a part, given by index, is an inner node of its geometry's tree.
    /// * `hit_probabilities` — returns the estimate for a ray that hits the box of a part.
    pub fn tree(
        &self,
        leads_to_node: impl Fn(u32) -> bool,
        hit_probabilities: impl Fn(u32) -> HitProbabilities,
    ) -> Bvh4 {
        let leaf_probabilities = |leaf: &Bvh2Node| hit_probabilities(leaf.leaf_range().unwrap_or_default().0);
        Bvh4::new(self.tree.clone(), &leads_to_node, &leaf_probabilities, &EntryPoints::default())
    }
}

/// Instance, or part of an instance, in a leaf of a [`Bvh4Instances`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bvh4InstancePart {
    /// Index of the instance.
    pub inst_id: u32,
    /// Index of the entry point of the geometry's tree; 0 is the root.
    pub entry: usize,
    /// Transform from world to object space.
    pub object_from_world: Affine3,
}

/// Instance, or part of an instance, before the tree is built.
struct OpenedPart {
    /// Index in the list of instances that can be hit.
    active: usize,
    /// Index of the entry point of its geometry; 0 is the root.
    entry: usize,
    /// World bounds.
    bounds: Aabb,
}

/// Items of a TLAS: parts of instances, which are never paired.
struct InstanceLeaves<'a> {
    boxes: &'a [Aabb],
    order: &'a [u32],
}

impl LeafItems for InstanceLeaves<'_> {
    fn items(&self, leaf: ChildRef, _: &Aabb, found: &mut Vec<(Aabb, u32)>) {
        found.extend(leaf.items().map(|item| (self.boxes[self.order[item] as usize], self.order[item])));
    }

    fn can_pair(&self, _: u32, _: u32) -> bool {
        false
    }
}

impl Tlas {
    /// Returns the instances that can be hit, with their transforms from world to object space, in the order of
    /// `inst_id`.
    pub fn active_instances(&self) -> impl Iterator<Item = (u32, Affine3)> {
        self.placements().into_iter().map(|(inst_id, placement)| (inst_id, placement.object_from_world))
    }

    /// Returns the instances that can be hit, with their placements.
    fn placements(&self) -> Vec<(u32, Placement)> {
        let instances = (0u32..).zip(self.instances());
        instances
            .filter(|(_, instance)| instance.mask != 0)
            .filter_map(|(inst_id, instance)| {
                let geometry = &self.geometries()[instance.blas as usize];
                let bounds = geometry.bounds();
                let placement = || Placement::new(&instance.world_from_object, &bounds, geometry.condition());
                (!bounds.is_empty()).then(placement).flatten().map(|placement| (inst_id, placement))
            })
            .collect()
    }

    /// Builds the TLAS for the GPU. The largest instances are rebraided [Benthin17, §3], as in the tree of the CPU.
    ///
    /// Boxes are padded against rounding errors, for rays whose origin is inside the world's box, or outside at a
    /// distance of about its size.
    ///
    /// * `all_entry_points` — entry points of each geometry; geometries without them are entered at their roots.
    pub fn paired(&self, all_entry_points: &[&EntryPoints]) -> Bvh4Instances {
        let active = self.placements();
        let world = self.bounds();
        let reach = world.min.abs().max(world.max.abs()).max_element();
        let padding = 2.0 * self.padding() * reach;
        let padded = |b: &Aabb| Aabb { min: b.min - padding, max: b.max + padding };
        let opened = self.open_instances(&active, all_entry_points);
        let boxes: Vec<Aabb> = opened.iter().map(|part| padded(&part.bounds)).collect();
        let mut refs: Vec<_> = (0u32..).zip(&boxes).map(|(i, bounds)| PrimRef::new(bounds, i)).collect();
        let (wide, order) = build_tree(&mut refs, &BuildSettings::new(&BuildOptions::default(), 1, 1));
        let tree = bvh2_from_bvh8(&wide, &InstanceLeaves { boxes: &boxes, order: &order }, true);
        let part = |&item: &u32| {
            let OpenedPart { active: owner, entry, .. } = opened[item as usize];
            let (inst_id, Placement { object_from_world, .. }) = active[owner];
            Bvh4InstancePart { inst_id, entry, object_from_world }
        };
        Bvh4Instances { parts: tree.prims.iter().map(part).collect(), tree }
    }

    /// Splits the largest instances at entry points of their geometries.
    fn open_instances(
        &self,
        active: &[(u32, Placement)],
        all_entry_points: &[&EntryPoints],
    ) -> Vec<OpenedPart> {
        let whole = |(active, (_, placement)): (usize, &(u32, Placement))| OpenedPart {
            active,
            entry: 0,
            bounds: placement.bounds,
        };
        let below = |&OpenedPart { active: owner, entry, .. }: &OpenedPart| {
            let (inst_id, placement) = &active[owner];
            let world_from_object = &self.instances()[*inst_id as usize].world_from_object;
            let Some(entry_points) = self.entry_points_of(*inst_id, all_entry_points) else {
                return Vec::new();
            };
            let Some(first) = entry_points.points.get(entry).and_then(|point| point.children) else {
                return Vec::new();
            };
            let part = |entry: usize| {
                let bounds = placement.bounds_of(world_from_object, &entry_points.points[entry].bounds);
                OpenedPart { active: owner, entry, bounds }
            };
            vec![part(first), part(first + 1)]
        };
        open_largest(active.iter().enumerate().map(whole).collect(), |part| &part.bounds, below)
    }

    /// Returns the entry points of the geometry of an instance.
    fn entry_points_of<'a>(
        &self,
        inst_id: u32,
        all_entry_points: &[&'a EntryPoints],
    ) -> Option<&'a EntryPoints> {
        all_entry_points.get(self.instances()[inst_id as usize].blas as usize).copied()
    }
}

#[cfg(test)]
mod tests;
