//! Navigation and editing with pointer, touch and keyboard.

use std::time::Duration;

use serde_json::{Value, json};

use crate::chromium::Browser;
use crate::common::Client;
use crate::using::{block, cornell, on_image, picked, state, wait_state};

/// Position of the camera.
const EYE: &str = "state.frame.pose.world_from_view.slice(9)";
/// Transform of the selected node.
const TRANSFORM: &str = "(await import('/state.js')).nodeOf(state.selection.node).parent_from_node";

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn eye(browser: &mut Browser) -> [f64; 3] {
    numbers(&state(browser, EYE)).try_into().unwrap()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

/// Waits until the camera is at rest and returns its position.
fn settled(browser: &mut Browser) -> [f64; 3] {
    wait_state(browser, "state.frame.mode === 'rest'");
    eye(browser)
}

/// Returns the centre of the selected object's bounding box.
fn middle(browser: &mut Browser) -> [f64; 3] {
    let box_ = browser.eval(
        "(async () => { const {state} = await import('/state.js'); const {bounds} = await import('/overlay.js'); \
         const [low, high] = bounds(state.selection.node); return low.map((x, i) => (x + high[i]) / 2); })()",
    );
    numbers(&box_).try_into().unwrap()
}

pub(crate) fn touches() {
    let (_viewer, mut browser) = cornell();
    let first = settled(&mut browser);
    browser.fingers(&[[300.0, 300.0]], &[[400.0, 300.0]]);
    wait_state(&mut browser, &format!("Math.abs({EYE}[0] - {}) > 0.05", first[0]));
    let turned = settled(&mut browser);
    let target = |browser: &mut Browser| {
        numbers(&state(browser, "state.scene.bounds.reduce((a, b) => a.map((x, i) => (x + b[i]) / 2))"))
    };
    let target: [f64; 3] = target(&mut browser).try_into().unwrap();
    let (a, b) = (distance(first, target), distance(turned, target));
    assert!((a - b).abs() < 0.15 * a, "one finger orbits: distances {a} and {b}");
    browser.fingers(&[[400.0, 300.0], [500.0, 300.0]], &[[350.0, 300.0], [550.0, 300.0]]);
    wait_state(&mut browser, &format!("Math.hypot(...{EYE}.map((x, i) => x - {turned:?}[i])) > 0.05"));
    let near = distance(settled(&mut browser), target);
    assert!(near < 0.7 * b, "spreading two fingers zooms in: {b} → {near}");
}

pub(crate) fn walks() {
    let (_viewer, mut browser) = cornell();
    // Letters are shortcuts only while no text field has the focus
    browser.eval("stage.focus()");
    let axes = numbers(&state(&mut browser, "state.frame.pose.world_from_view"));
    for (code, key, axis, sign) in [
        ("KeyW", "w", 2, -1.0),
        ("KeyS", "s", 2, 1.0),
        ("KeyA", "a", 0, -1.0),
        ("KeyD", "d", 0, 1.0),
        ("KeyE", "e", 1, 1.0),
        ("KeyQ", "q", 1, -1.0),
    ] {
        let from = settled(&mut browser);
        browser.hold_key(code, key, Duration::from_millis(250));
        wait_state(&mut browser, &format!("Math.hypot(...{EYE}.map((x, i) => x - {from:?}[i])) > 0.01"));
        let to = settled(&mut browser);
        let along: f64 = (0..3).map(|i| (to[i] - from[i]) * axes[3 * axis + i] * sign).sum();
        assert!(along > 0.9 * distance(from, to), "{code} moves along its axis: {from:?} → {to:?}");
    }
}

pub(crate) fn focuses() {
    let (_viewer, mut browser) = picked();
    let at = middle(&mut browser);
    let before = settled(&mut browser);
    browser.press("KeyF", "f");
    wait_state(&mut browser, &format!("Math.hypot(...{EYE}.map((x, i) => x - {before:?}[i])) > 0.05"));
    let eye = settled(&mut browser);
    let back = numbers(&state(&mut browser, "state.frame.pose.world_from_view.slice(6, 9)"));
    // The object is in the centre of the image
    let ahead: f64 = (0..3).map(|i| (eye[i] - at[i]) * back[i]).sum();
    assert!((ahead / distance(eye, at) - 1.0).abs() < 1e-3, "{eye:?} looks at {at:?} along {back:?}");
}

pub(crate) fn focuses_in_front_of_walls() {
    let (_viewer, mut browser) = picked();
    let [x, y, z] = middle(&mut browser);
    // Look to the right, so that the place from which the block would fill the image is behind the left wall
    browser.eval(&format!(
        "(async () => {{
            const {{goTo, pose}} = await import('/camera.js');
            goTo({{ ...pose(), world_from_view: [0, 0, 1, 0, 1, 0, -1, 0, 0, {x} - 0.3, {y}, {z}] }});
        }})()"
    ));
    wait_state(&mut browser, "state.frame.pose.world_from_view[0] === 0");
    let before = settled(&mut browser);
    browser.press("KeyF", "f");
    wait_state(&mut browser, &format!("Math.hypot(...{EYE}.map((x, i) => x - {before:?}[i])) > 0.05"));
    settled(&mut browser);
    browser.wait("(async () => { const {outline} = await import('/silhouette.js'); const {state} = await import('/state.js'); return (outline(state.selection.node)?.length ?? 0) > 100; })()");
}

