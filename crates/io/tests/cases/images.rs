//! Images of the folder `cases` as textures.

use std::path::PathBuf;

use sunfleck_io::LoadedScene;
use sunfleck_scene::Texels;

use crate::{load_or_panic, scenes};

fn case(name: &str) -> PathBuf {
    scenes().join("../cases").join(name)
}

/// Returns the texels of the only texture.
fn texels(loaded: &LoadedScene) -> Texels {
    let textures: Vec<_> = loaded.scene.textures().map(|(_, texture)| texture.texels().clone()).collect();
    let warnings: Vec<_> = loaded.report.warnings().map(ToString::to_string).collect();
    let [texels] = &*textures else { panic!("{} textures: {warnings:?}", textures.len()) };
    assert!(warnings.is_empty(), "{warnings:?}");
    texels.clone()
}

/// Checks that all texels have the sRGB code of a colour, up to a tolerance.
fn assert_color(name: &str, color: [u8; 3], tolerance: u8) {
    let Texels::Srgb8(texels) = texels(&load_or_panic(&case(name))) else { panic!("{name} is no colour") };
    for texel in texels.iter() {
        let near = texel.iter().zip(color).all(|(found, expected)| found.abs_diff(expected) <= tolerance);
        assert!(near, "{name}: {texel:?} instead of {color:?}");
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn tiff_and_dds_are_textures() {
    for name in ["obj-tiff/a.obj", "obj-dds/a.obj", "gltf-images/tiff.gltf"] {
        assert_color(name, [200, 40, 40], 0);
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn normal_maps_keep_16_bits() {
    let Texels::Linear16(texels) = texels(&load_or_panic(&case("gltf-normal16/a.glb"))) else {
        panic!("the normal map has 16 bits")
    };
    // The x of the first row grows by about two codes per texel
    let first: Vec<u16> = texels[..6].iter().map(|texel| texel[0]).collect();
    assert_eq!(first, [0x8000, 0x8002, 0x8004, 0x8006, 0x8008, 0x800b]);
    assert_eq!(texels[0], [0x8000, 0x8000, 0xffff, 0xffff]);
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn images_of_all_kinds() {
    // Chunks about colour spaces are ignored, as glTF says
    for (name, color, tolerance) in [
        ("rgb8", [200, 40, 40], 0),
        ("gamma1", [200, 40, 40], 0),
        ("palette", [200, 40, 40], 0),
        ("bmp", [200, 40, 40], 0),
        ("webp", [200, 40, 40], 4),
        ("progressive", [200, 40, 40], 4),
        ("grey8", [128; 3], 0),
        ("grey16", [128; 3], 0),
        ("la", [128; 3], 0),
        ("greyjpg", [128; 3], 2),
    ] {
        assert_color(&format!("gltf-images/{name}.gltf"), color, tolerance);
    }
    for name in ["cmyk", "exifrot"] {
        assert_eq!(
            load_or_panic(&case(&format!("gltf-images/{name}.gltf"))).scene.textures().len(),
            1,
            "{name}"
        );
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn uris_of_all_kinds() {
    for name in
        ["backslash", "charset", "hash", "literal", "percent", "plaindata", "spaces", "utf8", "wrongmime"]
    {
        assert_color(&format!("gltf-uri/{name}.gltf"), [200, 40, 40], 0);
    }
    assert_color("gltf-uri/jpgnamed.gltf", [200, 40, 40], 4);
}
