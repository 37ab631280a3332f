//! Rays through trees. The leaf test is a closure: traversal never knows a triangle or an instance.

mod packet;
mod places;
mod single;
mod stack;

pub(crate) use packet::{GROUPS, Packet, PacketStack, traverse_packet};
pub(crate) use places::Places;
pub(crate) use single::traverse;
pub(crate) use stack::TraversalStack;
