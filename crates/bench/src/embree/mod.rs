//! Embree 4 by way of its C interface, opened at run time: `library` finds the functions, `types` has their structures,
//! `scene` owns what was built, `query` traces. Beside `driver` the only place of the crate with unsafe code.

mod library;
mod query;
mod scene;
mod types;

pub use library::Library;
pub(crate) use query::{EmbreeQuery, Form};
pub(crate) use scene::{EmbreeScene, Quality};
