//! Two numbers that locate a point on a shape, without elementary functions, which a hit carries as `u` and `v`.

use glam::{DVec3, Vec2, Vec3, vec2, vec3};

use super::UnitShape;

impl UnitShape {
    /// Returns the location of a point on the surface, in unit space: an octahedral direction on a sphere
    /// [Cigolle14, octahedral map], x and y on a disk or a rectangle, the angle and z on a cylinder or a cone, and on a
    /// cube x and y of a side and its number. On a patch it is (u, v) of the nearest point, which takes a search; hits
    /// have it already.
    ///
    /// Points beside the surface have the location of a point near them.
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
    pub fn location_of(&self, p: DVec3) -> Vec2 {
        match self {
            Self::Sphere => {
                let n = p / (p.x.abs() + p.y.abs() + p.z.abs()).max(f64::MIN_POSITIVE);
                let folded = |a: f64, b: f64| (1.0 - b.abs()) * 1f64.copysign(a);
                let (x, y) = if n.z < 0.0 { (folded(n.x, n.y), folded(n.y, n.x)) } else { (n.x, n.y) };
                vec2(x as f32, y as f32)
            }
            Self::Disk { .. } | Self::Rectangle => vec2(p.x as f32, p.y as f32),
            Self::Cylinder | Self::Cone { .. } => vec2(diamond_angle(p.x, p.y), p.z as f32),
            Self::Cube => {
                let axis = axis_of_side(p);
                let side = 2.0 * axis as f32 + if p[axis] < 0.0 { 1.0 } else { 0.0 };
                let (s, t) = (p[(axis + 1) % 3] as f32, p[(axis + 2) % 3] as f32);
                // Sides are three apart, so that the ends of one are not those of another.
                vec2(3.0 * side + s.clamp(-1.0, 1.0), t)
            }
            Self::Patch(patch) => patch.location_of(p),
        }
    }

    /// Returns the normal at a point on the surface, in unit space, of any length.
    #[inline]
    pub fn normal_of(&self, p: DVec3) -> DVec3 {
        match self {
            Self::Sphere => p,
            Self::Disk { .. } | Self::Rectangle => DVec3::Z,
            Self::Cylinder => DVec3::new(p.x, p.y, 0.0),
            Self::Cone { top } => {
                let radius = (p.x * p.x + p.y * p.y).sqrt();
                // An apex has no normal.
                if radius > 0.0 { DVec3::new(p.x, p.y, radius * f64::from(1.0 - *top)) } else { DVec3::Z }
            }
            Self::Cube => {
                let axis = axis_of_side(p);
                let mut normal = DVec3::ZERO;
                normal[axis] = p[axis];
                normal
            }
            Self::Patch(patch) => patch.at(patch.location_of(p)).normal.as_dvec3(),
        }
    }

    /// Returns the point of a location, and the unit normal there, in unit space.
    #[inline]
    pub(super) fn at(&self, location: Vec2) -> (Vec3, Vec3) {
        let Vec2 { x: u, y: v } = location;
        match self {
            Self::Sphere => {
                let z = 1.0 - u.abs() - v.abs();
                let fold = (-z).max(0.0);
                let n = vec3(u - fold.copysign(u), v - fold.copysign(v), z).normalize_or(Vec3::Z);
                (n, n)
            }
            Self::Disk { .. } | Self::Rectangle => (vec3(u, v, 0.0), Vec3::Z),
            Self::Cylinder => {
                let radial = direction_of_diamond(u);
                (radial.extend(v), radial.extend(0.0))
            }
            Self::Cone { top } => {
                let radial = direction_of_diamond(u);
                let radius = 1.0 + (*top - 1.0) * v;
                ((radial * radius).extend(v), radial.extend(1.0 - *top).normalize_or(Vec3::Z))
            }
            Self::Cube => {
                let side = (u / 3.0).round().clamp(0.0, 5.0);
                let sign = if side % 2.0 == 1.0 { -1.0 } else { 1.0 };
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 2")]
                let axis = (side * 0.5) as usize;
                let (mut p, mut n) = (Vec3::ZERO, Vec3::ZERO);
                (p[axis], n[axis]) = (sign, sign);
                (p[(axis + 1) % 3], p[(axis + 2) % 3]) = (u - 3.0 * side, v);
                (p, n)
            }
            Self::Patch(patch) => {
                let point = patch.at(location);
                (point.position, point.normal)
            }
        }
    }
}

/// Returns the axis of the side of the cube on which a point lies.
#[inline]
fn axis_of_side(p: DVec3) -> usize {
    let a = p.abs();
    if a.x >= a.y && a.x >= a.z { 0 } else { 1 + usize::from(a.z > a.y) }
}

/// Returns the angle of a point about the origin in "diamonds", a monotone stand-in for it in [0, 4): the length of the
/// way on the square |x| + |y| = 1 from (1, 0).
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
fn diamond_angle(x: f64, y: f64) -> f32 {
    let sum = x.abs() + y.abs();
    if sum == 0.0 {
        return 0.0;
    }
    let angle = match (x >= 0.0, y >= 0.0) {
        (true, true) => y / sum,
        (false, true) => 2.0 - y / sum,
        (false, false) => 2.0 - y / sum,
        (true, false) => 4.0 + y / sum,
    };
    angle as f32
}

/// Inverse of [`diamond_angle`]: the unit vector of an angle.
#[inline]
fn direction_of_diamond(angle: f32) -> Vec2 {
    let x = (angle - 2.0).abs() - 1.0;
    let y = if angle > 2.0 { (angle - 3.0).abs() - 1.0 } else { 1.0 - (angle - 1.0).abs() };
    vec2(x, y).normalize_or(Vec2::X)
}
