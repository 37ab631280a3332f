//! An updated mirror against a new one, and against the CPU.

mod edits;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fearless_simd::{Level, dispatch};
use sunfleck_gpu::{
    AdapterChoice, Gpu, GpuError, Mirror, MirrorOptions, MirrorUpdate, PathRenderer, RayBatch, SceneMirror,
    TopLevelDevice, Tracer,
};
use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{PlacedCamera, RenderProgress, StopRules, ViewSpec, World};
use sunfleck_kernel::{Blas, BuildOptions, Instance, Tlas};
use sunfleck_math::transform::rotation_y;
use sunfleck_math::{Affine3, Ray, Vec3, vec3};
use sunfleck_sampling::rng;
use sunfleck_scene::{Camera, Material, Mesh, MeshData, Node, Scene, SceneEdit};
use sunfleck_shaders::layout::{self, Hit};

use edits::{Random, place, random_edit, sheet, toys};

fn gpu() -> Arc<Gpu> {
    Arc::new(Gpu::open(AdapterChoice::Best).unwrap())
}

fn rays(count: u32) -> Vec<Ray> {
    let point = |i: u32, what: u32| {
        let number = |axis| 2.0 * rng::uniform([i, what, axis, 11]) - 1.0;
        vec3(number(0), number(1), number(2))
    };
    (0..count).map(|i| Ray::new(point(i, 0) * 3.0, point(i, 1))).collect()
}

/// Kernels, which are compiled again when a world needs others.
struct Kernels {
    gpu: Arc<Gpu>,
    tracer: Option<Tracer>,
    renderer: Option<PathRenderer>,
}

impl Kernels {
    fn new(gpu: &Arc<Gpu>) -> Self {
        Self { gpu: gpu.clone(), tracer: None, renderer: None }
    }

    fn hits(&mut self, mirror: &Mirror, rays: &RayBatch) -> Vec<Hit> {
        if let Some(Ok(hits)) = self.tracer.as_ref().map(|tracer| tracer.closest(mirror, rays)) {
            return hits;
        }
        let tracer = self.tracer.insert(Tracer::new(&self.gpu, mirror).unwrap());
        tracer.closest(mirror, rays).unwrap()
    }

    fn picture(&mut self, scene: &SceneMirror) -> Vec<Vec3> {
        if let Some(Ok(picture)) = self.renderer.as_ref().map(|renderer| render(renderer, scene)) {
            return picture;
        }
        let renderer = self.renderer.insert(PathRenderer::new(&self.gpu, scene).unwrap());
        render(renderer, scene).unwrap()
    }
}

fn render(renderer: &PathRenderer, scene: &SceneMirror) -> Result<Vec<Vec3>, GpuError> {
    let world_from_view = Affine3::from_translation(vec3(0.0, 0.3, 5.0));
    let camera = PlacedCamera { name: String::new(), camera: Camera::perspective("", 0.9), world_from_view };
    picture(renderer, scene, &camera)
}

fn picture(
    renderer: &PathRenderer,
    scene: &SceneMirror,
    camera: &PlacedCamera,
) -> Result<Vec<Vec3>, GpuError> {
    let spec = ViewSpec::new(camera, 32, 32);
    let mut film = Film::new(32, 32, AovSet::EMPTY);
    let stop = StopRules { samples: Some(1), ..StopRules::default() };
    let cancel = AtomicBool::new(false);
    renderer.render(
        scene,
        &spec,
        &PathTracer::DEFAULT,
        &mut film,
        &stop,
        &cancel,
        &|_: &RenderProgress| (),
    )?;
    Ok(film.radiance().pixels().to_vec())
}

/// Asserts that hits are equal, bit for bit.
fn assert_same_hits(what: &str, found: &[Hit], expected: &[Hit]) {
    let bits = |hit: &Hit| (hit.prim_id, hit.inst_id, [hit.t, hit.u, hit.v].map(f32::to_bits));
    let first = found.iter().zip(expected).position(|(a, b)| bits(a) != bits(b));
    if let Some(i) = first {
        panic!("{what}, ray {i}: {:?} for {:?}", found[i], expected[i]);
    }
}

