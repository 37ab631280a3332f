//! Packet traversal: rays of the same class visit the nodes that any of them hits [Overbeck08, first active ray].

use std::ops::Range;

use fearless_simd::{Select, Simd, SimdBase, SimdMask, f32x8, f32x16, mask32x8, mask32x16, u32x8, u32x16};

use super::prefetcher::Prefetcher;
use crate::layout::{Bvh8, Bvh8Node, ChildRef};
use crate::primitive::ray_numbers::{self as number, FAR, NEAR, ORIGIN, SHEAR, T_FAR, T_NEAR};
use crate::primitive::{BATCH, RayBatch};
use crate::simd::{bits, permute};

/// Number of ray batches in a packet: 64 rays, a tile of 8 × 8 pixels.
pub(crate) const GROUPS: usize = 4;

/// Packet of rays. Its active rays have the same `class`.
pub(crate) struct Packet {
    pub(crate) groups: [RayBatch; GROUPS],
    /// Active rays, one bit each.
    pub(crate) active: [u32; GROUPS],
    pub(crate) class: u32,
    /// Rays terminated since the packet was loaded.
    pub(crate) terminated: [u32; GROUPS],
    /// Number of leaves visited by the last traversal.
    pub(crate) leaves: u32,
    /// Group and lane of an active ray if all active rays share one origin.
    pub(crate) origin: Option<(usize, usize)>,
}

/// Interval bounds of all rays of a packet. The slab test of any ray gives a result between those of the bounds,
/// rounding included, since each of its operations is monotone [Boulos06, interval arithmetic].
struct Frustum<S: Simd> {
    origin_near: [f32x8<S>; 3],
    origin_far: [f32x8<S>; 3],
    rdir: [[f32x8<S>; 2]; 3],
    /// Rows of a node's entry planes.
    rows: [u32; 3],
    t_near: f32x8<S>,
}

impl<S: Simd> Frustum<S> {
    #[inline(always)]
    fn new(simd: S, packet: &Packet) -> Self {
        let rows = Bvh8Node::entered_rows(packet.class);
        let zero = f32x8::splat(simd, 0.0);
        let mut frustum = Self {
            origin_near: [zero; 3],
            origin_far: [zero; 3],
            rdir: [[zero; 2]; 3],
            rows,
            t_near: f32x8::splat(simd, range(simd, packet, T_NEAR)[0]),
        };
        for (axis, row) in rows.into_iter().enumerate() {
            // For positive directions, the distances of the slab test decrease as the origin increases.
            let negative = (row >> 3) as usize & 1;
            let [near, far] = match packet.origin {
                Some((g, lane)) => {
                    [NEAR + axis, FAR + axis].map(|number| packet.groups[g].rows[number][lane])
                }
                None => {
                    let (near, far) = (range(simd, packet, NEAR + axis), range(simd, packet, FAR + axis));
                    [near[1 - negative], far[negative]]
                }
            };
            frustum.origin_near[axis] = f32x8::splat(simd, near);
            frustum.origin_far[axis] = f32x8::splat(simd, far);
            let rdir = range(simd, packet, number::rdir(axis));
            frustum.rdir[axis] = [f32x8::splat(simd, rdir[0]), f32x8::splat(simd, rdir[1])];
        }
        frustum
    }

    /// Returns the earliest entry of any ray into each child, and a mask with bit `i` set for each child that a ray
    /// may hit.
    #[inline(always)]
    fn test(&self, simd: S, node: &Bvh8Node, t_far: f32) -> (f32x8<S>, mask32x8<S>) {
        let floats = node.floats();
        let plane = |start: u32| {
            let start = start as usize & 56;
            f32x8::from_slice(simd, &floats[start..start + 8])
        };
        let near = |axis: usize| {
            let d = plane(self.rows[axis]) - self.origin_near[axis];
            (d * self.rdir[axis][0]).min(d * self.rdir[axis][1])
        };
        let far = |axis: usize| {
            let d = plane(self.rows[axis] ^ 8) - self.origin_far[axis];
            (d * self.rdir[axis][0]).max(d * self.rdir[axis][1])
        };
        let entry = near(0).max(near(1)).max(near(2).max(self.t_near));
        let exit = far(0).min(far(1)).min(far(2).min(f32x8::splat(simd, t_far)));
        (entry, entry.simd_le(exit))
    }
}

