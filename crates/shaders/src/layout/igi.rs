//! What instant global illumination shares with its kernels.

use bytemuck::{Pod, Zeroable};
use sunfleck_constants::vpl;

/// What all kernels of a frame share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct IgiFrame {
    /// Number of the frame.
    pub pass_number: u32,
    /// Camera rays of a pixel, 1 to 16.
    pub rays: u32,
    /// Edge of the pattern of sets, pixels.
    pub interleave: u32,
    /// VPLs of a share.
    pub per_share: u32,
    /// How many of them are on lights.
    pub on_lights: u32,
    /// Blocks of groups in a row of the film.
    pub blocks: u32,
    /// Groups of all.
    pub groups: u32,
    /// Of the film, pixels.
    pub width: u32,
    /// Of the film, pixels.
    pub height: u32,
    /// 1: pixels whose rays meet one triangle are lit as a whole.
    pub merges: u32,
    /// Pixels from the middle of the filter's window to its edge.
    pub radius: u32,
    /// VPLs that bring less than this share of the mean play roulette.
    pub roulette: f32,
    /// Geometry terms are bounded to that at this share of the mean distance seen.
    pub clamp_at: f32,
    /// How many lights there are.
    pub lights: u32,
    /// Sharp reflections that a path follows.
    pub max_bounces: u32,
    /// 1: short paths put back what the bound takes away.
    pub compensates: u32,
    /// Of a sphere around the scene.
    pub center: [f32; 3],
    /// Of a sphere around the scene.
    pub sphere_radius: f32,
    /// Of geometry terms, 1/m²: the GPU finds it.
    pub bound: f32,
    /// Edge of the squares of the coarse picture, pixels.
    pub cell: f32,
    /// Its squares in a row.
    pub columns: u32,
    /// Its squares.
    pub cells: u32,
    /// How much of the choice of lights follows it.
    pub importance: f32,
    /// 1: what is found is smoothed over neighbours.
    pub smooths: u32,
    /// Nodes of the tree of lights, and lights infinitely far away.
    pub places: u32,
    /// Zero.
    pub nothing: u32,
    /// The first row of pixels whose rays are traced for a band.
    pub traced_first: u32,
    /// The row after the last of these.
    pub traced_last: u32,
    /// The first row of pixels that the band adds to the film.
    pub wanted_first: u32,
    /// The row after the last of these.
    pub wanted_last: u32,
    /// Walks that leave photons of caustics.
    pub photons: u32,
    /// From how far points take photons, as a share of how far the camera sees.
    pub photon_share: f32,
    /// The same in metres: the GPU finds it.
    pub photon_radius: f32,
    /// How many things walks are aimed at.
    pub goals: u32,
    /// For how many photons there is room.
    pub photon_room: u32,
    /// Buckets of eight cells less 1; they are a power of two.
    pub photon_mask: u32,
    /// Whether sets are moved around in each block of pixels.
    pub moves: u32,
    /// Of how they are moved.
    pub seed: u32,
    /// What is left of what was found of lights in the frame before, 0 to 1.
    pub left: f32,
    /// Rows of 64 pixels whose paths a group follows at most.
    pub rows_each: u32,
    /// Cells in a row of the map of what is nearest to a VPL: a multiple of eight.
    pub occluder_edge: u32,
    /// In a row of a face of the map of how far from it nothing is.
    pub clearance_edge: u32,
}

/// Where a camera ray passes film and lens.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct CameraOffset {
    /// From the centre of the pixel, pixels.
    pub film: [f32; 2],
    /// Uniform in the unit square.
    pub lens: [f32; 2],
    /// In the reconstruction filter.
    pub weight: f32,
    /// Zero.
    pub unused: f32,
}

/// What there is to be lit of a pixel: bits of its rays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct LitState {
    /// Rays with a point to be lit; bit 16: one point, of the first, is lit by the whole set.
    pub points: u32,
    /// Points that are not diffuse; from bit 16 on those seen from the back.
    pub glossy: u32,
    /// Points seen in highlights; from bit 16 on those of short paths.
    pub channels: u32,
    /// Of the pixel.
    pub place: u32,
}

/// How far the rays of a pixel have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct PixelState {
    /// Rays whose first surface is known: a bit for each; of a pixel that is lit as a whole the first.
    pub seen: u32,
    /// How many paths of each ray wait to go on: two bits for each.
    pub waiting: u32,
    /// Reflections that light of the first ray was followed through.
    pub levels: u32,
}

/// A point to be lit.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct LitPoint {
    /// Where shadow rays begin or end.
    pub origin: [f32; 3],
    /// Radiance for each unit of irradiance.
    pub red: f32,
    /// Shading normal.
    pub ns: [f32; 3],
    /// Radiance for each unit of irradiance.
    pub green: f32,
    /// Geometric normal.
    pub ng: [f32; 3],
    /// Radiance for each unit of irradiance.
    pub blue: f32,
}

/// How a point reflects light if not as a diffuse surface.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Gloss {
    /// Colour.
    pub base: [f32; 3],
    /// In [0, 1].
    pub metallic: f32,
    /// To the viewer, as octahedral coordinates.
    pub wo: [f32; 2],
    /// In [0, 1].
    pub roughness: f32,
    /// Index of the material.
    pub material: u32,
}

