use std::io::Cursor;

use ::exr::meta::attribute::Chromaticities;
use ::exr::prelude::{
    AnyChannel, AnyChannels, Encoding, FlatSamples, Image, ImageAttributes, IntegerBounds, Layer,
    LayerAttributes, Vec2, WritableImage,
};
use sunfleck_math::Vec3;

use crate::read::{DEFAULT_DECODE_LIMIT, decode_file};
use crate::{Decoded, DecodedFile};

const SIZE: Vec2<usize> = Vec2(4, 3);

fn layer(name: Option<&str>, channels: &[(&str, f32)]) -> Layer<AnyChannels<FlatSamples>> {
    let channel =
        |&(name, value): &(&str, f32)| AnyChannel::new(name, FlatSamples::F32(vec![value; SIZE.area()]));
    let list = channels.iter().map(channel).collect();
    let attributes = name.map_or_else(LayerAttributes::default, LayerAttributes::named);
    Layer::new(SIZE, attributes, Encoding::UNCOMPRESSED, AnyChannels::sort(list))
}

fn file(layers: Vec<Layer<AnyChannels<FlatSamples>>>, change: impl FnOnce(&mut ImageAttributes)) -> Vec<u8> {
    let mut attributes = ImageAttributes::new(IntegerBounds::from_dimensions(SIZE));
    change(&mut attributes);
    let mut bytes = Cursor::new(Vec::new());
    let image = Image::from_layers(attributes, layers);
    image.write().non_parallel().to_buffered(&mut bytes).unwrap();
    bytes.into_inner()
}

fn read(bytes: &[u8]) -> (Vec<[f32; 4]>, (u32, u32), Vec<String>) {
    let DecodedFile { image, notes, .. } = decode_file(bytes, "", DEFAULT_DECODE_LIMIT).unwrap();
    let size = image.size();
    let Decoded::Rgba32F { texels, .. } = image else { panic!("EXR files are floating-point") };
    (texels, size, notes.iter().map(ToString::to_string).collect())
}

#[test]
fn names_of_channels_have_any_case() {
    for names in [["R", "G", "B", "A"], ["r", "g", "b", "a"], ["Red", "GREEN", "blue", "Alpha"]] {
        let channels: Vec<_> = names.into_iter().zip([0.5, 0.25, 0.125, 0.75]).collect();
        let (texels, _, notes) = read(&file(vec![layer(None, &channels)], |_| ()));
        assert!(texels.iter().all(|&t| t == [0.5, 0.25, 0.125, 0.75]), "{names:?}");
        assert!(notes.is_empty(), "{notes:?}");
    }
    let (texels, _, _) = read(&file(vec![layer(None, &[("y", 0.5)])], |_| ()));
    assert_eq!(texels[0], [0.5, 0.5, 0.5, 1.0]);
}

#[test]
fn the_layer_of_the_picture_is_found() {
    let colors = |prefix: &str, value: f32| {
        ["R", "G", "B"].map(|channel| (format!("{prefix}{channel}"), value)).to_vec()
    };
    let one = |all: &[Vec<(String, f32)>]| {
        let all: Vec<(&str, f32)> = all.iter().flatten().map(|(name, value)| (&**name, *value)).collect();
        read(&file(vec![layer(None, &all)], |_| ()))
    };
    let (texels, _, notes) = one(&[colors("albedo.", 1.0), colors("Main.Beauty.", 2.0), colors("zz.", 3.0)]);
    assert_eq!(texels[0], [2.0, 2.0, 2.0, 1.0]);
    assert_eq!(notes[0], "the layer \"Main.Beauty\" is shown");
    assert!(notes[1].contains("zz.B") && !notes[1].contains("Beauty"), "{notes:?}");
    let (texels, _, notes) = one(&[colors("", 1.0), colors("beauty.", 2.0), vec![("Z".to_string(), 9.0)]]);
    assert_eq!(texels[0][0], 1.0, "the unnamed layer comes first");
    assert_eq!(notes, ["channels that are not used: Z, beauty.B, beauty.G, beauty.R"]);
    let (texels, _, notes) = one(&[colors("left.", 1.0), colors("right.", 2.0)]);
    assert_eq!((texels[0][0], &*notes[0]), (1.0, "the layer \"left\" is shown"));

    let parts = vec![
        layer(Some("depth"), &[("Z", 7.0)]),
        layer(Some("other"), &[("R", 1.0), ("G", 1.0), ("B", 1.0)]),
        layer(Some("beauty"), &[("R", 2.0), ("G", 3.0), ("B", 4.0)]),
    ];
    let (texels, _, notes) = read(&file(parts, |_| ()));
    assert_eq!(texels[0], [2.0, 3.0, 4.0, 1.0]);
    assert_eq!(notes[0], "the layer \"beauty\" is shown");
    assert_eq!(notes[1], "channels that are not used: depth.Z, other.B, other.G, other.R");

    let depth = file(vec![layer(None, &[("Z", 7.0)])], |_| ());
    let error = decode_file(&depth, "", DEFAULT_DECODE_LIMIT).unwrap_err().to_string();
    assert!(error.contains("no channels R, G, B or Y, but Z"), "{error}");
}

