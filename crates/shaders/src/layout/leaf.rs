//! Encoding of leaves of the acceleration structure.

use sunfleck_constants::tree;
use sunfleck_math::{Mat3, UnitShape, Vec3};

use super::{Leaf, Node, Unit, words};

impl Leaf {
    /// Second `prim_id` of a leaf with a single triangle.
    pub const NO_TRIANGLE: u32 = tree::NO_TRIANGLE;
    /// Last word of the first unit of a leaf that is an instance.
    pub const IS_INSTANCE: u32 = tree::IS_INSTANCE;

    /// Creates a leaf of one triangle, or of two that share an edge.
    ///
    /// * `corners`, `prim_id` — vertices and index of the first triangle.
    /// * `other` — the second triangle; all of its vertices but one are vertices of the first.
    /// * `inst_id` — index of the instance, if its geometry is stored in world space.
    pub fn new(
        (corners, prim_id): ([[f32; 3]; 3], u32),
        other: Option<([[f32; 3]; 3], u32)>,
        inst_id: u32,
    ) -> Self {
        let bits = |corners: [[f32; 3]; 3]| corners.map(|corner| corner.map(f32::to_bits));
        let others = other.map(|(corners, _)| bits(corners));
        // The vertex that only the first triangle has is stored between the two shared ones
        let is_own = |corner: &[u32; 3]| others.is_some_and(|others| !others.contains(corner));
        let own = (0..).zip(bits(corners)).find(|(_, corner)| is_own(corner)).map_or(1, |(own, _)| own);
        let [a, b, c] = [2, 0, 1].map(|next| corners[(own as usize + next) % 3]);
        let first = [0, 1, 2].map(|corner: u32| (corner + 4 - own) % 3);
        let place = |corner: [f32; 3]| match corner.map(f32::to_bits) {
            bits if bits == c.map(f32::to_bits) => 0,
            bits if bits == a.map(f32::to_bits) => 1,
            _ => 2,
        };
        let second = other.map_or([0, 1, 2], |(corners, _)| corners.map(place));
        let d = other.and_then(|(corners, _)| corners.into_iter().find(|&corner| place(corner) == 2));
        let vertices = first.iter().chain(&second).rev().fold(0, |all, &vertex| all << 2 | vertex);
        Self {
            a: words(a, prim_id),
            b: words(b, inst_id),
            c: words(c, other.map_or(Self::NO_TRIANGLE, |(_, prim_id)| prim_id)),
            d: words(d.unwrap_or(c), vertices),
        }
    }

    /// Creates a leaf of a shape.
    ///
    /// * `unit_from_object`, `center` — a point `p` is `unit_from_object (p - center)` in unit space.
    /// * `inst_id` — index of the instance, if its geometry is stored in world space.
    pub fn of_shape(
        unit: &UnitShape,
        unit_from_object: &Mat3,
        center: Vec3,
        prim_id: u32,
        inst_id: u32,
    ) -> Self {
        let (kind, parameter) = unit.packed();
        Self {
            a: words(unit_from_object.row(0).to_array(), prim_id),
            b: words(unit_from_object.row(1).to_array(), inst_id),
            c: words(unit_from_object.row(2).to_array(), tree::SHAPE + kind),
            d: words(center.to_array(), parameter.to_bits()),
        }
    }

    /// Creates a leaf of a piece of a patch.
    ///
    /// * `center` — origin of the control points, in object space.
    /// * `from`, `size` — corner and extent of the piece in the parameters of the patch.
    /// * `points` — index of the first unit of the [control points](Self::control_points).
    /// * `inst_id` — index of the instance, if its geometry is stored in world space.
    pub fn of_patch(
        center: Vec3,
        [from, size]: [[f32; 2]; 2],
        points: u32,
        prim_id: u32,
        inst_id: u32,
    ) -> Self {
        let kind = tree::SHAPE + sunfleck_constants::shape::PATCH;
        let [[u, v], [width, height]] = [from, size].map(|pair| pair.map(f32::to_bits));
        Self {
            a: [u, v, 0, prim_id],
            b: [width, height, 0, inst_id],
            c: [points, 0, 0, kind],
            d: words(center.to_array(), 0),
        }
    }

    /// Returns the units of the control points of a piece, row by row: all x, then y, then z coordinates.
    pub fn control_points(points: &[Vec3; 16]) -> [Unit; Self::CONTROL_POINTS] {
        std::array::from_fn(|i| [0, 1, 2, 3].map(|column| points[4 * (i % 4) + column][i / 4].to_bits()))
    }

    /// Number of units of the control points of a piece.
    pub const CONTROL_POINTS: usize = 12;

    /// Creates a leaf of the top level.
    ///
    /// * `record` — index of the instance, or of its part.
    pub fn of_instance(record: u32) -> Self {
        Self { a: [record, 0, 0, Self::IS_INSTANCE], b: [0; 4], c: [0; 4], d: [0; 4] }
    }

    /// Returns the units of the leaf as they are stored in the array; there are as many as in a node.
    pub fn units(&self) -> [Unit; Node::UNITS] {
        [self.a, self.b, self.c, self.d]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the vertices of a mesh's triangle, as the shaders find them in the leaf.
    fn read(leaf: &Leaf, second: usize) -> [[f32; 3]; 3] {
        let own = [[leaf.a, leaf.b, leaf.c], [leaf.c, leaf.a, leaf.d]][second];
        [0, 1, 2].map(|corner| {
            let [x, y, z, _] = own[(leaf.d[3] >> (6 * second + 2 * corner) & 3) as usize];
            [x, y, z].map(f32::from_bits)
        })
    }

    #[test]
    fn triangles_keep_their_vertex_order() {
        let [p, q, r, s] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [1.0, 2.0, 0.0], [0.0, 2.0, -1.0]];
        let turns =
            |[a, b, c]: [[f32; 3]; 3]| [[a, b, c], [b, c, a], [c, a, b], [a, c, b], [c, b, a], [b, a, c]];
        for first in turns([p, q, r]) {
            let alone = Leaf::new((first, 7), None, 5);
            assert_eq!(
                (read(&alone, 0), alone.a[3], alone.b[3], alone.c[3]),
                (first, 7, 5, Leaf::NO_TRIANGLE)
            );
            for second in [[p, r, s], [q, s, p], [r, q, s]].into_iter().flat_map(turns) {
                let leaf = Leaf::new((first, 7), Some((second, 9)), 5);
                assert_eq!((read(&leaf, 0), read(&leaf, 1)), (first, second));
                assert_eq!((leaf.a[3], leaf.b[3], leaf.c[3]), (7, 5, 9));
            }
        }
    }
}
