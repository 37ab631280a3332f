//! Many rays of the same class through a tree together: as far as one of them goes, all go [Overbeck08, first active ray].

use std::ops::Range;

use fearless_simd::{Select, Simd, SimdBase, SimdMask, f32x8, f32x16, mask32x8, mask32x16, u32x8};

use crate::layout::{Bvh8, Bvh8Node};
use crate::primitive::{BATCH, RayBatch};
use crate::simd::{bits, permute};

/// Batches in a packet: 64 rays, a tile of 8 by 8 pixels.
pub(crate) const GROUPS: usize = 4;

/// Rays that travel together. Those that are active have the same `class`.
pub(crate) struct Packet {
    pub(crate) groups: [RayBatch; GROUPS],
    /// One bit for each ray that still looks for something.
    pub(crate) active: [u32; GROUPS],
    /// Ends of the rays' intervals, which come closer as hits are found.
    pub(crate) t_far: [[f32; BATCH]; GROUPS],
    pub(crate) class: u32,
    /// Leaves that the last traversal visited.
    pub(crate) leaves: u32,
}

/// Bounds of all rays of a packet: what the slab test of any of them gives lies between what these give, rounding
/// included, since each of its operations is monotone [Boulos06, interval arithmetic].
struct Frustum<S: Simd> {
    origin_near: [f32x8<S>; 3],
    origin_far: [f32x8<S>; 3],
    rdir: [[f32x8<S>; 2]; 3],
    entered: [usize; 3],
    t_near: f32x8<S>,
}

impl<S: Simd> Frustum<S> {
    #[inline(always)]
    fn new(simd: S, packet: &Packet) -> Self {
        let entered =
            [packet.class as usize & 1, packet.class as usize >> 1 & 1, packet.class as usize >> 2 & 1];
        let mut frustum = Self {
            origin_near: [f32x8::splat(simd, 0.0); 3],
            origin_far: [f32x8::splat(simd, 0.0); 3],
            rdir: [[f32x8::splat(simd, 0.0); 2]; 3],
            entered,
            t_near: f32x8::splat(simd, 0.0),
        };
        let rows = &packet.groups;
        for axis in 0..3 {
            // The slab test decreases with the origin along positive directions.
            let near = range(simd, packet, rows.each_ref().map(|g| &g.origin_near[axis]));
            frustum.origin_near[axis] = f32x8::splat(simd, near[1 - entered[axis]]);
            let far = range(simd, packet, rows.each_ref().map(|g| &g.origin_far[axis]));
            frustum.origin_far[axis] = f32x8::splat(simd, far[entered[axis]]);
            let rdir = range(simd, packet, rows.each_ref().map(|g| &g.rdir[axis]));
            frustum.rdir[axis] = [f32x8::splat(simd, rdir[0]), f32x8::splat(simd, rdir[1])];
        }
        let t_near = range(simd, packet, rows.each_ref().map(|g| &g.t_near));
        frustum.t_near = f32x8::splat(simd, t_near[0]);
        frustum
    }

    /// The earliest entry of any ray into each child, and bit `i` set for each child that a ray may meet.
    #[inline(always)]
    fn test(&self, simd: S, node: &Bvh8Node, t_far: f32) -> (f32x8<S>, mask32x8<S>) {
        let plane = |axis: usize, side: usize| f32x8::load_array_ref(simd, &node.planes[axis][side & 1]);
        let near = |axis: usize| {
            let d = plane(axis, self.entered[axis]) - self.origin_near[axis];
            (d * self.rdir[axis][0]).min(d * self.rdir[axis][1])
        };
        let far = |axis: usize| {
            let d = plane(axis, self.entered[axis] ^ 1) - self.origin_far[axis];
            (d * self.rdir[axis][0]).max(d * self.rdir[axis][1])
        };
        let entry = near(0).max(near(1)).max(near(2).max(self.t_near));
        let exit = far(0).min(far(1)).min(far(2).min(f32x8::splat(simd, t_far)));
        (entry, entry.simd_le(exit))
    }
}

/// The least and the greatest of one number of all active rays.
#[inline(always)]
fn range<S: Simd>(simd: S, packet: &Packet, rows: [&[f32; BATCH]; GROUPS]) -> [f32; 2] {
    let (low, high) = (f32x16::splat(simd, f32::INFINITY), f32x16::splat(simd, f32::NEG_INFINITY));
    let (mut least, mut most) = (low, high);
    for (row, &active) in rows.iter().zip(&packet.active) {
        let (row, active) = (f32x16::load_array_ref(simd, row), mask32x16::from_bitmask(simd, active.into()));
        least = least.min(active.select(row, low));
        most = most.max(active.select(row, high));
    }
    [least.reduce_min(), most.reduce_max()]
}

/// A child that waits.
#[derive(Clone, Copy)]
struct Entry {
    /// Earliest entry of any ray.
    t: f32,
    /// Node and slot where its box and reference are.
    node: u32,
    slot: u32,
    /// The first group that may meet it.
    first: usize,
}