/// Asserts that all but `others` hits are equal to those of the CPU.
fn assert_matches_cpu(what: &str, world: &Tlas, rays: &[Ray], found: &[Hit], others: usize) {
    let [other_distance, different] = differences(world, rays, found);
    assert!(
        other_distance + different <= others,
        "{what}: {other_distance} and {different} of {} rays differ",
        rays.len()
    );
}

/// Returns the number of hits that differ from those of the CPU: in distance, and in the primitive only.
fn differences(world: &Tlas, rays: &[Ray], found: &[Hit]) -> [usize; 2] {
    let mut differ = [0; 2];
    for (ray, found) in rays.iter().zip(found) {
        let expected = dispatch!(Level::new(), simd => world.intersect(simd, ray));
        let (what, t) = expected
            .map_or(((Hit::MISS, Hit::MISS), f32::INFINITY), |hit| ((hit.prim_id, hit.inst_id), hit.t));
        if (found.prim_id, found.inst_id) != what {
            differ[usize::from((found.t - t).abs() <= 1e-6 * t.abs())] += 1;
        }
    }
    differ
}

/// Asserts that an updated mirror gives the same hits as a new one, and as the CPU.
fn compare(what: &str, kernels: &mut Kernels, mirror: &SceneMirror, world: &World, with_picture: bool) {
    let gpu = kernels.gpu.clone();
    let fresh = SceneMirror::new(&gpu, world).unwrap();
    let rays = rays(2048);
    let batch: Vec<layout::Ray> = rays.iter().map(layout::Ray::from).collect();
    let batch = RayBatch::new(&gpu, &batch).unwrap();
    let found = kernels.hits(mirror.geometry(), &batch);
    assert_same_hits(what, &found, &kernels.hits(fresh.geometry(), &batch));
    assert_matches_cpu(what, world.tlas(), &rays, &found, 2);
    if with_picture {
        let (found, expected) = (kernels.picture(mirror), kernels.picture(&fresh));
        let different = found.iter().zip(&expected).filter(|(a, b)| a != b).count();
        assert_eq!(different, 0, "{what}: pixels differ");
    }
}

fn apply_edits(edits: usize, options: &MirrorOptions) -> Totals {
    let gpu = gpu();
    let mut random = Random(7);
    let mut scene = toys(&mut random);
    let mut world = World::commit(&scene).unwrap();
    let mut mirror = SceneMirror::with_options(&gpu, &world, options).unwrap();
    let mut kernels = Kernels::new(&gpu);
    let (mut refused, mut totals) = (0, Totals::default());
    for edit in 1..=edits {
        refused += usize::from(scene.apply(random_edit(&scene, &mut random)).is_err());
        world = world.update(&scene).unwrap();
        let update = mirror.update(&gpu, &world).unwrap();
        totals.refits += update.refitted_trees;
        totals.on_gpu += usize::from(update.top_level_on_gpu);
        let half = usize::from(edit > edits / 2);
        totals.largest[half] = totals.largest[half].max(mirror.memory_bytes());
        if edit % 50 == 0 || edit == edits {
            let fresh = World::commit(&scene).unwrap();
            let lights = |world: &World| world.lights().packed(world.materials(), None);
            assert_eq!(lights(&world), lights(&fresh), "lights after {edit} edits");
            compare(&format!("after {edit} edits"), &mut kernels, &mirror, &world, edit % 250 == 0);
        }
    }
    assert!(refused < edits / 5, "{refused} edits were refused");
    totals
}

