//! Steady frames whose light has fewer pixels than their edges.

use std::sync::Arc;

use sunfleck_engine::{
    Budget, Canvas, Denoiser, EditableWorld, Engine, EngineOptions, FrameRequest, Upsampling,
};
use sunfleck_image::{Aov, Picture, metrics};
use sunfleck_integrators::RenderStage;
use sunfleck_integrators::path::PathTracer;

const SIZE: [u32; 2] = [90, 61];

fn world() -> EditableWorld {
    EditableWorld::new(sunfleck_models::build("erw6").unwrap()).unwrap()
}

fn frame(world: &EditableWorld, samples: u32) -> FrameRequest {
    FrameRequest {
        algorithm: PathTracer::DEFAULT.into(),
        budget: Budget::samples(samples),
        ..FrameRequest::new(world.cameras()[0].clone(), SIZE[0], SIZE[1])
    }
}

fn upsampled(world: &EditableWorld, samples: u32, divisor: u32) -> FrameRequest {
    let upsampling = Some(Upsampling { divisor, denoiser: Some(Denoiser::interactive()) });
    FrameRequest { steady: true, upsampling, ..frame(world, samples) }
}

fn error(picture: &Picture, expected: &Picture) -> f64 {
    metrics::relmse_trimmed(picture, expected, 0.02).unwrap()
}

#[test]
fn images_have_all_pixels_and_films_fewer() {
    let (world, canvas) = (world(), Canvas::new());
    let engine = Engine::new(EngineOptions::default()).unwrap();
    let result = engine.render(&world, &upsampled(&world, 1, 4), &canvas).wait();
    assert!(result.stages.of(RenderStage::Upsample) > std::time::Duration::ZERO, "{result:?}");
    let picture = canvas.picture().unwrap();
    assert_eq!([picture.width(), picture.height()], SIZE);
    let film = canvas.film().unwrap();
    assert_eq!([film.width(), film.height()], [23, 16], "a quarter along each edge, rounded up");
    assert!(film.aovs().contains(Aov::Features), "surfaces guide the interpolation");
    assert_eq!(canvas.frame_counts().unwrap().len(), 23 * 16);
    let denoised = canvas.denoised(&Denoiser::interactive()).unwrap().unwrap();
    assert_eq!(denoised, *picture, "its light was denoised before");
    // Without upsampling the same canvas begins again
    engine.render(&world, &FrameRequest { upsampling: None, ..upsampled(&world, 1, 4) }, &canvas).wait();
    assert_eq!(canvas.film().unwrap().width(), SIZE[0]);
}

#[test]
fn only_denoised_frames_have_a_time_for_it() {
    let (world, canvas) = (world(), Canvas::new());
    let engine = Engine::new(EngineOptions::default()).unwrap();
    let denoised = upsampled(&world, 1, 4);
    let noisy = Upsampling { divisor: 4, denoiser: None };
    let noisy = FrameRequest { upsampling: Some(noisy), ..denoised.clone() };
    let has_stage = |frame: &FrameRequest| {
        let result = engine.render(&world, frame, &canvas).wait();
        result.stages.iter().any(|(stage, _)| stage == RenderStage::Denoise)
    };
    assert_eq!([has_stage(&denoised), has_stage(&noisy)], [true, false]);
}

#[test]
fn frames_of_a_view_at_rest_become_better() {
    let world = world();
    let engine = Engine::new(EngineOptions::default()).unwrap();
    let expected = Canvas::new();
    engine.render(&world, &frame(&world, 256), &expected).wait();
    let expected = expected.picture().unwrap();
    let canvas = Canvas::new();
    let mut errors = Vec::new();
    for _ in 0..16 {
        engine.render(&world, &upsampled(&world, 1, 2), &canvas).wait();
        errors.push(error(&canvas.picture().unwrap(), &expected));
    }
    assert!(errors[15] < 0.6 * errors[0], "{errors:?}");
}

#[test]
fn images_have_the_same_bits_for_any_threads() {
    let world = world();
    let of = |threads: usize| -> Arc<Picture> {
        let engine = Engine::new(EngineOptions { threads, ..EngineOptions::default() }).unwrap();
        let canvas = Canvas::new();
        for _ in 0..3 {
            engine.render(&world, &upsampled(&world, 1, 3), &canvas).wait();
        }
        canvas.picture().unwrap()
    };
    assert_eq!(of(1), of(3));
}
