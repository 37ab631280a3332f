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
