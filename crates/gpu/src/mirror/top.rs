//! The top level of a mirror. Its root is unit 0; all other nodes have a range of the units.

use std::ops::Range;

use sunfleck_kernel::{Bvh4, Bvh4InstancePart, Tlas};
use sunfleck_math::Affine3;
use sunfleck_shaders::layout::{Instance, Leaf, Node, Placement, Unit};

use super::node_records::{NodeRecord, units};
use super::trees::BottomLevelTrees;
use crate::GpuError;
use crate::buffer::{MirroredBuffer, Pool, Upload};
use crate::build::TopLevelTreeBuilder;

/// Selection of the device that builds top levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TopLevelDevice {
    /// The CPU builds the first top level, which may be the only one, and small ones; the GPU builds the top levels of
    /// updates with many instances.
    #[default]
    Auto,
    /// The CPU, which builds better trees.
    Cpu,
    /// The GPU, if there are at least two instances and all units fit into one binding.
    Gpu,
}

/// Minimum number of instances for which the GPU builds the top levels of updates. With fewer, the CPU is done before
/// the GPU would have started.
const MIN_INSTANCES_ON_GPU: usize = 512;

/// The top level of a mirror.
#[derive(Debug, Default)]
pub(super) struct TopLevelTree {
    /// Units of all nodes but the root.
    units: Range<u32>,
    /// Upper bound of the number of nodes on the path to a leaf.
    pub(super) depth: u32,
    /// Whether some leaf is a transformed instance.
    pub(super) has_instances: bool,
    builder: Option<Box<TopLevelTreeBuilder>>,
    /// Whether a top level was built before.
    has_predecessor: bool,
}

/// Arrays that a top level is written to.
pub(super) struct TopLevelArrays<'a> {
    pub(super) units: &'a mut Pool<Unit>,
    pub(super) instances: &'a mut MirroredBuffer<Instance>,
}

impl TopLevelTree {
    /// Builds the top level; returns whether the GPU did.
    ///
    /// * `instances` — instances of the world, by `inst_id`.
    pub(super) fn update(
        &mut self,
        upload: &mut Upload<'_>,
        TopLevelArrays { units, instances: mirrored }: TopLevelArrays<'_>,
        mut instances: Vec<Instance>,
        world: &Tlas,
        trees: &BottomLevelTrees,
        preference: TopLevelDevice,
    ) -> Result<bool, GpuError> {
        let active = instances.iter().filter(|instance| is_active(instance)).count();
        let prefers_gpu = match preference {
            TopLevelDevice::Auto => self.has_predecessor && active >= MIN_INSTANCES_ON_GPU,
            TopLevelDevice::Cpu => false,
            TopLevelDevice::Gpu => true,
        };
        let updates = std::mem::replace(&mut self.has_predecessor, true);
        let on_gpu = prefers_gpu && active >= 2;
        if on_gpu {
            self.reserve(upload, units, TopLevelTreeBuilder::units(active))?;
            // Checked only now, since the array may have grown beyond a binding
            if units.whole().is_some() {
                mirrored.update(upload, instances)?;
                self.build_on_gpu(upload, units, mirrored, world)?;
                return Ok(true);
            }
        }
        self.build_on_cpu(upload, units, &mut instances, world, trees)?;
        mirrored.update(upload, instances)?;
        if updates {
            // Allows for a deeper tree, so that the kernels also support the next update
            self.depth = self.depth.max(TopLevelTreeBuilder::max_depth(active));
        }
        Ok(false)
    }

    fn build_on_gpu(
        &mut self,
        upload: &mut Upload<'_>,
        units: &Pool<Unit>,
        instances: &MirroredBuffer<Instance>,
        world: &Tlas,
    ) -> Result<(), GpuError> {
        let active = instances.contents().iter().filter(|instance| is_active(instance));
        let place = |instance: &Instance| {
            let inst_id = instance.inst_id;
            Placement::new(&world.instances()[inst_id as usize].world_from_object, inst_id)
        };
        let places: Vec<Placement> = active.map(place).collect();
        let builder = match &mut self.builder {
            Some(builder) => builder,
            none => none.insert(Box::new(TopLevelTreeBuilder::new(upload.gpu)?)),
        };
        (self.depth, self.has_instances) = (TopLevelTreeBuilder::max_depth(places.len()), true);
        let Some(units) = units.whole() else { return Ok(()) };
        builder.build(upload, units, instances.buffer(), places, self.units.start)
    }

