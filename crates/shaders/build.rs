//! Links the WESL modules of each pass into WGSL, once for each choice of options, and generates the Rust counterparts
//! of shared structures.

use std::fmt::Write;
use std::path::PathBuf;

#[path = "src/passes/mod.rs"]
#[allow(dead_code, unreachable_pub, reason = "the build script uses a part of the tables")]
mod passes;
#[path = "build/sources.rs"]
mod sources;
#[path = "build/structures.rs"]
mod structures;

use passes::{Features, Pass};
use sources::{Names, Sources};

fn main() {
    println!("cargo::rerun-if-changed=src/passes");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    // Sorted, so that names can be found by binary search
    let mut texts = std::collections::BTreeSet::new();
    for pass in passes::all() {
        for options in pass.options.subsets() {
            let name = pass.text_name(options);
            link(pass, options, &name);
            texts.insert(name);
        }
    }
    let mut list = String::from("&[\n");
    for name in texts {
        let file = format!("{name}.wgsl");
        _ = writeln!(list, "    ({name:?}, include_str!({:?})),", out.join(file));
    }
    list += "]";
    let written = structures::generated("shaders").and_then(|structures| {
        let files =
            [("texts.rs", list), ("structures.rs", structures.rust), ("offsets.rs", structures.offsets)];
        let write = |(name, text)| std::fs::write(out.join(name), text).map_err(|error| error.to_string());
        files.into_iter().try_for_each(write)
    });
    if let Err(error) = written {
        println!("cargo::error={error}");
    }
}

fn link(pass: &Pass, options: Features, name: &str) {
    let mut linker = wesl::Wesl::new("shaders").set_custom_resolver(Sources::new("shaders"));
    linker.set_custom_mangler(Names);
    for feature in pass.features.and(options).names() {
        linker.set_feature(feature, true);
    }
    match format!("package::{}", pass.module).parse() {
        Ok(module) => linker.build_artifact(&module, name),
        Err(error) => println!("cargo::error={}: {error}", pass.module),
    }
}
