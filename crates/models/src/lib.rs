//! The `models` room.