#[derive(Debug, Default)]
struct Totals {
    refits: usize,
    on_gpu: usize,
    /// Maximum memory in bytes, in the first and in the second half of the edits.
    largest: [u64; 2],
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_thousand_edits() {
    let options = MirrorOptions { top_level: TopLevelDevice::Gpu, ..MirrorOptions::default() };
    let totals = apply_edits(1000, &options);
    assert!(totals.refits > 20 && totals.on_gpu > 300, "{totals:?}");
    assert!(totals.largest[1] < 2 * totals.largest[0], "memory grows: {totals:?}");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn edits_with_top_levels_built_on_the_cpu() {
    let options = MirrorOptions { top_level: TopLevelDevice::Cpu, ..MirrorOptions::default() };
    assert_eq!(apply_edits(150, &options).on_gpu, 0);
}

/// Each of the large arrays has several segments.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn edits_with_split_arrays() {
    let options = MirrorOptions {
        binding_bytes: Some(8 << 10),
        top_level: TopLevelDevice::Gpu,
        ..MirrorOptions::default()
    };
    assert_eq!(apply_edits(150, &options).on_gpu, 0);
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn split_arrays_have_a_maximum_size() {
    let (gpu, world) = (gpu(), World::commit(&toys(&mut Random(7))).unwrap());
    let options = MirrorOptions { binding_bytes: Some(512), ..MirrorOptions::default() };
    let refused = SceneMirror::with_options(&gpu, &world, &options).unwrap_err();
    assert!(matches!(refused, GpuError::TooLarge { limit: 4096, .. }), "{refused:?}");
}

/// Kernels that were compiled for another split refuse the mirror.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn kernels_for_whole_arrays_refuse_split_ones() {
    let (gpu, world) = (gpu(), World::commit(&toys(&mut Random(7))).unwrap());
    let whole = SceneMirror::new(&gpu, &world).unwrap();
    let options = MirrorOptions { binding_bytes: Some(8 << 10), ..MirrorOptions::default() };
    let split = SceneMirror::with_options(&gpu, &world, &options).unwrap();
    let renderer = PathRenderer::new(&gpu, &whole).unwrap();
    assert!(matches!(render(&renderer, &split), Err(GpuError::TooLarge { .. })));
    let (expected, found) = (render(&renderer, &whole).unwrap(), Kernels::new(&gpu).picture(&split));
    assert_eq!(found, expected);
}

fn edited(scene: &mut Scene, world: &World, edit: SceneEdit) -> World {
    scene.apply(edit).unwrap();
    world.update(scene).unwrap()
}

/// Kernels for a world without transformed instances refuse a world with some, unless the mirror was made for a
/// changing world.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn kernels_for_changing_worlds_support_transforms() {
    let gpu = gpu();
    for changes in [false, true] {
        let mut scene = sunfleck_models::build("cornell").unwrap();
        let world = World::commit(&scene).unwrap();
        let options = MirrorOptions { changes, ..MirrorOptions::default() };
        let mut mirror = SceneMirror::with_options(&gpu, &world, &options).unwrap();
        let renderer = PathRenderer::new(&gpu, &mirror).unwrap();
        assert!(picture(&renderer, &mirror, &world.cameras()[0]).is_ok());

        let (id, node) = scene.nodes().find(|(_, node)| node.instance.is_some()).unwrap();
        let parent_from_node = Affine3::from_translation(Vec3::X * 0.01) * node.parent_from_node;
        let world = edited(&mut scene, &world, SceneEdit::Transform { id, parent_from_node });
        mirror.update(&gpu, &world).unwrap();
        let found = picture(&renderer, &mirror, &world.cameras()[0]);
        if changes {
            let fresh = SceneMirror::new(&gpu, &world).unwrap();
            assert_eq!(
                found,
                picture(&PathRenderer::new(&gpu, &fresh).unwrap(), &fresh, &world.cameras()[0])
            );
            assert!(found.unwrap().iter().any(|pixel| *pixel != Vec3::ZERO), "the image is black");
        } else {
            assert_eq!(
                found,
                Err(GpuError::Unsupported {
                    what: "transformed instances (the kernels were compiled for a world without them)"
                })
            );
        }
    }
}

