use ::dds::header::Header;
use ::dds::{ColorFormat, CubeMapFaces, Encoder, Format, ImageView, Size};

use crate::read::{DEFAULT_DECODE_LIMIT, decode, decode_file};
use crate::{CubeLayout, Decoded, ImageError};

/// Writes surfaces of one colour each, all of `edge` × `edge` texels.
fn file(header: Header, format: Format, edge: u32, colors: &[[u8; 4]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, format, &header).unwrap();
    for color in colors {
        let texels = color.repeat((edge * edge) as usize);
        let view = ImageView::new(&texels, Size::new(edge, edge), ColorFormat::RGBA_U8).unwrap();
        encoder.write_surface(view).unwrap();
    }
    encoder.finish().unwrap();
    bytes
}

/// Two blocks of BC1: colour 0 is 0xf800 (red), colour 1 is 0x07e0 (green); codes 0 to 3 in the first row, then code 0.
const BLOCK: [u8; 8] = [0x00, 0xf8, 0xe0, 0x07, 0b1110_0100, 0, 0, 0];

#[test]
fn blocks_are_decoded() {
    let mut bytes = file(Header::new_image(4, 4, Format::BC1_UNORM), Format::BC1_UNORM, 4, &[[0; 4]]);
    let start = bytes.len() - 8;
    bytes[start..].copy_from_slice(&BLOCK);
    let Decoded::Rgba8 { width: 4, height: 4, texels } = decode(&bytes, "").unwrap() else { panic!() };
    // Codes 2 and 3 are a third and two thirds of the way
    for (texel, expected) in
        texels.iter().zip([[255, 0, 0, 255], [0, 255, 0, 255], [170, 85, 0, 255], [85, 170, 0, 255]])
    {
        for (found, expected) in texel.iter().zip(expected) {
            assert!(found.abs_diff(expected) <= 1, "{texel:?}");
        }
    }
    assert!(texels[4..].iter().all(|&texel| texel == [255, 0, 0, 255]));
}

#[test]
fn common_formats_keep_their_colours() {
    let color = [200, 40, 120, 255];
    for format in [
        Format::R8G8B8A8_UNORM,
        Format::B8G8R8A8_UNORM,
        Format::B8G8R8_UNORM,
        Format::BC1_UNORM,
        Format::BC2_UNORM,
        Format::BC3_UNORM,
        Format::BC7_UNORM,
    ] {
        let bytes = file(Header::new_image(8, 8, format), format, 8, &[color]);
        let Decoded::Rgba8 { texels, .. } = decode(&bytes, "").unwrap() else { panic!("{format:?}") };
        let near = |texel: &[u8; 4]| texel.iter().zip(color).all(|(found, want)| found.abs_diff(want) <= 6);
        assert!(texels.iter().all(near), "{format:?}: {:?}", texels[0]);
    }
    let format = Format::R16G16B16A16_FLOAT;
    let bytes = file(Header::new_image(2, 2, format), format, 2, &[[255, 0, 255, 255]]);
    let Decoded::Rgba32F { texels, .. } = decode(&bytes, "").unwrap() else { panic!("halves are floats") };
    assert_eq!(texels, [[1.0, 0.0, 1.0, 1.0]; 4]);
}

#[test]
fn normal_maps_of_two_channels_are_completed() {
    let format = Format::BC5_UNORM;
    // x = 0.6, y = 0: z is 0.8
    let bytes = file(Header::new_image(4, 4, format), format, 4, &[[204, 128, 0, 255]]);
    let Decoded::Rgba8 { texels, .. } = decode(&bytes, "").unwrap() else { panic!() };
    let [x, y, z, _] = texels[0];
    assert!(x.abs_diff(204) <= 1 && y.abs_diff(128) <= 1 && z.abs_diff(229) <= 1, "{:?}", texels[0]);
}

#[test]
fn cube_maps_are_crosses() {
    let format = Format::R8G8B8A8_UNORM;
    let colors: Vec<[u8; 4]> = (1..=6).map(|i| [40 * i, 0, 0, 255]).collect();
    let bytes = file(Header::new_cube_map(2, 2, format), format, 2, &colors);
    let image = decode(&bytes, "").unwrap();
    let Decoded::Rgba8 { width: 8, height: 6, texels } = &image else { panic!("{:?}", image.size()) };
    // +x right of the middle, −x left, +y above, −y below, +z (−z here) in the middle, −z on the right
    let face = |column: usize, row: usize| texels[2 * row * 8 + 2 * column][0] / 40;
    assert_eq!([face(2, 1), face(0, 1), face(1, 0), face(1, 2), face(1, 1), face(3, 1)], [1, 2, 3, 4, 5, 6]);
    assert_eq!(CubeLayout::of(&image.to_picture()), Some(CubeLayout::HorizontalCross));
}

