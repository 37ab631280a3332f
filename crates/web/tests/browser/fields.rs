//! Fields of the panels: Escape, undo while a field has the focus, and values that are typed.

use serde_json::{Value, json};

use crate::chromium::{Browser, CTRL};
use crate::using::{cornell, picked, state, wait_state};

/// The field of the scale along x of the selected object.
const SCALE_X: &str = "document.querySelector('#panel-object input[aria-label=\"Scale x\"]')";
/// Number of steps that can be undone.
const STEPS: &str = "state.scene.steps[0]";

/// Types into a field, as a user does, without a change yet.
pub(crate) fn type_into(browser: &mut Browser, field: &str, text: &str) {
    browser.wait(&format!("{field} !== null"));
    browser.eval(&format!("{field}.focus(); {field}.select()"));
    browser.call("Input.insertText", json!({"text": text}));
    browser.wait(&format!("{field}.value === '{text}'"));
}

/// Returns the number of requests that may have changed the scene.
pub(crate) fn changes_sent(browser: &mut Browser) -> Value {
    state(browser, "(await import('/connection.js')).changesSent()")
}

/// Presses Ctrl Z.
fn undo(browser: &mut Browser) {
    browser.modifiers = CTRL;
    browser.press("KeyZ", "z");
    browser.modifiers = 0;
}

/// Presses Enter in a field.
fn enter(browser: &mut Browser) {
    for (kind, text) in [("keyDown", "\r"), ("keyUp", "")] {
        let key =
            json!({"type": kind, "code": "Enter", "key": "Enter", "windowsVirtualKeyCode": 13, "text": text});
        browser.call("Input.dispatchKeyEvent", key);
    }
}

/// Returns the bounding box of the selected object.
fn bounds(browser: &mut Browser) -> Vec<Vec<f64>> {
    let found = state(browser, "(await import('/overlay.js')).bounds(state.selection.node)");
    serde_json::from_value(found).unwrap()
}

pub(crate) fn escape_restores() {
    let (_viewer, mut browser) = picked();
    for field in [SCALE_X, "document.querySelector('#panel-object input[type=text]')"] {
        browser.wait(&format!("{field} !== null"));
        let (before, sent) = (browser.eval(&format!("{field}.value")), changes_sent(&mut browser));
        type_into(&mut browser, field, "7");
        browser.press("Escape", "Escape");
        browser.wait("document.activeElement === document.body");
        assert_eq!(browser.eval(&format!("{field}.value")), before, "{field}");
        assert_eq!(changes_sent(&mut browser), sent, "{field}");
    }
    wait_state(&mut browser, "state.selection !== null");
}

pub(crate) fn keys_undo_what_is_committed() {
    let (_viewer, mut browser) = picked();
    type_into(&mut browser, SCALE_X, "3");
    enter(&mut browser);
    wait_state(&mut browser, &format!("{STEPS} === 1"));
    browser.wait(&format!("document.activeElement === {SCALE_X} && {SCALE_X}.value === '3'"));
    undo(&mut browser);
    wait_state(&mut browser, &format!("{STEPS} === 0"));
    browser.wait(&format!("document.activeElement === {SCALE_X} && {SCALE_X}.value === '1'"));
    // Text that is not committed is undone in its field, and is not lost by what happens meanwhile
    browser.eval("document.getElementById('redo').click()");
    wait_state(&mut browser, &format!("{STEPS} === 1"));
    let sent = changes_sent(&mut browser);
    type_into(&mut browser, SCALE_X, "5");
    undo(&mut browser);
    assert_eq!(changes_sent(&mut browser), sent, "only the text was undone");
    type_into(&mut browser, SCALE_X, "6");
    browser.eval(
        "(async () => { const {set, state} = await import('/state.js'); set('scene', state.scene); })()",
    );
    browser.eval("new Promise(painted => requestAnimationFrame(() => requestAnimationFrame(painted)))");
    assert_eq!(browser.eval(&format!("{SCALE_X}.value")), "6", "what is typed stays");
}

