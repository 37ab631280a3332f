use std::fs;
use std::io::Cursor;

use sunfleck_math::Vec3;

use super::*;
use crate::{
    Aov, AovSample, AovSet, Decoded, Features, PixelSample, TileRect, ToneCurve, decode, read_picture,
};

/// Returns an image with radiance over twelve orders of magnitude, black rows, and constant rows for run lengths.
fn wide_range(width: u32, height: u32) -> Picture {
    Picture::from_fn(width, height, |x, y| match y % 3 {
        0 => Vec3::ZERO,
        1 => Vec3::new(0.25, 0.5, 1.0),
        _ => Vec3::new(1e-6, 1.0, 0.3) * 10f32.powi((x % 12).cast_signed() - 5),
    })
    .unwrap()
}

fn film_with_all_aovs() -> Film {
    let mut film = Film::new(5, 3, AovSet::ALL);
    let mut tile = film.tile(TileRect { x0: 0, y0: 0, x1: 5, y1: 3 });
    for (x, y) in tile.rect().pixels() {
        for s in 0u16..3 {
            let aov = AovSample {
                depth: if x == 0 { f32::INFINITY } else { x as f32 },
                coverage: if x == 0 { 0.0 } else { 1.0 },
                position: Vec3::new(x as f32, y as f32, 0.5),
                ng: Vec3::Z,
                ns: Vec3::Y,
                albedo: Vec3::splat(0.5),
                ids: [x, y, 7, u32::MAX],
                occlusion: 0.25,
                reflections: x,
                features: Features { albedo: Vec3::X, normal: Vec3::Y, inverse_distance: 0.125 },
                diffuse: Vec3::splat(0.25),
                clamped: Vec3::splat(0.125),
            };
            tile.add(
                x,
                y,
                &PixelSample { radiance: Vec3::splat(f32::from(s) * 100_000.0), weight: 1.0, aov },
            );
        }
    }
    film.put(tile).unwrap();
    film
}

#[test]
fn png_texels_round_trip() {
    let opaque: Vec<[u8; 4]> = (0..6).map(|n| [n, 40 * n, 255 - n, 255]).collect();
    let transparent: Vec<[u8; 4]> = opaque.iter().map(|&[r, g, b, _]| [r, g, b, r]).collect();
    for texels in [opaque, transparent] {
        let png = encode_png_texels(3, 2, &texels).unwrap();
        assert_eq!(decode(&png, "").unwrap(), Decoded::Rgba8 { width: 3, height: 2, texels });
    }
    assert!(encode_png_texels(3, 3, &[[0; 4]; 6]).is_err(), "too few texels");
}

#[test]
fn png_contains_the_bytes_of_the_tone_curve() {
    let picture = Picture::from_fn(256, 2, |x, _| Vec3::splat(x as f32 / 255.0)).unwrap();
    let options =
        DisplayOptions { tone_curve: ToneCurve::Linear, dither: false, ..DisplayOptions::default() };
    let bytes = encode_png(&picture, &options).unwrap();
    assert!(bytes.windows(4).any(|w| w == b"sRGB"), "the file declares the colour space");
    let Decoded::Rgba8 { width: 256, height: 2, texels } = decode(&bytes, "").unwrap() else {
        panic!("an 8-bit image was written");
    };
    // The byte of linear 0.5 is 188 and that of 55/255 = 0.2157 is 128
    assert_eq!(texels[128], [188, 188, 188, 255]);
    assert_eq!(texels[55], [128, 128, 128, 255]);
    assert_eq!((texels[0], texels[255]), ([0, 0, 0, 255], [255; 4]));
    let brighter = DisplayOptions { exposure_stops: 1.0, ..options };
    let Ok(Decoded::Rgba8 { texels, .. }) = decode(&encode_png(&picture, &brighter).unwrap(), "") else {
        panic!("an 8-bit image was written");
    };
    assert_eq!(texels[64], [188, 188, 188, 255]);
}

