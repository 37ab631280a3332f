use std::io::Cursor;
use std::path::Path;

use ::image::{DynamicImage, ImageFormat, RgbImage, Rgba, RgbaImage};
use proptest::prelude::*;
use sunfleck_math::Vec3;

use super::*;
use crate::{ExrOptions, encode_exr, encode_hdr};

/// Encodes a small image with four different quarters by the `image` crate.
fn encoded(format: ImageFormat, alpha: bool) -> Vec<u8> {
    let rgba = RgbaImage::from_fn(16, 12, |x, y| {
        let side = |v: u32, half: u32| if v < half { 20u8 } else { 220 };
        Rgba([side(x, 8), side(y, 6), 90, if alpha { side(x, 8) } else { 255 }])
    });
    let image = DynamicImage::ImageRgba8(rgba);
    let image = if alpha { image } else { DynamicImage::ImageRgb8(image.into_rgb8()) };
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// The same image as DDS of 8 bits per channel.
fn dds() -> Vec<u8> {
    use ::dds::{ColorFormat, Encoder, Format, ImageView, Size, header::Header};
    let Decoded::Rgba8 { texels, .. } = decode(&encoded(ImageFormat::Png, true), "").unwrap() else {
        panic!()
    };
    let (mut bytes, format) = (Vec::new(), Format::R8G8B8A8_UNORM);
    let mut encoder = Encoder::new(&mut bytes, format, &Header::new_image(16, 12, format)).unwrap();
    let view = ImageView::new(texels.as_flattened(), Size::new(16, 12), ColorFormat::RGBA_U8).unwrap();
    encoder.write_surface(view).unwrap();
    encoder.finish().unwrap();
    bytes
}

fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let picture = Picture::from_fn(16, 12, |x, y| Vec3::new(x as f32, y as f32, 0.5)).unwrap();
    vec![
        ("png", encoded(ImageFormat::Png, true)),
        ("jpg", encoded(ImageFormat::Jpeg, false)),
        ("gif", encoded(ImageFormat::Gif, false)),
        ("bmp", encoded(ImageFormat::Bmp, false)),
        ("tga", encoded(ImageFormat::Tga, true)),
        ("webp", encoded(ImageFormat::WebP, true)),
        ("ppm", encoded(ImageFormat::Pnm, false)),
        ("hdr", encode_hdr(&picture)),
        ("exr", encode_exr(&picture, None, ExrOptions::default()).unwrap()),
        ("tif", encoded(ImageFormat::Tiff, true)),
        ("dds", dds()),
    ]
}

#[test]
fn every_format_is_read_from_the_top() {
    for (extension, bytes) in samples() {
        let decoded = decode(&bytes, extension).unwrap();
        assert_eq!(decoded.size(), (16, 12), "{extension}");
        match decoded {
            Decoded::Rgba8 { texels, .. } => {
                for (index, want) in
                    [(0, [20, 20, 90]), (15, [220, 20, 90]), (176, [20, 220, 90]), (191, [220, 220, 90])]
                {
                    for (found, want) in texels[index].into_iter().zip(want) {
                        assert!(
                            (i32::from(found) - want).abs() <= 6,
                            "{extension} at {index}: {:?}",
                            texels[index]
                        );
                    }
                }
            }
            Decoded::Rgba32F { texels, .. } => {
                assert_eq!(texels[16 * 11 + 3], [3.0, 11.0, 0.5, 1.0], "{extension}");
            }
            Decoded::Rgba16 { .. } => panic!("{extension} is not a 16-bit file"),
        }
    }
}

#[test]
fn the_content_takes_precedence_over_the_hint() {
    let png = encoded(ImageFormat::Png, true);
    for hint in ["", "jpg", "image/jpeg", "nonsense"] {
        assert!(decode(&png, hint).is_ok(), "{hint}");
    }
    let tga = encoded(ImageFormat::Tga, true);
    assert!(matches!(decode(&tga, ""), Err(ImageError::UnknownFormat)));
    assert!(decode(&tga, ".TGA").is_ok() && decode(&tga, "image/x-tga").is_ok());
}

