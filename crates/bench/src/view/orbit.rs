//! The image while the camera orbits, and after it is released: frame rate, age of frames, sharpness of edges, and the
//! error until the image has converged.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fearless_simd::Level;
use serde::Serialize;
use serde_json::{Value, json};
use sunfleck_engine::FreeSpace;
use sunfleck_integrators::PlacedCamera;
use sunfleck_integrators::path::PathTracer;
use sunfleck_math::{Affine3, Vec3, sin, transform::rotation_y};
use sunfleck_scene::Scene;
use sunfleck_web::Viewer;

use super::client::{Client, ReceivedFrame, ServerMessage, failed};
use super::comparison::{displayed, error, picture, silhouettes, slope_along, write};
use super::{ViewerBenchSettings, percentile};
use crate::BenchError;
use crate::stage::StagedScene;

/// Greatest angle between the camera and where it began, radians.
const SWING: f32 = 0.3;
/// Seconds of a swing to both sides and back.
const PERIOD: f32 = 4.0;
/// Time between inputs.
const INPUT_EVERY: Duration = Duration::from_millis(16);
/// Time for which frames are received after the release.
const AFTERWARDS: Duration = Duration::from_millis(2600);
/// Times after the release at which the image is judged, seconds.
const JUDGED_AT: [f64; 3] = [0.3, 0.5, 2.0];

/// What a client sees that orbits and releases the camera.
#[derive(Clone, Debug, Serialize)]
pub struct OrbitReport {
    /// Frames per second.
    pub fps: f64,
    /// 95th percentile of the time from an input to the arrival of a frame that shows it, milliseconds.
    pub p95_age_ms: f64,
    /// The greatest of these times.
    pub most_age_ms: f64,
    /// Median width of the frames, pixels.
    pub width: f64,
    /// Median number of pixels per pixel of light, along an edge.
    pub light_divisor: f64,
    /// Names of the stages of a frame and their median times, milliseconds.
    pub stages: Vec<(String, f64)>,
    /// Change of luminance over the silhouettes of the newest frame in motion, relative to the converged image.
    pub sharpness: f64,
    /// FLIP of that frame.
    pub moving_flip: f64,
    /// The image at points in time after the release.
    pub after: Vec<AfterRelease>,
}

/// Image at a point in time after the release.
#[derive(Clone, Debug, Serialize)]
pub struct AfterRelease {
    /// Seconds since the last input.
    pub secs: f64,
    /// Mode of the frame that is shown then.
    pub mode: String,
    /// Its width, pixels.
    pub width: u32,
    /// As [`OrbitReport::sharpness`].
    pub sharpness: f64,
    /// FLIP against the converged image.
    pub flip: f64,
}

/// Frame with its time of arrival.
struct TimedFrame {
    at: Instant,
    frame: ReceivedFrame,
}

