use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::common::{Client, Heard, viewer};

/// Frames that clients get in a while in which the camera moves, and the numbers of those that the last of them skipped.
fn frames_of(clients: Vec<Client>, editor: &mut Client, time: Duration) -> Vec<usize> {
    let mut pose = editor.wait_for("view")["pose"].clone();
    let end = Instant::now() + time;
    let counts: Vec<_> = clients
        .into_iter()
        .map(|mut client| {
            thread::spawn(move || {
                let mut frames = 0;
                let mut newest = 0;
                while Instant::now() < end {
                    if let Heard::Frame { header, .. } = client.hear() {
                        frames += 1;
                        let number = header["frame"].as_u64().unwrap();
                        assert!(number > newest, "frame {number} after {newest}: an older one");
                        newest = number;
                    }
                }
                frames
            })
        })
        .collect();
    let mut step = 0.0;
    editor.polite = false;
    while Instant::now() < end + Duration::from_millis(200) {
        step += 0.01;
        pose["world_from_view"][9] = json!(step);
        editor.send(&json!({"type": "camera", "pose": pose}));
        thread::sleep(Duration::from_millis(10));
    }
    counts.into_iter().map(|count| count.join().unwrap()).collect()
}

#[test]
fn one_that_reads_nothing_does_not_slow_the_others() {
    let viewer = viewer("cornell", None);
    let mut editor = Client::join(&viewer);
    editor.be_quick(1);
    let watchers: Vec<Client> = (0..6).map(|_| Client::join(&viewer)).collect();
    let deaf = Client::join(&viewer);
    let counts = frames_of(watchers, &mut editor, Duration::from_secs(3));
    let (least, most) = (*counts.iter().min().unwrap(), *counts.iter().max().unwrap());
    assert!(least >= 10, "{counts:?}");
    assert!(least * 2 >= most, "all get about as many: {counts:?}");
    drop(deaf);
}

#[test]
fn frames_wait_for_those_who_have_not_shown_the_last() {
    let viewer = viewer("cornell", None);
    let mut editor = Client::join(&viewer);
    editor.be_quick(1);
    let mut lazy = Client::join(&viewer);
    lazy.polite = false;
    let (first, _) = lazy.wait_for_frame(|_| true);
    let watcher = vec![Client::join(&viewer)];
    let counts = frames_of(watcher, &mut editor, Duration::from_secs(1));
    assert!(counts[0] >= 5, "{counts:?}");
    // Two were on the way; then nothing, until the latest is acknowledged: then the newest of all
    let (second, _) = lazy.wait_for_frame(|_| true);
    lazy.send(&json!({"type": "shown", "frame": second["frame"]}));
    let (third, _) = lazy.wait_for_frame(|_| true);
    let number = |header: &serde_json::Value| header["frame"].as_u64().unwrap();
    assert!(number(&third) >= number(&second) + 5, "{first} {second} {third}");
}
