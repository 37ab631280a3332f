#![allow(clippy::cast_possible_truncation, reason = "the files are small")]

use std::io::Cursor;

use ::tiff::encoder::colortype::{CMYK8, Gray16, Gray32Float, RGB8, RGB32Float};
use ::tiff::encoder::{Compression, DeflateLevel, TiffEncoder};

use crate::read::{DEFAULT_DECODE_LIMIT, decode, decode_file};
use crate::{Decoded, ImageError};

/// Writes a file of one page by hand: tags with a short or long value each, a palette, and strips of pixels.
fn file(big_endian: bool, tags: &[(u16, u32)], palette: &[u16], strips: &[&[u8]]) -> Vec<u8> {
    let short = |v: u16| if big_endian { v.to_be_bytes() } else { v.to_le_bytes() };
    let long = |v: u32| if big_endian { v.to_be_bytes() } else { v.to_le_bytes() };
    let strip_bytes: Vec<u8> = strips.concat();
    let palette_at = 8 + strip_bytes.len();
    let counts_at = palette_at + 2 * palette.len();
    let offsets_at = counts_at + 4 * strips.len();
    let directory_at = offsets_at + 4 * strips.len();
    let mut bytes = if big_endian { b"MM\0*".to_vec() } else { b"II*\0".to_vec() };
    bytes.extend(long(directory_at as u32));
    bytes.extend(&strip_bytes);
    bytes.extend(palette.iter().flat_map(|&v| short(v)));
    bytes.extend(strips.iter().flat_map(|strip| long(strip.len() as u32)));
    let mut start = 8;
    for strip in strips {
        bytes.extend(long(start));
        start += strip.len() as u32;
    }
    // Tag, type (3 short, 4 long), count, value or offset
    let mut entries: Vec<(u16, u16, u32, u32)> =
        tags.iter().map(|&(tag, value)| (tag, 3, 1, value)).collect();
    let several = strips.len() > 1;
    entries.push((273, 4, strips.len() as u32, if several { offsets_at as u32 } else { 8 }));
    entries.push((
        279,
        4,
        strips.len() as u32,
        if several { counts_at as u32 } else { strips[0].len() as u32 },
    ));
    if !palette.is_empty() {
        entries.push((320, 3, palette.len() as u32, palette_at as u32));
    }
    entries.sort_unstable();
    bytes.extend(short(entries.len() as u16));
    for (tag, kind, count, value) in entries {
        bytes.extend(short(tag));
        bytes.extend(short(kind));
        bytes.extend(long(count));
        if kind == 3 && count == 1 {
            bytes.extend(short(value as u16));
            bytes.extend([0; 2]);
        } else {
            bytes.extend(long(value));
        }
    }
    bytes.extend([0; 4]);
    bytes
}

fn bytes(file: &[u8]) -> Vec<[u8; 4]> {
    match decode(file, "").unwrap() {
        Decoded::Rgba8 { texels, .. } => texels,
        other => panic!("{other:?}"),
    }
}

const WIDTH: u16 = 256;
const HEIGHT: u16 = 257;
const BITS: u16 = 258;
const COMPRESSION: u16 = 259;
const PHOTOMETRIC: u16 = 262;
const SAMPLES: u16 = 277;
const ROWS_PER_STRIP: u16 = 278;
const PLANES: u16 = 284;

#[test]
fn palettes_of_all_depths_in_both_byte_orders() {
    let tags =
        |bits| [(WIDTH, 3), (HEIGHT, 2), (BITS, bits), (COMPRESSION, 1), (PHOTOMETRIC, 3), (SAMPLES, 1)];
    // Colour i is (257 i, 257 · 2 i, 65535)
    let palette = |count: u16| -> Vec<u16> {
        let channel = |factor: u16| (0..count).map(move |i| 257 * factor * i);
        channel(1).chain(channel(2)).chain((0..count).map(|_| 65535)).collect()
    };
    let expected = [1, 0, 1, 0, 1, 1].map(|i| [i, 2 * i, 255, 255]);
    for big_endian in [false, true] {
        for (bits, pixels) in
            [(1, &[0b1010_0000, 0b0110_0000][..]), (4, &[0x10, 0x10, 0x01, 0x10]), (8, &[1, 0, 1, 0, 1, 1])]
        {
            let file = file(big_endian, &tags(bits), &palette(1 << bits.min(6)), &[pixels]);
            assert_eq!(bytes(&file), expected, "{bits} bits, big-endian: {big_endian}");
        }
    }
    let short = file(false, &tags(8), &palette(1), &[&[1, 0, 1, 0, 1, 1]]);
    assert!(decode(&short, "").unwrap_err().to_string().contains("palette"));
}

#[test]
fn few_bits_planes_and_inverted_grey() {
    let tags = |photometric, samples, bits| {
        [
            (WIDTH, 2),
            (HEIGHT, 1),
            (BITS, bits),
            (COMPRESSION, 1),
            (PHOTOMETRIC, photometric),
            (SAMPLES, samples),
            (ROWS_PER_STRIP, 1),
        ]
    };
    assert_eq!(bytes(&file(false, &tags(1, 1, 4), &[], &[&[0x0f]])), [[0, 0, 0, 255], [255; 4]]);
    assert_eq!(bytes(&file(false, &tags(1, 1, 2), &[], &[&[0b0110_0000]]))[0], [85, 85, 85, 255]);
    assert_eq!(bytes(&file(false, &tags(0, 1, 8), &[], &[&[0, 255]])), [[255; 4], [0, 0, 0, 255]]);
    assert_eq!(
        bytes(&file(false, &tags(1, 2, 8), &[], &[&[9, 100, 8, 200]])),
        [[9, 9, 9, 100], [8, 8, 8, 200]]
    );
}

