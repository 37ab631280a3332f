//! Layout of the page: tabs, stages, status bar, sheets of a phone, widths, and the keys of its regions.

use serde_json::{Value, json};

use crate::chromium::Browser;
use crate::pictures::save;
use crate::using::{SIZE, cornell, pick, press_button, state, wait_state};

/// Returns the tab whose panel is shown.
fn tab(browser: &mut Browser) -> Value {
    let shown = browser.eval("[...document.querySelectorAll('[role=tabpanel]')].filter(p => !p.hidden).map(p => p.getAttribute('aria-labelledby')).join()");
    assert_eq!(
        shown,
        browser.eval("document.querySelector('[role=tab][aria-selected=true]').id"),
        "one panel is shown"
    );
    shown
}

pub(crate) fn switches_tabs() {
    let (_viewer, mut browser) = cornell();
    assert_eq!(tab(&mut browser), "tab-object", "the first tab");
    browser.wait("document.getElementById('panel-object').textContent.includes('Click an object')");
    browser.eval("document.getElementById('tab-object').focus()");
    for (key, expected) in [
        ("ArrowRight", "tab-light"),
        ("ArrowRight", "tab-rendering"),
        ("End", "tab-scene"),
        ("ArrowRight", "tab-object"),
        ("ArrowLeft", "tab-scene"),
        ("Home", "tab-object"),
        ("End", "tab-scene"),
    ] {
        browser.press(key, key);
        assert_eq!(tab(&mut browser), expected, "{key}");
        assert_eq!(browser.eval("document.activeElement.id"), expected, "the focus follows");
    }
    // A selection in the image opens the tab of the object
    pick(&mut browser);
    assert_eq!(tab(&mut browser), "tab-object", "the object was selected");
    // The tree follows
    browser.wait("(async () => { const {state} = await import('/state.js'); return document.querySelector('.tree-row[aria-selected=true]')?.dataset.node === String(state.selection.node); })()");
}

pub(crate) fn chooses_a_stage() {
    let (_viewer, mut browser) = cornell();
    for (label, name) in [("Sky", "stage sky"), ("Studio", "stage studio"), ("Clay", "stage clay")] {
        press_button(&mut browser, ".stages button", label);
        wait_state(&mut browser, &format!("state.scene.textures.some(t => t.name === '{name}')"));
        browser.wait(&format!(
            "document.querySelector('.stages [aria-pressed=true]')?.textContent === '{label}'"
        ));
    }
    assert_eq!(
        browser.eval("document.querySelector('#panel-environment select').selectedOptions[0].textContent"),
        "Stage Clay",
        "it has the name of the stage"
    );
    // The map has fields
    for field in ["Brightness", "Rotation"] {
        assert_eq!(
            browser.eval(&format!(
                "document.getElementById('panel-environment').textContent.includes('{field}')"
            )),
            true,
            "{field}"
        );
    }
    press_button(&mut browser, ".stages button", "None");
    wait_state(&mut browser, "state.scene.environment === 'Black'");
}

pub(crate) fn replaces_the_sun_of_the_sky() {
    let (_viewer, mut browser) = cornell();
    browser.eval("document.querySelector('.stage-sky').click()");
    browser.wait("document.querySelector('.stage-sky').getAttribute('aria-pressed') === 'true'");
    browser.wait("document.getElementById('panel-environment').textContent.includes('Sun elevation')");
    let add_sun = |browser: &mut Browser| press_button(browser, "#panel-lights button", "Add sun");
    let choose = |answer: &str| format!("document.querySelector('.question button[value={answer}]').click()");
    add_sun(&mut browser);
    browser.wait("document.querySelector('.question') !== null");
    save(&mut browser, "second-sun");
    browser.eval(&choose("cancel"));
    browser.wait("document.querySelector('.question') === null");
    assert_eq!(state(&mut browser, "state.scene.lights.length"), 0, "nothing was added");
    add_sun(&mut browser);
    browser.wait("document.querySelector('.question') !== null");
    browser.eval(&choose("replace"));
    wait_state(
        &mut browser,
        "state.scene.lights.length === 1 && state.scene.environment.Constant !== undefined",
    );
    // Another one is added without a question, and the facts have lamps, too
    browser.eval("document.getElementById('tab-light').click()");
    browser.wait("document.getElementById('panel-lights').textContent.includes('Time of day')");
    add_sun(&mut browser);
    wait_state(&mut browser, "state.scene.lights.length === 2");
    let facts = "document.getElementById('panel-scene').textContent";
    browser.wait(&format!("{facts}.includes('Lights2, and 1 emissive material')"));
}

