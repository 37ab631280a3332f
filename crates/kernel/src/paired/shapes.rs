//! Shapes under a four-wide tree.

use sunfleck_math::{Aabb, Mat3, UnitShape, Vec3};

use crate::geometry::Shapes;
use crate::layout::{Bvh2Node, Bvh4, ChildRef, EntryPoints, HitProbabilities, LeafItems, bvh2_from_bvh8};
use crate::primitive::{LANES, ShapeBlock, UNUSED};

/// Shapes for the GPU: a four-wide tree with one shape in each leaf.
#[derive(Clone, Debug, Default)]
pub struct PairedShapes {
    /// Tree; a leaf is the index of one of [`shapes`](Self::shapes).
    pub tree: Bvh4,
    /// Entry points, into which [`Tlas::paired`](crate::Tlas::paired) may split instances.
    pub entry_points: EntryPoints,
    /// Shapes in the order of leaves.
    pub shapes: Vec<PairedShape>,
}

/// Shape of a leaf.
#[derive(Clone, Debug, PartialEq)]
pub enum PairedShape {
    /// A whole shape. A point `p` of the object is `unit_from_object (p - center)` in unit space; the difference comes
    /// first, so that shapes far from the origin lose no digits.
    Whole {
        /// Surface in unit space.
        unit: UnitShape,
        /// Origin of unit space, in object space.
        center: Vec3,
        /// Linear part of the transform from object to unit space.
        unit_from_object: Mat3,
        /// Index in the mesh.
        prim_id: u32,
    },
    /// A piece of a patch.
    Piece(Box<PairedPiece>),
}

/// Piece of a bicubic patch in a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedPiece {
    /// Origin of the control points, in object space.
    pub center: Vec3,
    /// Control points relative to `center`, row by row as those of [`BezierPatch`](sunfleck_math::BezierPatch).
    pub points: [Vec3; 16],
    /// Parameters (u, v) of the patch at the corner of the piece.
    pub from: [f32; 2],
    /// Extent of the piece in the parameters of the patch.
    pub size: [f32; 2],
    /// Index in the mesh.
    pub prim_id: u32,
}

/// Part of the rays through the box around a shape that hit the shape: that of a sphere.
const HIT_PROBABILITY: f32 = 0.52;

impl Shapes {
    /// Converts the tree for the GPU, with entry points.
    pub fn paired(&self) -> PairedShapes {
        let leaves = ShapeLeaves { blocks: self.blocks(), geometry: self };
        let binary = bvh2_from_bvh8(self.tree(), &leaves, false);
        let shapes = binary.prims.iter().map(|&item| leaves.shape(item)).collect();
        let probabilities = |_: &Bvh2Node| HitProbabilities { hit: HIT_PROBABILITY, cost: 1.0 };
        let entry_points = EntryPoints::of(&binary);
        PairedShapes {
            tree: Bvh4::new(binary, &|_| false, &probabilities, &entry_points),
            entry_points,
            shapes,
        }
    }
}

/// Items of the leaves: shapes, numbered by the lanes of all blocks.
struct ShapeLeaves<'a> {
    blocks: &'a [ShapeBlock],
    geometry: &'a Shapes,
}

impl ShapeLeaves<'_> {
    fn shape(&self, item: u32) -> PairedShape {
        let (block, lane) = (&self.blocks[item as usize / LANES], item as usize % LANES);
        let prim_id = block.prim_ids[lane];
        if let Some(piece) = block.piece(lane, self.geometry.lists()) {
            let (center, points, [from, size]) = piece.relative();
            return PairedShape::Piece(Box::new(PairedPiece { center, points, from, size, prim_id }));
        }
        let (unit, center, unit_from_object) = block.unit_shape(lane, self.geometry.lists());
        PairedShape::Whole { unit, center, unit_from_object, prim_id }
    }
}

impl LeafItems for ShapeLeaves<'_> {
    fn items(&self, leaf: ChildRef, bounds: &Aabb, found: &mut Vec<(Aabb, u32)>) {
        for block in leaf.items() {
            for lane in (0..LANES).filter(|&lane| self.blocks[block].prim_ids[lane] != UNUSED) {
                let own = self.blocks[block].bounds_of(lane, self.geometry.lists());
                let item = u32::try_from(block * LANES + lane).unwrap_or(u32::MAX);
                found.push((Aabb { min: own.min.max(bounds.min), max: own.max.min(bounds.max) }, item));
            }
        }
    }

    fn can_pair(&self, _: u32, _: u32) -> bool {
        false
    }
}
