//! Tables of GPU passes, one for each technique. They list, for every compute shader, its module, its features, the
//! resources that it reads and writes, and the size of its workgroups.
//!
//! The build script links the shaders that the tables ask for and includes this module, which therefore depends on
//! constants only. `tests/passes.rs` compares the tables with the linked shaders. Resources have names and no numbers:
//! their bindings follow from the shader.

pub mod ao;
pub mod build;
pub mod crossbar;
pub mod denoise;
mod features;
pub mod film;
pub mod grid;
pub mod igi;
pub mod path;
pub mod radiosity;
pub mod reuse;
pub mod trace;
pub mod whitted;

pub use features::Features;
use sunfleck_constants::group::{FOUR_ROWS, GROUP, QUAD, WALKERS};

// Resources that many passes use
const BVHS: &str = "units instances";
const SURFACES: &str = "placed_instances meshes words";
const TEXTURES: &str = "textures texels";
const LIGHTS: &str = "light_header light_nodes area_lights punctual_lights light_numbers";
/// Resources that decide whether a surface stops a ray.
const ALPHA: &str = "view placed_instances meshes words materials textures texels";

/// A GPU pass: a compute shader with its options and resources.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Pass {
    /// Module of the entry point, which is called `main`.
    pub module: &'static str,
    /// Features that all shaders of the pass have.
    pub features: Features,
    /// Features that the pass is linked both with and without.
    pub options: Features,
    /// Names of the resources that its shaders only read, in lists separated by spaces.
    pub reads: &'static [&'static str],
    /// Names of the resources that its shaders write, or use as counters.
    pub writes: &'static [&'static str],
    /// Number of threads of a workgroup.
    pub group: u32,
    /// Number of items that a workgroup processes: one for each thread, or several.
    pub share: u32,
}

impl Pass {
    /// Creates a pass with workgroups of [`GROUP`] threads and without resources.
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

    /// Returns the name of the linked shader with a choice of options.
    pub fn text_name(&self, options: Features) -> String {
        let features = self.features.and(options);
        self.module.split("::").chain(features.names()).collect::<Vec<_>>().join("_")
    }
}

/// Declares passes with names, and a list of them.
macro_rules! passes {
    ($($(#[$doc:meta])* $name:ident: $pass:expr;)*) => {
        $($(#[$doc])* pub static $name: Pass = $pass;)*

        /// All passes of the table.
        pub(super) static ALL: &[&Pass] = &[$(&$name),*];
    };
}
use passes;

/// Returns the passes of all techniques.
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
        denoise::ALL,
        reuse::ALL,
        radiosity::ALL,
    ];
    tables.into_iter().flatten().copied()
}
