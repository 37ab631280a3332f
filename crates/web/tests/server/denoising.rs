//! Denoising of the images that are shown.

use serde_json::{Value, json};
use sunfleck_web::Viewer;

use crate::common::{Client, authority, get_bytes, viewer};

/// Returns a viewer and a client with small images of 8 samples, path-traced.
fn path_traced() -> (Viewer, Client) {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    client.set_small(8);
    client.set(json!({"algorithm": "path"}));
    client.wait_where("view", |view| view["algorithm"] == "path");
    (viewer, client)
}

/// Receives messages up to an image at rest with all samples that is denoised, or is not.
fn done(client: &mut Client, denoised: bool) -> (Value, Vec<u8>) {
    client.wait_for_frame(|header| {
        header["mode"] == "rest" && header["samples"] == 8 && header["denoised"].is_null() != denoised
    })
}

#[test]
fn images_at_rest_are_denoised_when_their_samples_have_doubled() {
    let (_viewer, mut client) = path_traced();
    let mut seen = Vec::new();
    loop {
        let (header, _) = client.wait_for_frame(|header| header["mode"] == "rest" && header["vpls"] == 0);
        let [samples, denoised] = ["samples", "denoised"].map(|field| header[field].as_u64());
        // Never the noisy image
        let (samples, denoised) = (samples.unwrap(), denoised.unwrap());
        assert!(denoised <= samples && samples < 2 * denoised.max(1), "{denoised} of {samples} samples");
        seen.push((samples, denoised));
        if samples == 8 {
            break;
        }
    }
    assert_eq!(seen.last(), Some(&(8, 8)), "the finished image is denoised");
    assert!(
        seen.windows(2).all(|pair| pair[0].0 < pair[1].0),
        "one frame for each number of samples: {seen:?}"
    );
}

#[test]
fn the_denoiser_changes_without_rendering_again() {
    let (_viewer, mut client) = path_traced();
    let (automatic, denoised) = done(&mut client, true);
    client.set(json!({"denoise": "off"}));
    let (off, noisy) = done(&mut client, false);
    client.set(json!({"denoise": "features"}));
    let (features, filtered) = done(&mut client, true);
    for header in [&off, &features] {
        assert_eq!(header["change"], automatic["change"], "the samples are kept");
    }
    assert!(noisy != denoised && filtered != denoised && filtered != noisy);
    // The filtered image stays until the next one is there
    client.set(json!({"denoise": "auto"}));
    while done(&mut client, true).1 != denoised {}
}

#[test]
fn files_to_look_at_are_denoised_and_others_are_not() {
    let (viewer, mut client) = path_traced();
    let files = || ["/picture.png", "/picture.exr"].map(|path| get_bytes(&authority(&viewer), path).1);
    done(&mut client, true);
    let [png, exr] = files();
    client.set(json!({"denoise": "off"}));
    done(&mut client, false);
    let [noisy_png, noisy_exr] = files();
    assert!(png != noisy_png, "a PNG is what is shown");
    assert!(exr == noisy_exr, "an EXR is what was rendered");
}

#[test]
fn channels_are_not_denoised() {
    let (_viewer, mut client) = path_traced();
    for channel in ["albedo", "features"] {
        client.set(json!({"channel": channel}));
        client.wait_where("view", |view| view["channel"] == channel);
        let change = client.wait_for_frame(|_| true).0["change"].clone();
        let (header, _) = client.wait_for_frame(|header| {
            header["mode"] == "rest" && header["change"].as_u64() >= change.as_u64()
        });
        assert!(header["denoised"].is_null(), "{channel}: {header}");
    }
}

#[test]
fn both_sides_are_denoised() {
    let (_viewer, mut client) = path_traced();
    client.set(json!({"split": true, "second": {"algorithm": "ao"}}));
    let (header, _) = client.wait_for_frame(|header| {
        header["mode"] == "rest" && header["samples"] == 8 && header["second"]["samples"] == 8
    });
    assert_eq!((&header["denoised"], &header["second"]["denoised"]), (&json!(8), &json!(8)));
}

#[test]
fn previews_of_few_samples_are_denoised() {
    let (_viewer, mut client) = path_traced();
    client.set(json!({"algorithm": "ao"}));
    let (header, _) =
        client.wait_for_frame(|header| header["mode"] == "moving" && !header["denoised"].is_null());
    let stages = header["stages"].as_array().unwrap();
    assert!(stages.iter().any(|stage| stage[0] == "denoise"), "{header}");
    // Another algorithm, so that there are previews
    client.set(json!({"denoise": "off", "algorithm": "whitted"}));
    client.wait_for_frame(|header| header["mode"] == "moving" && header["denoised"].is_null());
    // Its previews are path traced
    client.set(json!({"denoise": "auto", "algorithm": "igi"}));
    client.wait_where("view", |view| view["algorithm"] == "igi");
    let (header, _) =
        client.wait_for_frame(|header| header["mode"] == "moving" && !header["denoised"].is_null());
    assert_eq!(header["vpls"], 0, "{header}");
}

#[test]
fn a_denoiser_that_is_not_there_is_explained() {
    let (viewer, mut client) = path_traced();
    let hello = client.hello.clone().unwrap();
    let names: Vec<_> = hello["tables"]["denoisers"].as_array().unwrap().iter().collect();
    assert_eq!(names, ["auto", "off", "features", "learned", "oidn"]);
    client.set(json!({"denoise": "soap"}));
    assert!(client.wait_for("error")["message"].as_str().unwrap().contains("'soap'"));
    if sunfleck_engine::Denoiser::new(sunfleck_engine::DenoiseMethod::Oidn).is_ok() {
        return;
    }
    client.set(json!({"denoise": "oidn", "exposure": 2.0}));
    let error = client.wait_for("error")["message"].as_str().unwrap().to_string();
    assert!(error.starts_with("the denoiser is still `auto`: Open Image Denoise was not found"), "{error}");
    let view = Client::join(&viewer).wait_for("view");
    assert_eq!((&view["denoise"], &view["exposure"]), (&json!("auto"), &json!(0.0)), "nothing has changed");
}

#[test]
fn command_lines_name_another_denoiser_than_the_default() {
    let (_viewer, mut client) = path_traced();
    let mut line = || {
        client.send(&json!({"type": "command-line"}));
        let line = client.wait_for("command-line")["line"].as_str().unwrap().to_string();
        client.set(json!({"denoise": "off"}));
        line
    };
    assert!(!line().contains("--denoise"));
    assert!(line().contains(" --denoise off -o"));
}
