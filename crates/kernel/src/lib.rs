//! The `kernel` room.
