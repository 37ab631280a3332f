//! The `testkit` room.
