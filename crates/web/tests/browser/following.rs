//! What follows a change at once: outlines, the search, the selection, the lists of another scene.

use serde_json::{Value, json};

use crate::chromium::Browser;
use crate::common::{keeping_viewer, viewer};
use crate::editing::x_handle;
use crate::fields::{changes_sent, type_into};
use crate::using::{cornell, page, picked, press_button, quick_page, state, wait_state};

/// Left and right end of the outline of the selected object, from the centre of the image in heights of it.
fn outline(browser: &mut Browser) -> [f64; 2] {
    let is_known = "((await import('/silhouette.js')).outline(state.selection.node)?.length ?? 0) > 20";
    wait_state(browser, &format!("state.frame.mode === 'rest' && {is_known}"));
    let ends = state(
        browser,
        "await (async () => {
            const {outline} = await import('/silhouette.js');
            const xs = outline(state.selection.node).flat().map(([x]) => (x - 0.5) * state.frame.size[0] / state.frame.size[1]);
            return [Math.min(...xs), Math.max(...xs)];
        })()",
    );
    serde_json::from_value(ends).unwrap()
}

pub(crate) fn outlines_follow_the_size() {
    let (_viewer, mut browser) = picked();
    let before = outline(&mut browser);
    let pose = "state.frame.pose.world_from_view.join()";
    // The initial view would be fitted to the size
    browser.drag([400.0, 300.0], [405.0, 300.0]);
    wait_state(&mut browser, "state.frame.change === state.view.change");
    let (from, moved) = (state(&mut browser, pose), outline(&mut browser));
    browser.resize([900, 720], 1.0, false);
    wait_state(
        &mut browser,
        "state.frame.change === state.view.change && Math.abs(state.frame.size[0] / state.frame.size[1] * stage.clientHeight / stage.clientWidth - 1) < 0.02",
    );
    assert_eq!(state(&mut browser, pose), from, "the camera has not moved");
    let after = outline(&mut browser);
    for (a, b) in moved.iter().zip(after) {
        assert!((a - b).abs() < 0.03, "{before:?} {moved:?} {after:?}");
    }
}

pub(crate) fn outlines_outlive_lost_answers() {
    let (_viewer, mut browser) = cornell();
    wait_state(&mut browser, "state.frame.mode === 'rest' && state.frame.samples >= state.frame.target");
    let blocks = "state.scene.nodes.filter(({node}) => node.name.endsWith(' block')).map(({id}) => id)";
    state(
        &mut browser,
        &format!(
            "await (async () => {{
                const {{select, toggle}} = await import('/selection.js');
                const [first, second] = {blocks};
                const original = WebSocket.prototype.send;
                WebSocket.prototype.send = () => {{}};
                select({{node: first, material: null}});
                WebSocket.prototype.send = original;
                toggle(second);
            }})()"
        ),
    );
    wait_state(
        &mut browser,
        &format!(
            "await (async () => {{
                const {{outline}} = await import('/silhouette.js');
                return {blocks}.every(id => outline(id) !== null);
            }})()"
        ),
    );
}

pub(crate) fn enter_finds_what_was_just_typed() {
    let (_viewer, mut browser) = cornell();
    browser.eval(
        "search.focus(); search.value = 'tall'; search.dispatchEvent(new Event('input', {bubbles: true})); search.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))",
    );
    let selected = state(&mut browser, "state.scene.byNode.get(state.selection.node).name");
    assert_eq!(selected, "tall block", "the only row that has the text");
}

pub(crate) fn another_scene_is_listed_from_its_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let viewer = keeping_viewer("cornell", folder.path());
    let mut browser = page(&viewer);
    browser.wait("!document.getElementById('recent').disabled");
    let open = |browser: &mut Browser, name: &str| {
        // From the list of built-in scenes
        press_button(browser, "#recent-menu button:not(.recent) > span", name);
        wait_state(browser, &format!("state.scene.name === '{name}'"));
    };
    browser.eval("search.value = 'tall'; search.dispatchEvent(new Event('input', {bubbles: true}))");
    browser.wait("document.querySelectorAll('.tree-row').length === 1");
    open(&mut browser, "erw6");
    browser.wait("document.querySelectorAll('.tree-row').length > 1 && search.value === ''");
    // So low that both scenes have more rows than the tree has space for
    browser.resize([1280, 260], 1.0, false);
    let tree = "document.getElementById('tree')";
    let is_scrollable = format!("{tree}.scrollHeight > {tree}.clientHeight + 20");
    browser.wait(&is_scrollable);
    browser.eval(&format!("{tree}.scrollTop = 1000"));
    browser.wait(&format!("{tree}.scrollTop > 20"));
    open(&mut browser, "cornell");
    browser.wait(&format!("document.querySelector('.tree-row') !== null && {is_scrollable}"));
    assert_eq!(browser.eval(&format!("{tree}.scrollTop")), 0, "the list begins at its top");
}

/// Opens a scene of a triangle with this name, without a question. Returns the number of requests that have changed
/// something until then.
fn open_triangle(browser: &mut Browser, name: &str) -> Value {
    browser.eval(&format!(
        "(async () => {{
            const file = new File(['v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3\\n'], '{name}.obj');
            await (await import('/upload.js')).upload('/open', [{{name: file.name, file}}], 'Opening');
        }})()"
    ));
    wait_state(browser, &format!("state.scene.name === '{name}.obj'"));
    changes_sent(browser)
}

