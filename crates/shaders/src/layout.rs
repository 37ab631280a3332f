//! What host and shaders share, byte for byte: `tests/layout.rs` compares names, offsets and sizes with the linked shaders.

mod build;
mod crossing;
mod front;
mod grid;
mod igi;
mod path;
mod wide;

use bytemuck::{Pod, Zeroable};
use sunfleck_math::{Affine3, Ray as MathRay, Vec3};

pub use build::{Bounds, Key, Link, MovedBox, Placement, Refit, Step, Whole};
pub use crossing::Crossing;
pub use front::Front;
pub use grid::Grid;
pub use igi::{
    Before, CameraOffset, FindScale, Gloss, GlossyVpl, IgiFrame, IgiPath, LightFind, LitPoint, MOST_WAITING,
    Photon, PixelState, PixelSums, SeenSurface, TracedRays, Vpl,
};
pub use path::{Channels, Live, Pixel, Plan, Seen, Shadow, Wave};
pub use wide::WideNode;

/// A ray in world space.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Ray {
    /// Where it begins.
    pub origin: [f32; 3],
    /// Start of the interval, included.
    pub t_near: f32,
    /// Not necessarily of unit length.
    pub direction: [f32; 3],
    /// End of the interval, included.
    pub t_far: f32,
}

impl From<&MathRay> for Ray {
    fn from(ray: &MathRay) -> Self {
        Self {
            origin: ray.origin.to_array(),
            t_near: ray.t_near,
            direction: ray.direction.to_array(),
            t_far: ray.t_far,
        }
    }
}

/// The closest hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Hit {
    /// Distance in lengths of the direction.
    pub t: f32,
    /// Barycentric coordinate of the second vertex.
    pub u: f32,
    /// Of the third.
    pub v: f32,
    /// Index of the triangle in its mesh; [`MISS`](Self::MISS) if there is no hit.
    pub prim_id: u32,
    /// Which instance.
    pub inst_id: u32,
}

impl Hit {
    /// The `prim_id` of no hit.
    pub const MISS: u32 = u32::MAX;
}

/// A child of a [`Node`]: a box with a node or some items.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Child {
    /// Middle of the box.
    pub middle: [f32; 3],
    /// Half of its size.
    pub half: [f32; 3],
    /// Index of a node, or items: see [`Child::leaf`].
    pub what: u32,
}

impl Child {
    /// Marks leaves.
    pub const LEAF_BIT: u32 = 1 << 31;
    /// Bits of the first item; above is the number of items less one.
    pub const FIRST_BITS: u32 = 28;

    /// A box with a node or some items. It becomes larger by what rounding does to a ray within it.
    ///
    /// * `low`, `high` — corners.
    #[allow(clippy::cast_possible_truncation, reason = "rounded away from the middle below")]
    pub fn new(low: [f32; 3], high: [f32; 3], what: u32) -> Self {
        let [low, high] = [low, high].map(|corner| corner.map(f64::from));
        let middle = [0, 1, 2].map(|axis| (0.5 * (low[axis] + high[axis])) as f32);
        let half = [0, 1, 2].map(|axis| {
            let at = f64::from(middle[axis]);
            ((high[axis] - at).max(at - low[axis]) * Self::MARGIN) as f32
        });
        Self { middle, half: half.map(f32::next_up), what }
    }

    /// Half of the size of a box grows by this factor: twice the rounding of three operations.
    pub const MARGIN: f64 = 1.0 + 4e-7;

    /// What a leaf refers to.
    ///
    /// * `first` — below 2²⁸. * `count` — 1 to 8.
    pub const fn leaf(first: u32, count: u32) -> u32 {
        Self::LEAF_BIT | (count.wrapping_sub(1) & 7) << Self::FIRST_BITS | first
    }
}

/// Both children of an inner node.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Node {
    /// Bits of the middle of one child's box; what it has.
    pub left: [u32; 4],
    /// Of the other.
    pub right: [u32; 4],
    /// For each axis half of the sizes of both boxes; zero. See [`Node::new`].
    pub halves: [u32; 4],
}

impl Node {
    /// With these children. Half sizes are rounded up to the upper 16 bits of a float: in the upper half of a word that of the left one, whose reader takes the
    /// whole word, the lower half as well, which makes it less than 2⁻⁷ of itself larger; in the lower half that of the right one.
    pub fn new(left: &Child, right: &Child) -> Self {
        let halves = |axis: usize| {
            let [left, right] = [left, right].map(|child| child.half[axis].to_bits());
            let lower = right.div_ceil(1 << 16).min(Self::MOST);
            let upper = ((left >> 16) + u32::from(left & 0xffff > lower)).min(Self::MOST);
            upper << 16 | lower
        };
        Self {
            left: words(left.middle, left.what),
            right: words(right.middle, right.what),
            halves: [halves(0), halves(1), halves(2), 0],
        }
    }

