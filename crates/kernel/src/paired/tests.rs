//! Compares a scalar traversal of the trees for the GPU with the queries of the CPU: the hits must have the same bits.

use fearless_simd::{Level, dispatch};
use sunfleck_math::{Ray, vec3};

use super::*;
use crate::builder::Quality;
use crate::geometry::instance::Instance;
use crate::layout::{Bvh4Content, Bvh4Slot, EntryPoint};
use crate::primitive::{Candidate, TriangleRay, intersect_triangle};

/// Linear congruential generator of numbers in [-1, 1).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    }

    fn point(&mut self) -> Vec3 {
        vec3(self.next(), self.next(), self.next())
    }
}

/// Returns a mesh of unconnected random triangles.
fn soup(count: u32, size: f32, random: &mut Random) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut positions = Vec::new();
    for _ in 0..count {
        let at = random.point();
        positions.extend([at, at + random.point() * size, at + random.point() * size]);
    }
    (positions, (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect())
}

/// Calls `item` for each item of the leaves whose boxes the ray hits before `t_far`; `item` returns the new `t_far`.
fn walk(tree: &Bvh4, ray: &TriangleRay, mut t_far: f32, item: &mut dyn FnMut(u32, f32) -> f32) {
    let mut stack: Vec<_> = tree.slots.first().map(|root| (root, 1)).into_iter().collect();
    while let Some((slot, depth)) = stack.pop() {
        if let Bvh4Content::Leaf { first, count } = slot.content {
            t_far = (first..first + count).fold(t_far, |t_far, i| item(i, t_far));
            continue;
        }
        assert!(depth <= tree.depth, "a node at depth {depth} of {}", tree.depth);
        for child in tree.children(slot.content) {
            let interval = ray.slabs.interval(&child.bounds);
            if interval.is_some_and(|(entry, exit)| entry <= t_far && exit >= 0.0) {
                stack.push((child, depth + 1));
            }
        }
    }
}

/// Returns the boxes of all leaves, their first items, and their numbers of items.
fn leaves(tree: &Bvh4) -> impl Iterator<Item = (Aabb, u32, u32)> {
    tree.slots.iter().filter_map(|slot| match slot.content {
        Bvh4Content::Leaf { first, count } => Some((slot.bounds, first, count)),
        Bvh4Content::Node { .. } => None,
    })
}

/// Returns the leaves below a slot, and checks that each box encloses those below it.
fn below(tree: &Bvh4, slot: &Bvh4Slot) -> Vec<Bvh4Slot> {
    let children = tree.children(slot.content);
    assert!(
        children.iter().all(|child| child.bounds.union(slot.bounds) == slot.bounds),
        "{slot:?} is too small"
    );
    match slot.content {
        Bvh4Content::Leaf { .. } => vec![*slot],
        Bvh4Content::Node { .. } => children.iter().flat_map(|child| below(tree, child)).collect(),
    }
}

/// Returns the closest hit: the index of the triangle, and the hit.
fn closest(paired: &PairedTriangles, bounds: &Aabb, ray: &Ray) -> Option<(u32, Candidate)> {
    let prepared = TriangleRay::new(ray.origin, ray.direction, ray.t_near, ray.t_far, bounds)?;
    let mut found: Option<(u32, Candidate)> = None;
    walk(&paired.tree, &prepared, ray.t_far, &mut |i, t_far| {
        let triangle = &paired.triangles[i as usize];
        if let Some(hit) = intersect_triangle(&triangle.corners, &prepared, t_far)
            && found.is_none_or(|(prim, best)| (hit.t, triangle.prim_id) < (best.t, prim))
        {
            found = Some((triangle.prim_id, hit));
        }
        found.map_or(t_far, |(_, hit)| hit.t)
    });
    found
}