impl Packet {
    /// Whether the active rays go separate ways: their directions differ by more than about a sixth of a right angle, or their
    /// origins by more than a twentieth of the scene's diagonal.
    #[inline(always)]
    pub(crate) fn is_wide<S: Simd>(&self, simd: S, diagonal: f32) -> bool {
        let groups = self.groups.each_ref();
        let spread = |[least, most]: [f32; 2]| most - least;
        let [x, y] =
            [range(simd, self, groups.map(|g| &g.shear[0])), range(simd, self, groups.map(|g| &g.shear[1]))];
        let [ox, oy, oz] = [
            range(simd, self, groups.map(|g| &g.origin[0])),
            range(simd, self, groups.map(|g| &g.origin[1])),
            range(simd, self, groups.map(|g| &g.origin[2])),
        ];
        let apart = spread(ox).max(spread(oy)).max(spread(oz));
        spread(x).max(spread(y)) > 0.25 || apart > 0.05 * diagonal
    }

    /// The latest end of an active ray's interval.
    #[inline(always)]
    fn latest<S: Simd>(&self, simd: S) -> f32 {
        let low = f32x16::splat(simd, f32::NEG_INFINITY);
        let mut most = low;
        for (row, &active) in self.t_far.iter().zip(&self.active) {
            let active = mask32x16::from_bitmask(simd, active.into());
            most = most.max(active.select(f32x16::load_array_ref(simd, row), low));
        }
        most.reduce_max()
    }

    /// The active rays of a group that meet a box, as bits.
    #[inline(always)]
    fn meets<S: Simd>(&self, simd: S, group: usize, near: &[f32; 3], far: &[f32; 3]) -> u32 {
        let group = group & (GROUPS - 1);
        let (rays, active) = (&self.groups[group], self.active[group]);
        if active == 0 {
            return 0;
        }
        let load = |row: &[f32; BATCH]| f32x16::load_array_ref(simd, row);
        let splat = |x: f32| f32x16::splat(simd, x);
        let rdir = [load(&rays.rdir[0]), load(&rays.rdir[1]), load(&rays.rdir[2])];
        let entry = |axis: usize| (splat(near[axis]) - load(&rays.origin_near[axis])) * rdir[axis];
        let exit = |axis: usize| (splat(far[axis]) - load(&rays.origin_far[axis])) * rdir[axis];
        let entered = entry(0).max(entry(1)).max(entry(2).max(load(&rays.t_near)));
        let left = exit(0).min(exit(1)).min(exit(2).min(load(&self.t_far[group])));
        bits(entered.simd_le(left)) & active
    }
}

/// Visits the leaves that a packet may hit, near ones first for closest hits, promising ones first for `ANY`.
///
/// `leaf` is told the items and which rays meet their box. It may shorten intervals and end rays; the answer is whether it
/// did, and traversal ends when no ray is active.
#[inline(always)]
pub(crate) fn traverse_packet<S: Simd, const ANY: bool>(
    simd: S,
    bvh: &Bvh8,
    packet: &mut Packet,
    stack: &mut PacketStack,
    mut leaf: impl FnMut(&mut Packet, Range<usize>, &[u32; GROUPS]) -> bool,
) {
    let Some(root) = bvh.nodes.first() else { return };
    let frustum = Frustum::new(simd, packet);
    let order = if ANY { 3 * Bvh8Node::ANY_HIT_ORDER } else { 3 * (packet.class & 7) };
    let mut latest = packet.latest(simd);
    stack.0.clear();
    packet.leaves = 0;
    let first = packet.active.iter().take_while(|&&active| active == 0).count();
    stack.push_children(simd, root, 0, first, &frustum, latest, order);
    while let Some(Entry { t, node, slot, first }) = stack.0.pop() {
        if t > latest {
            continue;
        }
        let slot = slot as usize & 7;
        let Some(parent) = bvh.nodes.get(node as usize) else { return };
        let planes = |far: usize| {
            [0, 1, 2].map(|axis: usize| parent.planes[axis][(frustum.entered[axis] ^ far) & 1][slot])
        };
        let (near, far) = (planes(0), planes(1));
        let child = parent.children[slot];
        if !child.is_leaf() {
            let Some(node) = bvh.nodes.get(child.node_index()) else { return };
            let mut first = first;
            while first < GROUPS && packet.meets(simd, first, &near, &far) == 0 {
                first += 1;
            }
            if first < GROUPS {
                stack.push_children(simd, node, child.bits(), first, &frustum, latest, order);
            }
            continue;
        }
        let mut masks = [0; GROUPS];
        for (group, mask) in masks.iter_mut().enumerate().skip(first) {
            *mask = packet.meets(simd, group, &near, &far);
        }
        packet.leaves += 1;
        if masks != [0; GROUPS] && leaf(packet, child.items(), &masks) {
            latest = packet.latest(simd);
            if ANY && packet.active == [0; GROUPS] {
                return;
            }
        }
    }
}

/// Children that wait; kept between traversals for its memory.
#[derive(Default)]
pub(crate) struct PacketStack(Vec<Entry>);

impl PacketStack {
    #[inline(always)]
    fn push_children<S: Simd>(
        &mut self,
        simd: S,
        node: &Bvh8Node,
        index: u32,
        first: usize,
        frustum: &Frustum<S>,
        latest: f32,
        order: u32,
    ) {
        let (entry, met) = frustum.test(simd, node, latest);
        let met = met.select(entry, f32x8::splat(simd, f32::NAN));
        let order = u32x8::load_array_ref(simd, &node.order) >> order;
        let entry = permute(simd, met, order);
        let mut places = bits(entry.simd_eq(entry));
        let (entry, order) = (entry.to_array(), order.to_array());
        while places != 0 {
            let place = places.trailing_zeros() as usize & 7;
            self.0.push(Entry { t: entry[place], node: index, slot: order[place] & 7, first });
            places &= places - 1;
        }
    }
}