pub(crate) fn hints_when_nothing_is_in_view() {
    let (_viewer, mut browser) = cornell();
    let hidden = "document.getElementById('lost').hidden";
    assert_eq!(browser.eval(hidden), true, "the scene is in view");
    for moved in
        ["[...m.slice(0, 9), m[9], m[10], m[11] + 5000]", "[...m.slice(0, 9), m[9] + 3, m[10], m[11]]"]
    {
        browser.eval(&format!(
            "(async () => {{ const {{goTo, pose}} = await import('/camera.js'); const m = pose().world_from_view; goTo({{ ...pose(), world_from_view: {moved} }}); }})()"
        ));
        browser.wait(&format!("!{hidden}"));
        save(&mut browser, "lost");
        browser.eval("document.querySelector('#lost button').click()");
        browser.wait(hidden);
        wait_state(&mut browser, "state.frame.change === state.view.change");
    }
}

pub(crate) fn tells_what_is_shown() {
    let (_viewer, mut browser) = cornell();
    let rest = "{mode: 'rest', samples: 64, target: 1024, view_secs: 3.21, denoised: 64}";
    let moving = "{mode: 'moving', samples: 1, target: 1024, view_secs: 0, denoised: null, size: [968, 676], light_divisor: 4}";
    let full = "[968, 676]";
    for (header, age, fps, expected) in [
        (rest, 10, "20", "64 of 1024 samples · denoised · 3.2 s"),
        (
            "{mode: 'rest', samples: 8, target: 8, view_secs: 1, denoised: null}",
            10,
            "null",
            "8 of 8 samples · 1.0 s · done",
        ),
        (
            "{mode: 'settling', samples: 1, target: 9, view_secs: 0, denoised: 1, size: [968, 676], light_divisor: 2}",
            10,
            "null",
            "refining · 968 × 676, light at 1/2 · denoised",
        ),
        (moving, 10, "22", "moving · 968 × 676, light at 1/4 · 22 fps"),
        (
            "{mode: 'moving', samples: 1, target: 9, view_secs: 0, size: [484, 338]}",
            10,
            "9",
            "moving · 484 × 338 of 968 × 676 · 9.0 fps",
        ),
        ("{mode: 'moving', samples: 1, target: 9, view_secs: 0}", 10, "null", "moving"),
        // The image stands still: it is not moving, whatever the last frame was rendered for
        (moving, 2000, "null", "preview, 968 × 676, light at 1/4 · rendering"),
        (
            "{mode: 'rest', samples: 1, target: 9, view_secs: 0, size: [484, 338], light_divisor: null}",
            10,
            "null",
            "484 × 338 of 968 × 676 · 1 of 9 samples · 0.0 s",
        ),
        (
            "{mode: 'rest', samples: 2, target: 4, view_secs: 1, denoised: null, second: {samples: 4, target: 4, view_secs: 1, denoised: 4}}",
            10,
            "null",
            "2 | 4 of 4 samples · denoised · 2.0 s",
        ),
    ] {
        let text = browser.eval(&format!(
            "(async () => (await import('/status.js')).frameText({header}, {{age: {age}, fps: {fps}, full: {full}}}))()"
        ));
        assert_eq!(text, expected, "{header}");
    }
    // The size of the finished image is that of the server, which limits it
    browser.eval(
        "(async () => { const {set, state} = await import('/state.js'); set('view', {...state.view, image_size: [5000, 4000]}); })()",
    );
    browser.wait("document.getElementById('status-text').textContent.includes(' of 5000 × 4000')");
    // The status of the page itself
    browser.drag([400.0, 300.0], [460.0, 320.0]);
    browser.wait("document.getElementById('status-text').textContent.includes('done')");
    // A rate of rays is not shown for long after the last frame
    browser.wait("document.getElementById('status-rays').textContent === ''");
    let text = browser.eval("document.getElementById('status').textContent");
    let text = text.as_str().unwrap();
    assert!(!text.contains("moving") && !text.contains("fps") && !text.contains("rays"), "at rest: {text}");
    assert!(text.contains("CPU"), "{text}");
}

