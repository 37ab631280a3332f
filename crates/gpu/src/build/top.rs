use sunfleck_constants::group::SORT_BLOCK;
use sunfleck_shaders::Pass;
use sunfleck_shaders::layout::{Bounds, Key, Link, Node, Placement, Step, Whole};
use sunfleck_shaders::passes::build::{
    TOP_BOUNDS, TOP_CODES, TOP_DEPTH, TOP_LINK, TOP_SORT, TOP_UNITE, TOP_WHOLE, TOP_WRITE,
};

use super::{Dispatch, submit};
use crate::buffer::{Array, Twin, Upload};
use crate::pipeline::Pipeline;
use crate::resources::Resources;
use crate::{Gpu, GpuError};

/// Makes top levels: boxes of instances, their order along a space-filling curve, the tree over it [Karras12, §4].
///
/// The tree may be no deeper than walks have stacks for, and nobody waits to hear how deep it is: so one that is deeper than
/// [`most_binary`](Self::most_binary) is replaced on the GPU by one that halves the order again and again.
#[derive(Debug)]
pub(crate) struct TopBuilder {
    bounds: Pipeline,
    whole: Pipeline,
    codes: Pipeline,
    sort: Pipeline,
    unite: Pipeline,
    link: Pipeline,
    depth: Pipeline,
    write: Pipeline,
    places: Twin<Placement>,
    room: Room,
}

/// Memory for the stages between.
#[derive(Debug)]
struct Room {
    boxes: Array<Bounds>,
    keys: Array<Key>,
    heap: Array<Bounds>,
    links: Array<Link>,
    parents: Array<u32>,
    whole: Array<Whole>,
}

impl TopBuilder {
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
            places: Twin::new(gpu, "instances")?,
            room: Room::new(gpu, 0)?,
        })
    }

    /// Nodes on the way to a leaf, of the deepest tree over so many instances: two binary ones are one.
    pub(crate) fn most_depth(instances: usize) -> u32 {
        Self::most_binary(instances).div_ceil(2)
    }

    /// Half as many again as a balanced one has, and two. Those along a curve are rarely deeper.
    fn most_binary(instances: usize) -> u32 {
        let balanced = instances.max(1).next_power_of_two().ilog2();
        balanced + balanced.div_ceil(2) + 2
    }

    /// Units of a tree over so many instances, at least two, beside its root: each binary node has room for four leaves.
    pub(crate) fn units(instances: usize) -> usize {
        instances.saturating_sub(1) * Node::WIDTH * Node::UNITS
    }

    /// Makes the tree over some instances, at least two. The root is unit 0, all else from `first` on.
    ///
    /// * `units` — of all trees, those below are there. * `instances` — by `inst_id`.
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
        if self.room.keys.len() < padded as usize {
            self.room = Room::new(gpu, padded as usize)?;
        }
        self.places.update(upload, places)?;
        let most_depth = Self::most_binary(count as usize);
        let step = Step { count, padded, first, most_depth, ..Step::default() };
        let Room { boxes, keys, heap, links, parents, whole } = &self.room;
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

    fn dispatches(&self, step: Step) -> Vec<Dispatch<'_, Step>> {
        let (items, inner) = (step.count as usize, step.count as usize - 1);
        let mut all: Vec<Dispatch<'_, Step>> = vec![
            (&self.bounds, step, items),
            (&self.whole, step, 1),
            (&self.codes, step, step.padded as usize),
        ];
        // Sequences twice as long each time; those within a block at once
        let mut sort = |a, b, c| all.push((&self.sort, Step { a, b, c, ..step }, step.padded as usize / 2));
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
        // Boxes, from those of the keys up
        let mut level = step.padded;
        while level > 0 {
            all.push((&self.unite, Step { a: level, ..step }, level as usize));
            level /= 2;
        }
        all.extend([
            (&self.link, step, inner),
            (&self.depth, step, items),
            (&self.link, Step { a: 1, ..step }, inner),
            (&self.write, step, inner),
        ]);
        all
    }

    /// Memory on the GPU, bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let Room { boxes, keys, heap, links, parents, whole } = &self.room;
        let room = [&boxes.buffer, &keys.buffer, &heap.buffer, &links.buffer, &parents.buffer, &whole.buffer];
        self.places.buffer().size() + room.into_iter().map(wgpu::Buffer::size).sum::<u64>()
    }
}

impl Room {
    /// For so many keys.
    fn new(gpu: &Gpu, keys: usize) -> Result<Self, GpuError> {
        Ok(Self {
            boxes: Array::vacant(gpu, "boxes", keys)?,
            keys: Array::vacant(gpu, "keys", keys)?,
            heap: Array::vacant(gpu, "boxes", 2 * keys)?,
            links: Array::vacant(gpu, "nodes", keys)?,
            parents: Array::vacant(gpu, "nodes", 2 * keys)?,
            whole: Array::vacant(gpu, "boxes", 1)?,
        })
    }
}
