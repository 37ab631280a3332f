use sunfleck_math::{Frame, Vec2, Vec3, vec2};

use super::Shape;

/// Cross-section of an extruded bar, such as rolled steel: a closed polygon, counter-clockwise.
///
/// x points to the side, y up; the origin is the centre of the bounding box.
#[derive(Clone, Debug)]
pub(crate) struct CrossSection {
    corners: Vec<Vec2>,
    /// Triangulation of the polygon, for the ends.
    cap: Vec<[u32; 3]>,
}

impl CrossSection {
    /// Returns a rectangle.
    pub(crate) fn bar(width: f32, height: f32) -> Self {
        let (x, y) = (0.5 * width, 0.5 * height);
        let corners = vec![vec2(-x, -y), vec2(x, -y), vec2(x, y), vec2(-x, y)];
        Self { corners, cap: vec![[0, 1, 2], [0, 2, 3]] }
    }

    /// Returns an I-beam: two flanges joined by a web.
    pub(crate) fn beam(width: f32, height: f32, thickness: f32) -> Self {
        let (x, y, w, t) = (0.5 * width, 0.5 * height, 0.35 * thickness, thickness);
        let corners = vec![
            vec2(-x, -y),
            vec2(x, -y),
            vec2(x, t - y),
            vec2(w, t - y),
            vec2(w, y - t),
            vec2(x, y - t),
            vec2(x, y),
            vec2(-x, y),
            vec2(-x, y - t),
            vec2(-w, y - t),
            vec2(-w, t - y),
            vec2(-x, t - y),
        ];
        // A fan over each flange that includes the corners of the web
        let cap = vec![
            [0, 1, 2],
            [0, 2, 3],
            [0, 3, 10],
            [0, 10, 11],
            [3, 4, 9],
            [3, 9, 10],
            [6, 7, 8],
            [6, 8, 9],
            [6, 9, 4],
            [6, 4, 5],
        ];
        Self { corners, cap }
    }

    /// Returns an angle (L-profile) with its corner at the lower left.
    pub(crate) fn angle(size: f32, thickness: f32) -> Self {
        let (s, t) = (0.5 * size, thickness - 0.5 * size);
        let corners = vec![vec2(-s, -s), vec2(s, -s), vec2(s, t), vec2(t, t), vec2(t, s), vec2(-s, s)];
        Self { corners, cap: vec![[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] }
    }

    /// Returns a channel (U-profile), open at the top.
    pub(crate) fn channel(width: f32, height: f32, thickness: f32) -> Self {
        let (x, y, t) = (0.5 * width, 0.5 * height, thickness);
        let corners = vec![
            vec2(-x, -y),
            vec2(x, -y),
            vec2(x, y),
            vec2(x - t, y),
            vec2(x - t, t - y),
            vec2(t - x, t - y),
            vec2(t - x, y),
            vec2(-x, y),
        ];
        let cap = vec![[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4], [0, 5, 6], [0, 6, 7]];
        Self { corners, cap }
    }
}

impl Shape {
    /// Adds a cross-section extruded from `from` to `to`, closed at both ends. Its y axis is `up`, made orthogonal to
    /// the direction of extrusion.
    pub(crate) fn extrude(&mut self, section: &CrossSection, from: Vec3, to: Vec3, up: Vec3) -> &mut Self {
        self.extrude_with_ends(section, from, to, up, true)
    }

    /// Adds a cross-section as [`extrude`](Self::extrude) does, without the ends. Not closed.
    pub(crate) fn extrude_open(
        &mut self,
        section: &CrossSection,
        from: Vec3,
        to: Vec3,
        up: Vec3,
    ) -> &mut Self {
        self.extrude_with_ends(section, from, to, up, false)
    }

    fn extrude_with_ends(
        &mut self,
        section: &CrossSection,
        from: Vec3,
        to: Vec3,
        up: Vec3,
        ends: bool,
    ) -> &mut Self {
        let along = (to - from).normalize_or(Vec3::Z);
        let across = up.cross(along).normalize_or(Frame::from_normal(along).tangent);
        // Seen against the direction of extrusion, x points to the right and y up.
        let (right, up) = (across, along.cross(across));
        let at = |end: Vec3, p: Vec2| end + right * p.x + up * p.y;
        let corners = &section.corners;
        for (i, &p) in corners.iter().enumerate() {
            let q = corners[(i + 1) % corners.len()];
            let normal = right * (q.y - p.y) - up * (q.x - p.x);
            let length = (to - from).length();
            let side = [at(from, p), at(from, q), at(to, q), at(to, p)];
            let uv = [vec2(0.0, 1.0), vec2(0.0, 0.0), vec2(length, 0.0), vec2(length, 1.0)];
            let [a, b, c, d] = std::array::from_fn(|i| self.vertex(side[i], normal, uv[i]));
            self.triangle([a, b, c]);
            self.triangle([a, c, d]);
        }
        if ends {
            for (end, normal) in [(from, -along), (to, along)] {
                let first = self.next_index();
                for &p in corners {
                    self.vertex(at(end, p), normal, p);
                }
                for &[a, b, c] in &section.cap {
                    let [a, b, c] = [a + first, b + first, c + first];
                    self.triangle(if end == to { [a, b, c] } else { [a, c, b] });
                }
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{is_closed, normals_agree, volume};
    use super::*;
    use sunfleck_math::vec3;

    /// The volume is the area of the cross-section, known in closed form, times the length.
    #[test]
    fn extrusions_are_closed_and_have_the_expected_volume() {
        let sections = [
            ("bar", CrossSection::bar(0.2, 0.3), 0.06),
            ("beam", CrossSection::beam(0.3, 0.5, 0.05), 2.0 * 0.3 * 0.05 + 0.4 * 0.035),
            ("angle", CrossSection::angle(0.2, 0.02), 0.2 * 0.02 + 0.18 * 0.02),
            ("channel", CrossSection::channel(0.4, 0.1, 0.01), 0.4 * 0.01 + 2.0 * 0.09 * 0.01),
        ];
        for (name, section, area) in sections {
            for to in [vec3(0.0, 0.0, 2.0), vec3(2.0, 0.0, 0.0), vec3(0.0, 2.0, 0.0), vec3(0.0, 0.0, -2.0)] {
                let mut shape = Shape::new(name);
                let up = if to.y == 0.0 { Vec3::Y } else { Vec3::Z };
                shape.extrude(&section, Vec3::ZERO, to, up);
                let mesh = shape.finish();
                assert!(is_closed(&mesh), "{name} has a hole");
                assert!(normals_agree(&mesh), "{name}: a normal points inwards");
                let found = volume(&mesh);
                assert!((found - 2.0 * area).abs() < 1e-6, "{name}: volume {found} for {}", 2.0 * area);
            }
        }
    }
}
