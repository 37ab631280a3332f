//! Blocks of four shapes, the items of leaves.

use sunfleck_math::{Aabb, DVec3, Mat3, Shape, UnitShape, Vec3, vec3};

use super::patch::PatchPiece;
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
    /// Index of each shape that is not a round sphere in one of the lists, with the bit [`PIECE`] in that of pieces;
    /// [`UNUSED`] in other lanes.
    listed: [u32; LANES],
}

/// Bit that marks an index of [`ShapeLists::pieces`].
const PIECE: u32 = 1 << 31;

/// Shapes that are not round spheres, in the order of leaves.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShapeLists {
    /// Whole shapes.
    pub(crate) placed: Vec<PlacedShape>,
    /// Pieces of patches.
    pub(crate) pieces: Vec<PatchPiece>,
}

/// Entry of a list.
pub(crate) enum Listed<'a> {
    Placed(&'a PlacedShape),
    Piece(&'a PatchPiece),
}

impl ShapeLists {
    #[inline(always)]
    fn get(&self, index: u32) -> Option<Listed<'_>> {
        match index & PIECE {
            0 => self.placed.get(index as usize).map(Listed::Placed),
            _ => self.pieces.get((index & !PIECE) as usize).map(Listed::Piece),
        }
    }

    /// Returns the memory of the lists in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.placed) + size_of_val(&*self.pieces)
    }
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
    /// Creates a block of 1 to [`LANES`] shapes or pieces of patches. Those that are not round spheres are added to
    /// `lists`.
    ///
    /// * `items` — indices of shapes; those of pieces begin at the number of shapes.
    pub(crate) fn new(
        items: &[u32],
        shapes: &[Shape],
        pieces: &[PatchPiece],
        lists: &mut ShapeLists,
    ) -> Self {
        let mut block = Self {
            center: [[0.0; LANES]; 3],
            radius: [f32::NAN; LANES],
            prim_ids: [UNUSED; LANES],
            listed: [UNUSED; LANES],
        };
        let index = |i: usize| u32::try_from(i).unwrap_or(UNUSED);
        for (lane, &item) in items.iter().enumerate().take(LANES) {
            let Some(shape) = shapes.get(item as usize) else {
                let piece = &pieces[item as usize - shapes.len()];
                block.prim_ids[lane] = piece.prim;
                block.listed[lane] = PIECE | index(lists.pieces.len());
                lists.pieces.push(piece.clone());
                continue;
            };
            block.prim_ids[lane] = item;
            match round_sphere(shape) {
                Some((center, radius)) => {
                    (0..3).for_each(|axis| block.center[axis][lane] = center[axis]);
                    block.radius[lane] = radius;
                }
                None => {
                    block.listed[lane] = index(lists.placed.len());
                    lists.placed.push(PlacedShape::new(shape));
                }
            }
        }
        block
    }

    /// Returns the box around the shapes.
    pub(crate) fn bounds(&self, lists: &ShapeLists) -> Aabb {
        let lanes = (0..LANES).filter(|&lane| self.prim_ids[lane] != UNUSED);
        lanes.fold(Aabb::EMPTY, |bounds, lane| bounds.union(self.bounds_of(lane, lists)))
    }

    #[inline(always)]
    fn center(&self, lane: usize) -> Vec3 {
        vec3(self.center[0][lane], self.center[1][lane], self.center[2][lane])
    }

    /// Returns the shape of a lane: its surface in unit space, the origin of that space, and the linear part of the
    /// transform to it.
    pub(crate) fn unit_shape(&self, lane: usize, lists: &ShapeLists) -> (UnitShape, Vec3, Mat3) {
        match lists.get(self.listed[lane]) {
            Some(Listed::Placed(placed)) => placed.unit_shape(),
            _ => {
                let scale = Mat3::from_diagonal(Vec3::splat(1.0 / self.radius[lane]));
                (UnitShape::Sphere, self.center(lane), scale)
            }
        }
    }

    #[inline(always)]
    pub(crate) fn bounds_of(&self, lane: usize, lists: &ShapeLists) -> Aabb {
        match lists.get(self.listed[lane]) {
            Some(Listed::Placed(placed)) => placed.bounds,
            Some(Listed::Piece(piece)) => piece.bounds,
            None => sphere_bounds(self.center(lane), self.radius[lane]),
        }
    }

    /// Returns the piece of a patch in a lane, if there is one.
    pub(crate) fn piece<'a>(&self, lane: usize, lists: &'a ShapeLists) -> Option<&'a PatchPiece> {
        match lists.get(self.listed[lane]) {
            Some(Listed::Piece(piece)) => Some(piece),
            _ => None,
        }
    }

    /// Calls `on_hit` with lane, candidate and normal for hits in `[t_near, t_far]`. Hits of one shape come in ascending
    /// order of `t`; if `on_hit` returns true, the rest of them is skipped.
    #[inline(always)]
    pub(crate) fn test(
        &self,
        lists: &ShapeLists,
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
                report(lane, &bounds, ray, t_far, &mut on_hit, || {
                    ray.roots(center, radius, discriminant).into_iter().map(|t| {
                        let normal = ray.radius_at(center, t);
                        Crossing { t, location: UnitShape::Sphere.location_of(normal).to_array(), normal }
                    })
                });
            } else {
                match lists.get(self.listed[lane]) {
                    Some(Listed::Placed(shape)) => {
                        report(lane, &shape.bounds, ray, t_far, &mut on_hit, || shape.crossings(ray));
                    }
                    Some(Listed::Piece(piece)) => {
                        report(lane, &piece.bounds, ray, t_far, &mut on_hit, || piece.crossings(ray));
                    }
                    None => {}
                }
            }
        }
    }
}

/// Reports the crossings of a shape that are in the interval of the ray, unless the ray misses its box there.
#[inline(always)]
fn report<I: IntoIterator<Item = Crossing>>(
    lane: usize,
    bounds: &Aabb,
    ray: &ShapeRay,
    t_far: f32,
    on_hit: &mut impl FnMut(usize, Candidate, DVec3) -> bool,
    crossings: impl FnOnce() -> I,
) {
    let Some((entry, exit)) = ray.slabs.interval(bounds) else { return };
    if !(exit >= ray.t_near && entry <= t_far) {
        return;
    }
    for Crossing { t, location: [u, v], normal } in crossings() {
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
