//! Denoisers on the GPU against those of the CPU.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fearless_simd::Level;
use sunfleck_denoise::learned::Network;
use sunfleck_denoise::{NoisyImage, features};
use sunfleck_gpu::{AdapterChoice, Gpu, GpuDenoiseMethod, GpuDenoiser, GpuError, Renderer};
use sunfleck_image::{Aov, AovSet, Film, color};
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::{Algorithm, RenderProgress, ViewSpec};
use sunfleck_math::{Vec3, vec3};
use sunfleck_testkit::Random;

use crate::path::{committed, spec, stop};
use crate::traversal::gpu;

/// Largest difference of a component relative to the component, or to a hundredth of the mean if it is smaller.
const TOLERANCE: f32 = 1e-3;

/// What a renderer knows about two textured walls that meet in the middle, with noise and outliers.
struct Walls {
    size: [u32; 2],
    radiance: Vec<Vec3>,
    albedo: Vec<Vec3>,
    normal: Vec<Vec3>,
    depth: Vec<f32>,
    variance: Vec<f32>,
}

impl Walls {
    fn new(width: u32, height: u32) -> Self {
        let mut random = Random::new(7);
        let size = [width, height];
        let (mut radiance, mut albedo, mut normal, mut depth, mut variance) =
            (vec![], vec![], vec![], vec![], vec![]);
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let right = x >= width / 2;
            let texture = if (x / 4 + y / 4) % 2 == 0 { vec3(0.8, 0.5, 0.2) } else { Vec3::splat(0.3) };
            let irradiance = if right { 0.5 } else { 2.0 } * (1.0 - 0.5 * x as f32 / width as f32);
            let outlier = if random.next_f32() < 0.01 { 50.0 } else { 1.0 };
            radiance.push(texture * irradiance * (2.0 * random.next_f32() * outlier));
            albedo.push(texture);
            normal.push(if right { Vec3::X } else { Vec3::Z });
            depth.push(10.0 - 0.01 * x.min(width - x) as f32);
            variance.push(if random.next_f32() < 0.2 { 0.0 } else { 0.1 * irradiance * irradiance });
        }
        // A background, and values that are not finite
        depth[0] = f32::INFINITY;
        if let [.., a, b, c, _] = &mut radiance[..] {
            [*a, *b, *c] = [vec3(f32::NAN, 1.0, 0.5), vec3(1.0, f32::INFINITY, 0.5), vec3(-1.0, 0.3, 0.2)];
        }
        Self { size, radiance, albedo, normal, depth, variance }
    }

    fn radiance_only(&self) -> NoisyImage<'_> {
        NoisyImage::new(self.size[0], self.size[1], &self.radiance).unwrap()
    }

    fn image(&self) -> NoisyImage<'_> {
        let image =
            self.radiance_only().with_albedo(&self.albedo).unwrap().with_normal(&self.normal).unwrap();
        image.with_depth(&self.depth).unwrap().with_variance(&self.variance).unwrap()
    }
}

/// Returns the largest difference of a component relative to the component, or to a hundredth of the mean.
fn difference(found: &[Vec3], expected: &[Vec3]) -> f32 {
    assert_eq!(found.len(), expected.len(), "pixels");
    let mean = expected.iter().map(|p| p.element_sum() / 3.0).sum::<f32>() / expected.len() as f32;
    let least = Vec3::splat(0.01 * mean + f32::MIN_POSITIVE);
    let relative = |(a, b): (&Vec3, &Vec3)| {
        assert!(a.is_finite() && b.is_finite(), "{a}, {b}");
        ((*a - *b).abs() / b.abs().max(least)).max_element()
    };
    found.iter().zip(expected).map(relative).fold(0.0, f32::max)
}

/// Asserts that two images are equal but for rounding.
fn assert_equal(what: &str, found: &[Vec3], expected: &[Vec3]) {
    let difference = difference(found, expected);
    assert!(difference <= TOLERANCE, "{what}: {difference}");
}

