//! Tests of the translation of constants from Rust to WESL.

#[path = "../build/constants.rs"]
mod constants;

use std::fs;

use constants::{WithConstants, translated};
use wesl::{NoResolver, Resolver};

#[test]
fn every_module_becomes_valid_wgsl() {
    for entry in fs::read_dir("../constants/src").expect("a folder") {
        let file = entry.expect("a file").path();
        let name = file.file_stem().expect("a name").display().to_string();
        if name == "lib" {
            continue;
        }
        let path = format!("package::constants::{name}").parse().expect("a path");
        let text = WithConstants(NoResolver).resolve_source(&path).unwrap_or_else(|error| panic!("{error}"));
        let valid = naga::front::wgsl::parse_str(&text);
        assert!(valid.is_ok(), "{name}: {:?}", valid.err());
    }
}

#[test]
fn values_are_the_same_in_wgsl() {
    let rust = "//! Two constants.\n\n/// The first.\npub const A: u32 = (0xff_00 << 2) | B2;\npub const B: i32 = -7;\n\
                pub const C: f32 = -1_000.5e-7;\npub const D: f32 = C;\npub const E: bool = true;\n";
    let wesl = "const A: u32 = (0xff00u << 2u) | B2;\nconst B: i32 = -7i;\nconst C: f32 = -1000.5e-7f;\n\
                const D: f32 = C;\nconst E: bool = true;\n";
    assert_eq!(translated(rust).as_deref(), Ok(wesl));
}

#[test]
fn constants_that_wgsl_lacks_or_reads_differently_are_refused() {
    let refused = [
        "const A: u32 = 1;",
        "pub const a: u32 = 1;",
        "pub const A: usize = 1;",
        "pub const A: [u32; 1] = [1];",
        "pub const A: u32 = 1u32;",
        "pub const A: u32 = 0b1;",
        "pub const A: u32 = !0;",
        "pub const A: u32 = u32::MAX;",
        "pub const A: u32 = B as u32;",
        "pub const A: f32 = 1.0 - 1e-4;",
        "pub const A: f32 = f32::EPSILON;",
        "pub const A: f32 = 1e40;",
        "pub const A: u32 =",
        "pub fn a() {}",
    ];
    for line in refused {
        let error = translated(&format!("//! One constant.\n\n{line}\n")).expect_err(line);
        assert!(error.starts_with("line 3 "), "{error}");
    }
}