#[test]
fn hits_equal_those_of_the_eight_wide_tree() {
    let mut random = Random(1);
    for (count, size) in [(0, 1.0), (1, 1.0), (3, 1.0), (40, 0.5), (5000, 0.05), (2000, 1.5)] {
        let (positions, triangles) = soup(count, size, &mut random);
        for quality in [Quality::Fast, Quality::Balanced, Quality::Best] {
            let options = BuildOptions { quality, ..BuildOptions::default() };
            let blas = Blas::build(&positions, &triangles, &options).unwrap();
            let paired = blas.paired();
            let bounds = blas.bounds();
            let identity = Instance { blas: 0, world_from_object: Affine3::IDENTITY, mask: 1, opaque: true };
            let tlas = Tlas::build(vec![blas], vec![identity], &options).unwrap();
            let mut hits = 0;
            for _ in 0..2000 {
                let ray = Ray::new(random.point() * 2.0, random.point());
                let expected = dispatch!(Level::new(), simd => tlas.intersect(simd, &ray));
                let found = closest(&paired, &bounds, &ray);
                let bits = |t: f32, u: f32, v: f32, prim: u32| (t.to_bits(), u.to_bits(), v.to_bits(), prim);
                assert_eq!(
                    found.map(|(prim, hit)| bits(hit.t, hit.u, hit.v, prim)),
                    expected.map(|hit| bits(hit.t, hit.u, hit.v, hit.prim_id)),
                    "{count} triangles, {quality:?}"
                );
                hits += u32::from(found.is_some());
            }
            assert!(count < 40 || hits > 100, "{count} triangles: {hits} hits");
        }
    }
}

#[test]
fn leaves_hold_each_triangle_once() {
    let (positions, triangles) = soup(3000, 0.1, &mut Random(2));
    let options = BuildOptions { quality: Quality::Balanced, ..BuildOptions::default() };
    let paired = Blas::build(&positions, &triangles, &options).unwrap().paired();
    let mut prims: Vec<u32> = paired.triangles.iter().map(|triangle| triangle.prim_id).collect();
    prims.sort_unstable();
    assert_eq!(prims, (0..3000).collect::<Vec<u32>>(), "each triangle once");
    let leaves: Vec<Bvh4Slot> = below(&paired.tree, &paired.tree.slots[0]);
    let counts = leaves.iter().map(|leaf| match leaf.content {
        Bvh4Content::Leaf { count, .. } => count,
        Bvh4Content::Node { .. } => 0,
    });
    assert!(counts.clone().all(|count| count == 1 || count == 2), "single triangles and pairs");
    assert_eq!(counts.sum::<u32>(), 3000, "no other triangles");
}

#[test]
fn entry_points_cover_their_subtrees() {
    for count in [1, 2, 3, 9, 100, 3000] {
        let (positions, triangles) = soup(count, 0.3, &mut Random(5));
        let PairedTriangles { tree, entry_points, .. } =
            Blas::build(&positions, &triangles, &BuildOptions::BEST).unwrap().paired();
        assert_eq!(
            (tree.entries.len(), tree.entries[0].slot),
            (entry_points.points.len(), 0),
            "the root is the first entry point"
        );
        let leaves = |point: usize| {
            let mut leaves = below(&tree, &tree.slots[tree.entries[point].slot as usize]);
            leaves.sort_by_key(|leaf| match leaf.content {
                Bvh4Content::Leaf { first, .. } => first,
                Bvh4Content::Node { .. } => u32::MAX,
            });
            leaves
        };
        for (point, EntryPoint { bounds, children, .. }) in entry_points.points.iter().enumerate() {
            let own = leaves(point);
            let around = own.iter().fold(Aabb::EMPTY, |all, leaf| all.union(leaf.bounds));
            assert_eq!(
                around.union(*bounds),
                *bounds,
                "{count} triangles, entry point {point}: its box encloses its leaves"
            );
            if let Some(left) = *children {
                let mut both = [leaves(left), leaves(left + 1)].concat();
                both.sort_by_key(|leaf| own.iter().position(|other| other == leaf));
                assert_eq!(
                    both, own,
                    "{count} triangles, entry point {point}: its children have the same leaves"
                );
            }
        }
    }
}

