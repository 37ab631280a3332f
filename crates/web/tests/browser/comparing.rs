//! Comparison of two images, the colour legend, and the performance panel.

use serde_json::json;

use crate::chromium::Browser;
use crate::common::viewer;
use crate::using::{cornell, page, quick_page, state, wait_state};

/// JavaScript function that returns the sum of red, green and blue at a position of the canvas, 0 … 1 from the upper
/// left.
const SUM: &str = "const sum = (x, y) => { const c = document.getElementById('picture'); \
    const d = c.getContext('2d').getImageData(Math.round(x * c.width), Math.round(y * c.height), 1, 1).data; return d[0] + d[1] + d[2]; };";

/// Returns the position of the divider, in percent from the left.
fn divider(browser: &mut Browser) -> f64 {
    browser.eval("Number(document.getElementById('divider').getAttribute('aria-valuenow'))").as_f64().unwrap()
}

pub(crate) fn splits() {
    let (_viewer, mut browser) = cornell();
    browser.press("KeyV", "v");
    wait_state(&mut browser, "state.view.second !== null && !document.getElementById('divider').hidden");
    assert_eq!(
        browser.eval("document.getElementById('divider').getAttribute('role')"),
        "separator",
        "for a screen reader"
    );
    assert_eq!(
        browser.eval("document.getElementById('side-right').textContent"),
        "igi",
        "instant global illumination is the default"
    );
    // The channel is black where nothing is reflected
    browser.eval("(async () => (await import('/connection.js')).send({type: 'set', settings: {second: {algorithm: 'whitted', channel: 'reflections'}}}))()");
    let done = "state.view.second?.channel === 'reflections' && state.frame.mode === 'rest' && state.frame.samples >= state.frame.target \
        && state.frame.second?.samples >= state.frame.second?.target";
    wait_state(&mut browser, done);
    let black = |browser: &mut Browser, x: f64| {
        browser.wait(&format!("(() => {{ {SUM} return sum({x}, 0.5) < 12; }})()"));
    };
    let lit = |browser: &mut Browser, x: f64| {
        browser.wait(&format!("(() => {{ {SUM} return sum({x}, 0.5) > 30; }})()"));
    };
    lit(&mut browser, 0.47);
    black(&mut browser, 0.53);

    // By mouse
    let place = browser.eval("(() => { const b = document.getElementById('divider').getBoundingClientRect(); return [b.left + b.width / 2, b.top + 200, stage.clientWidth]; })()");
    let [x, y, width] = [0, 1, 2].map(|i| place[i].as_f64().unwrap());
    let before = state(&mut browser, "state.frame.pose");
    browser.drag([x, y], [x + 0.1 * width, y]);
    assert!((divider(&mut browser) - 60.0).abs() <= 1.0, "{}", divider(&mut browser));
    lit(&mut browser, 0.53);
    // By finger
    browser.fingers(&[[x + 0.1 * width, y]], &[[x - 0.1 * width, y]]);
    assert!((divider(&mut browser) - 40.0).abs() <= 1.0, "{}", divider(&mut browser));
    black(&mut browser, 0.47);
    // By key
    browser.eval("document.getElementById('divider').focus()");
    browser.press("ArrowRight", "ArrowRight");
    assert_eq!(divider(&mut browser), 42.0, "a step");
    browser.press_with_shift("ArrowRight", "ArrowRight");
    assert_eq!(divider(&mut browser), 52.0, "a large step");
    browser.press("Home", "Home");
    assert_eq!(divider(&mut browser), 0.0, "only the second image is shown");
    assert_eq!(state(&mut browser, "state.frame.pose"), before, "the divider does not move the camera");

    browser.eval("document.getElementById('split-toggle').click()");
    wait_state(&mut browser, "state.view.second === null && document.getElementById('divider').hidden");
    lit(&mut browser, 0.53);
}

pub(crate) fn differs() {
    let (_viewer, mut browser) = cornell();
    let images = "[...document.querySelectorAll('#save-menu a[href^=\"/picture\"]:not([hidden])')].map(a => a.textContent)";
    for (first, second) in [("igi", "path"), ("path", "igi")] {
        browser.eval(&format!(
            "(async () => (await import('/connection.js')).send({{type: 'set', settings: {{algorithm: '{first}', second: {{algorithm: '{first}'}}}}}}))()"
        ));
        wait_state(&mut browser, &format!("state.view.algorithm === '{first}'"));
        browser.eval("document.getElementById('split-toggle').click()");
        wait_state(&mut browser, &format!("state.view.second?.algorithm === '{second}'"));
        assert_eq!(
            browser.eval(images),
            json!([
                "Left image as PNG",
                "Right image as PNG",
                "Left image as EXR (linear)",
                "Right image as EXR (linear)"
            ]),
            "both images"
        );
        browser.wait("document.getElementById('status-text').title.startsWith('Samples per pixel of the left image (')");
        // The user may choose the same one
        browser.eval(&format!("(async () => (await import('/connection.js')).send({{type: 'set', settings: {{second: {{algorithm: '{first}'}}}}}}))()"));
        wait_state(&mut browser, &format!("state.view.second?.algorithm === '{first}'"));
        browser.eval("document.getElementById('split-toggle').click()");
        wait_state(&mut browser, "state.view.second === null");
        assert_eq!(browser.eval(images), json!(["Image as PNG", "Image as EXR (linear)"]), "a single image");
        browser.wait("document.getElementById('status-text').title === ''");
    }
}

pub(crate) fn explains_colours() {
    let viewer = viewer("teapot-room", None);
    let mut browser = quick_page(&viewer);
    assert_eq!(browser.eval("document.getElementById('legend').hidden"), true, "radiance has no legend");
    browser.eval("{ const shows = [...document.querySelectorAll('#panel-view select')][1]; shows.value = 'reflections'; shows.dispatchEvent(new Event('change')); }");
    wait_state(&mut browser, "state.view.channel === 'reflections'");
    browser.wait("!document.getElementById('legend').hidden && document.getElementById('legend').textContent === 'Levels of reflection012481525+'");
}

pub(crate) fn measures() {
    let viewer = viewer("cornell", None);
    let mut browser = page(&viewer);
    browser.press("KeyP", "p");
    browser.wait("!document.getElementById('performance').hidden");
    browser.drag([400.0, 300.0], [430.0, 310.0]);
    for word in ["lights", "trace", "shade", "shadow rays", "film", "tone curve", "encode", "decode"] {
        let there =
            format!("[...document.querySelectorAll('#stages span')].some(s => s.textContent === '{word}')");
        browser.wait(&there);
    }
    for word in ["Frames per second", "Rays", "Virtual lights", "Server memory"] {
        browser.wait(&format!("document.getElementById('numbers').textContent.includes('{word}')"));
    }
    // Stages are stacked: several colours in one column
    browser.wait(
        "(() => { const c = document.getElementById('plot'); const d = c.getContext('2d').getImageData(c.width - 3, 0, 1, c.height).data; \
         return new Set(Array.from({length: c.height}, (_, i) => [...d.slice(4 * i, 4 * i + 3)].join()).filter(c => c !== '0,0,0')).size >= 3; })()",
    );
}
