//! Fields of the panels: Escape, undo while a field has the focus, and values that are typed.

use serde_json::{Value, json};

use crate::chromium::{Browser, CTRL};
use crate::using::{cornell, picked, state, wait_state};

/// The field of the scale along x of the selected object.
const SCALE_X: &str = "document.querySelector('#panel-object input[aria-label=\"Scale x\"]')";
/// Number of steps that can be undone.
const STEPS: &str = "state.scene.steps[0]";

/// Types into a field, as a user does, without a change yet.
fn type_into(browser: &mut Browser, field: &str, text: &str) {
    browser.wait(&format!("{field} !== null"));
    browser.eval(&format!("{field}.focus(); {field}.select()"));
    browser.call("Input.insertText", json!({"text": text}));
    browser.wait(&format!("{field}.value === '{text}'"));
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
        let before = browser.eval(&format!("{field}.value"));
        type_into(&mut browser, field, "7");
        browser.press("Escape", "Escape");
        browser.wait("document.activeElement === document.body");
        assert_eq!(browser.eval(&format!("{field}.value")), before, "{field}");
        assert_eq!(state(&mut browser, STEPS), 0, "{field}");
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
    type_into(&mut browser, SCALE_X, "5");
    undo(&mut browser);
    browser.eval(
        "(async () => { const {set, state} = await import('/state.js'); set('scene', state.scene); })()",
    );
    browser.eval("new Promise(painted => requestAnimationFrame(() => requestAnimationFrame(painted)))");
    assert_eq!(state(&mut browser, STEPS), 1, "only the text was undone");
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
