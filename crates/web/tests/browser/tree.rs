//! Tree of objects: search, keyboard, ranges, visibility, names, and thousands of nodes.

use serde_json::json;
use sunfleck_math::{Affine3, vec3};
use sunfleck_scene::{Camera, Light, LightKind, Node, Scene};
use sunfleck_web::Viewer;

use crate::chromium::Browser;
use crate::common::viewer_of;
use crate::using::{press_button, quick_page, state, wait_state};

/// Names of the rows in the document, from top to bottom.
const NAMES: &str = "[...document.querySelectorAll('.tree-row .name')].map(name => name.textContent)";
/// Names of the selected nodes.
const SELECTED: &str = "state.selected.map(id => state.scene.byNode.get(id).name)";

/// Makes the Cornell box with a shelf that holds `books` empty nodes and a torch, and with another camera.
fn library(books: usize) -> Scene {
    let mut scene = sunfleck_models::build("cornell").unwrap();
    let shelf = scene.add_node(Node::new("shelf")).unwrap();
    for i in 0..books {
        scene.add_node(Node::new(format!("book {i}")).below(shelf)).unwrap();
    }
    let light = Light { name: "torch".into(), emission: vec3(0.1, 0.1, 0.1), kind: LightKind::Point };
    let light = scene.add_light(light).unwrap();
    let place = Affine3::from_translation(vec3(0.3, 0.3, 0.3));
    scene.add_node(Node::new("torch").below(shelf).at(place).with_light(light)).unwrap();
    let camera = scene.add_camera(Camera::perspective("from above", 0.9)).unwrap();
    let above = Affine3::from_translation(vec3(0.0, 0.5, 2.0));
    scene.add_node(Node::new("from above").at(above).with_camera(camera)).unwrap();
    scene
}

/// Opens the page of a viewer of such a scene.
fn open_library(books: usize) -> (Viewer, Browser) {
    let viewer = viewer_of("library", library(books), None);
    let browser = quick_page(&viewer);
    (viewer, browser)
}

fn key(browser: &mut Browser, key: &str, shift: bool) {
    if shift { browser.press_with_shift(key, key) } else { browser.press(key, key) }
}

/// Clicks the row with a name while keys are held.
fn click_row(browser: &mut Browser, name: &str, keys: &str) {
    browser.eval(&format!(
        "[...document.querySelectorAll('.tree-row .name')].find(n => n.textContent === '{name}').dispatchEvent(new MouseEvent('click', {{bubbles: true, {keys}}}))"
    ));
}

/// Waits until the keyboard's cursor is on the row with a name.
fn wait_cursor(browser: &mut Browser, name: &str) {
    browser.wait(&format!("document.querySelector('.tree-row.active .name')?.textContent === '{name}'"));
}

pub(crate) fn finds() {
    let (_viewer, mut browser) = open_library(3);
    browser.eval("stage.focus()");
    browser.press("Slash", "/");
    browser.wait("document.activeElement.id === 'search'");
    browser.call("Input.insertText", json!({"text": "TORCH"}));
    // With the parents of what is found
    browser.wait(&format!("{NAMES}.join() === 'shelf,torch'"));
    key(&mut browser, "Enter", false);
    wait_state(&mut browser, &format!("{SELECTED}.join() === 'torch'"));
    browser.wait("document.activeElement.id === 'tree'");
    // Its panel has the fields of a light
    browser.wait("document.querySelector('#panel-light select')?.value === 'Point'");

    browser.eval("stage.focus()");
    browser.press("Slash", "/");
    browser.call("Input.insertText", json!({"text": "unicorn"}));
    browser.wait("document.getElementById('tree-note').textContent === 'No object has this name.'");
    let gap = browser.eval("document.getElementById('tree-note').getBoundingClientRect().top - document.getElementById('search').getBoundingClientRect().bottom");
    assert!(gap.as_f64().unwrap() < 30.0, "it is near the field: {gap}");
    key(&mut browser, "Escape", false);
    browser.wait(&format!(
        "{NAMES}.includes('book 2') && document.getElementById('tree-note').textContent === ''"
    ));
}

