//! A world where the GPU reads it, and how it follows the world's changes: by comparing, as [`World::update`](sunfleck_integrators::World::update)
//! does, so that it cannot miss one.

mod form;
mod plan;
mod top;
mod trees;
mod units;

use sunfleck_kernel::Tlas;
use sunfleck_math::Affine3;
use sunfleck_shaders::layout::{Instance, Node, Unit};

use crate::buffer::{Pool, Twin, Upload};
use crate::resources::Resources;
use crate::{Gpu, GpuError};
pub(crate) use form::Form;
pub use top::TopLevel;
use top::{Placing, Top};
pub(crate) use trees::Motion;
use trees::{Changes, Trees};

/// How a world is mirrored.
#[derive(Clone, Debug, Default)]
pub struct MirrorOptions {
    /// Bytes that a binding holds at most; larger arrays are split. `None`: as many as the GPU says.
    pub binding_bytes: Option<u64>,
    /// Who makes top levels.
    pub top_level: TopLevel,
    /// The world is going to change: kernels for it are ready for instances that are turned, and for surfaces with textures of all kinds, though there are none yet. Without, those
    /// that come first have all kernels made anew, but until then rays and shading are faster.
    pub changes: bool,
}

/// What an update of a mirror did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MirrorUpdate {
    /// What was written to the GPU.
    pub uploaded_bytes: u64,
    /// Bottom levels that came anew from the processor.
    pub uploaded_trees: usize,
    /// Bottom levels that the GPU moved to where their vertices are now.
    pub refitted_trees: usize,
    /// Whether the GPU made the top level.
    pub top_level_on_gpu: bool,
}

/// A world where the GPU reads it: trees of both levels with the triangles of all meshes in one array, which begins with the root of the top level, and the
/// instances.
#[derive(Debug)]
pub struct Mirror {
    units: Pool<Unit>,
    /// By `inst_id`; all zeros are those that cannot be hit. After them the parts into which the top level has cut some.
    instances: Twin<Instance>,
    trees: Trees,
    /// Of the world, what the instances and the top level are made from.
    placed: Option<Vec<sunfleck_kernel::Instance>>,
    top: Top,
    by: TopLevel,
}

/// Most units: references have so many bits.
const MOST_UNITS: u32 = 1 << Node::FIRST_BITS;

impl Mirror {
    /// Uploads a world.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if something else than triangles is placed in it, [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Gpu, world: &Tlas) -> Result<Self, GpuError> {
        Self::with_options(gpu, world, &MirrorOptions::default())
    }

    /// As [`new`](Self::new).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_options(gpu: &Gpu, world: &Tlas, options: &MirrorOptions) -> Result<Self, GpuError> {
        let mut upload = Upload::new(gpu);
        let mut mirror = Self::empty(&mut upload, options)?;
        mirror.follow(&mut upload, world, &[], None)?;
        gpu.check()?;
        Ok(mirror)
    }

    /// One of a world without anything.
    pub(crate) fn empty(upload: &mut Upload<'_>, options: &MirrorOptions) -> Result<Self, GpuError> {
        let gpu = upload.gpu;
        let binding = options.binding_bytes.unwrap_or(u64::MAX).min(gpu.most_bytes());
        let mut units = Pool::new(upload, "trees", MOST_UNITS, binding)?;
        // The root
        units.take(upload, Node::UNITS)?;
        Ok(Self {
            units,
            instances: Twin::new(gpu, "instances")?,
            trees: Trees::default(),
            placed: None,
            top: Top::default(),
            by: options.top_level,
        })
    }

    /// Goes on to another world: what it shares with the one before is not uploaded again. After an error the mirror is of no use.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn update(&mut self, gpu: &Gpu, world: &Tlas) -> Result<MirrorUpdate, GpuError> {
        let mut upload = Upload::new(gpu);
        let update = self.follow(&mut upload, world, &[], None)?;
        gpu.check()?;
        Ok(update)
    }

    /// See [`update`](Self::update).
    ///
    /// * `motions` — meshes that have moved. * `words` — where their vertices are.
    pub(crate) fn follow(
        &mut self,
        upload: &mut Upload<'_>,
        world: &Tlas,
        motions: &[Motion<'_>],
        words: Option<&wgpu::Buffer>,
    ) -> Result<MirrorUpdate, GpuError> {
        let owners = owners(world);
        let trees =
            self.trees.update(upload, &mut self.units, world.geometries(), &owners, motions, words)?;
        let mut update = MirrorUpdate {
            uploaded_trees: trees.uploaded,
            refitted_trees: trees.refitted,
            ..MirrorUpdate::default()
        };
        // Whoever is somewhere else, or somebody else, or has another shape now
        let is_same = self.placed.as_deref() == Some(world.instances()) && trees == Changes::default();
        if !is_same {
            update.top_level_on_gpu = self.place(upload, world)?;
        }
        update.uploaded_bytes = upload.bytes();
        Ok(update)
    }

    /// Makes the instances and the tree over them; returns whether the GPU did.
    fn place(&mut self, upload: &mut Upload<'_>, world: &Tlas) -> Result<bool, GpuError> {
        let mut instances = vec![bytemuck::Zeroable::zeroed(); world.instances().len()];
        for (inst_id, object_from_world) in world.shown() {
            let root = self.trees.of(world.instances()[inst_id as usize].blas).units.start;
            instances[inst_id as usize] = Instance::new(&object_from_world, root, inst_id);
        }
        self.placed = Some(world.instances().to_vec());
        let arrays = Placing { units: &mut self.units, instances: &mut self.instances };
        self.top.update(upload, arrays, instances, world, &self.trees, self.by)
    }

    /// Places that the stack of a walk needs: three for each node on the way to a leaf of both levels, the marks at their ends, the ray in the world, and one to spare.
    pub fn stack(&self) -> u32 {
        3 * (self.top.depth + self.trees.depth()) + 9
    }

    /// What kernels that trace are compiled for.
    ///
    /// Places of stacks are free where they begin unset, and some more spare a world that changes kernels of its own.
    pub(crate) fn form(&self) -> Form {
        Form::new((self.stack() + 4).next_multiple_of(8), self.top.has_instances, [self.units.parts("units")])
    }

    /// What kernels bind that trace.
    pub(crate) fn resources(&self) -> Resources<'_> {
        self.units.resources("units").collect::<Resources<'_>>().with("instances", self.instances.buffer())
    }

    /// Memory on the GPU, bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.units.bytes() + self.instances.buffer().size() + self.top.bytes()
    }
}

/// Of each geometry the first instance that stands in the world as it is.
fn owners(world: &Tlas) -> Vec<Option<u32>> {
    let mut owners = vec![None; world.geometries().len()];
    for (inst_id, object_from_world) in world.shown() {
        let owner = &mut owners[world.instances()[inst_id as usize].blas as usize];
        if object_from_world == Affine3::IDENTITY && owner.is_none() {
            *owner = Some(inst_id);
        }
    }
    owners
}