/// Colours, sliders, menus and checkboxes that have the focus show what undo brings back.
pub(crate) fn show_what_undo_brings_back() {
    let (_viewer, mut browser) = cornell();
    browser.eval("document.getElementById('tab-light').click()");
    browser
        .eval("(async () => (await import('/edits.js')).environment({Constant: {radiance: [1, 1, 1]}}))()");
    let color = "document.querySelector('#panel-environment input[type=color]')";
    let slider = "document.querySelector('#panel-environment input[type=range]')";
    let kind = "document.querySelector('#panel-environment select')";
    browser.wait(&format!("{color} !== null"));
    for (field, value, event) in
        [(color, "#ff0000", "change"), (slider, "2", "change"), (kind, "Black", "change")]
    {
        let steps = state(&mut browser, STEPS).as_u64().unwrap();
        let before = browser.eval(&format!("{field}.value"));
        browser.eval(&format!(
            "{field}.focus(); {field}.value = '{value}'; for (const type of ['input', '{event}']) {field}.dispatchEvent(new Event(type, {{bubbles: true}}))"
        ));
        wait_state(&mut browser, &format!("{STEPS} === {}", steps + 1));
        browser.wait(&format!("document.activeElement === {field}"));
        undo(&mut browser);
        wait_state(&mut browser, &format!("{STEPS} === {steps}"));
        browser.wait(&format!("{field}?.value === {before}"));
        browser.wait(&format!("document.activeElement === {field}"));
    }
}

pub(crate) fn scale_about_the_centre() {
    let (_viewer, mut browser) = picked();
    let center =
        |bounds: &[Vec<f64>]| (0..3).map(|i| 0.5 * (bounds[0][i] + bounds[1][i])).collect::<Vec<_>>();
    let size = |bounds: &[Vec<f64>]| bounds[1][0] - bounds[0][0];
    let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
    let before = bounds(&mut browser);
    assert!(center(&before)[0].abs() > 0.1, "its origin is far from it: {before:?}");
    type_into(&mut browser, SCALE_X, "2.5");
    enter(&mut browser);
    wait_state(&mut browser, &format!("{STEPS} === 1"));
    let scaled = bounds(&mut browser);
    assert!(close(&center(&scaled), &center(&before)), "{scaled:?}");
    assert!((size(&scaled) - 2.5 * size(&before)).abs() < 1e-5, "{scaled:?}");
    browser.wait(&format!("{SCALE_X}.value === '2.5'"));
    // A half turn, after which the box is the same
    type_into(
        &mut browser,
        "document.querySelector('#panel-object input[aria-label=\"Rotation, ° y\"]')",
        "180",
    );
    enter(&mut browser);
    wait_state(&mut browser, &format!("{STEPS} === 2"));
    let turned = bounds(&mut browser);
    assert!(close(&center(&turned), &center(&before)), "{turned:?}");
    // A position is exactly what is typed
    let position = "document.querySelector('#panel-object input[aria-label=\"Position, m x\"]')";
    type_into(&mut browser, position, "0.5");
    enter(&mut browser);
    wait_state(&mut browser, &format!("{STEPS} === 3"));
    let exact: Value =
        state(&mut browser, "state.scene.byNode.get(state.selection.node).parent_from_node[9]");
    assert_eq!(exact, 0.5, "as it was typed");
}

pub(crate) fn quick_values_are_all_kept() {
    let (_viewer, mut browser) = picked();
    let field = |name: &str| format!("document.querySelector('#panel-object input[aria-label=\"{name}\"]')");
    browser.wait(&format!("{} !== null", field("Position, m x")));
    let commit = |name: &str, value: &str| {
        let field = field(name);
        format!("{field}.value = '{value}'; {field}.dispatchEvent(new Event('change', {{bubbles: true}}));")
    };
    // The panel shows the first only after the second
    browser.eval(&format!("{{ {} {} }}", commit("Position, m x", "0.25"), commit("Position, m y", "0.5")));
    wait_state(&mut browser, &format!("{STEPS} === 2"));
    let position =
        state(&mut browser, "state.scene.byNode.get(state.selection.node).parent_from_node.slice(9, 11)");
    assert_eq!(position, json!([0.25, 0.5]), "both were typed");

    // What is no scale, and an emptied field, change nothing
    let sent = changes_sent(&mut browser);
    for value in ["0", ""] {
        browser.eval(&format!("{{ {} }}", commit("Scale x", value)));
        assert_eq!(browser.eval(&format!("{}.value", field("Scale x"))), "1", "'{value}' is not taken");
    }
    assert_eq!(changes_sent(&mut browser), sent, "neither is an edit");
}

