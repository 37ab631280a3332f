//! Intersection of rays with shapes, in f64: rounding errors do not show for any ray or shape in f32.

use sunfleck_math::{Aabb, DMat3, DVec3, Mat3, Ray, Shape, UnitShape, Vec3};

use super::SlabRay;

/// Ray with precomputed values for box and shape tests.
#[derive(Clone, Copy)]
pub(crate) struct ShapeRay {
    pub(crate) slabs: SlabRay,
    pub(crate) t_near: f32,
    origin: DVec3,
    direction: DVec3,
    length_squared: f64,
    /// Reciprocal of `length_squared`.
    rlength_squared: f64,
}

impl ShapeRay {
    pub(crate) const UNSET: Self = Self {
        slabs: SlabRay { origin_near: [0.0; 3], origin_far: [0.0; 3], rdir: [0.0; 3], entered: [0; 3] },
        t_near: 0.0,
        origin: DVec3::ZERO,
        direction: DVec3::ZERO,
        length_squared: 0.0,
        rlength_squared: 0.0,
    };

    #[inline(always)]
    pub(crate) fn new(ray: &Ray, slabs: SlabRay) -> Self {
        let direction = ray.direction.as_dvec3();
        let length_squared = direction.dot(direction);
        Self {
            slabs,
            t_near: ray.t_near,
            origin: ray.origin.as_dvec3(),
            direction,
            length_squared,
            rlength_squared: 1.0 / length_squared,
        }
    }

    /// Returns the origin.
    #[inline(always)]
    pub(super) fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Returns the normals of two planes that contain the ray. They are perpendicular and have the same length.
    #[inline(always)]
    pub(super) fn planes(&self) -> [DVec3; 2] {
        let (d, a) = (self.direction, self.direction.abs());
        // Without the smallest coordinate
        let first = if a.x <= a.y && a.x <= a.z {
            DVec3::new(0.0, d.z, -d.y)
        } else if a.y <= a.z {
            DVec3::new(-d.z, 0.0, d.x)
        } else {
            DVec3::new(d.y, -d.x, 0.0)
        };
        [first, first.cross(d) * self.rlength_squared.sqrt()]
    }

    /// Returns the parameter of the point of the line that is nearest to a point.
    #[inline(always)]
    pub(super) fn parameter_of(&self, p: DVec3) -> f64 {
        (p - self.origin).dot(self.direction) * self.rlength_squared
    }

    /// Returns the vector from the centre of a sphere to the point of the ray at `t`.
    #[inline(always)]
    pub(crate) fn radius_at(&self, center: Vec3, t: f64) -> DVec3 {
        self.origin - center.as_dvec3() + self.direction * t
    }

    /// Returns a quarter of the discriminant of the intersection with four spheres; negative for those that the line of
    /// the ray misses [Haines19, ch. 7].
    ///
    /// It is computed from the distance between line and centre, which avoids cancellation for small, distant spheres.
    #[inline(always)]
    pub(crate) fn discriminants<const N: usize>(
        &self,
        center: &[[f32; N]; 3],
        radius: &[f32; N],
    ) -> [f64; N] {
        let mut discriminants = [0.0; N];
        for lane in 0..N {
            let f = [0, 1, 2].map(|axis| self.origin[axis] - f64::from(center[axis][lane]));
            let b = -(f[0] * self.direction.x + f[1] * self.direction.y + f[2] * self.direction.z);
            let t = b * self.rlength_squared;
            let [x, y, z] = [0, 1, 2].map(|axis| f[axis] + self.direction[axis] * t);
            let radius = f64::from(radius[lane]);
            discriminants[lane] = radius * radius - (x * x + y * y + z * z);
        }
        discriminants
    }

    /// Returns the parameters at which the line enters and exits a sphere with that discriminant, which is not negative.
    ///
    /// The root closer to the origin is computed from the other one.
    #[inline(always)]
    pub(crate) fn roots(&self, center: Vec3, radius: f32, discriminant: f64) -> [f64; 2] {
        let f = self.origin - center.as_dvec3();
        let b = -f.dot(self.direction);
        let root = (self.length_squared * discriminant).sqrt();
        let q = if b < 0.0 { b - root } else { b + root };
        // For an origin on the sphere and a tangent direction, both are zero.
        let c = f.dot(f) - f64::from(radius) * f64::from(radius);
        let near_zero = if q == 0.0 { 0.0 } else { c / q };
        let other = q * self.rlength_squared;
        if near_zero <= other { [near_zero, other] } else { [other, near_zero] }
    }
}

/// Shape other than a patch, prepared for intersection.
#[derive(Clone, Debug)]
pub(crate) struct PlacedShape {
    unit: UnitShape,
    /// Box around the shape; `t` of hits is clamped to it.
    pub(crate) bounds: Aabb,
    /// Transform from object to unit space.
    matrix: DMat3,
    translation: DVec3,
    /// −1 if normals are reversed.
    side: f64,
}

/// Point at which a ray crosses a shape.
#[derive(Clone, Copy)]
pub(crate) struct Crossing {
    pub(crate) t: f64,
    /// Location of the point; see [`UnitShape::location_of`].
    pub(crate) location: [f32; 2],
    /// Normal in object space, of any length.
    pub(crate) normal: DVec3,
}

