use std::f32::consts::{PI, TAU};

use sunfleck_math::{Vec2, Vec3, pow, sin_cos, vec2, vec3};

use super::Shape;

/// Cosine of the crease angle of profiles, 40°: sharper corners have a normal on each side.
const SHARP_COSINE: f32 = 0.766;

impl Shape {
    /// Adds a surface of revolution around the y axis. Closed if the profile begins and ends on the axis.
    ///
    /// * `profile` — points (radius, height), with the outside to the left of its direction: the profile of a solid
    ///   runs from the top outwards and down to the bottom, that of a vessel from the inner bottom up, over the rim
    ///   and down the outside.
    pub(crate) fn lathe(&mut self, profile: &[Vec2], segments: u32) -> &mut Self {
        // Every segment of the profile has two rings of its own, so that normals can differ at its ends.
        let mut rings: Vec<(Vec2, Vec2)> = Vec::new();
        let sides: Vec<Vec2> = profile
            .windows(2)
            .map(|p| vec2(p[0].y - p[1].y, p[1].x - p[0].x).normalize_or(Vec2::X))
            .collect();
        for (side, ends) in profile.windows(2).enumerate() {
            let smooth = |other: Option<&Vec2>| match other {
                Some(&other) if other.dot(sides[side]) > SHARP_COSINE => other + sides[side],
                _ => sides[side],
            };
            rings.push((ends[0], smooth(side.checked_sub(1).and_then(|s| sides.get(s)))));
            rings.push((ends[1], smooth(sides.get(side + 1))));
        }
        for strip in rings.chunks_exact(2) {
            let [upper, lower] = [0, 1].map(|i| self.ring(strip[i].0, strip[i].1, segments));
            for s in 0..segments {
                let (a, b) = (upper + s, lower + s);
                if strip[0].0.x > 0.0 {
                    self.triangle([a, b, a + 1]);
                }
                if strip[1].0.x > 0.0 {
                    self.triangle([b, b + 1, a + 1]);
                }
            }
        }
        self
    }

    /// Adds `segments + 1` vertices around the axis, the last one at the position of the first. Returns the first
    /// index.
    fn ring(&mut self, point: Vec2, normal: Vec2, segments: u32) -> u32 {
        let mut first = None;
        for s in 0..=segments {
            let (sin, cos) = circle_sin_cos(s, segments);
            let position = vec3(point.x * sin, point.y, point.x * cos);
            let uv = vec2(s as f32 / segments as f32, -point.y);
            let vertex = self.vertex(position, vec3(normal.x * sin, normal.y, normal.x * cos), uv);
            first = first.or(Some(vertex));
        }
        first.unwrap_or(0)
    }

    /// Adds a sphere with `segments` meridians and half as many stacks.
    pub(crate) fn sphere(&mut self, center: Vec3, radius: f32, segments: u32) -> &mut Self {
        self.superellipsoid(center, Vec3::splat(radius), segments, segments / 2, 1.0)
    }

    /// Adds a superellipsoid: an ellipsoid for `exponent` 1, a box with rounded edges for a small exponent.
    pub(crate) fn superellipsoid(
        &mut self,
        center: Vec3,
        half_size: Vec3,
        segments: u32,
        stacks: u32,
        exponent: f32,
    ) -> &mut Self {
        let soften = |x: f32, e: f32| if x == 0.0 { 0.0 } else { pow(x.abs(), e).copysign(x) };
        let mut first = None;
        for stack in 0..=stacks {
            // The radius is exactly zero at the poles, so that all vertices there have one position.
            let (sin_theta, cos_theta) = match stack {
                0 => (0.0, 1.0),
                z if z == stacks => (0.0, -1.0),
                z => sin_cos(z as f32 / stacks as f32 * PI),
            };
            for s in 0..=segments {
                let (sin_phi, cos_phi) = circle_sin_cos(s, segments);
                let surface = |e: f32| {
                    let ring = soften(sin_theta, e);
                    vec3(ring * soften(sin_phi, e), soften(cos_theta, e), ring * soften(cos_phi, e))
                };
                let uv = vec2(s as f32 / segments as f32, stack as f32 / stacks as f32);
                let position = center + surface(exponent) * half_size;
                let vertex = self.vertex(position, surface(2.0 - exponent) / half_size, uv);
                first = first.or(Some(vertex));
            }
        }
        let first = first.unwrap_or(0);
        for stack in 0..stacks {
            for s in 0..segments {
                let a = first + stack * (segments + 1) + s;
                let b = a + segments + 1;
                if stack > 0 {
                    self.triangle([a, b, a + 1]);
                }
                if stack + 1 < stacks {
                    self.triangle([b, b + 1, a + 1]);
                }
            }
        }
        self
    }
}

/// Returns sine and cosine of `step / steps` of a full turn; those of the full turn are exactly those of step 0.
pub(crate) fn circle_sin_cos(step: u32, steps: u32) -> (f32, f32) {
    sin_cos((step % steps) as f32 / steps as f32 * TAU)
}
