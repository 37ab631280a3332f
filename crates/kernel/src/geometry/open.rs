//! Opening instances [Benthin17, §3]: where instances overlap, rays enter many for nothing. So the top level holds parts of large
//! ones, by the nodes of their own trees. [`cut`] is the rule, for the processor's wide trees here and for a GPU's binary ones in `paired.rs`.

use std::collections::BinaryHeap;

use sunfleck_math::Aabb;

use crate::geometry::Geometry;
use crate::geometry::instance::{Instance, Placement};
use crate::layout::{Bvh8Node, ChildRef, Largest};

/// So many parts are added at most, so that the top level is still built in no time.
const MOST: usize = 128;

/// An instance that can be hit.
pub(crate) struct Shown<'a> {
    pub(crate) inst: u32,
    pub(crate) instance: &'a Instance,
    pub(crate) geometry: &'a Geometry,
    pub(crate) placement: Placement,
}

/// A part of an instance, or the whole.
pub(crate) struct Part {
    /// In the world.
    pub(crate) bounds: Aabb,
    /// Index in the list of instances that can be hit.
    pub(crate) shown: usize,
    /// Where its tree is entered.
    pub(crate) start: ChildRef,
}

/// Cuts the largest instances into parts, those of the largest surface area first.
pub(crate) fn open(shown: &[Shown<'_>]) -> Vec<Part> {
    let whole = |(shown, instance): (usize, &Shown<'_>)| Part {
        bounds: instance.placement.bounds,
        shown,
        start: ChildRef::ROOT,
    };
    let below = |&Part { shown: owner, start, .. }: &Part| {
        let Shown { instance, placement, geometry, .. } = &shown[owner];
        let Some(node) = node(geometry, start) else { return Vec::new() };
        let part = |(slot, child)| {
            let bounds = placement.bounds_of(&instance.world_from_object, &node.bounds(slot));
            Part { bounds, shown: owner, start: child }
        };
        node.slots().map(part).collect()
    };
    cut(shown.iter().enumerate().map(whole).collect(), |part| &part.bounds, below)
}

/// Cuts the largest of some parts into those that `below` says, again and again; a single part stays as it is.
pub(crate) fn cut<P>(
    mut parts: Vec<P>,
    bounds: impl Fn(&P) -> &Aabb,
    below: impl Fn(&P) -> Vec<P>,
) -> Vec<P> {
    if parts.len() < 2 {
        return parts;
    }
    let limit = parts.len() + MOST;
    let candidate = |item: usize, part: &P| Largest { area: bounds(part).half_area(), item };
    let mut largest: BinaryHeap<Largest> =
        parts.iter().enumerate().map(|(i, part)| candidate(i, part)).collect();
    while let Some(Largest { item, .. }) = largest.pop() {
        let mut below = below(&parts[item]).into_iter();
        if parts.len() + below.len() > limit + 1 {
            break;
        }
        // The first takes the place of the whole
        let Some(first) = below.next() else { continue };
        largest.push(candidate(item, &first));
        parts[item] = first;
        for part in below {
            largest.push(candidate(parts.len(), &part));
            parts.push(part);
        }
    }
    parts
}

/// The box of a place in a geometry's tree other than its root, found the slow way.
pub(crate) fn box_of(geometry: &Geometry, start: ChildRef) -> Option<Aabb> {
    let Geometry::Triangles(blas) = geometry else { return None };
    let slot =
        |node: &Bvh8Node| node.slots().find(|(_, child)| *child == start).map(|(slot, _)| node.bounds(slot));
    blas.bvh().nodes.iter().find_map(slot)
}

/// A node of triangles.
fn node(geometry: &Geometry, start: ChildRef) -> Option<&Bvh8Node> {
    match geometry {
        Geometry::Triangles(blas) if !start.is_leaf() => blas.bvh().nodes.get(start.node_index()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sunfleck_math::{Affine3, Vec3, cos, sin, vec3};

    use super::*;
    use crate::{Blas, BuildOptions, Tlas};

    /// A field of hills, 2 n² triangles.
    fn hills(n: u32) -> Geometry {
        let at = |x: u32, y: u32| {
            let (x, y) = (x as f32 / n as f32, y as f32 / n as f32);
            vec3(x, y, 0.1 * sin(20.0 * x) * cos(17.0 * y))
        };
        let vertices: Vec<Vec3> = (0..=n).flat_map(|y| (0..=n).map(move |x| at(x, y))).collect();
        let square = |x: u32, y: u32| {
            let a = y * (n + 1) + x;
            [[a, a + 1, a + n + 1], [a + 1, a + n + 2, a + n + 1]]
        };
        let triangles: Vec<[u32; 3]> = (0..n).flat_map(|y| (0..n).flat_map(move |x| square(x, y))).collect();
        Geometry::from(Arc::new(Blas::build(&vertices, &triangles, &BuildOptions::BALANCED).unwrap()))
    }

    /// The items of the leaves below a place.
    fn items(geometry: &Geometry, start: ChildRef) -> Vec<usize> {
        match node(geometry, start) {
            Some(node) => node.slots().flat_map(|(_, child)| items(geometry, child)).collect(),
            None => start.items().collect(),
        }
    }

    #[test]
    fn the_parts_of_an_instance_are_the_whole() {
        let geometry = hills(40);
        let instance = |shift: f32| Instance {
            blas: 0,
            world_from_object: Affine3::from_translation(Vec3::splat(shift)),
            mask: 1,
            opaque: true,
        };
        let tlas =
            Tlas::build(vec![geometry], [0.0, 0.1, 0.2].map(instance).to_vec(), &BuildOptions::BALANCED)
                .unwrap();
        tlas.validate().unwrap();
        assert!(tlas.placed().len() > 64, "only {} parts", tlas.placed().len());
        let geometry = &tlas.geometries()[0];
        let all = {
            let mut all = items(geometry, ChildRef::ROOT);
            all.sort_unstable();
            all
        };
        for inst in 0..3 {
            let of_inst = tlas.placed().iter().filter(|placed| placed.inst() == inst);
            let mut found: Vec<_> = of_inst.flat_map(|placed| items(geometry, placed.start)).collect();
            found.sort_unstable();
            assert_eq!(found, all, "instance {inst}: every leaf once");
        }
        assert_eq!(tlas.stats().primitives, 3, "parts are not counted as instances");
    }
}