pub(crate) fn fails_alone() {
    let (_viewer, mut browser) = cornell();
    let set_scene = |fields: &str| {
        format!(
            "(async () => {{ const {{set, state}} = await import('/state.js'); set('scene', {{...state.scene, {fields}}}); }})()"
        )
    };
    let shows =
        |text: &str| format!("document.getElementById('panel-object').textContent.includes('{text}')");
    browser.wait(&shows("Click an object"));
    let thrown = browser.thrown_by(&set_scene("notes: undefined, triangles: 12345"), &shows("12,345"));
    assert!(
        thrown[0].contains("TypeError") && thrown.len() == 1,
        "the tab of the scene has failed: {thrown:?}"
    );
    browser.eval(&set_scene("notes: ['a note'], triangles: 67890"));
    browser.wait(&shows("67,890"));
    browser.wait("document.getElementById('panel-scene').textContent.includes('a note')");
}

pub(crate) fn opens_sheets() {
    let (_viewer, mut browser) = cornell();
    browser.resize([390, 844], 1.0, true);
    let is_shown = |browser: &mut Browser, id: &str| {
        browser.eval(&format!("document.getElementById('{id}').checkVisibility()"))
    };
    browser.wait("!document.getElementById('panels').checkVisibility()");
    assert_eq!(is_shown(&mut browser, "objects"), false, "the image has the whole screen");
    let height = browser.eval("stage.clientHeight");
    browser.eval("document.getElementById('objects-toggle').click()");
    assert_eq!(is_shown(&mut browser, "objects"), true, "the sheet is open");
    browser.wait("document.querySelectorAll('.tree-row').length > 3");
    browser.eval("document.getElementById('panels-toggle').click()");
    assert_eq!(
        (is_shown(&mut browser, "objects"), is_shown(&mut browser, "panels")),
        (json!(false), json!(true)),
        "one sheet"
    );
    assert_eq!(browser.eval("stage.clientHeight"), height, "a sheet is over the image, which keeps its size");
    browser.eval("document.querySelector('#panels .close-sheet').click()");
    assert_eq!(is_shown(&mut browser, "panels"), false, "the sheet is closed");
    assert_eq!(browser.eval("document.activeElement.id"), "panels-toggle", "the focus returns");
    // Everything of the header can be touched
    let reachable = "[...document.querySelectorAll('header button, header select')].filter(e => e.checkVisibility()).every(e => { \
        const b = e.getBoundingClientRect(); return b.left >= 0 && b.right <= 390 && b.height >= 38 && e.contains(document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2)); })";
    assert_eq!(browser.eval(reachable), true, "the header");
    browser.resize([1280, 720], 1.0, false);
    browser.wait("document.getElementById('panels').checkVisibility() && document.getElementById('objects').checkVisibility()");
}

