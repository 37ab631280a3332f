//! Times the denoisers on an image of noise.
#![allow(clippy::print_stdout, reason = "a program")]

use std::time::Instant;

use sunfleck_denoise::{NoisyImage, features};
use sunfleck_math::Vec3;

fn main() {
    let (width, height) = (1920, 1080);
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 16_777_216.0
    };
    let radiance: Vec<Vec3> = (0..width * height).map(|_| Vec3::splat(random())).collect();
    let normal = vec![Vec3::Z; radiance.len()];
    let depth = vec![1.0; radiance.len()];
    let image = NoisyImage::new(width, height, &radiance).expect("lengths agree");
    let image =
        image.with_albedo(&radiance).and_then(|i| i.with_normal(&normal)).and_then(|i| i.with_depth(&depth));
    let image = image.expect("lengths agree");
    for _ in 0..5 {
        let start = Instant::now();
        let first = features::denoise(&image)[0];
        println!("features at {width}×{height}: {:.1} ms ({first})", start.elapsed().as_secs_f64() * 1e3);
    }
}
