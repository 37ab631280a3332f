//! Tests of intermediate results of frames against brute force.

use std::sync::Arc;

use sunfleck_image::AovSet;
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::{ViewSpec, World};
use sunfleck_kernel::brute_force;
use sunfleck_math::{Ray, Vec3};
use sunfleck_shaders::layout::Vpl;
use sunfleck_testkit::Random;

use super::render_loop::Cancellation;
use super::{IgiRenderer, IgiRequest, IgiSettings};
use crate::{AdapterChoice, Gpu, SceneMirror};

/// Returns a random direction in a cell of a clearance map: its component along the dominant axis is 1.
fn direction_in(cell: usize, edge: usize, random: &mut Random) -> Vec3 {
    let face = cell / (edge * edge);
    let mut across = |place: usize| (place as f32 + random.next_f32()) * 2.0 / edge as f32 - 1.0;
    let (x, y) = (across(cell % edge), across(cell / edge % edge));
    let z = if face.is_multiple_of(2) { 1.0 } else { -1.0 };
    match face / 2 {
        0 => Vec3::new(z, x, y),
        1 => Vec3::new(y, z, x),
        _ => Vec3::new(x, y, z),
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn clearances_contain_no_surfaces() {
    // One of the worlds has transformed instances and curved emissive surfaces
    let worlds =
        ["teapot-room", "cornell"].map(|name| World::commit(&sunfleck_models::build(name).unwrap()).unwrap());
    let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
    for world in &worlds {
        let scene = SceneMirror::new(&gpu, world).unwrap();
        let renderer = IgiRenderer::new(&gpu, &scene);
        let spec = ViewSpec::new(&world.cameras()[0].clone(), 256, 256);
        // A single VPL set, so that its maps have as many cells as those of large images
        let igi = Igi { interleave: 1, ..Igi::DEFAULT };
        let settings = IgiSettings::single_image(&igi, AovSet::EMPTY);
        let streams = renderer.streams(&IgiRequest { scene: &scene, world, spec: &spec, settings }).unwrap();
        assert!(streams.add(&gpu, &spec, 0, Cancellation::Never).unwrap().is_some());
        let lights: Vec<Vpl> = streams.arrays.vpls.read(&gpu).unwrap();
        let clearances = streams.arrays.clearances.read(&gpu).unwrap();
        let cells = clearances.len() / lights.len();
        let edge = (cells / 6).isqrt();
        assert_eq!((cells, edge), (6 * 8 * 8, 8));

        let radius = 0.5 * world.bounds().diagonal();
        let mut random = Random::new(7);
        let (mut emitting, mut clear) = (0, 0);
        for (light, own) in lights.iter().zip(clearances.chunks(cells)) {
            let [position, axis] = [light.position, light.axis].map(Vec3::from_array);
            for (cell, &clearance) in own.iter().enumerate() {
                let direction = direction_in(cell, edge, &mut random);
                let one_sided = light.kind == Vpl::AREA || light.kind == Vpl::GLOSSY;
                if light.kind == Vpl::NONE || one_sided && axis.dot(direction) < 0.05 {
                    continue;
                }
                emitting += 1;
                // Excludes the surface that the VPL is on
                let start = 1e-4 * radius;
                if clearance <= start {
                    continue;
                }
                clear += 1;
                let ray = Ray { origin: position, t_near: start, direction, t_far: clearance };
                let hit = brute_force::intersect(world.tlas(), &ray);
                assert!(hit.is_none(), "{light:?}, cell {cell}, {clearance}: {hit:?}");
            }
        }
        assert!(emitting * 4 > clearances.len(), "{emitting} of {}", clearances.len());
        assert!(clear * 10 > emitting * 7, "most directions are clear: {clear} of {emitting}");
    }
}
