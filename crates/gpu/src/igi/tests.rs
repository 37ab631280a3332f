//! What frames pass on, against brute force.

use std::sync::Arc;

use sunfleck_image::AovSet;
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::{ViewSpec, World};
use sunfleck_kernel::brute_force;
use sunfleck_math::{Ray, Vec3};
use sunfleck_shaders::layout::Vpl;
use sunfleck_testkit::Random;

use super::drive::Haste;
use super::{IgiRenderer, Order, Recipe};
use crate::{AdapterChoice, Gpu, SceneMirror};

/// A direction of a cell of a cube: one unit along an axis.
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
fn nothing_is_where_shadow_rays_do_not_look() {
    // One has instances that are turned, and curved surfaces with lights on them
    let worlds =
        ["teapot-room", "cornell"].map(|name| World::commit(&sunfleck_models::build(name).unwrap()).unwrap());
    let gpu = Arc::new(Gpu::open(AdapterChoice::Best).unwrap());
    for world in &worlds {
        let scene = SceneMirror::new(&gpu, world).unwrap();
        let renderer = IgiRenderer::new(&gpu, &scene);
        let spec = ViewSpec::new(&world.cameras()[0].clone(), 256, 256);
        // One set, so that its maps have as many cells as those of large pictures
        let igi = Igi { interleave: 1, ..Igi::DEFAULT };
        let recipe = Recipe::picture(&igi, AovSet::EMPTY);
        let streams = renderer.streams(&Order { scene: &scene, world, spec: &spec, recipe }).unwrap();
        assert!(streams.add(&gpu, &spec, 0, Haste::Whole).unwrap().is_some());
        let lights: Vec<Vpl> = streams.arrays.vpls.read(&gpu).unwrap();
        let clearances = streams.arrays.clearances.read(&gpu).unwrap();
        let cells = clearances.len() / lights.len();
        let edge = (cells / 6).isqrt();
        assert_eq!((cells, edge), (6 * 8 * 8, 8));

        let radius = 0.5 * world.bounds().diagonal();
        let mut random = Random::new(7);
        let (mut shining, mut clear) = (0, 0);
        for (light, own) in lights.iter().zip(clearances.chunks(cells)) {
            let [position, axis] = [light.position, light.axis].map(Vec3::from_array);
            for (cell, &way) in own.iter().enumerate() {
                let direction = direction_in(cell, edge, &mut random);
                let one_sided = light.kind == Vpl::AREA || light.kind == Vpl::GLOSSY;
                if light.kind == Vpl::NONE || one_sided && axis.dot(direction) < 0.05 {
                    continue;
                }
                shining += 1;
                // The surface that it is on does not count
                let start = 1e-4 * radius;
                if way <= start {
                    continue;
                }
                clear += 1;
                let ray = Ray { origin: position, t_near: start, direction, t_far: way };
                let hit = brute_force::intersect(world.tlas(), &ray);
                assert!(hit.is_none(), "{light:?}, cell {cell}, {way}: {hit:?}");
            }
        }
        assert!(shining * 4 > clearances.len(), "{shining} of {}", clearances.len());
        assert!(clear * 10 > shining * 7, "most lights have room: {clear} of {shining}");
    }
}
