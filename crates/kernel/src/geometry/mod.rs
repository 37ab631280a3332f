//! Kinds of geometry that instances refer to, and the interface of bottom-level structures.

pub(crate) mod instance;
mod rebraid;
mod shapes;
mod tlas;
mod triangles;
mod user;

use std::ops::Range;
use std::sync::Arc;

use fearless_simd::{Fallback, Simd};
use sunfleck_math::{Aabb, DVec3, Ray};

use crate::blas::Blas;
use crate::builder::{self, BuildSettings, PrimRef};
use crate::error::ValidateError;
use crate::layout::{self, Bvh8, ChildRef};
use crate::primitive::Candidate;
use crate::primitive::SlabRay;
use crate::stats::SkippedPrimitives;
pub use instance::Instance;
pub(crate) use rebraid::open_largest;
pub use shapes::Shapes;
pub use tlas::Tlas;
pub use user::{UserGeometry, UserHit, UserPrimitives};

/// Geometry of an instance. It is shared, so cloning it is cheap.
#[derive(Clone, Debug)]
pub enum Geometry {
    /// A triangle mesh.
    Triangles(Arc<Blas>),
    /// A set of shapes.
    Shapes(Arc<Shapes>),
    /// Primitives that the caller intersects.
    User(Arc<UserGeometry>),
    /// A group of instances; groups may be nested up to [`MAX_LEVELS`](crate::MAX_LEVELS) levels deep.
    Group(Arc<Tlas>),
}

impl Geometry {
    /// Returns the box around everything that can be hit, in object space; empty if nothing can.
    pub fn bounds(&self) -> Aabb {
        match self {
            Self::Triangles(blas) => blas.bounds(),
            Self::Shapes(shapes) => shapes.bounds(),
            Self::User(user) => user.bounds(),
            Self::Group(group) => group.bounds(),
        }
    }

    /// Returns the memory of the tree and its primitives in bytes; for a group, without the geometries in it.
    pub fn memory_bytes(&self) -> usize {
        match self {
            Self::Triangles(blas) => blas.memory_bytes(),
            Self::Shapes(shapes) => shapes.memory_bytes(),
            Self::User(user) => user.memory_bytes(),
            Self::Group(group) => group.memory_bytes(),
        }
    }

