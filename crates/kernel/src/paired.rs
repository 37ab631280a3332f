//! Bottom and top levels as a GPU wants them: see [`PairTree`].

use sunfleck_math::{Aabb, Affine3, Vec3};

use crate::blas::Blas;
use crate::builder::{BuildOptions, PrimRef, Settings};
use crate::geometry::build_tree;
use crate::instance::Placement;
use crate::layout::{ChildRef, PairTree, pairs};
use crate::primitive::triangle_bounds;
use crate::tlas::Tlas;

/// Most triangles of a leaf.
const TRIANGLES: usize = 4;

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
        triangles.shrink_to_fit();
        PairedTriangles { tree, triangles }
    }
}

/// A top level as a binary tree over whole instances.
#[derive(Clone, Debug, Default)]
pub struct PairedInstances {
    /// Leaves are ranges of [`instances`](Self::instances), of one each.
    pub tree: PairTree,
    /// Those that can be hit, in the order of leaves: `inst_id`, and how the world looks from them.
    pub instances: Vec<(u32, Affine3)>,
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

    /// The instances under a binary tree. Their boxes are padded for rounding as the top level's own are, for rays that begin inside of the
    /// world's box or about as far away as it is large.
    pub fn paired(&self) -> PairedInstances {
        let shown = self.placements();
        let world = self.bounds();
        let reach = world.min.abs().max(world.max.abs()).max_element();
        let padding = 2.0 * self.padding() * reach;
        let padded = |b: &Aabb| Aabb { min: b.min - padding, max: b.max + padding };
        let boxes: Vec<Aabb> = shown.iter().map(|(_, placement)| padded(&placement.bounds)).collect();
        let mut refs: Vec<_> = (0u32..).zip(&boxes).map(|(i, bounds)| PrimRef::new(bounds, i)).collect();
        let (wide, order) = build_tree(&mut refs, &Settings::new(&BuildOptions::default(), 1, 1));
        let leaf = |child: ChildRef, _: &Aabb, found: &mut Vec<(Aabb, u32)>| {
            found.extend(child.items().map(|item| (boxes[order[item] as usize], order[item])));
        };
        let mut instances = Vec::with_capacity(shown.len());
        let mut emit = |item: u32| {
            let (inst_id, placement) = &shown[item as usize];
            instances.push((*inst_id, placement.object_from_world));
        };
        let tree = pairs(&wide, 1, &leaf, &mut emit);
        PairedInstances { tree, instances }
    }
}

#[cfg(test)]
mod tests;