#[test]
fn sixteen_bits_are_kept_or_rounded() {
    let image =
        ::image::ImageBuffer::<::image::Luma<u16>, _>::from_vec(3, 1, vec![0u16, 0x8000, 0xffff]).unwrap();
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::ImageLuma16(image).write_to(&mut bytes, ImageFormat::Png).unwrap();
    let decoded = decode(bytes.get_ref(), "").unwrap();
    let Decoded::Rgba16 { texels, .. } = &decoded else { panic!("{decoded:?}") };
    assert_eq!(texels[1], [0x8000, 0x8000, 0x8000, 0xffff]);
    let Decoded::Rgba8 { texels, .. } = decoded.clone().without_16_bit() else {
        panic!("converted to 8 bits")
    };
    assert_eq!(texels, [[0, 0, 0, 255], [128, 128, 128, 255], [255; 4]]);
    assert!((decoded.to_picture().pixel(1, 0).x - 0.2140).abs() < 1e-3, "sRGB 0.5 is 0.214 linear");
}

#[test]
fn luminance_exr_is_grey() {
    use ::exr::prelude::{Image, SpecificChannels, Vec2 as Size, WritableImage};
    let channels =
        SpecificChannels::build().with_channel("Y").with_pixel_fn(|Size(x, y)| ((x + 10 * y) as f32,));
    let mut bytes = Cursor::new(Vec::new());
    Image::from_channels((4, 3), channels).write().to_buffered(&mut bytes).unwrap();
    assert_eq!(decode(bytes.get_ref(), "").unwrap().to_picture().pixel(2, 1), Vec3::splat(12.0));
}

#[test]
fn decompression_bombs_are_rejected_before_allocation() {
    for (extension, bytes) in samples() {
        let error = decode_within(&bytes, extension, 16 * 12 * 4 - 1).unwrap_err();
        assert!(
            matches!(error, ImageError::TooLarge { .. } | ImageError::Malformed { .. }),
            "{extension}: {error}"
        );
        assert!(decode_within(&bytes, extension, 16 * 12 * 16).is_ok(), "{extension}");
    }
    // A few bytes that declare an image of 60000 × 60000 pixels
    let bomb = b"P6 60000 60000 255\n\0\0\0";
    assert!(matches!(decode(bomb, ""), Err(ImageError::TooLarge { width: 60000, .. })));
    let hdr = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 60000 +X 60000\n\x02\x02";
    assert!(matches!(decode(hdr, ""), Err(ImageError::TooLarge { height: 60000, .. })));
}

#[test]
fn malformed_files_give_errors_with_the_path() {
    assert!(matches!(decode(b"", ""), Err(ImageError::UnknownFormat)));
    assert!(matches!(decode(b"hello", "png"), Err(ImageError::Malformed { format: "PNG", .. })));
    assert!(matches!(read_picture(Path::new("/no/such.png")), Err(ImageError::Read { .. })));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.exr");
    std::fs::write(&path, &samples()[8].1[..40]).unwrap();
    let error = read_picture(&path).unwrap_err().to_string();
    assert!(error.contains("broken.exr") && error.contains("EXR"), "{error}");
}

#[test]
fn truncated_png_files_are_shown_as_far_as_they_go() {
    // Noise, so that rows do not all come from the last bytes
    let noise = RgbaImage::from_fn(64, 64, |x, y| {
        let value = (x * 7919 + y * 104_729).wrapping_mul(2_654_435_761) >> 24;
        Rgba([value as u8, 128, 255, 255])
    });
    for image in
        [DynamicImage::ImageRgba8(noise.clone()), DynamicImage::ImageRgba8(noise).into_rgb16().into()]
    {
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, ImageFormat::Png).unwrap();
        let whole = decode(bytes.get_ref(), "").unwrap().to_picture();
        let half = &bytes.get_ref()[..bytes.get_ref().len() / 2];
        let found = decode_file(half, "png", DEFAULT_DECODE_LIMIT).unwrap();
        assert!(found.notes[0].to_string().contains("of 64 rows are missing"), "{:?}", found.notes);
        let found = found.image.to_picture();
        assert_eq!((found.pixel(5, 3), found.pixel(5, 63)), (whole.pixel(5, 3), Vec3::ZERO));
    }
}

#[test]
fn truncated_jpeg_files_are_noted_even_with_a_thumbnail() {
    let jpeg = encoded(ImageFormat::Jpeg, false);
    // An Exif segment whose thumbnail is a whole JPEG file, after the start-of-image marker
    let length = u16::try_from(jpeg.len() + 8).unwrap().to_be_bytes();
    let exif = [&[0xff, 0xe1][..], &length, b"Exif\0\0", &jpeg].concat();
    let whole = [&jpeg[..2], &exif, &jpeg[2..]].concat();
    for (file, cut, is_whole) in
        [(&jpeg, 0, true), (&whole, 0, true), (&jpeg, 30, false), (&whole, 30, false)]
    {
        let file = &file[..file.len() - cut];
        let found = decode_file(file, "", DEFAULT_DECODE_LIMIT).unwrap();
        assert_eq!(found.notes.is_empty(), is_whole, "{:?}", found.notes);
    }
}

