//! Frames that reuse previous ones, on the GPU against the CPU, pixel by pixel.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fearless_simd::Level;
use sunfleck_gpu::{AdapterChoice, Gpu, GpuReuse, Renderer};
use sunfleck_image::{Aov, AovSet, Film, Picture};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::reuse::TemporalReuse;
use sunfleck_integrators::{Algorithm, RenderProgress, Schedule, StopRules, View, ViewSpec, World, render};
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Material, Mesh, MeshData, Scene, SceneEdit};
use sunfleck_transport::InstanceMotion;

use crate::path::{different, spec};

const WIDTH: u32 = 64;
const HEIGHT: u32 = 48;

/// A frame of a sequence.
type Step = (Arc<World>, ViewSpec);

/// Frame with what it reuses: the image, and the number of frames of each pixel.
type Reused = (Picture, Vec<f32>);

/// Renders a sequence of frames of one sample per pixel on the CPU.
fn on_cpu(steps: &[Step], algorithm: &Algorithm) -> Vec<Reused> {
    let (mut reuse, schedule) = (TemporalReuse::default(), Schedule::default());
    let frame = |((world, spec), sample): (&Step, u32)| {
        let mut film = Film::new(WIDTH, HEIGHT, spec.aovs);
        let stop = StopRules { samples: Some(sample + 1), ..StopRules::default() };
        let (cancel, ignore) = (AtomicBool::new(false), |_: &RenderProgress| {});
        let view = View::new(world, *spec);
        render(&view, algorithm, &mut film, sample, &stop, &schedule, &cancel, &ignore);
        let reused = reuse.add(world, spec, algorithm, &film, &schedule);
        (reused.picture, reused.frames)
    };
    steps.iter().zip(0..).map(frame).collect()
}

/// Renders the same sequence on the GPU.
fn on_gpu(steps: &[Step], algorithm: &Algorithm) -> Vec<Reused> {
    let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
    let (mut renderer, mut reuse) = (Renderer::for_changing_worlds(gpu), GpuReuse::default());
    let level = Level::new();
    let frame = |((world, spec), sample): (&Step, u32)| {
        let mut live = renderer.live(world, spec, algorithm, level, sample).unwrap();
        let stop = StopRules { samples: Some(sample + 1), ..StopRules::default() };
        live.add(&stop, &AtomicBool::new(false), &|_: &RenderProgress| {}).unwrap();
        let rays = renderer.reuse(&mut reuse, world, spec, algorithm, level, &live).unwrap();
        assert!(rays.intersect >= u64::from(WIDTH * HEIGHT), "{rays:?}");
        (reuse.picture().unwrap().unwrap(), reuse.frame_counts().unwrap())
    };
    steps.iter().zip(0..).map(frame).collect()
}

/// Asserts that both devices reuse the same frames: all but `others` of 1000 pixels have the same light, and all but 5
/// the same number of frames. The rest lie on edges, or show a path that rounding has changed, in this frame or before.
fn compare(name: &str, steps: &[Step], others: usize) {
    let path = Algorithm::from(PathTracer::DEFAULT);
    let (expected, found) = (on_cpu(steps, &path), on_gpu(steps, &path));
    let pixels = (WIDTH * HEIGHT) as usize;
    for (number, ((picture, frames), (expected, expected_frames))) in found.iter().zip(&expected).enumerate()
    {
        let different = different(picture, expected);
        let equal = |(a, b): &(&f32, &f32)| (**a - **b).abs() <= 0.01 * b.abs();
        let unequal = pixels - frames.iter().zip(expected_frames).filter(equal).count();
        assert!(different * 1000 <= others * pixels, "{name}, frame {number}: {different} pixels differ");
        assert!(unequal * 1000 <= 5 * pixels, "{name}, frame {number}: {unequal} counts differ");
    }
    let (_, frames) = expected.last().unwrap();
    let mean = frames.iter().sum::<f32>() / pixels as f32;
    assert!(mean > 2.0, "{name}: {mean} frames are reused");
}

