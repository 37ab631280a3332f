//! Rays through trees. The leaf test is a closure: traversal never knows a triangle or an instance.

mod single;
mod slab_ray;
mod stack;

pub(crate) use single::traverse;
pub(crate) use slab_ray::{SlabRay, WideSlabRay, major_axis};
