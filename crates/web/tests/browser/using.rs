//! Basic use of the viewer: opening, orbiting, selecting, editing, errors, reconnecting.

use std::hash::{DefaultHasher, Hash, Hasher};

use sunfleck_web::{Viewer, ViewerOptions, ViewerScene};

use crate::chromium::Browser;
use crate::common::viewer;

/// Size of the window.
pub(crate) const SIZE: [u32; 2] = [1280, 720];
/// State of the page.
const STATE: &str = "(await import('/state.js')).state";

/// Opens a page and waits until it shows an image of its size.
pub(crate) fn page(viewer: &Viewer) -> Browser {
    let mut browser = Browser::open(viewer.url(), SIZE);
    browser.wait("document.getElementById('waiting')?.hidden === true");
    wait_state(&mut browser, "state.view.size.join() === [stage.clientWidth, stage.clientHeight].join()");
    browser
}

/// Evaluates an expression with the variable `state`.
pub(crate) fn state(browser: &mut Browser, expression: &str) -> serde_json::Value {
    browser.eval(&format!("(async () => {{ const state = {STATE}; return {expression}; }})()"))
}

/// Waits until an expression with the variable `state` is true.
pub(crate) fn wait_state(browser: &mut Browser, expression: &str) {
    browser.wait(&format!("(async () => {{ const state = {STATE}; return {expression}; }})()"));
}

/// Presses the button with a text among those of a selector.
pub(crate) fn press_button(browser: &mut Browser, selector: &str, text: &str) {
    browser.eval(&format!(
        "[...document.querySelectorAll('{selector}')].find(b => b.textContent === '{text}').click()"
    ));
}

/// Returns a hash of the displayed pixels, after the image of the current view is finished.
pub(crate) fn picture(browser: &mut Browser) -> u64 {
    wait_state(
        browser,
        "state.frame.mode === 'rest' && state.frame.samples >= state.frame.target && state.frame.change === state.view.change",
    );
    let mut hasher = DefaultHasher::new();
    browser.eval("document.getElementById('picture').toDataURL()").as_str().unwrap().hash(&mut hasher);
    hasher.finish()
}

/// Returns the position of the short block of the Cornell box in the window.
pub(crate) fn block(browser: &mut Browser) -> [f64; 2] {
    on_image(browser, [-0.154, 0.645])
}

/// Returns the position on the page of a point of the image.
///
/// * `right` — way to the right of its centre, as a fraction of its height. * `down` — way from its upper edge.
pub(crate) fn on_image(browser: &mut Browser, [right, down]: [f64; 2]) -> [f64; 2] {
    let stage = browser.eval(
        "(() => { const b = stage.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()",
    );
    let [left, top, width, height] = [0, 1, 2, 3].map(|i| stage[i].as_f64().unwrap());
    // The vertical field of view is fixed
    [left + width / 2.0 + right * height, top + down * height]
}

/// Sets a low resolution and one sample per pixel, so that images are done quickly.
pub(crate) fn quick(browser: &mut Browser) {
    browser.eval(
        "(async () => (await import('/connection.js')).send({type: 'set', settings: {samples: 1, scale: 0.25, exposure: 0}}))()",
    );
    wait_state(browser, "state.frame.target === 1 && state.view.scale === 0.25");
}

/// Opens a page whose images are done quickly.
pub(crate) fn quick_page(viewer: &Viewer) -> Browser {
    let mut browser = page(viewer);
    quick(&mut browser);
    browser
}

/// Opens such a page of a viewer of the Cornell box.
pub(crate) fn cornell() -> (Viewer, Browser) {
    let viewer = viewer("cornell", None);
    let browser = quick_page(&viewer);
    (viewer, browser)
}

/// Opens a page of the Cornell box whose short block is selected.
pub(crate) fn picked() -> (Viewer, Browser) {
    let (viewer, mut browser) = cornell();
    pick(&mut browser);
    (viewer, browser)
}

/// Selects the short block of the Cornell box by a click.
pub(crate) fn pick(browser: &mut Browser) {
    let block = block(browser);
    browser.click(block);
    wait_state(browser, "state.selection !== null");
}

pub(crate) fn opens() {
    let viewer = viewer("erw6", None);
    let mut browser = page(&viewer);
    assert_eq!(browser.eval("document.title"), "erw6 – Sunfleck", "the title is the name of the scene");
    let size =
        browser.eval("(async () => { const {state} = await import('/state.js'); return state.aspect; })()");
    let stage = browser.eval("stage.clientWidth / stage.clientHeight");
    let (size, stage) = (size.as_f64().unwrap(), stage.as_f64().unwrap());
    assert!((size - stage).abs() < 0.2, "the image fills the page: aspect ratios {size} and {stage}");
}

pub(crate) fn orbits() {
    let (_viewer, mut browser) = cornell();
    let before = picture(&mut browser);
    let pose = "state.frame.pose.world_from_view.join()";
    let from = state(&mut browser, pose);
    browser.drag([400.0, 300.0], [500.0, 320.0]);
    wait_state(&mut browser, &format!("{pose} !== {from}"));
    assert_ne!(picture(&mut browser), before, "the view has changed");
    // R resets the view
    browser.eval("dispatchEvent(new KeyboardEvent('keydown', {code: 'KeyR', key: 'r'}))");
    wait_state(&mut browser, &format!("{pose} === {from}"));
    assert_eq!(picture(&mut browser), before, "the initial image is restored");
}

