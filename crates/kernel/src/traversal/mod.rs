//! Traversal of trees by single rays and by packets. The leaf test is a closure, so traversal knows neither
//! triangles nor instances.

mod packet;
mod prefetcher;
mod single;
mod stack;

pub(crate) use packet::{GROUPS, Packet, PacketStack, traverse_packet};
pub(crate) use prefetcher::Prefetcher;
pub(crate) use single::traverse;
pub(crate) use stack::TraversalStack;