/// Returns the minimum and maximum of one component over all active rays.
#[inline(always)]
fn range<S: Simd>(simd: S, packet: &Packet, number: usize) -> [f32; 2] {
    let (low, high) = (f32x16::splat(simd, f32::INFINITY), f32x16::splat(simd, f32::NEG_INFINITY));
    let (mut least, mut most) = (low, high);
    for (group, &active) in packet.groups.iter().zip(&packet.active) {
        let row = f32x16::load_array_ref(simd, &group.rows[number]);
        let active = mask32x16::from_bitmask(simd, active.into());
        least = least.min(active.select(row, low));
        most = most.max(active.select(row, high));
    }
    [least.reduce_min(), most.reduce_max()]
}

/// Stack entry: a child that is still to be visited.
#[derive(Clone, Copy)]
struct Entry {
    /// Earliest entry distance of any ray.
    t: f32,
    /// Node and slot that hold its box and reference.
    node: u32,
    slot: u32,
    /// First group with a ray that may hit it.
    first: usize,
}

impl Packet {
    pub(crate) const EMPTY: Self = Self {
        groups: [RayBatch::EMPTY; GROUPS],
        active: [0; GROUPS],
        class: 0,
        terminated: [0; GROUPS],
        leaves: 0,
        origin: None,
    };

    /// Activates the rays of the same class as the first one and removes them from `left`. Returns false if there
    /// are none.
    #[inline(always)]
    pub(crate) fn select_class<S: Simd>(&mut self, simd: S, left: &mut [u32; GROUPS]) -> bool {
        let Some(first) = left.iter().position(|&mask| mask != 0) else { return false };
        let lane = left[first].trailing_zeros() as usize & (BATCH - 1);
        self.class = self.groups[first].class[lane];
        let origin = self.groups[first].origin(lane);
        let mut shares_origin = true;
        for (g, left) in left.iter_mut().enumerate() {
            let class = u32x16::load_array_ref(simd, &self.groups[g].class);
            let same = bits(class.simd_eq(u32x16::splat(simd, self.class)));
            self.active[g] = *left & same;
            *left &= !same;
            shares_origin &= self.active[g] & !self.groups[g].have_origin(simd, &origin) == 0;
        }
        self.origin = shares_origin.then_some((first, lane));
        true
    }

    /// Records which rays terminate while `trace` runs.
    #[inline(always)]
    pub(crate) fn trace_and_record(&mut self, trace: impl FnOnce(&mut Self)) {
        let before = self.active;
        trace(self);
        for (g, before) in before.into_iter().enumerate() {
            self.terminated[g] |= before & !self.active[g];
        }
    }

    /// Returns whether the active rays diverge: their directions differ by more than about a sixth of a right angle,
    /// or their origins by more than a twentieth of the scene's diagonal.
    #[inline(always)]
    pub(crate) fn diverges<S: Simd>(&self, simd: S, diagonal: f32) -> bool {
        let spread = |[least, most]: [f32; 2]| most - least;
        let [x, y] = [range(simd, self, SHEAR), range(simd, self, SHEAR + 1)];
        let [ox, oy, oz] = [ORIGIN, ORIGIN + 1, ORIGIN + 2].map(|number| range(simd, self, number));
        let distance = spread(ox).max(spread(oy)).max(spread(oz));
        spread(x).max(spread(y)) > 0.25 || distance > 0.05 * diagonal
    }

    /// Returns the maximum end of the active rays' intervals.
    #[inline(always)]
    fn max_t_far<S: Simd>(&self, simd: S) -> f32 {
        range(simd, self, T_FAR)[1]
    }