pub(super) fn measure(
    viewer: &Viewer,
    name: &str,
    scene: &Scene,
    settings: &ViewerBenchSettings,
) -> Result<OrbitReport, BenchError> {
    let (size, save) = ([settings.width, settings.height], settings.save.as_deref());
    let mut stage = StagedScene::new(name, scene, Level::new(), size)?;
    let camera = stage.frame.camera.clone();
    let FreeSpace { ahead, around, .. } = FreeSpace::around(&stage.world, &camera, Level::new());
    let distance = if ahead.is_finite() { ahead } else { 1.0 };
    // Behind a wall, every frame would be black, and quick
    let swing = SWING.min(0.8 * around / distance);
    let centre = camera.world_from_view.transform_point3(Vec3::NEG_Z * distance);

    let mut editor = Client::connect(viewer)?;
    let (initial, _) = editor.initial_state()?;
    let mut watcher = Client::connect(viewer)?;
    editor.set(json!({"size": size}))?;
    let sent: Mutex<Vec<Instant>> = Mutex::new(Vec::new());
    let time = Duration::from_secs_f32(settings.seconds.clamp(0.1, 3600.0));
    let mut last = camera.clone();
    let frames = thread::scope(|scope| {
        let receiving = scope.spawn(|| receive_for(&mut watcher, time + AFTERWARDS));
        let begun = Instant::now();
        while begun.elapsed() < time {
            let angle = swing * sin(std::f32::consts::TAU * begun.elapsed().as_secs_f32() / PERIOD);
            last = orbited(&camera, centre, angle);
            let pose = json!({"world_from_view": numbers(&last.world_from_view), "projection": initial["projection"]});
            let input = {
                let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
                sent.push(Instant::now());
                sent.len() - 1
            };
            editor.send(&json!({"type": "camera", "pose": pose, "input": input}))?;
            thread::sleep(INPUT_EVERY);
        }
        let received = receiving.join();
        received.unwrap_or_else(|_| Err(BenchError::Viewer("the receiver panicked".into())))
    })?;
    let sent = sent.into_inner().unwrap_or_else(PoisonError::into_inner);
    let Some(&released) = sent.last() else { return Err(failed(&"no input was sent")) };

    let input = |timed: &TimedFrame| {
        let number = timed.frame.header["input"].as_u64()?;
        sent.get(usize::try_from(number).ok()?).copied()
    };
    let (moving, after): (Vec<_>, Vec<_>) = frames.iter().partition(|timed| timed.at <= released);
    // The first frames are not counted: the viewer still adapts their size
    let counted: Vec<_> = moving.into_iter().skip(10).collect();
    let mut ages: Vec<f64> = counted
        .iter()
        .filter_map(|timed| Some(timed.at.duration_since(input(timed)?).as_secs_f64() * 1e3))
        .collect();
    let median = |value: &dyn Fn(&Value) -> f64| {
        percentile(&mut counted.iter().map(|timed| value(&timed.frame.header)).collect::<Vec<_>>(), 0.5)
    };
    let span = counted.first().zip(counted.last()).map_or(0.0, |(a, b)| (b.at - a.at).as_secs_f64());

    stage.frame.camera = last.clone();
    let reference = stage.denoised(&PathTracer::DEFAULT.into(), settings.reference_samples)?;
    let reference = |frame: &ReceivedFrame| displayed(&reference, &frame.header);
    let shows_last = |timed: &&TimedFrame| input(timed) == Some(released);
    let newest_moving = frames.iter().filter(shows_last).rfind(|a| a.frame.header["mode"] == "moving");
    let edges = silhouettes(stage.world.committed(), &last, size);
    let (mut sharpness, mut moving_flip) = (f64::NAN, f64::NAN);
    if let Some(TimedFrame { frame, .. }) = newest_moving {
        let (shown, converged) = (picture(frame, size)?, reference(frame));
        sharpness = slope_along(&edges, &shown, &converged);
        moving_flip = error(&shown, &converged)?;
        write(save, name, "moving", &shown)?;
        write(save, name, "reference", &converged)?;
    }
    let mut rows = Vec::new();
    for secs in JUDGED_AT {
        let until = released + Duration::from_secs_f64(secs);
        let Some(TimedFrame { frame, .. }) = after.iter().copied().rfind(|timed| timed.at <= until) else {
            continue;
        };
        let (shown, converged) = (picture(frame, size)?, reference(frame));
        write(save, name, &format!("after-{secs}"), &shown)?;
        let width = frame.header["size"][0].as_u64().and_then(|w| u32::try_from(w).ok()).unwrap_or_default();
        let mode = frame.header["mode"].as_str().unwrap_or_default().to_string();
        let sharpness = slope_along(&edges, &shown, &converged);
        rows.push(AfterRelease { secs, mode, width, sharpness, flip: error(&shown, &converged)? });
    }
    Ok(OrbitReport {
        fps: if span > 0.0 { (counted.len() - 1) as f64 / span } else { 0.0 },
        p95_age_ms: percentile(&mut ages, 0.95),
        most_age_ms: percentile(&mut ages, 1.0),
        width: median(&|header| header["size"][0].as_f64().unwrap_or_default()),
        light_divisor: median(&|header| header["light_divisor"].as_f64().unwrap_or(1.0)),
        stages: stages(&counted),
        sharpness,
        moving_flip,
        after: rows,
    })
}

/// Returns the stages of frames with the median of their times, milliseconds.
fn stages(frames: &[&TimedFrame]) -> Vec<(String, f64)> {
    let mut stages: Vec<(String, Vec<f64>)> = Vec::new();
    for stage in frames.iter().filter_map(|timed| timed.frame.header["stages"].as_array()).flatten() {
        let (name, time) =
            (stage[0].as_str().unwrap_or_default(), stage[1].as_f64().unwrap_or_default() * 1e3);
        match stages.iter_mut().find(|(known, _)| known == name) {
            Some((_, times)) => times.push(time),
            None => stages.push((name.to_string(), vec![time])),
        }
    }
    stages.into_iter().map(|(name, mut times)| (name, percentile(&mut times, 0.5))).collect()
}

/// Receives and acknowledges frames for a time.
fn receive_for(client: &mut Client, time: Duration) -> Result<Vec<TimedFrame>, BenchError> {
    let begun = Instant::now();
    let mut frames = Vec::new();
    client.set_timeout(Duration::from_millis(100))?;
    while begun.elapsed() < time {
        if let Some(ServerMessage::Frame(frame)) = client.poll()? {
            client.send(&json!({"type": "shown", "frame": frame.header["frame"]}))?;
            frames.push(TimedFrame { at: Instant::now(), frame });
        }
    }
    Ok(frames)
}

/// Returns a camera turned about the vertical axis through a point.
fn orbited(camera: &PlacedCamera, centre: Vec3, angle: f32) -> PlacedCamera {
    let about = Affine3::from_translation(centre) * rotation_y(angle) * Affine3::from_translation(-centre);
    PlacedCamera { world_from_view: about * camera.world_from_view, ..camera.clone() }
}

/// Returns a transform as the protocol writes it.
fn numbers(transform: &Affine3) -> Vec<f32> {
    transform.to_cols_array().to_vec()
}
