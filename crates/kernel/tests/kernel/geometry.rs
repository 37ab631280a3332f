//! Shapes, user geometry, nested groups, masks and faces: against closed forms, and on every SIMD level against brute
//! force.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::sync::Arc;

use crate::common::meshes::{grid, soup, sphere};
use crate::common::shapes::random_shapes;
use crate::common::{
    Random, assert_query_matches, blas, instance, intersect, occluded, random_transform, world,
};
use sunfleck_kernel::{
    BuildError, BuildOptions, Faces, Geometry, Hit, Instance, MAX_LEVELS, Query, Shapes, SkippedPrimitives,
    Tlas, UserGeometry, UserHit, UserPrimitives, brute_force,
};
use sunfleck_math::{Aabb, Affine3, Mat3, Ray, Shape, UnitShape, Vec3, vec2, vec3};

/// User geometry of solid boxes, which a ray enters and leaves.
struct Boxes(Vec<Aabb>);

impl UserPrimitives for Boxes {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn bounds(&self, prim: u32) -> Aabb {
        let Aabb { min, max } = self.0[prim as usize];
        Aabb { min: min - 1e-5, max: max + 1e-5 }
    }

    fn intersect(&self, prim: u32, ray: &Ray) -> Option<UserHit> {
        let b = &self.0[prim as usize];
        let (mut enter, mut leave) = ((f32::NEG_INFINITY, 0), (f32::INFINITY, 0));
        for axis in 0..3 {
            let (o, d) = (ray.origin[axis], ray.direction[axis]);
            let (a, c) = ((b.min[axis] - o) / d, (b.max[axis] - o) / d);
            let (near, far) = if a < c { (a, c) } else { (c, a) };
            enter = if near > enter.0 { (near, axis) } else { enter };
            leave = if far < leave.0 { (far, axis) } else { leave };
        }
        let hit = |(t, axis): (f32, usize), side: f32| {
            let mut ng = Vec3::ZERO;
            ng[axis] = side * ray.direction[axis].signum();
            UserHit { t, u: axis as f32, v: 0.5, ng }
        };
        let mut both = [hit(enter, -1.0), hit(leave, 1.0)].into_iter().filter(|_| enter.0 <= leave.0);
        both.find(|hit| ray.t_near <= hit.t && hit.t <= ray.t_far)
    }
}

fn shapes(shapes: &[Shape]) -> Geometry {
    let shapes = Shapes::build(shapes, &BuildOptions::default()).unwrap();
    shapes.validate().unwrap();
    shapes.into()
}

fn boxes(count: usize, random: &mut Random) -> Geometry {
    let boxes = (0..count).map(|_| {
        let (at, size) = (random.cube(), random.cube().abs() * 0.3 + 0.01);
        Aabb { min: at - size, max: at + size }
    });
    let user = UserGeometry::build(Arc::new(Boxes(boxes.collect())), &BuildOptions::default()).unwrap();
    user.validate().unwrap();
    user.into()
}

/// Returns rays of several kinds towards a box.
fn rays_through(bounds: Aabb, count: usize, random: &mut Random) -> Vec<Ray> {
    let (center, half) = (bounds.center(), bounds.size() * 0.5);
    (0..count)
        .map(|i| {
            let target = center + random.cube() * half;
            let origin = center + random.cube() * half * [0.8, 2.0, 300.0][i % 3];
            match i % 5 {
                0 => Ray { t_near: 0.4, t_far: 1.1, ..Ray::new(origin, target - origin) },
                1 => Ray { t_near: -3.0, ..Ray::new(target, random.direction() * half) },
                2 => Ray::new(target - Vec3::X * half * 3.0, Vec3::X),
                _ => Ray::new(origin, target - origin),
            }
        })
        .collect()
}

const QUERIES: [Query; 4] = [
    Query::ALL,
    Query::ALL.with_mask(0b101),
    Query::ALL.with_faces(Faces::Front),
    Query::ALL.with_faces(Faces::Back).with_mask(0b110),
];

