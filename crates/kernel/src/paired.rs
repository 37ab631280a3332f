//! Bottom and top levels as a GPU wants them: see [`Bvh4`].

use sunfleck_math::{Aabb, Affine3, Vec3};

use crate::blas::Blas;
use crate::builder::{BuildOptions, PrimRef, Settings};
use crate::geometry::Tlas;
use crate::geometry::build_tree;
use crate::geometry::cut;
use crate::geometry::instance::Placement;
use crate::layout::{Bvh2, Bvh2Node, Bvh4, ChildRef, EntryPoints, HitProbabilities, Leaves, pairs};
use crate::primitive::{LANES, TriangleBlock, triangle_bounds};

/// A bottom level as a tree of four children per node.
#[derive(Clone, Debug, Default)]
pub struct PairedTriangles {
    /// Leaves are ranges of [`triangles`](Self::triangles): one, or two with a common edge.
    pub tree: Bvh4,
    /// Where instances may be cut into parts: the entries of the tree.
    pub crown: EntryPoints,
    /// In the order of leaves. A triangle that was cut stands in several leaves.
    pub triangles: Vec<PairTriangle>,
}

/// A triangle of a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairTriangle {
    /// `[vertex][axis]`, object space.
    pub corners: [[f32; 3]; 3],
    /// Its index in the mesh.
    pub prim_id: u32,
}

impl Blas {
    /// The triangles that can be hit, in no order. One that was cut stands in several leaves, and here as often.
    pub fn triangles(&self) -> impl Iterator<Item = PairTriangle> {
        let of_block = |block| TriangleBlock::triangles(block).map(|(lane, _)| PairTriangle::of(block, lane));
        self.blocks.iter().flat_map(of_block)
    }

    /// The same triangles under a tree for GPUs, which may be entered at its crown. Two are together if their vertices are in the same places but for one.
    pub fn paired(&self) -> PairedTriangles {
        self.paired_if(&|_, _| true, EntryPoints::of)
    }

    /// As [`paired`](Self::paired) of a mesh whose vertices are going to move: two are together only if they have vertices in common, and the tree is entered at its root only.
    ///
    /// * `triangles` — of the mesh.
    pub fn paired_by_vertices(&self, triangles: &[[u32; 3]]) -> PairedTriangles {
        let have_vertices_in_common =
            |prim, other| match [prim, other].map(|prim: u32| triangles.get(prim as usize)) {
                [Some(vertices), Some(others)] => in_common(vertices, others) == 2,
                _ => false,
            };
        self.paired_if(&have_vertices_in_common, |_| EntryPoints::default())
    }

    /// * `may_join` — whether two triangles may be together, by index.
    fn paired_if(
        &self,
        may_join: &dyn Fn(u32, u32) -> bool,
        crown: impl Fn(&Bvh2) -> EntryPoints,
    ) -> PairedTriangles {
        let leaves = Triangles { blocks: &self.blocks, may_join };
        // What was built with care is worth some more
        let binary = pairs(&self.bvh, &leaves, self.cuts_triangles);
        let triangles: Vec<PairTriangle> = binary.prims.iter().map(|&item| leaves.triangle(item)).collect();
        let odds = |leaf: &Bvh2Node| {
            let (first, count) = leaf.leaf_range().unwrap_or_default();
            let own = triangles.iter().skip(first as usize).take(count as usize);
            let area: f32 = own.map(PairTriangle::area).sum();
            // Of the lines that meet a convex body those that meet one within it are as many as its surface is of the other's; a triangle's has two sides
            let hit = (area / leaf.bounds.half_area().max(f32::MIN_POSITIVE)).min(1.0);
            HitProbabilities { hit, cost: count as f32 }
        };
        let crown = crown(&binary);
        PairedTriangles { tree: Bvh4::new(binary, &|_| false, &odds, &crown), crown, triangles }
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

/// The leaves of a bottom level. A number is that of a lane among those of all blocks.
struct Triangles<'a> {
    blocks: &'a [TriangleBlock],
    may_join: &'a dyn Fn(u32, u32) -> bool,
}

impl Triangles<'_> {
    fn triangle(&self, item: u32) -> PairTriangle {
        PairTriangle::of(&self.blocks[item as usize / LANES], item as usize % LANES)
    }
}

impl Leaves for Triangles<'_> {
    fn items(&self, leaf: ChildRef, bounds: &Aabb, found: &mut Vec<(Aabb, u32)>) {
        for block in leaf.items() {
            for (lane, _) in self.blocks[block].triangles() {
                let own = triangle_bounds(&self.blocks[block].corners(lane).map(Vec3::from_array));
                let item = u32::try_from(block * LANES + lane).unwrap_or(u32::MAX);
                found.push((Aabb { min: own.min.max(bounds.min), max: own.max.min(bounds.max) }, item));
            }
        }
    }

    fn are_a_couple(&self, item: u32, other: u32) -> bool {
        let [a, b] = [item, other].map(|item| self.triangle(item));
        let places = |triangle: &PairTriangle| triangle.corners.map(|corner| corner.map(f32::to_bits));
        in_common(&places(&a), &places(&b)) == 2 && (self.may_join)(a.prim_id, b.prim_id)
    }
}

