//! `path` on the Cornell box against Mitsuba 3's path tracer (see scripts/cornell_mitsuba.py).

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Shot, shoot_world};
use sunfleck_integrators::World;
use sunfleck_math::{Vec3, vec3};

/// Row, column and mean radiance of each of 8 × 8 regions, by Mitsuba at 16,384 samples per pixel.
const REFERENCE: &str = include_str!("data/cornell_mitsuba.csv");
const SIZE: u32 = 64;
const EDGE: u32 = SIZE / 8;

fn reference() -> Vec<(u32, u32, Vec3)> {
    let number = |text: &str| text.parse::<f32>().unwrap();
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let place = |i: usize| cells[i].parse::<u32>().unwrap();
        (place(0), place(1), vec3(number(cells[2]), number(cells[3]), number(cells[4])))
    };
    REFERENCE.lines().map(line).collect()
}

#[test]
fn every_region_is_as_bright_as_mitsuba_says() {
    let world = World::commit(&sunfleck_models::build("cornell").unwrap()).unwrap();
    let camera = &world.cameras()[0];
    let shot = Shot {
        projection: camera.camera.projection,
        world_from_view: camera.world_from_view,
        width: SIZE,
        height: SIZE,
        samples: 2048,
        ..Shot::default()
    };
    let picture = shoot_world(&world, &shot).radiance();
    let mut sum = 0.0;
    let mut wrong = String::new();
    let reference = reference();
    assert_eq!(reference.len(), 64, "the reference is whole");
    for &(row, column, expected) in &reference {
        let pixels = (0..EDGE * EDGE).map(|i| picture.pixel(column * EDGE + i % EDGE, row * EDGE + i / EDGE));
        let found = pixels.sum::<Vec3>() / (EDGE * EDGE) as f32;
        let error = (found - expected).abs().element_sum() / expected.element_sum();
        assert!(
            error < 0.01,
            "region {row}, {column}: {found} for {expected}, off by {:.2} %",
            error * 100.0
        );
        sum += error;
    }
    assert!(wrong.is_empty(), "{wrong}");
    let mean = sum / reference.len() as f32;
    assert!(mean < 0.004, "mean relative error {:.2} %", mean * 100.0);
}