/// Compares a denoiser with that of the CPU on images of several sizes.
fn compare(name: &str, mut denoiser: GpuDenoiser, on_cpu: impl Fn(&NoisyImage<'_>) -> Vec<Vec3>) {
    for [width, height] in [[1, 1], [37, 23], [130, 67], [37, 23], [2, 41]] {
        let walls = Walls::new(width, height);
        let known = walls.radiance_only().with_variance(&walls.variance).unwrap();
        for (channels, image) in
            [("all channels", walls.image()), ("radiance", walls.radiance_only()), ("variance", known)]
        {
            let (found, expected) = (denoiser.denoise(&image).unwrap(), on_cpu(&image));
            assert_equal(&format!("{name}, {width}×{height}, {channels}"), &found, &expected);
        }
        let black = vec![Vec3::ZERO; walls.radiance.len()];
        let found = denoiser.denoise(&walls.image().with_radiance(&black).unwrap()).unwrap();
        assert!(found.iter().all(|p| p.abs_diff_eq(Vec3::ZERO, 1e-6)), "{name}: black stays black");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn networks_agree_with_the_cpu() {
    let gpu = gpu();
    for (name, network) in [("interactive", Network::interactive()), ("final", Network::finishing())] {
        let denoiser = GpuDenoiser::learned(&gpu, network).unwrap();
        compare(name, denoiser, |image| network.denoise(image));
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn the_filter_that_features_guide_agrees_with_the_cpu() {
    compare("features", GpuDenoiser::features(&gpu()).unwrap(), features::denoise);
}

/// Returns the image of a film that the CPU denoises.
fn on_cpu(film: &Film, albedo: bool, denoise: impl Fn(&NoisyImage<'_>) -> Vec<Vec3>) -> Vec<Vec3> {
    let features = film.features().unwrap_or_default();
    let luminance = |v: &Vec3| {
        let deviation = color::luminance(v.map(f32::sqrt));
        if deviation.is_finite() { deviation * deviation } else { 0.0 }
    };
    let albedo: Vec<Vec3> = features.iter().filter(|_| albedo).map(|f| f.albedo).collect();
    let normal: Vec<Vec3> = features.iter().map(|f| f.normal).collect();
    let depth: Vec<f32> = features.iter().map(|f| f.inverse_distance.recip()).collect();
    let variance: Vec<f32> = film.variance().pixels().iter().map(luminance).collect();
    let radiance = film.radiance();
    let image = NoisyImage::new(film.width(), film.height(), radiance.pixels()).unwrap();
    let image = image.with_albedo(&albedo).unwrap().with_normal(&normal).unwrap();
    denoise(&image.with_depth(&depth).unwrap().with_variance(&variance).unwrap())
}

/// Live images are denoised as the CPU denoises their films: without and with features, with one or several strips.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn live_images_are_denoised_as_their_films() {
    let world = Arc::new(committed("teapot-room"));
    let mut renderer = Renderer::new(Arc::new(Gpu::open(AdapterChoice::Best).unwrap()));
    let network = Network::interactive();
    for algorithm in [Algorithm::ALL[0], Algorithm::Igi(Igi::DEFAULT)] {
        for aovs in [AovSet::EMPTY, AovSet::EMPTY.with(Aov::Depth), AovSet::EMPTY.with(Aov::Features)] {
            let spec = ViewSpec { aovs, ..spec(&world, 61, 34) };
            let mut live = renderer.live(&world, &spec, &algorithm, Level::new(), 0).unwrap();
            for samples in [1, 4] {
                live.add(&stop(samples), &AtomicBool::new(false), &|_: &RenderProgress| ()).unwrap();
                let film = live.film().unwrap();
                for albedo in [true, false] {
                    let what = format!("{}, {aovs:?}, {samples} samples, albedo: {albedo}", algorithm.name());
                    let found = live.denoised(GpuDenoiseMethod::Learned(network), albedo).unwrap().unwrap();
                    let expected = on_cpu(&film, albedo, |image| network.denoise(image));
                    assert_equal(&what, found.pixels(), &expected);
                    let found = live.denoised(GpuDenoiseMethod::Features, albedo).unwrap().unwrap();
                    assert_equal(&what, found.pixels(), &on_cpu(&film, albedo, features::denoise));
                }
            }
        }
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_lost_gpu_is_an_error() {
    let gpu = gpu();
    let mut denoiser = GpuDenoiser::learned(&gpu, Network::interactive()).unwrap();
    let walls = Walls::new(8, 8);
    denoiser.denoise(&walls.image()).unwrap();
    gpu.destroy();
    let lost = denoiser.denoise(&walls.image());
    assert!(matches!(lost, Err(GpuError::Lost { .. })), "{lost:?}");
}
