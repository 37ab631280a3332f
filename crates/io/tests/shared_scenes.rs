//! Import of third-party files in the folder `SUNFLECK_SCENES`, with the triangle counts that its README states.

#![allow(clippy::unwrap_used, reason = "a failed test should stop")]

#[path = "cases/bart.rs"]
mod bart_cases;
#[path = "cases/gltf.rs"]
mod gltf_cases;
#[path = "cases/images.rs"]
mod image_cases;
#[path = "cases/mesh.rs"]
mod mesh_cases;

use std::path::{Path, PathBuf};
use std::time::Instant;

use sunfleck_io::{LoadedScene, load, load_environment};
use sunfleck_math::Aabb;
use sunfleck_scene::{Scene, SceneEdit, Surface, Texels};

fn scenes() -> PathBuf {
    std::env::var_os("SUNFLECK_SCENES").expect("SUNFLECK_SCENES names the folder of scenes").into()
}

fn load_or_panic(path: &Path) -> LoadedScene {
    load(path).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the numbers of triangles in the scene and of degenerate triangles that were removed.
fn triangles(loaded: &LoadedScene) -> (u64, u64) {
    let dropped = loaded.report.entries.iter().filter_map(|entry| {
        entry.message.strip_prefix("degenerate triangles removed: ").and_then(|n| n.parse::<u64>().ok())
    });
    (loaded.scene.instanced_triangle_count(), dropped.sum())
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn meshes() {
    let expected = [
        ("stanford-bunny.obj", 69_451),
        ("bunny_lowres.ply", 948),
        ("head.ply", 17_684),
        ("cranium.ply", 399_757),
        ("ogre.obj", 124_008),
        ("nefertiti.obj", 99_938),
        ("dragon.obj", 93_600),
        ("armadillo.off", 52_000),
        ("mannequin-devil.off", 25_888),
        ("ChineseDragon-10kv.off", 19_994),
        ("camel.off", 19_536),
        ("dino.off", 7_828),
        ("triceratops.off", 5_660),
        ("rocker-arm.obj", 20_088),
        ("fandisk.obj", 12_946),
        ("homer.obj", 12_000),
        ("alligator.obj", 5_981),
        ("beetle.obj", 2_053),
        ("legocar.obj", 10_992),
        ("teapot.obj", 6_320),
        ("spot.obj", 5_856),
        ("cow.obj", 5_804),
        ("suzanne.obj", 968),
    ];
    for (name, expected) in expected {
        let start = Instant::now();
        let loaded = load_or_panic(&scenes().join("meshes").join(name));
        let (kept, dropped) = triangles(&loaded);
        eprintln!("{name}: {kept} + {dropped} in {:?}; {:?}", start.elapsed(), loaded.report.entries);
        assert_eq!(kept + dropped, expected, "{name}");
        for (_, mesh) in loaded.scene.meshes() {
            assert_eq!(mesh.data().normals.len(), mesh.positions().len(), "{name} has normals");
        }
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn sponza() {
    let start = Instant::now();
    let loaded = load_or_panic(&scenes().join("sponza-dabrovic/sponza.obj"));
    eprintln!("sponza in {:?}: {:#?}", start.elapsed(), loaded.report.entries);
    let (kept, dropped) = triangles(&loaded);
    assert_eq!(kept + dropped, 66_450);
    assert_eq!(loaded.report.warnings().count(), 0, "all materials and textures are found");
    assert_eq!(loaded.scene.textures().len(), 10, "the images of the library");
    let floor = loaded.scene.materials().find(|(_, m)| m.name == "sp_00_luk_mali").unwrap().1;
    assert!(matches!(floor.surface, Surface::Lambert { albedo } if albedo.texture.is_some()));
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn gltf() {
    let expected = [
        ("GearboxAssy", 646_064),
        ("Buggy", 474_329),
        // 121,496, of which 11,154 are degenerate
        ("2CylinderEngine", 110_342),
        ("FlightHelmet", 94_722),
        ("BrainStem", 61_666),
        ("ClearCoatTest", 37_116),
        ("DamagedHelmet", 15_452),
        ("NormalTangentTest", 7_774),
        ("CesiumMan", 4_672),
        ("Monster", 884),
        ("RiggedFigure", 256),
        ("RiggedSimple", 188),
        ("castle-multiple_animated_lights", 4_938),
        ("castle-punctual_lights", 1_730),
        ("castle-camera_animation", 3_936),
        ("Suzanne", 3_936),
        ("CesiumMilkTruck", 3_624),
        ("Duck", 4_212),
        ("Duck-glTF-Binary", 4_212),
        ("Duck-glTF-Embedded", 4_212),
        ("MorphStressTest", 2_412),
        ("AnimatedMorphSphere", 960),
        ("AnimatedMorphCube", 12),
        ("MorphPrimitivesTest", 32),
        ("SimpleMorph", 1),
        ("Fox", 576),
        ("Box", 12),
        ("BoxInterleaved", 12),
        ("BoxTextured", 12),
        ("BoxTextured-glTF-Binary", 12),
        ("BoxTextured-glTF-Embedded", 12),
        ("Triangle", 1),
        ("TriangleWithoutIndices", 1),
        ("GltfPrimitives", 12),
    ];
    let mut folders: Vec<_> =
        std::fs::read_dir(scenes().join("gltf")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let mut checked = 0;
    for folder in folders.iter().filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let known = expected.iter().find(|(known, _)| *known == name);
        checked += usize::from(known.is_some());
        let mut files: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in files {
            if !matches!(file.extension().and_then(|e| e.to_str()), Some("gltf" | "glb")) {
                continue;
            }
            let start = Instant::now();
            let loaded = load_or_panic(&file);
            let (kept, _) = triangles(&loaded);
            eprintln!("{}: {kept} in {:?}", file.display(), start.elapsed());
            for entry in &loaded.report.entries {
                eprintln!("    {entry}");
            }
            if let Some((_, expected)) = known {
                assert_eq!(kept, *expected, "{name}");
            }
        }
    }
    assert_eq!(checked, expected.len());
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn pbrt() {
    // Each killeroo has a control mesh of 8316 triangles, which is subdivided once
    let cases = [
        ("pbrt/v3/killeroo-simple.pbrt", 2 * 4 * 8316 + 4, 5),
        ("pbrt/v4/killeroo-simple.pbrt", 2 * 4 * 8316 + 4, 5),
        ("cornell-box/pbrt/scene.pbrt", 36, 8),
    ];
    for (name, expected, meshes) in cases {
        let start = Instant::now();
        let loaded = load_or_panic(&scenes().join(name));
        eprintln!("{name} in {:?}: {:#?}", start.elapsed(), loaded.report.entries);
        assert_eq!(triangles(&loaded).0, expected, "{name}");
        assert_eq!(loaded.scene.meshes().len(), meshes, "{name}");
        assert_eq!(loaded.report.warnings().count(), 0, "{name}");
        assert_eq!(loaded.scene.cameras().len(), 1, "{name}");
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn gltf_details() {
    let gltf = scenes().join("gltf");

    // The sparse accessor raises the vertices 8, 10 and 12.
    let sparse = load_or_panic(&gltf.join("SimpleSparseAccessor/SimpleSparseAccessor.gltf"));
    let (_, mesh) = sparse.scene.meshes().next().unwrap();
    let heights: Vec<f32> = mesh.positions().iter().map(|p| p.y).collect();
    assert_eq!(heights[7..], [1.0, 2.0, 1.0, 3.0, 1.0, 4.0, 1.0]);

    let bounds = |name: &str| {
        let loaded = load_or_panic(&gltf.join(name));
        loaded.scene.world_instances().iter().fold(Aabb::EMPTY, |bounds, instance| {
            let mesh = loaded.scene.mesh(instance.mesh).unwrap();
            bounds.union(mesh.bounds().transformed(&instance.world_from_object))
        })
    };
    let (box_, interleaved) = (bounds("Box/Box.gltf"), bounds("BoxInterleaved/BoxInterleaved.gltf"));
    assert_eq!(box_.size().to_array(), [1.0; 3]);
    assert_eq!(interleaved.size().to_array(), [1.0; 3]);

    let lights = load_or_panic(&gltf.join("castle-punctual_lights/test_lights.gltf"));
    assert!(!lights.scene.world_lights().is_empty());

    let helmet = load_or_panic(&gltf.join("DamagedHelmet/DamagedHelmet.gltf"));
    let (_, mesh) = helmet.scene.meshes().next().unwrap();
    assert_eq!(mesh.data().tangents.len(), mesh.positions().len(), "the normal map requires tangents");
    let linear = |texture: &Texels| matches!(texture, Texels::Linear8(_));
    assert_eq!(helmet.scene.textures().filter(|(_, t)| linear(t.texels())).count(), 2);
}

/// Returns the bounds of all visible instances.
fn bounds(scene: &Scene) -> Aabb {
    scene.world_instances().iter().fold(Aabb::EMPTY, |bounds, instance| {
        let mesh = scene.mesh(instance.mesh).unwrap();
        bounds.union(mesh.bounds().transformed(&instance.world_from_object))
    })
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn animations() {
    // Name, number of animations, number of deformers
    let expected = [
        ("AnimatedCube", 1, 0),
        ("AnimatedTriangle", 1, 0),
        ("AnimatedMorphCube", 1, 1),
        ("AnimatedMorphSphere", 1, 1),
        ("SimpleMorph", 1, 1),
        ("MorphStressTest", 3, 1),
        ("RiggedSimple", 1, 1),
        ("RiggedFigure", 1, 1),
        ("CesiumMan", 1, 1),
        ("BrainStem", 1, 1),
        ("Fox", 3, 1),
        ("Monster", 1, 1),
        ("BoxAnimated", 1, 0),
        ("CesiumMilkTruck", 1, 0),
    ];
    for (name, animations, deformers) in expected {
        let loaded = load_or_panic(&scenes().join(format!("gltf/{name}/{name}.gltf")));
        let warnings: Vec<_> = loaded.report.warnings().map(ToString::to_string).collect();
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        let rest = loaded.scene;
        assert_eq!((rest.animations().len(), rest.deformers().len()), (animations, deformers), "{name}");
        assert!(rest.deform().unwrap().is_empty(), "{name}: meshes match their joints and weights");
        for (id, animation) in rest.animations() {
            let (mut scene, duration_secs) = (rest.clone(), animation.duration_secs());
            assert!(duration_secs > 0.1 && duration_secs < 60.0, "{name}: {duration_secs} s");
            let mut changed = 0;
            let start = Instant::now();
            for tenth in 0..=10u8 {
                let edits = scene.pose(id, duration_secs * f32::from(tenth) / 10.0).unwrap();
                changed += usize::from(!edits.is_empty());
                scene.apply(SceneEdit::Batch(edits)).unwrap();
                let (then, now) = (bounds(&rest), bounds(&scene));
                let near = now.size().max_element() < 5.0 * then.size().max_element();
                assert!(near, "{name}: the bounds {now:?} are much larger than {then:?}");
            }
            eprintln!("{name}: {} of {duration_secs} s, {:?} per pose", animation.name, start.elapsed() / 11);
            assert!(changed > 2, "{name}: {} changes the scene", animation.name);
            scene.apply(SceneEdit::Batch(scene.rest(id).unwrap())).unwrap();
            assert!(scene.nodes().eq(rest.nodes()), "{name}: nodes are in the rest pose");
            assert!(scene.meshes().eq(rest.meshes()), "{name}: meshes are in the rest pose");
        }
    }

    let man = load_or_panic(&scenes().join("gltf/CesiumMan/CesiumMan.gltf"));
    let height = bounds(&man.scene).size().y;
    assert!(
        (1.4..1.7).contains(&height),
        "height of {height} m, independent of the transform of the mesh's node"
    );
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn environments() {
    for (name, width, height) in [("spiaggia_di_mondello_1k.hdr", 1024, 512), ("museum.exr", 512, 256)] {
        let texture = load_environment(&scenes().join("envmaps").join(name)).unwrap().texture;
        assert_eq!((texture.width(), texture.height()), (width, height));
        let Texels::Float(texels) = texture.texels() else { panic!("{name}") };
        assert!(texels.iter().any(|texel| texel[0] > 1.0), "{name} is brighter than a screen");
    }
}

/// Returns all files of a folder and of those below it with this extension, in their order.
fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let of_path = |path: PathBuf| match path.is_dir() {
        true => files_below(&path, extension),
        false => vec![path],
    };
    let is_wanted = |path: &PathBuf| path.extension().is_some_and(|found| found == extension);
    paths.into_iter().flat_map(of_path).filter(is_wanted).collect()
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn mitsuba() {
    // Instances, triangles
    let expected = [
        ("cornell-box/mitsuba/scene.xml", 8, 38),
        ("cornell-box/mitsuba-spheres/scene.xml", 9, 14),
        // The triangles of sponza.obj but for degenerate ones, and a spherical light
        ("sponza-dabrovic/scene.xml", 38, 66_445),
        ("veach-mis/scene.xml", 10, 12),
    ];
    for (name, instances, triangles) in expected {
        let loaded = load_or_panic(&scenes().join(name));
        assert_eq!(loaded.scene.world_instances().len(), instances, "{name}");
        assert_eq!(loaded.scene.instanced_triangle_count(), triangles, "{name}");
        assert_eq!(loaded.scene.world_cameras().len(), 1, "{name}");
    }
    let mut count = 0;
    for folder in ["cornell-box", "sponza-dabrovic", "veach-mis", "mitsuba-tests"] {
        for file in files_below(&scenes().join(folder), "xml") {
            // What others include has no camera, and is searched elsewhere
            let is_part = file
                .components()
                .any(|part| part.as_os_str() == "fragments" || part.as_os_str() == "include");
            if is_part {
                continue;
            }
            let loaded = load_or_panic(&file);
            assert!(!loaded.scene.world_instances().is_empty(), "{}", file.display());
            assert_eq!(loaded.scene.world_cameras().len(), 1, "{}", file.display());
            for entry in &loaded.report.entries {
                eprintln!("    {entry}");
            }
            count += 1;
        }
    }
    assert_eq!(count, 32, "all scenes are read");
}