pub(crate) fn picks_and_edits() {
    let (_viewer, mut browser) = cornell();
    let before = picture(&mut browser);
    pick(&mut browser);
    let name = state(&mut browser, "state.selection.name");
    browser.wait(&format!("document.querySelector('#panel-object strong')?.textContent === {name}"));
    // At rest, the outline is drawn instead of the bounding box
    browser.wait("(async () => { const {outline} = await import('/silhouette.js'); const {state} = await import('/state.js'); return (outline(state.selection.node)?.length ?? 0) > 100; })()");
    press_button(&mut browser, "#panel-object button", "Hide");
    wait_state(&mut browser, "state.scene.steps[0] === 1 && state.frame.revision === state.scene.revision");
    assert_ne!(picture(&mut browser), before, "{name} is hidden");
    browser.eval("document.getElementById('undo').click()");
    wait_state(&mut browser, "state.scene.steps[0] === 0 && state.frame.revision === state.scene.revision");
    assert_eq!(picture(&mut browser), before, "undo restores the image");
}

pub(crate) fn drags_a_handle() {
    let (_viewer, mut browser) = picked();
    let tip = browser.eval(
        "(async () => {
            const {state} = await import('/state.js');
            const {bounds, screen} = await import('/overlay.js');
            const [low, high] = bounds(state.selection.node);
            const at = screen(low.map((x, i) => (x + high[i]) / 2));
            const box = stage.getBoundingClientRect();
            return [box.left + at.x, box.top + at.y - 60];
        })()",
    );
    let tip = [tip[0].as_f64().unwrap(), tip[1].as_f64().unwrap()];
    let height = "(await import('/state.js')).nodeOf(state.selection.node).parent_from_node[10]";
    let before = state(&mut browser, height).as_f64().unwrap();
    browser.drag(tip, [tip[0], tip[1] - 50.0]);
    wait_state(&mut browser, "state.scene.steps[0] === 1");
    let after = state(&mut browser, height).as_f64().unwrap();
    assert!(after > before + 0.01, "{before} → {after}: the object was moved up");
    browser.eval("document.getElementById('undo').click()");
    wait_state(&mut browser, &format!("state.scene.steps[0] === 0 && Math.abs({height} - {before}) < 1e-6"));
}

pub(crate) fn turns_the_sun() {
    let (_viewer, mut browser) = cornell();
    press_button(&mut browser, "#panel-lights button", "Add sun");
    let sun = "state.scene.nodes.find(({node}) => node.light !== null)?.node";
    wait_state(&mut browser, &format!("{sun} !== undefined"));
    // Elevation of the sun: sin φ sin δ + cos φ cos δ cos h for latitude φ = 45°, declination δ = 20° and hour angle h
    let field = "[...document.querySelectorAll('#panel-light input')].find(f => f.getAttribute('aria-label') ?.startsWith('Time of day, number'))";
    browser.wait(&format!("{field} !== undefined"));
    for (hour, expected) in [(12, 0.9063), (6, 0.2418), (18, 0.2418), (5, 0.0699)] {
        browser.eval(&format!(
            "{{ const field = {field}; field.value = '{hour}'; field.dispatchEvent(new Event('change')); }}"
        ));
        let height = format!("(await import('/math.js')).column({sun}.parent_from_node, 2)[1]");
        wait_state(&mut browser, &format!("Math.abs({height} - {expected}) < 1e-3"));
        let shown = format!("Math.abs(Number({field}.value) - {hour}) < 0.01");
        browser.wait(&shown);
    }
    browser.eval(
        "{ const type = document.querySelector('#panel-light select'); type.value = 'Point'; type.dispatchEvent(new Event('change')); }",
    );
    wait_state(&mut browser, "state.scene.lights[0].light.kind === 'Point'");
}

pub(crate) fn explains() {
    let viewer = viewer("cornell", None);
    let mut browser = page(&viewer);
    browser.eval(
        "(async () => (await import('/opening.js')).open([{name: 'bad.obj', file: new File(['v 0 0 zero'], 'bad.obj')}]))()",
    );
    browser.wait("document.querySelector('.toast.error')?.textContent.includes('bad.obj:1:7: \"zero\" is not a number') ?? false");
    browser.eval(
        "(async () => (await import('/opening.js')).open([{name: 'good.obj', file: new File(['v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3'], 'good.obj')}]))()",
    );
    browser.wait("document.title === 'good.obj – Sunfleck'");
    assert!(browser.eval("document.querySelector('.toast.error')").is_null(), "the message has gone");
}

pub(crate) fn reconnects() {
    let first = viewer("cornell", None);
    let mut browser = page(&first);
    let port = first.url().trim_end_matches('/').rsplit(':').next().unwrap().parse().unwrap();
    drop(first);
    browser.wait("document.getElementById('waiting').hidden === false");
    browser.wait("document.querySelector('.toast.error')?.textContent.includes('was lost')");
    let scene = sunfleck_models::build("cornell").unwrap();
    let viewer_scene = ViewerScene::new("second", scene, Default::default(), Vec::new()).unwrap();
    let _second = Viewer::start(viewer_scene, &ViewerOptions { port, ..Default::default() }).unwrap();
    browser.wait("document.title === 'second – Sunfleck' && document.getElementById('waiting').hidden");
    browser.wait("document.getElementById('toasts').textContent.includes('The server was restarted')");
    assert!(browser.eval("document.querySelector('.toast.error')").is_null(), "the loss is over");
}

pub(crate) fn labels() {
    let viewer = viewer("cornell", None);
    let mut browser = page(&viewer);
    pick(&mut browser);
    browser.wait("document.querySelectorAll('#panel-material input').length > 0");
    let nameless = browser.eval(
        "[...document.querySelectorAll('input:not([hidden]), select, button, textarea')]
            .filter(e => !(e.labels?.length || e.getAttribute('aria-label') || e.textContent.trim()))
            .map(e => e.outerHTML)",
    );
    assert_eq!(nameless, serde_json::json!([]), "these elements have no accessible name");
}