/// Returns an expression for the position of a point of the world in the image, CSS pixels.
fn on_screen(point: [f64; 3]) -> String {
    format!(
        "(async () => {{ const {{x, y}} = (await import('/overlay.js')).screen({point:?}); return [x, y]; }})()"
    )
}

pub(crate) fn orbits_about_what_is_there() {
    let (_viewer, mut browser) = picked();
    let initial = state(&mut browser, &format!("{EYE}.join()"));
    // Counts answers about what is under the pointer
    browser.eval(
        "{ const parse = JSON.parse; globalThis.answers = 0; JSON.parse = text => { const value = parse(text); globalThis.answers += value?.type === 'free-space'; return value; }; }",
    );
    let moved = |browser: &mut Browser, point: [f64; 3], from: [f64; 2], answer: &str| {
        settled(browser);
        let before = numbers(&browser.eval(&on_screen(point)));
        let eye = settled(browser);
        browser.mouse("mouseMoved", from, false);
        browser.mouse("mousePressed", from, true);
        browser.wait(answer);
        for step in 1..=10u8 {
            let t = f64::from(step) / 10.0;
            browser.mouse("mouseMoved", [from[0] + 120.0 * t, from[1] + 20.0 * t], true);
            std::thread::sleep(Duration::from_millis(16));
        }
        browser.mouse("mouseReleased", [from[0] + 120.0, from[1] + 20.0], false);
        wait_state(browser, &format!("Math.hypot(...{EYE}.map((x, i) => x - {eye:?}[i])) > 0.05"));
        settled(browser);
        let after = numbers(&browser.eval(&on_screen(point)));
        ((before[0] - after[0]).powi(2) + (before[1] - after[1]).powi(2)).sqrt()
    };
    // Around the selected block, wherever the drag starts
    let block_at = middle(&mut browser);
    let wall = on_image(&mut browser, [0.45, 0.12]);
    let distance = moved(&mut browser, block_at, wall, "true");
    assert!(distance < 1.0, "the selected block moves by {distance} pixels");
    // Without a selection, around what is under the pointer
    browser.eval("(async () => (await import('/camera.js')).reset())()");
    wait_state(&mut browser, &format!("{EYE}.join() === {initial}"));
    settled(&mut browser);
    let block = block(&mut browser);
    browser.click(block);
    wait_state(&mut browser, "state.selection?.position !== undefined");
    let hit = numbers(&state(&mut browser, "state.selection.position")).try_into().unwrap();
    browser.eval("stage.focus()");
    browser.press("Escape", "Escape");
    wait_state(&mut browser, "state.selection === null");
    browser.eval("globalThis.answered = globalThis.answers");
    let distance = moved(&mut browser, hit, block, "globalThis.answers > answered");
    assert!(distance < 3.0, "what is under the pointer moves by {distance} pixels");
}

