//! Rays with known results: closed forms, bounds of intervals, and invalid rays.

use crate::common::meshes::{grid, soup, sphere};
use crate::common::{
    Mesh, Random, assert_matches_brute_force, blas, instance, intersect, occluded, random_transform, rays_at,
    world, world_of,
};
use sunfleck_kernel::{Hit, Tlas, brute_force};
use sunfleck_math::{Affine3, DVec3, Ray, Vec3, vec3};

fn f64s(v: Vec3) -> DVec3 {
    DVec3::new(v.x.into(), v.y.into(), v.z.into())
}

/// Returns `t`, `u` and `v` in f64 [Moller97], and the smallest barycentric coordinate, which is negative outside the
/// triangle.
fn reference(corners: [Vec3; 3], ray: &Ray) -> (f64, f64, f64, f64) {
    let [a, b, c] = corners.map(f64s);
    let (e1, e2, d) = (b - a, c - a, f64s(ray.direction));
    let p = d.cross(e2);
    let det = e1.dot(p);
    let s = f64s(ray.origin) - a;
    let q = s.cross(e1);
    let (t, u, v) = (e2.dot(q) / det, s.dot(p) / det, d.dot(q) / det);
    (t, u, v, u.min(v).min(1.0 - u - v))
}

#[test]
fn hits_agree_with_double_precision() {
    let mesh = soup(400, 1.0, 3);
    let tlas = world_of(&mesh);
    let mut checked = 0;
    for ray in
        rays_at(&mesh, 4000, &mut Random(4)).iter().filter(|r| r.t_near == 0.0 && r.origin.length() < 5.0)
    {
        // Closest among the hits that are clearly inside their triangle
        let clear_hits = (0..mesh.triangles.len())
            .map(|i| (i, reference(mesh.corners(i), ray)))
            .filter(|(_, (t, .., inside))| *t > 1e-4 && *inside > 1e-4);
        let Some((i, (t, u, v, _))) = clear_hits.min_by(|a, b| a.1.0.total_cmp(&b.1.0)) else { continue };
        let hit = intersect(&tlas, ray).expect("f64 found a hit");
        if hit.prim_id as usize != i {
            assert!(f64::from(hit.t) <= t * (1.0 + 1e-5), "{hit:?} is behind triangle {i} at {t}");
            continue;
        }
        let [a, b, c] = mesh.corners(i).map(f64s);
        let ng = (b - a).cross(c - a);
        // Edge-on triangles amplify rounding.
        let facing = ng.dot(f64s(ray.direction)).abs() / ng.length() / f64s(ray.direction).length();
        let tolerance = 1e-5 / facing.max(1e-3);
        assert!((f64::from(hit.t) - t).abs() <= tolerance * t.max(1.0), "t {} instead of {t}", hit.t);
        assert!((f64::from(hit.u) - u).abs() < tolerance * 10.0, "u {} instead of {u}", hit.u);
        assert!((f64::from(hit.v) - v).abs() < tolerance * 10.0, "v {} instead of {v}", hit.v);
        assert!((f64s(hit.ng) - ng).length() <= 1e-6 * ng.length(), "ng {} instead of {ng}", hit.ng);
        checked += 1;
    }
    assert!(checked > 500, "only {checked} hits compared");
}

#[test]
fn hit_of_a_transformed_instance_is_in_world_space() {
    let mut random = Random(5);
    let mesh = sphere(2);
    for round in 0..40 {
        let mut m = random_transform(&mut random);
        if round % 2 == 0 {
            m *= Affine3::from_scale(vec3(-1.0, 1.0, 1.0));
        }
        let tlas = world(vec![blas(&mesh)], vec![instance(0, m)]);
        let center = m.transform_point3(Vec3::ZERO);
        let ray = Ray::new(center, random.direction());
        let hit = intersect(&tlas, &ray).expect("from inside a closed mesh");
        let corners = mesh.corners(hit.prim_id as usize).map(|p| m.transform_point3(p));
        let [a, b, c] = corners;
        let (at, on) = (ray.at(hit.t), a * (1.0 - hit.u - hit.v) + b * hit.u + c * hit.v);
        assert!((at - on).length() < 1e-4 * (1.0 + at.length()), "{at} is not {on}");
        // Perpendicular to the world-space triangle, and on the outside also when mirrored
        let plane = (b - a).cross(c - a);
        assert!(
            plane.cross(hit.ng).length() < 1e-3 * plane.length() * hit.ng.length(),
            "{plane} and {}",
            hit.ng
        );
        assert!(hit.ng.dot(ray.direction) > 0.0, "the normal of the sphere points outwards");
    }
}

