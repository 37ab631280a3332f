//! Scenes of pbrt in the folder `SUNFLECK_SCENES`: the Cornell box beside the picture of its author, the killeroo of
//! version 3 beside that of version 4.

#![allow(clippy::unwrap_used, reason = "a failed test should stop")]

mod common;

use std::path::PathBuf;

use sunfleck_image::srgb::srgb_from_linear_rgb;
use sunfleck_image::{Filter, read_picture};
use sunfleck_integrators::World;
use sunfleck_io::load;
use sunfleck_math::Vec3;

use common::{ImageSetup, image};

fn scenes() -> PathBuf {
    std::env::var_os("SUNFLECK_SCENES").expect("SUNFLECK_SCENES names the folder of scenes").into()
}

/// Renders a scene as a square image.
fn rendered(name: &str, size: u32, samples: u32) -> Vec<Vec3> {
    let loaded = load(&scenes().join(name)).unwrap_or_else(|error| panic!("{error}"));
    let world = World::commit(&loaded.scene).unwrap();
    let setup = ImageSetup {
        size: [size, size],
        samples,
        sampler: "sobol",
        seed: 0,
        filter: Filter::Box,
        max_bounces: None,
    };
    image(&world, &setup)
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

/// Tone curve of Tungsten, with which the picture was made, from radiance to the values of its file
/// [Hejl10, filmic curve].
fn filmic(radiance: Vec3) -> Vec3 {
    let x = (radiance - 0.004).max(Vec3::ZERO);
    x * (x * 6.2 + 0.5) / (x * (x * 6.2 + 1.7) + 0.06)
}

/// The picture has the light of all bounces. Our image has few pixels: at edges, the curve of a mean is not the mean of
/// the curve.
#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn the_cornell_box_is_that_of_its_picture() {
    const SIZE: u32 = 128;
    let reference = read_picture(&scenes().join("cornell-box/pbrt/TungstenRender.png")).unwrap();
    assert_eq!((reference.width(), reference.height()), (1024, 1024));
    // Back from linear values to those of the file
    let encoded: Vec<Vec3> = reference.pixels().iter().map(|&pixel| srgb_from_linear_rgb(pixel)).collect();
    let ours: Vec<Vec3> =
        rendered("cornell-box/pbrt/scene.pbrt", SIZE, 256).into_iter().map(filmic).collect();
    let pairs = regions(&ours, SIZE, 16).into_iter().zip(regions(&encoded, 1024, 16));
    let (mut most, mut sum) = (0.0f32, Vec3::ZERO);
    for (ours, expected) in pairs {
        most = most.max((ours - expected).abs().max_element());
        sum += (ours - expected) / 256.0;
    }
    eprintln!("greatest difference {most}, mean {sum}");
    assert!(most < 0.025 && sum.abs().max_element() < 0.003, "{most} {sum}");
}

/// The two files describe the same light, floor and camera. The killeroos are of plastic in one of them, whose diffuse
/// part is on its surface, and of a coated diffuse base in the other, which loses light within the coat: they are darker.
#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn the_killeroos_of_both_versions_look_alike() {
    const SIZE: u32 = 96;
    let image = |version: &str| rendered(&format!("pbrt/{version}/killeroo-simple.pbrt"), SIZE, 64);
    let (old, new) = (image("v3"), image("v4"));
    let mean = |pixels: &[Vec3]| pixels.iter().sum::<Vec3>();
    let ratio = mean(&old) / mean(&new);
    assert!((ratio - 1.0).abs().max_element() < 0.05, "{ratio}");
    let ratios = regions(&old, SIZE, 4).into_iter().zip(regions(&new, SIZE, 4)).map(|(a, b)| a / b);
    let ratios: Vec<Vec3> = ratios.collect();
    let is_floor = |ratio: &Vec3| (ratio - Vec3::ONE).abs().max_element() < 0.05;
    assert!(ratios.iter().filter(|ratio| is_floor(ratio)).count() >= 8, "{ratios:?}");
    assert!(ratios.iter().all(|ratio| ratio.min_element() > 0.95 && ratio.max_element() < 1.9), "{ratios:?}");
}