/// What the filter looks at.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SeenSurface {
    /// Shading normal.
    pub ns: [f32; 3],
    /// Along the path.
    pub distance: f32,
    /// Radiance if irradiance were 1.
    pub weight: [f32; 3],
    /// Instance and material.
    pub id: u32,
    /// Radiance.
    pub reflected: [f32; 3],
    /// Surfaces before.
    pub bounce: u32,
}

/// Sums over the rays of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PixelSums {
    /// What shines.
    pub radiance: [f32; 3],
    /// Zero.
    pub unused0: u32,
    /// By way of highlights.
    pub highlight: [f32; 3],
    /// Zero.
    pub unused1: u32,
    /// By short paths.
    pub bounced: [f32; 3],
    /// Zero.
    pub unused2: u32,
}

/// Most paths of a ray that wait to go on.
pub const MOST_WAITING: usize = sunfleck_constants::igi::MOST_WAITING as usize;

/// A path that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct IgiPath {
    /// Of its ray.
    pub origin: [f32; 3],
    /// Length so far.
    pub distance: f32,
    /// Of its ray.
    pub direction: [f32; 3],
    /// Of a short path, else 0.
    pub bound_over_cos: f32,
    /// So far.
    pub throughput: [f32; 3],
    /// Surfaces before; from bit 16 on the channel.
    pub bounce: u32,
}

/// A virtual point light.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Vpl {
    /// Where it is.
    pub position: [f32; 3],
    /// One of the constants [`NONE`](Self::NONE) to [`GLOSSY`](Self::GLOSSY).
    pub kind: u32,
    /// Normal, axis, or direction to it.
    pub axis: [f32; 3],
    /// Luminance of the intensity, or about that.
    pub brightness: f32,
    /// W/sr; W/m² of lights infinitely far away; W that arrived on a glossy surface.
    pub intensity: [f32; 3],
    /// Of a spot's falloff.
    pub scale: f32,
    /// Of a spot's falloff.
    pub offset: f32,
    /// Zero.
    pub unused0: u32,
    /// Zero.
    pub unused1: u32,
    /// Zero.
    pub unused2: u32,
}

impl Vpl {
    /// There is none.
    pub const NONE: u32 = vpl::NO_VPL;
    /// One side of a surface.
    pub const AREA: u32 = vpl::AREA;
    /// Both sides.
    pub const DOUBLE_SIDED_AREA: u32 = vpl::DOUBLE_SIDED_AREA;
    /// The same in all directions.
    pub const POINT: u32 = vpl::POINT;
    /// In a cone.
    pub const SPOT: u32 = vpl::SPOT;
    /// Infinitely far away.
    pub const DISTANT: u32 = vpl::DISTANT;
    /// A surface that is not diffuse.
    pub const GLOSSY: u32 = vpl::GLOSSY;
}

/// The surface of a VPL that is not diffuse.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct GlossyVpl {
    /// Of the shading frame.
    pub normal: [f32; 3],
    /// In [0, 1].
    pub metallic: f32,
    /// Colour.
    pub base: [f32; 3],
    /// In [0, 1].
    pub roughness: f32,
    /// To where the light came from, in the frame.
    pub wi: [f32; 3],
    /// Index of the material.
    pub material: u32,
}

/// Light that arrives at a surface by a specular lobe of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Photon {
    /// Where.
    pub position: [f32; 3],
    /// Where it is in the grid.
    pub cell: u32,
    /// To where it comes from.
    pub wi: [f32; 3],
    /// Zero.
    pub unused0: u32,
    /// Geometric normal on that side.
    pub ng: [f32; 3],
    /// Zero.
    pub unused1: u32,
    /// W.
    pub flux: [f32; 3],
    /// Zero.
    pub unused2: u32,
}

/// How many rays first surfaces or paths of a frame take, those of the camera left out, and how many rows of pixels go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct TracedRays {
    /// Closest-hit queries of paths.
    pub closest: u32,
    /// Any-hit queries.
    pub any: u32,
    /// Rows of 64 pixels with paths that wait to go on.
    pub waiting: u32,
    /// How many of these somebody works on.
    pub taken: u32,
    /// Pixels with such paths.
    pub desks: u32,
}

/// The frame before, where frames take over what there was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Before {
    /// First row of `view_from_world`.
    pub x: [f32; 4],
    /// Second row.
    pub y: [f32; 4],
    /// Third row.
    pub z: [f32; 4],
    /// Of the camera, in the world, metres.
    pub origin: [f32; 3],
    /// Which half of the arrays it is in, 0 or 1; the new one is in the other.
    pub half: u32,
    /// Half extents of the film: at unit distance, or in metres if orthographic.
    pub half_film: [f32; 2],
    /// One over the film's size in pixels.
    pub pixel_size: [f32; 2],
    /// As in [`View`](super::View).
    pub projection: u32,
    /// 0: there was none.
    pub exists: u32,
    /// What a frame has of the picture at least, above 0.
    pub least_share: f32,
    /// Nothing.
    pub unused: u32,
}

/// What a light brings to a path of the coarse picture.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct LightFind {
    /// Which.
    pub light: u32,
    /// What it brings.
    pub luminance: f32,
}

/// How finds become whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct FindScale {
    /// What one find counts at most.
    pub most: f32,
    /// Units of a luminance.
    pub units: f32,
    /// How many units are left of one of the frame before.
    pub kept: f32,
    /// Zero.
    pub unused: u32,
}