/// Filter that depends on the hit alone: accepts every other interval of `t`.
fn chequered(hit: &Hit) -> bool {
    (hit.t * 16.0).floor().rem_euclid(2.0) == 0.0
}

fn check(tlas: &Tlas, rays: &[Ray], what: &str) {
    for query in &QUERIES {
        let hits = assert_query_matches(tlas, rays, query, &chequered, what);
        assert!(hits * 20 > rays.len(), "{what}, {query:?}: only {hits} of {} rays hit", rays.len());
    }
}

/// Returns one geometry of each kind, and a second triangle mesh.
fn geometry_of_each_kind(random: &mut Random) -> Vec<Geometry> {
    vec![
        blas(&soup(80, 0.6, 3)).into(),
        shapes(&random_shapes(120, random)),
        boxes(40, random),
        blas(&sphere(2)).into(),
    ]
}

fn scattered(count: u32, geometries: u32, random: &mut Random) -> Vec<Instance> {
    (0..count)
        .map(|i| Instance {
            mask: [1, 2, 4, 6, 7][i as usize % 5],
            opaque: i % 3 == 0,
            ..instance(i % geometries, random_transform(random))
        })
        .collect()
}

#[test]
fn all_kinds_match_brute_force() {
    let mut random = Random(61);
    let placed = scattered(24, 4, &mut random);
    let tlas = world(geometry_of_each_kind(&mut random), placed);
    let rays = rays_through(tlas.bounds(), 1200, &mut random);
    check(&tlas, &rays, "all kinds");
    // Each kind on its own, with the identity transform
    for (kind, geometry) in geometry_of_each_kind(&mut random).into_iter().enumerate() {
        let placed = Instance { mask: 7, opaque: false, ..instance(0, Affine3::IDENTITY) };
        let tlas = world(vec![geometry], vec![placed]);
        let rays = rays_through(tlas.bounds(), 600, &mut random);
        check(&tlas, &rays, &format!("kind {kind} alone"));
    }
}

/// Returns groups nested `levels` deep, with instances of each kind of geometry on every level, and the transform of
/// the innermost group.
fn nested(levels: usize, random: &mut Random) -> (Tlas, Affine3) {
    let mut tlas = world(geometry_of_each_kind(random), scattered(4, 4, random));
    let mut world_from_innermost = Affine3::IDENTITY;
    for _ in 1..levels {
        let mut geometries = geometry_of_each_kind(random);
        geometries.push(tlas.into());
        let mut placed = scattered(4, 4, random);
        for opaque in [false, true] {
            let turn = random_transform(random);
            placed.push(Instance { mask: 7, opaque, ..instance(4, turn) });
        }
        world_from_innermost = placed[4].world_from_object * world_from_innermost;
        tlas = world(geometries, placed);
    }
    (tlas, world_from_innermost)
}

/// Returns rays that begin or end in the innermost group.
fn rays_into(world_from_innermost: &Affine3, count: usize, random: &mut Random) -> Vec<Ray> {
    (0..count)
        .map(|i| {
            let [from, to] = [random.cube() * [2.0, 0.5, 40.0][i % 3], random.cube() * 2.0];
            let [from, to] = [from, to].map(|p| world_from_innermost.transform_point3(p));
            let ray = Ray::new(from, to - from);
            if i % 4 == 0 { Ray { t_near: -1.0, t_far: 0.9, ..ray } } else { ray }
        })
        .collect()
}

#[test]
fn nested_levels_match_brute_force() {
    let mut random = Random(67);
    for levels in [2, 4, 5, MAX_LEVELS] {
        let (tlas, innermost) = nested(levels, &mut random);
        let rays = rays_into(&innermost, [200, 60][usize::from(levels == MAX_LEVELS)], &mut random);
        let hits = assert_query_matches(&tlas, &rays, &Query::ALL, &chequered, "nested");
        assert!(hits * 3 > rays.len(), "only {hits} of {} rays hit", rays.len());
        assert_query_matches(&tlas, &rays, &QUERIES[3], &chequered, "nested, masked back faces");
        let found = rays.iter().filter_map(|ray| intersect(&tlas, ray));
        let deepest = found.filter(|hit| hit.inst_path.as_slice().len() == levels - 1).count();
        assert!(deepest * 10 > rays.len(), "only {deepest} hits are {levels} levels deep");
    }
}

