//! The `integrators` room.
