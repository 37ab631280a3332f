//! Denoised films against long renderings of another seed.

use std::f32::consts::PI;

use sunfleck_engine::{
    Budget, Canvas, DenoiseMethod, Denoiser, EditableWorld, Engine, EngineOptions, FrameRequest,
};
use sunfleck_image::color::luminance;
use sunfleck_image::metrics::{DEFAULT_PIXELS_PER_DEGREE, flip, relmse};
use sunfleck_image::{AovSet, Film, Picture};

const SIZE: [u32; 2] = [96, 72];

/// Traces paths, with features.
fn film(world: &EditableWorld, samples: u32, seed: u32) -> Film {
    let engine = Engine::new(EngineOptions::default()).unwrap();
    let [width, height] = SIZE;
    let frame = FrameRequest::new(world.cameras()[0].clone(), width, height);
    let (algorithm, budget) = ("path".parse().unwrap(), Budget::samples(samples));
    let frame = FrameRequest { algorithm, budget, aovs: Denoiser::AOVS, seed, ..frame };
    let canvas = Canvas::new();
    engine.render(world, &frame, &canvas).wait();
    canvas.film().unwrap()
}

#[test]
fn denoising_reduces_the_error() {
    for name in ["cornell", "teapot-room"] {
        let world = EditableWorld::new(sunfleck_models::build(name).unwrap()).unwrap();
        let reference = film(&world, 1024, 5).radiance();
        let errors = |image: &Picture| {
            let flip = flip(image, &reference, DEFAULT_PIXELS_PER_DEGREE).unwrap();
            (relmse(image, &reference).unwrap(), flip.mean())
        };
        for (samples, most) in [(4, 0.6), (64, 1.0)] {
            let film = film(&world, samples, 1);
            let noisy = errors(&film.radiance());
            for method in [DenoiseMethod::Features, DenoiseMethod::Learned] {
                let clean = Denoiser::new(method).unwrap().denoise(&film).unwrap();
                let denoised = errors(&clean);
                // The filter without a network trades noise for blur, which FLIP may find worse
                let flip_falls = method == DenoiseMethod::Features || denoised.1 < noisy.1;
                assert!(
                    denoised.0 < most * noisy.0 && flip_falls,
                    "{name}, {samples} samples, {method}: {denoised:?} instead of {noisy:?}"
                );
            }
        }
    }
}

/// Standard deviation of the luminance relative to that of the reference, or to a tenth of its mean, whichever is
/// larger: that of normally distributed errors with the same mean absolute value.
fn relative_error(image: &Picture, reference: &Picture) -> f32 {
    let luminances =
        |picture: &Picture| -> Vec<f32> { picture.pixels().iter().map(|&p| luminance(p)).collect() };
    let (image, reference) = (luminances(image), luminances(reference));
    let pixels = reference.len() as f32;
    let least = 0.1 * reference.iter().sum::<f32>() / pixels;
    let errors = image.iter().zip(&reference).map(|(i, r)| (i - r).abs() / r.max(least));
    (PI / 2.0).sqrt() * errors.sum::<f32>() / pixels
}

#[test]
fn the_error_that_is_left_is_estimated() {
    for name in ["cornell", "office"] {
        let world = EditableWorld::new(sunfleck_models::build(name).unwrap()).unwrap();
        let reference = film(&world, 2048, 5).radiance();
        for samples in [16, 64] {
            let film = film(&world, samples, 1);
            for method in [DenoiseMethod::Features, DenoiseMethod::Learned] {
                let denoiser = Denoiser::new(method).unwrap();
                let denoised = denoiser.denoise_with_error(&film).unwrap();
                assert_eq!(denoised.picture, denoiser.denoise(&film).unwrap(), "only the error is new");
                let (estimate, error) =
                    (denoised.error.unwrap(), relative_error(&denoised.picture, &reference));
                assert!(
                    estimate < 1.5 * error && error < 1.5 * estimate,
                    "{name}, {samples} samples, {method}: {estimate} instead of {error}"
                );
            }
        }
        let few = Denoiser::interactive().denoise_with_error(&film(&world, 4, 1)).unwrap();
        assert_eq!(few.error, None, "too few samples to tell");
    }
}

#[test]
fn ambient_occlusion_stays_grey() {
    let world = EditableWorld::new(sunfleck_models::build("teapot-room").unwrap()).unwrap();
    let engine = Engine::new(EngineOptions::default()).unwrap();
    let [width, height] = SIZE;
    let frame = FrameRequest::new(world.cameras()[0].clone(), width, height);
    let algorithm = "ao".parse().unwrap();
    let frame = FrameRequest { algorithm, budget: Budget::samples(4), aovs: Denoiser::AOVS, ..frame };
    let canvas = Canvas::new();
    engine.render(&world, &frame, &canvas).wait();
    for method in [DenoiseMethod::Features, DenoiseMethod::Learned] {
        let denoiser = Denoiser::new(method).unwrap().of_algorithm(&"ao".parse().unwrap());
        let clean = denoiser.denoise(&canvas.film().unwrap()).unwrap();
        let colored = clean.pixels().iter().filter(|p| p.max_element() - p.min_element() > 1e-3);
        assert_eq!(colored.count(), 0, "{method}");
    }
}

#[test]
fn films_without_features_are_denoised_by_their_radiance() {
    let film = Film::new(4, 3, AovSet::EMPTY);
    for method in [DenoiseMethod::Features, DenoiseMethod::Learned] {
        let clean = Denoiser::new(method).unwrap().denoise(&film).unwrap();
        assert_eq!((clean.width(), clean.height()), (4, 3));
        assert!(clean.pixels().iter().all(|p| p.abs().max_element() < 1e-6), "black stays black");
    }
}

#[test]
fn names_are_parsed() {
    for method in DenoiseMethod::ALL {
        assert_eq!(method.to_string().parse(), Ok(method));
    }
    assert!("best".parse::<DenoiseMethod>().is_err());
}
