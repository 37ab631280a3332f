//! `path` on the Cornell box against Mitsuba 3's path tracer (see `scripts/cornell_mitsuba.py`).

use crate::common::{TestSetup, render_world};
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

fn compare(samples: u32, regions: u32) {
    let world = World::commit(&sunfleck_models::build("cornell").unwrap()).unwrap();
    let camera = &world.cameras()[0];
    let (projection, world_from_view) = (camera.camera.projection, camera.world_from_view);
    let setup =
        TestSetup { projection, world_from_view, width: SIZE, height: SIZE, samples, ..TestSetup::default() };
    let picture = render_world(&world, &setup).radiance();
    let found = means(SIZE, regions, |x, y| picture.pixel(x, y));
    let mut wrong = String::new();
    let mut sum = 0.0;
    for (i, (found, expected)) in found.iter().zip(reference(regions)).enumerate() {
        let error = (found - expected).abs().element_sum() / expected.element_sum();
        if error >= 0.01 {
            wrong += &format!("region {i}: {found} for {expected}, off by {:.2} %\n", error * 100.0);
        }
        sum += error;
    }
    assert!(wrong.is_empty(), "{wrong}");
    let mean = sum / found.len() as f32;
    assert!(mean < 0.004, "mean relative error {:.2} %", mean * 100.0);
}

#[test]
fn sixteen_regions_agree_with_mitsuba() {
    compare(2048, 4);
}

#[test]
#[ignore = "takes a minute"]
fn all_regions_agree_with_mitsuba() {
    compare(8192, 8);
}
