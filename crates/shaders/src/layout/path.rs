use bytemuck::{Pod, Zeroable};
use sunfleck_constants::path;

/// A path that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Live {
    /// Where its ray begins.
    pub origin: [f32; 3],
    /// Of the sample that it belongs to.
    pub slot: u32,
    /// Unit; zero: no path, but it fills a place.
    pub direction: [f32; 3],
    /// Density of the direction; negative if light sampling could not have made it.
    pub pdf_solid_angle: f32,
    /// So far.
    pub throughput: [f32; 3],
    /// Which vertex comes next.
    pub node: u32,
    /// Where it was scattered last.
    pub scattered_at: [f32; 3],
    /// Whitted: depth and flags of the branch. Path tracer: bits of the f32 product of squared relative indices of refraction, unset for camera rays.
    pub branch: u32,
}

/// Light that arrives if nothing blocks it.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Shadow {
    /// Where the ray to the light begins.
    pub origin: [f32; 3],
    /// Where it ends.
    pub t_far: f32,
    /// Unit.
    pub direction: [f32; 3],
    /// Of the vertex that asks.
    pub node: u32,
    /// What it adds to the sample.
    pub radiance: [f32; 3],
    /// Which sample.
    pub slot: u32,
}

/// How far paths are: see `shaders/path/state.wesl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Wave {
    /// Paths of this step.
    pub live: u32,
    /// Of them, those that are no camera rays.
    pub carried: u32,
    /// Paths that go on.
    pub spawned: u32,
    /// Camera rays that only fill a place.
    pub vacant: u32,
    /// Shadow rays that shading made.
    pub shadows: u32,
    /// Those of the step before.
    pub shadow_rays: u32,
    /// Rays of ambient occlusion.
    pub occlusions: u32,
    /// Job of the first camera ray of this step.
    pub job: u32,
    /// Its item.
    pub item: u32,
    /// Job of the next camera ray.
    pub next_job: u32,
    /// Its item.
    pub next_item: u32,
    /// Jobs before this one were in the film when the step began.
    pub oldest: u32,
    /// And now.
    pub head: u32,
    /// So many jobs are added to the film in this step.
    pub completes: u32,
    /// Closest-hit queries so far, lower word.
    pub closest: u32,
    /// Upper word.
    pub closest_high: u32,
    /// Any-hit queries so far, lower word.
    pub any: u32,
    /// Upper word.
    pub any_high: u32,
    /// Zero.
    pub unused0: u32,
    /// Zero.
    pub unused1: u32,
    /// 1: paths of the section's job go on.
    pub alive: [u32; Wave::SECTIONS as usize],
    /// Hits of each kind.
    pub kinds: [u32; Wave::KINDS],
}

impl Wave {
    /// So many jobs may have paths in flight at most.
    pub const SECTIONS: u32 = path::SECTIONS;
    /// Kinds of hits that can be told apart for sorting.
    pub const KINDS: usize = path::KINDS as usize;
}

/// How a picture is cut into jobs: see `shaders/path/plan.wesl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Plan {
    /// Of the film, pixels.
    pub width: u32,
    /// Of the film, pixels.
    pub height: u32,
    /// Blocks of 8 × 8 pixels in a row of the film.
    pub columns: u32,
    /// In all of it.
    pub blocks: u32,
    /// In a band of it: whole rows of blocks.
    pub band_blocks: u32,
    /// How many bands there are.
    pub bands: u32,
    /// A job takes two to the power of this samples of a pixel.
    pub sample_bits: u32,
    /// Two to the power of this places has a section.
    pub section_bits: u32,
    /// Items of a job.
    pub items: u32,
    /// How many jobs there are.
    pub jobs: u32,
    /// Samples before this one are wanted of each pixel.
    pub samples: u32,
    /// Most paths in flight.
    pub capacity: u32,
    /// Groups in a row of a dispatch.
    pub row: u32,
    /// How far ambient occlusion looks; 0: not at all.
    pub occlusion_radius: f32,
    /// Zero.
    pub nothing: u32,
    /// First sample of each pixel.
    pub first: u32,
    /// Parameters of the shading stage. Whitted: ambient radiance, then the cutoff of throughput. Ambient occlusion: distance in metres, then zeros. Path tracer:
    /// zeros.
    pub parameters: [f32; 4],
    /// So many jobs may have paths in flight: a power of two, at most [`Wave::SECTIONS`].
    pub sections: u32,
    /// Zero.
    pub unused0: u32,
    /// Zero.
    pub unused1: u32,
    /// Zero.
    pub unused2: u32,
}

/// Running sums of a pixel, each a high and a low part.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Pixel {
    /// Of weight times radiance.
    pub radiance: [f32; 3],
    /// Samples that were kept.
    pub samples: u32,
    /// What rounding took.
    pub radiance_low: [f32; 3],
    /// Samples that were not finite.
    pub dropped: u32,
    /// Of the squares of weight times radiance.
    pub squares: [f32; 3],
    /// Zero.
    pub unused0: u32,
    /// What rounding took.
    pub squares_low: [f32; 3],
    /// Zero.
    pub unused1: u32,
}

/// The first surface of a camera ray.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Seen {
    /// In the world.
    pub position: [f32; 3],
    /// Along the ray; negative if there is no surface.
    pub depth: f32,
    /// Unit geometric normal.
    pub ng: [f32; 3],
    /// Which instance.
    pub inst_id: u32,
    /// Unit shading normal.
    pub ns: [f32; 3],
    /// Which triangle.
    pub prim_id: u32,
    /// Fraction of light reflected.
    pub albedo: [f32; 3],
    /// Which mesh.
    pub geom_id: u32,
    /// Which material.
    pub material: u32,
    /// 1 open, 0 closed.
    pub open: f32,
    /// Reflections that light was followed through.
    pub levels: u32,
    /// Zero.
    pub unused0: u32,
}

/// Running sums of a pixel of what is recorded beside radiance, each a high and a low part.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Channels {
    /// Over the hits.
    pub position: [f32; 3],
    /// Over the hits.
    pub depth: f32,
    /// What rounding took.
    pub position_low: [f32; 3],
    /// What rounding took.
    pub depth_low: f32,
    /// Over the hits.
    pub ng: [f32; 3],
    /// Over all samples.
    pub open: f32,
    /// What rounding took.
    pub ng_low: [f32; 3],
    /// What rounding took.
    pub open_low: f32,
    /// Over the hits.
    pub ns: [f32; 3],
    /// Samples that hit something.
    pub hits: u32,
    /// What rounding took.
    pub ns_low: [f32; 3],
    /// Zero.
    pub unused0: u32,
    /// Over all samples.
    pub albedo: [f32; 3],
    /// Over all samples.
    pub levels: f32,
    /// What rounding took.
    pub albedo_low: [f32; 3],
    /// What rounding took.
    pub levels_low: f32,
    /// Instance, triangle, mesh and material of the first sample.
    pub ids: [u32; 4],
}