pub(crate) fn moves_by_key() {
    let (_viewer, mut browser) = open_library(3);
    let first = browser.eval(&format!("{NAMES}[0]"));
    let last = browser.eval(&format!("{NAMES}.at(-1)"));
    assert_eq!(
        browser.eval("document.getElementById('tree').getAttribute('role')"),
        "tree",
        "for a screen reader"
    );
    browser.eval("document.getElementById('tree').focus()");
    key(&mut browser, "End", false);
    wait_cursor(&mut browser, last.as_str().unwrap());
    key(&mut browser, "Home", false);
    wait_cursor(&mut browser, first.as_str().unwrap());

    // The branch of the shelf is closed and opened again
    click_row(&mut browser, "torch", "");
    wait_cursor(&mut browser, "torch");
    key(&mut browser, "ArrowLeft", false);
    wait_cursor(&mut browser, "shelf");
    key(&mut browser, "ArrowLeft", false);
    browser.wait(&format!("!{NAMES}.includes('book 0')"));
    key(&mut browser, "ArrowRight", false);
    browser.wait(&format!("{NAMES}.includes('book 0')"));
    key(&mut browser, "ArrowRight", false);
    wait_cursor(&mut browser, "book 0");
    key(&mut browser, "Enter", false);
    wait_state(&mut browser, &format!("{SELECTED}.join() === 'book 0'"));

    // Hide and rename
    key(&mut browser, " ", false);
    wait_state(
        &mut browser,
        "state.scene.nodes.find(({node}) => node.name === 'book 0').node.visible === false",
    );
    browser.wait(
        "document.querySelector('.tree-row.active').getAttribute('aria-label') === 'book 0, group, hidden'",
    );
    key(&mut browser, "F2", false);
    browser.wait("document.activeElement.className === 'rename'");
    browser.call("Input.insertText", json!({"text": "atlas"}));
    key(&mut browser, "Enter", false);
    wait_state(&mut browser, "state.scene.nodes.some(({node}) => node.name === 'atlas')");
    browser.wait(&format!("{NAMES}.includes('atlas')"));
    assert_eq!(state(&mut browser, "state.scene.steps[0]"), 2, "hiding and renaming are one undo step each");
}

pub(crate) fn selects_ranges() {
    let (_viewer, mut browser) = open_library(4);
    let place = browser.eval(
        "(() => { const b = [...document.querySelectorAll('.tree-row .name')].find(n => n.textContent === 'book 1').getBoundingClientRect(); return [b.left + 20, b.top + 8]; })()",
    );
    browser.click([0, 1].map(|i| place[i].as_f64().unwrap()));
    wait_state(&mut browser, &format!("{SELECTED}.join() === 'book 1'"));
    click_row(&mut browser, "book 3", "shiftKey: true");
    wait_state(&mut browser, &format!("{SELECTED}.join() === 'book 1,book 2,book 3'"));
    browser.wait("document.querySelectorAll('.tree-row[aria-selected=true]').length === 3");
    browser.wait("document.getElementById('panel-object').textContent.includes('One of 3 selected objects')");
    // From the same start in the other direction
    click_row(&mut browser, "book 0", "shiftKey: true");
    wait_state(&mut browser, &format!("{SELECTED}.join() === 'book 1,book 0'"));
    click_row(&mut browser, "torch", "ctrlKey: true");
    wait_state(&mut browser, &format!("{SELECTED}.join() === 'book 1,book 0,torch'"));
    click_row(&mut browser, "book 1", "ctrlKey: true");
    wait_state(&mut browser, &format!("{SELECTED}.join() === 'book 0,torch'"));

    // By key
    click_row(&mut browser, "book 0", "");
    browser.eval("document.getElementById('tree').focus()");
    key(&mut browser, "ArrowDown", true);
    key(&mut browser, "ArrowDown", true);
    wait_state(&mut browser, &format!("{SELECTED}.join() === 'book 0,book 1,book 2'"));

    // The eye of one hides all of them in one step
    browser.eval("[...document.querySelectorAll('.tree-row')].find(row => row.querySelector('.name').textContent === 'book 1').querySelector('.eye').click()");
    wait_state(
        &mut browser,
        "state.scene.nodes.filter(({node}) => !node.visible).map(({node}) => node.name).join() === 'book 0,book 1,book 2'",
    );
    assert_eq!(state(&mut browser, "state.scene.steps[0]"), 1, "one step");

    // A camera is selected, the view is that of the camera, and the header names it
    click_row(&mut browser, "from above", "");
    wait_state(
        &mut browser,
        "Math.abs(state.view.pose.world_from_view[10] - 0.5) < 1e-4 && Math.abs(state.view.pose.world_from_view[11] - 2) < 1e-4",
    );
    browser.wait("document.getElementById('cameras').selectedOptions[0].textContent === 'from above'");
}

