//! Scenes of pbrt in the folder `SUNFLECK_SCENES`: the Cornell box beside the picture of its author, the killeroo of
//! version 3 beside that of version 4.

#![allow(clippy::unwrap_used, reason = "a failed test should stop")]

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use sunfleck_image::{AovSet, Film, Filter, read_picture};
use sunfleck_integrators::{Algorithm, RenderProgress, Schedule, StopRules, View, ViewSpec, World, render};
use sunfleck_io::load;
use sunfleck_math::Vec3;

fn scenes() -> PathBuf {
    std::env::var_os("SUNFLECK_SCENES").expect("SUNFLECK_SCENES names the folder of scenes").into()
}

/// Renders a scene as a square image.
fn rendered(name: &str, size: u32, samples: u32) -> Vec<Vec3> {
    let loaded = load(&scenes().join(name)).unwrap_or_else(|error| panic!("{error}"));
    let world = World::commit(&loaded.scene).unwrap();
    let placed = &world.cameras()[0];
    let algorithm: Algorithm = "path".parse().unwrap();
    let spec = ViewSpec {
        projection: placed.camera.projection,
        world_from_view: placed.world_from_view,
        width: size,
        height: size,
        sampler: "sobol".parse().unwrap(),
        seed: 0,
        filter: Filter::Box,
        aovs: AovSet::EMPTY,
        occlusion_radius: 1.0,
        texture_footprint: 0.0,
        shows_environment: true,
    };
    let mut film = Film::new(size, size, AovSet::EMPTY);
    let stop = StopRules { samples: Some(samples), ..StopRules::default() };
    let (view, cancel) = (View::new(&world, spec), AtomicBool::new(false));
    let progress = |_: &RenderProgress| ();
    render(&view, &algorithm, &mut film, 0, &stop, &Schedule::default(), &cancel, &progress);
    film.radiance().pixels().to_vec()
}

/// Returns the means of the squares of an image.
fn regions(pixels: &[Vec3], size: u32, squares: u32) -> Vec<Vec3> {
    let side = size / squares;
    let mut means = vec![Vec3::ZERO; (squares * squares) as usize];
    for (i, &pixel) in (0..).zip(pixels) {
        let (x, y) = (i % size / side, i / size / side);
        means[(y * squares + x) as usize] += pixel / (side * side) as f32;
    }
    means
}
