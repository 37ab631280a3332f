//! Rebraiding [Benthin17, §3]: large instances are split into parts, the nodes of their own trees, before a TLAS is
//! built.
//!
//! Without it, rays enter many overlapping instances in vain. [`open_largest`] selects the nodes to open, for the
//! eight-wide trees of the CPU here and for the binary trees of the GPU in `paired.rs`.

use std::collections::BinaryHeap;

use sunfleck_math::Aabb;

use crate::geometry::Geometry;
use crate::geometry::instance::{Instance, Placement};
use crate::layout::{Bvh8Node, ByArea, ChildRef};

/// Maximum number of parts that are added, so that building the TLAS remains fast.
const MAX_ADDED_PARTS: usize = 128;

/// Instance that can be hit.
pub(crate) struct ActiveInstance<'a> {
    pub(crate) inst: u32,
    pub(crate) instance: &'a Instance,
    pub(crate) geometry: &'a Geometry,
    pub(crate) placement: Placement,
}

/// Part of an instance, or the whole instance.
pub(crate) struct InstancePart {
    /// World bounds.
    pub(crate) bounds: Aabb,
    /// Index in the list of instances that can be hit.
    pub(crate) active: usize,
    /// Node or leaf at which traversal of the geometry starts.
    pub(crate) start: ChildRef,
}

/// Splits the largest instances into parts, those of the largest surface area first.
pub(crate) fn rebraid(active: &[ActiveInstance<'_>]) -> Vec<InstancePart> {
    let whole = |(active, instance): (usize, &ActiveInstance<'_>)| InstancePart {
        bounds: instance.placement.bounds,
        active,
        start: ChildRef::ROOT,
    };
    let below = |&InstancePart { active: owner, start, .. }: &InstancePart| {
        let ActiveInstance { instance, placement, geometry, .. } = &active[owner];
        let Some(node) = node(geometry, start) else { return Vec::new() };
        let part = |(slot, child)| {
            let bounds = placement.bounds_of(&instance.world_from_object, &node.bounds(slot));
            InstancePart { bounds, active: owner, start: child }
        };
        node.slots().map(part).collect()
    };
    open_largest(active.iter().enumerate().map(whole).collect(), |part| &part.bounds, below)
}

/// Repeatedly replaces the part with the largest surface area by the parts that `below` returns for it.
///
/// A single part is not opened. At most [`MAX_ADDED_PARTS`] are added.
pub(crate) fn open_largest<P>(
    mut parts: Vec<P>,
    bounds: impl Fn(&P) -> &Aabb,
    below: impl Fn(&P) -> Vec<P>,
) -> Vec<P> {
    if parts.len() < 2 {
        return parts;
    }
    let limit = parts.len() + MAX_ADDED_PARTS;
    let candidate = |item: usize, part: &P| ByArea { area: bounds(part).half_area(), item };
    let mut largest: BinaryHeap<ByArea> =
        parts.iter().enumerate().map(|(i, part)| candidate(i, part)).collect();
    while let Some(ByArea { item, .. }) = largest.pop() {
        let mut below = below(&parts[item]).into_iter();
        if parts.len() + below.len() > limit + 1 {
            break;
        }
        // The first part replaces the opened one.
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

/// Returns the box of a node or leaf of a geometry's tree, by a linear search; `None` for the root.
pub(crate) fn bounds_of_child(geometry: &Geometry, start: ChildRef) -> Option<Aabb> {
    let Geometry::Triangles(blas) = geometry else { return None };
    let slot =
        |node: &Bvh8Node| node.slots().find(|(_, child)| *child == start).map(|(slot, _)| node.bounds(slot));
    blas.bvh().nodes.iter().find_map(slot)
}

/// Returns a node of a triangle mesh; `None` for leaves and other geometries.
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

    /// Height field of 2 n² triangles.
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

    /// Returns the items of all leaves below a node or leaf.
    fn items(geometry: &Geometry, start: ChildRef) -> Vec<usize> {
        match node(geometry, start) {
            Some(node) => node.slots().flat_map(|(_, child)| items(geometry, child)).collect(),
            None => start.items().collect(),
        }
    }

    #[test]
    fn parts_of_an_instance_cover_it_once() {
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
            assert_eq!(found, all, "instance {inst}: each leaf once");
        }
        assert_eq!(tlas.stats().primitives, 3, "parts are not counted as instances");
    }
}