pub(crate) fn lists_thousands() {
    let (_viewer, mut browser) = open_library(3900);
    // Branches of large scenes are closed
    browser.wait(&format!("{NAMES}.includes('shelf') && !{NAMES}.includes('book 0')"));
    // What is selected elsewhere is shown
    browser.eval(
        "(async () => { const {state} = await import('/state.js'); const {select} = await import('/selection.js'); \
         select({node: state.scene.nodes.find(({node}) => node.name === 'book 2000').id, material: null}); })()",
    );
    wait_cursor(&mut browser, "book 2000");
    let inside = "(() => { const [a, b] = [document.querySelector('.tree-row.active'), document.getElementById('tree')].map(e => e.getBoundingClientRect()); return a.top >= b.top && a.bottom <= b.bottom; })()";
    browser.wait(inside);
    let rows = browser.eval("document.querySelectorAll('.tree-row').length").as_u64().unwrap();
    assert!(rows < 80, "{rows} rows are in the document");
    browser.eval("document.getElementById('tree').focus()");
    // A hundred keys with a paint after each
    let milliseconds = browser.eval(
        "(async () => {
            const tree = document.getElementById('tree');
            const start = performance.now();
            for (let i = 0; i < 100; i++) {
                tree.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true}));
                await new Promise(resolve => requestAnimationFrame(resolve));
            }
            return (performance.now() - start) / 100;
        })()",
    );
    wait_cursor(&mut browser, "book 2100");
    // The selected object is shown again when a search that has found it is emptied
    key(&mut browser, "Enter", false);
    wait_state(&mut browser, &format!("{SELECTED}.join() === 'book 2100'"));
    let search = |text: &str| {
        format!(
            "{{ const f = document.getElementById('search'); f.value = '{text}'; f.dispatchEvent(new Event('input')); }}"
        )
    };
    browser.eval(&search("book 2"));
    browser.wait(&format!("{NAMES}.includes('book 2')"));
    browser.eval(&search(""));
    wait_cursor(&mut browser, "book 2100");
    browser.wait(inside);
    let milliseconds = milliseconds.as_f64().unwrap();
    assert!(milliseconds < 100.0, "a step takes {milliseconds} ms");
}

