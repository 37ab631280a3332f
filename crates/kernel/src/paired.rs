//! Bottom and top levels as a GPU wants them: see [`PairTree`].

use sunfleck_math::{Aabb, Affine3, Vec3};

use crate::blas::Blas;
use crate::builder::{BuildOptions, PrimRef, Settings};
use crate::geometry::build_tree;
use crate::instance::Placement;
use crate::layout::{ChildRef, Crown, PairStart, PairTree, pairs, reinsert};
use crate::open::cut;
use crate::primitive::triangle_bounds;
use crate::tlas::Tlas;

/// Most triangles of a leaf.
const TRIANGLES: usize = 2;

/// A bottom level as a binary tree.
#[derive(Clone, Debug, Default)]
pub struct PairedTriangles {
    /// Leaves are ranges of [`triangles`](Self::triangles).
    pub tree: PairTree,
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
    /// The same triangles under a binary tree with small leaves.
    pub fn paired(&self) -> PairedTriangles {
        let lanes = crate::primitive::LANES;
        let corners = |item: u32| {
            let (block, lane) = (item as usize / lanes, item as usize % lanes);
            self.blocks[block].corners(lane)
        };
        let leaf = |child: ChildRef, bounds: &Aabb, found: &mut Vec<(Aabb, u32)>| {
            for block in child.items() {
                for (lane, _) in self.blocks[block].triangles() {
                    let item = u32::try_from(block * lanes + lane).unwrap_or(u32::MAX);
                    let own = triangle_bounds(&corners(item).map(Vec3::from_array));
                    found.push((Aabb { min: own.min.max(bounds.min), max: own.max.min(bounds.max) }, item));
                }
            }
        };
        let mut triangles = Vec::with_capacity(self.triangle_count());
        let mut emit = |item: u32| {
            let prim_id = self.blocks[item as usize / lanes].prim_ids[item as usize % lanes];
            triangles.push(PairTriangle { corners: corners(item), prim_id });
        };
        let tree = pairs(&self.bvh, TRIANGLES, &leaf, &mut emit);
        // What was built with care is worth some more
        let tree = if self.cuts_triangles { reinsert(tree) } else { tree };
        triangles.shrink_to_fit();
        PairedTriangles { tree, triangles }
    }
}

/// A top level as a binary tree over instances, or parts of them.
#[derive(Clone, Debug, Default)]
pub struct PairedInstances {
    /// Leaves are ranges of [`parts`](Self::parts), of one each.
    pub tree: PairTree,
    /// In the order of leaves.
    pub parts: Vec<PairedPart>,
}

/// An instance, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedPart {
    /// Whose it is.
    pub inst_id: u32,
    /// Where the tree of its geometry is entered.
    pub start: PairStart,
    /// How the world looks from it.
    pub object_from_world: Affine3,
}

/// A part before it is in a tree.
struct Opened {
    /// Index in the list of instances that can be hit.
    shown: usize,
    /// Index in the crown of its geometry; 0 is the root.
    place: usize,
    /// In the world.
    bounds: Aabb,
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

    /// The instances under a binary tree. Where they overlap rays enter many for nothing: so the largest are cut into parts [Benthin17, §3], as in the
    /// tree that the processor walks. Boxes are padded for rounding as the top level's own are, for rays that begin inside of the world's box or about as
    /// far away as it is large.
    ///
    /// * `crowns` — where trees may be entered, for each geometry; those without one are entered at their roots.
    pub fn paired(&self, crowns: &[&Crown]) -> PairedInstances {
        let shown = self.placements();
        let world = self.bounds();
        let reach = world.min.abs().max(world.max.abs()).max_element();
        let padding = 2.0 * self.padding() * reach;
        let padded = |b: &Aabb| Aabb { min: b.min - padding, max: b.max + padding };
        let opened = self.opened(&shown, crowns);
        let boxes: Vec<Aabb> = opened.iter().map(|part| padded(&part.bounds)).collect();
        let mut refs: Vec<_> = (0u32..).zip(&boxes).map(|(i, bounds)| PrimRef::new(bounds, i)).collect();
        let (wide, order) = build_tree(&mut refs, &Settings::new(&BuildOptions::default(), 1, 1));
        let leaf = |child: ChildRef, _: &Aabb, found: &mut Vec<(Aabb, u32)>| {
            found.extend(child.items().map(|item| (boxes[order[item] as usize], order[item])));
        };
        let mut parts = Vec::with_capacity(opened.len());
        let mut emit = |item: u32| {
            let Opened { shown: i, place, .. } = opened[item as usize];
            let (inst_id, placement) = &shown[i];
            let place = self.crown_of(*inst_id, crowns).and_then(|crown| crown.places.get(place));
            parts.push(PairedPart {
                inst_id: *inst_id,
                start: place.map_or(PairStart::ROOT, |place| place.start),
                object_from_world: placement.object_from_world,
            });
        };
        let tree = reinsert(pairs(&wide, 1, &leaf, &mut emit));
        PairedInstances { tree, parts }
    }

    /// Cuts the largest instances into parts.
    fn opened(&self, shown: &[(u32, Placement)], crowns: &[&Crown]) -> Vec<Opened> {
        let whole = |(shown, (_, placement)): (usize, &(u32, Placement))| Opened {
            shown,
            place: 0,
            bounds: placement.bounds,
        };
        let below = |&Opened { shown: owner, place, .. }: &Opened| {
            let (inst_id, placement) = &shown[owner];
            let world_from_object = &self.instances()[*inst_id as usize].world_from_object;
            let Some(crown) = self.crown_of(*inst_id, crowns) else { return Vec::new() };
            let Some(first) = crown.places.get(place).and_then(|place| place.below) else {
                return Vec::new();
            };
            let part = |place: usize| {
                let bounds = placement.bounds_of(world_from_object, &crown.places[place].bounds);
                Opened { shown: owner, place, bounds }
            };
            vec![part(first), part(first + 1)]
        };
        cut(shown.iter().enumerate().map(whole).collect(), |part| &part.bounds, below)
    }

    fn crown_of<'a>(&self, inst_id: u32, crowns: &[&'a Crown]) -> Option<&'a Crown> {
        crowns.get(self.instances()[inst_id as usize].blas as usize).copied()
    }
}

#[cfg(test)]
mod tests;
