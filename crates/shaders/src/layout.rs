//! Structures that the host and the shaders share, byte for byte. They are generated from the WESL structures when this
//! crate is built (`build/structures.rs`); `tests/layout.rs` compares them with the linked shaders.

mod leaf;
mod node;
#[allow(missing_docs, clippy::doc_markdown, reason = "comments are those of the shaders")]
mod structures {
    use bytemuck::{Pod, Zeroable};

    include!(concat!(env!("OUT_DIR"), "/structures.rs"));
}

use sunfleck_constants::{path, tree, vpl};
use sunfleck_math::{Affine3, Ray as MathRay, Vec3, rows};

pub use node::Corners;
pub use structures::*;

/// Four words, which a GPU loads at once: nodes and leaves consist of these, in one array.
pub type Unit = [u32; 4];

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

impl Hit {
    /// The `prim_id` of a ray that hits nothing.
    pub const MISS: u32 = tree::MISS;
}

fn words([x, y, z]: [f32; 3], last: u32) -> [u32; 4] {
    [x.to_bits(), y.to_bits(), z.to_bits(), last]
}

impl Triangle {
    /// Creates a triangle with its index in the mesh.
    pub fn new([a, b, c]: [[f32; 3]; 3], prim_id: u32) -> Self {
        Self { a: words(a, prim_id), b: words(b, 0), c: words(c, 0) }
    }
}

impl Instance {
    /// Creates an instance of the BLAS whose root is at `root`.
    pub fn new(object_from_world: &Affine3, root: u32, inst_id: u32) -> Self {
        let [x, y, z] = rows(object_from_world);
        Self { x, y, z, root, inst_id, unused0: 0, unused1: 0 }
    }
}

impl Plane {
    /// Creates the plane of a triangle; all rays miss a triangle without area.
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

impl Placement {
    /// Creates the placement of an instance.
    pub fn new(world_from_object: &Affine3, inst_id: u32) -> Self {
        let Instance { x, y, z, .. } = Instance::new(world_from_object, 0, inst_id);
        Self { x, y, z, inst_id, unused0: 0, unused1: 0, unused2: 0 }
    }
}

impl Front {
    /// Entry point of rays that do not form a beam: the root.
    pub const ROOT: u32 = tree::ROOT;
    /// Value that ends the list of entry points, if it is not full.
    pub const NO_PLACE: u32 = tree::NO_PLACE;
    /// Front of rays that do not form a beam: only the root.
    pub const WHOLE: Self = {
        let mut places = [Self::NO_PLACE; tree::PLACES as usize];
        places[0] = Self::ROOT;
        Self { places, insides: [tree::NOWHERE; tree::PLACES as usize] }
    };
}

impl Wave {
    /// Largest number of jobs that have paths in flight.
    pub const SECTIONS: u32 = path::SECTIONS;
    /// Number of kinds of hits that paths are sorted by.
    pub const KINDS: usize = path::KINDS as usize;
}

/// Largest number of paths of a camera ray that wait to be continued.
pub const MOST_WAITING: usize = sunfleck_constants::igi::MOST_WAITING as usize;

impl Vpl {
    /// Kind: none.
    pub const NONE: u32 = vpl::NO_VPL;
    /// Kind: one side of a surface.
    pub const AREA: u32 = vpl::AREA;
    /// Kind: both sides of a surface.
    pub const DOUBLE_SIDED_AREA: u32 = vpl::DOUBLE_SIDED_AREA;
    /// Kind: the same intensity in all directions.
    pub const POINT: u32 = vpl::POINT;
    /// Kind: a cone.
    pub const SPOT: u32 = vpl::SPOT;
    /// Kind: infinitely far away.
    pub const DISTANT: u32 = vpl::DISTANT;
    /// Kind: a surface that is not diffuse.
    pub const GLOSSY: u32 = vpl::GLOSSY;
}