#[test]
fn hdr_round_trips_within_its_precision() {
    for width in [1, 7, 8, 200, 700] {
        let picture = wide_range(width, 9);
        let back = decode(&encode_hdr(&picture), "").unwrap().to_picture();
        assert_eq!((back.width(), back.height()), (width, 9));
        for (a, b) in picture.pixels().iter().zip(back.pixels()) {
            assert!((*a - *b).abs().max_element() <= a.max_element() / 256.0, "{a} became {b}");
        }
    }
}

#[test]
fn exr_round_trips_exactly() {
    let picture = wide_range(33, 20);
    let bytes = encode_exr(&picture, None, ExrOptions::default()).unwrap();
    assert_eq!(decode(&bytes, "").unwrap().to_picture(), picture);
    assert_eq!(bytes, encode_exr(&picture, None, ExrOptions::default()).unwrap(), "the same file every time");

    let half = encode_exr(&picture, None, ExrOptions { half: true, ..ExrOptions::default() }).unwrap();
    let back = decode(&half, "").unwrap().to_picture();
    for (a, b) in picture.pixels().iter().zip(back.pixels()) {
        let a = a.min(Vec3::splat(65504.0));
        assert!((a - *b).abs().max_element() <= a.max_element() / 2048.0 + 1e-7, "{a} became {b}");
    }
    assert!(half.len() < bytes.len());
}

#[test]
fn exr_contains_every_aov_by_name() {
    use ::exr::prelude::{FlatSamples, ReadChannels, ReadLayers, read};

    let film = film_with_all_aovs();
    let bytes = encode_exr(&film.radiance(), Some(&film), ExrOptions { half: true, ..ExrOptions::default() })
        .unwrap();
    let image = read()
        .no_deep_data()
        .largest_resolution_level()
        .all_channels()
        .first_valid_layer()
        .all_attributes()
        .from_buffered(Cursor::new(bytes))
        .unwrap();
    let channels = &image.layer_data.channel_data.list;
    let samples = |name: &str| &channels.iter().find(|c| c.name.eq(name)).expect(name).sample_data;
    let floats = |name: &str| samples(name).values_as_f32().collect::<Vec<_>>();
    assert_eq!(floats("R")[0], 65504.0, "clamped to the largest half");
    assert_eq!(floats("depth.Z")[..3], [f32::INFINITY, 1.0, 2.0]);
    assert_eq!(floats("P.Y")[5..7], [0.0, 1.0]);
    assert_eq!((floats("Ng.Z")[1], floats("N.Y")[1], floats("N.X")[1]), (1.0, 1.0, 0.0));
    assert_eq!((floats("albedo.G")[0], floats("ao.Y")[0]), (0.5, 0.25));
    // Samples 0, 1, 2 × 10⁵: variance 10¹⁰, variance of the mean a third of that
    assert!((floats("variance.B")[4] / (1e10 / 3.0) - 1.0).abs() < 1e-6);
    let FlatSamples::U32(ids) = samples("inst_id") else { panic!("ids are integers") };
    assert_eq!(ids[..6], [0, 1, 2, 3, 4, 0]);
    let FlatSamples::U32(materials) = samples("material_id") else { panic!("ids are integers") };
    assert_eq!(materials[3], u32::MAX);
    let features = ["albedo.R", "albedo.G", "N.X", "N.Y", "inverse_distance.Y"]
        .map(|name| floats(&format!("features.{name}"))[0]);
    assert_eq!(features, [1.0, 0.0, 0.0, 1.0, 0.125]);
    assert_eq!(floats("diffuse.G")[0], 0.25);
    assert_eq!((floats("clamped.B")[0], floats("alpha.Y")[..2].to_vec()), (0.125, vec![0.0, 1.0]));
    assert_eq!(channels.len(), 3 + 1 + 9 + 3 + 1 + 4 + 3 + 1 + 7 + 3 + 1 + 3);

    let depth_only = ExrOptions { aovs: AovSet::EMPTY.with(Aov::Depth), ..ExrOptions::default() };
    let bytes = encode_exr(&film.radiance(), Some(&film), depth_only).unwrap();
    let image = ::exr::meta::MetaData::read_from_buffered(Cursor::new(bytes), false).unwrap();
    assert_eq!(image.headers[0].channels.list.len(), 4, "depth and radiance");
}