/// Rays that graze the corners of a triangle four levels deep, where the padding of each level decides.
#[test]
fn grazing_rays_through_four_levels() {
    let mut random = Random(71);
    let mut hits = 0;
    for _ in 0..100 {
        let sheet = grid(1);
        let mut tlas = world(vec![blas(&sheet)], vec![instance(0, random_transform(&mut random))]);
        let mut placed = tlas.instances()[0].world_from_object;
        for _ in 0..3 {
            let outer = random_transform(&mut random);
            tlas = world(vec![tlas], vec![instance(0, outer)]);
            placed = outer * placed;
        }
        let rays: Vec<Ray> = (0..40)
            .map(|i| {
                let [a, b, c] = sheet.corners(i % 2).map(|p| placed.transform_point3(p));
                let target = [a, b, a + (b - a) * random.unit(), a * 0.5 + c * 0.5][i / 2 % 4];
                let along = [random.direction(), (c - b) * 3.0, (b - a) * 0.7 + random.cube() * 1e-5][i % 3];
                Ray::new(target - along * [1.0, 100.0][i / 7 % 2], along)
            })
            .collect();
        hits += assert_query_matches(&tlas, &rays, &Query::ALL, &|_| true, "grazing four levels");
    }
    assert!(hits > 400, "only {hits} hits");
}

#[test]
fn hits_have_the_path_of_instances() {
    let mut tlas = world(vec![blas(&grid(1))], vec![instance(0, Affine3::IDENTITY)]);
    for _ in 0..3 {
        let step = instance(0, Affine3::from_translation(vec3(2.0, 0.0, 0.0)));
        tlas = world(vec![tlas], vec![instance(0, Affine3::from_translation(Vec3::X * 90.0)), step]);
    }
    let ray = Ray::new(vec3(6.5, 0.25, 3.0), Vec3::NEG_Z);
    let hit = intersect(&tlas, &ray).expect("a hit after three translations by 2");
    assert_eq!((hit.inst_id, hit.inst_path.as_slice()), (1, &[1, 1, 0][..]), "the outermost comes first");
    assert_eq!((hit.t, hit.ng), (3.0, Vec3::Z), "translations change neither distance nor normal");
    let plain = world(vec![blas(&grid(1))], vec![instance(0, Affine3::IDENTITY)]);
    let hit = intersect(&plain, &Ray::new(vec3(0.5, 0.25, 3.0), Vec3::NEG_Z)).unwrap();
    assert!(hit.inst_path.as_slice().is_empty(), "no nested instance");
}

#[test]
fn nested_ties_go_to_the_smallest_path() {
    // Twenty sheets in one place, behind two levels
    let inner = Arc::new(world(vec![blas(&grid(1))], vec![instance(0, Affine3::IDENTITY); 4]));
    let tlas = world(vec![inner], vec![instance(0, Affine3::IDENTITY); 5]);
    let ray = Ray::new(vec3(0.75, 0.25, 1.0), Vec3::NEG_Z);
    let hit = intersect(&tlas, &ray).unwrap();
    assert_eq!((hit.inst_id, hit.inst_path.as_slice()), (0, &[0][..]), "the first path of all");
    let accept = |hit: &Hit| hit.inst_id >= 2 && hit.inst_path.as_slice() > &[1][..];
    let masked = Instance { opaque: false, ..instance(0, Affine3::IDENTITY) };
    let inner = Arc::new(world(vec![blas(&grid(1))], vec![masked; 4]));
    let tlas = world(vec![inner], vec![masked; 5]);
    let hit = brute_force::intersect_filtered(&tlas, &ray, accept).unwrap();
    assert_eq!((hit.inst_id, hit.inst_path.as_slice()), (2, &[2][..]), "the first accepted path");
    assert_query_matches(&tlas, &[ray], &Query::ALL, &accept, "nested ties");
}

