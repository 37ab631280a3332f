//! Nothing on the page is clipped or overlaps at three sizes in both themes.

use std::path::PathBuf;

use serde_json::json;

use crate::chromium::Browser;
use crate::common::viewer;
use crate::using::{press_button, quick_page, wait_state};

/// Sizes of windows: a small and a large screen, and a phone.
const SIZES: [[u32; 2]; 3] = [[1280, 720], [1920, 1080], [390, 844]];
/// Script that returns what is clipped, outside of the window, or overlaps.
const CLIPPED: &str = include_str!("clipped.js");
/// Names of the tabs.
const TABS: [&str; 4] = ["object", "light", "rendering", "scene"];

fn click(browser: &mut Browser, id: &str) {
    browser.eval(&format!("document.getElementById('{id}').click()"));
}

/// Waits for a paint, which updates the panels.
fn painted(browser: &mut Browser) {
    browser.eval("new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
}

/// Asserts that nothing is clipped, and takes a screenshot if `SUNFLECK_SCREENSHOTS` names a folder.
fn check(browser: &mut Browser, name: &str) {
    painted(browser);
    if let Some(folder) = std::env::var_os("SUNFLECK_SCREENSHOTS").map(PathBuf::from) {
        browser.screenshot(&folder.join(format!("layout-{name}.png")));
    }
    assert_eq!(browser.eval(CLIPPED), json!([]), "{name}");
}

pub(crate) fn clips_nothing() {
    let viewer = viewer("teapot-room", None);
    let mut browser = quick_page(&viewer);
    // The script finds what it should
    browser.eval("document.querySelector('#reset .label').style.cssText = 'display: block; width: 20px; overflow: hidden'");
    assert!(browser.eval(CLIPPED)[0].as_str().unwrap().contains("Reset view"), "clipped text is found");
    browser.eval("document.querySelector('#reset .label').style.cssText = ''");

    browser.eval(
        "(async () => { const {send} = await import('/connection.js'); send({type: 'set', settings: {algorithm: 'igi', split: true}}); \
         send({type: 'stage', name: 'studio'}); })()",
    );
    wait_state(&mut browser, "state.view.second !== null && state.scene.environment.Map !== undefined");
    press_button(&mut browser, "#panel-lights button", "Add sun");
    wait_state(&mut browser, "state.scene.lights.some(({light}) => light.kind === 'Directional')");
    // A long name
    browser.eval(
        "(async () => { const {state} = await import('/state.js'); const {id} = state.scene.nodes.find(({node}) => node.instance); \
         (await import('/edits.js')).rename(id, 'an object with a name that does not fit '.repeat(3)); })()",
    );
    wait_state(&mut browser, "state.scene.nodes.some(({node}) => node.name.startsWith('an object with'))");
    browser.eval("document.querySelectorAll('#panel-view details').forEach(d => (d.open = true))");
    for size in SIZES {
        let is_phone = size[0] < 500;
        browser.resize(size, 1.0, is_phone);
        for theme in ["dark", "light"] {
            browser.eval(&format!("document.documentElement.dataset.theme = '{theme}'"));
            let name = |what: &str| format!("{}x{}-{theme}-{what}", size[0], size[1]);
            check(&mut browser, &name("image"));
            if is_phone {
                click(&mut browser, "objects-toggle");
                check(&mut browser, &name("objects"));
                click(&mut browser, "panels-toggle");
            }
            panels(&mut browser, &name);
            if is_phone {
                click(&mut browser, "panels-toggle");
            }
            for (opener, what) in
                [("help-open", "help"), ("performance-toggle", "performance"), ("save", "menu")]
            {
                click(&mut browser, opener);
                check(&mut browser, &name(what));
                match what {
                    "menu" => browser.eval("document.body.click()"),
                    _ => browser.eval(&format!("document.getElementById('{opener}').click()")),
                };
            }
            browser.eval("document.getElementById('command').showModal()");
            check(&mut browser, &name("command"));
            browser.eval("document.getElementById('command').close()");
        }
    }
}

/// Checks all tabs; that of the object for the sun, for a mesh, and without a selection.
fn panels(browser: &mut Browser, name: &dyn Fn(&str) -> String) {
    for (what, node) in [("sun", "node.light !== null"), ("mesh", "node.instance"), ("nothing", "false")] {
        browser.eval(&format!(
            "(async () => {{ const {{state}} = await import('/state.js'); const {{select}} = await import('/selection.js'); \
             const found = state.scene.nodes.find(({{node}}) => {node}); select(found ? {{node: found.id, material: null}} : null); }})()"
        ));
        click(browser, "tab-object");
        check(browser, &name(&format!("object-{what}")));
    }
    for tab in &TABS[1..] {
        click(browser, &format!("tab-{tab}"));
        check(browser, &name(tab));
        browser.eval("{ const panels = document.querySelector('.tab-panels'); panels.scrollTop = panels.scrollHeight; }");
        check(browser, &name(&format!("{tab}-end")));
    }
}
