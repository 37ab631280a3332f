//! The dependency rule: a crate depends only on the crates that the table in ARCHITECTURE.md allows, directly or
//! indirectly.

#![allow(missing_docs, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::repository::root;

/// Crates that each crate may depend on.
type Allowed = BTreeMap<String, BTreeSet<String>>;

/// Entry of the table for crates that are used in development only: they may depend on any crate, and other crates may
/// depend on them only in `[dev-dependencies]`.
const ANY: &str = "anything";

/// Reads the rows `| crate | description | uses |` of the table, and returns all direct and indirect uses of each
/// crate.
fn allowed() -> Allowed {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut table = Allowed::new();
    for line in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [crates, _, uses] = cells[..] else { continue };
        let names = |cell: &str| -> BTreeSet<String> {
            cell.split(',').map(|n| n.trim().trim_matches('`').to_string()).filter(|n| n != "–").collect()
        };
        let uses = names(uses);
        for name in names(crates) {
            let through = uses.iter().flat_map(|u| table.get(u).cloned().unwrap_or_default());
            let closed = uses.iter().cloned().chain(through).collect();
            table.insert(name, closed);
        }
    }
    table
}

/// Returns whether a crate is used in development only.
fn is_dev_only(table: &Allowed, name: &str) -> bool {
    table.get(name).is_some_and(|uses| uses.contains(ANY))
}

/// Returns the dependencies of a crate on other crates of the workspace, `[dev-dependencies]` excluded.
fn used(name: &str) -> BTreeSet<String> {
    let manifest =
        fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).expect("a manifest");
    used_by(&manifest)
}

/// Returns those dependencies of a manifest. They are lines of `[dependencies]`, `[build-dependencies]` or
/// `[target.….dependencies]`, or have a section of their own, such as `[dependencies.sunfleck-math]`.
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

/// Returns a crate and all crates of the workspace that are built for it.
fn reached(from: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::from([from.to_string()]);
    let mut ahead = vec![from.to_string()];
    while let Some(name) = ahead.pop() {
        ahead.extend(used(&name).into_iter().filter(|next| reached.insert(next.clone())));
    }
    reached
}

fn crates() -> Vec<String> {
    let entries = fs::read_dir(root().join("crates")).expect("the folder crates");
    let mut crates: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    crates.sort();
    crates
}

#[test]
fn every_crate_is_in_the_table() {
    let table = allowed();
    for name in crates() {
        assert!(table.contains_key(&name), "`{name}` is missing from the table in ARCHITECTURE.md");
    }
}

#[test]
fn dependencies_are_those_of_the_table() {
    let table = allowed();
    for name in crates().into_iter().filter(|name| !is_dev_only(&table, name)) {
        let Some(allowed) = table.get(&name) else { continue };
        let used = used(&name);
        let forbidden: Vec<&String> = used.difference(allowed).collect();
        assert!(forbidden.is_empty(), "`{name}` must not depend on {forbidden:?}");
    }
}

#[test]
fn no_product_depends_on_development_crates() {
    let table = allowed();
    for name in crates().into_iter().filter(|name| !is_dev_only(&table, name)) {
        let reached = reached(&name);
        let dev_only: Vec<&String> = reached.iter().filter(|name| is_dev_only(&table, name)).collect();
        assert!(dev_only.is_empty(), "`{name}` depends on {dev_only:?}, for development only");
    }
}

#[test]
fn tables_and_manifests_are_read() {
    let table = allowed();
    assert!(table["integrators"].contains("math"), "indirect uses are allowed");
    assert!(!table["math"].contains("scene"), "math is below scene");
    assert!(used("integrators").contains("kernel"), "a dependency in the manifest");
    let dev_only: Vec<String> = crates().into_iter().filter(|name| is_dev_only(&table, name)).collect();
    assert_eq!(dev_only, ["bench", "testkit"], "crates for development only");
    assert!(reached("cli").contains("math"), "an indirect dependency");
    let manifest = "[dependencies]\nsunfleck-a.workspace = true\n[dev-dependencies]\nsunfleck-b.workspace = true\n\
                    [target.'cfg(unix)'.dependencies]\nsunfleck-c = { path = \"c\" }\n[build-dependencies.sunfleck-d]\n\
                    path = \"d\"\n[dev-dependencies.sunfleck-e]\npath = \"e\"\n[lints]\nworkspace = true\n";
    assert_eq!(used_by(manifest), ["a", "c", "d"].map(String::from).into(), "dev-dependencies are excluded");
}
