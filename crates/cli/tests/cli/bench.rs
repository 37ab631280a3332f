use crate::run::Folder;

#[test]
fn frames_are_measured_with_threads_of_their_own() {
    let folder = Folder::new();
    let size = "--width 16 --height 12 --threads 2 --set vpls=4";
    let words = format!("bench igi cornell --rounds 1 {size} --checks --json igi.json");
    let text = folder.sunfleck(&words).done().stdout;
    assert!(text.contains("16 × 12, 2 threads") && text.contains("anti-aliasing"), "{text}");
    let json: serde_json::Value = serde_json::from_slice(&folder.read("igi.json")).unwrap();
    assert_eq!(json["rows"][0]["vpls_per_pixel"], 4);
    assert!(json["rows"][0]["checks"]["filtered"]["flip"].as_f64().is_some(), "{json}");

    let text = folder.sunfleck(&format!("bench flicker cornell --frames 2 {size}")).done().stdout;
    assert!(text.contains("2 frames at 16 × 12"), "{text}");
}

#[test]
fn the_viewer_is_measured_from_the_other_end() {
    let folder = Folder::new();
    let size = "--width 48 --height 32 --inputs 3 --seconds 0.4 --watchers 2";
    let text = folder.sunfleck(&format!("bench view cornell {size} --json view.json")).done().stdout;
    assert!(text.contains("a page of 48 × 32") && text.contains("the camera moves"), "{text}");
    let json: serde_json::Value = serde_json::from_slice(&folder.read("view.json")).unwrap();
    assert!(json["latencies"][0]["median_ms"].as_f64().is_some_and(|millis| millis > 0.0), "{json}");
    assert_eq!(json["watchers"]["together"], 2);
}
