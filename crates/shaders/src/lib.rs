//! Shaders: WESL modules under `shaders/`, linked into one WGSL text for each entry point when this crate is built, and the Rust mirrors of the
//! structures that both sides see. Knows nothing of a device.
//!
//! Every entry point is called `main` and has groups of [`GROUP`] threads, or of [`WALKERS`]. Group 0 of its bindings is what it traces against, group 1 what it reads and
//! writes, group 2 materials and textures, group 3 lights and tables of samplers.
#![deny(unsafe_code)]

mod details;
pub mod layout;
mod split;

use sunfleck_constants::group;

pub use details::{Detail, Details};
pub use split::Split;
pub use sunfleck_constants::group::{FOUR_ROWS, GROUP, WALKERS};

/// Threads that find together where a beam enters the trees.
pub const QUAD: usize = group::QUAD as usize;

/// A linked shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shader {
    /// What to call it in messages.
    pub name: &'static str,
    /// WGSL.
    pub text: &'static str,
    /// Threads of a group.
    pub group: u32,
    /// What a group takes: as many as there are threads, or several for each.
    pub share: u32,
}

macro_rules! linked {
    ($name:literal) => {
        linked!($name, crate::GROUP)
    };
    ($name:literal, $group:expr) => {
        linked!($name, $group, $group)
    };
    ($name:literal, $group:expr, $share:expr) => {
        Shader {
            name: $name,
            text: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".wgsl")),
            group: $group,
            share: $share,
        }
    };
}

pub mod igi;

/// The closest hit of each ray of a stream.
///
/// * Group 0: `array<Unit>`, and as number 2 `array<Instance>`. * Group 1: `array<Ray>` to read, `array<Hit>` to write.
pub const CLOSEST: Shader = linked!("closest");

/// Whether there is anything on each ray of a stream.
///
/// * Group 0 as in [`CLOSEST`]. * Group 1: `array<Ray>` to read, `array<u32>` to write, 1 or 0.
pub const ANY: Shader = linked!("any");

/// As [`CLOSEST`], those rays of a group side by side that go into the same octant. For devices with subgroups.
pub const ORDERED_CLOSEST: Shader = linked!("ordered_closest", WALKERS);

/// As [`ANY`], those rays of a group side by side that go into the same octant, two for each thread. For devices with subgroups.
pub const ORDERED_ANY: Shader = linked!("ordered_any", WALKERS, group::ORDERED_ANY_SHARE * WALKERS);

/// Where each group of [`GROUP`] neighbours of a stream enters the trees: what a beam around them meets [Reshetov05, entry points].
///
/// * Group 0 as in [`CLOSEST`]. * Group 1: `array<Ray>` to read, and as number 41 `array<Front>` to write, one for each group: [`QUAD`] threads for each, on devices
///   with subgroups.
pub const BEAM_ENTRY_POINTS: Shader = linked!("beam_entry_points");

/// The closest hit of each ray of a stream, from where its group enters the trees.
///
/// * Group 0 as in [`CLOSEST`]. * Group 1: `array<Ray>` to read, `array<Hit>` to write, as number 41 `array<Front>` to read.
pub const BEAM_CLOSEST: Shader = linked!("beam_closest", WALKERS);

/// Whether there is anything on each ray of a stream, from where its group enters the trees.
///
/// * Group 0 as in [`CLOSEST`]. * Group 1: `array<Ray>` to read, `array<u32>` to write, 1 or 0, as number 41 `array<Front>` to read.
pub const BEAM_ANY: Shader = linked!("beam_any", WALKERS);

/// The closest hit of each ray of a stream, by testing all triangles: the crossbar of [RayEngine02, §3].
///
/// * Group 0: `array<Plane>`. * Group 1: `array<Ray>` to read, `array<Hit>` to write.
pub const CROSSBAR: Shader = linked!("crossbar");

