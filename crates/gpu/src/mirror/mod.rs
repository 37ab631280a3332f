//! A world in GPU memory, and its updates: differences are found by comparison, as in
//! [`World::update`](sunfleck_integrators::World::update), so none can be missed.

mod node_records;
mod refit_plan;
mod specialization;
mod top;
mod trees;

use sunfleck_kernel::Tlas;
use sunfleck_math::Affine3;
use sunfleck_shaders::layout::{Instance, Node, Unit};

use crate::buffer::{MirroredBuffer, Pool, Upload};
use crate::resources::Resources;
use crate::{Gpu, GpuError};
pub(crate) use specialization::SceneSpecialization;
pub use top::TopLevelDevice;
use top::{TopLevelArrays, TopLevelTree};
pub(crate) use trees::Deformation;
use trees::{BottomLevelTrees, TreeChanges};

/// Options of a mirror.
#[derive(Clone, Debug, Default)]
pub struct MirrorOptions {
    /// Largest size of a binding, bytes; larger arrays are split into segments. `None`: the limit of the GPU.
    pub binding_bytes: Option<u64>,
    /// Where top levels are built.
    pub top_level: TopLevelDevice,
    /// Whether the world is going to change. Kernels are then compiled for transformed instances and for textures of
    /// all kinds, even if there are none yet. Otherwise the first ones that appear require all kernels to be compiled
    /// again, but until then rays and shading are faster.
    pub changes: bool,
}

/// Statistics of an update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MirrorUpdate {
    /// Bytes written to the GPU.
    pub uploaded_bytes: u64,
    /// Number of bottom levels that were built on the CPU and uploaded.
    pub uploaded_trees: usize,
    /// Number of bottom levels that the GPU refitted to moved vertices.
    pub refitted_trees: usize,
    /// Whether the top level was built on the GPU.
    pub top_level_on_gpu: bool,
}

/// A world in GPU memory: one array of units, which begins with the root of the top level and holds the nodes and
/// triangles of all trees, and the array of instances.
#[derive(Debug)]
pub struct Mirror {
    units: Pool<Unit>,
    /// Instances by `inst_id`, all zeros if an instance cannot be hit, then the parts into which the top level splits
    /// some of them.
    instances: MirroredBuffer<Instance>,
    trees: BottomLevelTrees,
    /// Instances from which the array and the top level were made.
    source_instances: Option<Vec<sunfleck_kernel::Instance>>,
    top: TopLevelTree,
    top_level_device: TopLevelDevice,
}

/// Maximum number of units, limited by the bits of references.
const MOST_UNITS: u32 = 1 << Node::FIRST_BITS;

