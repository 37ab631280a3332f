use sunfleck_constants::group::SORT_BLOCK;
use sunfleck_shaders::Pass;
use sunfleck_shaders::layout::{BinaryNode, Bounds, BuildStep, Node, Placement, SortKey, TopLevelBounds};
use sunfleck_shaders::passes::build::{
    TOP_BOUNDS, TOP_CODES, TOP_DEPTH, TOP_LINK, TOP_SORT, TOP_UNITE, TOP_WHOLE, TOP_WRITE,
};

use super::{Dispatch, submit};
use crate::buffer::{Array, MirroredBuffer, Upload};
use crate::pipeline::Pipeline;
use crate::resources::Resources;
use crate::{Gpu, GpuError};

/// Builds top levels on the GPU: bounding boxes of the instances, their Morton order, and the radix tree over it
/// [Karras12, §4].
///
/// A tree must not be deeper than the traversal stacks of the kernels, and its depth is not read back. So a tree that
/// is deeper than [`max_binary_depth`](Self::max_binary_depth) is replaced on the GPU by a balanced one, which halves
/// the sorted order recursively.
#[derive(Debug)]
pub(crate) struct TopLevelTreeBuilder {
    bounds: Pipeline,
    whole: Pipeline,
    codes: Pipeline,
    sort: Pipeline,
    unite: Pipeline,
    link: Pipeline,
    depth: Pipeline,
    write: Pipeline,
    places: MirroredBuffer<Placement>,
    scratch: ScratchBuffers,
}

/// Intermediate results of the kernels.
#[derive(Debug)]
struct ScratchBuffers {
    boxes: Array<Bounds>,
    keys: Array<SortKey>,
    heap: Array<Bounds>,
    links: Array<BinaryNode>,
    parents: Array<u32>,
    whole: Array<TopLevelBounds>,
}

impl TopLevelTreeBuilder {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let made = |pass: &'static Pass| Pipeline::of_shader(gpu, pass);
        Ok(Self {
            bounds: made(&TOP_BOUNDS)?,
            whole: made(&TOP_WHOLE)?,
            codes: made(&TOP_CODES)?,
            sort: made(&TOP_SORT)?,
            unite: made(&TOP_UNITE)?,
            link: made(&TOP_LINK)?,
            depth: made(&TOP_DEPTH)?,
            write: made(&TOP_WRITE)?,
            places: MirroredBuffer::new(gpu, "instances")?,
            scratch: ScratchBuffers::new(gpu, 0)?,
        })
    }

    /// Maximum number of wide nodes on the path to a leaf of a tree over `instances` instances. A wide node replaces
    /// two levels of the binary tree.
    pub(crate) fn max_depth(instances: usize) -> u32 {
        Self::max_binary_depth(instances).div_ceil(2)
    }

    /// Maximum depth of the binary tree: 1.5 times that of a balanced one, plus two. Trees over a Morton order are
    /// rarely deeper.
    fn max_binary_depth(instances: usize) -> u32 {
        let balanced = instances.max(1).next_power_of_two().ilog2();
        balanced + balanced.div_ceil(2) + 2
    }

    /// Number of units of a tree over at least two instances, without its root: each binary node has memory for four
    /// children.
    pub(crate) fn units(instances: usize) -> usize {
        instances.saturating_sub(1) * Node::WIDTH * Node::UNITS
    }

    /// Builds the tree over at least two instances. The root is unit 0; all other nodes are stored from unit `first`
    /// on.
    ///
    /// * `units` — units of all trees; the bottom levels are already there.
    /// * `instances` — by `inst_id`.
    pub(crate) fn build(
        &mut self,
        upload: &mut Upload<'_>,
        units: &wgpu::Buffer,
        instances: &wgpu::Buffer,
        places: Vec<Placement>,
        first: u32,
    ) -> Result<(), GpuError> {
        let gpu = upload.gpu;
        let count = u32::try_from(places.len()).unwrap_or(u32::MAX);
        let padded = count.max(SORT_BLOCK).next_power_of_two();
        if self.scratch.keys.len() < padded as usize {
            self.scratch = ScratchBuffers::new(gpu, padded as usize)?;
        }
        self.places.update(upload, places)?;
        let most_depth = Self::max_binary_depth(count as usize);
        let step = BuildStep { count, padded, first, most_depth, ..BuildStep::default() };
        let ScratchBuffers { boxes, keys, heap, links, parents, whole } = &self.scratch;
        let buffers = Resources::from([
            ("units", units),
            ("instances", instances),
            ("places", self.places.buffer()),
            ("boxes", &boxes.buffer),
            ("keys", &keys.buffer),
            ("heap", &heap.buffer),
            ("links", &links.buffer),
            ("parents", &parents.buffer),
            ("whole", &whole.buffer),
        ]);
        submit(gpu, "steps", &self.dispatches(step), &buffers)
    }

    fn dispatches(&self, step: BuildStep) -> Vec<Dispatch<'_, BuildStep>> {
        let (items, inner) = (step.count as usize, step.count as usize - 1);
        let mut all: Vec<Dispatch<'_, BuildStep>> = vec![
            (&self.bounds, step, items),
            (&self.whole, step, 1),
            (&self.codes, step, step.padded as usize),
        ];
        // Bitonic sort: sorted sequences double in length; those within a block take one dispatch
        let mut sort =
            |a, b, c| all.push((&self.sort, BuildStep { a, b, c, ..step }, step.padded as usize / 2));
        sort(2, SORT_BLOCK, 0);
        let mut length = 2 * SORT_BLOCK;
        while length <= step.padded {
            let mut distance = length / 2;
            while distance >= SORT_BLOCK {
                sort(length, length, distance);
                distance /= 2;
            }
            sort(length, length, 0);
            length *= 2;
        }
        // Bounding boxes, from the leaves up
        let mut level = step.padded;
        while level > 0 {
            all.push((&self.unite, BuildStep { a: level, ..step }, level as usize));
            level /= 2;
        }
        all.extend([
            (&self.link, step, inner),
            (&self.depth, step, items),
            (&self.link, BuildStep { a: 1, ..step }, inner),
            (&self.write, step, inner),
        ]);
        all
    }

    /// Memory on the GPU, bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let ScratchBuffers { boxes, keys, heap, links, parents, whole } = &self.scratch;
        let scratch =
            [&boxes.buffer, &keys.buffer, &heap.buffer, &links.buffer, &parents.buffer, &whole.buffer];
        self.places.buffer().size() + scratch.into_iter().map(wgpu::Buffer::size).sum::<u64>()
    }
}

impl ScratchBuffers {
    /// Allocates memory for a number of keys.
    fn new(gpu: &Gpu, keys: usize) -> Result<Self, GpuError> {
        Ok(Self {
            boxes: Array::zeroed(gpu, "boxes", keys)?,
            keys: Array::zeroed(gpu, "keys", keys)?,
            heap: Array::zeroed(gpu, "boxes", 2 * keys)?,
            links: Array::zeroed(gpu, "nodes", keys)?,
            parents: Array::zeroed(gpu, "nodes", 2 * keys)?,
            whole: Array::zeroed(gpu, "boxes", 1)?,
        })
    }
}