#[test]
fn too_many_levels_are_an_error() {
    let build = |inner: Geometry| {
        Tlas::build(vec![inner], vec![instance(0, Affine3::IDENTITY)], &BuildOptions::default())
    };
    let mut tlas = build(blas(&grid(1)).into()).unwrap();
    for _ in 1..MAX_LEVELS {
        tlas = build(tlas.into()).unwrap();
    }
    assert!(occluded(&tlas, &Ray::new(vec3(0.5, 0.25, 1.0), Vec3::NEG_Z)), "the maximum number of levels");
    let error = build(tlas.into()).unwrap_err();
    assert_eq!(error, BuildError::TooDeep { levels: MAX_LEVELS + 1, limit: MAX_LEVELS }, "one level more");
}

#[test]
fn opaque_instances_on_the_path_disable_the_filter() {
    let at = |opaque| Instance { opaque, ..instance(0, Affine3::IDENTITY) };
    let ray = Ray::new(vec3(0.5, 0.25, 1.0), Vec3::NEG_Z);
    for (outer, inner) in [(true, true), (true, false), (false, true), (false, false)] {
        let group = world(vec![blas(&grid(1))], vec![at(inner)]);
        let tlas = world(vec![group], vec![at(outer)]);
        let hits = assert_query_matches(&tlas, &[ray], &Query::ALL, &|_| false, "rejects everything");
        assert_eq!(hits, usize::from(outer || inner), "outer {outer}, inner {inner}");
    }
}

/// A line with the slope of the side that passes through the axis of the cone only in its apex, or that touches it nowhere.
#[test]
fn lines_along_the_side_of_a_cone() {
    let cone = Shape::new(UnitShape::Cone { top: 0.0 });
    let built = Shapes::build(&[cone], &BuildOptions::default()).unwrap();
    let tlas = world(vec![built], vec![instance(0, Affine3::IDENTITY)]);
    // On the surface, from the rim to the apex, the direction is (-1, 0, 1); y moves the line out of the plane of the axis
    let direction = vec3(-1.0, 0.0, 1.0);
    assert_eq!(intersect(&tlas, &Ray::new(vec3(1.0, 0.5, 0.0), direction)), None, "beside the cone");
    let inside = Ray::new(vec3(0.0, 0.0, 0.25), direction);
    let hit = intersect(&tlas, &inside).unwrap();
    assert!((hit.t - 0.375).abs() < 1e-6, "it crosses once: {hit:?}");
}

#[test]
fn a_flat_shape_has_a_z_axis() {
    let mut square = Shape::new(UnitShape::Rectangle);
    square.object_from_unit.matrix3.z_axis = vec3(3.0, 1.0, 0.5);
    assert!(square.is_valid(), "an inclined one");
    let built = Shapes::build(std::slice::from_ref(&square), &BuildOptions::default()).unwrap();
    let tlas = world(vec![built], vec![instance(0, Affine3::IDENTITY)]);
    let hit = intersect(&tlas, &Ray::new(vec3(0.25, -0.5, 2.0), Vec3::NEG_Z)).unwrap();
    assert!((hit.t - 2.0).abs() < 1e-6 && (vec2(hit.u, hit.v) - vec2(0.25, -0.5)).length() < 1e-6, "{hit:?}");
    assert!(hit.ng.normalize_or(Vec3::X).abs_diff_eq(Vec3::Z, 1e-6), "{hit:?}");
    square.object_from_unit.matrix3.z_axis = Vec3::X;
    assert!(!square.is_valid(), "an axis in its plane");
}