#[test]
fn pictures_with_missing_pixels_are_refused_or_noted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("half.jpg");
    let jpeg = encoded(ImageFormat::Jpeg, false);
    std::fs::write(&path, &jpeg[..jpeg.len() - 30]).unwrap();
    let error = read_picture(&path).unwrap_err().to_string();
    assert!(error.contains("half.jpg: the file ends early"), "{error}");
    let (picture, notes) = read_picture_with_notes(&path).unwrap();
    assert_eq!((picture.width(), notes.len()), (16, 1));
}

#[test]
fn colours_that_are_multiplied_by_alpha_are_divided_by_it() {
    let file = |image| DecodedFile { image, notes: Vec::new(), is_premultiplied: true };
    let bytes = vec![[64, 128, 200, 128], [7, 7, 7, 0], [9, 8, 7, 255]];
    let straight = file(Decoded::Rgba8 { width: 3, height: 1, texels: bytes }).straight();
    let expected = vec![[128, 255, 255, 128], [7, 7, 7, 0], [9, 8, 7, 255]];
    assert_eq!(straight, Decoded::Rgba8 { width: 3, height: 1, texels: expected });
    let words = Decoded::Rgba16 { width: 1, height: 1, texels: vec![[100, 0, 65_535, 32_768]] };
    let expected = Decoded::Rgba16 { width: 1, height: 1, texels: vec![[200, 0, 65_535, 32_768]] };
    assert_eq!(file(words).straight(), expected);
    // Half-covered pixels of an EXR file are as bright as those of a PNG file, and as textures have no dark edges
    let (radiance, alpha) = (Picture::from_fn(2, 1, |_, _| Vec3::splat(0.25)).unwrap(), [0.5, 0.0]);
    let image = crate::OutputImage { alpha: Some(&alpha), ..crate::OutputImage::new(&radiance) };
    let options = crate::DisplayOptions::default();
    let exr = crate::encode(&image, crate::AovSet::EMPTY, crate::PictureFormat::Exr, &options).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.exr");
    std::fs::write(&path, exr).unwrap();
    let picture = read_picture(&path).unwrap();
    assert_eq!([picture.pixel(0, 0), picture.pixel(1, 0)], [Vec3::splat(0.5), Vec3::splat(0.25)]);
}

#[test]
fn further_frames_are_noted() {
    let mut bytes = Vec::new();
    let mut encoder = ::image::codecs::gif::GifEncoder::new(&mut bytes);
    for grey in [10, 200] {
        encoder
            .encode_frame(::image::Frame::new(RgbaImage::from_pixel(2, 2, Rgba([grey, grey, grey, 255]))))
            .unwrap();
    }
    drop(encoder);
    let found = decode_file(&bytes, "", DEFAULT_DECODE_LIMIT).unwrap();
    assert_eq!(found.notes[0].to_string(), "the first frame of the animation is shown");
    let one = decode_file(&encoded(ImageFormat::Gif, false), "", DEFAULT_DECODE_LIMIT).unwrap();
    assert!(one.notes.is_empty(), "{:?}", one.notes);
}

#[test]
fn eight_bit_images_are_decoded_as_srgb() {
    let image = RgbImage::from_raw(1, 1, vec![255, 128, 0]).unwrap();
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::ImageRgb8(image).write_to(&mut bytes, ImageFormat::Png).unwrap();
    let pixel = decode(bytes.get_ref(), "").unwrap().to_picture().pixel(0, 0);
    assert!((pixel - Vec3::new(1.0, 0.215_861, 0.0)).abs().max_element() < 1e-5, "{pixel}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Truncated or corrupted files are decoded or rejected, without a panic and within the memory limit.
    #[test]
    fn corrupted_files_never_panic(
        which in 0usize..11,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        cuts: bool,
    ) {
        let (extension, mut bytes) = samples().swap_remove(which);
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if cuts {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(decoded) = decode_within(&bytes, extension, 1 << 24) {
            let (width, height) = decoded.size();
            prop_assert!(width > 0 && height > 0);
            let picture = decoded.to_picture();
            prop_assert_eq!((picture.width(), picture.height()), (width, height));
        }
    }
}
