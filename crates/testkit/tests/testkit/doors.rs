//! The door rule: a room uses only the rooms that the table in ARCHITECTURE.md lets it use, directly or through them.

#![allow(missing_docs, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::repository::root;

type Doors = BTreeMap<String, BTreeSet<String>>;

/// What the table says of rooms for development only: they may use any room, and nothing but `[dev-dependencies]` uses them.
const ANY: &str = "anything";

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

/// Whether the room is for development only.
fn is_dev_only(doors: &Doors, room: &str) -> bool {
    doors.get(room).is_some_and(|uses| uses.contains(ANY))
}

/// The sunfleck crates that a room's manifest names outside `[dev-dependencies]`.
fn used(room: &str) -> BTreeSet<String> {
    let manifest =
        fs::read_to_string(root().join("crates").join(room).join("Cargo.toml")).expect("a manifest");
    used_by(&manifest)
}

/// Dependencies stand in `[dependencies]`, `[build-dependencies]` or `[target.….dependencies]`, one a line, or have a section
/// of their own, such as `[dependencies.sunfleck-math]`.
fn used_by(manifest: &str) -> BTreeSet<String> {
    let mut inside = false;
    let mut found = BTreeSet::new();
    for line in manifest.lines() {
        let mut entry = inside.then_some(line);
        if let Some(section) = line.trim().strip_prefix('[') {
            let section = section.trim_end_matches(']');
            let counts = |list: &str| list.ends_with("dependencies") && !list.ends_with("dev-dependencies");
            inside = counts(section);
            entry = section.rsplit_once('.').filter(|(list, _)| counts(list)).map(|(_, name)| name);
        }
        if let Some(rest) = entry.and_then(|entry| entry.strip_prefix("sunfleck-")) {
            found.insert(rest.split(['.', ' ', '=']).next().unwrap_or_default().to_string());
        }
    }
    found
}

/// All rooms that are built for a room, itself included.
fn reached(from: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::from([from.to_string()]);
    let mut ahead = vec![from.to_string()];
    while let Some(room) = ahead.pop() {
        ahead.extend(used(&room).into_iter().filter(|next| reached.insert(next.clone())));
    }
    reached
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
    for room in rooms().into_iter().filter(|room| !is_dev_only(&doors, room)) {
        let Some(allowed) = doors.get(&room) else { continue };
        let used = used(&room);
        let forbidden: Vec<&String> = used.difference(allowed).collect();
        assert!(forbidden.is_empty(), "`{room}` must not use {forbidden:?}");
    }
}

#[test]
fn the_product_is_built_without_what_is_for_development() {
    let doors = allowed();
    for room in rooms().into_iter().filter(|room| !is_dev_only(&doors, room)) {
        let reached = reached(&room);
        let dev_only: Vec<&String> = reached.iter().filter(|room| is_dev_only(&doors, room)).collect();
        assert!(dev_only.is_empty(), "`{room}` is built with {dev_only:?}, which is for development only");
    }
}

#[test]
fn the_rule_sees_what_it_reads() {
    let doors = allowed();
    assert!(doors["integrators"].contains("math"), "uses are closed over the rooms between");
    assert!(!doors["math"].contains("scene"), "nothing reaches downward");
    assert!(used("integrators").contains("kernel"), "manifests are read");
    let dev_only: Vec<String> = rooms().into_iter().filter(|room| is_dev_only(&doors, room)).collect();
    assert_eq!(dev_only, ["bench", "testkit"], "the table names them");
    assert!(reached("cli").contains("math"), "uses are followed");
    let manifest = "[dependencies]\nsunfleck-a.workspace = true\n[dev-dependencies]\nsunfleck-b.workspace = true\n\
                    [target.'cfg(unix)'.dependencies]\nsunfleck-c = { path = \"c\" }\n[build-dependencies.sunfleck-d]\n\
                    path = \"d\"\n[dev-dependencies.sunfleck-e]\npath = \"e\"\n[lints]\nworkspace = true\n";
    assert_eq!(used_by(manifest), ["a", "c", "d"].map(String::from).into(), "every section is read");
}
