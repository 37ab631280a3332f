use sunfleck_math::{Frame, Vec2, Vec3, acos, sin_cos, vec2};

use super::Shape;
use super::lathe::circle_sin_cos;
use super::tube::parallel_transport;

impl Shape {
    /// Adds a pipe of constant radius along a polyline, with elbows at its corners, closed at both ends.
    ///
    /// * `route` — at least two points.
    /// * `bend_radius` — radius of the elbows, reduced where segments of the route are too short for it.
    /// * `sides` — number of sides of the cross-section, at least 3.
    /// * `steps` — number of segments of an elbow.
    pub(crate) fn pipe(
        &mut self,
        route: &[Vec3],
        radius: f32,
        bend_radius: f32,
        sides: u32,
        steps: u32,
    ) -> &mut Self {
        let circle: Vec<Vec2> = (0..sides)
            .map(|s| {
                let (sin, cos) = circle_sin_cos(s, sides);
                vec2(cos, sin)
            })
            .collect();
        let mut frame: Option<Frame> = None;
        let mut rings: Option<u32> = None;
        for (center, along) in pipe_rings(route, bend_radius, steps) {
            let here = parallel_transport(frame, along);
            let ring = self.next_index();
            for c in &circle {
                let normal = here.tangent * c.x + here.bitangent * c.y;
                self.vertex(center + normal * radius, normal, vec2(c.x, c.y));
            }
            match rings {
                None => self.pipe_cap(&here, center, radius, &circle, -1.0),
                Some(last) => {
                    for s in 0..sides {
                        let t = (s + 1) % sides;
                        self.triangle([last + s, last + t, ring + s]);
                        self.triangle([last + t, ring + t, ring + s]);
                    }
                }
            }
            (frame, rings) = (Some(here), Some(ring));
        }
        if let (Some(frame), Some(&end)) = (frame, route.last()) {
            self.pipe_cap(&frame, end, radius, &circle, 1.0);
        }
        self
    }

    /// Adds a cylinder around `center`, such as a flange, a collar or a wheel on a pipe; `width` is its length.
    pub(crate) fn cylinder(
        &mut self,
        center: Vec3,
        axis: Vec3,
        radius: f32,
        width: f32,
        sides: u32,
    ) -> &mut Self {
        let half = axis.normalize_or(Vec3::Y) * (0.5 * width);
        self.pipe(&[center - half, center + half], radius, 0.0, sides, 1)
    }

    /// Adds a torus, such as the rim of a wheel or a band around a vessel.
    ///
    /// * `radius` — major radius.
    /// * `thickness` — minor radius.
    /// * `segments`, `sides` — resolution around the axis and of the cross-section, at least 3.
    pub(crate) fn torus(
        &mut self,
        center: Vec3,
        axis: Vec3,
        radius: f32,
        thickness: f32,
        [segments, sides]: [u32; 2],
    ) -> &mut Self {
        let frame = Frame::from_normal(axis.normalize_or(Vec3::Y));
        let first = self.next_index();
        for i in 0..segments {
            let (sin, cos) = circle_sin_cos(i, segments);
            let out = frame.tangent * cos + frame.bitangent * sin;
            for s in 0..sides {
                let (up, outwards) = circle_sin_cos(s, sides);
                let normal = out * outwards + frame.normal * up;
                self.vertex(center + out * radius + normal * thickness, normal, vec2(cos, sin));
            }
        }
        for i in 0..segments {
            let (here, next) = (first + i * sides, first + (i + 1) % segments * sides);
            for s in 0..sides {
                let t = (s + 1) % sides;
                self.triangle([here + s, next + s, here + t]);
                self.triangle([next + s, next + t, here + t]);
            }
        }
        self
    }