#[test]
fn invalid_shapes_and_boxes_are_skipped() {
    let sphere = |x: f32, radius: f32| Shape::sphere(vec3(x, 0.0, 0.0), radius);
    let disk = Shape::about_axis(UnitShape::Disk { hole: 0.0 }, Vec3::ZERO, Vec3::X, 0.0);
    let flat_cone = Shape::about_axis(UnitShape::Cone { top: 0.5 }, Vec3::ZERO, Vec3::ZERO, 1.0);
    let hole = Shape::new(UnitShape::Disk { hole: 1.0 });
    let all = [
        sphere(0.0, 0.0),
        disk,
        flat_cone,
        hole,
        sphere(f32::NAN, 1.0),
        sphere(0.0, f32::NAN),
        sphere(0.0, f32::INFINITY),
        sphere(3.0, 1.0),
        sphere(3e38, 3e38),
    ];
    let built = Shapes::build(&all, &BuildOptions::default()).unwrap();
    let expected = SkippedPrimitives { non_finite: 4, degenerate: 4, empty: 0 };
    assert_eq!((built.stats().skipped, built.shape_count()), (expected, 9), "all but one are skipped");
    let tlas = world(vec![built], vec![instance(0, Affine3::IDENTITY)]);
    assert_eq!(intersect(&tlas, &Ray::new(Vec3::ZERO, Vec3::X)).map(|h| (h.t, h.prim_id)), Some((2.0, 7)));

    let valid = Aabb { min: Vec3::splat(1.0), max: Vec3::splat(2.0) };
    let nan = Aabb { min: vec3(0.0, f32::NAN, 0.0), max: Vec3::ONE };
    let unbounded = Aabb { min: Vec3::ZERO, max: Vec3::splat(f32::INFINITY) };
    let boxes = Boxes(vec![Aabb::EMPTY, nan, unbounded, valid]);
    let built = UserGeometry::build(Arc::new(boxes), &BuildOptions::default()).unwrap();
    built.validate().unwrap();
    assert_eq!(
        built.stats().skipped,
        SkippedPrimitives { non_finite: 2, degenerate: 1, empty: 0 },
        "all but one are skipped"
    );
    let tlas = world(vec![built], vec![instance(0, Affine3::IDENTITY)]);
    let hit = intersect(&tlas, &Ray::new(vec3(1.5, 1.5, 0.0), Vec3::Z)).unwrap();
    assert_eq!(
        (hit.t, hit.u, hit.v, hit.prim_id, hit.ng),
        (1.0, 2.0, 0.5, 3, Vec3::NEG_Z),
        "the hit of the user geometry"
    );
}

/// User geometry of one primitive that returns the same hit for every ray.
struct FixedHit(UserHit);

impl UserPrimitives for FixedHit {
    fn count(&self) -> usize {
        1
    }

    fn bounds(&self, _: u32) -> Aabb {
        Aabb { min: Vec3::splat(-1.0), max: Vec3::splat(1.0) }
    }

    fn intersect(&self, _: u32, _: &Ray) -> Option<UserHit> {
        Some(self.0)
    }
}

#[test]
fn user_hits_outside_interval_or_box_are_ignored() {
    let ray = Ray { t_near: 4.25, t_far: 5.5, ..Ray::new(Vec3::X * 5.0, Vec3::NEG_X) };
    let hit = |t: f32, ng: Vec3, ray: &Ray| {
        let user = FixedHit(UserHit { t, u: 0.0, v: 0.0, ng });
        let user = UserGeometry::build(Arc::new(user), &BuildOptions::default()).unwrap();
        intersect(&world(vec![user], vec![instance(0, Affine3::IDENTITY)]), ray)
    };
    for (t, accepted) in [(4.25, true), (4.25f32.next_down(), false), (5.5, true), (5.5f32.next_up(), false)]
    {
        assert_eq!(hit(t, Vec3::X, &ray).map(|h| h.t), accepted.then_some(t), "the interval is closed");
    }
    for t in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3.9, 6.1] {
        assert_eq!(hit(t, Vec3::X, &Ray { t_near: 0.0, t_far: f32::INFINITY, ..ray }), None, "{t}");
    }
    for ng in [Vec3::ZERO, Vec3::NAN, Vec3::INFINITY] {
        assert_eq!(hit(5.0, ng, &ray).map(|h| h.ng), Some(Vec3::X), "the reverse of the direction");
    }
}

