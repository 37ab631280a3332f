//! Tests of the parameter tables of materials.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use sunfleck_math::{Vec3, Vec4};
use sunfleck_scene::parameter::{Parameters, Value};
use sunfleck_scene::{ColorTexture, Emission, Material, NormalMap, Pattern, Surface, TextureId, TextureRef};
use sunfleck_testkit::parameters::check_table;

#[test]
fn tables_are_consistent() {
    for row in Surface::VARIANTS {
        check_table(row.name, &mut row.default.clone());
        assert!(row.summary.ends_with('.') && !row.label.is_empty(), "{}", row.name);
    }
    for row in Pattern::VARIANTS {
        check_table(row.name, &mut row.default.clone());
        assert_eq!(row.default.parameters(), row.parameters, "{}", row.name);
    }
    check_table("emission", &mut Emission::default());
}

#[test]
fn every_pattern_is_in_its_table_once() {
    let patterns: Vec<_> = Pattern::VARIANTS.iter().map(|row| row.default).collect();
    // A new pattern must get a number here to compile, and the test fails until it is in the table
    let number = |pattern: &Pattern| match pattern {
        Pattern::Wood(_) => 0,
        Pattern::Marble(_) => 1,
        Pattern::Bricks(_) => 2,
    };
    assert_eq!(patterns.iter().map(number).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn textures_are_found_by_the_tables() {
    let texture = |i| Some(TextureRef::new(TextureId(i)));
    let base_color = ColorTexture { factor: Vec4::ONE, texture: texture(1) };
    let metallic_roughness_texture = texture(2);
    let surface = Surface::MetallicRoughness {
        base_color,
        metallic: 0.0,
        roughness: 1.0,
        ior: 1.5,
        metallic_roughness_texture,
    };
    let material = Material {
        emission: Emission { radiance: Vec3::ONE, texture: texture(3) },
        normal_map: texture(4).map(|texture| NormalMap { texture, scale: 1.0 }),
        ..Material::new("m", surface)
    };
    assert_eq!(material.textures().collect::<Vec<_>>(), [1, 2, 3, 4].map(TextureId));
    assert_eq!(Material::mirror("m", Vec3::ONE).textures().count(), 0);
}

#[test]
fn values_are_plain_json() {
    for (value, json) in [
        (Value::Boolean(true), "true"),
        (Value::Integer(3), "3"),
        (Value::Number(0.5), "0.5"),
        (Value::Color(Vec3::X), "[1.0,0.0,0.0]"),
        (Value::Colors([Vec3::X, Vec3::ZERO]), "[[1.0,0.0,0.0],[0.0,0.0,0.0]]"),
        (Value::choice("form-factors"), "\"form-factors\""),
        (Value::Texture(None), "null"),
    ] {
        assert_eq!(serde_json::to_string(&value).unwrap(), json);
        assert_eq!(serde_json::from_str::<Value>(json).unwrap(), value);
    }
}
