use sunfleck_math::{Frame, Vec2, Vec3, vec2};

use super::Shape;
use super::lathe::around;

impl Shape {
    /// A round tube along a path, closed at its ends.
    ///
    /// * `path`, `radii` — as many radii as points, at least two. * `sides` — at least 3.
    pub(crate) fn tube(&mut self, path: &[Vec3], radii: &[f32], sides: u32) -> &mut Self {
        let mut frame: Option<Frame> = None;
        let mut length = 0.0;
        let mut previous: Option<u32> = None;
        for (i, (&center, &radius)) in path.iter().zip(radii).enumerate() {
            let (before, after) = (path[i.saturating_sub(1)], path[(i + 1).min(path.len() - 1)]);
            let along = (after - before).normalize_or(Vec3::Y);
            length += (center - before).length();
            let around_path = carried(frame, along);
            frame = Some(around_path);
            let ring = self.tube_ring(&around_path, center, radius, length, sides);
            match previous {
                None => self.lid(&around_path, center, ring, sides, -1.0),
                Some(below) => {
                    for s in 0..sides {
                        let (a, b) = (below + s, ring + s);
                        self.triangle([a, a + 1, b]);
                        self.triangle([a + 1, b + 1, b]);
                    }
                }
            }
            if i + 1 == path.len() {
                self.lid(&around_path, center, ring, sides, 1.0);
            }
            previous = Some(ring);
        }
        self
    }

    /// The first index of `sides + 1` vertices; the last one is at the place of the first.
    fn tube_ring(&mut self, frame: &Frame, center: Vec3, radius: f32, length: f32, sides: u32) -> u32 {
        let mut first = None;
        for s in 0..=sides {
            let (sin, cos) = around(s, sides);
            let normal = frame.tangent * cos + frame.bitangent * sin;
            let vertex = self.vertex(center + normal * radius, normal, vec2(s as f32 / sides as f32, length));
            first = first.or(Some(vertex));
        }
        first.unwrap_or(0)
    }

    /// Closes an end with a fan of its own vertices, flat; `side` says to which side it faces along the path.
    fn lid(&mut self, frame: &Frame, center: Vec3, ring: u32, sides: u32, side: f32) {
        let place = std::mem::replace(&mut self.place, sunfleck_math::Affine3::IDENTITY);
        let normal = (place.transform_vector3(frame.normal) * side).normalize_or(Vec3::Y);
        let hub = self.vertex(place.transform_point3(center), normal, Vec2::ZERO);
        let rim: Vec<u32> = (0..sides)
            .map(|s| self.vertex(self.data.positions[(ring + s) as usize], normal, Vec2::ZERO))
            .collect();
        self.place = place;
        for (i, &a) in rim.iter().enumerate() {
            let b = rim[(i + 1) % rim.len()];
            self.triangle(if side > 0.0 { [hub, a, b] } else { [hub, b, a] });
        }
    }
}

/// A frame around `along` that turns as little as possible from the last one.
pub(super) fn carried(last: Option<Frame>, along: Vec3) -> Frame {
    let fresh = Frame::from_normal(along);
    let Some(last) = last else { return fresh };
    let bitangent = along.cross(last.tangent).normalize_or(fresh.bitangent);
    Frame { tangent: bitangent.cross(along), bitangent, normal: along }
}