#[test]
fn intervals_are_closed_and_exact_for_every_kind() {
    let mut random = Random(79);
    let (tlas, innermost) = nested(3, &mut random);
    let mut tested = 0;
    for ray in rays_into(&innermost, 1000, &mut random) {
        let Some(Hit { t, .. }) = intersect(&tlas, &ray) else { continue };
        let with = |t_near: f32, t_far: f32| Ray { t_near, t_far, ..ray };
        assert_eq!(intersect(&tlas, &with(t, t)).map(|h| h.t), Some(t), "an interval of one point");
        assert!(occluded(&tlas, &with(ray.t_near, t)), "t_far = t counts");
        assert!(!occluded(&tlas, &with(ray.t_near, t.next_down())), "just before the closest hit");
        let after = intersect(&tlas, &with(t.next_up(), f32::INFINITY));
        assert!(after.is_none_or(|hit| hit.t > t), "{after:?} is not after {t}");
        tested += 1;
    }
    assert!(tested > 100, "only {tested} hits");
}

#[test]
fn invalid_rays_hit_no_kind_of_geometry() {
    let tlas = world(
        geometry_of_each_kind(&mut Random(5)),
        (0..4).map(|i| instance(i, Affine3::IDENTITY)).collect(),
    );
    let group = world(vec![tlas], vec![instance(0, Affine3::IDENTITY)]);
    let valid = Ray::new(Vec3::ZERO, Vec3::X);
    assert!(occluded(&group, &valid), "the valid ray hits");
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let rays = [
        Ray { direction: Vec3::ZERO, ..valid },
        Ray { direction: vec3(nan, 1.0, 1.0), ..valid },
        Ray { direction: vec3(1.0, -inf, 0.0), ..valid },
        Ray { direction: vec3(1e-40, 0.0, 0.0), ..valid },
        Ray { origin: vec3(nan, 0.0, 0.0), ..valid },
        Ray { origin: vec3(0.0, 0.0, inf), ..valid },
        Ray { t_near: nan, ..valid },
        Ray { t_far: nan, ..valid },
        Ray { t_near: 1.0, t_far: 0.5, ..valid },
    ];
    let hits = assert_query_matches(&group, &rays, &Query::ALL, &|_| true, "invalid rays");
    assert_eq!(hits, 0, "brute force finds no hits either");
}

#[test]
fn empty_groups_and_geometries() {
    let none: Vec<Instance> = vec![];
    let empty = Tlas::build(Vec::<Geometry>::new(), none, &BuildOptions::default()).unwrap();
    let geometries = vec![empty.into(), shapes(&[]), boxes(0, &mut Random(1))];
    let tlas = world(geometries, (0..3).map(|i| instance(i, Affine3::IDENTITY)).collect());
    assert_eq!(
        tlas.stats().skipped,
        SkippedPrimitives { empty: 3, ..SkippedPrimitives::default() },
        "nothing to hit"
    );
    assert!(!occluded(&tlas, &Ray::new(Vec3::ZERO, Vec3::X)), "nothing to hit");
}

#[test]
fn faces_are_determined_in_world_space() {
    // Rays onto the grid's +z side, with the identity transform and mirrored
    let ray = Ray::new(vec3(0.75, 0.25, 1.0), Vec3::NEG_Z);
    let mut sheet = grid(1);
    sheet.triangles.iter_mut().for_each(|t| t.sort_unstable());
    for mirror in [vec3(1.0, 1.0, 1.0), vec3(1.0, 1.0, -1.0)] {
        let placed = Affine3::from_mat3(Mat3::from_diagonal(mirror));
        let tlas = world(vec![blas(&sheet)], vec![instance(0, placed)]);
        let both = intersect(&tlas, &ray).expect("above the sheet");
        let front = both.ng.dot(ray.direction) < 0.0;
        assert_eq!(front, mirror.z > 0.0, "mirroring turns the sheet around");
        for (faces, seen) in [(Faces::Front, front), (Faces::Back, !front), (Faces::Both, true)] {
            let query = Query::ALL.with_faces(faces);
            let hits = assert_query_matches(&tlas, &[ray], &query, &|_| true, "faces");
            assert_eq!(hits, usize::from(seen), "{faces:?}");
        }
    }
}