    /// Returns the active rays of a group that hit a box, as a mask.
    #[inline(always)]
    fn intersect_box<S: Simd>(&self, simd: S, group: usize, near: &[f32; 3], far: &[f32; 3]) -> u32 {
        let group = group & (GROUPS - 1);
        let (rays, active) = (&self.groups[group], self.active[group]);
        if active == 0 {
            return 0;
        }
        let load = |number: usize| f32x16::load_array_ref(simd, &rays.rows[number]);
        let splat = |x: f32| f32x16::splat(simd, x);
        let rdir = [load(number::rdir(0)), load(number::rdir(1)), load(number::rdir(2))];
        let entry = |axis: usize| (splat(near[axis]) - load(NEAR + axis)) * rdir[axis];
        let exit = |axis: usize| (splat(far[axis]) - load(FAR + axis)) * rdir[axis];
        let entered = entry(0).max(entry(1)).max(entry(2).max(load(T_NEAR)));
        let left = exit(0).min(exit(1)).min(exit(2).min(load(T_FAR)));
        bits(entered.simd_le(left)) & active
    }
}

/// Visits the leaves that a packet may hit: front to back for closest hits, by hit probability for any hit.
///
/// `leaf` is called with the items and the rays that hit their box. It may shorten intervals and terminate rays, and
/// returns whether it did. Traversal ends when no ray is active.
///
/// * `start` — node at which traversal starts; not [`ChildRef::EMPTY`].
#[inline(always)]
pub(crate) fn traverse_packet<S: Simd>(
    simd: S,
    (bvh, start): (&Bvh8, ChildRef),
    packet: &mut Packet,
    stack: &mut PacketStack,
    any: bool,
    prefetcher: Prefetcher,
    mut leaf: impl FnMut(&mut Packet, Range<usize>, &[u32; GROUPS]) -> bool,
) {
    if start.is_leaf() {
        let masks = packet.active;
        packet.leaves = 1;
        leaf(packet, start.items(), &masks);
        return;
    }
    let Some(root) = bvh.nodes.get(start.node_index()) else { return };
    let frustum = Frustum::new(simd, packet);
    let order = if any { 3 * Bvh8Node::ANY_HIT_ORDER } else { 3 * (packet.class & 7) };
    let mut max_t_far = packet.max_t_far(simd);
    stack.0.clear();
    packet.leaves = 0;
    let first = packet.active.iter().take_while(|&&active| active == 0).count();
    stack.push_children(simd, root, start.bits(), first, &frustum, max_t_far, order, prefetcher);
    while let Some(Entry { t, node, slot, first }) = stack.0.pop() {
        if t > max_t_far {
            continue;
        }
        let slot = slot as usize & 7;
        let Some(parent) = bvh.nodes.get(node as usize) else { return };
        let planes = |side: u32| frustum.rows.map(|row| parent.floats()[((row ^ side) as usize & 56) + slot]);
        let (near, far) = (planes(0), planes(8));
        let child = parent.children[slot];
        if !child.is_leaf() {
            let Some(node) = bvh.nodes.get(child.node_index()) else { return };
            let mut first = first;
            while first < GROUPS && packet.intersect_box(simd, first, &near, &far) == 0 {
                first += 1;
            }
            if first < GROUPS {
                stack.push_children(simd, node, child.bits(), first, &frustum, max_t_far, order, prefetcher);
            }
            continue;
        }
        let mut masks = [0; GROUPS];
        for (group, mask) in masks.iter_mut().enumerate().skip(first) {
            *mask = packet.intersect_box(simd, group, &near, &far);
        }
        packet.leaves += 1;
        if masks != [0; GROUPS] && leaf(packet, child.items(), &masks) {
            max_t_far = packet.max_t_far(simd);
            if any && packet.active == [0; GROUPS] {
                return;
            }
        }
    }
}

/// Traversal stack, kept between traversals to reuse its memory.
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
        max_t_far: f32,
        order: u32,
        prefetcher: Prefetcher,
    ) {
        let (entry, hit) = frustum.test(simd, node, max_t_far);
        let hit = hit.select(entry, f32x8::splat(simd, f32::NAN));
        let order = u32x8::load_array_ref(simd, &node.order) >> order;
        let entry = permute(simd, hit, order);
        let mut remaining = bits(entry.simd_eq(entry));
        let (entry, order) = (entry.to_array(), order.to_array());
        while remaining != 0 {
            let position = remaining.trailing_zeros() as usize & 7;
            let slot = order[position] & 7;
            self.0.push(Entry { t: entry[position], node: index, slot, first });
            prefetcher.prefetch(node.children[slot as usize]);
            remaining &= remaining - 1;
        }
    }
}
