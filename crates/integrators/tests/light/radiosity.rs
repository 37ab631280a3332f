//! Radiosity: what is kept beside a world, and pictures of solutions.

use std::sync::atomic::AtomicBool;

use sunfleck_image::{AovSet, Film, Picture};
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::radiosity::{Method, Radiosity, Shown};
use sunfleck_integrators::{
    Algorithm, RenderProgress, Schedule, StopRules, TemporalHistory, View, ViewSpec, World, render,
};
use sunfleck_math::{Affine3, Shape, Vec3};
use sunfleck_scene::{Material, Mesh, MeshData, Node, Scene, SceneEdit};

const SIZE: u32 = 48;

/// Few texels and patches.
const SMALL: Radiosity = Radiosity {
    resolution: 64,
    iterations: 8,
    rays: 4096,
    patches: 200,
    patch_rays: 128,
    ..Radiosity::DEFAULT
};

fn cornell() -> Scene {
    sunfleck_models::build("cornell").unwrap()
}

fn frame(world: &World, algorithm: Algorithm, history: Option<&TemporalHistory>, samples: u32) -> Picture {
    let view = View::new(world, ViewSpec::new(&world.cameras()[0], SIZE, SIZE));
    let view = if let Some(history) = history { view.with_history(history) } else { view };
    let mut film = Film::new(SIZE, SIZE, AovSet::EMPTY);
    let stop = StopRules { samples: Some(samples), ..StopRules::default() };
    let (cancel, observer) = (AtomicBool::new(false), |_: &RenderProgress| {});
    render(&view, &algorithm, &mut film, 0, &stop, &Schedule::default(), &cancel, &observer);
    film.radiance()
}

fn image(world: &World, radiosity: Radiosity) -> Picture {
    frame(world, radiosity.into(), None, 1)
}

/// Returns the mean over the pixels of the difference of two images, relative to the mean of the second.
fn difference(a: &Picture, b: &Picture) -> f32 {
    let pairs = a.pixels().iter().zip(b.pixels());
    let sum: f32 = pairs.map(|(a, b)| (*a - *b).abs().element_sum()).sum();
    sum / b.pixels().iter().map(|b| b.element_sum()).sum::<f32>()
}

/// Returns the same scene with a green wall where it was red, or the other way round.
fn repainted(scene: &mut Scene) {
    let coloured = |material: &Material| material.name.contains("red");
    let (id, material) = scene.materials().find(|(_, material)| coloured(material)).unwrap();
    let material = Some(Material::lambert(&material.name, Vec3::new(0.1, 0.6, 0.3)));
    scene.apply(SceneEdit::Material { id, material }).unwrap();
}

/// Moves the last object of the scene.
fn moved(scene: &mut Scene) {
    let (id, node) = scene.nodes().filter(|(_, node)| node.instance.is_some()).last().unwrap();
    let parent_from_node = Affine3::from_translation(Vec3::Y * 0.05) * node.parent_from_node;
    scene.apply(SceneEdit::Transform { id, parent_from_node }).unwrap();
}

#[test]
fn both_methods_agree_with_paths() {
    let world = World::commit(&cornell()).unwrap();
    let reference = frame(&world, PathTracer::DEFAULT.into(), None, 1024);
    for (method, most) in [(Method::Stochastic, 0.04), (Method::Matrix, 0.03)] {
        let found = frame(&world, Radiosity { method, ..Radiosity::DEFAULT }.into(), None, 64);
        let error = difference(&found, &reference);
        eprintln!("{method:?}: {error}");
        assert!(error < most, "{method:?}: {error}");
    }
}