#[test]
fn axis_aligned_planes_are_hit_exactly() {
    let tlas = world_of(&grid(4));
    for height in [1.0f32, 0.1, 3.3e-5, 7.7e12] {
        let ray = Ray::new(vec3(1.3, 2.6, height), Vec3::NEG_Z);
        let t = intersect(&tlas, &ray).expect("above the grid").t;
        assert_eq!(t, height, "no rounding when looking straight down");
    }
}

#[test]
fn interval_is_closed_and_exact() {
    let mesh = soup(200, 1.0, 13);
    let tlas = world_of(&mesh);
    let mut tested = 0;
    for ray in rays_at(&mesh, 1500, &mut Random(14)) {
        let Some(Hit { t, prim_id, .. }) = intersect(&tlas, &ray) else { continue };
        let with = |t_near: f32, t_far: f32| Ray { t_near, t_far, ..ray };
        let prim = |ray: &Ray| intersect(&tlas, ray).map(|hit| hit.prim_id);
        assert_eq!(prim(&with(ray.t_near, t)), Some(prim_id), "t_far = t counts");
        assert_eq!(prim(&with(t, t)), Some(prim_id), "an interval of one point");
        assert!(occluded(&tlas, &with(t, t)), "occluded agrees");
        assert_eq!(prim(&with(ray.t_near, t.next_down())), None, "just before the closest hit is nothing");
        assert!(!occluded(&tlas, &with(ray.t_near, t.next_down())), "occluded agrees");
        let after = intersect(&tlas, &with(t.next_up(), f32::INFINITY));
        assert!(after.is_none_or(|hit| hit.t > t), "{after:?} is not after {t}");
        tested += 1;
    }
    assert!(tested > 500, "only {tested} hits");
}

#[test]
fn advancing_t_near_finds_every_triangle() {
    // Enumerates hits by moving `t_near`, and compares them with tests of single triangles.
    let mesh = soup(60, 1.5, 15);
    let tlas = world_of(&mesh);
    let single_triangles: Vec<Tlas> = (0..60)
        .map(|i| world_of(&Mesh { positions: mesh.positions.clone(), triangles: vec![mesh.triangles[i]] }))
        .collect();
    for ray in rays_at(&mesh, 100, &mut Random(16)) {
        let mut expected: Vec<u32> =
            (0..60u32).filter(|&i| occluded(&single_triangles[i as usize], &ray)).collect();
        let mut found = Vec::new();
        let mut rest = ray;
        while let Some(hit) = intersect(&tlas, &rest) {
            found.push(hit.prim_id);
            rest.t_near = hit.t.next_up();
        }
        found.sort_unstable();
        expected.sort_unstable();
        // The padding of the whole mesh is larger than that of a single triangle, which may change the `t` of an
        // edge-on hit by a rounding error: only ids are compared.
        assert_eq!(found, expected, "{ray:?}");
    }
}

#[test]
fn ties_go_to_the_smallest_ids() {
    let mut mesh = grid(1);
    mesh.triangles = vec![[1, 2, 3], [0, 1, 2], [0, 1, 2], [2, 0, 1]];
    let down = Ray::new(vec3(0.75, 0.25, 1.0), Vec3::NEG_Z);
    assert_eq!(
        intersect(&world_of(&mesh), &down).unwrap().prim_id,
        0,
        "all four triangles contain this point"
    );
    let left = Ray::new(vec3(0.75, 0.125, 1.0), Vec3::NEG_Z);
    assert_eq!(
        intersect(&world_of(&mesh), &left).unwrap().prim_id,
        1,
        "the first of three coincident triangles"
    );

    let (a, b) = (blas(&grid(2)), blas(&grid(3)));
    let at = |blas| instance(blas, Affine3::IDENTITY);
    let tlas = world(vec![a, b], vec![at(1), at(0), at(0)]);
    let hit = intersect(&tlas, &Ray::new(vec3(0.5, 0.25, 1.0), Vec3::NEG_Z)).unwrap();
    assert_eq!((hit.inst_id, hit.geom_id), (0, 1), "instance before triangle");
}

