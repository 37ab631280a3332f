//! Checkpoints: an image that was killed and continued has the bits of one that was not.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::run::Folder;

/// Kills a rendering, as `kill -9` does, as soon as it has written a checkpoint later than `after`. Returns the time
/// of the checkpoint; `None` if the rendering ended before.
fn killed(
    folder: &Folder,
    words: &str,
    after: Option<std::time::SystemTime>,
) -> Option<std::time::SystemTime> {
    let written = || std::fs::metadata(folder.path("a.checkpoint")).and_then(|file| file.modified()).ok();
    let mut child = folder.command(words).spawn().unwrap();
    let begun = Instant::now();
    while written() <= after {
        assert!(begun.elapsed() < Duration::from_secs(60), "there is no checkpoint");
        if child.try_wait().unwrap().is_some() {
            return None;
        }
        sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    written()
}

#[test]
fn a_killed_image_is_continued_to_the_same_bits() {
    for method in [
        "--integrator path --spp 48",
        "--integrator igi --preset preview --spp 12",
        // Pixels have different numbers of samples
        "--integrator path --noise 0.2 --spp 512",
    ] {
        let image = format!("render cornell --width 72 --height 48 --denoise off --quiet {method}");
        let folder = Folder::new();
        folder.sunfleck(&format!("{image} -o whole.exr")).done();
        let first = format!("{image} -o a.exr --checkpoint a.checkpoint --every 5ms");
        let continued = format!("{image} -o a.exr --resume a.checkpoint --every 5ms");
        let mut last = killed(&folder, &first, None);
        for _ in 0..2 {
            last = last.and_then(|last| killed(&folder, &continued, Some(last)));
        }
        assert!(last.is_some(), "{method}: it ended before it could be killed three times");
        assert!(!folder.path("a.exr").exists(), "{method}");
        folder.sunfleck(&continued).done();
        assert!(folder.read("a.exr") == folder.read("whole.exr"), "{method}: other bits");
    }
}

#[test]
fn more_samples_are_added_later() {
    let folder = Folder::new();
    let image = "render cornell --width 24 --height 16 --denoise off --quiet -o a.exr";
    folder.sunfleck(&format!("{image} --spp 8 --checkpoint a.checkpoint")).done();
    let report = folder.json(&format!("{} --spp 20 --resume a.checkpoint", image.replace("--quiet", "")));
    assert_eq!(report["render"]["samples_per_pixel"], 20);
    assert_eq!(report["render"]["resumed_at_samples_per_pixel"], 8);
    let more = folder.read("a.exr");
    folder.sunfleck(&format!("{image} --spp 20")).done();
    assert!(more == folder.read("a.exr"), "the same image at once");
    let again = format!("{} --spp 24 --resume a.checkpoint", image.replace("--quiet", ""));
    let text = folder.sunfleck(&again).done().stdout;
    let resumed = text.lines().find(|line| line.trim_start().starts_with("resumed"));
    assert!(resumed.is_some_and(|line| line.ends_with("at 20 samples per pixel")), "{text}");
}

#[test]
fn series_of_images_are_continued_in_other_ways() {
    let folder = Folder::new();
    let image = "render cornell --width 8 --height 8 --spp 1 --checkpoint a.checkpoint";
    let turntable = folder.sunfleck(&format!("{image} --turntable 4")).refused(&["turntable", "again"]);
    assert!(!turntable.stderr.contains("--frames"), "the two options exclude each other: {turntable:?}");
    folder.sunfleck(&format!("{image} --frames 0..3 --animation 0")).refused(&["--frames"]);
    folder.sunfleck(&format!("{image} --all-cameras")).refused(&["--camera"]);
}

#[test]
fn checkpoints_of_other_images_and_damaged_ones_are_refused() {
    let folder = Folder::new();
    let image = "render cornell --width 24 --height 16 --spp 2 --quiet -o a.png";
    folder.sunfleck(&format!("{image} --checkpoint a.checkpoint")).done();
    let resumed = |words: &str| folder.sunfleck(&format!("{words} --resume a.checkpoint"));
    resumed(&image.replace("cornell", "erw6")).refused(&["a.checkpoint", "another scene, another camera"]);
    resumed(&image.replace("24", "25")).refused(&["another size"]);
    resumed(&format!("{image} --seed 7")).refused(&["another sampler or seed"]);
    resumed(&format!("{image} --integrator whitted")).refused(&["another integrator"]);
    resumed(&format!("{image} --occlusion-radius 7")).refused(&["another occlusion radius"]);
    resumed(&format!("{image} --denoise off")).refused(&["another choice of denoising"]);
    resumed(&format!("{image} --transparent")).refused(&["another choice of --transparent"]);
    resumed(&format!("{image} --frames 1..2 --animation 0")).refused(&["--frames"]);
    resumed(image).done();
    let mut bytes = folder.read("a.checkpoint");
    bytes[200] ^= 1;
    folder.write("a.checkpoint", bytes);
    resumed(image).refused(&["a.checkpoint", "damaged"]);
    folder.write("a.checkpoint", "something else");
    resumed(image).refused(&["is not a checkpoint"]);
    folder.sunfleck(&format!("{image} --resume missing")).refused(&["missing", "file not found"]);
    folder.sunfleck(&format!("{image} --checkpoint no/where")).refused(&["no/where", "there is no folder"]);
}

#[test]
fn an_interval_needs_a_file() {
    let folder = Folder::new();
    let image = "render cornell --width 8 --height 8 --spp 1 --denoise off --quiet -o a.png";
    folder.sunfleck(&format!("{image} --every 5s")).refused(&["--checkpoint", "--resume"]);
    folder.write("a.toml", "every = \"5s\"\n");
    folder.sunfleck(&format!("{image} --config a.toml")).refused(&["--checkpoint", "--resume"]);
    assert_eq!(folder.files(), ["a.toml"]);
    folder.sunfleck(&format!("{image} --config a.toml --checkpoint a.checkpoint")).done();
    folder.sunfleck(&format!("{image} --every 5s --resume a.checkpoint")).done();
    folder.sunfleck(&format!("{image} --resume a.checkpoint --checkpoint b.checkpoint")).done();
}

#[test]
fn an_image_does_not_replace_its_checkpoint() {
    let folder = Folder::new();
    let image = "render cornell --width 8 --height 8 --spp 1 --denoise off --quiet";
    for words in [
        "-o a.exr --checkpoint a.exr",
        "-o a.png -o a.exr --checkpoint ./a.exr",
        "-o ./a.exr --resume a.exr",
        "-o a.png --checkpoint b.checkpoint --resume a.png",
    ] {
        folder.sunfleck(&format!("{image} {words}")).refused(&["checkpoint"]);
    }
    assert!(folder.files().is_empty(), "nothing is written");
    folder.sunfleck(&format!("{image} -o a.png -o ./a.png")).refused(&["twice"]);
}
