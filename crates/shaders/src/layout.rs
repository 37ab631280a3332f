//! What host and shaders share, byte for byte. The structures are made from those of the shaders when this crate is built (`build/structures.rs`); `tests/layout.rs` compares them
//! with what linked shaders have.

mod leaf;
mod node;
#[allow(missing_docs, clippy::doc_markdown, reason = "comments are those of the shaders")]
mod structures {
    use bytemuck::{Pod, Zeroable};

    include!(concat!(env!("OUT_DIR"), "/structures.rs"));
}

use sunfleck_constants::{path, tree, vpl};
use sunfleck_math::{Affine3, Ray as MathRay, Vec3};

pub use node::Corners;
pub use structures::*;

/// Four words, which one load brings: nodes and what leaves have are made of them, in one array.
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
    /// The `prim_id` of no hit.
    pub const MISS: u32 = tree::MISS;
}

fn words([x, y, z]: [f32; 3], last: u32) -> [u32; 4] {
    [x.to_bits(), y.to_bits(), z.to_bits(), last]
}

impl Triangle {
    /// A triangle with its index in the mesh.
    pub fn new([a, b, c]: [[f32; 3]; 3], prim_id: u32) -> Self {
        Self { a: words(a, prim_id), b: words(b, 0), c: words(c, 0) }
    }
}

impl Instance {
    /// An instance of the tree with some root.
    pub fn new(object_from_world: &Affine3, root: u32, inst_id: u32) -> Self {
        let (m, t) = (object_from_world.matrix3, object_from_world.translation);
        let row = |axis: usize| [m.x_axis[axis], m.y_axis[axis], m.z_axis[axis], t[axis]];
        Self { x: row(0), y: row(1), z: row(2), root, inst_id, unused0: 0, unused1: 0 }
    }
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

impl Placement {
    /// An instance somewhere.
    pub fn new(world_from_object: &Affine3, inst_id: u32) -> Self {
        let Instance { x, y, z, .. } = Instance::new(world_from_object, 0, inst_id);
        Self { x, y, z, inst_id, unused0: 0, unused1: 0, unused2: 0 }
    }
}

impl Front {
    /// Instead of a child: all of the world, since there is no way that all rays go.
    pub const ROOT: u32 = tree::ROOT;
    /// Instead of a child: there are no more.
    pub const NO_PLACE: u32 = tree::NO_PLACE;
    /// Begins where rays that are no beam do.
    pub const WHOLE: Self = {
        let mut places = [Self::NO_PLACE; tree::PLACES as usize];
        places[0] = Self::ROOT;
        Self { places, insides: [tree::NOWHERE; tree::PLACES as usize] }
    };
}

impl Wave {
    /// So many jobs may have paths in flight at most.
    pub const SECTIONS: u32 = path::SECTIONS;
    /// Kinds of hits that can be told apart for sorting.
    pub const KINDS: usize = path::KINDS as usize;
}

/// Most paths of a ray that wait to go on.
pub const MOST_WAITING: usize = sunfleck_constants::igi::MOST_WAITING as usize;

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