    /// The largest number of 16 bits.
    const MOST: u32 = 0x7f7f;
}

/// A triangle in object space.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Triangle {
    /// Bits of the first vertex; index in the mesh.
    pub a: [u32; 4],
    /// Bits of the second vertex; zero.
    pub b: [u32; 4],
    /// Bits of the third vertex; zero.
    pub c: [u32; 4],
}

impl Triangle {
    /// A triangle with its index in the mesh.
    pub fn new([a, b, c]: [[f32; 3]; 3], prim_id: u32) -> Self {
        Self { a: words(a, prim_id), b: words(b, 0), c: words(c, 0) }
    }
}

fn words([x, y, z]: [f32; 3], last: u32) -> [u32; 4] {
    [x.to_bits(), y.to_bits(), z.to_bits(), last]
}

/// A bottom level in the world.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Instance {
    /// First row of `object_from_world`.
    pub x: [f32; 4],
    /// Second row.
    pub y: [f32; 4],
    /// Third row.
    pub z: [f32; 4],
    /// Its root among all nodes.
    pub root: u32,
    /// Index in the world.
    pub inst_id: u32,
    /// Zero.
    pub unused0: u32,
    /// Zero.
    pub unused1: u32,
}

impl Instance {
    /// An instance of the tree with some root.
    pub fn new(object_from_world: &Affine3, root: u32, inst_id: u32) -> Self {
        let (m, t) = (object_from_world.matrix3, object_from_world.translation);
        let row = |axis: usize| [m.x_axis[axis], m.y_axis[axis], m.z_axis[axis], t[axis]];
        Self { x: row(0), y: row(1), z: row(2), root, inst_id, unused0: 0, unused1: 0 }
    }
}

/// A triangle in world space as the crossbar wants it: rows of the affine map that takes a point to its barycentric coordinates and
/// its distance from the plane [Baldwin16, coordinate transformation].
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Plane {
    /// To `u`.
    pub u: [f32; 4],
    /// To `v`.
    pub v: [f32; 4],
    /// To the distance, in no unit.
    pub n: [f32; 4],
}

impl Plane {
    /// Of a triangle; one without area is missed by all rays.
    pub fn new([a, b, c]: [Vec3; 3]) -> Self {
        let (e1, e2) = (b - a, c - a);
        let n = e1.cross(e2);
        let scale = n.length_squared().recip();
        if !scale.is_finite() {
            return Self { u: [0.0, 0.0, 0.0, -1.0], v: [0.0; 4], n: [0.0; 4] };
        }
        // u = (p - a) · (e2 × n) / n², and v = (p - a) · (n × e1) / n²
        let row = |v: Vec3| v.extend(-v.dot(a)).to_array();
        Self { u: row(e2.cross(n) * scale), v: row(n.cross(e1) * scale), n: row(n) }
    }
}

/// What decides a picture beside the world.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct View {
    /// First row of `world_from_view`.
    pub x: [f32; 4],
    /// Second row.
    pub y: [f32; 4],
    /// Third row.
    pub z: [f32; 4],
    /// Half extents of the film: at unit distance, or in metres if orthographic.
    pub half_film: [f32; 2],
    /// One over the film's size in pixels.
    pub pixel_size: [f32; 2],
    /// 0 perspective, 1 through a lens, 2 orthographic.
    pub projection: u32,
    /// Metres.
    pub lens_radius: f32,
    /// Metres.
    pub focus_distance: f32,
    /// Pixels.
    pub filter_radius: f32,
    /// 0 independent, 1 Sobol, 2 blue noise.
    pub sampler_kind: u32,
    /// Of all random numbers.
    pub seed: u32,
    /// Of the film, pixels.
    pub width: u32,
    /// Longest path.
    pub max_bounces: u32,
    /// Scatterings before Russian roulette.
    pub roulette_after: u32,
    /// What textures are averaged over where parallel camera rays meet surfaces, metres; else 0.
    pub footprint: f32,
    /// The same where others do, times the third column of `world_from_view`, once for every metre of depth.
    pub footprint_per_depth: f32,
    /// Nothing.
    pub unused: u32,
}
