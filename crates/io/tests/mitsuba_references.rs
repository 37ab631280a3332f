//! Scenes of Mitsuba against the references of its own tests, in the folder `SUNFLECK_SCENES` [Jakob22, tests of
//! renders].

#![allow(clippy::unwrap_used, reason = "a failed test should stop")]

mod common;

use std::path::{Path, PathBuf};

use sunfleck_image::{Filter, Picture, read_picture};
use sunfleck_integrators::World;
use sunfleck_io::load;
use sunfleck_math::Vec3;

use common::{ImageSetup, image};

fn scenes() -> PathBuf {
    std::env::var_os("SUNFLECK_SCENES").expect("SUNFLECK_SCENES names the folder of scenes").into()
}

/// Mean and variance of the pixels of several images.
struct Estimate {
    mean: Vec<Vec3>,
    /// Variance of the mean.
    variance: Vec<Vec3>,
}

/// Renders a scene [`BATCHES`] times.
///
/// * `depth` — Mitsuba's `max_depth`: 1 is light that is seen directly.
fn rendered(file: &Path, [width, height]: [u32; 2], filter: Filter, depth: u32) -> Estimate {
    let loaded = load(file).unwrap_or_else(|error| panic!("{error}"));
    let world = World::commit(&loaded.scene).unwrap();
    let pixels = (width * height) as usize;
    let (mut sums, mut squares) = (vec![Vec3::ZERO; pixels], vec![Vec3::ZERO; pixels]);
    for seed in 0..BATCHES {
        let setup = ImageSetup {
            size: [width, height],
            samples: BATCH_SAMPLES,
            sampler: "independent",
            seed,
            filter,
            max_bounces: Some(depth - 1),
        };
        for (i, pixel) in image(&world, &setup).into_iter().enumerate() {
            sums[i] += pixel;
            squares[i] += pixel * pixel;
        }
    }
    let count = BATCHES as f32;
    let variance =
        |(sum, square): (&Vec3, &Vec3)| (square / count - (sum / count) * (sum / count)) / (count - 1.0);
    let variance = sums.iter().zip(&squares).map(variance).collect();
    Estimate { mean: sums.iter().map(|sum| sum / count).collect(), variance }
}

/// Images from which the variance is estimated, and the samples per pixel of each.
const BATCHES: u32 = 48;
const BATCH_SAMPLES: u32 = 8;

/// Result of a comparison.
#[derive(Debug)]
struct Comparison {
    /// Share of values that do not contradict the reference.
    accepted: f32,
    /// Mean of the deviations in standard deviations of a pixel.
    mean_z: f32,
    /// Mean of our values over that of the reference, each component.
    brightness: Vec3,
}

/// Compares an image with a reference.
///
/// The statistic is that of Mitsuba's tests, z = (x − μ) / σ, two-sided, at a level of 1 % for all pixels together.
/// σ² is the larger one of two variances of the mean: the variance estimated from our samples, which is too small where
/// few of them reach a light, and the variance of the reference's samples over the number of ours. Half a percent of the
/// reference is added to σ in quadrature, since Mitsuba rounds spectra to RGB differently.
fn compare(image: &Estimate, reference: &Picture, variance: &Picture) -> Comparison {
    // 1 % of 48² pixels, after Šidák's correction
    const Z: f32 = 4.6;
    let (mut accepted, mut sum) = (0, 0.0);
    for (i, expected) in reference.pixels().iter().enumerate() {
        for channel in 0..3 {
            let of_mitsuba = variance.pixels()[i][channel].max(1e-4) / (BATCHES * BATCH_SAMPLES) as f32;
            let rounding = 0.005 * expected[channel];
            let deviation = (image.variance[i][channel].max(of_mitsuba) + rounding * rounding).sqrt();
            let z = (image.mean[i][channel] - expected[channel]) / deviation;
            accepted += u32::from(z.abs() < Z);
            sum += z;
        }
    }
    let count = 3.0 * image.mean.len() as f32;
    let brightness = image.mean.iter().sum::<Vec3>() / reference.pixels().iter().sum::<Vec3>();
    Comparison { accepted: accepted as f32 / count, mean_z: sum / count, brightness }
}

/// Compares a scene of the folder of Mitsuba's tests.
fn compare_scene(folder: &str, name: &str, filter: Filter) -> Comparison {
    let folder = scenes().join("mitsuba-tests/tests/scenes").join(folder);
    let read =
        |suffix: &str| read_picture(&folder.join(format!("refs/test_{name}_ref_rgb{suffix}.exr"))).unwrap();
    let (reference, variance) = (read(""), read("_var"));
    let names = ["path", "direct"].map(|integrator| folder.join(format!("test_{name}_{integrator}.xml")));
    let file = names.iter().find(|file| file.exists()).unwrap();
    let image = rendered(file, [reference.width(), reference.height()], filter, 2);
    compare(&image, &reference, &variance)
}

/// Share of the values that may not contradict a reference: that of Mitsuba's tests.
const LEAST: f32 = 0.9975;

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn scenes_agree_with_the_references_of_mitsuba() {
    let cases = [
        ("floating_sphere", "directional"),
        ("texture_interp", "texture_interp"),
        ("instancing", "instancing"),
        ("bsdf_spheres", "constant"),
        ("bsdf_spheres", "pointlight"),
        ("bsdf_spheres", "arealight"),
        ("bsdf_spheres", "envmap"),
        ("bsdf_spheres", "textured_diffuse"),
        ("bsdf_spheres", "normalmap"),
        ("bsdf_spheres", "bumpmap"),
        ("bsdf_spheres", "roughdielectric"),
        ("bsdf_spheres", "roughplastic_linear"),
        ("bsdf_spheres", "roughplastic_nonlinear"),
        ("bsdf_spheres", "textured_roughconductor"),
        ("bsdf_spheres", "normalmap_roughconductor"),
        ("bsdf_spheres", "normalmap_identity_roughconductor"),
        ("bsdf_spheres", "texturedprincipled1"),
        ("bsdf_spheres", "texturedprincipled2"),
    ];
    let mut wrong = Vec::new();
    for (folder, name) in cases {
        // The only film without a box filter
        let filter = if name == "texture_interp" { Filter::Gaussian } else { Filter::Box };
        let found = compare_scene(folder, name, filter);
        eprintln!("{name}: {found:?}");
        // A few pixels of highlights decide
        let is_as_bright = (found.brightness - Vec3::ONE).abs().max_element() < 0.04;
        if found.accepted < LEAST || found.mean_z.abs() > 0.25 || !is_as_bright {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