/// How many of some are among others.
fn in_common<T: PartialEq>(some: &[T; 3], others: &[T; 3]) -> usize {
    some.iter().filter(|one| others.contains(one)).count()
}

/// A top level as a tree over instances, or parts of them.
#[derive(Clone, Debug, Default)]
pub struct PairedInstances {
    tree: Bvh2,
    /// In the order of leaves, of which each has one.
    pub parts: Vec<PairedPart>,
}

impl PairedInstances {
    /// The tree for GPUs; its leaves have one of the [`parts`](Self::parts) each.
    ///
    /// * `leads_on` — whether a part is a node elsewhere, by its index. * `odds` — those of a ray that meets its box.
    pub fn tree(&self, leads_on: impl Fn(u32) -> bool, odds: impl Fn(u32) -> HitProbabilities) -> Bvh4 {
        let of_leaf = |leaf: &Bvh2Node| odds(leaf.leaf_range().unwrap_or_default().0);
        Bvh4::new(self.tree.clone(), &leads_on, &of_leaf, &EntryPoints::default())
    }
}

/// An instance, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedPart {
    /// Whose it is.
    pub inst_id: u32,
    /// Where the tree of its geometry is entered; 0 is the root.
    pub entry: usize,
    /// How the world looks from it.
    pub object_from_world: Affine3,
}

/// A part before it is in a tree.
struct Opened {
    /// Index in the list of instances that can be hit.
    shown: usize,
    /// Index in the crown of its geometry; 0 is the root.
    entry: usize,
    /// In the world.
    bounds: Aabb,
}

/// The leaves of a top level.
struct Parts<'a> {
    boxes: &'a [Aabb],
    order: &'a [u32],
}

impl Leaves for Parts<'_> {
    fn items(&self, leaf: ChildRef, _: &Aabb, found: &mut Vec<(Aabb, u32)>) {
        found.extend(leaf.items().map(|item| (self.boxes[self.order[item] as usize], self.order[item])));
    }

    fn are_a_couple(&self, _: u32, _: u32) -> bool {
        false
    }
}

impl Tlas {
    /// The instances that can be hit, and how the world looks from them, in the order of `inst_id`.
    pub fn shown(&self) -> impl Iterator<Item = (u32, Affine3)> {
        self.placements().into_iter().map(|(inst_id, placement)| (inst_id, placement.object_from_world))
    }

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

    /// The instances under a tree. Where they overlap rays enter many for nothing: so the largest are cut into parts [Benthin17, §3], as in the
    /// tree that the processor walks. Boxes are padded for rounding as the top level's own are, for rays that begin inside of the world's box or about as
    /// far away as it is large.
    ///
    /// * `crowns` — where trees may be entered, for each geometry; those without one are entered at their roots.
    pub fn paired(&self, crowns: &[&EntryPoints]) -> PairedInstances {
        let shown = self.placements();
        let world = self.bounds();
        let reach = world.min.abs().max(world.max.abs()).max_element();
        let padding = 2.0 * self.padding() * reach;
        let padded = |b: &Aabb| Aabb { min: b.min - padding, max: b.max + padding };
        let opened = self.opened(&shown, crowns);
        let boxes: Vec<Aabb> = opened.iter().map(|part| padded(&part.bounds)).collect();
        let mut refs: Vec<_> = (0u32..).zip(&boxes).map(|(i, bounds)| PrimRef::new(bounds, i)).collect();
        let (wide, order) = build_tree(&mut refs, &Settings::new(&BuildOptions::default(), 1, 1));
        let tree = pairs(&wide, &Parts { boxes: &boxes, order: &order }, true);
        let part = |&item: &u32| {
            let Opened { shown: owner, entry, .. } = opened[item as usize];
            let (inst_id, Placement { object_from_world, .. }) = shown[owner];
            PairedPart { inst_id, entry, object_from_world }
        };
        PairedInstances { parts: tree.prims.iter().map(part).collect(), tree }
    }

    /// Cuts the largest instances into parts.
    fn opened(&self, shown: &[(u32, Placement)], crowns: &[&EntryPoints]) -> Vec<Opened> {
        let whole = |(shown, (_, placement)): (usize, &(u32, Placement))| Opened {
            shown,
            entry: 0,
            bounds: placement.bounds,
        };
        let below = |&Opened { shown: owner, entry, .. }: &Opened| {
            let (inst_id, placement) = &shown[owner];
            let world_from_object = &self.instances()[*inst_id as usize].world_from_object;
            let Some(crown) = self.crown_of(*inst_id, crowns) else { return Vec::new() };
            let Some(first) = crown.places.get(entry).and_then(|place| place.below) else {
                return Vec::new();
            };
            let part = |entry: usize| {
                let bounds = placement.bounds_of(world_from_object, &crown.places[entry].bounds);
                Opened { shown: owner, entry, bounds }
            };
            vec![part(first), part(first + 1)]
        };
        cut(shown.iter().enumerate().map(whole).collect(), |part| &part.bounds, below)
    }

    fn crown_of<'a>(&self, inst_id: u32, crowns: &[&'a EntryPoints]) -> Option<&'a EntryPoints> {
        crowns.get(self.instances()[inst_id as usize].blas as usize).copied()
    }
}

#[cfg(test)]
mod tests;