#[test]
fn zero_components_and_signed_zeros() {
    let tlas = world_of(&grid(4));
    for direction in
        [vec3(0.0, 0.0, -1.0), vec3(-0.0, 0.0, -1.0), vec3(-0.0, -0.0, -1.0), vec3(0.0, -0.0, -1.0)]
    {
        // Through vertices, edges and insides, and exactly over the border
        for (x, y) in (0..=16).flat_map(|x| (0..=16).map(move |y| (x as f32 * 0.25, y as f32 * 0.25))) {
            let ray = Ray::new(vec3(x, y, 2.0), direction);
            assert_eq!(intersect(&tlas, &ray).map(|hit| hit.t), Some(2.0), "{ray:?}");
        }
        for outside in [vec3(4.0001, 1.0, 2.0), vec3(-1e-6, 1.0, 2.0), vec3(1.0, 5.0, 2.0)] {
            assert_eq!(intersect(&tlas, &Ray::new(outside, direction)), None, "{outside}");
        }
    }
    // A ray in the plane of the grid sees each triangle edge-on and hits none.
    assert_eq!(intersect(&tlas, &Ray::new(vec3(-1.0, 0.3, 0.0), Vec3::X)), None, "edge-on");
}

#[test]
fn invalid_rays_hit_nothing() {
    let tlas =
        world(vec![blas(&sphere(2))], vec![instance(0, Affine3::IDENTITY), instance(0, Affine3::IDENTITY)]);
    let valid = Ray::new(Vec3::ZERO, Vec3::X);
    assert!(occluded(&tlas, &valid), "the valid ray hits");
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let rays = [
        Ray { direction: Vec3::ZERO, ..valid },
        Ray { direction: vec3(-0.0, 0.0, -0.0), ..valid },
        Ray { direction: vec3(nan, 1.0, 1.0), ..valid },
        Ray { direction: vec3(1.0, 1.0, nan), ..valid },
        Ray { direction: vec3(inf, 0.0, 0.0), ..valid },
        Ray { direction: vec3(1.0, -inf, 0.0), ..valid },
        Ray { direction: vec3(1e-40, 0.0, 0.0), ..valid },
        Ray { origin: vec3(nan, 0.0, 0.0), ..valid },
        Ray { origin: vec3(0.0, 0.0, inf), ..valid },
        Ray { t_near: nan, ..valid },
        Ray { t_far: nan, ..valid },
        Ray { t_near: 1.0, t_far: 0.5, ..valid },
        Ray { t_near: inf, t_far: -inf, ..valid },
    ];
    for ray in &rays {
        assert_eq!(brute_force::intersect(&tlas, ray), None, "{ray:?}");
    }
    assert_matches_brute_force(&tlas, &rays, "invalid rays");
    let everything = Ray { t_near: -inf, ..valid };
    assert!(
        intersect(&tlas, &everything).is_some_and(|hit| hit.t < 0.0),
        "an interval may be unbounded on both sides"
    );
}

#[test]
fn leaving_a_surface_with_an_offset_never_returns() {
    // The sphere is convex: a ray that leaves it outwards hits nothing.
    let tlas = world_of(&sphere(4));
    let mut random = Random(17);
    for _ in 0..20_000 {
        let inside = Ray::new(random.cube() * 0.3, random.direction());
        let hit = intersect(&tlas, &inside).expect("closed");
        let (ng, position) = (hit.ng / hit.ng.length(), inside.at(hit.t));
        let mut direction = random.direction();
        direction *= direction.dot(ng).signum();
        let error = Vec3::splat(sunfleck_math::float::gamma(16) * 2.0);
        let origin = sunfleck_math::float::offset_ray_origin(position, error, ng, direction);
        if direction.dot(ng) > 1e-3 {
            assert_eq!(
                intersect(&tlas, &Ray::new(origin, direction)),
                None,
                "from {position} towards {direction}"
            );
        }
    }
}
