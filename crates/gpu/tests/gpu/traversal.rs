//! Traversal on the GPU against the ray tracing kernel on the CPU, on the same rays. Any adapter will do: without a
//! GPU, Mesa's lavapipe.

use std::sync::Arc;

use fearless_simd::{Level, dispatch};
use sunfleck_gpu::{AdapterChoice, Gpu, GpuError, Mirror, RayBatch, Tracer};
use sunfleck_kernel::{Blas, BuildOptions, Hit, Instance, Shapes, Tlas};
use sunfleck_math::{Affine3, Frame, Mat3, Ray, Shape, Vec3, cos, sin, vec3};
use sunfleck_sampling::rng;
use sunfleck_shaders::layout;
use sunfleck_testkit::shapes::unit_shapes;

pub(crate) fn gpu() -> Arc<Gpu> {
    Arc::new(Gpu::open(AdapterChoice::Best).unwrap())
}

/// A random point in the cube [-1, 1]³.
pub(crate) fn point(i: u32, what: u32) -> Vec3 {
    let number = |axis| 2.0 * rng::uniform([i, what, axis, 7]) - 1.0;
    vec3(number(0), number(1), number(2))
}

pub(crate) fn soup(count: u32, size: f32) -> Mesh {
    let corner = |i: u32| point(i / 3, 0) + point(i, 1) * size;
    ((0..3 * count).map(corner).collect(), (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect())
}

/// Positions and triangles.
pub(crate) type Mesh = (Vec<Vec3>, Vec<[u32; 3]>);

pub(crate) fn blas((positions, triangles): Mesh) -> Arc<Blas> {
    Arc::new(Blas::build(&positions, &triangles, &BuildOptions::default()).unwrap())
}

pub(crate) fn instance(blas: u32, world_from_object: Affine3) -> Instance {
    Instance { blas, world_from_object, mask: 1, opaque: true }
}

pub(crate) fn world(geometries: Vec<Arc<Blas>>, instances: Vec<Instance>) -> Tlas {
    Tlas::build(geometries, instances, &BuildOptions::default()).unwrap()
}

fn rays(count: u32, extent: f32) -> Vec<Ray> {
    (0..count).map(|i| Ray::new(point(i, 2) * extent, point(i, 3))).collect()
}

fn batch(gpu: &Gpu, rays: &[Ray]) -> RayBatch {
    let rays: Vec<layout::Ray> = rays.iter().map(layout::Ray::from).collect();
    RayBatch::new(gpu, &rays).unwrap()
}

fn on_cpu(world: &Tlas, rays: &[Ray]) -> Vec<Option<Hit>> {
    dispatch!(Level::new(), simd => rays.iter().map(|ray| world.intersect(simd, ray)).collect())
}

/// Asserts that both find the same hits, except for `at_edges` rays that pass so close to an edge that rounding
/// decides.
fn compare(name: &str, world: &Tlas, rays: &[Ray], at_edges: usize) {
    compare_within(20.0, name, world, rays, at_edges);
}

/// `compare` with another tolerance of `u` and `v`, in units of that of distances.
fn compare_within(uv: f32, name: &str, world: &Tlas, rays: &[Ray], at_edges: usize) {
    let gpu = gpu();
    let mirror = Mirror::new(&gpu, world).unwrap();
    let tracer = Tracer::new(&gpu, &mirror).unwrap();
    let batch = batch(&gpu, rays);
    let (closest, any) =
        (tracer.closest(&mirror, &batch).unwrap(), tracer.occluded(&mirror, &batch).unwrap());
    let expected = on_cpu(world, rays);
    assert_eq!((closest.len(), any.len()), (rays.len(), rays.len()), "{name}");
    let (mut different, mut hits) = (0, 0);
    for (i, ((found, any), expected)) in closest.iter().zip(&any).zip(&expected).enumerate() {
        assert_eq!(found.prim_id != layout::Hit::MISS, *any, "{name}, ray {i}: any and closest disagree");
        let same = match expected {
            None => found.prim_id == layout::Hit::MISS,
            Some(hit) => {
                hits += 1;
                let same = (found.prim_id, found.inst_id) == (hit.prim_id, hit.inst_id);
                let near = |a: f32, b: f32, scale: f32| (a - b).abs() <= 2e-4 * scale;
                let numbers = near(found.t, hit.t, hit.t.abs() + 0.1)
                    && (!same || near(found.u, hit.u, uv) && near(found.v, hit.v, uv));
                assert!(!same || numbers, "{name}, ray {i}: {found:?} for {hit:?}");
                same || numbers
            }
        };
        different += usize::from(!same);
    }
    assert!(different <= at_edges, "{name}: {different} of {} rays differ", rays.len());
    assert!(rays.is_empty() || hits > 0 || world.instances().is_empty(), "{name}: no ray hits anything");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn one_mesh() {
    for (count, size) in [(1, 1.0), (2, 1.0), (7, 1.0), (100, 0.3), (20_000, 0.04)] {
        let world = world(vec![blas(soup(count, size))], vec![instance(0, Affine3::IDENTITY)]);
        compare(&format!("{count} triangles"), &world, &rays(8192, 2.0), 1);
    }
}

/// Returns shapes of all kinds within the cube [-1, 1]³, stretched, mirrored and sheared.
fn shapes(count: u32, size: f32) -> Vec<Shape> {
    let kinds = unit_shapes();
    let shape = |i: u32| {
        let matrix3 = Mat3::from_cols(point(i, 4), point(i, 5), point(i, 6)) * 0.25 + Mat3::IDENTITY;
        let place = Affine3 { matrix3: matrix3 * size, translation: point(i, 7) };
        match i % 2 {
            0 => Shape::sphere(point(i, 7), size),
            _ => Shape::new(kinds[(i / 2) as usize % kinds.len()].clone()).transformed(&place),
        }
    };
    (0..count).map(shape).collect()
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn shapes_of_all_kinds() {
    for (count, size) in [(1, 0.5), (40, 0.3), (5000, 0.05)] {
        let built = Arc::new(Shapes::build(&shapes(count, size), &BuildOptions::default()).unwrap());
        let name = format!("{count} shapes");
        let options = BuildOptions::default();
        let alone = Tlas::build(vec![built.clone()], vec![instance(0, Affine3::IDENTITY)], &options).unwrap();
        compare(&name, &alone, &rays(8192, 2.0), 3);
        // From far away, silhouettes are the same but for the rounding of directions, which is as large as the tips of
        // small cones: there, the angle is arbitrary
        let far =
            |i: u32| Ray::new(point(i, 8) + vec3(0.0, 0.0, 2000.0), point(i, 9) - vec3(0.0, 0.0, 2000.0));
        compare_within(
            1e5,
            &format!("{name} from afar"),
            &alone,
            &(0..8192).map(far).collect::<Vec<_>>(),
            24,
        );
        let places = [Affine3::from_scale(vec3(1.0, -0.5, 2.0)), Affine3::from_translation(Vec3::X * 3.0)];
        let instances = places.into_iter().map(|place| instance(0, place)).collect();
        let placed = Tlas::build(vec![built], instances, &options).unwrap();
        compare(&format!("{name} in instances"), &placed, &rays(8192, 3.0), 4);
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn instances_turned_mirrored_and_squeezed() {
    compare("instances", &scattered(4.0), &rays(8192, 5.0), 4);
}

/// The traversal compares box distances by their bits, whose order is reversed below 0.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn rays_with_negative_t_near() {
    let behind = |i: u32, ray: Ray| {
        let t_far = if i.is_multiple_of(2) { f32::INFINITY } else { -0.2 };
        Ray { t_near: [-3.0, -1.0, f32::NEG_INFINITY, -0.0][(i / 2 % 4) as usize], t_far, ..ray }
    };
    let rays: Vec<Ray> = (0..).zip(rays(8192, 2.0)).map(|(i, ray)| behind(i, ray)).collect();
    let mesh = world(vec![blas(soup(3000, 0.3))], vec![instance(0, Affine3::IDENTITY)]);
    compare("a mesh, negative t_near", &mesh, &rays, 2);
    compare("instances, negative t_near", &scattered(2.0), &rays, 4);
    let at_minus_zero: Vec<Ray> = rays.iter().map(|ray| Ray { t_near: -0.0, ..*ray }).collect();
    compare("a mesh, t_near of -0", &mesh, &at_minus_zero, 2);
}

/// The reciprocal of a direction component that is zero, or nearly so, is infinite.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn rays_along_axes_of_worlds_of_any_size() {
    let axes = [Vec3::X, -Vec3::Y, Vec3::Z];
    let towards =
        |i: u32| axes[(i % 3) as usize] + point(i, 3) * [0.0, 1e-38, 1e-25, 1e-12][(i / 3 % 4) as usize];
    for size in [1e-9, 1.0, 1e4, 1e10] {
        let (positions, triangles) = soup(300, 1.0);
        let mesh = blas((positions.into_iter().map(|at| at * size).collect(), triangles));
        let world = world(vec![mesh], vec![instance(0, Affine3::IDENTITY)]);
        let rays: Vec<Ray> =
            (0..4096).map(|i| Ray::new((point(i, 2) - towards(i)) * size, towards(i) * size)).collect();
        compare(&format!("a world of {size:e}"), &world, &rays, 2);
        let rays: Vec<Ray> =
            (0..4096).map(|i| Ray::new((point(i, 2) - towards(i)) * size, towards(i))).collect();
        compare(&format!("unit directions in a world of {size:e}"), &world, &rays, 2);
    }
}

/// Rotated, mirrored and scaled instances of two meshes.
///
/// * `reach` — how far from the origin.
pub(crate) fn scattered(reach: f32) -> Tlas {
    let place = |i: u32| {
        let turn = Frame::from_normal(point(i, 4).normalize_or(Vec3::Y));
        let mut scale = vec3(0.3, 0.1, 0.2) * (1.2 + point(i, 6).x);
        if i.is_multiple_of(5) {
            scale.x = -scale.x;
        }
        let axes = Mat3::from_cols(turn.tangent * scale.x, turn.bitangent * scale.y, turn.normal * scale.z);
        Affine3::from_mat3_translation(axes, point(i, 7) * reach)
    };
    let instances = (0..400).map(|i| instance(i % 2, place(i))).collect();
    world(vec![blas(soup(50, 0.5)), blas(soup(500, 0.2))], instances)
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn empty_worlds() {
    compare("empty", &world(vec![], vec![]), &rays(100, 1.0), 0);
    let nothing = world(vec![blas((vec![], vec![]))], vec![instance(0, Affine3::IDENTITY)]);
    let gpu = gpu();
    let mirror = Mirror::new(&gpu, &nothing).unwrap();
    let tracer = Tracer::new(&gpu, &mirror).unwrap();
    let hits = tracer.closest(&mirror, &batch(&gpu, &rays(100, 1.0))).unwrap();
    assert!(hits.iter().all(|hit| hit.prim_id == layout::Hit::MISS), "the world is empty");
    assert!(tracer.closest(&mirror, &batch(&gpu, &[])).unwrap().is_empty(), "no rays");
}

/// Invalid rays, and intervals that begin or end exactly at a hit.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn invalid_rays_and_exact_intervals() {
    let triangle = (vec![vec3(0.0, 0.0, 5.0), vec3(4.0, 0.0, 5.0), vec3(0.0, 4.0, 5.0)], vec![[0, 1, 2]]);
    let world = world(vec![blas(triangle)], vec![instance(0, Affine3::IDENTITY)]);
    let at = |t_near, t_far, direction| Ray { origin: vec3(1.0, 1.0, 0.0), t_near, direction, t_far };
    let cases = [
        (at(0.0, 10.0, Vec3::Z), true),
        (at(5.0, 5.0, Vec3::Z), true),
        (at(5.1, 10.0, Vec3::Z), false),
        (at(0.0, 4.9, Vec3::Z), false),
        (at(10.0, 0.0, Vec3::Z), false),
        (at(-10.0, 10.0, -Vec3::Z), true),
        (at(0.0, 10.0, Vec3::ZERO), false),
        (at(0.0, 10.0, Vec3::X), false),
        (at(f32::NAN, 10.0, Vec3::Z), false),
        (at(0.0, f32::INFINITY, Vec3::Z * 1e-3), true),
    ];
    let gpu = gpu();
    let mirror = Mirror::new(&gpu, &world).unwrap();
    let rays: Vec<Ray> = cases.iter().map(|(ray, _)| *ray).collect();
    let hits = Tracer::new(&gpu, &mirror).unwrap().closest(&mirror, &batch(&gpu, &rays)).unwrap();
    for ((ray, expected), hit) in cases.iter().zip(&hits) {
        assert_eq!(hit.prim_id == 0, *expected, "{ray:?}: {hit:?}");
    }
}

/// A closed sphere of squares, some of whose edges and corners rays aim at exactly.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn nothing_leaks_through_edges() {
    const N: u32 = 24;
    let at = |i: u32, j: u32| {
        let side = |k: u32| (k % N) as f32 / N as f32 * std::f32::consts::TAU;
        let (theta, phi) = ((j as f32 / N as f32) * std::f32::consts::PI, side(i));
        vec3(sin(theta) * cos(phi), cos(theta), sin(theta) * sin(phi))
    };
    let positions: Vec<Vec3> = (0..=N).flat_map(|j| (0..N).map(move |i| at(i, j))).collect();
    let quad = |i: u32, j: u32| {
        let v = |i: u32, j: u32| j * N + i % N;
        [[v(i, j), v(i + 1, j), v(i + 1, j + 1)], [v(i, j), v(i + 1, j + 1), v(i, j + 1)]]
    };
    let triangles: Vec<[u32; 3]> = (0..N).flat_map(|j| (0..N).flat_map(move |i| quad(i, j))).collect();
    let mut rays = rays(20_000, 0.3);
    // Towards vertices, and the middles of edges
    for (i, pair) in positions.windows(2).enumerate() {
        let origin = point(u32::try_from(i).unwrap(), 8) * 0.3;
        rays.push(Ray::new(origin, pair[0] - origin));
        rays.push(Ray::new(origin, (pair[0] + pair[1]) * 0.5 - origin));
        rays.push(Ray::new(Vec3::ZERO, pair[0]));
    }
    let world = world(vec![blas((positions, triangles))], vec![instance(0, Affine3::IDENTITY)]);
    let gpu = gpu();
    let mirror = Mirror::new(&gpu, &world).unwrap();
    let hits = Tracer::new(&gpu, &mirror).unwrap().closest(&mirror, &batch(&gpu, &rays)).unwrap();
    let leaks = hits.iter().filter(|hit| hit.prim_id == layout::Hit::MISS).count();
    assert_eq!(leaks, 0, "of {} rays", rays.len());
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn unsupported_requests_are_refused() {
    let gpu = gpu();
    let inner = Arc::new(world(vec![blas(soup(1, 1.0))], vec![instance(0, Affine3::IDENTITY)]));
    let nested =
        Tlas::build(vec![inner], vec![instance(0, Affine3::IDENTITY)], &BuildOptions::default()).unwrap();
    let refused = Mirror::new(&gpu, &nested).unwrap_err();
    assert_eq!(refused, GpuError::Unsupported { what: "nested instances" });
    let missing = Gpu::open(AdapterChoice::Number(99)).unwrap_err();
    assert!(matches!(missing, GpuError::NoAdapter { number: Some(99), .. }), "{missing}");
}
