//! Tables of passes, one for each technique: of every compute shader its module, its features, the resources that it reads and writes, and how many threads a group has.
//!
//! The linked texts follow from the tables, since the build script reads them too: this module depends on constants alone. What a table says of a shader is compared with
//! the linked shader by `tests/passes.rs`. Resources have names and no numbers: where a pipeline binds them follows from the shader.

pub mod ao;
pub mod build;
pub mod crossbar;
mod features;
pub mod film;
pub mod grid;
pub mod igi;
pub mod path;
pub mod trace;
pub mod whitted;

pub use features::Features;
use sunfleck_constants::group::{FOUR_ROWS, GROUP, QUAD, WALKERS};

// Resources that many passes use
const TREES: &str = "units instances";
const SURFACES: &str = "placed_instances meshes words";
const TEXTURES: &str = "textures texels";
const LIGHTS: &str = "light_header light_nodes triangle_lights punctual_lights light_numbers";
/// What decides whether a ray passes a surface.
const ALPHA: &str = "view placed_instances meshes words materials textures texels";

/// A compute shader and all that is known of it beside its text.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Pass {
    /// The module of its entry point, which is called `main`.
    pub module: &'static str,
    /// Features of all of its texts.
    pub features: Features,
    /// Features that there are texts with and without.
    pub options: Features,
    /// Lists of names, separated by spaces, of what it only reads in any of its texts.
    pub reads: &'static [&'static str],
    /// The same of what it writes, or counts in.
    pub writes: &'static [&'static str],
    /// Threads of a group.
    pub group: u32,
    /// Items that a group takes: one for each thread, or several.
    pub share: u32,
}

impl Pass {
    /// One with groups of [`GROUP`] threads that uses nothing yet.
    const fn new(module: &'static str) -> Self {
        let none = Features::NONE;
        Self { module, features: none, options: none, reads: &[], writes: &[], group: GROUP, share: GROUP }
    }

    const fn with(self, features: Features) -> Self {
        Self { features, ..self }
    }

    const fn or_with(self, options: Features) -> Self {
        Self { options, ..self }
    }

    const fn reads(self, reads: &'static [&'static str]) -> Self {
        Self { reads, ..self }
    }

    const fn writes(self, writes: &'static [&'static str]) -> Self {
        Self { writes, ..self }
    }

    const fn group(self, threads: u32) -> Self {
        Self { group: threads, share: threads, ..self }
    }

    const fn share(self, items: u32) -> Self {
        Self { share: items, ..self }
    }

    /// What the text with some of the options is called.
    pub fn text_name(&self, options: Features) -> String {
        let features = self.features.and(options);
        self.module.split("::").chain(features.names()).collect::<Vec<_>>().join("_")
    }
}

/// Passes with names, and a list of them.
macro_rules! passes {
    ($($(#[$doc:meta])* $name:ident: $pass:expr;)*) => {
        $($(#[$doc])* pub static $name: Pass = $pass;)*

        /// All of them.
        pub(super) static ALL: &[&Pass] = &[$(&$name),*];
    };
}
use passes;

/// All passes of all techniques.
pub fn all() -> impl Iterator<Item = &'static Pass> {
    let tables = [
        trace::ALL,
        crossbar::ALL,
        grid::ALL,
        build::ALL,
        film::ALL,
        path::ALL,
        whitted::ALL,
        ao::ALL,
        igi::ALL,
    ];
    tables.into_iter().flatten().copied()
}
