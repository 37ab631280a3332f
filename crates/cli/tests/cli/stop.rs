//! Stop rules.

use crate::run::Folder;

const TINY: &str = "render cornell --width 32 --height 32 -o a.png";

#[test]
fn a_time_limit_ends_rendering() {
    let report = Folder::new().json(&format!("{TINY} --time 1s"));
    let secs = report["render"]["secs"].as_f64().unwrap();
    assert!((0.9..3.0).contains(&secs), "{secs} s instead of 1 s");
    assert_eq!(report["render"]["interrupted"], false);
}

#[test]
fn a_noise_level_ends_rendering() {
    let report = Folder::new().json(&format!("{TINY} --noise 0.15 --spp 20000"));
    let noise = report["render"]["noise"].as_f64().unwrap();
    let samples = report["render"]["samples_per_pixel"].as_u64().unwrap();
    assert!(noise <= 0.15, "{noise}");
    assert!(samples < 20_000, "{samples}");
}

#[test]
fn a_number_of_samples_ends_rendering() {
    let report = Folder::new().json(&format!("{TINY} --spp 7"));
    assert_eq!(report["render"]["samples_per_pixel"], 7);
    assert!(report["render"]["rays"].as_u64().unwrap() >= 32 * 32 * 7, "at least one ray for each sample");
    assert_eq!(report["written"][0]["path"], "a.png");
}
