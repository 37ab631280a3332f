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
    let report = Folder::new().json(&format!("{TINY} --noise 0.15 --spp 20000 --denoise off"));
    let noise = report["render"]["noise"].as_f64().unwrap();
    let samples = report["render"]["samples_per_pixel"].as_u64().unwrap();
    assert!(noise <= 0.15, "{noise}");
    assert!(samples < 20_000, "{samples}");
    assert!(report["render"]["denoised_noise"].is_null(), "{report}");
}

/// A picture that is denoised needs fewer samples for the same noise.
#[test]
fn the_noise_level_is_that_of_the_denoised_image() {
    let render = |words: &str| {
        let report = Folder::new().json(&format!("render cornell --width 64 --height 64 --spp 4096 {words}"));
        let number = |name: &str| report["render"][name].as_f64();
        (number("samples_per_pixel").unwrap(), number("noise").unwrap(), number("denoised_noise"))
    };
    let (most, noise, none) = render("--noise 0.08 -o a.png --denoise off");
    assert!(noise <= 0.08 && none.is_none(), "{noise}");
    let (samples, noise, left) = render("--noise 0.08 -o a.png");
    let left = left.unwrap();
    assert!(samples < 0.6 * most && left <= 0.08 && noise > 0.08, "{samples} of {most}: {left} of {noise}");
    // The file that is not denoised has to reach the level, too
    let (samples, noise, left) = render("--noise 0.08 -o a.png -o a.exr");
    assert!(samples == most && noise <= 0.08 && left.unwrap() < noise, "{samples} of {most}: {noise}");
}

#[test]
fn samples_limit_rendering_to_a_noise_level() {
    let report = Folder::new().json(&format!("{TINY} --noise 1e-6 --spp 24"));
    assert_eq!(report["render"]["samples_per_pixel"], 24);
    let report = Folder::new().json(&format!("{TINY} --noise 1e-6 --time 1s"));
    let secs = ["secs", "denoise_secs"].map(|name| report["render"][name].as_f64().unwrap());
    assert!(secs[0] > 0.3 && secs[0] + secs[1] < 3.0, "{secs:?} instead of 1 s");
}

#[test]
fn the_noise_that_is_left_is_reported() {
    let run = Folder::new().sunfleck(&format!("{TINY} --spp 16")).done();
    assert!(run.stdout.contains(" % (denoised; "), "{}", run.stdout);
    assert!(run.stdout.contains(" % as rendered)"), "{}", run.stdout);
}

#[test]
fn frames_of_several_samples_are_counted_as_frames() {
    let interactive = format!("{TINY} --integrator igi --preset interactive");
    for rules in ["--spp 5", "--spp 5 --time 1min", "--spp 5 --noise 1e-6"] {
        let report = Folder::new().json(&format!("{interactive} {rules}"));
        assert_eq!(report["render"]["samples_per_pixel"], 20, "{rules}");
    }
}

#[test]
fn a_number_of_samples_ends_rendering() {
    let report = Folder::new().json(&format!("{TINY} --spp 7"));
    assert_eq!(report["render"]["samples_per_pixel"], 7);
    assert!(report["render"]["rays"].as_u64().unwrap() >= 32 * 32 * 7, "at least one ray for each sample");
    assert_eq!(report["written"][0]["path"], "a.png");
}

#[test]
fn a_noise_level_that_is_not_reached_is_reported() {
    let folder = Folder::new();
    let report = folder.json(&format!("{TINY} --noise 0.001 --spp 20"));
    assert_eq!(report["render"]["ended_by"], "samples");
    assert!(report["notes"].to_string().contains("not 0.10 % as --noise asks: --spp"), "{report}");
    let report = folder.json(&format!("{TINY} --noise 0.0001 --time 300ms"));
    assert_eq!(report["render"]["ended_by"], "time");
    let report = folder.json(&format!("{TINY} --noise 0.3"));
    assert_eq!(report["render"]["ended_by"], "noise");
    assert!(!report["notes"].to_string().contains("--noise"), "{report}");
    assert_eq!(folder.json(&format!("{TINY} --spp 2"))["render"]["ended_by"], "samples");
}

#[test]
fn noise_levels_are_fractions() {
    let folder = Folder::new();
    folder.sunfleck(&format!("{TINY} --noise -1")).refused(&["greater than 0"]);
    folder.sunfleck(&format!("{TINY} --noise 5")).refused(&["0.05", "5%"]);
    folder.sunfleck(&format!("{TINY} --noise 0")).refused(&["greater than 0"]);
    folder.json(&format!("{TINY} --noise 30%"));
}

#[test]
fn the_noise_of_few_samples_is_not_that_of_the_denoised_image() {
    let text = Folder::new().sunfleck(&format!("{TINY} --spp 4")).done().stdout;
    assert!(text.contains("as rendered; that of the denoised image is known from 16 samples on"), "{text}");
}

#[test]
fn a_log_gets_a_line_every_few_seconds() {
    let run = Folder::new().sunfleck("render cornell --width 64 --height 64 --time 7 -o a.png").done();
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 1, "one within seven seconds: {}", run.stderr);
    assert!(["%", "left", "spp", "noise"].iter().all(|word| lines[0].contains(word)), "{}", lines[0]);
    assert!(!run.stderr.contains('\r'), "no carriage return");
}

#[test]
fn the_preset_is_reported() {
    let render = format!("{TINY} --integrator igi --preset final --spp 1");
    let folder = Folder::new();
    assert_eq!(folder.json(&render)["picture"]["preset"], "final");
    assert!(folder.sunfleck(&render).done().stdout.contains("igi, preset final"), "in the text");
}
