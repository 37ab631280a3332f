use std::path::Path;

use sunfleck_io::{load, save_bytes};
use sunfleck_scene::SceneEdit;

use super::{check, same, saved_and_loaded};

#[test]
fn built_in_scenes() {
    for model in sunfleck_models::models() {
        // Fewer copies of the same objects, to save time
        let spec = match model.name {
            "sunflowers" => "sunflowers:flowers=60,detail=0.1",
            "plant" => "plant:bays=3",
            "erw6" => "erw6:procedural=1",
            // Patches become triangles
            "teapot-patches" => continue,
            name => name,
        };
        check(&sunfleck_models::build(spec).unwrap(), spec);
    }
}

#[test]
fn text_and_binary_hold_the_same() {
    let scene = sunfleck_models::build("teapot-room:divisions=2").unwrap();
    let (binary, report) = saved_and_loaded(&scene, "t.glb");
    assert_eq!(report.warnings().count(), 0, "{report:?}");
    let (text, _) = saved_and_loaded(&scene, "t.gltf");
    same::assert_same(&text, &binary, "teapot-room");
    let bytes = |scene| save_bytes(scene, Path::new("t.glb")).unwrap().bytes;
    assert!(bytes(&scene) == bytes(&binary), "export is deterministic");
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn shared_scenes() {
    let folder = std::env::var_os("SUNFLECK_SCENES").expect("SUNFLECK_SCENES names the folder of scenes");
    let folder = Path::new(&folder);
    let files = [
        "gltf/DamagedHelmet/DamagedHelmet.gltf",
        "gltf/FlightHelmet/FlightHelmet.gltf",
        "gltf/TextureTransformTest/TextureTransformTest.gltf",
        "gltf/TextureSettingsTest/TextureSettingsTest.gltf",
        "gltf/AlphaBlendModeTest/AlphaBlendModeTest.gltf",
        "gltf/MultiUVTest/MultiUVTest.gltf",
        "gltf/NormalTangentTest/NormalTangentTest.gltf",
        "gltf/ClearCoatTest/ClearCoatTest.gltf",
        "gltf/VertexColorTest/VertexColorTest.gltf",
        "gltf/GltfPrimitives/gltf_primitives.glb",
        "gltf/castle-punctual_lights/test_lights.gltf",
        "gltf/Buggy/Buggy.glb",
        "gltf/2CylinderEngine/2CylinderEngine.gltf",
        "gltf/Cameras/Cameras.gltf",
        "gltf/TwoSidedPlane/TwoSidedPlane.gltf",
        "gltf/AnimatedCube/AnimatedCube.gltf",
        "gltf/AnimatedTriangle/AnimatedTriangle.gltf",
        "gltf/AnimatedMorphCube/AnimatedMorphCube.gltf",
        "gltf/AnimatedMorphSphere/AnimatedMorphSphere.gltf",
        "gltf/MorphStressTest/MorphStressTest.gltf",
        "gltf/MorphPrimitivesTest/MorphPrimitivesTest.gltf",
        "gltf/SimpleMorph/SimpleMorph.gltf",
        "gltf/RiggedSimple/RiggedSimple.gltf",
        "gltf/RiggedFigure/RiggedFigure.gltf",
        "gltf/CesiumMan/CesiumMan.gltf",
        "gltf/BrainStem/BrainStem.gltf",
        "gltf/Fox/Fox.gltf",
        "gltf/Monster/Monster.gltf",
        "gltf/BoxAnimated/BoxAnimated.gltf",
        "gltf/CesiumMilkTruck/CesiumMilkTruck.gltf",
        "meshes/spot.obj",
        "meshes/head.ply",
        "sponza-dabrovic/sponza.obj",
    ];
    for file in files {
        let start = std::time::Instant::now();
        let loaded = load(&folder.join(file)).unwrap_or_else(|error| panic!("{error}"));
        check(&loaded.scene, file);
        // A pose of an animation is saved
        let mut scene = loaded.scene;
        let animations: Vec<_> = scene.animations().map(|(id, a)| (id, a.duration_secs())).collect();
        for &(id, duration_secs) in &animations {
            let edits = scene.pose(id, duration_secs * 0.3).unwrap();
            scene.apply(SceneEdit::Batch(edits)).unwrap();
        }
        if !animations.is_empty() {
            check(&scene, &format!("{file}, animated"));
        }
        eprintln!("{file}: {:?}", start.elapsed());
    }
}
