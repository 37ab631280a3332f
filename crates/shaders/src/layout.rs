//! What host and shaders share, byte for byte: `tests/layout.rs` compares names, offsets and sizes with the linked shaders.

mod build;
mod crossing;
mod front;
mod grid;
mod igi;
mod leaf;
mod path;

use bytemuck::{Pod, Zeroable};
use sunfleck_constants::tree;
use sunfleck_math::{Affine3, Ray as MathRay, Vec3};

pub use build::{Bounds, Key, Link, MovedNode, Placement, Refit, Step, Whole};
pub use crossing::Crossing;
pub use front::Front;
pub use grid::Grid;
pub use igi::{
    Before, CameraOffset, FindScale, Gloss, GlossyVpl, IgiFrame, IgiPath, LightFind, LitPoint, LitState,
    MOST_WAITING, Photon, PixelState, PixelSums, SeenSurface, TracedRays, Vpl,
};
pub use leaf::Leaf;
pub use path::{Channels, Live, Pixel, Plan, Seen, Shadow, Wave};

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
    pub const MISS: u32 = tree::MISS;
}

/// Four words, which one load brings: nodes and what leaves have are made of them, in one array.
pub type Unit = [u32; 4];

/// An inner node with up to four children. Those that are nodes come first, one after the other; what leaves have follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Node {
    /// Bits of a point in the middle; the [reference](Self::reference) to the children.
    pub whole: Unit,
    /// The box of the first child for each axis, the first axis of the box of the fourth: see [`Node::new`].
    pub first: Unit,
    /// The box of the second, the second axis of that of the fourth.
    pub second: Unit,
    /// The box of the third, the third axis of that of the fourth.
    pub third: Unit,
}

/// Of a box the lower corner and the upper.
pub type Corners = [[f32; 3]; 2];

impl Node {
    /// Units of a node.
    pub const UNITS: usize = tree::NODE as usize;
    /// Most children.
    pub const WIDTH: usize = tree::WIDTH as usize;
    /// Marks what a leaf has.
    pub const LEAF_BIT: u32 = tree::LEAF_BIT;
    /// Bits of a reference that say where the first child is; above is how many of four are no nodes, so that a bit is carried where leaves begin.
    pub const FIRST_BITS: u32 = tree::FIRST_BITS;

    /// A node around its children, up to four. Boxes grow by what rounding does to a ray within them. For each axis they keep the upper 16 bits of two floats:
    /// the middle, counted from that of the node, and half of the size, rounded up. What is read as the middle is the whole word, of which the lower half makes it a
    /// little larger; the half size is so large that this does no harm.
    ///
    /// * `reference` — see [`Node::reference`].
    pub fn new(boxes: &[Corners], reference: u32) -> Self {
        let lowest = |axis: usize| boxes.iter().map(|[low, _]| low[axis]).fold(f32::INFINITY, f32::min);
        let highest =
            |axis: usize| boxes.iter().map(|[_, high]| high[axis]).fold(f32::NEG_INFINITY, f32::max);
        let center = match boxes {
            [] => [0.0; 3],
            _ => [0, 1, 2].map(|axis| 0.5 * lowest(axis) + 0.5 * highest(axis)),
        };
        let word = |slot: usize, axis: usize| {
            boxes.get(slot).map_or(tree::NO_BOX, |[low, high]| word(low[axis], high[axis], center[axis]))
        };
        let child = |slot: usize| [word(slot, 0), word(slot, 1), word(slot, 2), word(3, slot)];
        Self { whole: words(center, reference), first: child(0), second: child(1), third: child(2) }
    }

    /// What leads to the children of a node.
    ///
    /// * `inner` — how many of them are nodes, at most four. * `first` — where the first is, below 2²⁹.
    pub const fn reference(inner: u32, first: u32) -> u32 {
        (4 - inner) << Self::FIRST_BITS | first
    }

    /// As it lies in the array.
    pub fn units(&self) -> [Unit; Self::UNITS] {
        [self.whole, self.first, self.second, self.third]
    }

    /// That of some units.
    pub fn from_units(units: &[Unit]) -> Self {
        let unit = |i: usize| units.get(i).copied().unwrap_or_default();
        Self { whole: unit(0), first: unit(1), second: unit(2), third: unit(3) }
    }

    /// Where the first child is.
    pub const fn first_child(&self) -> u32 {
        self.whole[3] & tree::FIRST_MASK
    }

    /// A node with some of the children of this one, which are elsewhere.
    pub fn with_children(&self, slots: &[usize], reference: u32) -> Self {
        let Self { whole: [x, y, z, _], first, second, third } = self;
        let boxes = [first, second, third];
        let word = |slot: usize, axis: usize| match slots.get(slot) {
            Some(&own) if own < 3 => boxes[own][axis],
            Some(_) => boxes[axis][3],
            None => tree::NO_BOX,
        };
        let child = |slot: usize| [word(slot, 0), word(slot, 1), word(slot, 2), word(3, slot)];
        Self { whole: [*x, *y, *z, reference], first: child(0), second: child(1), third: child(2) }
    }

    /// Boxes grow by this share of their largest coordinate.
    const MARGIN: f64 = 1e-6;
}

/// An axis of a child's box.
#[allow(clippy::cast_possible_truncation, reason = "rounded up below")]
fn word(low: f32, high: f32, center: f32) -> u32 {
    let margin = Node::MARGIN * f64::from(low.abs().max(high.abs()).max(center.abs()));
    let below = f64::from(low) - f64::from(center) - margin;
    let above = f64::from(high) - f64::from(center) + margin;
    let rounded_up = |half: f64| (half as f32).next_up().to_bits().div_ceil(1 << 16).min(tree::MOST_HALF);
    // What the half size will be about is reckoned with when the middle is rounded
    let middle = (0.5 * (below + above)) as f32;
    let guess = rounded_up((0.5 * (above - below)).max(0.0));
    let upper = (middle.to_bits() + 0x8000 - guess) & 0xffff_0000;
    let mut half = 0;
    loop {
        let read = f64::from(f32::from_bits(upper | half));
        let wanted = rounded_up((above - read).max(read - below).max(0.0));
        if wanted <= half {
            return upper | half;
        }
        half = wanted;
    }
}

/// A triangle as grids have it.
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
    /// Where its root is among the units.
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
    /// One of the kinds in [`sunfleck_constants::camera`].
    pub projection: u32,
    /// Metres.
    pub lens_radius: f32,
    /// Metres.
    pub focus_distance: f32,
    /// Pixels.
    pub filter_radius: f32,
    /// One of the kinds in [`sunfleck_constants::sampling`].
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
