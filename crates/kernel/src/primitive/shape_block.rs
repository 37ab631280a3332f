//! Blocks of four shapes, the items of leaves.

use sunfleck_math::{Aabb, DVec3, Mat3, Shape, UnitShape, Vec3, vec3};

use super::shape::{Crossing, PlacedShape, ShapeRay};
use super::{Candidate, LANES, UNUSED};

/// Block of up to four shapes. Round spheres are tested together; others are elsewhere.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct ShapeBlock {
    /// Centres of round spheres: `[axis][lane]`.
    center: [[f32; LANES]; 3],
    /// Radii of round spheres; NaN in other lanes.
    radius: [f32; LANES],
    /// Index of each shape in its geometry; [`UNUSED`] in unused lanes.
    pub(crate) prim_ids: [u32; LANES],
    /// Index of each shape that is not a round sphere in the list of these; [`UNUSED`] in other lanes.
    placed: [u32; LANES],
}

/// Returns centre and radius of a sphere whose normals point outwards, which need not be an ellipsoid.
fn round_sphere(shape: &Shape) -> Option<(Vec3, f32)> {
    let m = &shape.object_from_unit.matrix3;
    let radius = m.x_axis.x;
    let is_round = *m == Mat3::from_diagonal(Vec3::splat(radius)) && radius > 0.0;
    (shape.unit == UnitShape::Sphere && is_round && !shape.flipped)
        .then_some((shape.object_from_unit.translation, radius))
}

impl ShapeBlock {
    /// Creates a block of 1 to [`LANES`] shapes. Shapes that are not round spheres are added to `placed`.
    pub(crate) fn new(prims: &[u32], shapes: &[Shape], placed: &mut Vec<PlacedShape>) -> Self {
        let mut block = Self {
            center: [[0.0; LANES]; 3],
            radius: [f32::NAN; LANES],
            prim_ids: [UNUSED; LANES],
            placed: [UNUSED; LANES],
        };
        for (lane, &prim) in prims.iter().enumerate().take(LANES) {
            block.prim_ids[lane] = prim;
            let shape = &shapes[prim as usize];
            match round_sphere(shape) {
                Some((center, radius)) => {
                    (0..3).for_each(|axis| block.center[axis][lane] = center[axis]);
                    block.radius[lane] = radius;
                }
                None => {
                    block.placed[lane] = u32::try_from(placed.len()).unwrap_or(UNUSED);
                    placed.push(PlacedShape::new(shape));
                }
            }
        }
        block
    }

    /// Returns the box around the shapes.
    pub(crate) fn bounds(&self, placed: &[PlacedShape]) -> Aabb {
        let lanes = (0..LANES).filter(|&lane| self.prim_ids[lane] != UNUSED);
        lanes.fold(Aabb::EMPTY, |bounds, lane| bounds.union(self.bounds_of(lane, placed)))
    }

    #[inline(always)]
    fn center(&self, lane: usize) -> Vec3 {
        vec3(self.center[0][lane], self.center[1][lane], self.center[2][lane])
    }

    /// Returns the shape of a lane: its surface in unit space, the origin of that space, and the linear part of the
    /// transform to it.
    pub(crate) fn unit_shape(&self, lane: usize, placed: &[PlacedShape]) -> (UnitShape, Vec3, Mat3) {
        match placed.get(self.placed[lane] as usize) {
            Some(placed) => placed.unit_shape(),
            None => {
                let scale = Mat3::from_diagonal(Vec3::splat(1.0 / self.radius[lane]));
                (UnitShape::Sphere, self.center(lane), scale)
            }
        }
    }

    #[inline(always)]
    pub(crate) fn bounds_of(&self, lane: usize, placed: &[PlacedShape]) -> Aabb {
        match placed.get(self.placed[lane] as usize) {
            Some(placed) => placed.bounds,
            None => sphere_bounds(self.center(lane), self.radius[lane]),
        }
    }

    /// Calls `on_hit` with lane, candidate and normal for hits in `[t_near, t_far]`. Hits of one shape come in ascending
    /// order of `t`; if `on_hit` returns true, the rest of them is skipped.
    #[inline(always)]
    pub(crate) fn test(
        &self,
        placed: &[PlacedShape],
        ray: &ShapeRay,
        t_far: f32,
        mut on_hit: impl FnMut(usize, Candidate, DVec3) -> bool,
    ) {
        let discriminants = ray.discriminants(&self.center, &self.radius);
        for (lane, discriminant) in discriminants.into_iter().enumerate() {
            // NaN for lanes without a round sphere
            if discriminant >= 0.0 {
                let (center, radius) = (self.center(lane), self.radius[lane]);
                let bounds = sphere_bounds(center, radius);
                let roots = ray.roots(center, radius, discriminant).into_iter();
                let crossings = roots.map(|t| {
                    let normal = ray.radius_at(center, t);
                    Crossing { t, location: UnitShape::Sphere.location_of(normal).to_array(), normal }
                });
                report(lane, &bounds, ray, t_far, crossings, &mut on_hit);
            } else if let Some(shape) = placed.get(self.placed[lane] as usize) {
                report(lane, &shape.bounds, ray, t_far, shape.crossings(ray), &mut on_hit);
            }
        }
    }
}

/// Reports the crossings of a shape that are in the interval of the ray.
#[inline(always)]
fn report(
    lane: usize,
    bounds: &Aabb,
    ray: &ShapeRay,
    t_far: f32,
    crossings: impl Iterator<Item = Crossing>,
    on_hit: &mut impl FnMut(usize, Candidate, DVec3) -> bool,
) {
    let Some((entry, exit)) = ray.slabs.interval(bounds) else { return };
    for Crossing { t, location: [u, v], normal } in crossings {
        #[allow(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
        let t = (t as f32).max(entry).min(exit);
        if t >= ray.t_near && t <= t_far && on_hit(lane, Candidate { t, u, v }, normal) {
            return;
        }
    }
}

/// Returns the box around a sphere.
#[inline(always)]
fn sphere_bounds(center: Vec3, radius: f32) -> Aabb {
    Aabb { min: center - radius + Vec3::ZERO, max: center + radius + Vec3::ZERO }
}
