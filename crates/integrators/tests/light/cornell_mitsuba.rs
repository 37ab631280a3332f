//! `path` and `radiosity` on the Cornell box against Mitsuba 3's path tracer (see `scripts/cornell_mitsuba.py`).

use crate::common::{TestSetup, algorithm, render_world};
use sunfleck_integrators::World;
use sunfleck_math::{Vec3, vec3};

/// Row, column and mean radiance of each of 8 × 8 regions, by Mitsuba at 16,384 samples per pixel.
const REFERENCE: &str = include_str!("data/cornell_mitsuba.csv");
const SIZE: u32 = 64;
const REGIONS: u32 = 8;

/// Returns the mean radiance of `regions` × `regions` regions, row by row.
fn reference(regions: u32) -> Vec<Vec3> {
    let mean = |line: &str| {
        let cells: Vec<f32> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        vec3(cells[2], cells[3], cells[4])
    };
    let fine: Vec<Vec3> = REFERENCE.lines().map(mean).collect();
    assert_eq!(fine.len(), 64, "the reference is complete");
    means(REGIONS, regions, |x, y| fine[(y * REGIONS + x) as usize])
}

/// Returns the means over `regions` × `regions` squares of an image of `size` × `size` values.
fn means(size: u32, regions: u32, value: impl Fn(u32, u32) -> Vec3) -> Vec<Vec3> {
    let edge = size / regions;
    let inside = |i: u32| (i % edge, i / edge);
    (0..regions * regions)
        .map(|region| {
            let (column, row) = (region % regions * edge, region / regions * edge);
            let sum: Vec3 = (0..edge * edge).map(inside).map(|(x, y)| value(column + x, row + y)).sum();
            sum / (edge * edge) as f32
        })
        .collect()
}

/// Compares images of path tracing.
fn compare(samples: u32, regions: u32) {
    let errors = errors(&TestSetup { samples, ..TestSetup::default() }, regions, 0.01);
    let mean = errors.iter().sum::<f32>() / errors.len() as f32;
    assert!(mean < 0.004, "mean relative error {:.2} %", mean * 100.0);
}

/// Returns the relative errors of regions, all of which must be below `most`.
fn errors(setup: &TestSetup, regions: u32, most: f32) -> Vec<f32> {
    let world = World::commit(&sunfleck_models::build("cornell").unwrap()).unwrap();
    let camera = &world.cameras()[0];
    let (projection, world_from_view) = (camera.camera.projection, camera.world_from_view);
    let setup = TestSetup { projection, world_from_view, width: SIZE, height: SIZE, ..*setup };
    let picture = render_world(&world, &setup).radiance();
    let found = means(SIZE, regions, |x, y| picture.pixel(x, y));
    let mut wrong = String::new();
    let mut errors = Vec::new();
    for (i, (found, expected)) in found.iter().zip(reference(regions)).enumerate() {
        let error = (found - expected).abs().element_sum() / expected.element_sum();
        if error >= most {
            wrong += &format!("region {i}: {found} for {expected}, off by {:.2} %\n", error * 100.0);
        }
        errors.push(error);
    }
    assert!(wrong.is_empty(), "{wrong}");
    errors
}

#[test]
fn sixteen_regions_agree_with_mitsuba() {
    compare(2048, 4);
}

/// The texels of radiosity are larger than the pixels, and interpolated within triangles only.
#[test]
fn radiosity_agrees_with_mitsuba() {
    let algorithm = algorithm("radiosity", &[("resolution", "128"), ("iterations", "128")]);
    let setup = TestSetup { algorithm, samples: 256, ..TestSetup::default() };
    let errors = errors(&setup, 4, 0.06);
    let mean = errors.iter().sum::<f32>() / errors.len() as f32;
    assert!(mean < 0.02, "mean relative error {:.2} %", mean * 100.0);
}

#[test]
#[ignore = "takes a minute"]
fn all_regions_agree_with_mitsuba() {
    compare(8192, 8);
}