pub(crate) fn typed_values_keep_shear() {
    let (_viewer, mut browser) = picked();
    // The second column leans towards the first
    let sheared = "[2,0,0, 0.5,1,0, 0,0,1, 0.1,0.2,0.3]";
    state(&mut browser, &format!("(await import('/edits.js')).transform(state.selection.node, {sheared})"));
    wait_state(&mut browser, &format!("{STEPS} === 1"));
    let mut steps = 1;
    let mut commit = |browser: &mut Browser, name: &str, value: &str| {
        let field = format!("document.querySelector('#panel-object input[aria-label=\"{name}\"]')");
        browser.eval(&format!(
            "{{ {field}.value = '{value}'; {field}.dispatchEvent(new Event('change', {{bubbles: true}})); }}"
        ));
        steps += 1;
        wait_state(browser, &format!("{STEPS} === {steps}"));
        let now = state(browser, "state.scene.byNode.get(state.selection.node).parent_from_node");
        let now: Vec<f64> = serde_json::from_value(now).unwrap();
        now
    };
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
    let moved = commit(&mut browser, "Position, m x", "0.25");
    assert!(near(&moved, &[2.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 1.0, 0.25, 0.2, 0.3]), "{moved:?}");
    let scaled = commit(&mut browser, "Scale x", "4");
    assert!(near(&scaled[..9], &[4.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 1.0]), "{scaled:?}");
    // A quarter turn about z: x becomes y, and y becomes -x
    let turned = commit(&mut browser, "Rotation, ° z", "90");
    assert!(near(&turned[..9], &[0.0, 4.0, 0.0, -1.0, 0.5, 0.0, 0.0, 0.0, 1.0]), "{turned:?}");
    let rotation = state(
        &mut browser,
        "(await import('/math.js')).decompose(state.scene.byNode.get(state.selection.node).parent_from_node).rotation",
    );
    let rotation: Vec<f64> = serde_json::from_value(rotation).unwrap();
    assert!(near(&rotation, &[0.0, 0.0, 90.0]), "{rotation:?}");
}

pub(crate) fn sliders_keep_their_value_and_drags() {
    let (_viewer, mut browser) = cornell();
    browser.eval("document.getElementById('tab-light').click()");
    browser
        .eval("(async () => (await import('/edits.js')).environment({Constant: {radiance: [1, 1, 1]}}))()");
    let number = "document.querySelector('#panel-environment input[type=number]')";
    browser.wait(&format!("{number} !== null"));
    wait_state(&mut browser, &format!("{STEPS} === 1"));
    let sent = changes_sent(&mut browser);
    browser.eval(&format!("{number}.focus(); {number}.select(); document.execCommand('delete')"));
    assert_eq!(browser.eval(&format!("{number}.value")), "", "the field is empty");
    enter(&mut browser);
    browser.wait(&format!("{number}.value === '1'"));
    assert_eq!(changes_sent(&mut browser), sent, "that is no edit");

    // After a drag that the browser cancels, such as for a gesture, the next one is a step of its own
    browser.eval(
        "{
            const range = document.querySelector('#panel-environment input[type=range]');
            for (const [value, type] of [[0.5, 'input'], [0.5, 'pointercancel'], [1, 'input'], [1, 'change']]) {
                range.value = value;
                range.dispatchEvent(new Event(type));
            }
        }",
    );
    wait_state(&mut browser, &format!("{STEPS} === 3"));
}