#[test]
fn a_cube_map_with_some_of_its_faces_is_whole() {
    let format = Format::R8G8B8A8_UNORM;
    let colors: Vec<[u8; 4]> = (1..=2).map(|i| [100 * i, 0, 0, 255]).collect();
    let faces = CubeMapFaces::POSITIVE_X | CubeMapFaces::POSITIVE_Y;
    let header = Header::new_image(2, 2, format).to_dx9().unwrap().with_cube_map_faces(faces);
    let bytes = file(Header::Dx9(header), format, 2, &colors);
    let decoded = decode_file(&bytes, "", DEFAULT_DECODE_LIMIT).unwrap();
    assert!(decoded.notes.is_empty(), "{:?}", decoded.notes);
    let Decoded::Rgba8 { width: 8, height: 6, texels } = &decoded.image else { panic!() };
    let face = |column: usize, row: usize| texels[2 * row * 8 + 2 * column][0];
    assert_eq!([face(2, 1), face(1, 0), face(1, 1)], [100, 200, 0]);
    let decoded = decode_file(&bytes[..bytes.len() - 4], "", DEFAULT_DECODE_LIMIT).unwrap();
    assert!(decoded.notes[0].to_string().contains("ends early"), "{:?}", decoded.notes);
}

#[test]
fn mip_levels_are_noted_and_missing_pixels_black() {
    let format = Format::R8G8B8A8_UNORM;
    let mut bytes = Vec::new();
    let header = Header::new_image(2, 2, format).with_mipmaps();
    let mut encoder = Encoder::new(&mut bytes, format, &header).unwrap();
    for edge in [2u32, 1] {
        let texels = vec![255; (4 * edge * edge) as usize];
        let view = ImageView::new(&texels, Size::new(edge, edge), ColorFormat::RGBA_U8).unwrap();
        encoder.write_surface(view).unwrap();
    }
    encoder.finish().unwrap();
    let decoded = decode_file(&bytes, "", DEFAULT_DECODE_LIMIT).unwrap();
    assert!(decoded.notes[0].to_string().starts_with("the mip levels"), "{:?}", decoded.notes);
    bytes.truncate(bytes.len() - 8);
    let decoded = decode_file(&bytes, "", DEFAULT_DECODE_LIMIT).unwrap();
    let Decoded::Rgba8 { texels, .. } = &decoded.image else { panic!() };
    assert_eq!((texels[2], texels[3]), ([255; 4], [0; 4]));
    assert!(decoded.notes[1].to_string().contains("ends early"), "{:?}", decoded.notes);
}

/// Missing mip levels, which are not used, are not missing pixels.
#[test]
fn a_cube_map_that_lacks_its_last_mip_level_is_whole() {
    let format = Format::R8G8B8A8_UNORM;
    let mut bytes = Vec::new();
    let header = Header::new_cube_map(2, 2, format).with_mipmaps();
    let mut encoder = Encoder::new(&mut bytes, format, &header).unwrap();
    for face in 1..=6u8 {
        for edge in [2u32, 1] {
            let texels = vec![40 * face; (4 * edge * edge) as usize];
            let view = ImageView::new(&texels, Size::new(edge, edge), ColorFormat::RGBA_U8).unwrap();
            encoder.write_surface(view).unwrap();
        }
    }
    encoder.finish().unwrap();
    let whole = decode(&bytes, "").unwrap();
    bytes.truncate(bytes.len() - 4);
    let decoded = decode_file(&bytes, "", DEFAULT_DECODE_LIMIT).unwrap();
    assert_eq!(decoded.image, whole);
    assert!(decoded.notes.iter().all(|note| !note.to_string().contains("ends early")), "{:?}", decoded.notes);
}

#[test]
fn impossible_sizes_are_refused() {
    let format = Format::R8G8B8A8_UNORM;
    let mut bytes = file(Header::new_image(2, 2, format), format, 2, &[[1; 4]]);
    // Height and width are at 12 and 16
    bytes[12..20].copy_from_slice(&[0, 0x20, 0, 0, 0, 0x20, 0, 0]);
    let bomb = decode(&bytes, "").unwrap_err();
    assert!(matches!(bomb, ImageError::Implausible { format: "DDS", .. }), "{bomb}");
}
