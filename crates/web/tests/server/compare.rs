//! Comparison of two images.

use serde_json::{Value, json};

use crate::common::{Client, authority, get, get_bytes, viewer};

fn numbers(header: &Value) -> Vec<u64> {
    header["pictures"].as_array().unwrap().iter().map(|row| row["number"].as_u64().unwrap()).collect()
}

#[test]
fn two_algorithms_are_computed_side_by_side() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    // So many that a client which misses images in between still gets several
    client.set_small(64);
    client.set(json!({"split": true, "second": {"algorithm": "whitted", "parameter": ["max_depth", 3]}}));
    let (moving, _) =
        client.wait_for_frame(|header| header["mode"] == "moving" && !header["second"].is_null());
    assert_eq!(numbers(&moving).len(), 2, "previews of both images with the same camera: {moving}");

    // Both images get their samples; unchanged ones keep their number
    let mut last = numbers(&moving);
    let mut kept = 0;
    loop {
        let (header, jpegs) = client.wait_for_frame(|header| header["mode"] == "rest");
        let bytes = |at: usize| header["pictures"][at]["bytes"].as_u64().unwrap();
        assert_eq!(bytes(0) + bytes(1), jpegs.len() as u64);
        let now = numbers(&header);
        kept += usize::from(now[0] == last[0] || now[1] == last[1]);
        last = now;
        if header["samples"] == 64 && header["second"]["samples"] == 64 {
            break;
        }
    }
    assert!(kept >= 2, "one image is refined at a time");
    client.send(&json!({"type": "command-line"}));
    let lines = client.wait_for("command-line")["line"].as_str().unwrap().to_string();
    let (first, second) = lines.split_once('\n').unwrap();
    assert!(first.contains("--integrator path") && second.contains("whitted --set max_depth=3"), "{lines}");

    // Each of the two can be saved
    let [left, right] =
        ["/picture.png", "/picture.png?side=1"].map(|path| get_bytes(&authority(&viewer), path));
    assert!(right.0.contains("200 OK") && right.0.contains("cornell-right.png"), "{}", right.0);
    assert_ne!(left.1, right.1);

    client.set(json!({"split": false}));
    let (one, _) = client.wait_for_frame(|header| header["second"].is_null());
    assert_eq!(numbers(&one).len(), 1);
    let refused = get(&authority(&viewer), "/picture.png?side=1", "");
    assert!(refused.contains("409") && refused.ends_with("no second image is compared"), "{refused}");
}

#[test]
fn a_preview_that_both_share_is_rendered_once() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    client.set_small(2);
    // Both algorithms have the same preview
    client.set(json!({"split": true, "second": {"algorithm": "path"}}));
    let (moving, _) =
        client.wait_for_frame(|header| header["mode"] == "moving" && !header["second"].is_null());
    assert_eq!(numbers(&moving).len(), 1, "{moving}");
}

#[test]
fn a_wrong_second_method_is_refused() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    client.set(json!({"split": true, "second": {"channel": "smell"}}));
    assert!(client.wait_for("error")["message"].as_str().unwrap().contains("reflections"));
    client.send(&json!({"type": "set", "settings": {"second": {"colour": 1}}}));
    assert!(client.wait_for("error")["message"].as_str().unwrap().contains("unknown field `colour`"));
}
