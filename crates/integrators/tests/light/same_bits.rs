//! The image depends on scene, view, seed and samples, but not on threads, tiles or SIMD level.

use crate::common::{TestSetup, algorithm, render_world};
use fearless_simd::Level;
use sunfleck_image::{AovSet, Film};
use sunfleck_integrators::{Algorithm, Schedule, World};

/// Returns every instruction set that this machine supports.
fn levels() -> Vec<Level> {
    let best = Level::new();
    let mut levels = vec![Level::fallback(), best];
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        levels.extend(best.as_sse2().map(Level::Sse2));
        levels.extend(best.as_sse4_2().map(Level::Sse4_2));
        levels.extend(best.as_avx2().map(Level::Avx2));
    }
    levels
}

fn bits(film: &Film) -> Vec<[u32; 3]> {
    let of = |picture: &sunfleck_image::Picture| -> Vec<[u32; 3]> {
        picture.pixels().iter().map(|p| p.to_array().map(f32::to_bits)).collect()
    };
    [film.radiance(), film.variance()].iter().flat_map(of).collect()
}

#[test]
fn threads_tiles_and_levels_change_nothing() {
    let scene = sunfleck_models::build("teapot-room").unwrap();
    let world = World::commit(&scene).unwrap();
    let camera = &world.cameras()[0];
    let with_photons = algorithm("igi", &[("photons", "3000")]);
    for algorithm in Algorithm::ALL.into_iter().chain([with_photons]) {
        let setup = TestSetup {
            algorithm,
            projection: camera.camera.projection,
            world_from_view: camera.world_from_view,
            width: 48,
            height: 27,
            samples: 7,
            ..TestSetup::default()
        };
        let reference = bits(&render_world(&world, &setup));
        for tile_size in [1, 5, 16, 64] {
            let schedule = Schedule { tile_size, ..setup.schedule };
            let found = bits(&render_world(&world, &TestSetup { schedule, ..setup }));
            assert!(found == reference, "{algorithm}: tiles of {tile_size} change the image");
        }
        for level in levels() {
            let schedule = Schedule { level, ..setup.schedule };
            let found = bits(&render_world(&world, &TestSetup { schedule, ..setup }));
            assert!(found == reference, "{algorithm}: {level:?} changes the image");
        }
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| bits(&render_world(&world, &setup)));
            assert!(found == reference, "{algorithm}: {threads} threads change the image");
        }
    }
}

/// Without channels, `path` shades diffuse surfaces together from the first bounce on, with channels from the second.
#[test]
fn channels_change_nothing() {
    for scene in ["cornell", "teapot-room", "office"] {
        let world = World::commit(&sunfleck_models::build(scene).unwrap()).unwrap();
        let camera = &world.cameras()[0];
        let (projection, world_from_view) = (camera.camera.projection, camera.world_from_view);
        let (width, height) = (40, 30);
        let setup =
            TestSetup { projection, world_from_view, width, height, samples: 4, ..TestSetup::default() };
        let without = TestSetup { aovs: AovSet::EMPTY, ..setup };
        assert!(
            bits(&render_world(&world, &setup)) == bits(&render_world(&world, &without)),
            "{scene}: channels change the radiance"
        );
    }
}

#[test]
fn another_sampler_changes_the_image() {
    let scene = sunfleck_models::build("cornell").unwrap();
    let world = World::commit(&scene).unwrap();
    let camera = &world.cameras()[0];
    let (projection, world_from_view) = (camera.camera.projection, camera.world_from_view);
    let setup = TestSetup { projection, world_from_view, samples: 4, ..TestSetup::default() };
    let other = TestSetup { sampler: sunfleck_sampling::SamplerKind::Independent, ..setup };
    assert!(
        bits(&render_world(&world, &setup)) != bits(&render_world(&world, &other)),
        "another sampler changes nothing"
    );
}
