//! The top level: its root is unit 0, and all else has a range of the units.

use std::ops::Range;

use sunfleck_kernel::{Bvh4, PairedPart, Tlas};
use sunfleck_math::Affine3;
use sunfleck_shaders::layout::{Instance, Leaf, Node, Placement, Unit};

use super::trees::Trees;
use super::units::{Below, units};
use crate::GpuError;
use crate::buffer::{Pool, Twin, Upload};
use crate::build::TopBuilder;

/// Who makes top levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TopLevel {
    /// The processor makes the first, which may be all there is, and small ones; the GPU makes those of many instances that change.
    #[default]
    Auto,
    /// The processor: the better tree.
    Processor,
    /// The GPU, if there are two instances or more and all units fit one binding.
    Gpu,
}

/// From so many instances on the GPU makes the top levels of updates: below, the processor has it before the GPU would have begun.
const MANY: usize = 512;

/// The top level of a mirror.
#[derive(Debug, Default)]
pub(super) struct Top {
    /// All of it but the root.
    units: Range<u32>,
    /// Nodes on the way to a leaf, at most.
    pub(super) depth: u32,
    /// Whether some leaf is an instance.
    pub(super) has_instances: bool,
    builder: Option<Box<TopBuilder>>,
    /// Whether there was one before.
    follows: bool,
}

/// The arrays that a top level is in.
pub(super) struct Placing<'a> {
    pub(super) units: &'a mut Pool<Unit>,
    pub(super) instances: &'a mut Twin<Instance>,
}

impl Top {
    /// Makes it anew; returns whether the GPU did.
    ///
    /// * `instances` — of the world, by `inst_id`.
    pub(super) fn update(
        &mut self,
        upload: &mut Upload<'_>,
        Placing { units, instances: twin }: Placing<'_>,
        mut instances: Vec<Instance>,
        world: &Tlas,
        trees: &Trees,
        by: TopLevel,
    ) -> Result<bool, GpuError> {
        let shown = instances.iter().filter(|instance| is_shown(instance)).count();
        let many = match by {
            TopLevel::Auto => self.follows && shown >= MANY,
            TopLevel::Processor => false,
            TopLevel::Gpu => true,
        };
        let updates = std::mem::replace(&mut self.follows, true);
        let on_gpu = many && shown >= 2;
        if on_gpu {
            self.place(upload, units, TopBuilder::units(shown))?;
            // Not before: the units may have grown beyond a binding
            if units.whole().is_some() {
                twin.update(upload, instances)?;
                self.on_gpu(upload, units, twin, world)?;
                return Ok(true);
            }
        }
        self.on_processor(upload, units, &mut instances, world, trees)?;
        twin.update(upload, instances)?;
        if updates {
            // A little more than this tree is deep, so that the next one is not too deep for the same kernels
            self.depth = self.depth.max(TopBuilder::most_depth(shown));
        }
        Ok(false)
    }

    fn on_gpu(
        &mut self,
        upload: &mut Upload<'_>,
        units: &Pool<Unit>,
        instances: &Twin<Instance>,
        world: &Tlas,
    ) -> Result<(), GpuError> {
        let shown = instances.held().iter().filter(|instance| is_shown(instance));
        let place = |instance: &Instance| {
            let inst_id = instance.inst_id;
            Placement::new(&world.instances()[inst_id as usize].world_from_object, inst_id)
        };
        let places: Vec<Placement> = shown.map(place).collect();
        let builder = match &mut self.builder {
            Some(builder) => builder,
            none => none.insert(Box::new(TopBuilder::new(upload.gpu)?)),
        };
        (self.depth, self.has_instances) = (TopBuilder::most_depth(places.len()), true);
        let Some(units) = units.whole() else { return Ok(()) };
        builder.build(upload, units, instances.buffer(), places, self.units.start)
    }

    /// * `instances` — parts are added to them.
    fn on_processor(
        &mut self,
        upload: &mut Upload<'_>,
        pool: &mut Pool<Unit>,
        instances: &mut Vec<Instance>,
        world: &Tlas,
        trees: &Trees,
    ) -> Result<(), GpuError> {
        let paired = world.paired(&trees.crowns());
        let below: Vec<Below> =
            paired.parts.iter().map(|part| below(part, instances, world, trees)).collect();
        let leads_on = |part: u32| matches!(below[part as usize], Below::Node(_));
        let odds = |part: u32| {
            let PairedPart { inst_id, entry, .. } = paired.parts[part as usize];
            trees.of(world.instances()[inst_id as usize].blas).odds(entry)
        };
        let tree = match *below {
            [] | [Below::Node(_)] => Bvh4::default(),
            _ => paired.tree(leads_on, odds),
        };
        // The root is elsewhere
        self.place(upload, pool, tree.slots.len().saturating_sub(1) * Node::UNITS)?;
        let units = match *below {
            [] => Node::new(&[], 0).units().into(),
            [Below::Node(root)] => root.into(),
            _ => units(&tree, self.units.start.saturating_sub(4), |part, _| below[part as usize]),
        };
        let (root, rest) = units.split_at(Node::UNITS);
        pool.write(upload, 0, root);
        pool.write(upload, self.units.start, rest);
        self.depth = tree.depth;
        self.has_instances =
            below.iter().any(|below| matches!(below, Below::Leaf(leaf) if leaf.a[3] == Leaf::IS_INSTANCE));
        Ok(())
    }

    /// Makes room for so many units beside the root.
    fn place(&mut self, upload: &Upload<'_>, units: &mut Pool<Unit>, count: usize) -> Result<(), GpuError> {
        if self.units.len() != count {
            units.give(std::mem::take(&mut self.units));
            self.units = units.take(upload, count)?;
        }
        Ok(())
    }

    /// Memory on the GPU beside the units, bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.builder.as_ref().map_or(0, |builder| builder.bytes())
    }
}

/// What a part becomes: itself if it stands in the world as it is.
fn below(part: &PairedPart, instances: &mut Vec<Instance>, world: &Tlas, trees: &Trees) -> Below {
    let PairedPart { inst_id, entry, object_from_world } = part;
    let tree = trees.of(world.instances()[*inst_id as usize].blas);
    let as_it_is = (*object_from_world == Affine3::IDENTITY).then(|| tree.below(*entry, *inst_id));
    as_it_is
        .flatten()
        .unwrap_or_else(|| Below::Leaf(Leaf::of_instance(record(part, instances, world, trees))))
}

/// Which record is that of a part; those of whole instances are there.
fn record(part: &PairedPart, instances: &mut Vec<Instance>, world: &Tlas, trees: &Trees) -> u32 {
    let PairedPart { inst_id, entry, object_from_world } = part;
    if *entry == 0 {
        return *inst_id;
    }
    let root = trees.of(world.instances()[*inst_id as usize].blas).place(*entry);
    instances.push(Instance::new(object_from_world, root, *inst_id));
    u32::try_from(instances.len() - 1).unwrap_or(u32::MAX)
}

/// Whether an instance can be hit: the records of others are all zeros.
fn is_shown(instance: &Instance) -> bool {
    instance.root != 0
}