#[test]
fn planes_are_interleaved() {
    let tags = [
        (WIDTH, 2),
        (HEIGHT, 1),
        (BITS, 8),
        (COMPRESSION, 1),
        (PHOTOMETRIC, 2),
        (SAMPLES, 3),
        (ROWS_PER_STRIP, 1),
        (PLANES, 2),
    ];
    let file = file(false, &tags, &[], &[&[1, 2], &[3, 4], &[5, 6]]);
    assert_eq!(bytes(&file), [[1, 3, 5, 255], [2, 4, 6, 255]]);
}

#[test]
fn floating_point_and_16_bit_samples() {
    type Encoder<'a> = TiffEncoder<&'a mut Cursor<Vec<u8>>>;
    let encode = |write: &dyn Fn(&mut Encoder<'_>)| {
        let mut bytes = Cursor::new(Vec::new());
        write(&mut TiffEncoder::new(&mut bytes).unwrap());
        bytes.into_inner()
    };
    let grey = encode(&|encoder| encoder.write_image::<Gray32Float>(2, 1, &[0.5, 1e6]).unwrap());
    let Decoded::Rgba32F { texels, .. } = decode(&grey, "").unwrap() else { panic!("floats stay floats") };
    assert_eq!(texels, [[0.5, 0.5, 0.5, 1.0], [1e6, 1e6, 1e6, 1.0]]);
    let colors = encode(&|encoder| encoder.write_image::<RGB32Float>(1, 1, &[0.5, 2.0, -3.0]).unwrap());
    let Decoded::Rgba32F { texels, .. } = decode(&colors, "").unwrap() else { panic!("floats stay floats") };
    assert_eq!(texels, [[0.5, 2.0, -3.0, 1.0]]);
    let fine = encode(&|encoder| encoder.write_image::<Gray16>(1, 1, &[0x1234]).unwrap());
    let Decoded::Rgba16 { texels, .. } = decode(&fine, "").unwrap() else { panic!("16 bits are kept") };
    assert_eq!(texels, [[0x1234, 0x1234, 0x1234, 0xffff]]);
    let inks = encode(&|encoder| encoder.write_image::<CMYK8>(1, 1, &[0, 255, 128, 51]).unwrap());
    assert_eq!(bytes(&inks), [[204, 0, 102, 255]], "without black ink: 255, 0, 127");
}

#[test]
fn compressions() {
    let pixels: Vec<u8> = (0..64 * 48 * 3).map(|i| u8::try_from(i / 100 % 256).unwrap()).collect();
    for compression in [
        Compression::Uncompressed,
        Compression::Lzw,
        Compression::Deflate(DeflateLevel::Balanced),
        Compression::Packbits,
    ] {
        let mut file = Cursor::new(Vec::new());
        let mut encoder = TiffEncoder::new(&mut file).unwrap().with_compression(compression);
        encoder.write_image::<RGB8>(64, 48, &pixels).unwrap();
        let texels = bytes(file.get_ref());
        assert!(texels.iter().zip(pixels.as_chunks::<3>().0).all(|(found, rgb)| found[..3] == *rgb));
    }
}

#[test]
fn further_pages_are_noted() {
    let mut file = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut file).unwrap();
    encoder.write_image::<RGB8>(1, 1, &[1, 2, 3]).unwrap();
    encoder.write_image::<RGB8>(1, 1, &[4, 5, 6]).unwrap();
    let decoded = decode_file(file.get_ref(), "", DEFAULT_DECODE_LIMIT).unwrap();
    assert_eq!(decoded.image, Decoded::Rgba8 { width: 1, height: 1, texels: vec![[1, 2, 3, 255]] });
    assert_eq!(decoded.notes[0].to_string(), "the first page of several is shown");
}

#[test]
fn impossible_sizes_are_refused() {
    let tags =
        [(WIDTH, 16_000), (HEIGHT, 16_000), (BITS, 8), (COMPRESSION, 5), (PHOTOMETRIC, 1), (SAMPLES, 1)];
    let bomb = decode(&file(false, &tags, &[], &[&[1, 2, 3]]), "").unwrap_err();
    assert!(matches!(bomb, ImageError::Implausible { format: "TIFF", .. }), "{bomb}");
}

#[test]
fn alpha_is_associated_or_not() {
    for (kind, is_premultiplied) in [(1, true), (2, false)] {
        let tags = [(256, 1), (257, 1), (258, 8), (259, 1), (262, 1), (277, 2), (338, kind)];
        let bytes = file(false, &tags, &[], &[&[60, 128]]);
        let found = decode_file(&bytes, "", DEFAULT_DECODE_LIMIT).unwrap();
        assert_eq!(found.is_premultiplied, is_premultiplied);
        let Decoded::Rgba8 { texels, .. } = &found.image else { panic!("bytes") };
        assert_eq!(texels[0], [60, 60, 60, 128]);
    }
}
