//! The `shading` room.