/// The closest hit of rays in buckets among the triangles of their cells: the crossbar of [RayEngine02, §5.3]. `prim_id` is the index of the triangle among all
/// cells' triangles.
///
/// * Group 0: `array<Plane>`. * Group 1: `array<Ray>` to read, `array<Hit>` to write, `array<Crossing>`, one for each group of threads.
pub const CROSSBAR_BUCKETS: Shader = linked!("crossbar_buckets");

/// The closest hit of each ray of a stream, by a uniform grid [Wald03, §3.3].
///
/// * Group 0: `Grid`, where the list of each cell begins, the lists, `array<Triangle>`, `prim_id` and `inst_id` of each, from number 8 on. * Group 1: `array<Ray>` to read, `array<Hit>` to write.
pub const GRID_CLOSEST: Shader = linked!("grid_closest");

/// Whether there is anything on each ray of a stream, by a uniform grid.
///
/// * Group 0 as in [`GRID_CLOSEST`]. * Group 1: `array<Ray>` to read, `array<u32>` to write, 1 or 0.
pub const GRID_ANY: Shader = linked!("grid_any");

/// The stages of the path tracer's steps, in their order; see `shaders/path` for what they bind. What is called after alpha is for worlds with
/// surfaces that are not there everywhere.
pub mod path {
    use super::Shader;

    /// From one step to the next: how many threads each stage has.
    pub const ADVANCE: Shader = linked!("path_advance");
    /// Direct light that nothing blocks.
    pub const SHADOW: Shader = linked!("path_shadow");
    /// The same.
    pub const SHADOW_ALPHA: Shader = linked!("path_shadow_alpha");
    /// The same, by a uniform grid.
    pub const SHADOW_GRID: Shader = linked!("path_shadow_grid");
    /// Camera rays.
    pub const GENERATE: Shader = linked!("path_generate");
    /// The closest surface on every live path.
    pub const INTERSECT: Shader = linked!("path_intersect");
    /// The same.
    pub const INTERSECT_ALPHA: Shader = linked!("path_intersect_alpha");
    /// The same, by a uniform grid.
    pub const INTERSECT_GRID: Shader = linked!("path_intersect_grid");
    /// What other channels than radiance record.
    pub const FIRST: Shader = linked!("path_first");
    /// The same.
    pub const FIRST_ALPHA: Shader = linked!("path_first_alpha");
    /// A list of paths for each kind of material.
    pub const SORT: Shader = linked!("path_sort");
    /// Emission, direct light, the next ray, in the order of those lists.
    pub const SHADE: Shader = linked!("path_shade");
    /// The same, which also records how many reflections light was followed through.
    pub const SHADE_LEVELS: Shader = linked!("path_shade_levels");
}

/// Sums of samples.
pub mod film {
    use super::Shader;

    /// Means of what was added.
    pub const MEANS: Shader = linked!("film_means");
    /// Adds samples of radiance to pixels.
    pub const ADD: Shader = linked!("film_add");
    /// And what the first surfaces were.
    pub const ADD_CHANNELS: Shader = linked!("film_add_channels");
}

/// What classical ray tracing does otherwise than the path tracer.
pub mod whitted {
    use super::Shader;

    /// Emission, direct light, the next ray of the tree.
    pub const SHADE: Shader = linked!("whitted_shade");
    /// The same, which also records how many reflections light was followed through.
    pub const SHADE_LEVELS: Shader = linked!("whitted_shade_levels");
}

/// Stages of ambient occlusion that differ from the path tracer's.
pub mod ao {
    use super::Shader;

    /// Shading: one occlusion ray for each camera ray.
    pub const SHADE: Shader = linked!("ao_shade");
}

/// What makes top levels and moves bottom levels, each in the order of its dispatches; see `shaders/build` for what they bind.
pub mod build {
    use super::Shader;