#[test]
fn chromaticities_are_converted() {
    // BT.2020, whose green is (−0.5876, 1.1329, −0.1006) in Rec. 709 according to BT.2087
    let bt2020 = |attributes: &mut ImageAttributes| {
        attributes.chromaticities = Some(Chromaticities {
            red: Vec2(0.708, 0.292),
            green: Vec2(0.17, 0.797),
            blue: Vec2(0.131, 0.046),
            white: Vec2(0.3127, 0.329),
        });
    };
    let green = [("R", 0.0), ("G", 1.0), ("B", 0.0)];
    let (texels, _, _) = read(&file(vec![layer(None, &green)], bt2020));
    let [r, g, b, _] = texels[5];
    let error = Vec3::new(r, g, b) - Vec3::new(-0.5876, 1.1329, -0.1006);
    assert!(error.abs().max_element() < 1e-3, "{error}");
    let none = |attributes: &mut ImageAttributes| {
        let zero = Vec2(0.0, 0.0);
        attributes.chromaticities = Some(Chromaticities { red: zero, green: zero, blue: zero, white: zero });
    };
    let (texels, _, notes) = read(&file(vec![layer(None, &green)], none));
    assert_eq!((texels[0], notes.len()), ([0.0, 1.0, 0.0, 1.0], 1));
}

#[test]
fn the_display_window_is_the_image() {
    let colors = [("R", 1.0), ("G", 1.0), ("B", 1.0)];
    let at = |x, y| {
        let mut layer = layer(None, &colors);
        layer.attributes.layer_position = Vec2(x, y);
        layer
    };
    // Data of 4 × 3 at (1, −1) in a display of 6 × 3
    let display = |attributes: &mut ImageAttributes| {
        attributes.display_window = IntegerBounds::from_dimensions(Vec2(6, 3));
    };
    let (texels, size, _) = read(&file(vec![at(1, -1)], display));
    assert_eq!(size, (6, 3));
    for (i, texel) in texels.iter().enumerate() {
        let inside = (1..5).contains(&(i % 6)) && i / 6 < 2;
        assert_eq!(*texel, if inside { [1.0; 4] } else { [0.0; 4] }, "{i}");
    }
    let (_, size, notes) = read(&file(vec![at(10, 0)], display));
    assert_eq!((size, notes.len()), ((4, 3), 1), "nothing to see in the display window");
}

/// Luminance and chroma of every second pixel and row: 64 × 2 pixels of (0.5, 0.25, 0.125), twice as bright in the
/// right half, in half floats with ZIPS compression.
const LUMINANCE_CHROMA: &str = "\
    762f3101020000006368616e6e656c730063686c697374003900000042590001000000000000000200000002000000525900\
    0100000000000000020000000200000059000100000000000000010000000100000000636f6d7072657373696f6e00636f6d\
    7072657373696f6e0001000000026461746157696e646f7700626f783269001000000000000000000000003f000000010000\
    00646973706c617957696e646f7700626f783269001000000000000000000000003f000000010000006c696e654f72646572\
    006c696e654f72646572000100000000706978656c417370656374526174696f00666c6f617400040000000000803f736372\
    65656e57696e646f7743656e746572007632660008000000000000000000000073637265656e57696e646f77576964746800\
    666c6f617400040000000000803f004b010000000000006f01000000000000000000001c00000078da9bd54019984da1fe66\
    02f28c04e4ab09c8b71090070044207fb9010000001200000078dadbda4019f84f40be85803c005c3040b9";

#[test]
fn luminance_and_chroma() {
    let digits = LUMINANCE_CHROMA.as_bytes().as_chunks::<2>().0;
    let byte = |digits: &[u8; 2]| u8::from_str_radix(str::from_utf8(digits).unwrap(), 16).unwrap();
    let mut bytes: Vec<u8> = digits.iter().map(byte).collect();
    let (texels, size, notes) = read(&bytes);
    assert_eq!((size, notes.len()), ((64, 2), 0));
    for (i, &[r, g, b, alpha]) in texels.iter().enumerate() {
        let expected = Vec3::new(0.5, 0.25, 0.125) * if i % 64 < 32 { 1.0 } else { 2.0 };
        let error = Vec3::new(r, g, b) / expected - Vec3::ONE;
        assert!(error.abs().max_element() < 0.005, "({r}, {g}, {b}) at {i}");
        assert_eq!(alpha, 1.0);
    }

    // The second of two blocks is lost
    bytes.truncate(bytes.len() - 8);
    let (texels, _, notes) = read(&bytes);
    assert!(texels[0][0] > 0.49 && texels[127] == [0.0, 0.0, 0.0, 1.0]);
    assert!(notes[0].starts_with("1 of 2 blocks of pixels are black"), "{notes:?}");
}
