use sunfleck_math::{Vec3, vec2, vec3};

use super::Shape;

/// A side of a box, in the order of its faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// +z
    Front,
    /// -z
    Back,
    /// +x
    Right,
    /// -x
    Left,
    /// +y
    Top,
    /// -y
    Bottom,
}

impl Shape {
    /// A flat quadrilateral, corners counter-clockwise from the front. Not closed.
    ///
    /// Texture coordinates are metres along the first edge (u) and along the last one (v, downwards).
    pub(crate) fn quad(&mut self, corners: [Vec3; 4]) -> &mut Self {
        let [a, b, _, d] = corners;
        self.quad_with_size(corners, (b - a).length(), (d - a).length())
    }

    /// A quadrilateral that shows an image once; the first corner is the image's lower left one. Not closed.
    pub(crate) fn picture(&mut self, corners: [Vec3; 4]) -> &mut Self {
        self.quad_with_size(corners, 1.0, 1.0)
    }

    fn quad_with_size(&mut self, corners: [Vec3; 4], width: f32, height: f32) -> &mut Self {
        let [a, b, c, d] = corners;
        let normal = (c - a).cross(d - b);
        let uvs = [vec2(0.0, height), vec2(width, height), vec2(width, 0.0), vec2(0.0, 0.0)];
        let [a, b, c, d] = std::array::from_fn(|i| self.vertex(corners[i], normal, uvs[i]));
        self.triangle([a, b, c]);
        self.triangle([a, c, d]);
        self
    }

    /// An axis-aligned box.
    pub(crate) fn block(&mut self, min: Vec3, max: Vec3) -> &mut Self {
        self.block_without(min, max, &[])
    }

    /// A box without the sides that nobody can see. Not closed.
    pub(crate) fn block_without(&mut self, min: Vec3, max: Vec3, hidden: &[Side]) -> &mut Self {
        for (side, face) in faces(min, max) {
            if !hidden.contains(&side) {
                self.quad(face);
            }
        }
        self
    }

    /// An axis-aligned box in the middle of `center`.
    pub(crate) fn block_around(&mut self, center: Vec3, size: Vec3) -> &mut Self {
        self.block(center - size * 0.5, center + size * 0.5)
    }

    /// A box whose edges are cut at 45°, so that they catch the light; `cut` in metres.
    pub(crate) fn chamfered(&mut self, min: Vec3, max: Vec3, cut: f32) -> &mut Self {
        let (low, high) = (min + cut, max - cut);
        // A corner of the box splits into three points, each on one of its faces.
        let point = |corner: usize, axis: usize| {
            let mut p = [0.0; 3];
            for (i, value) in p.iter_mut().enumerate() {
                let upper = corner >> i & 1 == 1;
                let ends = if i == axis { (min[i], max[i]) } else { (low[i], high[i]) };
                *value = if upper { ends.1 } else { ends.0 };
            }
            Vec3::from(p)
        };
        for axis in 0..3 {
            let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
            for side in [0, 1 << axis] {
                let loop_of = [side, side | u, side | u | v, side | v];
                let face = loop_of.map(|corner| point(corner, axis));
                self.quad(if side == 0 { [face[0], face[3], face[2], face[1]] } else { face });
            }
            // The four edges along this axis join the faces of the two other axes.
            let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
            for edge in [0, u, u | v, v] {
                let far = edge | 1 << axis;
                let strip = [point(edge, a), point(edge, b), point(far, b), point(far, a)];
                let flip = edge == u || edge == v;
                self.quad(if flip { [strip[3], strip[2], strip[1], strip[0]] } else { strip });
            }
        }
        for corner in 0..8usize {
            let mut tip = [0, 1, 2].map(|axis| point(corner, axis));
            if corner.count_ones() % 2 == 0 {
                tip.swap(1, 2);
            }
            let normal = (tip[1] - tip[0]).cross(tip[2] - tip[0]);
            let tip = tip.map(|p| self.vertex(p, normal, vec2(0.0, 0.0)));
            self.triangle(tip);
        }
        self
    }
}

/// The six faces of a box, each counter-clockwise from outside and upright where it stands.
fn faces(min: Vec3, max: Vec3) -> [(Side, [Vec3; 4]); 6] {
    let p = |x: usize, y: usize, z: usize| vec3([min.x, max.x][x], [min.y, max.y][y], [min.z, max.z][z]);
    [
        (Side::Front, [p(0, 0, 1), p(1, 0, 1), p(1, 1, 1), p(0, 1, 1)]),
        (Side::Back, [p(1, 0, 0), p(0, 0, 0), p(0, 1, 0), p(1, 1, 0)]),
        (Side::Right, [p(1, 0, 1), p(1, 0, 0), p(1, 1, 0), p(1, 1, 1)]),
        (Side::Left, [p(0, 0, 0), p(0, 0, 1), p(0, 1, 1), p(0, 1, 0)]),
        (Side::Top, [p(0, 1, 1), p(1, 1, 1), p(1, 1, 0), p(0, 1, 0)]),
        (Side::Bottom, [p(0, 0, 0), p(1, 0, 0), p(1, 0, 1), p(0, 0, 1)]),
    ]
}
