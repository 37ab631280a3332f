//! Several clients.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::common::{Client, ServerMessage, viewer};

/// Returns the number of frames that each client receives while the camera moves for a duration.
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
                    if let ServerMessage::Frame { header, .. } = client.receive() {
                        frames += 1;
                        let number = header["frame"].as_u64().unwrap();
                        assert!(number > newest, "frame {number} is older than {newest}");
                        newest = number;
                    }
                }
                frames
            })
        })
        .collect();
    let mut step = 0.0;
    editor.acknowledges = false;
    while Instant::now() < end + Duration::from_millis(200) {
        step += 0.01;
        pose["world_from_view"][9] = json!(step);
        editor.send(&json!({"type": "camera", "pose": pose}));
        thread::sleep(Duration::from_millis(10));
    }
    counts.into_iter().map(|count| count.join().unwrap()).collect()
}

#[test]
fn a_client_that_reads_nothing_does_not_slow_others() {
    let viewer = viewer("cornell", None);
    let mut editor = Client::join(&viewer);
    editor.set_small(1);
    let watchers: Vec<Client> = (0..6).map(|_| Client::join(&viewer)).collect();
    let idle = Client::join(&viewer);
    let counts = frames_of(watchers, &mut editor, Duration::from_secs(3));
    let (least, most) = (*counts.iter().min().unwrap(), *counts.iter().max().unwrap());
    assert!(least >= 10, "{counts:?}");
    assert!(least * 2 >= most, "all receive about the same number: {counts:?}");
    drop(idle);
}

#[test]
fn frames_wait_for_acknowledgement() {
    let viewer = viewer("cornell", None);
    let mut editor = Client::join(&viewer);
    editor.set_small(1);
    let mut slow = Client::join(&viewer);
    slow.acknowledges = false;
    let (first, _) = slow.wait_for_frame(|_| true);
    let watcher = vec![Client::join(&viewer)];
    let counts = frames_of(watcher, &mut editor, Duration::from_secs(1));
    assert!(counts[0] >= 5, "{counts:?}");
    // Two frames are sent without acknowledgement; after it, the newest frame is sent
    let (second, _) = slow.wait_for_frame(|_| true);
    slow.send(&json!({"type": "shown", "frame": second["frame"]}));
    let (third, _) = slow.wait_for_frame(|_| true);
    let number = |header: &serde_json::Value| header["frame"].as_u64().unwrap();
    assert!(number(&third) >= number(&second) + 5, "{first} {second} {third}");
}
