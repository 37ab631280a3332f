//! glTF files of needs that users have reported, in the folder `cases` beside `SUNFLECK_SCENES`.

use std::path::PathBuf;

use sunfleck_io::{LoadedScene, load};
use sunfleck_math::Vec3;
use sunfleck_scene::{Material, Scene, Surface};

fn cases() -> PathBuf {
    crate::scenes().join("../cases")
}

fn case(name: &str) -> LoadedScene {
    load(&cases().join(name)).unwrap_or_else(|error| panic!("{error}"))
}

fn materials(scene: &Scene) -> Vec<Material> {
    scene.materials().map(|(_, material)| material.clone()).collect()
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn sheets_of_glass_are_thin() {
    for (name, tint) in [
        ("gltf-transmission/pane.gltf", Vec3::ONE),
        ("gltf-transmission/pane-sun.gltf", Vec3::ONE),
        ("gltf-transmission/window.gltf", Vec3::new(0.5, 1.0, 0.5)),
        ("obj-glass-pane/a.obj", Vec3::ONE),
    ] {
        let thin = Surface::ThinDielectric { ior: 1.5, tint };
        assert_eq!(materials(&case(name).scene)[0].surface, thin, "{name}");
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn the_scale_of_cameras_is_ignored() {
    let view =
        |name: &str| case(&format!("gltf-cam-scaled/{name}.gltf")).scene.world_cameras()[0].world_from_view;
    for (scaled, one) in [
        ("uniform-ortho", "one-ortho"),
        ("nonuniform-ortho", "one-ortho"),
        ("uniform-persp", "one-persp"),
        ("a", "ref"),
    ] {
        assert!(view(scaled).abs_diff_eq(view(one), 1e-5), "{scaled}: {:?}", view(scaled));
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn the_index_of_refraction_of_an_opaque_surface_is_read() {
    for (name, expected) in [("1.5", 1.5), ("2.5", 2.5)] {
        let surface = materials(&case(&format!("gltf-ior-opaque/{name}.gltf")).scene)[0].surface.clone();
        assert!(matches!(surface, Surface::MetallicRoughness { ior, .. } if ior == expected), "{surface:?}");
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn bad_normals_are_computed() {
    for name in ["a.glb", "zero.glb"] {
        let loaded = case(&format!("gltf-bad-normals/{name}"));
        let (_, mesh) = loaded.scene.meshes().next().unwrap();
        assert_eq!(mesh.data().normals, [Vec3::Z; 4], "{name}");
        assert_eq!(loaded.report.warnings().count(), 1, "{name}: {:?}", loaded.report);
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn scenes_far_from_zero_are_as_near_ones() {
    for (far, near) in [("far", "local"), ("ball-far", "ball-local")] {
        let [far, near] = [far, near].map(|name| case(&format!("gltf-geo/{name}.gltf")).scene);
        let camera = |scene: &Scene| scene.world_cameras()[0].world_from_view.translation;
        let offset = camera(&far) - camera(&near);
        assert!(offset.length() < 16.0, "{offset}");
        let instances = near.world_instances().into_iter().zip(far.world_instances());
        for (near, far) in instances {
            let difference = far.world_from_object.translation - near.world_from_object.translation - offset;
            assert!(difference.length() < 2e-6, "{difference}");
            assert_eq!(far.world_from_object.matrix3, near.world_from_object.matrix3);
        }
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn texture_coordinates_of_a_third_set_are_read() {
    let loaded = case("gltf-uv2/a.gltf");
    assert_eq!(loaded.report.warnings().count(), 0, "{:?}", loaded.report);
}

/// Files that were already read correctly when they were collected.
#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn the_others_still_load() {
    let folders = [
        "alpha-shadow",
        "arealight",
        "backface",
        "color0",
        "coplanar",
        "emissive",
        "manylights",
        "mirror-normalmap",
        "modes",
        "ortho",
        "quantized",
        "room",
        "scale",
        "shear",
        "sparse",
        "spot",
        "terminator",
        "textransform",
        "transmission",
        "unlit",
        "uri",
    ];
    for folder in folders {
        let folder = cases().join(format!("gltf-{folder}"));
        let mut files = 0;
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "gltf" || extension == "glb") {
                let loaded = load(&path).unwrap_or_else(|error| panic!("{error}"));
                assert!(loaded.scene.instanced_triangle_count() > 0, "{path:?}");
                for entry in loaded.report.warnings() {
                    eprintln!("{entry}");
                }
                files += 1;
            }
        }
        assert!(files > 0, "{folder:?}");
    }
}
