//! Shaders: WESL modules under `shaders/`, linked into one WGSL text for each entry point when this crate is built, and the Rust mirrors of the
//! structures that both sides see. Knows nothing of a device.
//!
//! Every entry point is called `main` and has groups of [`GROUP`] threads. Group 0 of its bindings is what it traces against, group 1 what it reads and
//! writes, group 2 materials and textures, group 3 lights and tables of samplers.
#![deny(unsafe_code)]

pub mod layout;

/// Threads of a group.
pub const GROUP: u32 = 64;

/// A linked shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shader {
    /// What to call it in messages.
    pub name: &'static str,
    /// WGSL.
    pub text: &'static str,
}

macro_rules! linked {
    ($name:literal) => {
        Shader { name: $name, text: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".wgsl")) }
    };
}

/// The closest hit of each ray of a stream.
///
/// * Group 0: `array<Node>`, `array<Triangle>`, `array<Instance>`. * Group 1: `array<Ray>` to read, `array<Hit>` to write.
pub const CLOSEST: Shader = linked!("closest");

/// Whether there is anything on each ray of a stream.
///
/// * Group 0 as in [`CLOSEST`]. * Group 1: `array<Ray>` to read, `array<u32>` to write, 1 or 0.
pub const ANY: Shader = linked!("any");

/// The closest hit of each ray of a stream, by testing all triangles: the crossbar of [RayEngine02, §3].
///
/// * Group 0: `array<Plane>`. * Group 1: `array<Ray>` to read, `array<Hit>` to write.
pub const CROSSBAR: Shader = linked!("crossbar");

/// The stages of the path tracer's wave, in their order; see `shaders/path` for what they bind.
pub mod path {
    use super::Shader;

    /// Camera rays.
    pub const GENERATE: Shader = linked!("path_generate");
    /// The closest surface on every live path.
    pub const INTERSECT: Shader = linked!("path_intersect");
    /// Emission, direct light, the next ray.
    pub const SHADE: Shader = linked!("path_shade");
    /// Direct light that nothing blocks.
    pub const SHADOW: Shader = linked!("path_shadow");
    /// From one bounce to the next.
    pub const ADVANCE: Shader = linked!("path_advance");
}

/// All of them.
pub const ALL: [Shader; 8] =
    [CLOSEST, ANY, CROSSBAR, path::GENERATE, path::INTERSECT, path::SHADE, path::SHADOW, path::ADVANCE];

/// How a text says how many places the stack of a walk has.
const STACK: &str = "STACK: u32 = 64u;";

impl Shader {
    /// The text with a stack as large as trees are deep: it lives in registers and thread-private memory, where small is fast.
    ///
    /// * `places` — inner nodes on the way to a leaf through both levels, and two.
    pub fn with_stack(&self, places: u32) -> String {
        self.text.replace(STACK, &format!("STACK: u32 = {places}u;"))
    }
}