impl Mirror {
    /// Uploads a world.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if the world has geometry other than triangles and shapes, [`GpuError::TooLarge`],
    /// [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Gpu, world: &Tlas) -> Result<Self, GpuError> {
        Self::with_options(gpu, world, &MirrorOptions::default())
    }

    /// As [`new`](Self::new), with options.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_options(gpu: &Gpu, world: &Tlas, options: &MirrorOptions) -> Result<Self, GpuError> {
        let mut upload = Upload::new(gpu);
        let mut mirror = Self::empty(&mut upload, options)?;
        mirror.apply(&mut upload, world, &[], None)?;
        gpu.check()?;
        Ok(mirror)
    }

    /// Creates the mirror of an empty world.
    pub(crate) fn empty(upload: &mut Upload<'_>, options: &MirrorOptions) -> Result<Self, GpuError> {
        let gpu = upload.gpu;
        let binding = options.binding_bytes.unwrap_or(u64::MAX).min(gpu.max_binding_bytes());
        let mut units = Pool::new(upload, "trees", MOST_UNITS, binding)?;
        // The root
        units.allocate(upload, Node::UNITS)?;
        Ok(Self {
            units,
            instances: MirroredBuffer::new(gpu, "instances")?,
            trees: BottomLevelTrees::default(),
            source_instances: None,
            top: TopLevelTree::default(),
            top_level_device: options.top_level,
        })
    }

    /// Updates the mirror to another world: what it shares with the previous one is not uploaded again. After an error
    /// the mirror must not be used.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn update(&mut self, gpu: &Gpu, world: &Tlas) -> Result<MirrorUpdate, GpuError> {
        let mut upload = Upload::new(gpu);
        let update = self.apply(&mut upload, world, &[], None)?;
        gpu.check()?;
        Ok(update)
    }

    /// Updates the mirror to another world; see [`update`](Self::update).
    ///
    /// * `deformations` — meshes whose vertices moved.
    /// * `words` — buffer of their vertices.
    pub(crate) fn apply(
        &mut self,
        upload: &mut Upload<'_>,
        world: &Tlas,
        deformations: &[Deformation<'_>],
        words: Option<&wgpu::Buffer>,
    ) -> Result<MirrorUpdate, GpuError> {
        let owners = owners(world);
        let trees =
            self.trees.update(upload, &mut self.units, world.geometries(), &owners, deformations, words)?;
        let mut update = MirrorUpdate {
            uploaded_trees: trees.uploaded,
            refitted_trees: trees.refitted,
            ..MirrorUpdate::default()
        };
        // The top level depends on transforms, on the choice of geometries, and on their shapes
        let is_same =
            self.source_instances.as_deref() == Some(world.instances()) && trees == TreeChanges::default();
        if !is_same {
            update.top_level_on_gpu = self.update_instances(upload, world)?;
        }
        update.uploaded_bytes = upload.bytes();
        Ok(update)
    }

    /// Builds the array of instances and the top level; returns whether the GPU built the latter.
    fn update_instances(&mut self, upload: &mut Upload<'_>, world: &Tlas) -> Result<bool, GpuError> {
        let mut instances = vec![bytemuck::Zeroable::zeroed(); world.instances().len()];
        for (inst_id, object_from_world) in world.active_instances() {
            let root = self.trees.of(world.instances()[inst_id as usize].blas).units.start;
            instances[inst_id as usize] = Instance::new(&object_from_world, root, inst_id);
        }
        self.source_instances = Some(world.instances().to_vec());
        let arrays = TopLevelArrays { units: &mut self.units, instances: &mut self.instances };
        self.top.update(upload, arrays, instances, world, &self.trees, self.top_level_device)
    }

    /// Entries of the traversal stack that the world needs: three for each node on the path to a leaf through both
    /// levels, the markers at their ends, the world-space ray, and a spare one.
    pub fn stack(&self) -> u32 {
        3 * (self.top.depth + self.trees.depth()) + 9
    }

    /// Specialisation of kernels that trace rays.
    ///
    /// The stack is rounded up: entries without initialiser cost nothing, and a world that grows a little deeper keeps
    /// its kernels.
    pub(crate) fn specialization(&self) -> SceneSpecialization {
        SceneSpecialization::new(
            (self.stack() + 4).next_multiple_of(8),
            self.top.has_instances,
            [self.units.segmentation("units")],
        )
        .with_shapes(self.trees.has_shapes(), self.trees.has_patches())
    }

    /// Resources that kernels bind to trace rays.
    pub(crate) fn resources(&self) -> Resources<'_> {
        self.units.resources("units").collect::<Resources<'_>>().with("instances", self.instances.buffer())
    }

    /// Memory on the GPU, bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.units.bytes() + self.instances.buffer().size() + self.top.bytes()
    }
}

/// Returns the first instance of each geometry whose transform is the identity.
fn owners(world: &Tlas) -> Vec<Option<u32>> {
    let mut owners = vec![None; world.geometries().len()];
    for (inst_id, object_from_world) in world.active_instances() {
        let owner = &mut owners[world.instances()[inst_id as usize].blas as usize];
        if object_from_world == Affine3::IDENTITY && owner.is_none() {
            *owner = Some(inst_id);
        }
    }
    owners
}