    /// Adds the flat end of a pipe; it faces along the pipe if `side` is 1, against it if -1.
    fn pipe_cap(&mut self, frame: &Frame, center: Vec3, radius: f32, circle: &[Vec2], side: f32) {
        let first = self.next_index();
        for &c in circle {
            let position = center + (frame.tangent * c.x + frame.bitangent * c.y) * radius;
            self.vertex(position, frame.normal * side, c);
        }
        for (_, s) in circle[2..].iter().zip(1..) {
            let (a, b) = if side > 0.0 { (s, s + 1) } else { (s + 1, s) };
            self.triangle([first, first + a, first + b]);
        }
    }
}

/// Cosine of the largest angle, 8°, at which pipes have a mitre joint instead of an elbow.
const MITRE_COSINE: f32 = 0.99;

/// Returns centre and direction of each ring of vertices of a pipe.
fn pipe_rings(route: &[Vec3], bend_radius: f32, steps: u32) -> Vec<(Vec3, Vec3)> {
    let mut rings = Vec::with_capacity(2 + route.len() * (steps as usize + 1));
    let direction = |i: usize| (route[i + 1] - route[i]).normalize_or(Vec3::Y);
    let last = route.len() - 1;
    rings.push((route[0], direction(0)));
    for i in 1..last {
        let (before, after) = (direction(i - 1), direction(i));
        let inward = (after - before * after.dot(before)).normalize_or(Vec3::ZERO);
        let cosine = before.dot(after).clamp(-1.0, 1.0);
        if inward == Vec3::ZERO || cosine < -0.99 {
            continue;
        }
        if cosine > MITRE_COSINE {
            rings.push((route[i], (before + after).normalize_or(before)));
            continue;
        }
        let angle = acos(cosine);
        // An elbow of radius r shortens both segments by r tan(θ/2).
        let tan_half_angle = (1.0 - cosine * cosine).sqrt() / (1.0 + cosine);
        let available = 0.49 * (route[i] - route[i - 1]).length().min((route[i + 1] - route[i]).length());
        let radius = bend_radius.min(available / tan_half_angle);
        let start = route[i] - before * (radius * tan_half_angle);
        for step in 0..=steps {
            let (sin, cos) = sin_cos(angle * step as f32 / steps as f32);
            let position = start + before * (radius * sin) + inward * (radius * (1.0 - cos));
            rings.push((position, before * cos + inward * sin));
        }
    }
    rings.push((route[last], direction(last - 1)));
    rings
}

#[cfg(test)]
mod tests {
    use super::super::tests::{is_closed, normals_agree, volume};
    use super::*;
    use std::f64::consts::PI;
    use sunfleck_math::vec3;

    /// The volume is the area of the cross-section times the length of the centre line (Pappus).
    #[test]
    fn a_pipe_with_an_elbow() {
        let mut shape = Shape::without_uvs("pipe");
        shape.pipe(&[Vec3::ZERO, vec3(2.0, 0.0, 0.0), vec3(2.0, 3.0, 0.0)], 0.1, 0.5, 48, 24);
        let mesh = shape.finish();
        assert!(is_closed(&mesh) && normals_agree(&mesh) && mesh.uv0.is_empty());
        let expected = PI * 0.01 * (1.5 + 2.5 + 0.25 * PI);
        let found = volume(&mesh);
        assert!((found / expected - 1.0).abs() < 0.01, "{found} for {expected}");
    }

    #[test]
    fn a_torus() {
        let mut shape = Shape::without_uvs("torus");
        shape.torus(Vec3::ONE, Vec3::X, 2.0, 0.5, [64, 32]);
        let mesh = shape.finish();
        assert!(is_closed(&mesh) && normals_agree(&mesh));
        let expected = 2.0 * PI * PI * 2.0 * 0.25;
        assert!((volume(&mesh) / expected - 1.0).abs() < 0.02, "{}", volume(&mesh));
    }

    #[test]
    fn a_straight_joint_has_no_elbow() {
        let mut shape = Shape::without_uvs("pipe");
        shape.pipe(&[Vec3::ZERO, Vec3::X, Vec3::X * 5.0], 0.1, 0.5, 6, 4);
        assert_eq!(shape.finish().triangles.len(), 12 + 2 * 4);
    }
}
