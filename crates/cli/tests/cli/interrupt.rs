//! Ctrl-C, as the terminal sends it.
#![cfg(unix)]

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::run::{Folder, Ran, assert_picture};

/// Starts a rendering without end, interrupts it after a while, and waits for its end.
fn interrupted_after(folder: &Folder, wait: Duration) -> Ran {
    let mut command = folder.command("render cornell --width 32 --height 32 --spp 4000000000 -o a.png");
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    sleep(wait);
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success(), "it was still running");
    child.wait_with_output().unwrap().into()
}

#[test]
fn what_there_is_of_the_picture_is_written() {
    let folder = Folder::new();
    // On a busy machine the picture may not have been begun: then nothing is written, and we wait longer.
    for tenths in [5, 20, 60] {
        let ran = interrupted_after(&folder, Duration::from_millis(tenths * 100));
        assert_eq!(ran.code, Some(130), "{ran:?}");
        if folder.files().is_empty() {
            continue;
        }
        assert_eq!(folder.files(), ["a.png"]);
        assert!(ran.stderr.contains("interrupted"), "{ran:?}");
        assert!(ran.stdout.contains("until interrupted"), "{ran:?}");
        return assert_picture(&folder.path("a.png"), 32, 32);
    }
    panic!("no picture was begun within six seconds");
}