#[test]
fn a_film_of_another_size_is_rejected() {
    let film = film_with_all_aovs();
    assert!(matches!(
        encode_exr(&wide_range(9, 9), Some(&film), ExrOptions::default()),
        Err(ImageError::Encode { .. })
    ));
}

#[test]
fn the_extension_selects_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let picture = Picture::from_fn(9, 4, |x, y| Vec3::new(x as f32, y as f32, 3.0) / 10.0).unwrap();
    for (name, start) in
        [("a.png", &b"\x89PNG"[..]), ("b.EXR", &b"\x76\x2f\x31\x01"[..]), ("c.hdr", &b"#?RADIANCE"[..])]
    {
        let path = folder.path().join(name);
        save_picture(&picture, &path, &DisplayOptions::default()).unwrap();
        assert!(fs::read(&path).unwrap().starts_with(start), "{name}");
        assert_eq!(read_picture(&path).unwrap().width(), 9);
        let film = film_with_all_aovs();
        save(&film, &film.radiance(), AovSet::ALL, &path, &DisplayOptions::default()).unwrap();
        assert_eq!(read_picture(&path).unwrap().width(), 5);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "no temporary file is left");

    let error =
        save_picture(&picture, Path::new("picture.bmp"), &DisplayOptions::default()).unwrap_err().to_string();
    assert!(error.contains("picture.bmp") && error.contains(".exr"), "{error}");
}

#[test]
fn a_failed_write_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // A folder that is not empty cannot be replaced by a file, so that the last step fails
    let taken = folder.path().join("picture.png");
    fs::create_dir(&taken).unwrap();
    fs::write(taken.join("inside"), "old").unwrap();
    let error = write_atomically(&taken, b"new").unwrap_err();
    assert!(matches!(&error, ImageError::Write { path, .. } if *path == taken));
    assert_eq!(fs::read_to_string(taken.join("inside")).unwrap(), "old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    // Files cannot be written to a folder that does not exist
    assert!(write_atomically(&folder.path().join("none/picture.png"), b"new").is_err());
}

#[test]
fn an_existing_file_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    write_atomically(&path, b"a long old content").unwrap();
    write_atomically(&path, b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

/// All display formats hold the same image: lossless ones the same values, JPEG nearly.
#[test]
fn display_formats_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let pixels = (0..64u8).map(|i| Vec3::new(f32::from(i) / 63.0, f32::from(i % 8) / 7.0, 0.2)).collect();
    let picture = Picture::new(8, 8, pixels).unwrap();
    let eight = DisplayOptions { dither: false, ..DisplayOptions::default() };
    let sixteen = DisplayOptions { depth: BitDepth::Sixteen, ..eight };
    let read = |name: &str, options: &DisplayOptions| {
        let path = folder.path().join(name);
        save_picture(&picture, &path, options).unwrap();
        image::open(&path).unwrap()
    };
    let expected = read("a.png", &eight).into_rgb8();
    for name in ["a.webp", "a.tiff", "b.TIF"] {
        assert_eq!(read(name, &eight).into_rgb8(), expected, "{name}");
    }
    let jpeg = read("a.jpg", &eight).into_rgb8();
    let off = jpeg.iter().zip(expected.iter()).map(|(&a, &b)| u32::from(a.abs_diff(b))).sum::<u32>();
    assert!(off < 8 * 192, "mean error {} of 255", off as f32 / 192.0);
    let deep = read("c.png", &sixteen);
    assert_eq!(deep.color(), image::ColorType::Rgb16);
    let deep = deep.into_rgb16();
    assert_eq!(read("c.tiff", &sixteen).into_rgb16(), deep);
    assert!(deep.iter().any(|&word| word % 257 != 0), "values between those of 8 bits");
    assert!(
        deep.iter()
            .zip(expected.iter())
            .all(|(&deep, &flat)| (f32::from(deep) / 257.0 - f32::from(flat)).abs() <= 0.51)
    );
}