fn step(scene: &Scene, before: Option<&Arc<World>>, moved: Affine3) -> Step {
    let world = match before {
        Some(before) => before.update(scene).unwrap(),
        None => World::commit(scene).unwrap(),
    };
    let aovs = AovSet::EMPTY.with(Aov::Diffuse).with(Aov::Features);
    let base = spec(&world, WIDTH, HEIGHT);
    let world_from_view = base.world_from_view * moved;
    (Arc::new(world), ViewSpec { world_from_view, aovs, ..base })
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_camera_walks_through_a_still_world() {
    let scene = sunfleck_models::build("office").unwrap();
    let (world, first) = step(&scene, None, Affine3::IDENTITY);
    let walk = |i: u16| {
        let place = Affine3::from_translation(vec3(0.03, 0.0, -0.05) * f32::from(i));
        let turn = sunfleck_math::transform::rotation_y(0.01 * f32::from(i));
        (world.clone(), ViewSpec { world_from_view: first.world_from_view * place * turn, ..first })
    };
    compare("office", &[0, 1, 2, 3].map(walk), 15);
    compare("office at rest", &[0, 0, 0, 0].map(walk), 5);
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn an_object_moves() {
    let mut scene = sunfleck_models::build("teapot-room").unwrap();
    let world = World::commit(&scene).unwrap();
    let (id, parent_from_node) = movable(&scene);
    let mut steps = vec![step(&scene, None, Affine3::IDENTITY)];
    for i in 1..4u16 {
        let by = Affine3::from_translation(Vec3::X * (0.05 * f32::from(i)));
        scene.apply(SceneEdit::Transform { id, parent_from_node: by * parent_from_node }).unwrap();
        let next = step(&scene, steps.last().map(|(world, _)| world), Affine3::IDENTITY);
        steps.push(next);
    }
    let (last, count) = (&steps[3].0, u32::try_from(world.tlas().instances().len()).unwrap());
    let motion = last.motion_since(&world);
    assert!((0..count).any(|inst_id| motion.of(inst_id) != InstanceMotion::Still), "something moves");
    compare("teapot-room", &steps, 30);
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_mesh_deforms() {
    let mut scene = sunfleck_models::build("teapot-room").unwrap();
    let mut steps = vec![step(&scene, None, Affine3::IDENTITY)];
    let (teapot, _) = movable(&scene);
    let instance = scene.nodes().find(|(id, _)| *id == teapot).and_then(|(_, node)| node.instance.clone());
    let id = instance.unwrap().mesh;
    let first = scene.meshes().find(|(other, _)| *other == id).unwrap().1.data().clone();
    for i in 1..4u16 {
        let wider = vec3(1.0 + 0.03 * f32::from(i), 1.0, 1.0);
        let positions = first.positions.iter().map(|p| *p * wider).collect();
        let mesh = Mesh::new(MeshData { positions, ..first.clone() }).unwrap();
        scene.apply(SceneEdit::Mesh { id, mesh: Some(Arc::new(mesh)) }).unwrap();
        let next = step(&scene, steps.last().map(|(world, _)| world), Affine3::IDENTITY);
        steps.push(next);
    }
    compare("deforming teapot", &steps, 30);
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_lamp_is_switched_off_and_on() {
    let mut scene = sunfleck_models::build("office").unwrap();
    let mut steps = vec![step(&scene, None, Affine3::IDENTITY)];
    let is_lamp = |material: &Material| material.emission.radiance != Vec3::ZERO;
    let lamp = scene.materials().find(|(_, material)| is_lamp(material));
    let (id, lamp) = lamp.map(|(id, material)| (id, material.clone())).unwrap();
    for material in [lamp.clone().with_emission(Vec3::ZERO), lamp] {
        for _ in 0..2 {
            scene.apply(SceneEdit::Material { id, material: Some(material.clone()) }).unwrap();
            let next = step(&scene, steps.last().map(|(world, _)| world), Affine3::IDENTITY);
            steps.push(next);
        }
    }
    compare("lamp", &steps, 30);
}

/// Returns the first node whose name says that it is the teapot.
fn movable(scene: &Scene) -> (sunfleck_scene::NodeId, Affine3) {
    let teapot = scene.nodes().find(|(_, node)| node.name.contains("teapot"));
    teapot.map(|(id, node)| (id, node.parent_from_node)).unwrap()
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn the_same_frames_have_the_same_bits() {
    let scene = sunfleck_models::build("cornell").unwrap();
    let (world, first) = step(&scene, None, Affine3::IDENTITY);
    let walk = |i: u16| {
        let place = Affine3::from_translation(vec3(0.01, 0.0, 0.0) * f32::from(i));
        (world.clone(), ViewSpec { world_from_view: first.world_from_view * place, ..first })
    };
    let steps = [0, 1, 2].map(walk);
    let path = Algorithm::from(PathTracer::DEFAULT);
    assert!(on_gpu(&steps, &path) == on_gpu(&steps, &path));
}