/// Returns a point on a handle of the selected object, 60 pixels from its centre along an axis, or on the ring around
/// the axis; and the number of pixels per metre.
fn handle(browser: &mut Browser, axis: usize, ring: bool) -> ([f64; 2], f64) {
    let found = browser.eval(&format!(
        "(async () => {{
            const {{state}} = await import('/state.js');
            const {{bounds, screen}} = await import('/overlay.js');
            const [low, high] = bounds(state.selection.node);
            const middle = low.map((x, i) => (x + high[i]) / 2);
            const by = (i, d) => screen(middle.map((x, axis) => x + (axis === i ? d : 0)));
            const at = by(0, 0);
            const axis = {axis};
            const direction = i => {{ const to = by(i, 0.01); return [to.x - at.x, to.y - at.y].map(x => x * 100); }};
            const box = stage.getBoundingClientRect();
            const pixels = Math.hypot(...direction(axis));
            let reach;
            if ({ring}) {{
                const [u, v] = [direction((axis + 1) % 3), direction((axis + 2) % 3)];
                const metres = 84 / Math.max(Math.hypot(...direction(0)), Math.hypot(...direction(1)));
                reach = u.map((x, i) => (x + v[i]) * Math.SQRT1_2 * metres);
            }} else reach = direction(axis).map(x => (60 * x) / pixels);
            return [box.left + at.x + reach[0], box.top + at.y + reach[1], pixels];
        }})()"
    ));
    let [x, y, pixels] = [0, 1, 2].map(|i| found[i].as_f64().unwrap());
    ([x, y], pixels)
}

pub(crate) fn turns_and_scales() {
    let (_viewer, mut browser) = picked();
    let first = numbers(&state(&mut browser, TRANSFORM));
    let undone = format!(
        "state.scene.steps[0] === 0 && {TRANSFORM}.every((x, i) => Math.abs(x - {first:?}[i]) < 1e-5)"
    );
    let length = |m: &[f64], i: usize| m[3 * i..3 * i + 3].iter().map(|x| x * x).sum::<f64>().sqrt();

    // Moving follows the mouse
    let (from, pixels) = handle(&mut browser, 0, false);
    browser.drag(from, [from[0] + 60.0, from[1]]);
    let expected = 60.0 / pixels;
    let metres = format!("Math.abs({TRANSFORM}[9] - {})", first[9]);
    // The drag is one undo step from its first move on; wait for the last move
    wait_state(
        &mut browser,
        &format!("state.scene.steps[0] === 1 && Math.abs({metres} / {expected} - 1) < 0.09"),
    );
    browser.eval("document.getElementById('undo').click()");
    wait_state(&mut browser, &undone);

    // Rotation about the axis towards the camera
    browser.press("Digit2", "2");
    browser.wait("document.querySelector('[data-mode=rotate]').getAttribute('aria-checked') === 'true'");
    let (from, _) = handle(&mut browser, 2, true);
    browser.drag(from, [from[0] - 50.0, from[1]]);
    wait_state(&mut browser, "state.scene.steps[0] === 1");
    let turned = numbers(&state(&mut browser, TRANSFORM));
    assert!(
        (0..3).all(|i| (length(&turned, i) / length(&first, i) - 1.0).abs() < 1e-4),
        "rotation keeps the size"
    );
    assert!((turned[0] - first[0]).abs() + (turned[1] - first[1]).abs() > 0.1, "{first:?} → {turned:?}");
    browser.eval("document.getElementById('undo').click()");
    wait_state(&mut browser, &undone);

    // Scaling along the axes of the object
    browser.press("Digit3", "3");
    browser.wait("document.querySelector('[data-mode=scale]').getAttribute('aria-checked') === 'true'");
    let (from, _) = handle(&mut browser, 1, false);
    browser.drag(from, [from[0], from[1] - 42.0]);
    wait_state(&mut browser, "state.scene.steps[0] === 1");
    let scaled = numbers(&state(&mut browser, TRANSFORM));
    let factors: Vec<f64> = (0..3).map(|i| length(&scaled, i) / length(&first, i)).collect();
    assert!((factors[1] - 1.5).abs() < 0.15, "half the length of the handle scales by 1.5: {factors:?}");
    assert!((factors[0] - 1.0).abs() < 1e-4 && (factors[2] - 1.0).abs() < 1e-4, "{factors:?}");
    browser.eval("document.getElementById('undo').click()");
    wait_state(&mut browser, &undone);
}

