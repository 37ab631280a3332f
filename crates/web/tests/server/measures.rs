//! Stage times and colour maps.

use serde_json::{Value, json};

use crate::common::{Client, viewer};

fn stages(header: &Value) -> Vec<(String, f64)> {
    let rows = header["stages"].as_array().unwrap().iter();
    rows.map(|row| (row[0].as_str().unwrap().to_string(), row[1].as_f64().unwrap())).collect()
}

#[test]
fn frames_have_stage_times() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    client.set_small(2);
    for (algorithm, expected, lights) in [
        ("igi", &["lights", "trace", "shade", "shadow rays", "film", "tone curve", "encode"][..], true),
        ("path", &["lights", "trace", "shade", "shadow rays", "film", "tone curve", "encode"][..], false),
        ("whitted", &["lights", "trace and shade", "film", "tone curve", "encode"][..], false),
    ] {
        client.set(json!({"algorithm": algorithm, "denoise": "off"}));
        let header = loop {
            let (header, _) = client.wait_for_frame(|header| header["mode"] == "rest");
            // A frame in flight may be of the previous algorithm
            if stages(&header).iter().map(|(name, _)| name).eq(expected) && (header["vpls"] != 0) == lights {
                break header;
            }
        };
        let rendering = stages(&header)[..expected.len() - 2].iter().map(|(_, secs)| secs).sum::<f64>();
        let frame = header["frame_secs"].as_f64().unwrap();
        assert!(
            rendering > 0.5 * frame && rendering < 1.02 * frame,
            "{algorithm}: {rendering} s of {frame} s"
        );
    }
}

#[test]
fn levels_of_reflection_have_a_scale() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    client.set_small(1);
    client.set(json!({"channel": "reflections"}));
    client.wait_where("view", |view| view["channel"] == "reflections");
    client.wait_for_frame(|header| header["mode"] == "rest");
    let hello = {
        let mut other = Client::join(&viewer);
        other.hello.take().unwrap()
    };
    let scale = hello["tables"]["reflections"].as_array().unwrap();
    assert_eq!((&scale[0], scale.last().unwrap()), (&json!([0.0, [0, 0, 0]]), &json!([25.0, [230, 13, 13]])));
}
