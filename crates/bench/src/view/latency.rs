use std::thread::sleep;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};
use sunfleck_image::decode;
use sunfleck_web::Viewer;

use super::client::{Client, failed};
use super::{ViewerBenchSettings, percentile};
use crate::BenchError;

/// Pause between a frame that shows an input and the next input: users are not faster.
const PAUSE: Duration = Duration::from_millis(30);

/// Latency from an input until a frame that shows it is decoded, milliseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Latency {
    /// Effect of the input.
    pub input: &'static str,
    /// Median.
    pub median_ms: f64,
    /// 95th percentile.
    pub p95_ms: f64,
    /// Median rendering time of these frames.
    pub frame_ms: f64,
    /// Median encoding time.
    pub encode_ms: f64,
    /// Median decoding time.
    pub decode_ms: f64,
    /// Median width of these frames, pixels: previews are as large as their time budget permits.
    pub frame_width: f64,
}

/// Measures the latency of camera motion, then of moving an object.
pub(super) fn measure(viewer: &Viewer, settings: &ViewerBenchSettings) -> Result<Vec<Latency>, BenchError> {
    let mut client = Client::connect(viewer)?;
    let (mut pose, scene) = client.initial_state()?;
    client.set(json!({"size": [settings.width, settings.height]}))?;
    client.frame()?;
    let x = pose["world_from_view"][9].as_f64().unwrap_or_default();
    let step = diagonal(&scene) * 1e-3;
    let camera = series(&mut client, "the camera moves", settings.inputs, 0, |input| {
        pose["world_from_view"][9] = json!(x + step * f64::from(input % 50));
        json!({"type": "camera", "pose": pose, "input": input})
    })?;
    let mut nodes = scene["nodes"].as_array().into_iter().flatten();
    let Some(node) = nodes.rfind(|row| !row["node"]["instance"].is_null()).cloned() else {
        return Ok(vec![camera]);
    };
    let mut parent_from_node = node["node"]["parent_from_node"].clone();
    let x = parent_from_node[9].as_f64().unwrap_or_default();
    let object = series(&mut client, "an object moves", settings.inputs, settings.inputs, |input| {
        parent_from_node[9] = json!(x + step * f64::from(input % 50));
        let edit = json!({"Transform": {"id": node["id"], "parent_from_node": parent_from_node}});
        json!({"type": "edit", "edit": edit, "drag": 1, "input": input})
    })?;
    Ok(vec![camera, object])
}

/// Returns the diagonal of the bounds of a scene.
fn diagonal(scene: &Value) -> f64 {
    let at = |end: usize, axis: usize| scene["bounds"][end][axis].as_f64().unwrap_or_default();
    (0..3).map(|axis| (at(1, axis) - at(0, axis)).powi(2)).sum::<f64>().sqrt().max(1e-6)
}

/// Measures the latency of a series of inputs of one kind.
///
/// * `before` — offset of the numbers of the inputs.
fn series(
    client: &mut Client,
    input: &'static str,
    inputs: u32,
    before: u32,
    mut message: impl FnMut(u32) -> Value,
) -> Result<Latency, BenchError> {
    let [mut totals, mut frames, mut encodes, mut decodes, mut widths]: [Vec<f64>; 5] = Default::default();
    // The first inputs are not counted: the viewer still adapts the size of previews
    for number in before + 1..=before + inputs + 5 {
        sleep(PAUSE);
        let start = Instant::now();
        client.send(&message(number))?;
        let shown = loop {
            let frame = client.frame()?;
            if frame.header["input"].as_u64().is_some_and(|input| input >= number.into()) {
                break frame;
            }
        };
        let arrived = Instant::now();
        let picture = decode(&shown.jpeg, "jpg").map_err(|error| failed(&error))?;
        if number > before + 5 {
            let millis = |name: &str| shown.header[name].as_f64().unwrap_or_default() * 1e3;
            totals.push(start.elapsed().as_secs_f64() * 1e3);
            frames.push(millis("frame_secs"));
            encodes.push(millis("encode_secs"));
            decodes.push(arrived.elapsed().as_secs_f64() * 1e3);
            widths.push(picture.size().0.into());
        }
    }
    Ok(Latency {
        input,
        median_ms: percentile(&mut totals, 0.5),
        p95_ms: percentile(&mut totals, 0.95),
        frame_ms: percentile(&mut frames, 0.5),
        encode_ms: percentile(&mut encodes, 0.5),
        decode_ms: percentile(&mut decodes, 0.5),
        frame_width: percentile(&mut widths, 0.5),
    })
}
