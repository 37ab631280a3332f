use sunfleck_shaders::layout::{GuidedStrip, NoisyPixel};
use sunfleck_shaders::passes::denoise::GUIDE;
use sunfleck_shaders::{Features, Shader};

use super::noisy_image::KnownChannels;
use super::step::Step;
use crate::buffer::Array;
use crate::film::FilmSums;
use crate::pipeline::Pipeline;
use crate::resources::Resources;
use crate::{Gpu, GpuError};

/// Kernels that compute noisy images from the sums of films.
#[derive(Debug)]
pub(crate) struct GuideKernels {
    radiance: Pipeline,
    with_features: Pipeline,
}

impl GuideKernels {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self {
            radiance: Pipeline::of_shader(gpu, &GUIDE)?,
            with_features: Pipeline::of_shader(gpu, Shader::new(&GUIDE, Features::CHANNELS))?,
        })
    }

    /// Returns the dispatches that compute the noisy image of a film.
    ///
    /// * `strips` — strips of the film from top to bottom; `known` — the depth if the film has features, and the albedo
    ///   if it counts, too.
    pub(crate) fn steps(
        &self,
        gpu: &Gpu,
        strips: &[&FilmSums],
        known: KnownChannels,
        noisy: &Array<NoisyPixel>,
    ) -> Result<Vec<Step>, GpuError> {
        let mut first = 0;
        let step = |sums: &&FilmSums| {
            let strip = GuidedStrip { first, demodulates: u32::from(known.albedo), nothing: 0 };
            let strip = Array::new(gpu, "strips of films", &[strip])?;
            first += u32::try_from(sums.pixels.len()).unwrap_or(u32::MAX);
            let buffers = [("strip", &strip.buffer), ("film", &sums.pixels.buffer), ("noisy", &noisy.buffer)];
            let items = sums.pixels.len();
            match sums.channels.as_ref().filter(|_| known.depth) {
                None => Step::new(gpu, &self.radiance, &buffers.into(), items),
                Some(channels) => {
                    let mut buffers: Resources<'_> = buffers.into();
                    buffers.extend([("channels", &channels.buffer)]);
                    Step::new(gpu, &self.with_features, &buffers, items)
                }
            }
        };
        strips.iter().map(step).collect()
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_image::{Aov, AovSet, Film, color};
    use sunfleck_math::Vec3;
    use sunfleck_shaders::layout::{Channels, Pixel};
    use sunfleck_testkit::Random;
    use wgpu::{CommandEncoderDescriptor, ComputePassDescriptor};

    use super::*;
    use crate::AdapterChoice;
    use crate::film::read;

    const WIDTH: u32 = 13;
    const HEIGHT: u32 = 11;

    /// Returns the high and the low part of a sum.
    #[expect(clippy::cast_possible_truncation, reason = "the low part is what truncation loses")]
    fn parts(sum: [f64; 3]) -> ([f32; 3], [f32; 3]) {
        let high = sum.map(|x| x as f32);
        (high, std::array::from_fn(|axis| (sum[axis] - f64::from(high[axis])) as f32))
    }

    /// Returns the sums of some random samples; of hardly any noise in every third pixel.
    fn sums(random: &mut Random, i: usize) -> (Pixel, Channels) {
        let (samples, amplitude) = (i % 6, if i.is_multiple_of(3) { 1e-3 } else { 1.0 });
        let (mut radiance, mut squares) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            for _ in 0..samples {
                let value = f64::from(0.5 + amplitude * random.next_f32());
                radiance[axis] += value;
                squares[axis] += value * value;
            }
        }
        let ((radiance, radiance_low), (squares, squares_low)) = (parts(radiance), parts(squares));
        let count = samples as f32;
        let pixel = Pixel {
            radiance,
            radiance_low,
            squares,
            squares_low,
            samples: u32::try_from(samples).unwrap(),
            ..Pixel::default()
        };
        let mut three = || [(); 3].map(|()| count * random.next_f32());
        let (features_albedo, features_normal) = (three(), three());
        let inverse_distance = if i.is_multiple_of(4) { 0.0 } else { three()[0] };
        (pixel, Channels { features_albedo, features_normal, inverse_distance, ..Channels::default() })
    }

    /// Returns the noisy image of a film in strips.
    fn guided(
        gpu: &Gpu,
        kernels: &GuideKernels,
        strips: &[FilmSums],
        known: KnownChannels,
    ) -> Vec<NoisyPixel> {
        let noisy = Array::zeroed(gpu, "noisy pixels", (WIDTH * HEIGHT) as usize).unwrap();
        let steps = kernels.steps(gpu, &strips.iter().collect::<Vec<_>>(), known, &noisy).unwrap();
        let mut encoder = gpu.device.create_command_encoder(&CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
        steps.iter().for_each(|step| step.record(gpu, &mut pass));
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        noisy.read(gpu).unwrap()
    }

    #[test]
    #[ignore = "needs a GPU, or lavapipe"]
    fn films_in_strips_become_the_same_images_as_on_the_cpu() {
        let gpu = Gpu::open(AdapterChoice::Best).unwrap();
        let kernels = GuideKernels::new(&gpu).unwrap();
        let aovs = AovSet::EMPTY.with(Aov::Features);
        let mut random = Random::new(3);
        let all: Vec<_> = (0..(WIDTH * HEIGHT) as usize).map(|i| sums(&mut random, i)).collect();
        for rows in [11, 4, 1] {
            let strip = |sums: &[(Pixel, Channels)]| {
                let film = FilmSums::new(&gpu, sums.len(), aovs).unwrap();
                let (pixels, channels): (Vec<_>, Vec<_>) = sums.iter().copied().unzip();
                film.pixels.write(&gpu, &pixels);
                film.channels.as_ref().unwrap().write(&gpu, &channels);
                film
            };
            let strips: Vec<_> = all.chunks(rows * WIDTH as usize).map(strip).collect();
            let mut film = Film::new(WIDTH, HEIGHT, aovs);
            read(&gpu, &strips.iter().collect::<Vec<_>>(), &mut film).unwrap();
            let (radiance, variance, features) = (film.radiance(), film.variance(), film.features().unwrap());
            for (depth, albedo) in [(true, true), (true, false), (false, false)] {
                let take = KnownChannels { depth, albedo };
                for (i, found) in guided(&gpu, &kernels, &strips, take).into_iter().enumerate() {
                    let close = |a: f32, b: f32| (a - b).abs() <= 1e-6 * b.abs().max(1e-3);
                    let vector = |a: [f32; 3], b: Vec3| (0..3).all(|axis| close(a[axis], b[axis]));
                    assert!(vector(found.radiance, radiance.pixels()[i]), "radiance of pixel {i}: {found:?}");
                    let deviation = color::luminance(variance.pixels()[i].map(f32::sqrt));
                    let expected = if deviation.is_finite() { deviation * deviation } else { 0.0 };
                    let error = (found.variance - expected).abs();
                    assert!(error <= 1e-4 * expected, "variance of pixel {i}: {found:?}, not {expected}");
                    let known = |known: bool, value: Vec3, unknown: Vec3| if known { value } else { unknown };
                    let albedo = known(albedo, features[i].albedo, Vec3::ONE);
                    assert!(vector(found.albedo, albedo), "albedo of pixel {i}: {found:?}");
                    let normal = known(depth, features[i].normal, Vec3::ZERO);
                    assert!(vector(found.normal, normal), "normal of pixel {i}: {found:?}");
                    let distance = features[i].inverse_distance.recip();
                    let distance = if depth && distance.is_finite() { distance } else { 0.0 };
                    assert!(close(found.depth, distance), "depth of pixel {i}: {found:?}, not {distance}");
                }
            }
        }
    }
}
