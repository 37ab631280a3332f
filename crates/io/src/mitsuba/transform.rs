//! Transforms of the elements within `transform`, which are applied in their order.

use sunfleck_math::{Affine3, DVec3, sin_cos};

use super::values::triple;
use crate::renderer::numbers::{number, numbers};

/// Affine transform in double precision, in which transforms are composed: a column for each axis, and the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Transform([DVec3; 4]);

impl Transform {
    pub(super) const IDENTITY: Self = Self([DVec3::X, DVec3::Y, DVec3::Z, DVec3::ZERO]);

    fn vector(&self, v: DVec3) -> DVec3 {
        self.0[0] * v.x + self.0[1] * v.y + self.0[2] * v.z
    }

    /// Returns the transform that applies `self` and then `next`.
    pub(super) fn then(&self, next: &Self) -> Self {
        let [x, y, z, w] = self.0;
        Self([next.vector(x), next.vector(y), next.vector(z), next.vector(w) + next.0[3]])
    }

    /// Returns where the transform takes a point.
    pub(super) fn point(&self, point: DVec3) -> DVec3 {
        self.vector(point) + self.0[3]
    }

    /// Returns the transform of what is relative to a point.
    pub(super) fn about(self, point: DVec3) -> Self {
        let [x, y, z, _] = self.0;
        Self([x, y, z, self.point(point)])
    }

    /// Returns the transform to coordinates relative to an origin.
    pub(super) fn relative_to(self, origin: DVec3) -> Self {
        let [x, y, z, w] = self.0;
        Self([x, y, z, w - origin])
    }

    /// Returns the transform in single precision; `None` if a value is not finite in it.
    pub(super) fn to_affine(self) -> Option<Affine3> {
        let [x, y, z, w] = self.0.map(DVec3::as_vec3);
        Some(Affine3::from_cols(x, y, z, w)).filter(Affine3::is_finite)
    }

    /// Returns the transform of an element such as `rotate`.
    ///
    /// * `attribute` — returns the value of an attribute.
    ///
    /// Errors: one sentence.
    pub(super) fn of_element<'a>(
        tag: &str,
        attribute: impl Fn(&str) -> Option<&'a str>,
    ) -> Result<Self, String> {
        let vector = |default: DVec3| -> Result<DVec3, String> {
            if let Some(value) = attribute("value") {
                return triple(value).ok_or_else(|| format!("{value:?} is not a vector"));
            }
            let mut result = default;
            for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
                if let Some(value) = attribute(name) {
                    result[axis] = number(value).ok_or_else(|| format!("{value:?} is not a number"))?;
                }
            }
            Ok(result)
        };
        match tag {
            "translate" => Ok(Self([DVec3::X, DVec3::Y, DVec3::Z, vector(DVec3::ZERO)?])),
            "scale" => {
                let DVec3 { x, y, z } = vector(DVec3::ONE)?;
                Ok(Self([DVec3::X * x, DVec3::Y * y, DVec3::Z * z, DVec3::ZERO]))
            }
            "rotate" => {
                let angle = attribute("angle").ok_or("the angle is missing")?;
                let degrees = number(angle).ok_or_else(|| format!("{angle:?} is not a number"))?;
                rotation(vector(DVec3::ZERO)?, degrees).ok_or_else(|| "the axis has no direction".to_string())
            }
            "lookat" => {
                let point = |name: &str| -> Result<Option<DVec3>, String> {
                    let parse = |text: &str| triple(text).ok_or_else(|| format!("{text:?} is not a point"));
                    attribute(name).map(parse).transpose()
                };
                let origin = point("origin")?.ok_or("the origin is missing")?;
                let target = point("target")?.ok_or("the target is missing")?;
                look_at(origin, target, point("up")?)
                    .ok_or_else(|| "origin, target and up do not define a direction".to_string())
            }
            "matrix" => {
                let value = attribute("value").ok_or("the value is missing")?;
                matrix(value)
                    .ok_or_else(|| "the value is not an affine matrix of 16 or 9 numbers".to_string())
            }
            _ => Err(format!("<{tag}> is not a transform")),
        }
    }
}

