use std::ops::{ControlFlow, Range};

use fearless_simd::Simd;

use super::stack::TraversalStack;
use crate::layout::{Bvh8, Bvh8Node, ChildRef};
use crate::primitive::RayNumbers;
use crate::primitive::SlabRay;
use crate::primitive::ray_numbers::{self as number, FAR, NEAR, T_FAR, T_NEAR};

/// Visits the leaves that a single ray may hit: front to back, or for `ANY` by hit probability.
///
/// `leaf` tests items and returns the new end of the interval, or breaks. Boxes that are entered exactly at the end
/// are visited: ties are for the leaf test to decide.
///
/// * `start` — node at which traversal starts.
#[inline(always)]
pub(crate) fn traverse<S: Simd, const ANY: bool>(
    simd: S,
    (bvh, start): (&Bvh8, ChildRef),
    slabs: &SlabRay,
    t_near: f32,
    t_far: f32,
    mut leaf: impl FnMut(Range<usize>) -> ControlFlow<(), f32>,
) -> ControlFlow<()> {
    let (mut ray, rows, octant) = numbers(slabs, t_near, t_far);
    let order = 3 * if ANY { Bvh8Node::ANY_HIT_ORDER } else { octant };
    let mut stack = TraversalStack::new();
    let mut next = start;
    loop {
        while !next.is_leaf() {
            // A node is missing only if the tree is empty.
            let Some(node) = bvh.nodes.get(next.node_index()) else { return ControlFlow::Continue(()) };
            next = stack.visit_and_pop(simd, node, &ray, &rows, order, ANY);
        }
        if next == ChildRef::EMPTY {
            match stack.unspill(ray.0[T_FAR]) {
                Some(child) => next = child,
                None => return ControlFlow::Continue(()),
            }
            continue;
        }
        let t_far = leaf(next.items())?;
        if t_far < ray.0[T_FAR] {
            ray.0[T_FAR] = t_far;
            stack.shorten(simd, t_far);
        }
        next = stack.pop();
    }
}

/// Returns the ray's numbers for box tests in the order of the axes, the rows of its entry planes, and its octant.
#[inline(always)]
fn numbers(slabs: &SlabRay, t_near: f32, t_far: f32) -> (RayNumbers, [u32; 3], u32) {
    let mut ray = RayNumbers::UNSET;
    let (mut rows, mut octant) = ([0; 3], 0);
    for (axis, row) in rows.iter_mut().enumerate() {
        ray.0[NEAR + axis] = slabs.origin_near[axis];
        ray.0[FAR + axis] = slabs.origin_far[axis];
        ray.0[number::rdir(axis)] = slabs.rdir[axis];
        let negative = u32::from(slabs.entered[axis] != 0);
        *row = Bvh8Node::row(axis, negative);
        octant |= negative << axis;
    }
    ray.0[T_NEAR] = t_near;
    ray.0[T_FAR] = t_far;
    (ray, rows, octant)
}
