//! The door rule: a room uses only the rooms that the table in ARCHITECTURE.md lets it use, directly or through them.

#![allow(missing_docs, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

type Doors = BTreeMap<String, BTreeSet<String>>;

/// Rooms that only tests enter: they may use anything, and nothing but `[dev-dependencies]` uses them. `bench` is none of
/// them: people measure with the binary, so it has a row as every room has.
const DEV_ONLY: &[&str] = &["testkit"];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The rows `| `room` | one line | uses |` of the table, closed under "uses".
fn allowed() -> Doors {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut doors = Doors::new();
    for line in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [rooms, _, uses] = cells[..] else { continue };
        let names = |cell: &str| -> BTreeSet<String> {
            cell.split(',').map(|n| n.trim().trim_matches('`').to_string()).filter(|n| n != "–").collect()
        };
        let uses = names(uses);
        for room in names(rooms) {
            let through = uses.iter().flat_map(|u| doors.get(u).cloned().unwrap_or_default());
            let closed = uses.iter().cloned().chain(through).collect();
            doors.insert(room, closed);
        }
    }
    doors
}

/// The sunfleck crates in one section of a room's manifest.
fn used(room: &str, section: &str) -> BTreeSet<String> {
    let manifest =
        fs::read_to_string(root().join("crates").join(room).join("Cargo.toml")).expect("a manifest");
    let mut inside = false;
    let mut found = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.trim() == format!("[{section}]");
        } else if inside && let Some(rest) = line.strip_prefix("sunfleck-") {
            found.insert(rest.split(['.', ' ', '=']).next().unwrap_or_default().to_string());
        }
    }
    found
}

fn rooms() -> Vec<String> {
    let entries = fs::read_dir(root().join("crates")).expect("the folder of rooms");
    let mut rooms: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    rooms.sort();
    rooms
}

#[test]
fn every_room_is_in_the_table() {
    let doors = allowed();
    for room in rooms() {
        assert!(doors.contains_key(&room), "`{room}` is missing from the table in ARCHITECTURE.md");
    }
}

#[test]
fn doors_open_downward_only() {
    let doors = allowed();
    for room in rooms() {
        let through: BTreeSet<String> = used(&room, "dependencies");
        let forbidden: Vec<&String> = match (DEV_ONLY.contains(&room.as_str()), doors.get(&room)) {
            (true, _) | (_, None) => continue,
            (false, Some(allowed)) => through.difference(allowed).collect(),
        };
        assert!(forbidden.is_empty(), "`{room}` must not use {forbidden:?}");
        let dev_only: Vec<&String> =
            through.iter().filter(|name| DEV_ONLY.contains(&name.as_str())).collect();
        assert!(dev_only.is_empty(), "`{room}` uses {dev_only:?} outside its tests");
    }
}

#[test]
fn the_rule_sees_what_it_reads() {
    let doors = allowed();
    assert!(doors["integrators"].contains("math"), "uses are closed over the rooms between");
    assert!(!doors["math"].contains("scene"), "nothing reaches downward");
    assert!(used("integrators", "dependencies").contains("kernel"), "manifests are read");
}
