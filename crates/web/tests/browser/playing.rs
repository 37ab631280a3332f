//! Animations, and saving and opening of scenes.

use std::thread::sleep;
use std::time::Duration;

use sunfleck_math::Vec3;
use sunfleck_scene::{
    Animation, AnimationId, Curve, Interpolation, NodeMotion, NodeTransform, Scene, SceneEdit,
};

use crate::common::viewer_of;
use crate::using::{pick, picture, quick, quick_page, state, wait_state};

/// Makes the Cornell box with a tall block that rotates once in four seconds.
pub(crate) fn turning() -> Scene {
    let mut scene = sunfleck_models::build("cornell").unwrap();
    let (id, node) = scene.nodes().find(|(_, node)| node.name.contains("tall")).unwrap();
    let rest = NodeTransform { translation: node.parent_from_node.translation, ..NodeTransform::default() };
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let quarters = [
        [0.0, 0.0, 0.0, 1.0],
        [0.0, half, 0.0, half],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, half, 0.0, -half],
        [0.0, 0.0, 0.0, -1.0],
    ];
    let curve = Curve {
        interpolation: Interpolation::Linear,
        times_secs: vec![0.0, 1.0, 2.0, 3.0, 4.0],
        values: quarters.concat(),
    };
    let up = [rest.translation, rest.translation + Vec3::Y * 0.1, rest.translation];
    let rises = Curve {
        interpolation: Interpolation::Linear,
        times_secs: vec![0.0, 2.0, 4.0],
        values: up.map(|at: Vec3| at.to_array()).concat(),
    };
    let motion = NodeMotion { node: id, rest, translation: Some(rises), rotation: Some(curve), scale: None };
    let animation = Animation { name: "turning".into(), nodes: vec![motion], weights: vec![] };
    scene.apply(SceneEdit::Animation { id: AnimationId(0), animation: Some(animation.into()) }).unwrap();
    scene
}

pub(crate) fn plays() {
    let viewer = viewer_of("turning", turning(), None);
    let mut browser = quick_page(&viewer);
    let before = picture(&mut browser);
    browser.wait("!document.getElementById('timeline').hidden");

    // Play, then pause
    browser.eval("document.getElementById('play').click()");
    wait_state(&mut browser, "state.view.moment?.plays === true");
    let early = state(&mut browser, "state.view.moment.secs").as_f64().unwrap();
    sleep(Duration::from_millis(900));
    wait_state(&mut browser, &format!("state.view.moment.secs !== {early}"));
    browser.eval("document.getElementById('play').click()");
    wait_state(&mut browser, "state.view.moment?.plays === false");
    picture(&mut browser);
    assert_eq!(state(&mut browser, "state.scene.steps[0]"), 0, "nothing to undo");

    // Seek
    browser.eval(
        "(() => { const moment = document.getElementById('moment'); moment.value = '1.5'; moment.dispatchEvent(new Event('input')); })()",
    );
    wait_state(&mut browser, "state.view.moment?.secs === 1.5");
    assert_ne!(picture(&mut browser), before, "the block has rotated");

    // Back to the rest pose
    browser.eval("document.getElementById('rest').click()");
    wait_state(&mut browser, "state.view.moment === null");
    assert_eq!(picture(&mut browser), before, "the rest pose is restored");
}

pub(crate) fn saves_and_opens() {
    let viewer = viewer_of("turning", turning(), None);
    let mut browser = quick_page(&viewer);
    let before = picture(&mut browser);
    pick(&mut browser);
    browser.eval("(async () => { const {state} = await import('/state.js'); (await import('/edits.js')).visible(state.selection.node, false); })()");
    wait_state(&mut browser, "state.scene.steps[0] === 1 && state.frame.revision === state.scene.revision");
    let changed = picture(&mut browser);
    assert_ne!(changed, before, "an object is hidden");

    // Open the saved scene
    let change = state(&mut browser, "state.view.change");
    let link = browser.eval("document.querySelector('#save-menu a[href=\"/scene.glb\"]').href");
    browser.eval(&format!(
        "(async () => {{
            const file = new File([await (await fetch({link})).blob()], 'saved.glb');
            (await import('/opening.js')).open([{{name: file.name, file}}]);
        }})()"
    ));
    browser.wait("document.querySelector('.question') !== null");
    browser.eval("document.querySelector('.question button[value=open]').click()");
    wait_state(&mut browser, &format!("state.scene.name === 'saved.glb' && state.view.change > {change}"));
    assert!(state(&mut browser, "state.selection").is_null(), "an id in one scene is none in another");
    quick(&mut browser);
    assert_eq!(picture(&mut browser), changed, "the same image");
}
