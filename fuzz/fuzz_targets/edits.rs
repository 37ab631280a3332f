//! Edits of a scene as JSON, as the viewer's page sends them: each takes effect and is inverted, or changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sunfleck_scene::{Scene, SceneEdit};

fuzz_target!(|bytes: &[u8]| {
    let Ok(edits) = serde_json::from_slice::<Vec<SceneEdit>>(bytes) else { return };
    let mut scene = Scene::default();
    for edit in edits {
        if let Ok(inverse) = scene.apply(edit) {
            let again = scene.apply(inverse).expect("an inverse is valid");
            scene.apply(again).expect("its inverse is valid, too");
        }
    }
    let _ = scene.world_instances();
});