pub(crate) fn copies_groups_quickly() {
    let (_viewer, mut browser) = open_library(3);
    let count = "[state.scene.nodes.length, state.scene.lights.length, state.scene.steps[0]]";
    let before = state(&mut browser, count);
    // The second is a copy of the first, which the server has not confirmed
    state(
        &mut browser,
        "await (async () => {
            const {duplicate} = await import('/duplicate.js');
            const {selectedNodes} = await import('/selection.js');
            duplicate(state.scene.nodes.find(({node}) => node.name === 'shelf').id);
            duplicate(selectedNodes());
        })()",
    );
    wait_state(&mut browser, "state.scene.steps[0] === 2");
    // Twice a shelf with three books and a torch
    let expected: Vec<u64> =
        [10, 2, 2].iter().enumerate().map(|(i, more)| before[i].as_u64().unwrap() + more).collect();
    assert_eq!(state(&mut browser, count), json!(expected), "nodes, lights and steps");
    wait_state(&mut browser, "state.scene.byNode.get(state.selection?.node)?.name === 'shelf copy copy'");
}

pub(crate) fn keeps_groups_of_unlisted_objects() {
    let (_viewer, mut browser) = open_library(4100);
    assert_eq!(state(&mut browser, "state.scene.more_nodes > 0"), true, "not all nodes are listed");
    browser.eval(
        "(async () => { const {childrenOf, state} = await import('/state.js'); const shelf = state.scene.nodes.find(({node}) => node.name === 'shelf').id; \
         (await import('/edits.js')).remove(childrenOf(shelf)); })()",
    );
    // The rest of the shelf is listed now
    wait_state(&mut browser, "state.scene.steps[0] === 1 && state.scene.more_nodes === 0");
    for name in ["shelf", "book 4099", "torch"] {
        let is_there = format!("state.scene.nodes.some(({{node}}) => node.name === '{name}')");
        assert_eq!(state(&mut browser, &is_there), true, "{name}");
    }
}

pub(crate) fn keeps_materials_of_unlisted_objects() {
    let (_viewer, mut browser) = open_library(4100);
    // An object whose material no listed object has
    let material = state(
        &mut browser,
        "state.scene.materials.find(({id}) => state.scene.nodes.filter(({node}) => node.instance?.materials.includes(id)).length === 1).id",
    );
    let users =
        format!("state.scene.nodes.filter(({{node}}) => node.instance?.materials.includes({material}))");
    let node = state(&mut browser, &format!("{users}[0].id"));
    browser.eval(&format!(
        "(async () => (await import('/selection.js')).select({{node: {node}, material: {material}}}))()"
    ));
    let press = |browser: &mut Browser, name: &str| {
        let buttons = "#panel-material button";
        let is_there =
            format!("[...document.querySelectorAll('{buttons}')].some(b => b.textContent === '{name}')");
        browser.wait(&is_there);
        press_button(browser, buttons, name);
    };
    let surface = format!("Object.keys(state.scene.byMaterial.get({material}).surface)[0]");
    let before = state(&mut browser, &surface);
    press(&mut browser, "Glass");
    wait_state(&mut browser, "state.scene.steps[0] === 1");
    assert_eq!(state(&mut browser, &surface), before, "unlisted objects may have the material");
    assert_eq!(state(&mut browser, &format!("{users}.length")), 0, "the object has another one");
    browser.eval("document.getElementById('undo').click()");
    wait_state(&mut browser, "state.scene.steps[0] === 0");
    // Until the panel shows the material again
    browser.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
    press(&mut browser, "Make single-user copy");
    wait_state(&mut browser, &format!("state.scene.steps[0] === 1 && {users}.length === 0"));

    // A material that is not listed cannot be changed
    let failures = state(
        &mut browser,
        &format!(
            "await (async () => {{
                const {{nodeOf}} = await import('/state.js');
                const materials = nodeOf({node}).instance.materials;
                materials.forEach(id => state.scene.byMaterial.delete(id));
                const failures = [];
                addEventListener('error', ({{message}}) => failures.push(message));
                const {{kindButtons}} = await import('/material-kinds.js');
                [...kindButtons().querySelectorAll('button')].find(b => b.textContent === 'Glass').click();
                return failures;
            }})()"
        ),
    );
    assert_eq!(failures, json!([]), "nothing has thrown");
    browser.wait("document.getElementById('toasts').textContent.includes('not listed')");
}
