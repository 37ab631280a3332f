//! Precomputed ray for the slab test of boxes.

use sunfleck_math::{Aabb, Vec3, float::gamma};

/// Range of the largest component of a direction; directions outside of it count as zero or infinite. Inside,
/// reciprocals of components that are not [`PARALLEL`] are normal numbers.
pub(crate) const DIRECTION_RANGE: std::ops::RangeInclusive<f32> = 1.3e-26..=4.2e37; // about 2^-86 ..= 2^125

/// Fraction of the largest component below which the ray counts as parallel to the planes of an axis; the error is far
/// below what the padding covers.
pub(crate) const PARALLEL: f32 = 9.1e-13; // about 2^-40

/// Returns the axis of the largest component of a direction; `None` if rays with this direction hit nothing by
/// definition.
#[inline(always)]
pub(crate) fn major_axis(direction: Vec3) -> Option<usize> {
    let [x, y, z] = direction.abs().to_array();
    let axis = if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
    };
    let in_range = DIRECTION_RANGE.contains(&direction[axis].abs());
    (in_range && direction.is_finite()).then_some(axis)
}

/// Precomputed ray for the slab test, which is conservative by construction.
///
/// Entry planes are tested from an origin moved forward by a padding, exit planes from one moved backward, as in
/// [Woop13, §3.3]. Unlike in the paper, one padding covers the rounding errors of the triangle test and of the slab
/// test itself, so that reciprocals need no widening and negative `t` are correct, too. It is 32 ε of the distances
/// involved, where 31 ε suffice; ε is half of [`f32::EPSILON`]. The results are monotone in the planes: a box inside
/// another one never has an earlier entry or a later exit. The interval of a triangle's own box is therefore inside
/// those of its ancestors (see [`crate::primitive`]).
///
/// There are no NaNs, since origins and reciprocals are finite. Along an axis to whose planes the ray is parallel,
/// [`f32::MAX`] times the padding is farther away than any hit. (A plane exactly at the moved origin gives 0; it is
/// outside of the padding, so either result is correct.)
#[derive(Clone, Copy)]
pub(crate) struct SlabRay {
    /// Origin for entry planes.
    pub(crate) origin_near: [f32; 3],
    /// Origin for exit planes.
    pub(crate) origin_far: [f32; 3],
    /// Reciprocal of the direction; [`f32::MAX`] with the direction's sign if parallel.
    pub(crate) rdir: [f32; 3],
    /// Index of the plane through which the ray enters a box, along each axis: 1 if the direction is negative, else 0.
    pub(crate) entered: [usize; 3],
}

impl SlabRay {
    /// Creates a ray; `padding` is the distance along each axis by which boxes are enlarged.
    #[inline(always)]
    pub(crate) fn new(origin: Vec3, direction: Vec3, major: usize, padding: [f32; 3]) -> Self {
        let parallel = direction[major].abs() * PARALLEL;
        let mut ray = Self { origin_near: [0.0; 3], origin_far: [0.0; 3], rdir: [0.0; 3], entered: [0; 3] };
        for axis in 0..3 {
            let (o, d) = (origin[axis], direction[axis]);
            // At least one rounding step, also if the origin is far away from the box
            let padding = padding[axis] + o.abs() * f32::EPSILON;
            let (below, above) = ((o - padding).max(-f32::MAX), (o + padding).min(f32::MAX));
            let negative = d.is_sign_negative();
            ray.rdir[axis] = if d.abs() <= parallel { f32::MAX.copysign(d) } else { 1.0 / d };
            ray.entered[axis] = usize::from(negative);
            (ray.origin_near[axis], ray.origin_far[axis]) =
                if negative { (below, above) } else { (above, below) };
        }
        ray
    }

    /// Creates a ray for tests against triangles inside `bounds`.
    #[inline(always)]
    pub(crate) fn for_triangles(origin: Vec3, direction: Vec3, major: usize, bounds: &Aabb) -> Self {
        // `reach` is the distance per axis to the farthest vertex. The error of the sheared coordinates of the triangle
        // test is at most 2 ε of it plus 4 ε along the major axis, that of the slab test 3.2 ε; and that of `t`, whose
        // barycentric coordinates have a relative error of 8 ε, is 26 ε along the major axis.
        let reach = (bounds.min - origin).abs().max((bounds.max - origin).abs());
        let padding = (reach + reach[major]) * gamma(32);
        Self::new(origin, direction, major, padding.to_array())
    }
}
