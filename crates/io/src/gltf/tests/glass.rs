//! Transmission with and without a volume, and indices of refraction.

use serde_json::{Value, json};
use sunfleck_math::{Vec3, vec3};
use sunfleck_scene::{Material, Surface};

use super::{Builder, SQUARE};

/// Imports a smooth dielectric with extensions, and returns it with the warnings.
fn material(extensions: Value) -> (Material, Vec<String>) {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let loaded = b.load(json!({
        "materials": [{
            "pbrMetallicRoughness": { "baseColorFactor": [0.5, 1, 0.5, 1], "metallicFactor": 0, "roughnessFactor": 0 },
            "emissiveFactor": [1, 1, 1],
            "extensions": extensions,
        }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": positions }, "material": 0 }] }],
    }));
    let (_, material) = loaded.scene.materials().next().unwrap();
    (material.clone(), loaded.report.warnings().map(|entry| entry.message.clone()).collect())
}

fn surface(extensions: Value) -> Surface {
    material(extensions).0.surface
}

#[test]
fn transmission_without_a_volume_is_thin() {
    let tint = vec3(0.5, 1.0, 0.5);
    let transmission = json!({ "transmissionFactor": 1.0 });
    let thin = Surface::ThinDielectric { ior: 1.5, tint };
    assert_eq!(surface(json!({ "KHR_materials_transmission": transmission })), thin);
    // A thickness of 0, which is the default, is that of a sheet, too
    for volume in [json!({}), json!({ "thicknessFactor": 0 })] {
        let found =
            surface(json!({ "KHR_materials_transmission": transmission, "KHR_materials_volume": volume }));
        assert_eq!(found, thin);
    }
    let volume = json!({ "thicknessFactor": 0.5 });
    let ior = json!({ "ior": 1.33 });
    let solid = json!({
        "KHR_materials_transmission": transmission, "KHR_materials_volume": volume, "KHR_materials_ior": ior
    });
    assert_eq!(surface(solid), Surface::smooth_dielectric(1.33, tint));
}

#[test]
fn the_index_of_refraction_counts_on_opaque_surfaces() {
    let ior = |value: Value| match surface(json!({ "KHR_materials_ior": value })) {
        Surface::MetallicRoughness { ior, metallic, .. } => (ior, metallic),
        other => panic!("{other:?}"),
    };
    assert_eq!(ior(json!({ "ior": 2.5 })), (2.5, 0.0));
    assert_eq!(ior(json!({})), (1.5, 0.0));
    // 0 means that everything is reflected
    let Surface::MetallicRoughness { base_color, metallic, .. } =
        surface(json!({ "KHR_materials_ior": { "ior": 0 } }))
    else {
        panic!()
    };
    assert_eq!((base_color.factor.truncate(), metallic), (Vec3::ONE, 1.0));
}

#[test]
fn numbers_out_of_range_are_clamped_with_a_warning() {
    let (half, warnings) = material(json!({ "KHR_materials_ior": { "ior": 0.5 } }));
    assert!(matches!(half.surface, Surface::MetallicRoughness { ior: 1.0, .. }), "{half:?}");
    assert_eq!(warnings, ["the index of refraction 0.5 is outside of [1, 10]; 1 is used"]);
    let strength = json!({ "KHR_materials_emissive_strength": { "emissiveStrength": -2 } });
    let (dark, warnings) = material(strength);
    assert_eq!(dark.emission.radiance, Vec3::ZERO);
    assert_eq!(warnings, ["the emissive strength -2 is negative; 0 is used"]);
}

#[test]
fn rough_solids_are_rough_glass() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &SQUARE);
    let loaded = b.load(json!({
        "materials": [{
            "pbrMetallicRoughness": { "metallicFactor": 0, "roughnessFactor": 0.4 },
            "extensions": {
                "KHR_materials_transmission": { "transmissionFactor": 1 },
                "KHR_materials_volume": { "thicknessFactor": 1 },
            },
        }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": positions }, "material": 0 }] }],
    }));
    let (_, found) = loaded.scene.materials().next().unwrap();
    let rough =
        Surface::Dielectric { ior: 1.5, tint: Vec3::ONE, roughness: 0.4, anisotropy: 0.0, beckmann: false };
    assert_eq!((&found.surface, loaded.report.warnings().count()), (&rough, 0));
}