#[test]
fn boxes_enclose_instances() {
    let (positions, triangles) = soup(20, 0.2, &mut Random(3));
    let blas = Blas::build(&positions, &triangles, &BuildOptions::default()).unwrap();
    let mut random = Random(4);
    let instances: Vec<Instance> = (0..300)
        .map(|i| {
            let at = Affine3::from_translation(random.point() * 20.0);
            Instance { blas: 0, world_from_object: at, mask: u32::from(i != 7), opaque: true }
        })
        .collect();
    let whole = blas.paired();
    let entry_points = &whole.entry_points;
    let tlas = Tlas::build(vec![blas], instances.clone(), &BuildOptions::default()).unwrap();
    for all_entry_points in [&[][..], &[entry_points]] {
        let paired = tlas.paired(all_entry_points);
        assert_eq!(
            paired.parts.len() > 299,
            !all_entry_points.is_empty(),
            "instances are rebraided if there are entry points"
        );
        let mut ids: Vec<u32> = paired.parts.iter().map(|part| part.inst_id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids, (0..300).filter(|&i| i != 7).collect::<Vec<u32>>(), "all but the hidden one");
        let tree = paired.tree(|_| false, |_| HitProbabilities::default());
        let mut held = vec![0; 300];
        for (bounds, part, _) in leaves(&tree) {
            let Bvh4InstancePart { inst_id, entry, object_from_world } = paired.parts[part as usize];
            let world_from_object = &instances[inst_id as usize].world_from_object;
            assert_eq!(object_from_world, world_from_object.inverse());
            let slot = &whole.tree.slots[whole.tree.entries[entry].slot as usize];
            let items = below(&whole.tree, slot).into_iter().flat_map(|leaf| match leaf.content {
                Bvh4Content::Leaf { first, count } => first..first + count,
                Bvh4Content::Node { .. } => 0..0,
            });
            for prim_id in items.map(|i| whole.triangles[i as usize].prim_id) {
                let corners = triangles[prim_id as usize]
                    .map(|i| world_from_object.transform_point3(positions[i as usize]));
                assert!(
                    corners.iter().all(|&p| bounds.contains(p)),
                    "instance {inst_id}, triangle {prim_id}"
                );
                held[inst_id as usize] += 1;
            }
        }
        held.remove(7);
        assert!(held.iter().all(|&count| count == 20), "each triangle of each instance once: {held:?}");
    }
}

#[test]
fn triangles_with_a_common_edge_are_paired() {
    // A wall of squares of two triangles each, first with shared vertices, then with separate vertices for each
    // triangle
    let square = |i: u32| {
        let (x, y) = ((i % 20) as f32, (i / 20) as f32);
        [vec3(x, y, 0.0), vec3(x + 1.0, y, 0.0), vec3(x + 1.0, y + 1.0, 0.0), vec3(x, y + 1.0, 0.0)]
    };
    let shared: Vec<Vec3> = (0..200).flat_map(square).collect();
    let shared_faces: Vec<[u32; 3]> =
        (0..200).flat_map(|i| [[4 * i, 4 * i + 1, 4 * i + 2], [4 * i, 4 * i + 2, 4 * i + 3]]).collect();
    let own: Vec<Vec3> = shared_faces.iter().flatten().map(|&vertex| shared[vertex as usize]).collect();
    let own_faces: Vec<[u32; 3]> = (0..400).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();

    let pair_leaves = |PairedTriangles { tree, triangles, .. }: PairedTriangles| {
        let all = below(&tree, &tree.slots[0]).into_iter();
        let first = all.filter_map(|leaf| match leaf.content {
            Bvh4Content::Leaf { first, count: 2 } => Some(first),
            _ => None,
        });
        let pair_leaves = first.map(|first| {
            let [a, b] = [0, 1].map(|i| triangles[(first + i) as usize].corners);
            assert_eq!(a.iter().filter(|corner| b.contains(corner)).count(), 2, "{a:?} and {b:?}");
        });
        (pair_leaves.count(), triangles.len())
    };
    let build = |positions: &[Vec3], triangles: &[[u32; 3]]| {
        Blas::build(positions, triangles, &BuildOptions::default()).unwrap()
    };
    for (positions, triangles, by_vertices) in [(&shared, &shared_faces, 200), (&own, &own_faces, 0)] {
        let blas = build(positions, triangles);
        assert_eq!(pair_leaves(blas.paired()), (200, 400), "the two triangles of each square");
        assert_eq!(pair_leaves(blas.paired_by_vertices(triangles)), (by_vertices, 400));
    }
}