pub(crate) fn changes_widths() {
    let (_viewer, mut browser) = cornell();
    for (side, towards) in [("objects", 1.0), ("panels", -1.0)] {
        let width = |browser: &mut Browser| {
            browser.eval(&format!("document.getElementById('{side}').clientWidth")).as_f64().unwrap()
        };
        let place = browser.eval(&format!(
            "(() => {{ const b = document.querySelector('#{side} .sash').getBoundingClientRect(); return [b.left + 3, b.top + 300]; }})()"
        ));
        let [x, y] = [0, 1].map(|i| place[i].as_f64().unwrap());
        let before = width(&mut browser);
        browser.drag([x, y], [x + towards * 60.0, y]);
        let after = width(&mut browser);
        assert!((after - before - 60.0).abs() < 6.0, "{side}: {before} → {after}");
        browser.press("ArrowLeft", "ArrowLeft");
        assert_eq!(width(&mut browser), after - towards * 16.0, "{side}: a step of the arrow key");
    }
    let values = "['min', 'now', 'max'].map(name => Number(document.querySelector('#objects .sash').getAttribute(`aria-value${name}`)))";
    browser.wait(&format!("{values}.join() === [180, objects.offsetWidth, Math.min(640, innerWidth - panels.offsetWidth - 240)].join()"));
    // The image has the size of its area, and the widths are kept
    let widths = "[objects.clientWidth, panels.clientWidth].join()";
    let kept = browser.eval(widths);
    browser.eval("window.isOld = true");
    browser.call("Page.reload", json!({}));
    browser.wait("window.isOld === undefined && document.getElementById('waiting')?.hidden === true");
    assert_eq!(browser.eval(widths), kept, "after loading the page again");
    wait_state(&mut browser, "state.view.size.join() === [stage.clientWidth, stage.clientHeight].join()");

    // A smaller window has space for the image, and in a larger one the tree is as wide as before
    browser.eval("document.querySelector('#objects .sash').focus()");
    for _ in 0..12 {
        browser.press("ArrowRight", "ArrowRight");
    }
    let wide = browser.eval("objects.offsetWidth");
    assert!(wide.as_f64().unwrap() > 420.0, "the tree is wide: {wide}");
    browser.resize([1010, 720], 1.0, false);
    browser.wait("innerWidth === 1010 && stage.clientWidth >= 240");
    browser.resize(SIZE, 1.0, false);
    browser.wait(&format!("objects.offsetWidth === {wide}"));
}

pub(crate) fn is_used_by_key() {
    let (_viewer, mut browser) = cornell();
    browser.eval("stage.focus()");
    for (code, key, id) in [("KeyT", "t", "objects"), ("KeyN", "n", "panels")] {
        browser.press(code, key);
        browser.wait(&format!("!document.getElementById('{id}').checkVisibility()"));
        browser.press(code, key);
        browser.wait(&format!("document.getElementById('{id}').checkVisibility()"));
    }
    browser.eval("stage.focus()");
    let holder = "document.activeElement.closest('header, #objects, #stage, #panels, footer')";
    for expected in ["PANELS", "FOOTER", "HEADER", "OBJECTS", "STAGE"] {
        browser.press("F6", "F6");
        let found = browser.eval(&format!("({holder}?.id || {holder}?.tagName || '').toUpperCase()"));
        assert_eq!(found, expected, "the next region");
    }
    // The help and a tooltip name the types of environment maps
    let maps = "state.hello.tables.maps.map(extension => `.${extension}`).join(', ')";
    for holder in [
        "document.getElementById('map-types').textContent",
        "[...document.querySelectorAll('#panel-environment button')].at(-1).title",
    ] {
        assert_eq!(state(&mut browser, &format!("{holder}.includes({maps})")), true, "{holder}");
    }
    // Every shortcut of a tooltip is in the help
    let missing = browser.eval(
        "[...document.querySelectorAll('[title]')].map(e => e.title.match(/\\(([^():]+?)(?::.*)?\\)$/)?.[1]).filter(Boolean)
            .flatMap(keys => keys.split(/, | or /)).filter(keys => keys.length < 16 && /^[A-Z\\d?\\/]/.test(keys))
            .filter(keys => ![...document.querySelectorAll('#help th')].some(th => th.textContent.includes(keys) || keys.split(' ').every(key => [...th.querySelectorAll('kbd')].some(k => k.textContent === key))))",
    );
    assert_eq!(missing, json!([]), "tooltips name these keys, the help does not");
}
