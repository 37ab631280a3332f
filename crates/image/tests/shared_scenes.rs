//! Image files of the folder `cases` beside `SUNFLECK_SCENES`: all dialects of HDR and EXR of one image.
//!
//! The image of 32 × 16 pixels is (0.5, 0.1, 0.1) in the upper half and (0.1, 0.1, 0.5) in the lower one, with a square
//! of (0, 4, 0) at columns 6 to 9 and rows 6 to 9.

#![allow(clippy::unwrap_used, reason = "a failed test should stop")]

use std::path::PathBuf;

use sunfleck_image::{DEFAULT_DECODE_LIMIT, Picture, decode_file, read_picture};
use sunfleck_math::Vec3;

fn case(name: &str) -> PathBuf {
    let scenes = std::env::var_os("SUNFLECK_SCENES").expect("SUNFLECK_SCENES names the folder of scenes");
    PathBuf::from(scenes).join("../cases").join(name)
}

/// Compares some pixels, with a relative tolerance.
fn compare(name: &str, picture: &Picture, factor: f32, tolerance: f32) {
    assert_eq!((picture.width(), picture.height()), (32, 16), "{name}");
    for (x, y, expected) in [
        (0, 0, Vec3::new(0.5, 0.1, 0.1)),
        (31, 7, Vec3::new(0.5, 0.1, 0.1)),
        (0, 8, Vec3::new(0.1, 0.1, 0.5)),
        (31, 15, Vec3::new(0.1, 0.1, 0.5)),
        (6, 6, Vec3::new(0.0, 4.0, 0.0)),
        (9, 9, Vec3::new(0.0, 4.0, 0.0)),
    ] {
        let found = picture.pixel(x, y) / factor;
        let error = (found - expected).abs().max_element() / expected.max_element();
        assert!(error < tolerance, "{name}: {found} instead of {expected} at ({x}, {y})");
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn hdr_variants() {
    for (name, factor) in [
        ("radiance", 1.0),
        ("rgbe", 1.0),
        ("flat", 1.0),
        ("oldrle", 1.0),
        ("noformat", 1.0),
        ("plusY", 1.0),
        ("xyze", 1.0),
        // EXPOSURE=2: the pixels are twice the radiance
        ("comment", 0.5),
    ] {
        let picture = read_picture(&case(&format!("hdr-variants/{name}.hdr"))).unwrap();
        compare(name, &picture, factor, 0.01);
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn hdr_sun() {
    // One texel of 49920, above all others, which are black
    let picture = read_picture(&case("hdr-sun/sun.hdr")).unwrap();
    assert_eq!((picture.width(), picture.height()), (256, 128));
    let bright: Vec<_> = picture.pixels().iter().enumerate().filter(|(_, p)| **p != Vec3::ZERO).collect();
    assert_eq!(bright, [(32 * 256, &Vec3::splat(49_920.0))]);
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn exr_variants() {
    for compression in ["no", "rle", "zip", "zips", "piz", "pxr24", "b44", "b44a", "dwaa", "dwab"] {
        for kind in ["half", "float"] {
            let name = format!("{compression}-{kind}");
            let picture = read_picture(&case(&format!("exr-variants/{name}.exr"))).unwrap();
            let is_lossy = compression.starts_with("b44") || compression.starts_with("dwa");
            compare(&name, &picture, 1.0, if is_lossy { 0.05 } else { 0.001 });
        }
    }
    for (name, layer) in [("layers", "beauty"), ("multipart", "beauty"), ("rgb-z", ""), ("tiled", "")] {
        let path = case(&format!("exr-variants/{name}.exr"));
        compare(name, &read_picture(&path).unwrap(), 1.0, 0.001);
        let notes = decode_file(&std::fs::read(&path).unwrap(), "exr", DEFAULT_DECODE_LIMIT).unwrap().notes;
        let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
        assert_eq!(
            notes.iter().any(|note| note.contains(layer) && note.ends_with("is shown")),
            !layer.is_empty()
        );
        assert_eq!(notes.iter().any(|note| note.contains("not used")), matches!(name, "multipart" | "rgb-z"));
    }
    let grey = read_picture(&case("exr-variants/y.exr")).unwrap();
    let pixel = grey.pixel(0, 0);
    assert!(pixel.x > 0.0 && pixel.x == pixel.y && pixel.y == pixel.z, "{pixel}");
}
