use sunfleck_kernel::{Geometry, PairChild, PairNode, PairTree, PairedTriangles, Tlas};
use sunfleck_shaders::layout::{Child, Instance, Node, Triangle};

use crate::buffer::Array;
use crate::{Gpu, GpuError};

/// A world where the GPU reads it: binary trees of both levels in one array, the top level first, the triangles of all meshes, and the instances.
#[derive(Debug)]
pub struct Mirror {
    pub(crate) nodes: Array<Node>,
    pub(crate) triangles: Array<Triangle>,
    pub(crate) instances: Array<Instance>,
    depth: u32,
}

/// Most triangles, since a leaf names its first by 28 bits.
const MOST_TRIANGLES: usize = 1 << Child::FIRST_BITS;

impl Mirror {
    /// Uploads a world.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if something else than triangles is placed in it, [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Gpu, world: &Tlas) -> Result<Self, GpuError> {
        let paired = world.paired();
        let (mut nodes, mut triangles) = (Vec::new(), Vec::new());
        append(&mut nodes, &paired.tree, 0);
        let (mut roots, mut below) = (Vec::new(), 0);
        for geometry in world.geometries() {
            let tree = bottom_level(geometry)?;
            roots.push(index(nodes.len()));
            below = below.max(tree.tree.depth);
            append(&mut nodes, &tree.tree, index(triangles.len()));
            let own = tree.triangles.iter();
            triangles.extend(own.map(|triangle| Triangle::new(triangle.corners, triangle.prim_id)));
        }
        let bytes = (triangles.len() * size_of::<Triangle>()) as u64;
        if triangles.len() > MOST_TRIANGLES {
            let limit = (MOST_TRIANGLES * size_of::<Triangle>()) as u64;
            return Err(GpuError::TooLarge { what: "triangles", bytes, limit });
        }
        let place = |(inst_id, object_from_world): &(u32, _)| {
            let geometry = world.instances()[*inst_id as usize].blas as usize;
            Instance::new(object_from_world, roots[geometry], *inst_id)
        };
        let instances: Vec<Instance> = paired.instances.iter().map(place).collect();
        let mirror = Self {
            nodes: Array::new(gpu, "nodes", &nodes)?,
            triangles: Array::new(gpu, "triangles", &triangles)?,
            instances: Array::new(gpu, "instances", &instances)?,
            // Inner nodes of both levels, the mark between, and one to spare
            depth: paired.tree.depth + below + 2,
        };
        gpu.check()?;
        Ok(mirror)
    }

    /// Places that the stack of a walk needs.
    pub fn stack(&self) -> u32 {
        self.depth
    }

    /// Whether a stack of so many places is enough.
    pub(crate) fn fits(&self, places: u32) -> Result<(), GpuError> {
        let [bytes, limit] = [self.depth, places].map(|places| u64::from(places) * 4);
        if bytes > limit { Err(GpuError::TooLarge { what: "stacks", bytes, limit }) } else { Ok(()) }
    }

    /// What kernels that trace bind as group 0.
    pub(crate) fn bindings(&self) -> [(u32, &wgpu::Buffer); 3] {
        [(0, &self.nodes.buffer), (1, &self.triangles.buffer), (2, &self.instances.buffer)]
    }

    /// Memory on the GPU, bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.nodes.buffer.size() + self.triangles.buffer.size() + self.instances.buffer.size()
    }
}

fn bottom_level(geometry: &Geometry) -> Result<PairedTriangles, GpuError> {
    match geometry {
        Geometry::Triangles(blas) => Ok(blas.paired()),
        Geometry::Spheres(_) => Err(GpuError::Unsupported { what: "spheres" }),
        Geometry::User(_) => Err(GpuError::Unsupported { what: "geometry with callbacks" }),
        Geometry::Group(_) => Err(GpuError::Unsupported { what: "instances of instances" }),
    }
}

/// Where no ray comes to.
const AWAY: [f32; 3] = [3.0e38; 3];

/// Appends a tree whose items begin at `items` of their array.
fn append(nodes: &mut Vec<Node>, tree: &PairTree, items: u32) {
    let first = index(nodes.len());
    let child = |child: &PairChild| match child {
        // A box that is empty would be met by the test, which sorts its planes
        child if *child == PairChild::NONE => Child::new(AWAY, AWAY, Child::leaf(items, 1)),
        PairChild { min, max, count: 0, .. } => Child::new(*min, *max, first + child.first),
        PairChild { min, max, count, .. } => Child::new(*min, *max, Child::leaf(items + child.first, *count)),
    };
    nodes.extend(
        tree.nodes.iter().map(|PairNode { children: [l, r] }| Node { left: child(l), right: child(r) }),
    );
}

fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}
