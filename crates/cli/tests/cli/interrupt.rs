//! Ctrl-C: SIGINT, as a terminal sends it; and SIGTERM, as schedulers of jobs send it.
#![cfg(unix)]

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::run::{Folder, RunResult, assert_picture};

/// Starts an endless rendering, sends it a signal after `wait`, and waits for the process to end.
fn interrupted_after(folder: &Folder, signal: &str, wait: Duration) -> RunResult {
    let mut command = folder.command("render cornell --width 32 --height 32 --spp 4000000000 -o a.png");
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    sleep(wait);
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
    // On a busy machine rendering may not have started, so that nothing is written: try again and wait longer
    for tenths in [5, 20, 60] {
        let run = interrupted_after(&folder, signal, Duration::from_millis(tenths * 100));
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
