//! Kinds of geometry: what an instance may place.

pub(crate) mod instance;
mod open;
mod spheres;
mod tlas;
mod triangles;
mod user;

use std::ops::Range;
use std::sync::Arc;

use fearless_simd::Simd;
use sunfleck_math::{Aabb, DVec3, Ray};

use crate::blas::Blas;
use crate::builder::{self, PrimRef, Settings};
use crate::error::ValidateError;
use crate::layout::{self, Bvh8, ChildRef};
use crate::primitive::Candidate;
use crate::primitive::SlabRay;
use crate::stats::SkippedPrimitives;
pub use instance::Instance;
pub(crate) use open::cut;
pub use spheres::{Sphere, Spheres};
pub use tlas::Tlas;
pub use user::{UserGeometry, UserHit, UserPrimitives};

/// What an instance places in the world. Cheap to clone: geometry is shared.
#[derive(Clone, Debug)]
pub enum Geometry {
    /// A triangle mesh.
    Triangles(Arc<Blas>),
    /// Spheres.
    Spheres(Arc<Spheres>),
    /// Whatever the caller can intersect.
    User(Arc<UserGeometry>),
    /// Instances again: a world within the world, up to [`MAX_LEVELS`](crate::MAX_LEVELS) deep.
    Group(Arc<Tlas>),
}

impl Geometry {
    /// The box around everything that can be hit, in object space; empty if nothing can.
    pub fn bounds(&self) -> Aabb {
        match self {
            Self::Triangles(blas) => blas.bounds(),
            Self::Spheres(spheres) => spheres.bounds(),
            Self::User(user) => user.bounds(),
            Self::Group(group) => group.bounds(),
        }
    }

    /// Memory of its tree and primitives, bytes; of a group, without the geometries in it.
    pub fn memory_bytes(&self) -> usize {
        match self {
            Self::Triangles(blas) => blas.memory_bytes(),
            Self::Spheres(spheres) => spheres.memory_bytes(),
            Self::User(user) => user.memory_bytes(),
            Self::Group(group) => group.memory_bytes(),
        }
    }

    /// How many levels of instances are inside.
    pub(crate) fn levels(&self) -> usize {
        match self {
            Self::Group(group) => group.levels(),
            _ => 0,
        }
    }

    /// See [`Placement::new`](crate::geometry::instance::Placement::new).
    pub(crate) fn condition(&self) -> f32 {
        match self {
            Self::Group(group) => group.condition(),
            _ => 0.0,
        }
    }
}

/// `From` the geometry, owned or shared.
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

from!(Triangles(Blas), Spheres(Spheres), User(UserGeometry), Group(Tlas));

/// Primitives under a tree.
///
/// *The same answer in every order*: `t` of each hit must be inside the interval in which the ray is in the primitive's
/// box, as [`SlabRay::interval`] computes it; see [`crate::primitive`].
pub(crate) trait BottomLevel {
    /// A ray made ready for the boxes and the primitives.
    type Ray;
    /// Where a hit is: what its normal follows from.
    type Place: Copy;

    fn bvh(&self) -> &Bvh8;

    /// How many items leaves refer to.
    fn item_count(&self) -> usize;

    /// None when the ray cannot hit anything; see [`Tlas`].
    fn prepare(&self, ray: &Ray) -> Option<Self::Ray>;

    fn slabs(ray: &Self::Ray) -> &SlabRay;

    /// Calls `on_hit` with candidate, index and place for hits of the primitives of a leaf item in `[t_near, t_far]`, until
    /// it says that those of this primitive are enough: others come later on the ray.
    fn test<S: Simd>(
        &self,
        simd: S,
        item: usize,
        ray: &Self::Ray,
        t_far: f32,
        on_hit: impl FnMut(Candidate, u32, Self::Place) -> bool,
    );

    /// As [`test`](Self::test) with the same bits, one primitive after the other.
    fn test_slowly(
        &self,
        item: usize,
        ray: &Self::Ray,
        t_far: f32,
        on_hit: &mut dyn FnMut(Candidate, u32, Self::Place) -> bool,
    );

    /// Geometric normal in object space, not normalised.
    fn normal(&self, place: Self::Place) -> DVec3;
}

impl SlabRay {
    /// Where the ray is inside a box, by the very formula of the slab test; none if it misses.
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

/// `b` where it is smaller, else `a`: unlike [`f32::min`], the same bits for signed zeros on every machine.
#[inline(always)]
fn min(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// `b` where it is larger, else `a`.
#[inline(always)]
fn max(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// Builds a tree whose leaf items are primitives, and tells their order.
pub(crate) fn build_tree(refs: &mut [PrimRef], settings: &Settings) -> (Bvh8, Vec<u32>) {
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

/// Checks such a tree: see [`Blas::validate`].
///
/// * `items` — primitives of the leaves, in order. * `bounds` — of some of them; none if out of range.
pub(crate) fn validate_tree(
    bvh: &Bvh8,
    items: impl Iterator<Item = u32>,
    bounds: &dyn Fn(Range<usize>) -> Option<Aabb>,
    count: usize,
    left_out: SkippedPrimitives,
) -> Result<(), ValidateError> {
    bvh.validate(bounds)?;
    let known = u32::try_from(count).unwrap_or(u32::MAX);
    let mut times = vec![0u32; count];
    for prim in items {
        *times.get_mut(prim as usize).ok_or(ValidateError::UnknownPrimitive { prim, count: known })? += 1;
    }
    let missing = times.iter().filter(|&&t| t == 0).count();
    let SkippedPrimitives { non_finite, degenerate, empty } = left_out;
    let wrong =
        (0..).zip(&times).find(|&(_, &t)| t > 1 || t == 0 && missing != non_finite + degenerate + empty);
    wrong.map_or(Ok(()), |(prim, &times)| Err(ValidateError::WrongReferences { prim, times, expected: 1 }))
}
