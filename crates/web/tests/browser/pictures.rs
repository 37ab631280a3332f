use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use crate::common::viewer;
use crate::using::page;

/// Pictures of the page, if a folder for them is given.
pub(crate) fn take() {
    let Some(folder) = std::env::var_os("SUNFLECK_SCREENSHOTS").map(PathBuf::from) else { return };
    let viewer = viewer("teapot-room", None);
    let mut browser = page(&viewer);
    let shot = |browser: &mut crate::chromium::Browser, name: &str, seconds: u64| {
        sleep(Duration::from_secs(seconds));
        browser.screenshot(&folder.join(name));
    };
    let theme = "document.documentElement.dataset.theme =";
    browser.eval(&format!("{theme} 'dark'"));
    shot(&mut browser, "viewer-first.png", 0);
    browser.click([380.0, 480.0]);
    browser.eval("document.getElementById('performance-toggle').click()");
    browser.drag([600.0, 300.0], [580.0, 310.0]);
    shot(&mut browser, "viewer.jpg", 120);
    browser.eval(&format!("{theme} 'light'"));
    browser.eval("document.querySelectorAll('#panels > details').forEach((d, i) => d.open = i > 1)");
    browser.eval("document.querySelector('#panels .inner').open = true");
    shot(&mut browser, "viewer-light.png", 1);
    browser.eval(&format!("{theme} 'dark'"));
    browser.eval("document.getElementById('help-open').click()");
    shot(&mut browser, "viewer-help.png", 1);
    browser.eval("document.getElementById('help').close()");
    browser.resize([390, 844], 2.0, true);
    shot(&mut browser, "viewer-phone.png", 8);
}
