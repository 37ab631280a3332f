//! The `image` room.