/// Number of bytes that single edits write to the GPU.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn small_edits_upload_little() {
    let gpu = gpu();
    let mut scene = toys(&mut Random(3));
    let world = World::commit(&scene).unwrap();
    let options = MirrorOptions { top_level: TopLevelDevice::Gpu, ..MirrorOptions::default() };
    let mut mirror = SceneMirror::with_options(&gpu, &world, &options).unwrap();
    assert_eq!(mirror.update(&gpu, &world).unwrap().uploaded_bytes, 0, "nothing has changed");

    // An instance that is not emissive, so that lights do not change
    let is_emissive = |id| scene.material(id).unwrap().emission.radiance != Vec3::ZERO;
    let untransformed = |node: &Node| {
        node.instance.as_ref().is_some_and(|instance| !instance.materials.iter().any(|&id| is_emissive(id)))
    };
    let (id, node) = scene.nodes().find(|(_, node)| untransformed(node)).unwrap();
    let parent_from_node = Affine3::from_translation(Vec3::X * 0.01) * node.parent_from_node;
    let world = edited(&mut scene, &world, SceneEdit::Transform { id, parent_from_node });
    let update = mirror.update(&gpu, &world).unwrap();
    assert!(update.top_level_on_gpu && update.uploaded_trees == 0, "{update:?}");
    assert!((64..1024).contains(&update.uploaded_bytes), "moving: {update:?}");

    let (id, _) = scene.materials().next().unwrap();
    let material = Some(Material::lambert("green", Vec3::Y));
    let world = edited(&mut scene, &world, SceneEdit::Material { id, material });
    let update = mirror.update(&gpu, &world).unwrap();
    assert!((1..4096).contains(&update.uploaded_bytes), "another colour: {update:?}");
}

/// A mesh whose vertices move is refitted on the GPU, until the SAH cost of its tree is too high.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn deformed_meshes_are_refitted() {
    let gpu = gpu();
    let mut scene = Scene::default();
    let wave = |step: u16| {
        let mut data = sheet(40, 0.1 * f32::from(step), 0.12);
        data.positions.iter_mut().for_each(|position| position.y += 0.2 * f32::from(step));
        Mesh::new(data).unwrap()
    };
    let mesh = scene.add_mesh(wave(9)).unwrap();
    let material = scene.add_material(Material::lambert("grey", Vec3::splat(0.5))).unwrap();
    for i in -1i16..=1 {
        let at = Affine3::from_translation(vec3(f32::from(i), 0.0, 0.0)) * rotation_y(f32::from(i));
        scene.add_node(Node::new("").at(at).with_mesh(mesh, vec![material; 2])).unwrap();
    }
    let mut world = World::commit(&scene).unwrap();
    let options = MirrorOptions { top_level: TopLevelDevice::Gpu, ..MirrorOptions::default() };
    let mut mirror = SceneMirror::with_options(&gpu, &world, &options).unwrap();
    let mut kernels = Kernels::new(&gpu);
    let mut bytes = Vec::new();
    for step in 0u16..4 {
        let moved = Some(Arc::new(wave(step)));
        world = edited(&mut scene, &world, SceneEdit::Mesh { id: mesh, mesh: moved });
        let update = mirror.update(&gpu, &world).unwrap();
        let first = step == 0;
        assert_eq!((update.uploaded_trees, update.refitted_trees), (first.into(), (!first).into()));
        compare(&format!("step {step}"), &mut kernels, &mirror, &world, false);
        bytes.push(update.uploaded_bytes);
    }
    let positions = 41 * 41 * 12;
    assert!(
        bytes[1..].iter().all(|&bytes| bytes < positions + 1024) && bytes[0] > 5 * positions,
        "{bytes:?}"
    );

    // Strongly folded, so that the SAH cost becomes too high
    let mut data = sheet(40, 0.0, 0.1);
    for (i, position) in data.positions.iter_mut().enumerate() {
        let p = *position * if i % 3 == 0 { -1.0 } else { 1.0 };
        *position = vec3(p.y, p.z, p.x);
    }
    let folded = Some(Arc::new(Mesh::new(data).unwrap()));
    world = edited(&mut scene, &world, SceneEdit::Mesh { id: mesh, mesh: folded });
    let update = mirror.update(&gpu, &world).unwrap();
    assert_eq!((update.uploaded_trees, update.refitted_trees), (1, 0), "rebuilt");
    compare("folded", &mut kernels, &mirror, &world, false);
}