    /// Builds the top level on the CPU.
    ///
    /// * `instances` — the parts of split instances are appended.
    fn build_on_cpu(
        &mut self,
        upload: &mut Upload<'_>,
        pool: &mut Pool<Unit>,
        instances: &mut Vec<Instance>,
        world: &Tlas,
        trees: &BottomLevelTrees,
    ) -> Result<(), GpuError> {
        let paired = world.paired(&trees.all_entry_points());
        let records: Vec<NodeRecord> =
            paired.parts.iter().map(|part| record_of_part(part, instances, world, trees)).collect();
        let is_inner_node = |part: u32| matches!(records[part as usize], NodeRecord::Node(_));
        let hit_probabilities = |part: u32| {
            let Bvh4InstancePart { inst_id, entry, .. } = paired.parts[part as usize];
            trees.of(world.instances()[inst_id as usize].blas).hit_probabilities(entry)
        };
        let tree = match *records {
            [] | [NodeRecord::Node(_)] => Bvh4::default(),
            _ => paired.tree(is_inner_node, hit_probabilities),
        };
        // The root is unit 0
        self.reserve(upload, pool, tree.slots.len().saturating_sub(1) * Node::UNITS)?;
        let units = match *records {
            [] => Node::new(&[], 0).units().into(),
            [NodeRecord::Node(root)] => root.into(),
            _ => units(&tree, self.units.start.saturating_sub(4), |part, _| records[part as usize]),
        };
        let (root, rest) = units.split_at(Node::UNITS);
        pool.write(upload, 0, root);
        pool.write(upload, self.units.start, rest);
        self.depth = tree.depth;
        self.has_instances = records
            .iter()
            .any(|record| matches!(record, NodeRecord::Leaf(leaf) if leaf.a[3] == Leaf::IS_INSTANCE));
        Ok(())
    }

    /// Allocates `count` units for the nodes other than the root.
    fn reserve(&mut self, upload: &Upload<'_>, units: &mut Pool<Unit>, count: usize) -> Result<(), GpuError> {
        if self.units.len() != count {
            units.free(std::mem::take(&mut self.units));
            self.units = units.allocate(upload, count)?;
        }
        Ok(())
    }

    /// Memory on the GPU in addition to the units, bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.builder.as_ref().map_or(0, |builder| builder.bytes())
    }
}

/// Record of a part of an instance: the root of the part itself if the transform is the identity, else a leaf with an
/// instance.
fn record_of_part(
    part: &Bvh4InstancePart,
    instances: &mut Vec<Instance>,
    world: &Tlas,
    trees: &BottomLevelTrees,
) -> NodeRecord {
    let Bvh4InstancePart { inst_id, entry, object_from_world } = part;
    let tree = trees.of(world.instances()[*inst_id as usize].blas);
    let in_world_space = (*object_from_world == Affine3::IDENTITY).then(|| tree.record(*entry, *inst_id));
    in_world_space.flatten().unwrap_or_else(|| {
        NodeRecord::Leaf(Leaf::of_instance(instance_record(part, instances, world, trees)))
    })
}

/// Index of the instance record of a part. Whole instances already have one; for parts it is appended.
fn instance_record(
    part: &Bvh4InstancePart,
    instances: &mut Vec<Instance>,
    world: &Tlas,
    trees: &BottomLevelTrees,
) -> u32 {
    let Bvh4InstancePart { inst_id, entry, object_from_world } = part;
    if *entry == 0 {
        return *inst_id;
    }
    let root = trees.of(world.instances()[*inst_id as usize].blas).entry_reference(*entry);
    instances.push(Instance::new(object_from_world, root, *inst_id));
    u32::try_from(instances.len() - 1).unwrap_or(u32::MAX)
}

/// Returns whether an instance can be hit: the records of others are all zeros.
fn is_active(instance: &Instance) -> bool {
    instance.root != 0
}
