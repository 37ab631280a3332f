use std::f32::consts::{PI, TAU};

use sunfleck_math::{Vec2, Vec3, pow, sin_cos, vec2, vec3};

use super::Shape;

/// Corners of a profile that turn more than this stay sharp: cos 40°.
const SHARP_COSINE: f32 = 0.766;

impl Shape {
    /// A surface of revolution around the y axis. Closed if the profile begins and ends on the axis.
    ///
    /// * `profile` — (radius, height), with the outside on the left of one who walks along it: a solid from its top
    ///   outwards and down to its bottom, a hollow from its floor up inside, over the rim and down outside.
    pub(crate) fn lathe(&mut self, profile: &[Vec2], segments: u32) -> &mut Self {
        // A profile point with a sharp corner becomes two rings with a normal each.
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

    /// The first index of `segments + 1` vertices around the axis; the last one is at the place of the first.
    fn ring(&mut self, point: Vec2, normal: Vec2, segments: u32) -> u32 {
        let mut first = None;
        for s in 0..=segments {
            let (sin, cos) = around(s, segments);
            let position = vec3(point.x * sin, point.y, point.x * cos);
            let uv = vec2(s as f32 / segments as f32, -point.y);
            let vertex = self.vertex(position, vec3(normal.x * sin, normal.y, normal.x * cos), uv);
            first = first.or(Some(vertex));
        }
        first.unwrap_or(0)
    }

    /// A sphere of `segments` meridians and half as many zones.
    pub(crate) fn sphere(&mut self, center: Vec3, radius: f32, segments: u32) -> &mut Self {
        self.cushion(center, Vec3::splat(radius), segments, segments / 2, 1.0)
    }

    /// A superellipsoid: a ball for `exponent` 1, a box with soft edges for a small one.
    pub(crate) fn cushion(
        &mut self,
        center: Vec3,
        half_size: Vec3,
        segments: u32,
        zones: u32,
        exponent: f32,
    ) -> &mut Self {
        let soften = |x: f32, e: f32| if x == 0.0 { 0.0 } else { pow(x.abs(), e).copysign(x) };
        let mut first = None;
        for zone in 0..=zones {
            // Exactly zero at both poles, so that all their vertices are in one place
            let (sin_theta, cos_theta) = match zone {
                0 => (0.0, 1.0),
                z if z == zones => (0.0, -1.0),
                z => sin_cos(z as f32 / zones as f32 * PI),
            };
            for s in 0..=segments {
                let (sin_phi, cos_phi) = around(s, segments);
                let surface = |e: f32| {
                    let ring = soften(sin_theta, e);
                    vec3(ring * soften(sin_phi, e), soften(cos_theta, e), ring * soften(cos_phi, e))
                };
                let uv = vec2(s as f32 / segments as f32, zone as f32 / zones as f32);
                let position = center + surface(exponent) * half_size;
                let vertex = self.vertex(position, surface(2.0 - exponent) / half_size, uv);
                first = first.or(Some(vertex));
            }
        }
        let first = first.unwrap_or(0);
        for zone in 0..zones {
            for s in 0..segments {
                let a = first + zone * (segments + 1) + s;
                let b = a + segments + 1;
                if zone > 0 {
                    self.triangle([a, b, a + 1]);
                }
                if zone + 1 < zones {
                    self.triangle([b, b + 1, a + 1]);
                }
            }
        }
        self
    }
}

/// Sine and cosine of a fraction of the circle; the whole circle has exactly those of its beginning.
pub(crate) fn around(step: u32, steps: u32) -> (f32, f32) {
    sin_cos((step % steps) as f32 / steps as f32 * TAU)
}