/// Returns the rotation about an axis (Rodrigues). `None`: the axis has no direction.
fn rotation(axis: DVec3, degrees: f64) -> Option<Transform> {
    let axis = axis.try_normalize()?;
    #[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
    let (sin, cos) = sin_cos((degrees % 360.0).to_radians() as f32);
    let (sin, cos) = (f64::from(sin), f64::from(cos));
    let column = |v: DVec3| v * cos + axis.cross(v) * sin + axis * (axis.dot(v) * (1.0 - cos));
    Some(Transform([column(DVec3::X), column(DVec3::Y), column(DVec3::Z), DVec3::ZERO]))
}

/// Returns the transform that takes +z to the direction of `target` and +x to the left. Without `up`, any direction is.
fn look_at(origin: DVec3, target: DVec3, up: Option<DVec3>) -> Option<Transform> {
    let z = (target - origin).try_normalize()?;
    let up = up.unwrap_or(if z.x.abs() < 0.9 { DVec3::X } else { DVec3::Y });
    let x = up.cross(z).try_normalize()?;
    Some(Transform([x, z.cross(x), z, origin]))
}

/// Parses a matrix, row by row: 4 × 4 with a last row of (0, 0, 0, 1), or 3 × 3.
fn matrix(text: &str) -> Option<Transform> {
    let m = numbers(text)?;
    let size = match m.len() {
        16 if m[12..15] == [0.0; 3] && m[15] != 0.0 => 4,
        9 => 3,
        _ => return None,
    };
    let w = if size == 4 { m[15] } else { 1.0 };
    let column = |i: usize| DVec3::new(m[i], m[size + i], m[2 * size + i]) / w;
    Some(Transform([column(0), column(1), column(2), if size == 4 { column(3) } else { DVec3::ZERO }]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_math::{Vec3, vec3};

    fn of(tag: &str, attributes: &[(&str, &str)]) -> Result<Transform, String> {
        Transform::of_element(tag, |name| attributes.iter().find(|(n, _)| *n == name).map(|(_, v)| *v))
    }

    fn point(transform: Transform, p: Vec3) -> Vec3 {
        transform.to_affine().unwrap().transform_point3(p)
    }

    #[test]
    fn the_first_element_is_applied_first() {
        let scale = of("scale", &[("value", "2")]).unwrap();
        let translate = of("translate", &[("x", "1")]).unwrap();
        assert_eq!(point(scale.then(&translate), Vec3::ONE), vec3(3.0, 2.0, 2.0));
        assert_eq!(point(translate.then(&scale), Vec3::ONE), vec3(4.0, 2.0, 2.0));
    }

    /// Values of `mitsuba.ScalarTransform4f` [Jakob22].
    #[test]
    fn rotations_are_counter_clockwise_and_lookat_has_x_to_the_left() {
        let turn = of("rotate", &[("z", "1"), ("angle", "90")]).unwrap();
        assert!(point(turn, Vec3::X).abs_diff_eq(Vec3::Y, 1e-7));
        let axis = of("rotate", &[("value", "1 1 1"), ("angle", "-240")]).unwrap();
        assert!(point(axis, Vec3::X).abs_diff_eq(Vec3::Y, 1e-6));
        let view = of("lookat", &[("origin", "1,2,3"), ("target", "1 2 8"), ("up", "0 1 0")]).unwrap();
        assert_eq!(view.0, [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(1.0, 2.0, 3.0)]);
    }

    #[test]
    fn matrices_are_affine() {
        let m = of("matrix", &[("value", "1 0 0 4  0 2 0 5  0 0 3 6  0 0 0 1")]).unwrap();
        assert_eq!(point(m, Vec3::ONE), vec3(5.0, 7.0, 9.0));
        assert!(of("matrix", &[("value", "1 0 0 4  0 2 0 5  0 0 3 6  0 0 1 1")]).is_err());
        assert!(of("rotate", &[("angle", "4")]).is_err());
        assert!(of("lookat", &[("origin", "0 0 0"), ("target", "0 1 0"), ("up", "0 1 0")]).is_err());
    }
}
