//! The `sampling` room.
