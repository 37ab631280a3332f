//! Times the denoisers on an image of noise.
//!
//! `cargo run --release -p sunfleck-denoise --example time -- WIDTH HEIGHT [WEIGHTS…]`
#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use std::time::Instant;

use sunfleck_denoise::learned::Network;
use sunfleck_denoise::{NoisyImage, features};
use sunfleck_math::Vec3;
use sunfleck_testkit::Random;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [width, height, weights @ ..] = &arguments[..] else {
        return Err("usage: time WIDTH HEIGHT [WEIGHTS…]".into());
    };
    let (width, height): (u32, u32) = (width.parse()?, height.parse()?);
    let mut random = Random::new(1);
    let radiance: Vec<Vec3> = (0..width * height).map(|_| Vec3::splat(random.next_f32())).collect();
    let normal = vec![Vec3::Z; radiance.len()];
    let depth = vec![1.0; radiance.len()];
    let image = NoisyImage::new(width, height, &radiance)?.with_albedo(&radiance)?;
    let image = image.with_normal(&normal)?.with_depth(&depth)?;

    time("features", || features::denoise(&image)[0]);
    for path in weights {
        let network = Network::from_bytes(&std::fs::read(path)?)?;
        time(path, || network.denoise(&image)[0]);
    }
    Ok(())
}

/// Prints the least of five times.
fn time(name: &str, run: impl Fn() -> Vec3) {
    let seconds = (0..5).map(|_| {
        let start = Instant::now();
        std::hint::black_box(run());
        start.elapsed().as_secs_f64()
    });
    println!("{name}: {:.1} ms", 1e3 * seconds.fold(f64::INFINITY, f64::min));
}
