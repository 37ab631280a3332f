//! The top level: node 0, and a range of the nodes for all others.

use std::ops::Range;

use sunfleck_kernel::{PairStart, PairedPart, Tlas};
use sunfleck_shaders::layout::{Child, Instance, Node, Placement};

use super::trees::{Trees, nothing, packed};
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
    /// The GPU, if there are two instances or more and all nodes fit one binding.
    Gpu,
}

/// From so many instances on the GPU makes the top levels of updates: below, the processor has it before the GPU would have begun.
const MANY: usize = 512;

/// The top level of a mirror.
#[derive(Debug, Default)]
pub(super) struct Top {
    /// Its nodes, but for the root.
    nodes: Range<u32>,
    /// Inner nodes on the way to a leaf, at most.
    pub(super) depth: u32,
    builder: Option<Box<TopBuilder>>,
    /// Whether there was one before.
    follows: bool,
}

/// The arrays that a top level is in.
pub(super) struct Placing<'a> {
    pub(super) nodes: &'a mut Pool<Node>,
    pub(super) instances: &'a mut Twin<Instance>,
}

impl Top {
    /// Makes it anew; returns whether the GPU did.
    ///
    /// * `instances` — of the world, by `inst_id`.
    pub(super) fn update(
        &mut self,
        upload: &mut Upload<'_>,
        Placing { nodes, instances: twin }: Placing<'_>,
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
            self.place(upload, nodes, shown - 2)?;
            // Not before: the nodes may have grown beyond a binding
            if nodes.whole().is_some() {
                twin.update(upload, instances)?;
                self.on_gpu(upload, nodes, twin, world)?;
                return Ok(true);
            }
        }
        self.on_processor(upload, nodes, &mut instances, world, trees)?;
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
        nodes: &Pool<Node>,
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
        self.depth = TopBuilder::most_depth(places.len());
        let Some(nodes) = nodes.whole() else { return Ok(()) };
        builder.build(upload, nodes, instances.buffer(), places, self.nodes.start)
    }

    /// * `instances` — parts are added to them.
    fn on_processor(
        &mut self,
        upload: &mut Upload<'_>,
        nodes: &mut Pool<Node>,
        instances: &mut Vec<Instance>,
        world: &Tlas,
        trees: &Trees,
    ) -> Result<(), GpuError> {
        let paired = world.paired(&trees.crowns());
        self.place(upload, nodes, paired.tree.nodes.len().saturating_sub(1))?;
        let records: Vec<u32> =
            paired.parts.iter().map(|part| record(part, instances, world, trees)).collect();
        let first = self.nodes.start;
        let leaf = |item: u32, _| Child::leaf(records[item as usize], 1);
        let own = if paired.tree.nodes.is_empty() {
            vec![nothing()]
        } else {
            packed(&paired.tree, |node| first + node - 1, leaf)
        };
        nodes.write(upload, 0, &own[..1]);
        nodes.write(upload, first, &own[1..]);
        self.depth = paired.tree.depth;
        Ok(())
    }

    /// Makes room for so many nodes beside the root.
    fn place(&mut self, upload: &Upload<'_>, nodes: &mut Pool<Node>, count: usize) -> Result<(), GpuError> {
        if self.nodes.len() != count {
            nodes.give(std::mem::take(&mut self.nodes));
            self.nodes = nodes.take(upload, count)?;
        }
        Ok(())
    }

    /// Memory on the GPU beside the nodes, bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.builder.as_ref().map_or(0, |builder| builder.bytes())
    }
}

/// Which record is that of a part; those of whole instances are there.
fn record(part: &PairedPart, instances: &mut Vec<Instance>, world: &Tlas, trees: &Trees) -> u32 {
    let PairedPart { inst_id, start, object_from_world } = part;
    if *start == PairStart::ROOT {
        return *inst_id;
    }
    let root = trees.of(world.instances()[*inst_id as usize].blas).place(*start);
    instances.push(Instance::new(object_from_world, root, *inst_id));
    u32::try_from(instances.len() - 1).unwrap_or(u32::MAX)
}

/// Whether an instance can be hit: the records of others are all zeros.
fn is_shown(instance: &Instance) -> bool {
    instance.root != 0
}
