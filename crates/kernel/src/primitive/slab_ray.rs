use sunfleck_math::{Aabb, Vec3, float::gamma};

/// Directions whose largest component is outside count as zero or infinite. Inside, reciprocals of components that are
/// not parallel are normal numbers.
pub(crate) const DIRECTION_RANGE: std::ops::RangeInclusive<f32> = 1.3e-26..=4.2e37; // about 2^-86 ..= 2^125

/// A component below this fraction of the largest one counts as parallel: far below what the padding covers.
pub(crate) const PARALLEL: f32 = 9.1e-13; // about 2^-40

/// The axis along which a direction is longest, or none when a ray cannot have this direction.
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

/// A ray as the slab test wants it: conservative by construction.
///
/// Entry planes are tested from an origin moved forward by a padding, exit planes from one moved backward, as in
/// [Woop13, §3.3]. Unlike there, one padding (32 ε of the distances involved, where 31 ε suffice; ε is half of [`f32::EPSILON`]) covers the rounding
/// of the triangle test and of the slab test itself, so that reciprocals need no widening and negative `t` are right
/// too. The results are monotone in the planes: a box inside another never has an earlier entry or a later exit. A
/// triangle's own box therefore bounds what its ancestors compute (see [`crate::primitive`]).
///
/// There are no NaNs, since origins and reciprocals are finite: along an axis that the ray is parallel to, [`f32::MAX`] times the
/// padding is farther away than any hit. (A plane exactly at the moved origin gives 0; it is outside the padding, so
/// both answers are right.)
#[derive(Clone, Copy)]
pub(crate) struct SlabRay {
    /// Origin for entry planes.
    pub(crate) origin_near: [f32; 3],
    /// Origin for exit planes.
    pub(crate) origin_far: [f32; 3],
    /// Reciprocal of the direction; [`f32::MAX`] with the direction's sign where parallel.
    pub(crate) rdir: [f32; 3],
    /// 1 where the direction is negative: which of a box's two planes is entered.
    pub(crate) entered: [usize; 3],
}

impl SlabRay {
    /// `padding` is the absolute distance per axis by which boxes have to grow.
    #[inline(always)]
    pub(crate) fn new(origin: Vec3, direction: Vec3, major: usize, padding: [f32; 3]) -> Self {
        let parallel = direction[major].abs() * PARALLEL;
        let mut ray = Self { origin_near: [0.0; 3], origin_far: [0.0; 3], rdir: [0.0; 3], entered: [0; 3] };
        for axis in 0..3 {
            let (o, d) = (origin[axis], direction[axis]);
            // At least one step of rounding, also where the origin is far away from the box
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

    /// For rays against triangles inside `bounds`.
    #[inline(always)]
    pub(crate) fn for_triangles(origin: Vec3, direction: Vec3, major: usize, bounds: &Aabb) -> Self {
        // Distance per axis to the farthest vertex: the sheared coordinates of the triangle test are off by at most
        // 2 ε of it plus 4 ε along the major axis, the slab test by 3.2 ε; and `t`, whose barycentric coordinates are
        // correct to 8 ε of themselves, by 26 ε along the major axis.
        let reach = (bounds.min - origin).abs().max((bounds.max - origin).abs());
        let padding = (reach + reach[major]) * gamma(32);
        Self::new(origin, direction, major, padding.to_array())
    }
}
