//! Embree 4 through its C interface, loaded at run time: `library` resolves the functions, `types` declares their
//! structures, `scene` builds and owns scenes, `query` traces rays. Only this module and `driver` have unsafe code.

mod library;
mod query;
mod scene;
mod types;

pub use library::EmbreeLibrary;
pub(crate) use query::{EmbreeForm, EmbreeQuery};
pub(crate) use scene::{BuildQuality, EmbreeScene};
