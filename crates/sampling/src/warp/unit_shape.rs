use std::f32::consts::TAU;

use sunfleck_math::{UnitShape, Vec2, Vec3, sin_cos, vec2, vec3};

/// Point of a shape in unit space that was sampled.
#[derive(Clone, Copy, Debug)]
pub struct UnitShapeSample {
    /// The point.
    pub position: Vec3,
    /// Its location; see [`UnitShape::location_of`].
    pub location: Vec2,
}

/// Maps `[0, 1)²` to a point of a shape in unit space: uniformly over its area, except on patches; see
/// [`BezierPatch::sample`](sunfleck_math::BezierPatch::sample).
#[inline]
pub fn unit_shape(shape: &UnitShape, u: Vec2) -> UnitShapeSample {
    let around = |radius: f32| {
        let (sin, cos) = sin_cos(TAU * u.y);
        vec2(radius * cos, radius * sin)
    };
    let position = match *shape {
        UnitShape::Patch(ref patch) => {
            let (location, _) = patch.sample(u);
            return UnitShapeSample { position: patch.at(location).position, location };
        }
        UnitShape::Sphere => super::uniform_sphere(u),
        // The square of the radius is uniform
        UnitShape::Disk { hole } => around((hole * hole * (1.0 - u.x) + u.x).sqrt()).extend(0.0),
        UnitShape::Rectangle => vec3(2.0 * u.x - 1.0, 2.0 * u.y - 1.0, 0.0),
        UnitShape::Cylinder => around(1.0).extend(u.x),
        UnitShape::Cone { top } => {
            let radius = (top * top * (1.0 - u.x) + u.x).sqrt();
            let z = if top < 1.0 { (1.0 - radius) / (1.0 - top) } else { u.x };
            around(radius).extend(z)
        }
        UnitShape::Cube => {
            let scaled = u.x * 6.0;
            let side = scaled.floor().min(5.0);
            let (s, t) = (2.0 * (scaled - side).min(1.0) - 1.0, 2.0 * u.y - 1.0);
            let sign = if side >= 3.0 { -1.0 } else { 1.0 };
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 5")]
            match side as u32 % 3 {
                0 => vec3(sign, s, t),
                1 => vec3(t, sign, s),
                _ => vec3(s, t, sign),
            }
        }
    };
    UnitShapeSample { position, location: shape.location_of(position.as_dvec3()) }
}

/// Density of [`unit_shape`] per area in unit space.
///
/// * `location` — that of the point; only on patches does the density depend on it.
#[inline]
pub fn unit_shape_pdf(shape: &UnitShape, location: Vec2) -> f32 {
    match shape {
        UnitShape::Patch(patch) => patch.density(location) / patch.at(location).stretch,
        _ => 1.0 / shape.area(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points are on the surface, and as many of them are in each half as its share of the area.
    #[test]
    fn points_are_uniform_over_the_area() {
        const N: u16 = 256;
        let share_above = |shape: &UnitShape, is_above: &dyn Fn(Vec3) -> bool| {
            let cell = |i: u16, j: u16| {
                vec2((f32::from(i) + 0.5) / f32::from(N), (f32::from(j) + 0.5) / f32::from(N))
            };
            let points =
                (0..N).flat_map(|i| (0..N).map(move |j| cell(i, j))).map(|u| unit_shape(shape, u).position);
            let above = points.filter(|&p| is_above(p)).count();
            above as f32 / (f32::from(N) * f32::from(N))
        };
        let close = |shape: &UnitShape, share: f32, expected: f32| {
            assert!((share - expected).abs() < 5e-3, "{shape:?}: {share} of the points, not {expected}");
        };
        let sphere = UnitShape::Sphere;
        close(&sphere, share_above(&sphere, &|p| p.z > 0.5), 0.25);
        let ring = UnitShape::Disk { hole: 0.5 };
        close(&ring, share_above(&ring, &|p| p.truncate().length() > 0.8), (1.0 - 0.64) / 0.75);
        let cylinder = UnitShape::Cylinder;
        close(&cylinder, share_above(&cylinder, &|p| p.z > 0.7 && p.x > 0.0), 0.15);
        let cone = UnitShape::Cone { top: 0.0 };
        close(&cone, share_above(&cone, &|p| p.z > 0.5), 0.25);
        let frustum = UnitShape::Cone { top: 0.5 };
        close(&frustum, share_above(&frustum, &|p| p.z < 0.5), (1.0 - 0.75 * 0.75) / 0.75);
        close(&UnitShape::Cube, share_above(&UnitShape::Cube, &|p| p.x > 0.999), 1.0 / 6.0);
        close(&UnitShape::Rectangle, share_above(&UnitShape::Rectangle, &|p| p.x > 0.0 && p.y > 0.5), 0.125);
    }
}
