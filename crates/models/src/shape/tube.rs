use sunfleck_math::{Frame, Vec2, Vec3, vec2};

use super::Shape;
use super::lathe::circle_sin_cos;

impl Shape {
    /// Adds a round tube along a path, closed at its ends.
    ///
    /// * `path`, `radii` — points and the radius at each; at least two.
    /// * `sides` — number of sides of the cross-section, at least 3.
    pub(crate) fn tube(&mut self, path: &[Vec3], radii: &[f32], sides: u32) -> &mut Self {
        let mut frame: Option<Frame> = None;
        let mut length = 0.0;
        let mut previous: Option<u32> = None;
        for (i, (&center, &radius)) in path.iter().zip(radii).enumerate() {
            let (before, after) = (path[i.saturating_sub(1)], path[(i + 1).min(path.len() - 1)]);
            let along = (after - before).normalize_or(Vec3::Y);
            length += (center - before).length();
            let around_path = parallel_transport(frame, along);
            frame = Some(around_path);
            let ring = self.tube_ring(&around_path, center, radius, length, sides);
            match previous {
                None => self.tube_cap(&around_path, center, ring, sides, -1.0),
                Some(below) => {
                    for s in 0..sides {
                        let (a, b) = (below + s, ring + s);
                        self.triangle([a, a + 1, b]);
                        self.triangle([a + 1, b + 1, b]);
                    }
                }
            }
            if i + 1 == path.len() {
                self.tube_cap(&around_path, center, ring, sides, 1.0);
            }
            previous = Some(ring);
        }
        self
    }

    /// Adds `sides + 1` vertices around the path, the last one at the position of the first. Returns the first index.
    fn tube_ring(&mut self, frame: &Frame, center: Vec3, radius: f32, length: f32, sides: u32) -> u32 {
        let mut first = None;
        for s in 0..=sides {
            let (sin, cos) = circle_sin_cos(s, sides);
            let normal = frame.tangent * cos + frame.bitangent * sin;
            let vertex = self.vertex(center + normal * radius, normal, vec2(s as f32 / sides as f32, length));
            first = first.or(Some(vertex));
        }
        first.unwrap_or(0)
    }

    /// Closes an end with a flat fan of separate vertices; it faces along the path if `side` is 1, against it if -1.
    fn tube_cap(&mut self, frame: &Frame, center: Vec3, ring: u32, sides: u32, side: f32) {
        let object_from_solid =
            std::mem::replace(&mut self.object_from_solid, sunfleck_math::Affine3::IDENTITY);
        let normal = (object_from_solid.transform_vector3(frame.normal) * side).normalize_or(Vec3::Y);
        let hub = self.vertex(object_from_solid.transform_point3(center), normal, Vec2::ZERO);
        let rim: Vec<u32> = (0..sides)
            .map(|s| self.vertex(self.data.positions[(ring + s) as usize], normal, Vec2::ZERO))
            .collect();
        self.object_from_solid = object_from_solid;
        for (i, &a) in rim.iter().enumerate() {
            let b = rim[(i + 1) % rim.len()];
            self.triangle(if side > 0.0 { [hub, a, b] } else { [hub, b, a] });
        }
    }
}

/// Returns a frame with normal `along`, transported from the last frame with minimal rotation (parallel transport).
pub(super) fn parallel_transport(last: Option<Frame>, along: Vec3) -> Frame {
    let fresh = Frame::from_normal(along);
    let Some(last) = last else { return fresh };
    let bitangent = along.cross(last.tangent).normalize_or(fresh.bitangent);
    Frame { tangent: bitangent.cross(along), bitangent, normal: along }
}