impl PlacedShape {
    pub(crate) fn new(shape: &Shape) -> Self {
        let m = &shape.object_from_unit.matrix3;
        let matrix =
            DMat3::from_cols(m.x_axis.as_dvec3(), m.y_axis.as_dvec3(), m.z_axis.as_dvec3()).inverse();
        let translation = -(matrix * shape.object_from_unit.translation.as_dvec3());
        let side = if shape.flipped { -1.0 } else { 1.0 };
        Self { unit: shape.unit.clone(), bounds: shape.bounds(), matrix, translation, side }
    }

    /// Returns the surface in unit space, the origin of that space, and the linear part of the transform to it.
    pub(crate) fn unit_shape(&self) -> (UnitShape, Vec3, Mat3) {
        let center = -(self.matrix.inverse() * self.translation);
        (self.unit.clone(), center.as_vec3(), self.matrix.as_mat3())
    }

    /// Returns the points at which the line of a ray crosses the shape, in ascending order of `t`.
    #[inline]
    pub(crate) fn crossings(&self, ray: &ShapeRay) -> impl Iterator<Item = Crossing> {
        let (o, d) = (self.matrix * ray.origin + self.translation, self.matrix * ray.direction);
        let (unit, side, to_object) = (&self.unit, self.side, self.matrix.transpose());
        let ts = crossings(unit, o, d).into_iter().filter(|t| t.is_finite());
        ts.map(move |t| {
            let p = o + d * t;
            let location = unit.location_of(p).to_array();
            Crossing { t, location, normal: to_object * unit.normal_of(p) * side }
        })
    }
}

/// Returns the parameters at which a line crosses a shape in unit space, in ascending order; NaN or infinite for none.
fn crossings(unit: &UnitShape, o: DVec3, d: DVec3) -> [f64; 2] {
    const NONE: f64 = f64::NAN;
    match *unit {
        UnitShape::Sphere => {
            let b = o.dot(d);
            let a = d.dot(d);
            let closest = o - d * (b / a);
            quadratic(a, b, o.dot(o) - 1.0, a * (1.0 - closest.dot(closest)))
        }
        UnitShape::Disk { hole } => {
            let t = -o.z / d.z;
            let (x, y) = (o.x + d.x * t, o.y + d.y * t);
            let (squared, hole) = (x * x + y * y, f64::from(hole));
            [if squared <= 1.0 && squared >= hole * hole { t } else { NONE }, NONE]
        }
        UnitShape::Rectangle => {
            let t = -o.z / d.z;
            let (x, y) = (o.x + d.x * t, o.y + d.y * t);
            [if x.abs() <= 1.0 && y.abs() <= 1.0 { t } else { NONE }, NONE]
        }
        UnitShape::Cylinder => {
            let a = d.x * d.x + d.y * d.y;
            let b = o.x * d.x + o.y * d.y;
            let (x, y) = (o.x - d.x * (b / a), o.y - d.y * (b / a));
            let roots = quadratic(a, b, o.x * o.x + o.y * o.y - 1.0, a * (1.0 - x * x - y * y));
            roots.map(|t| if (0.0..=1.0).contains(&(o.z + d.z * t)) { t } else { NONE })
        }
        UnitShape::Cone { top } => {
            // x² + y² = w² with w = 1 + (top - 1) z
            let slope = f64::from(top) - 1.0;
            let (w, dw) = (1.0 + slope * o.z, slope * d.z);
            let a = d.x * d.x + d.y * d.y - dw * dw;
            let b = o.x * d.x + o.y * d.y - w * dw;
            let c = o.x * o.x + o.y * o.y - w * w;
            let roots = quadratic(a, b, c, b * b - a * c);
            roots.map(|t| if (0.0..=1.0).contains(&(o.z + d.z * t)) { t } else { NONE })
        }
        UnitShape::Cube => {
            let (mut enter, mut exit) = (f64::NEG_INFINITY, f64::INFINITY);
            for axis in 0..3 {
                if d[axis] == 0.0 {
                    if o[axis].abs() > 1.0 {
                        return [NONE; 2];
                    }
                    continue;
                }
                let (a, b) = ((-1.0 - o[axis]) / d[axis], (1.0 - o[axis]) / d[axis]);
                (enter, exit) = (enter.max(a.min(b)), exit.min(a.max(b)));
            }
            if enter <= exit { [enter, exit] } else { [NONE; 2] }
        }
        // Divided into pieces
        UnitShape::Patch(_) => [NONE; 2],
    }
}

/// Returns the roots of `a t² + 2 b t + c` in ascending order, given `b² - a c`.
fn quadratic(a: f64, b: f64, c: f64, discriminant: f64) -> [f64; 2] {
    if discriminant < 0.0 || discriminant.is_nan() {
        return [f64::NAN; 2];
    }
    let root = discriminant.sqrt();
    let q = if b < 0.0 { root - b } else { -root - b };
    let (s, t) = (q / a, if q == 0.0 && a != 0.0 { 0.0 } else { c / q });
    // For a line along the side of a cone, a is 0 and one of the roots is infinite; both are if it runs beside the cone.
    if s <= t { [s, t] } else { [t, s] }
}