pub(crate) fn names_copies_and_deletes() {
    let (_viewer, mut browser) = picked();
    let nodes = state(&mut browser, "state.scene.nodes.length").as_u64().unwrap();
    let original = state(&mut browser, "state.selection.node");

    browser.wait("document.querySelector('#panel-object input[type=text]') !== null");
    browser.eval("{ const f = document.querySelector('#panel-object input[type=text]'); f.value = 'pedestal'; f.dispatchEvent(new Event('change')); }");
    browser.wait("document.querySelector('#panel-object strong')?.textContent === 'pedestal'");

    browser.eval("stage.focus()");
    browser.press_with_shift("KeyD", "D");
    wait_state(
        &mut browser,
        &format!("state.scene.nodes.length === {} && state.selection.node !== {original}", nodes + 1),
    );
    browser.wait("document.querySelector('#panel-object strong')?.textContent === 'pedestal copy'");

    browser.press("Delete", "Delete");
    wait_state(&mut browser, &format!("state.scene.nodes.length === {nodes} && state.selection === null"));
    for steps in [2, 1, 0] {
        browser.press("KeyZ", "z");
        browser.eval("document.getElementById('undo').click()");
        wait_state(&mut browser, &format!("state.scene.steps[0] === {steps}"));
    }
    wait_state(
        &mut browser,
        &format!("state.scene.nodes.find(n => n.id === {original}).node.name !== 'pedestal'"),
    );
}

pub(crate) fn chooses_modes_by_key() {
    let (_viewer, mut browser) = picked();
    browser.wait("!document.getElementById('gizmo-modes').hidden");
    let pose = state(&mut browser, "state.view.pose.world_from_view.join()");
    let radio = "document.querySelector('#gizmo-modes [tabindex=\"0\"]')";
    browser.eval(&format!("{radio}.focus()"));
    for (key, mode) in
        [("ArrowRight", "rotate"), ("ArrowDown", "scale"), ("ArrowRight", "move"), ("ArrowLeft", "scale")]
    {
        browser.press(key, key);
        wait_state(&mut browser, &format!("state.gizmo === '{mode}'"));
        let focused =
            "[document.activeElement.dataset.mode, document.activeElement.getAttribute('aria-checked')]";
        assert_eq!(browser.eval(focused), json!([mode, "true"]), "{key}");
        let reached = browser.eval("document.querySelectorAll('#gizmo-modes [tabindex=\"0\"]').length");
        assert_eq!(reached, 1, "the tab key reaches one of the modes");
    }
    assert_eq!(
        state(&mut browser, "state.view.pose.world_from_view.join()"),
        pose,
        "the camera has not moved"
    );
}

pub(crate) fn takes_over() {
    let (viewer, mut browser) = picked();
    let tools = |hidden: bool| {
        format!("['gizmo-modes', 'gizmo-tools'].every(id => document.getElementById(id).hidden === {hidden})")
    };
    browser.wait(&tools(false));
    let mut other = Client::join(&viewer);
    other.send(&json!({"type": "control", "take": true}));
    browser.wait(&format!("{} && !document.getElementById('control').hidden", tools(true)));
    browser.eval("document.getElementById('control').click()");
    browser.wait(&tools(false));
}
