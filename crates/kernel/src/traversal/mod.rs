//! Rays through trees. The leaf test is a closure: traversal never knows a triangle or an instance.

mod flight;
mod packet;
mod places;
mod single;

pub(crate) use flight::Flight;
pub(crate) use packet::{GROUPS, Packet, PacketStack, traverse_packet};
pub(crate) use places::Places;
pub(crate) use single::traverse;
