use sunfleck_math::Vec3;

use crate::read::{DEFAULT_DECODE_LIMIT, decode, decode_file};
use crate::{Decoded, ImageError};

/// Returns a picture of these lines of the header, the line with the size, and the bytes of the pixels.
fn picture(lines: &str, size: &str, pixels: &[u8]) -> Vec<u8> {
    [b"#?RADIANCE\n", lines.as_bytes(), b"\n", size.as_bytes(), b"\n", pixels].concat()
}

fn pixels(bytes: &[u8]) -> Vec<[f32; 3]> {
    match decode(bytes, "").unwrap() {
        Decoded::Rgba32F { texels, .. } => texels.iter().map(|&[r, g, b, _]| [r, g, b]).collect(),
        other => panic!("{other:?}"),
    }
}

fn notes(bytes: &[u8]) -> Vec<String> {
    decode_file(bytes, "", DEFAULT_DECODE_LIMIT).unwrap().notes.iter().map(ToString::to_string).collect()
}

/// (0.5, 0.25, 0.125): 128 · 2^(128 − 136), …
const COLOR: [u8; 4] = [128, 64, 32, 128];

#[test]
fn all_eight_orientations() {
    // The image has the rows abc and def; each letter is a pixel whose red is its number
    let flat =
        |letters: &str| -> Vec<u8> { letters.bytes().flat_map(|letter| [letter, 0, 0, 136]).collect() };
    for (size, letters) in [
        ("-Y 2 +X 3", "abcdef"),
        ("-Y 2 -X 3", "cbafed"),
        ("+Y 2 +X 3", "defabc"),
        ("+Y 2 -X 3", "fedcba"),
        ("+X 3 -Y 2", "adbecf"),
        ("+X 3 +Y 2", "daebfc"),
        ("-X 3 -Y 2", "cfbead"),
        ("-X 3 +Y 2", "fcebda"),
    ] {
        let file = picture("FORMAT=32-bit_rle_rgbe\n", size, &flat(letters));
        assert_eq!(decode(&file, "").unwrap().size(), (3, 2), "{size}");
        let found: Vec<f32> = pixels(&file).iter().map(|p| p[0]).collect();
        assert_eq!(found, b"abcdef".map(f32::from), "{size}");
    }
}

#[test]
fn headers_of_all_dialects() {
    let plain = [0.5, 0.25, 0.125];
    for (lines, expected) in [
        ("", plain),
        ("# made by hand\nGAMMA=1\nVIEW= -vtv\nPRIMARIES=0 0 0 0 0 0 0 0\n", plain),
        // Pixels were multiplied by the exposures; dividing gives radiance
        ("EXPOSURE=2\nEXPOSURE= 0.5e1\n", [0.05, 0.025, 0.0125]),
        ("COLORCORR=1 0.5 0.25\n", [0.5, 0.5, 0.5]),
        ("EXPOSURE=0\nEXPOSURE=nan\nEXPOSURE=\n", plain),
        ("\tEXPOSURE=7\n", plain),
        ("PRIMARIES=0.64 0.33 0.3 0.6 0.15 0.06 0.3127 0.329\n", plain),
    ] {
        let file = picture(lines, "-Y 1 +X 1", &COLOR);
        assert_eq!(pixels(&file), [expected], "{lines}");
    }
    let windows = b"#?RGBE\r\nFORMAT=32-bit_rle_rgbe\r\n\r\n-Y 1 +X 1\r\n\x80\x40\x20\x80";
    assert_eq!(pixels(windows), [plain], "line ends of two bytes");
    let unknown = picture("FORMAT=16-bit_log\n", "-Y 1 +X 1", &COLOR);
    assert!(decode(&unknown, "").unwrap_err().to_string().contains("16-bit_log"));
    let noted = notes(&picture("EXPOSURE=2\nPRIMARIES=0 0 0 0 0 0 0 0\n", "-Y 1 +X 1", &COLOR));
    assert_eq!(noted.len(), 2, "{noted:?}");
    assert!(noted[0].contains("divided by the exposure in the header: 2"), "{noted:?}");
}

