//! Rays through trees. The leaf test is a closure: traversal never knows a triangle or an instance.

mod flight;
mod packet;
mod places;
mod single;
mod slab_ray;

pub(crate) use flight::Flight;
pub(crate) use packet::{GROUPS, Packet, PacketStack, traverse_packet};
pub(crate) use places::Places;
pub(crate) use single::traverse;
pub(crate) use slab_ray::{DIRECTION_RANGE, PARALLEL, SlabRay, major_axis};
