use sunfleck_math::{Vec3, vec2, vec3};

use super::Shape;

/// Face of an axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoxFace {
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
    /// Adds a planar quadrilateral, with corners counter-clockwise seen from the front. Not closed.
    ///
    /// Texture coordinates are metres along the first edge (u) and along the last one (v, downwards).
    pub(crate) fn quad(&mut self, corners: [Vec3; 4]) -> &mut Self {
        let [a, b, _, d] = corners;
        self.quad_with_size(corners, (b - a).length(), (d - a).length())
    }

    /// Adds a quadrilateral that an image covers exactly once; the first corner is the lower left one of the image. Not
    /// closed.
    pub(crate) fn image_quad(&mut self, corners: [Vec3; 4]) -> &mut Self {
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

    /// Adds an axis-aligned box.
    pub(crate) fn block(&mut self, min: Vec3, max: Vec3) -> &mut Self {
        self.block_without(min, max, &[])
    }

    /// Adds an axis-aligned box without the faces in `hidden`, which are not visible. Not closed.
    pub(crate) fn block_without(&mut self, min: Vec3, max: Vec3, hidden: &[BoxFace]) -> &mut Self {
        for (face, corners) in faces(min, max) {
            if !hidden.contains(&face) {
                self.quad(corners);
            }
        }
        self
    }

    /// Adds an axis-aligned box around `center`.
    pub(crate) fn block_around(&mut self, center: Vec3, size: Vec3) -> &mut Self {
        self.block(center - size * 0.5, center + size * 0.5)
    }

    /// Adds an axis-aligned box with edges chamfered at 45°, so that they show highlights; `cut` in metres.
    pub(crate) fn chamfered(&mut self, min: Vec3, max: Vec3, cut: f32) -> &mut Self {
        let (low, high) = (min + cut, max - cut);
        // The chamfer splits a corner of the box into three points, one on each of its faces.
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

/// Returns the corners of the six faces of a box, counter-clockwise seen from outside. Upright faces begin at the lower
/// left.
fn faces(min: Vec3, max: Vec3) -> [(BoxFace, [Vec3; 4]); 6] {
    let p = |x: usize, y: usize, z: usize| vec3([min.x, max.x][x], [min.y, max.y][y], [min.z, max.z][z]);
    [
        (BoxFace::Front, [p(0, 0, 1), p(1, 0, 1), p(1, 1, 1), p(0, 1, 1)]),
        (BoxFace::Back, [p(1, 0, 0), p(0, 0, 0), p(0, 1, 0), p(1, 1, 0)]),
        (BoxFace::Right, [p(1, 0, 1), p(1, 0, 0), p(1, 1, 0), p(1, 1, 1)]),
        (BoxFace::Left, [p(0, 0, 0), p(0, 0, 1), p(0, 1, 1), p(0, 1, 0)]),
        (BoxFace::Top, [p(0, 1, 1), p(1, 1, 1), p(1, 1, 0), p(0, 1, 0)]),
        (BoxFace::Bottom, [p(0, 0, 0), p(1, 0, 0), p(1, 0, 1), p(0, 0, 1)]),
    ]
}
