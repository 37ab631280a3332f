//! Images of scenes that were read, by path tracing.

use std::sync::atomic::AtomicBool;

use sunfleck_image::{AovSet, Film, Filter};
use sunfleck_integrators::{Algorithm, RenderProgress, Schedule, StopRules, View, ViewSpec, World, render};
use sunfleck_math::Vec3;

/// How an image is rendered.
pub(crate) struct ImageSetup {
    /// Width and height, pixels.
    pub(crate) size: [u32; 2],
    pub(crate) samples: u32,
    pub(crate) sampler: &'static str,
    pub(crate) seed: u32,
    pub(crate) filter: Filter,
    pub(crate) max_bounces: Option<u32>,
}

/// Returns the pixels of an image of the first camera.
pub(crate) fn image(world: &World, setup: &ImageSetup) -> Vec<Vec3> {
    let &ImageSetup { size: [width, height], samples, sampler, seed, filter, max_bounces } = setup;
    let placed = &world.cameras()[0];
    let mut algorithm: Algorithm = "path".parse().unwrap();
    if let Some(max_bounces) = max_bounces {
        algorithm.set("max_bounces", &max_bounces.to_string()).unwrap();
    }
    let spec = ViewSpec {
        projection: placed.camera.projection,
        world_from_view: placed.world_from_view,
        width,
        height,
        sampler: sampler.parse().unwrap(),
        seed,
        filter,
        aovs: AovSet::EMPTY,
        occlusion_radius: 1.0,
        texture_footprint: 0.0,
        shows_environment: true,
    };
    let mut film = Film::new(width, height, AovSet::EMPTY);
    let stop = StopRules { samples: Some(samples), ..StopRules::default() };
    let (view, cancel) = (View::new(world, spec), AtomicBool::new(false));
    let progress = |_: &RenderProgress| ();
    render(&view, &algorithm, &mut film, 0, &stop, &Schedule::default(), &cancel, &progress);
    film.radiance().pixels().to_vec()
}
