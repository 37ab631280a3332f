use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;
use sunfleck_web::Viewer;

use super::ViewerBenchSettings;
use super::client::{Client, ServerMessage};
use crate::BenchError;

/// Frames per second that spectators receive while the camera moves.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SpectatorReport {
    /// Rate of a single spectator.
    pub alone: f64,
    /// Number of simultaneous spectators; one of them reads nothing.
    pub together: u32,
    /// Lowest rate of the spectators that read.
    pub least: f64,
    /// Highest rate of the spectators that read.
    pub most: f64,
    /// Peak memory of the process with a single spectator, bytes; `None` if the system does not report it.
    pub memory_before: Option<u64>,
    /// Peak memory of the process with all spectators, bytes.
    pub memory_most: Option<u64>,
}

/// Number of frames that a spectator has received, and the highest memory use that they report.
#[derive(Default)]
struct ReceivedFrames {
    frames: u32,
    memory: u64,
}

pub(super) fn measure(
    viewer: &Viewer,
    settings: &ViewerBenchSettings,
) -> Result<SpectatorReport, BenchError> {
    let mut editor = Client::connect(viewer)?;
    let (pose, _) = editor.initial_state()?;
    editor.set(json!({"size": [settings.width, settings.height]}))?;
    let alone = count_frames(viewer, &mut editor, &pose, 1, settings)?;
    // Connected, but never reads
    let stalled = Client::connect(viewer)?;
    let readers = settings.spectators.saturating_sub(1).max(1);
    let together = count_frames(viewer, &mut editor, &pose, readers, settings)?;
    drop(stalled);
    let rate = |received: &ReceivedFrames| f64::from(received.frames) / f64::from(settings.seconds);
    let memory = |received: &[ReceivedFrames]| {
        received.iter().map(|received| received.memory).max().filter(|&bytes| bytes > 0)
    };
    Ok(SpectatorReport {
        alone: alone.iter().map(rate).sum(),
        together: readers + 1,
        least: together.iter().map(rate).fold(f64::INFINITY, f64::min),
        most: together.iter().map(rate).fold(0.0, f64::max),
        memory_before: memory(&alone),
        memory_most: memory(&together),
    })
}

/// Moves the camera while `count` spectators receive frames; returns what they received.
fn count_frames(
    viewer: &Viewer,
    editor: &mut Client,
    pose: &serde_json::Value,
    count: u32,
    settings: &ViewerBenchSettings,
) -> Result<Vec<ReceivedFrames>, BenchError> {
    let clients = (0..count).map(|_| Client::connect(viewer)).collect::<Result<Vec<_>, _>>()?;
    let time = Duration::from_secs_f32(settings.seconds.clamp(0.1, 3600.0));
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let over = &over;
        let receiving: Vec<_> =
            clients.into_iter().map(|client| scope.spawn(move || receive_until(client, over))).collect();
        let moved = move_camera(editor, pose, time);
        over.store(true, Ordering::Relaxed);
        let received = receiving.into_iter().map(|received| {
            received
                .join()
                .unwrap_or_else(|_| Err(BenchError::Viewer("a spectator's thread panicked".into())))
        });
        let received = received.collect::<Result<Vec<_>, _>>()?;
        moved.map(|()| received)
    })
}

/// Receives and acknowledges frames until `over` is set.
fn receive_until(mut client: Client, over: &AtomicBool) -> Result<ReceivedFrames, BenchError> {
    let mut received = ReceivedFrames::default();
    while !over.load(Ordering::Relaxed) {
        if let ServerMessage::Frame(frame) = client.receive()? {
            client.send(&json!({"type": "shown", "frame": frame.header["frame"]}))?;
            received.frames += 1;
            received.memory = received.memory.max(frame.header["memory_bytes"].as_u64().unwrap_or_default());
        }
    }
    Ok(received)
}

/// Moves the camera back and forth.
fn move_camera(editor: &mut Client, pose: &serde_json::Value, time: Duration) -> Result<(), BenchError> {
    let mut pose = pose.clone();
    let x = pose["world_from_view"][9].as_f64().unwrap_or_default();
    let start = Instant::now();
    let mut step = 0u32;
    while start.elapsed() < time {
        step += 1;
        pose["world_from_view"][9] = json!(x + 1e-3 * f64::from(step % 100));
        editor.send(&json!({"type": "camera", "pose": pose, "input": step}))?;
        thread::sleep(Duration::from_millis(8));
    }
    Ok(())
}