/// A film of a part of an image of 6 × 4 pixels, with half of each pixel covered.
fn half_covered_part() -> Film {
    let window = TileRect { x0: 3, y0: 1, x1: 5, y1: 4 };
    let mut film = Film::of_window(window, AovSet::EMPTY.with(Aov::Alpha));
    let mut tile = film.tile(window);
    for (x, y) in window.pixels() {
        let aov = AovSample { depth: 1.0, coverage: 1.0, ..AovSample::MISS };
        tile.add(x, y, &PixelSample { radiance: Vec3::new(0.5, 0.25, 1.0), weight: 1.0, aov });
        tile.add(x, y, &PixelSample { radiance: Vec3::ZERO, weight: 1.0, aov: AovSample::MISS });
    }
    film.put(tile).unwrap();
    film
}

#[test]
fn alpha_is_premultiplied_in_exr_and_straight_in_png() {
    let film = half_covered_part();
    let (radiance, alpha) = (film.radiance(), film.alpha().unwrap());
    assert_eq!(alpha, [0.5; 6]);
    let image = OutputImage {
        film: Some(&film),
        alpha: Some(&alpha),
        window: film.window(),
        full_size: [6, 4],
        ..OutputImage::new(&radiance)
    };
    let linear = DisplayOptions { tone_curve: ToneCurve::Linear, dither: false, ..DisplayOptions::default() };
    let encoded = |format, options| encode(&image, AovSet::EMPTY, format, options).unwrap();
    let exr = encoded(PictureFormat::Exr, &linear);
    let Decoded::Rgba32F { texels, .. } = decode(&exr, "exr").unwrap() else { panic!("floats") };
    // The whole image, which is clear around the part
    let is_part = |i: usize| (3..5).contains(&(i % 6)) && (1..4).contains(&(i / 6));
    let expected = |i: usize| if is_part(i) { [0.25, 0.125, 0.5, 0.5] } else { [0.0; 4] };
    assert_eq!(texels, (0..24).map(expected).collect::<Vec<_>>());
    // sRGB of 0.5, 0.25 and 1 is 187.5, 136.9 and 255
    for format in [PictureFormat::Png, PictureFormat::WebP] {
        let bytes = encoded(format, &linear);
        let texel = match decode(&bytes, "").unwrap() {
            Decoded::Rgba8 { texels, .. } => texels[0],
            other => panic!("{format:?}: {:?}", other.size()),
        };
        assert!(texel[0].abs_diff(188) <= 1 && texel[1].abs_diff(137) <= 1, "{format:?}: {texel:?}");
        assert_eq!(texel[2..], [255, 128], "{format:?}");
    }
    let wide = DisplayOptions { depth: BitDepth::Sixteen, ..linear };
    let Decoded::Rgba16 { texels, .. } = decode(&encoded(PictureFormat::Png, &wide), "png").unwrap() else {
        panic!("16 bits")
    };
    assert_eq!(texels[0][2..], [65535, 32768]);
}