    /// The box of each instance.
    pub const TOP_BOUNDS: Shader = linked!("top_bounds");
    /// The box around all of them.
    pub const TOP_WHOLE: Shader = linked!("top_whole");
    /// Where they are on a curve.
    pub const TOP_CODES: Shader = linked!("top_codes");
    /// A step of sorting them along it.
    pub const TOP_SORT: Shader = linked!("top_sort");
    /// A level of boxes around them.
    pub const TOP_UNITE: Shader = linked!("top_unite");
    /// Which node is below which.
    pub const TOP_LINK: Shader = linked!("top_link");
    /// How deep the tree is.
    pub const TOP_DEPTH: Shader = linked!("top_depth");
    /// The nodes.
    pub const TOP_WRITE: Shader = linked!("top_write");
    /// A level of nodes, and the triangles of their leaves, where vertices are; what a ray costs there.
    pub const REFIT_LEVEL: Shader = linked!("refit_level");
}

/// All of them.
pub const ALL: &[Shader] = &[
    CLOSEST,
    ANY,
    ORDERED_CLOSEST,
    ORDERED_ANY,
    BEAM_ENTRY_POINTS,
    BEAM_CLOSEST,
    BEAM_ANY,
    CROSSBAR,
    CROSSBAR_BUCKETS,
    GRID_CLOSEST,
    GRID_ANY,
    build::TOP_BOUNDS,
    build::TOP_WHOLE,
    build::TOP_CODES,
    build::TOP_SORT,
    build::TOP_UNITE,
    build::TOP_LINK,
    build::TOP_DEPTH,
    build::TOP_WRITE,
    build::REFIT_LEVEL,
    path::ADVANCE,
    path::SHADOW,
    path::SHADOW_ALPHA,
    path::SHADOW_GRID,
    path::GENERATE,
    path::INTERSECT,
    path::INTERSECT_ALPHA,
    path::INTERSECT_GRID,
    path::FIRST,
    path::FIRST_ALPHA,
    path::SORT,
    path::SHADE,
    path::SHADE_LEVELS,
    film::ADD,
    film::MEANS,
    film::ADD_CHANNELS,
    whitted::SHADE,
    ao::SHADE,
    whitted::SHADE_LEVELS,
];

/// How a text says how many places the stack of a walk has.
const STACK: &str = "STACK: u32 = 64u;";
/// How a text says whether walks turn rays into instances.
const INSTANCES: &str = "INSTANCES: bool = true;";
/// How a text says whether some rays begin behind their origins.
const BEHIND: &str = "BEHIND: bool = true;";

/// What a world asks of kernels, and who traces in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Places of the stack of a walk: inner nodes on the way to a leaf through both levels, and two.
    pub stack: u32,
    /// Whether some instances do not stand in the world as they are.
    pub instances: bool,
    /// What some surfaces have.
    pub details: Details,
    /// Whether some rays begin behind their origins: the sign of `t_near` is that of numbers below 0, be it that of -0.
    pub behind: bool,
}

impl Shader {
    /// Group and number of each binding that a linked text has: linked modules leave out what they do not use.
    pub fn bindings(text: &str) -> impl Iterator<Item = (u32, u32)> {
        let number = |text: &str| text.split(')').next().and_then(|number| number.parse().ok());
        text.split("@group(").skip(1).filter_map(move |text| {
            let (group, rest) = text.split_once("@binding(")?;
            Some((number(group)?, number(rest)?))
        })
    }

    /// The text with a stack as large as trees are deep, since it lives in registers and thread-private memory, where small is fast; and without code that is not
    /// needed, since code that never runs takes registers all the same.
    pub fn for_worlds(&self, needs: Needs) -> String {
        let Needs { stack, instances, details, behind } = needs;
        let text = self
            .text
            .replace(STACK, &format!("STACK: u32 = {stack}u;"))
            .replace(INSTANCES, &format!("INSTANCES: bool = {instances};"))
            .replace(BEHIND, &format!("BEHIND: bool = {behind};"));
        let none = Detail::ALL.into_iter().filter(|&detail| !details.contains(detail)).map(Detail::constant);
        none.fold(text, |text, constant| {
            text.replace(&format!("{constant}: bool = true;"), &format!("{constant}: bool = false;"))
        })
    }
}
