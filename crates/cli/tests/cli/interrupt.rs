//! Ctrl-C: SIGINT, as a terminal sends it; and SIGTERM, as schedulers of jobs send it.
#![cfg(unix)]

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::run::{Folder, RunResult, assert_picture};

/// Starts a rendering, sends it a signal after `wait`, and waits for the process to end.
fn interrupted_after(folder: &Folder, words: &str, signal: &str, wait: impl FnOnce()) -> RunResult {
    let mut command = folder.command(words);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait();
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success(), "the process must still be running");
    child.wait_with_output().unwrap().into()
}

#[test]
fn the_image_rendered_so_far_is_written() {
    image_so_far("-INT");
}

#[test]
fn termination_writes_the_image_rendered_so_far() {
    image_so_far("-TERM");
}

fn image_so_far(signal: &str) {
    let folder = Folder::new();
    let endless = "render cornell --width 32 --height 32 --spp 4000000000 -o a.png";
    // On a busy machine rendering may not have started, so that nothing is written: try again and wait longer
    for tenths in [5, 20, 60] {
        let run = interrupted_after(&folder, endless, signal, || sleep(Duration::from_millis(tenths * 100)));
        assert_eq!(run.code, Some(130), "{run:?}");
        if folder.files().is_empty() {
            continue;
        }
        assert_eq!(folder.files(), ["a.png"], "nothing else is left behind");
        assert!(run.stderr.contains("interrupted"), "{run:?}");
        assert!(run.stdout.contains("until interrupted"), "{run:?}");
        return assert_picture(&folder.path("a.png"), 32, 32);
    }
    panic!("rendering did not start within six seconds");
}

#[test]
fn a_signal_while_a_scene_is_read_tells_that_there_is_no_image() {
    // On a busy machine the handler may not be installed yet, or the scene may be built already
    for tenths in [2, 4, 8, 16] {
        let folder = Folder::new();
        let slow = "render plant --width 8 --height 8 --quiet -o a.png";
        let run = interrupted_after(&folder, slow, "-INT", || sleep(Duration::from_millis(tenths * 100)));
        if run.code == Some(130) && run.stderr.contains("no image was written") {
            return assert!(folder.files().is_empty(), "{run:?}");
        }
    }
    panic!("no signal arrived while the scene was built");
}

/// Waits until a file is there.
fn wait_for(folder: &Folder, name: &str) {
    let begun = Instant::now();
    while !folder.path(name).exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{name} is not written");
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn the_unfinished_image_of_a_sequence_is_not_written() {
    let folder = Folder::new();
    let endless = "render cornell --width 32 --height 32 --time 2s --turntable 4 --denoise off -o a.exr";
    let run = interrupted_after(&folder, endless, "-INT", || wait_for(&folder, "a-0000.exr"));
    assert_eq!(run.code, Some(130), "{run:?}");
    assert_eq!(folder.files(), ["a-0000.exr"], "{run:?}");
    assert!(run.stderr.contains("interrupted: a-0001.exr is not finished"), "{run:?}");
    assert!(run.stdout.contains("a-0000.exr"), "what is written is reported: {run:?}");
    // Nothing is finished
    let folder = Folder::new();
    let endless = endless.replace("--time 2s", "--spp 4000000000");
    let run = interrupted_after(&folder, &endless, "-INT", || sleep(Duration::from_secs(2)));
    assert_eq!((run.code, folder.files().len()), (Some(130), 0), "{run:?}");
    assert!(run.stdout.is_empty(), "{run:?}");
}

/// Most of the time of small frames is that of denoising and writing.
#[test]
fn a_sequence_ends_between_two_images() {
    let frames = "--width 24 --height 16 --spp 1 --turntable 5000 -o a.png";
    for number in [1, 4, 7] {
        let folder = Folder::new();
        let name = format!("a-{number:04}.png");
        let run = interrupted_after(&folder, &format!("render cornell {frames} --json"), "-INT", || {
            wait_for(&folder, &name);
        });
        assert_eq!(run.code, Some(130), "{run:?}");
        let files = folder.files();
        assert!(
            run.stderr.contains(&format!("interrupted: the images from a-{:04}.png", files.len()))
                || run.stderr.contains(&format!("interrupted: a-{:04}.png is not finished", files.len())),
            "{run:?}"
        );
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["render"]["interrupted"], true);
        assert_eq!(report["written"].as_array().unwrap().len(), files.len(), "all are reported");
    }
}
