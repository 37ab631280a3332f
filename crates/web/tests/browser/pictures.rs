//! Screenshots of the viewer, for the documentation.

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use crate::chromium::Browser;
use crate::common::viewer;
use crate::materials::{choose, select};
use crate::using::page;

/// Saves a screenshot, if `SUNFLECK_SCREENSHOTS` names a folder.
pub(crate) fn save(browser: &mut Browser, name: &str) {
    if let Some(folder) = std::env::var_os("SUNFLECK_SCREENSHOTS").map(PathBuf::from) {
        sleep(Duration::from_millis(500));
        browser.screenshot(&folder.join(format!("{name}.png")));
    }
}

/// Takes all screenshots, if `SUNFLECK_SCREENSHOTS` names a folder.
pub(crate) fn take() {
    let Some(folder) = std::env::var_os("SUNFLECK_SCREENSHOTS").map(PathBuf::from) else { return };
    material_panel(&folder);
    let viewer = viewer("teapot-room", None);
    let mut browser = page(&viewer);
    let shot = |browser: &mut Browser, name: &str, seconds: u64| {
        sleep(Duration::from_secs(seconds));
        browser.screenshot(&folder.join(name));
    };
    let theme = "document.documentElement.dataset.theme =";
    browser.eval(&format!("{theme} 'dark'"));
    shot(&mut browser, "viewer-first.png", 0);
    compared(&mut browser, &folder);
    browser.click([380.0, 480.0]);
    browser.eval("document.getElementById('performance-toggle').click()");
    browser.drag([600.0, 300.0], [580.0, 310.0]);
    shot(&mut browser, "viewer.jpg", 120);
    browser.eval(&format!("{theme} 'light'"));
    browser.eval("document.getElementById('tab-rendering').click()");
    browser.eval("document.querySelector('#panels .inner').open = true");
    shot(&mut browser, "viewer-light.png", 1);
    browser.eval(&format!("{theme} 'dark'"));
    browser.eval("document.getElementById('help-open').click()");
    shot(&mut browser, "viewer-help.png", 1);
    browser.eval("document.getElementById('help').close()");
    browser.resize([390, 844], 2.0, true);
    shot(&mut browser, "viewer-phone.png", 8);
}

/// Takes screenshots of the panel of a metallic-roughness material, of a pattern and of glass, and of the parameters of
/// an algorithm.
fn material_panel(folder: &Path) {
    let viewer = viewer("teapot-room", None);
    let mut browser = page(&viewer);
    let shot = |browser: &mut Browser, name: &str| {
        sleep(Duration::from_secs(1));
        browser.screenshot(&folder.join(name));
    };
    select(&mut browser, "turquoise glaze");
    shot(&mut browser, "material-metallic-roughness.png");
    choose(&mut browser, "material", "Pattern", "Bricks");
    shot(&mut browser, "material-bricks.png");
    select(&mut browser, "glass");
    shot(&mut browser, "material-glass.png");
    browser.eval("document.getElementById('tab-rendering').click()");
    browser.eval("document.querySelector('#panels .inner').open = true");
    shot(&mut browser, "parameters.png");
}

/// Takes screenshots of the comparison of two algorithms and of false colours, in both themes and on a phone.
fn compared(browser: &mut Browser, folder: &Path) {
    let set = |browser: &mut Browser, settings: &str| {
        browser.eval(&format!(
            "(async () => (await import('/connection.js')).send({{type: 'set', settings: {settings}}}))()"
        ));
    };
    set(browser, "{split: true, second: {algorithm: 'whitted'}}");
    browser.eval("document.getElementById('performance-toggle').click()");
    browser.drag([600.0, 300.0], [580.0, 310.0]);
    sleep(Duration::from_secs(8));
    browser.screenshot(&folder.join("compare.png"));
    set(browser, "{second: {channel: 'reflections'}}");
    browser.eval("document.documentElement.dataset.theme = 'light'");
    sleep(Duration::from_secs(4));
    browser.screenshot(&folder.join("compare-light.png"));
    browser.resize([390, 844], 2.0, true);
    sleep(Duration::from_secs(6));
    browser.screenshot(&folder.join("compare-phone-light.png"));
    browser.eval("document.documentElement.dataset.theme = 'dark'");
    browser.eval("document.getElementById('performance-toggle').click()");
    sleep(Duration::from_secs(1));
    browser.screenshot(&folder.join("compare-phone.png"));
    browser.resize([1280, 720], 1.0, false);
    set(browser, "{split: false}");
    sleep(Duration::from_secs(2));
}