#[test]
fn a_background_is_behind_what_is_covered() {
    let film = half_covered_part();
    let (radiance, alpha) = (film.radiance(), film.alpha().unwrap());
    let background = Picture::from_fn(2, 3, |_, _| Vec3::new(1.0, 0.0, 0.5)).unwrap();
    let image = OutputImage {
        alpha: Some(&alpha),
        background: Some(OutputBackground::Picture(&background)),
        window: film.window(),
        full_size: [6, 4],
        ..OutputImage::new(&radiance)
    };
    // Two stops darker: the background stays
    let options = DisplayOptions {
        tone_curve: ToneCurve::Linear,
        dither: false,
        exposure_stops: -2.0,
        ..DisplayOptions::default()
    };
    let bytes = encode(&image, AovSet::EMPTY, PictureFormat::Png, &options).unwrap();
    let picture = decode(&bytes, "png").unwrap().to_picture();
    let expected = (Vec3::new(0.5, 0.25, 1.0) * 0.25 + background.pixel(0, 0)) * 0.5;
    assert!((picture.pixel(0, 0) - expected).abs().max_element() < 0.005, "{}", picture.pixel(0, 0));
    let bytes = encode(&image, AovSet::EMPTY, PictureFormat::Exr, &options).unwrap();
    let Decoded::Rgba32F { texels, .. } = decode(&bytes, "exr").unwrap() else { panic!("floats") };
    let first_of_part = texels[6 + 3];
    assert_eq!(first_of_part, [0.75, 0.125, 0.75, 1.0]);
    // One colour is that colour behind each pixel
    let color = OutputImage { background: Some(OutputBackground::Color(background.pixel(0, 0))), ..image };
    for format in [PictureFormat::Png, PictureFormat::Exr] {
        let encoded = |image| encode(image, AovSet::EMPTY, format, &options).unwrap();
        assert_eq!(encoded(&color), encoded(&image), "{format:?}");
    }
}

#[test]
fn an_exr_of_a_part_knows_where_it_lies() {
    use ::exr::prelude::MetaData;
    let film = half_covered_part();
    let radiance = film.radiance();
    let image = OutputImage { window: film.window(), full_size: [6, 4], ..OutputImage::new(&radiance) };
    let bytes = encode(&image, AovSet::EMPTY, PictureFormat::Exr, &DisplayOptions::default()).unwrap();
    let meta = MetaData::read_from_buffered(Cursor::new(bytes), false).unwrap();
    let header = &meta.headers[0];
    let display = header.shared_attributes.display_window;
    assert_eq!((header.own_attributes.layer_position.0, header.own_attributes.layer_position.1), (3, 1));
    assert_eq!((header.layer_size.0, header.layer_size.1), (2, 3));
    assert_eq!((display.position.0, display.position.1, display.size.0, display.size.1), (0, 0, 6, 4));
}

#[test]
fn dithering_of_a_part_is_that_of_the_image() {
    let whole = Picture::from_fn(9, 7, |x, y| Vec3::splat(0.2 + 0.001 * (x + y) as f32)).unwrap();
    let window = TileRect { x0: 2, y0: 3, x1: 7, y1: 6 };
    let part = Picture::from_fn(5, 3, |x, y| whole.pixel(x + 2, y + 3)).unwrap();
    let image = OutputImage { window, full_size: [9, 7], ..OutputImage::new(&part) };
    let options = DisplayOptions::default();
    let texels = |bytes: &[u8]| match decode(bytes, "png").unwrap() {
        Decoded::Rgba8 { texels, .. } => texels,
        _ => panic!("8 bits"),
    };
    let all = texels(&encode_png(&whole, &options).unwrap());
    let found = texels(&encode(&image, AovSet::EMPTY, PictureFormat::Png, &options).unwrap());
    let expected: Vec<_> = window.pixels().map(|(x, y)| all[(y * 9 + x) as usize]).collect();
    assert_eq!(found, expected);
}

#[test]
fn formats_have_names_which_are_extensions() {
    for format in PictureFormat::ALL {
        let name = format.name();
        assert_eq!(name.parse(), Ok(format));
        assert_eq!(PictureFormat::from_path(format!("a.{}", name.to_uppercase()).as_ref()).unwrap(), format);
        assert!(PictureFormat::EXTENSIONS.contains(&format!(".{name}")), "messages list {name}");
    }
    assert_eq!(("jpeg".parse(), "tif".parse()), (Ok(PictureFormat::Jpeg), Ok(PictureFormat::Tiff)));
    let message = "bmp".parse::<PictureFormat>().unwrap_err().to_string();
    assert!(message.contains("`bmp`") && message.contains("png, jpg, webp, tiff, exr, hdr"), "{message}");
}