#[test]
fn light_of_an_edited_world_is_that_of_a_new_one() {
    for edit in [repainted, moved] {
        for method in [Method::Stochastic, Method::Matrix] {
            let radiosity = Radiosity { method, ..SMALL };
            let mut scene = cornell();
            let before = World::commit(&scene).unwrap();
            let first = image(&before, radiosity);
            edit(&mut scene);
            let after = image(&before.update(&scene).unwrap(), radiosity);
            let expected = image(&World::commit(&scene).unwrap(), radiosity);
            assert!(difference(&first, &expected) > 0.01, "the edit is seen");
            // Patches are those for the light before it was changed
            let is_exact = method == Method::Stochastic;
            let error = difference(&after, &expected);
            assert!(if is_exact { after == expected } else { error < 0.03 }, "{method:?}: {error}");
            assert!(image(&before, radiosity) == first, "the former world again");
        }
    }
}

#[test]
fn frames_of_a_sequence_gather_light_one_after_another() {
    let mut scene = cornell();
    let world = World::commit(&scene).unwrap();
    let history = TemporalHistory::default();
    let still = image(&World::commit(&scene).unwrap(), SMALL);
    let frames: Vec<Picture> = (0..10).map(|_| frame(&world, SMALL.into(), Some(&history), 1)).collect();
    assert!(frames[0] != still && frames[6] != still, "a part of the iterations");
    assert!(frames[7] == still && frames[9] == still, "all of them");
    repainted(&mut scene);
    let after = world.update(&scene).unwrap();
    let edited = frame(&after, SMALL.into(), Some(&history), 1);
    assert!(difference(&edited, &still) > 0.01, "it begins again");
    assert!(image(&after, SMALL) == image(&World::commit(&scene).unwrap(), SMALL));
}

#[test]
fn pictures_show_the_solution() {
    let world = World::commit(&cornell()).unwrap();
    for method in [Method::Stochastic, Method::Matrix] {
        let of = |show| image(&world, Radiosity { method, show, ..SMALL });
        let distinct = |picture: &Picture| {
            let mut colors: Vec<[u32; 3]> =
                picture.pixels().iter().map(|color| color.to_array().map(f32::to_bits)).collect();
            colors.sort_unstable();
            colors.dedup();
            colors.len()
        };
        let mean = |picture: &Picture| {
            picture.pixels().iter().map(|color| color.element_sum()).sum::<f32>() / (3 * SIZE * SIZE) as f32
        };
        assert!(distinct(&of(Shown::Patches)) > 50, "{method:?}");
        let factors = of(Shown::FormFactors);
        assert!(mean(&factors) > 0.02 && distinct(&factors) > 20, "{method:?}: {}", mean(&factors));
        // The surface in the middle does not see itself
        assert!(factors.pixel(SIZE / 2, SIZE / 2).element_sum() < 0.01, "{method:?}");
        let few = image(&world, Radiosity { method, show: Shown::Residual, iterations: 2, ..SMALL });
        let many = image(&world, Radiosity { method, show: Shown::Residual, iterations: 64, ..SMALL });
        assert!(mean(&many) < mean(&few), "{method:?}: the residual falls: {} {}", mean(&few), mean(&many));
        assert!(mean(&of(Shown::Error)) > 0.0, "{method:?}");
    }
}

#[test]
fn shapes_are_refused_by_the_matrix_only() {
    let mut scene = cornell();
    let material = scene.add_material(Material::lambert("grey", Vec3::splat(0.5))).unwrap();
    let mesh = scene
        .add_mesh(
            Mesh::new(MeshData { shapes: vec![Shape::sphere(Vec3::ZERO, 0.1)], ..MeshData::default() })
                .unwrap(),
        )
        .unwrap();
    scene.add_node(Node::new("ball").with_mesh(mesh, vec![material])).unwrap();
    let world = World::commit(&scene).unwrap();
    let check = |method| Algorithm::from(Radiosity { method, ..SMALL }).check_world(&world);
    assert!(check(Method::Stochastic).is_ok());
    let refused = check(Method::Matrix).unwrap_err().to_string();
    assert!(refused.contains("shapes"), "{refused}");
}
