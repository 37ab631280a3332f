//! Malformed messages.

use std::thread;

use serde_json::json;
use tungstenite::Message;

use crate::common::{Client, viewer};

const MESSAGES: u32 = 100_000;

/// Valid messages, to be corrupted.
const VALID: &[&str] = &[
    r#"{"type":"camera","pose":{"world_from_view":[1,0,0,0,1,0,0,0,1,0,1,3],"projection":{"Perspective":{"fov_y_radians":0.7}}},"input":1}"#,
    r#"{"type":"set","settings":{"size":[64,48],"scale":1.0,"algorithm":"igi","parameter":["vpls",8]}}"#,
    r#"{"type":"pick","x":0.5,"y":0.5}"#,
    r#"{"type":"edit","edit":{"Transform":{"id":1,"parent_from_node":[1,0,0,0,1,0,0,0,1,0,0,0]}},"drag":1}"#,
    r#"{"type":"edit","edit":{"Batch":[{"Visible":{"id":1,"visible":true}},{"Environment":{"environment":"Black"}}]}}"#,
    r#"{"type":"edit","edit":{"Light":{"id":0,"light":{"name":"l","emission":[1,1,1],"kind":"Point"}}}}"#,
    r#"{"type":"cancel-drag","drag":1}"#,
    r#"{"type":"shown","frame":3}"#,
    r#"{"type":"control","take":true}"#,
    r#"{"type":"drop","nodes":[1,2],"input":1}"#,
    r#"{"type":"remove","nodes":[4]}"#,
    r#"{"type":"undo"}"#,
];
const BAD_VALUES: &[&str] = &[
    "null",
    "-1",
    "1e999",
    "1e38",
    "4294967295",
    "18446744073709551616",
    "\"\"",
    "[]",
    "{}",
    "[[[[[[[[",
    "\u{0}",
    "NaN",
    "\\ud800",
    ",,",
    "é",
    "0.0000000001",
];

/// Linear congruential generator [Press92, §7.1].
struct Random(u32);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % limit.max(1)
    }

    /// Returns a valid message that was truncated, cut, duplicated in part, or overwritten with invalid values.
    fn corrupted(&mut self) -> String {
        let mut text: Vec<char> = VALID[self.below(VALID.len())].chars().collect();
        for _ in 0..=self.below(3) {
            let (a, b) = (self.below(text.len()), self.below(text.len()));
            let (from, to) = (a.min(b), a.max(b));
            match self.below(5) {
                0 => text.truncate(from),
                1 => drop(text.drain(from..to)),
                2 => text = [&text[..to], &text[from..]].concat(),
                3 => {
                    let part: Vec<char> = BAD_VALUES[self.below(BAD_VALUES.len())].chars().collect();
                    drop(text.splice(from..to.min(from + 6), part));
                }
                _ => {
                    if let Some(c) = text.get_mut(from) {
                        *c = char::from(b"{}[]\",:0129-.eaz "[self.below(17)]);
                    }
                }
            }
        }
        text.into_iter().collect()
    }
}

#[test]
fn a_hundred_thousand_malformed_messages_leave_the_session_alive() {
    let viewer = viewer("cornell", None);
    let mut editor = Client::join(&viewer);
    editor.set_small(1);
    // The flood comes from a client that is not the editor, so that messages that happen to be valid are refused
    let flood = Client::join(&viewer);
    let mut listener = flood.socket.get_ref().try_clone().unwrap();
    let reading = thread::spawn(move || drop(std::io::copy(&mut listener, &mut std::io::sink())));
    let mut socket = flood.socket;
    let mut random = Random(6);
    for i in 0..MESSAGES {
        let message = match i % 50 {
            0 => Message::binary(random.corrupted().into_bytes()),
            _ => Message::text(random.corrupted()),
        };
        socket.send(message).unwrap();
    }
    // Valid messages may have made the other client the editor, which alone may get a command line of what it changed
    editor.send(&json!({"type": "pick", "x": 0.5, "y": 0.5}));
    editor.wait_for("picked");
    let (header, _) = editor.wait_for_frame(|_| true);
    assert!(header["frame"].as_u64().is_some_and(|frame| frame > 0), "frames still come");
    drop(socket.close(None));
    drop(socket);
    drop(editor);
    drop(viewer);
    reading.join().unwrap();
}

#[test]
fn malformed_messages_are_explained_and_the_connection_stays() {
    let viewer = viewer("cornell", None);
    let mut client = Client::join(&viewer);
    for nonsense in
        ["", "hello", "{", "[]", r#"{"type":"undo","why":1}"#, r#"{"type":"pick","x":1e99,"y":0}"#]
    {
        client.send_text(nonsense.into());
        let error = client.wait_for("error");
        assert!(error["message"].as_str().is_some_and(|message| message.len() > 20), "{nonsense}: {error}");
    }
    client.send_text(" ".repeat(2 << 20));
    assert!(client.wait_for("error")["message"].as_str().unwrap().contains("too long"));
    client.send(&json!({"type": "pick", "x": 0.5, "y": 0.5}));
    assert!(!client.wait_for("picked")["picked"].is_null(), "the connection still works");
}

#[test]
fn malformed_edits_do_not_affect_other_clients() {
    let viewer = viewer("cornell", None);
    let mut editor = Client::join(&viewer);
    editor.set_small(1);
    let mut random = Random(7);
    let mut listener = editor.socket.get_ref().try_clone().unwrap();
    let reading = thread::spawn(move || drop(std::io::copy(&mut listener, &mut std::io::sink())));
    for _ in 0..3000 {
        editor.send_text(random.corrupted());
    }
    let mut other = Client::join(&viewer);
    other.send(&json!({"type": "pick", "x": 0.5, "y": 0.5}));
    other.wait_for("picked");
    other.wait_for_frame(|_| true);
    drop(editor);
    drop(other);
    drop(viewer);
    reading.join().unwrap();
}
