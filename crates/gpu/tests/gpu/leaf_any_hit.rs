//! Any-hit tests of single leaves against double precision.

use bytemuck::{Pod, Zeroable};
use sunfleck_math::{DVec3, Vec3, vec3};
use sunfleck_shaders::layout::{Leaf, Ray};
use sunfleck_testkit::Random;

use crate::harness::Harness;

const COUNT: usize = 20_000;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Input {
    ray: Ray,
    leaf: Leaf,
}

fn f64s(v: Vec3) -> DVec3 {
    DVec3::new(v.x.into(), v.y.into(), v.z.into())
}

/// Returns whether a triangle stops a ray, by the signed volumes that its edges and the ray span; `None` if rounding
/// might change the result.
fn is_stopped(corners: [Vec3; 3], origin: Vec3, direction: Vec3, [t_near, t_far]: [f32; 2]) -> Option<bool> {
    let [a, b, c] = corners.map(|corner| f64s(corner) - f64s(origin));
    let d = f64s(direction);
    let volumes = [c.cross(b).dot(d), a.cross(c).dot(d), b.cross(a).dot(d)];
    let all: f64 = volumes.iter().sum();
    let inside = volumes.into_iter().fold(f64::INFINITY, |least, volume| least.min(volume / all));
    let ng = (b - a).cross(c - a);
    let t = a.dot(ng) / d.dot(ng);
    let margin = inside.min(t - f64::from(t_near)).min(f64::from(t_far) - t);
    let is_flat = d.dot(ng).abs() < 1e-3 * d.length() * ng.length();
    (!is_flat && margin.abs() > 1e-4).then_some(margin > 0.0)
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn any_hit_of_leaves_matches_double_precision() {
    let mut random = Random::new(5);
    let mut number = || 2.0 * random.next_f32() - 1.0;
    let mut inputs = Vec::new();
    let mut expected = Vec::new();
    while inputs.len() < COUNT {
        let mut near = |size: f32| vec3(number(), number(), number()) * size;
        let [middle, origin] = [near(3.0), near(3.0)];
        let [a, b, c, d] = [0; 4].map(|_| middle + near(1.0));
        let direction = (middle + near(0.5) - origin) * 1.5;
        let interval = [0.0001, if inputs.len() % 3 == 0 { 0.6 } else { 0.9999 }];
        let has_two = inputs.len() % 4 != 0;
        let triangles =
            [[a, b, c], [c, a, d]].map(|corners| is_stopped(corners, origin, direction, interval));
        let [Some(first), Some(second)] = triangles else { continue };
        let of = |corners: [Vec3; 3], prim_id| (corners.map(|corner| corner.to_array()), prim_id);
        let leaf = Leaf::new(of([a, b, c], 0), has_two.then(|| of([c, a, d], 1)), 0);
        let [t_near, t_far] = interval;
        let ray = Ray { origin: origin.to_array(), t_near, direction: direction.to_array(), t_far };
        inputs.push(Input { ray, leaf });
        expected.push(u32::from(first || has_two && second));
    }
    // Patches, of which there are none, have their points among the nodes
    let found: Vec<u32> = Harness::new("traversal::quick").run(&inputs, &[("units", &[])]);
    assert_eq!(found, expected);
    let stopped = found.iter().filter(|&&stops| stops == 1).count();
    assert!(stopped > COUNT / 10 && stopped < COUNT * 9 / 10, "{stopped} of {COUNT}");
}
