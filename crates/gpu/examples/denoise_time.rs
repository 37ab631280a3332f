//! Times the denoisers of a GPU on an image of noise.
//!
//! `cargo run --release -p sunfleck-gpu --example denoise_time -- WIDTH HEIGHT`
#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sunfleck_denoise::NoisyImage;
use sunfleck_denoise::learned::Network;
use sunfleck_gpu::{AdapterChoice, Gpu, GpuDenoiser, GpuError};
use sunfleck_math::Vec3;
use sunfleck_testkit::Random;

/// An idle GPU has a low clock rate.
const WARM_UP: Duration = Duration::from_millis(500);
/// Number of measurements, each of several images, so that submitting and waiting take little of the time.
const MEASUREMENTS: usize = 15;
const IMAGES: u32 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [width, height] = &arguments[..] else { return Err("usage: denoise_time WIDTH HEIGHT".into()) };
    let (width, height): (u32, u32) = (width.parse()?, height.parse()?);
    let mut random = Random::new(1);
    let radiance: Vec<Vec3> = (0..width * height).map(|_| Vec3::splat(random.next_f32())).collect();
    let normal = vec![Vec3::Z; radiance.len()];
    let depth = vec![1.0; radiance.len()];
    let image = NoisyImage::new(width, height, &radiance)?.with_albedo(&radiance)?;
    let image = image.with_normal(&normal)?.with_depth(&depth)?;

    let gpu = Arc::new(Gpu::open(AdapterChoice::Best)?);
    println!("{}, {width}×{height}", gpu.adapter().name);
    for (name, mut denoiser) in [
        ("interactive", GpuDenoiser::learned(&gpu, Network::interactive())?),
        ("final", GpuDenoiser::learned(&gpu, Network::finishing())?),
        ("features", GpuDenoiser::features(&gpu)?),
    ] {
        denoiser.upload(&image)?;
        time(&gpu, name, || denoiser.submit())?;
    }
    Ok(())
}

/// Prints the median time of an image.
fn time(gpu: &Gpu, name: &str, submit: impl Fn() -> Result<(), GpuError>) -> Result<(), Box<dyn Error>> {
    let several = || -> Result<f64, Box<dyn Error>> {
        let start = Instant::now();
        for _ in 0..IMAGES {
            submit()?;
        }
        gpu.device().poll(wgpu::PollType::wait_indefinitely())?;
        Ok(start.elapsed().as_secs_f64() / f64::from(IMAGES))
    };
    let start = Instant::now();
    while start.elapsed() < WARM_UP {
        several()?;
    }
    let mut seconds: Vec<f64> = (0..MEASUREMENTS).map(|_| several()).collect::<Result<_, _>>()?;
    seconds.sort_by(f64::total_cmp);
    println!("{name}: {:.3} ms", 1e3 * seconds[MEASUREMENTS / 2]);
    Ok(())
}