    /// Returns whether both are one shared geometry.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Triangles(a), Self::Triangles(b)) => Arc::ptr_eq(a, b),
            (Self::Shapes(a), Self::Shapes(b)) => Arc::ptr_eq(a, b),
            (Self::User(a), Self::User(b)) => Arc::ptr_eq(a, b),
            (Self::Group(a), Self::Group(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Returns the number of levels of instances inside the geometry.
    pub(crate) fn levels(&self) -> usize {
        match self {
            Self::Group(group) => group.levels(),
            _ => 0,
        }
    }

    /// Returns the largest condition of a group; see [`Placement::new`](crate::geometry::instance::Placement::new).
    pub(crate) fn condition(&self) -> f32 {
        match self {
            Self::Group(group) => group.condition(),
            _ => 0.0,
        }
    }
}

/// Implements `From` for an owned and for a shared geometry.
macro_rules! from {
    ($($kind:ident($from:ty)),*) => {$(
        impl From<Arc<$from>> for Geometry {
            fn from(geometry: Arc<$from>) -> Self {
                Self::$kind(geometry)
            }
        }

        impl From<$from> for Geometry {
            fn from(geometry: $from) -> Self {
                Self::$kind(Arc::new(geometry))
            }
        }
    )*};
}

from!(Triangles(Blas), Shapes(Shapes), User(UserGeometry), Group(Tlas));

/// Primitives under an eight-wide tree.
///
/// For hits to be independent of the traversal order, `t` of each hit must be inside the interval in which the ray is
/// in the primitive's box, as [`SlabRay::interval`] computes it; see [`crate::primitive`].
pub(crate) trait BottomLevel {
    /// Ray with precomputed values for box and primitive tests.
    type Ray;
    /// Data of a hit from which its normal is computed.
    type NormalData: Copy;

    fn bvh(&self) -> &Bvh8;

    /// Returns the number of items in leaves.
    fn item_count(&self) -> usize;

    /// Prepares a ray; `None` if it cannot hit anything by definition, see [`Tlas`].
    fn prepare(&self, ray: &Ray) -> Option<Self::Ray>;

    fn slabs(ray: &Self::Ray) -> &SlabRay;

    /// Calls `on_hit` with candidate, primitive index and normal data for hits of a leaf item in `[t_near, t_far]`.
    ///
    /// Hits of one primitive come in ascending order of `t`. If `on_hit` returns true, the rest of them is skipped.
    fn test<S: Simd>(
        &self,
        simd: S,
        item: usize,
        ray: &Self::Ray,
        t_far: f32,
        on_hit: impl FnMut(Candidate, u32, Self::NormalData) -> bool,
    );

    /// Reference implementation of [`test`](Self::test) without SIMD; finds hits with the same bits.
    ///
    /// The default is for primitives whose test does not use SIMD itself.
    fn test_scalar(
        &self,
        item: usize,
        ray: &Self::Ray,
        t_far: f32,
        on_hit: &mut dyn FnMut(Candidate, u32, Self::NormalData) -> bool,
    ) {
        self.test(Fallback::new(), item, ray, t_far, on_hit);
    }

    /// Returns the geometric normal in object space, not normalised.
    fn normal(&self, data: Self::NormalData) -> DVec3;
}

impl SlabRay {
    /// Returns the interval in which the ray is inside a box, by the formula of the slab test; `None` if it misses.
    #[inline(always)]
    pub(crate) fn interval(&self, bounds: &Aabb) -> Option<(f32, f32)> {
        let (mut entry, mut exit) = (f32::NEG_INFINITY, f32::INFINITY);
        for axis in 0..3 {
            let (low, high) = (bounds.min[axis], bounds.max[axis]);
            let (near, far) = if self.entered[axis] == 0 { (low, high) } else { (high, low) };
            entry = max(entry, (near - self.origin_near[axis]) * self.rdir[axis]);
            exit = min(exit, (far - self.origin_far[axis]) * self.rdir[axis]);
        }
        (entry <= exit).then_some((entry, exit))
    }
}

/// Returns `b` if it is smaller, else `a`. Unlike [`f32::min`], the result has the same bits for signed zeros
/// everywhere.
#[inline(always)]
fn min(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// Returns `b` if it is larger, else `a`.
#[inline(always)]
fn max(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// Builds a tree whose leaf items are primitives, and returns it with the primitives in the order of leaves.
pub(crate) fn build_tree(refs: &mut [PrimRef], settings: &BuildSettings) -> (Bvh8, Vec<u32>) {
    let bvh2 = builder::build(refs, settings);
    let mut order: Vec<u32> = Vec::with_capacity(refs.len());
    let mut bvh = layout::collapse(&bvh2, &mut |prims| {
        let index = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        let first = index(order.len());
        order.extend_from_slice(prims);
        ChildRef::leaf(first, index(prims.len()))
    });
    bvh.set_orders(bvh2.parallel, None);
    (bvh, order)
}

/// Checks a tree made by [`build_tree`]; see [`Blas::validate`].
///
/// * `items` — primitives in the order of leaves.
/// * `bounds` — returns the box around a range of items; `None` if it is out of range.
/// * `count` — number of primitives, including skipped ones.
pub(crate) fn validate_tree(
    bvh: &Bvh8,
    items: impl Iterator<Item = u32>,
    bounds: &dyn Fn(Range<usize>) -> Option<Aabb>,
    count: usize,
    skipped: SkippedPrimitives,
) -> Result<(), ValidateError> {
    bvh.validate(bounds)?;
    let known = u32::try_from(count).unwrap_or(u32::MAX);
    let mut times = vec![0u32; count];
    for prim in items {
        *times.get_mut(prim as usize).ok_or(ValidateError::UnknownPrimitive { prim, count: known })? += 1;
    }
    let missing = times.iter().filter(|&&t| t == 0).count();
    let SkippedPrimitives { non_finite, degenerate, empty } = skipped;
    let wrong =
        (0..).zip(&times).find(|&(_, &t)| t > 1 || t == 0 && missing != non_finite + degenerate + empty);
    wrong.map_or(Ok(()), |(prim, &times)| Err(ValidateError::WrongReferences { prim, times, expected: 1 }))
}