/// Compares the top level of the GPU with that of the CPU, over instances of two small meshes: the hits are the same.
/// All but `others` of them agree with those of the ray tracing kernel in distance, and all but `others + ties` in the
/// primitive.
fn same_top_level(what: &str, others: usize, ties: usize, places: impl Iterator<Item = Affine3>) {
    let gpu = gpu();
    let blas = |n| {
        let MeshData { positions, triangles, .. } = sheet(n, 0.0, 0.1);
        Arc::new(Blas::build(&positions, &triangles, &BuildOptions::default()).unwrap())
    };
    let instance = |(i, world_from_object): (usize, Affine3)| Instance {
        blas: u32::from(i % 3 == 0),
        world_from_object,
        mask: u32::from(i % 11 != 10),
        opaque: true,
    };
    let instances: Vec<Instance> = places.enumerate().map(instance).collect();
    let many = instances.len() > 1;
    let world = Tlas::build(vec![blas(1), blas(4)], instances, &BuildOptions::default()).unwrap();
    let nothing = Tlas::build(Vec::<Arc<Blas>>::new(), vec![], &BuildOptions::default()).unwrap();
    let by = |top_level| {
        let options = MirrorOptions { top_level, ..MirrorOptions::default() };
        let mut mirror = Mirror::with_options(&gpu, &nothing, &options).unwrap();
        let update = mirror.update(&gpu, &world).unwrap();
        assert_eq!(update.top_level_on_gpu, many && top_level == TopLevelDevice::Gpu, "{what}: {update:?}");
        assert_eq!(mirror.update(&gpu, &world).unwrap(), MirrorUpdate::default(), "{what}, again");
        mirror
    };
    let (on_gpu, on_cpu) = (by(TopLevelDevice::Gpu), by(TopLevelDevice::Cpu));

    let mut kernels = Kernels::new(&gpu);
    let rays = rays(4096);
    let batch: Vec<layout::Ray> = rays.iter().map(layout::Ray::from).collect();
    let batch = RayBatch::new(&gpu, &batch).unwrap();
    let (found, expected) = (kernels.hits(&on_gpu, &batch), kernels.hits(&on_cpu, &batch));
    assert_same_hits(what, &found, &expected);
    let [other_distance, different] = differences(&world, &rays, &found);
    assert!(
        other_distance <= others && other_distance + different <= others + ties,
        "{what}: {other_distance} and {different}"
    );
    let hits = found.iter().filter(|hit| hit.prim_id != Hit::MISS).count();
    assert!(hits > 0 || world.instances().is_empty(), "{what}: no ray hits anything");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn top_levels_built_on_the_gpu() {
    let mut random = Random(1);
    for count in [0, 1, 2, 3, 64, 129, 1000] {
        same_top_level(&format!("{count} instances"), 2, 0, (0..count).map(|_| place(&mut random)));
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn top_levels_of_equal_boxes() {
    same_top_level("300 instances in one place", 2, 0, (0..300).map(|_| Affine3::IDENTITY));
    let squeezed = |i: u16| Affine3::from_scale(vec3(1.0, f32::from(i % 4), 1.0));
    // Flat instances lie in the same plane at any scale: where two of different size overlap, rounding decides which is
    // nearest
    same_top_level("instances of different heights, some of height 0", 2, 4, (0..40).map(squeezed));
}

/// Instances with the identity transform join the top level itself, next to leaves of transformed ones; edits turn the
/// one into the other.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn untransformed_instances_join_the_top_level() {
    let gpu = gpu();
    let blas = [1, 3, 9].map(|n| {
        let MeshData { positions, triangles, .. } = sheet(n, 0.3 * n as f32, 0.3);
        Arc::new(Blas::build(&positions, &triangles, &BuildOptions::default()).unwrap())
    });
    let untransformed = |blas| Instance { blas, world_from_object: Affine3::IDENTITY, mask: 1, opaque: true };
    let transformed = |blas, angle: f32| {
        let at = Affine3::from_translation(vec3(angle, 0.3, 0.1)) * rotation_y(angle);
        Instance { world_from_object: at, ..untransformed(blas) }
    };
    let hidden = |blas| Instance { mask: 0, ..untransformed(blas) };
    let worlds = [
        ("all untransformed", vec![untransformed(0), untransformed(1), untransformed(2)]),
        ("the second one is transformed", vec![untransformed(0), transformed(1, 0.7), untransformed(2)]),
        ("all are untransformed again", vec![untransformed(0), untransformed(1), untransformed(2)]),
        ("the first one is hidden", vec![hidden(0), untransformed(1), untransformed(2)]),
        (
            "a transformed one is inserted first",
            vec![transformed(2, 0.4), untransformed(0), untransformed(1), untransformed(2)],
        ),
        (
            "the second one gets another mesh, and the third one is transformed",
            vec![transformed(2, 1.1), untransformed(2), transformed(1, 0.2), untransformed(2)],
        ),
        ("the second one is removed", vec![transformed(2, 1.1), transformed(1, 0.2), untransformed(2)]),
        ("a single instance", vec![untransformed(2)]),
    ];
    let world_of = |(what, instances): (&'static str, Vec<Instance>)| {
        (what, Tlas::build(blas.to_vec(), instances, &BuildOptions::default()).unwrap())
    };
    let worlds = worlds.map(world_of);
    let rays = rays(4096);
    let batch: Vec<layout::Ray> = rays.iter().map(layout::Ray::from).collect();
    let batch = RayBatch::new(&gpu, &batch).unwrap();
    let mut mirror = Mirror::new(&gpu, &worlds[0].1).unwrap();
    let for_untransformed = Tracer::new(&gpu, &mirror).unwrap();
    let mut kernels = Kernels::new(&gpu);
    for (i, (what, world)) in worlds.iter().enumerate() {
        let uploaded = mirror.update(&gpu, world).unwrap().uploaded_trees;
        assert_eq!(uploaded, 0, "{what}");
        let fresh = Mirror::new(&gpu, world).unwrap();
        let found = kernels.hits(&mirror, &batch);
        assert_same_hits(what, &found, &kernels.hits(&fresh, &batch));
        assert_matches_cpu(what, world, &rays, &found, 0);
        let seen: BTreeSet<u32> = found.iter().map(|hit| hit.inst_id).collect();
        // One of two coinciding instances is hidden
        let others = world.active_instances().filter(|(inst_id, _)| !seen.contains(inst_id)).count();
        assert_eq!(others, usize::from(i == 5), "{what}: {seen:?}");
        // Kernels for worlds without transformed instances refuse them
        let transformed = [1, 4, 5, 6].contains(&i);
        match for_untransformed.closest(&fresh, &batch) {
            Ok(hits) => assert_same_hits(what, &hits, &found),
            Err(GpuError::Unsupported { .. }) if transformed => {}
            Err(GpuError::TooLarge { .. }) if !transformed => {}
            Err(refused) => panic!("{what}: {refused}"),
        }
    }
}

/// Large instances whose centres are a power of two of cells apart: the radix tree is a chain, and the same rays hit
/// all of it.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn too_deep_top_levels_are_balanced() {
    const CELL: f32 = 8.0 / 1024.0;
    let around = Affine3::from_scale(Vec3::splat(8.0));
    let shifted = |i: i32| {
        let along = if i % 2 == 0 { Vec3::X } else { Vec3::Z };
        let by = along * 2f32.powi(i / 2) + vec3(0.5, 0.0, 0.5);
        Affine3::from_scale_rotation_translation(Vec3::splat(3.9), glam::Quat::IDENTITY, by * CELL)
    };
    // Sheets so close to each other that rounding decides which is hit first
    same_top_level("a chain", 16, 0, std::iter::once(around).chain((0..18).map(shifted)));
}