#[test]
fn colours_are_converted_to_rec_709() {
    // XYZ of Rec. 709's green is (0.3576, 0.7152, 0.1192)
    let xyz = picture("FORMAT=32-bit_rle_xyze\n", "-Y 1 +X 1", &[92, 183, 31, 128]);
    let found = Vec3::from(pixels(&xyz)[0]);
    assert!((found - Vec3::Y).abs().max_element() < 0.01, "{found}");
    // Primaries of BT.2020: its red is (1.6605, −0.1246, −0.0182) in Rec. 709, of BT.2087
    let lines = "PRIMARIES=0.708 0.292 0.17 0.797 0.131 0.046 0.3127 0.329\n";
    let found = Vec3::from(pixels(&picture(lines, "-Y 1 +X 1", &[128, 0, 0, 129]))[0]);
    assert!((found - Vec3::new(1.6605, -0.1246, -0.0182)).abs().max_element() < 1e-3, "{found}");
}

#[test]
fn old_run_length_encoding() {
    // One pixel, repeated 43 + 1 · 256 times by two codes, and another one
    let codes = [COLOR, [1, 1, 1, 43], [1, 1, 1, 1], [255, 0, 0, 136]].concat();
    let found = pixels(&picture("", "-Y 1 +X 301", &codes));
    assert!(found[..300].iter().all(|&p| p == [0.5, 0.25, 0.125]));
    assert_eq!(found[300], [255.0, 0.0, 0.0]);
    let too_long = [COLOR, [1, 1, 1, 44], [1, 1, 1, 1], COLOR].concat();
    let error = decode(&picture("", "-Y 1 +X 300", &too_long), "").unwrap_err().to_string();
    assert!(error.contains("longer than its scanline"), "{error}");
}

#[test]
fn new_run_length_encoding() {
    let scanline = [
        &[2, 2, 0, 9][..],
        // Runs and literal bytes of each component
        &[128 + 8, 128, 1, 64],
        &[128 + 9, 64],
        &[9, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        &[128 + 9, 128],
    ]
    .concat();
    let found = pixels(&picture("", "-Y 1 +X 9", &scanline));
    assert_eq!(found[7], [0.5, 0.25, 8.0 / 256.0]);
    assert_eq!(found[8], [0.25, 0.25, 9.0 / 256.0]);
    let zero = [&[2, 2, 0, 9][..], &[0, 0, 0]].concat();
    assert!(decode(&picture("", "-Y 1 +X 9", &zero), "").is_err(), "empty runs would never end");
}

#[test]
fn a_file_that_ends_early_is_shown_as_far_as_it_goes() {
    let file = picture("", "-Y 3 +X 1", &[COLOR, COLOR].concat());
    assert_eq!(pixels(&file), [[0.5, 0.25, 0.125], [0.5, 0.25, 0.125], [0.0; 3]]);
    assert_eq!(notes(&file), ["1 of 3 scanlines are black: the file ends early"]);
    assert!(decode(&picture("", "-Y 3 +X 1", &[1, 2]), "").is_err(), "nothing to show");
}

#[test]
fn sizes_are_checked() {
    for size in ["-Y 0 +X 3", "-Y 99999999999 +X 1", "-Y x +X 1", "Y 1 X 1", "-Y 1 -Y 1", ""] {
        assert!(decode(&picture("", size, &COLOR), "").is_err(), "{size}");
    }
    let bomb = decode(&picture("", "-Y 8000 +X 8000", &COLOR), "").unwrap_err();
    assert!(matches!(bomb, ImageError::Implausible { format: "HDR", .. }), "{bomb}");
}

#[test]
fn smallest_and_largest_exponents() {
    let file = picture("", "-Y 1 +X 3", &[[1, 2, 255, 1], [255, 1, 0, 255], [9, 9, 9, 0]].concat());
    let power = |n: i32| 2f64.powi(n);
    let found = pixels(&file);
    assert_eq!(found[0].map(f64::from), [power(-135), 2.0 * power(-135), 255.0 * power(-135)]);
    assert_eq!(found[1].map(f64::from), [255.0 * power(119), power(119), 0.0]);
    assert_eq!(found[2], [0.0; 3]);
}
