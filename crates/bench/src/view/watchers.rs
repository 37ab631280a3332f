use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;
use sunfleck_web::Viewer;

use super::Settings;
use super::client::{Client, Heard};
use crate::BenchError;

/// Frames a second while the camera moves, of those who look on.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Watchers {
    /// Of one who looks on alone.
    pub alone: f64,
    /// How many look on together; one of them reads nothing.
    pub together: u32,
    /// Of those who read, the least …
    pub least: f64,
    /// … and the most.
    pub most: f64,
    /// Memory of the process before all came, bytes; `None` where the system does not tell.
    pub memory_before: Option<u64>,
    /// Most while they were there.
    pub memory_most: Option<u64>,
}

/// What one who looks on has seen.
#[derive(Default)]
struct Seen {
    frames: u32,
    memory: u64,
}

pub(super) fn measure(viewer: &Viewer, settings: &Settings) -> Result<Watchers, BenchError> {
    let mut editor = Client::join(viewer)?;
    let (pose, _) = editor.welcome()?;
    editor.set(json!({"size": [settings.width, settings.height]}))?;
    let alone = look_on(viewer, &mut editor, &pose, 1, settings)?;
    // It is there, and never reads
    let deaf = Client::join(viewer)?;
    let readers = settings.watchers.saturating_sub(1).max(1);
    let together = look_on(viewer, &mut editor, &pose, readers, settings)?;
    drop(deaf);
    let rate = |seen: &Seen| f64::from(seen.frames) / f64::from(settings.seconds);
    let memory = |seen: &[Seen]| seen.iter().map(|seen| seen.memory).max().filter(|&bytes| bytes > 0);
    Ok(Watchers {
        alone: alone.iter().map(rate).sum(),
        together: readers + 1,
        least: together.iter().map(rate).fold(f64::INFINITY, f64::min),
        most: together.iter().map(rate).fold(0.0, f64::max),
        memory_before: memory(&alone),
        memory_most: memory(&together),
    })
}

/// Some look on while the camera moves.
fn look_on(
    viewer: &Viewer,
    editor: &mut Client,
    pose: &serde_json::Value,
    count: u32,
    settings: &Settings,
) -> Result<Vec<Seen>, BenchError> {
    let clients = (0..count).map(|_| Client::join(viewer)).collect::<Result<Vec<_>, _>>()?;
    let time = Duration::from_secs_f32(settings.seconds.clamp(0.1, 3600.0));
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let over = &over;
        let watching: Vec<_> =
            clients.into_iter().map(|client| scope.spawn(move || watch(client, over))).collect();
        let moved = walk(editor, pose, time);
        over.store(true, Ordering::Relaxed);
        let seen = watching
            .into_iter()
            .map(|seen| seen.join().unwrap_or_else(|_| Err(BenchError::Viewer("a client gave up".into()))));
        let seen = seen.collect::<Result<Vec<_>, _>>()?;
        moved.map(|()| seen)
    })
}

/// Counts frames until it is over.
fn watch(mut client: Client, over: &AtomicBool) -> Result<Seen, BenchError> {
    let mut seen = Seen::default();
    while !over.load(Ordering::Relaxed) {
        if let Heard::Frame(frame) = client.hear()? {
            client.send(&json!({"type": "shown", "frame": frame.header["frame"]}))?;
            seen.frames += 1;
            seen.memory = seen.memory.max(frame.header["memory_bytes"].as_u64().unwrap_or_default());
        }
    }
    Ok(seen)
}

/// Moves the camera to and fro.
fn walk(editor: &mut Client, pose: &serde_json::Value, time: Duration) -> Result<(), BenchError> {
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
