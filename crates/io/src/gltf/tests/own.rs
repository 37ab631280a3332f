//! Files with the extension `SUNFLECK_scene`.

use serde_json::{Value, json};
use sunfleck_math::Vec3;
use sunfleck_scene::{Material, Scene, Surface};

use crate::{LoadedScene, NoFiles, load_bytes, save_bytes};

/// Loads a file with a camera and a material that have these extensions.
fn loaded(camera: Value, material: Value) -> LoadedScene {
    let file = json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["SUNFLECK_scene"],
        "extensions": { "SUNFLECK_scene": { "version": 1 } },
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "camera": 0 }],
        "cameras": [{
            "type": "perspective", "perspective": { "yfov": 1, "znear": 1 }, "extensions": { "SUNFLECK_scene": camera }
        }],
        "materials": [{ "extensions": { "SUNFLECK_scene": material } }],
    });
    load_bytes("t.gltf".as_ref(), file.to_string().as_bytes(), &NoFiles)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the warnings, but for that about a scene of materials alone.
fn warnings(loaded: &LoadedScene) -> Vec<String> {
    let all = loaded.report.warnings().map(|entry| entry.message.clone());
    all.filter(|message| message != "the scene has no visible surfaces").collect()
}

#[test]
fn values_out_of_range_do_not_refuse_the_file() {
    let metal = json!({ "surface": "conductor", "eta": [1, 2, 3], "k": [30, 1, 1], "anisotropy": 1.5 });
    let read = loaded(json!({ "film": [40, 30], "crop": [30, 0, 20, 10] }), metal);
    assert_eq!(read.scene.cameras().next().unwrap().1.film, None);
    let (_, material) = read.scene.materials().next().unwrap();
    let Surface::Conductor { eta, k, anisotropy, .. } = &material.surface else { panic!("{material:?}") };
    assert_eq!((*eta, *k, *anisotropy), (Vec3::new(1.0, 2.0, 3.0), Vec3::new(20.0, 1.0, 1.0), 0.99));
    let found = warnings(&read);
    for expected in ["the film is empty or too large", "the anisotropy 1.5", "the extinction 30,1,1"] {
        assert!(found.iter().any(|message| message.contains(expected)), "{expected}: {found:?}");
    }
    let media = json!({ "media": { "interior":
        { "absorption": [-1, 0, 0], "scattering": [0, 0, 0], "asymmetry": 0 }, "exterior": null } });
    let read = loaded(json!({ "film": [40, 30] }), media);
    assert!(read.scene.materials().next().unwrap().1.media.is_empty());
    assert_eq!(warnings(&read).len(), 1, "{:?}", warnings(&read));
}

/// Other programs read what is near to an anisotropic surface; this one reads the surface.
#[test]
fn copies_for_other_programs_are_no_warnings() {
    let mut scene = Scene::default();
    let surface = Surface::Principled {
        base_color: Vec3::splat(0.5).into(),
        metallic: 1.0,
        roughness: 0.5,
        anisotropy: 0.75,
        transmission: 0.0,
        ior: 1.5,
        specular_tint: 0.25,
        sheen: 0.5,
        sheen_tint: 0.125,
        flatness: 1.0,
        clearcoat: 0.375,
        clearcoat_gloss: 0.625,
        surface_texture: None,
        coat_texture: None,
    };
    scene.add_material(Material::new("brushed", surface.clone())).unwrap();
    let saved = save_bytes(&scene, "t.glb".as_ref()).unwrap();
    let read = load_bytes("t.glb".as_ref(), &saved.bytes, &NoFiles).unwrap();
    assert_eq!(warnings(&read), [""; 0]);
    assert_eq!(read.scene.materials().next().unwrap().1.surface, surface);
}
