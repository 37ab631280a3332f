use std::ops::{ControlFlow, Range};

use fearless_simd::{Simd, SimdBase, f32x8};

use super::slab_ray::WideSlabRay;
use super::stack::{Entry, Stack};
use crate::layout::{Bvh8, Bvh8Node, ChildRef};
use crate::simd::bits;

/// Visits the leaves that a single ray may hit, near ones first.
///
/// `leaf` tests some items and returns the new end of the interval, or breaks. Boxes that begin exactly at the end are
/// visited: ties are for the leaf test to decide.
#[inline(always)]
pub(crate) fn traverse<S: Simd>(
    simd: S,
    bvh: &Bvh8,
    ray: &WideSlabRay<S>,
    mut t_far: f32,
    mut leaf: impl FnMut(Range<usize>) -> ControlFlow<(), f32>,
) -> ControlFlow<()> {
    let mut stack = Stack::new();
    let mut current = ChildRef::ROOT;
    loop {
        // Down to the nearest leaf
        while !current.is_leaf() {
            // The only way for a node to be missing is an empty tree.
            let Some(node) = bvh.nodes.get(current.node_index()) else { return ControlFlow::Continue(()) };
            let (entry, mut hits) = slab_test(simd, node, ray, t_far);
            current = match hits.count_ones() {
                0 => ChildRef::EMPTY,
                1 => node.children[hits.trailing_zeros() as usize & 7],
                2 => {
                    let entry = entry.to_array();
                    let (a, b) =
                        (hits.trailing_zeros() as usize & 7, (31 - hits.leading_zeros()) as usize & 7);
                    let (near, far) = if entry[b] < entry[a] { (b, a) } else { (a, b) };
                    stack.push(Entry { t: entry[far], child: node.children[far] });
                    node.children[near]
                }
                _ => {
                    let entry = entry.to_array();
                    let start = stack.len();
                    while hits != 0 {
                        let slot = hits.trailing_zeros() as usize & 7;
                        stack.push(Entry { t: entry[slot], child: node.children[slot] });
                        hits &= hits - 1;
                    }
                    stack.sort_from(start);
                    stack.pop().map_or(ChildRef::EMPTY, |e| e.child)
                }
            };
        }
        // What is in it
        if current != ChildRef::EMPTY {
            t_far = leaf(current.items())?;
        }
        // The nearest of the rest that is not behind what was found
        current = loop {
            match stack.pop() {
                None => return ControlFlow::Continue(()),
                Some(next) if next.t <= t_far => break next.child,
                Some(_) => {}
            }
        };
    }
}

/// Where the ray enters the eight boxes, and bit `i` for each box that it meets in `[t_near, t_far]`.
#[inline(always)]
fn slab_test<S: Simd>(simd: S, node: &Bvh8Node, ray: &WideSlabRay<S>, t_far: f32) -> (f32x8<S>, u32) {
    let t = |axis: usize, side: usize, origin: &[f32x8<S>; 3]| {
        (f32x8::load_array_ref(simd, &node.planes[axis][side & 1]) - origin[axis]) * ray.rdir[axis]
    };
    let near = |axis: usize| t(axis, ray.entered[axis], &ray.origin_near);
    let far = |axis: usize| t(axis, ray.entered[axis] ^ 1, &ray.origin_far);
    let entry = near(0).max(near(1)).max(near(2).max(ray.t_near));
    let exit = far(0).min(far(1)).min(far(2).min(f32x8::splat(simd, t_far)));
    (entry, bits(entry.simd_le(exit)))
}
