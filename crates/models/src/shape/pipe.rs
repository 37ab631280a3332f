use sunfleck_math::{Frame, Vec2, Vec3, acos, sin_cos, vec2};

use super::Shape;
use super::lathe::around;
use super::tube::carried;

impl Shape {
    /// A pipe of one radius from point to point, with elbows where it turns; closed at both ends.
    ///
    /// * `route` — at least two points. * `bend` — radius of the elbows, smaller where the route leaves no room.
    /// * `sides` — at least 3. * `steps` — segments of an elbow.
    pub(crate) fn pipe(
        &mut self,
        route: &[Vec3],
        radius: f32,
        bend: f32,
        sides: u32,
        steps: u32,
    ) -> &mut Self {
        let circle: Vec<Vec2> = (0..sides)
            .map(|s| {
                let (sin, cos) = around(s, sides);
                vec2(cos, sin)
            })
            .collect();
        let mut frame: Option<Frame> = None;
        let mut rings: Option<u32> = None;
        for (center, along) in stations(route, bend, steps) {
            let here = carried(frame, along);
            let ring = self.next_index();
            for c in &circle {
                let normal = here.tangent * c.x + here.bitangent * c.y;
                self.vertex(center + normal * radius, normal, vec2(c.x, c.y));
            }
            match rings {
                None => self.disc(&here, center, radius, &circle, -1.0),
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
            self.disc(&frame, end, radius, &circle, 1.0);
        }
        self
    }

    /// A short cylinder around the middle of a pipe: a flange, a collar, a wheel.
    pub(crate) fn collar(
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

    /// A ring: the rim of a wheel, a band around a vessel.
    ///
    /// * `radius` — of its middle line. * `thickness` — radius of its section. * `segments`, `sides` — at least 3.
    pub(crate) fn hoop(
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
            let (sin, cos) = around(i, segments);
            let out = frame.tangent * cos + frame.bitangent * sin;
            for s in 0..sides {
                let (up, outwards) = around(s, sides);
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

    /// The flat end of a pipe; `side` says to which side it faces along the pipe.
    fn disc(&mut self, frame: &Frame, center: Vec3, radius: f32, circle: &[Vec2], side: f32) {
        let first = self.next_index();
        for &c in circle {
            let place = center + (frame.tangent * c.x + frame.bitangent * c.y) * radius;
            self.vertex(place, frame.normal * side, c);
        }
        for (_, s) in circle[2..].iter().zip(1..) {
            let (a, b) = if side > 0.0 { (s, s + 1) } else { (s + 1, s) };
            self.triangle([first, first + a, first + b]);
        }
    }
}

/// Where a pipe turns by less it is mitred: cos 8°.
const NEARLY_STRAIGHT: f32 = 0.99;

/// Centres and directions of the rings of a pipe.
fn stations(route: &[Vec3], bend: f32, steps: u32) -> Vec<(Vec3, Vec3)> {
    let mut found = Vec::with_capacity(2 + route.len() * (steps as usize + 1));
    let way = |i: usize| (route[i + 1] - route[i]).normalize_or(Vec3::Y);
    let last = route.len() - 1;
    found.push((route[0], way(0)));
    for i in 1..last {
        let (before, after) = (way(i - 1), way(i));
        let turn = (after - before * after.dot(before)).normalize_or(Vec3::ZERO);
        let cosine = before.dot(after).clamp(-1.0, 1.0);
        if turn == Vec3::ZERO || cosine < -0.99 {
            continue;
        }
        if cosine > NEARLY_STRAIGHT {
            found.push((route[i], (before + after).normalize_or(before)));
            continue;
        }
        let angle = acos(cosine);
        // The tangent of half the angle is the share of the radius that the elbow takes from each side.
        let share = (1.0 - cosine * cosine).sqrt() / (1.0 + cosine);
        let room = 0.49 * (route[i] - route[i - 1]).length().min((route[i + 1] - route[i]).length());
        let radius = bend.min(room / share);
        let start = route[i] - before * (radius * share);
        for step in 0..=steps {
            let (sin, cos) = sin_cos(angle * step as f32 / steps as f32);
            let place = start + before * (radius * sin) + turn * (radius * (1.0 - cos));
            found.push((place, before * cos + turn * sin));
        }
    }
    found.push((route[last], way(last - 1)));
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::{is_closed, normals_agree, volume};
    use super::*;
    use std::f64::consts::PI;
    use sunfleck_math::vec3;

    /// Pappus: the volume is the section's area times the length of the middle line.
    #[test]
    fn a_pipe_with_an_elbow() {
        let mut shape = Shape::smooth("pipe");
        shape.pipe(&[Vec3::ZERO, vec3(2.0, 0.0, 0.0), vec3(2.0, 3.0, 0.0)], 0.1, 0.5, 48, 24);
        let mesh = shape.finish();
        assert!(is_closed(&mesh) && normals_agree(&mesh) && mesh.uv0.is_empty());
        let expected = PI * 0.01 * (1.5 + 2.5 + 0.25 * PI);
        let found = volume(&mesh);
        assert!((found / expected - 1.0).abs() < 0.01, "{found} for {expected}");
    }

    #[test]
    fn a_hoop() {
        let mut shape = Shape::smooth("hoop");
        shape.hoop(Vec3::ONE, Vec3::X, 2.0, 0.5, [64, 32]);
        let mesh = shape.finish();
        assert!(is_closed(&mesh) && normals_agree(&mesh));
        let expected = 2.0 * PI * PI * 2.0 * 0.25;
        assert!((volume(&mesh) / expected - 1.0).abs() < 0.02, "{}", volume(&mesh));
    }

    #[test]
    fn straight_on_needs_no_elbow() {
        let mut shape = Shape::smooth("pipe");
        shape.pipe(&[Vec3::ZERO, Vec3::X, Vec3::X * 5.0], 0.1, 0.5, 6, 4);
        assert_eq!(shape.finish().triangles.len(), 12 + 2 * 4);
    }
}