/// Selects the object with a mesh.
fn select_mesh(browser: &mut Browser) {
    state(
        browser,
        "(await import('/selection.js')).select({node: state.scene.nodes.find(({node}) => node.instance).id, material: null})",
    );
}

pub(crate) fn another_scene_ends_what_was_begun() {
    let (_viewer, mut browser) = picked();
    browser.wait("!document.getElementById('gizmo-modes').hidden");
    let [x, y] = x_handle(&mut browser);
    browser.pull([x, y], [x + 30.0, y]);
    wait_state(&mut browser, "state.scene.steps[0] === 1");
    let sent = open_triangle(&mut browser, "first");
    select_mesh(&mut browser);
    browser.mouse("mouseMoved", [x + 60.0, y], true);
    browser.mouse("mouseReleased", [x + 60.0, y], false);
    assert_eq!(changes_sent(&mut browser), sent, "a drag moves no object of another scene");

    let name = "document.querySelector('#panel-object input[type=text]')";
    type_into(&mut browser, name, "typed");
    let sent = open_triangle(&mut browser, "second");
    browser.wait("document.querySelector('#panel-object input') === null");
    assert_eq!(changes_sent(&mut browser), sent, "a name of the panel is given to no other object");

    select_mesh(&mut browser);
    browser.wait("document.querySelector('.tree-row[aria-selected=\"true\"]') !== null");
    state(&mut browser, "(await import('/tree-row.js')).rename(state.selection.node, () => {})");
    type_into(&mut browser, "document.querySelector('.rename')", "typed");
    let sent = open_triangle(&mut browser, "third");
    browser.wait("document.querySelector('.rename') === null");
    assert_eq!(changes_sent(&mut browser), sent, "nor is a name of the tree");

    browser.eval("document.querySelector('.stage-sky').click()");
    wait_state(&mut browser, "state.scene.sky_sun !== null");
    browser.wait("document.querySelector('.stage-sky').getAttribute('aria-pressed') === 'true'");
    press_button(&mut browser, "#panel-lights button", "Add sun");
    browser.wait("document.querySelector('.question') !== null");
    let sent = open_triangle(&mut browser, "fourth");
    browser.wait("document.querySelector('.question') === null");
    assert_eq!(changes_sent(&mut browser), sent, "a question is about the scene in which it was asked");
}

pub(crate) fn the_sun_goes_with_the_sky_at_once() {
    let (_viewer, mut browser) = cornell();
    browser.eval("document.querySelector('.stage-sky').click()");
    wait_state(&mut browser, "state.scene.sky_sun !== null");
    let fields = state(
        &mut browser,
        "await (async () => {
            (await import('/edits.js')).environment({Constant: {radiance: [1, 1, 1]}});
            // The server has not confirmed it
            const panel = document.createElement('div');
            (await import('/panel-environment.js')).update(panel);
            return panel.textContent;
        })()",
    );
    let fields = fields.as_str().unwrap();
    assert!(fields.contains("Brightness") && !fields.contains("Sun elevation"), "{fields}");
}

pub(crate) fn one_sun_at_a_time() {
    let viewer = viewer("cornell", None);
    let mut browser = quick_page(&viewer);
    browser.eval("document.getElementById('tab-light').click()");
    let press = |browser: &mut Browser, text: &str| press_button(browser, "#panel-lights button", text);
    let answer = |browser: &mut Browser, value: &str| {
        let button = format!("document.querySelector('.question button[value={value}]')");
        browser.wait(&format!("{button} !== null"));
        browser.eval(&format!("{button}.click()"));
        browser.wait("document.querySelector('.question') === null");
    };
    press(&mut browser, "Add sun");
    wait_state(&mut browser, "state.scene.lights.length === 1 && state.selection !== null");
    browser.eval("document.querySelector('.stage-sky').click()");
    answer(&mut browser, "replace");
    wait_state(&mut browser, "state.scene.lights.length === 0 && state.scene.sky_sun !== null");
    assert_eq!(state(&mut browser, "state.scene.steps"), json!([2, 0]), "the stage replaces the sun");
    // The sun that replaces the sky is selected
    press(&mut browser, "Add sun");
    answer(&mut browser, "replace");
    wait_state(&mut browser, "state.scene.lights.length === 1 && state.scene.sky_sun === null");
    wait_state(
        &mut browser,
        "state.scene.byNode.get(state.selection?.node)?.light === state.scene.lights[0].id",
    );
}

pub(crate) fn the_sun_of_the_sky_sets() {
    let (_viewer, mut browser) = cornell();
    browser
        .eval("document.getElementById('tab-light').click(); document.querySelector('.stage-sky').click()");
    wait_state(&mut browser, "state.scene.sky_sun?.elevation === 55");
    let number = |name: &str| {
        format!("document.querySelector('#panel-environment input[aria-label=\"Sun {name}, number, °\"]')")
    };
    let mut set = |name: &str, value: &str| {
        let field = number(name);
        browser.wait(&format!("{field} !== null"));
        browser.eval(&format!("{field}.value = '{value}'; {field}.dispatchEvent(new Event('change'))"));
    };
    set("elevation", "4");
    set("azimuth", "90");
    wait_state(
        &mut browser,
        "state.scene.sky_sun.elevation === 4 && Math.abs(state.scene.sky_sun.azimuth - 90) < 0.01",
    );
    assert_eq!(state(&mut browser, "state.scene.steps"), json!([3, 0]), "each is a step");
    browser.wait("document.querySelector('.stage-sky').getAttribute('aria-pressed') === 'true'");
}
