//! Values in two fields: a colour and a strength. Neither field brings back an old value of the other one.

use crate::chromium::Browser;
use crate::materials::{MATERIAL, choose, select};
use crate::using::{cornell, press_button, wait_state};

/// Expression for the field of a panel whose name starts with a text.
fn field(panel: &str, name: &str) -> String {
    format!(
        "[...document.querySelectorAll('#panel-{panel} input')].find(f => (f.getAttribute('aria-label') ?? f.labels[0]?.textContent ?? '').startsWith('{name}'))"
    )
}

/// Sets a colour as the colour chooser does; the field keeps the focus.
fn pick_color(browser: &mut Browser, panel: &str, name: &str, hex: &str) {
    let field = field(panel, name);
    browser.wait(&format!("{field} !== undefined"));
    browser.eval(&format!(
        "{{ const field = {field}; field.focus(); field.value = '{hex}'; for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind)); }}"
    ));
}

/// Types a number into a field.
fn type_number(browser: &mut Browser, panel: &str, name: &str, value: &str) {
    let field = field(panel, &format!("{name}, number"));
    browser.eval(&format!(
        "{{ const field = {field}; field.focus(); field.value = '{value}'; field.dispatchEvent(new Event('change')); }}"
    ));
}

/// Sets a colour and then strengths of a value that is 1 : 0.2159 : 0 in orange, and asserts that the colour stays.
fn keeps_orange(browser: &mut Browser, panel: &str, [color, strength]: [&str; 2], value: &str) {
    browser.wait(&format!("{} !== undefined", field(panel, &format!("{strength}, number"))));
    let is = |rgb: [f64; 3]| format!("{value}.every((x, i) => Math.abs(x - {rgb:?}[i]) < 0.01)");
    type_number(browser, panel, strength, "2");
    wait_state(browser, &format!("Math.abs(Math.max(...{value}) - 2) < 0.01"));
    pick_color(browser, panel, color, "#ff8000");
    wait_state(browser, &is([2.0, 0.4317, 0.0]));
    type_number(browser, panel, strength, "7");
    wait_state(browser, &is([7.0, 1.511, 0.0]));
    // A dark colour is none of another strength
    pick_color(browser, panel, color, "#800000");
    wait_state(browser, &is([7.0, 0.0, 0.0]));
    type_number(browser, panel, strength, "3");
    wait_state(browser, &is([3.0, 0.0, 0.0]));
}

pub(crate) fn keep_colors() {
    let (_viewer, mut browser) = cornell();
    press_button(&mut browser, "#panel-lights button", "Add sun");
    wait_state(&mut browser, "state.scene.lights.length === 1");
    let light = "state.scene.lights[0].light.emission";
    keeps_orange(&mut browser, "light", ["Colour", "Irradiance"], light);
    // A strength of 0 does not lose the colour
    type_number(&mut browser, "light", "Irradiance", "0");
    wait_state(&mut browser, &format!("{light}.join() === '0,0,0'"));
    type_number(&mut browser, "light", "Irradiance", "5");
    wait_state(&mut browser, &format!("{light}.join() === '5,0,0'"));

    browser.eval("document.getElementById('tab-light').click()");
    choose(&mut browser, "environment", "Type", "One colour");
    wait_state(&mut browser, "state.scene.environment.Constant !== undefined");
    keeps_orange(
        &mut browser,
        "environment",
        ["Colour", "Brightness"],
        "state.scene.environment.Constant.radiance",
    );

    select(&mut browser, "lamp");
    keeps_orange(
        &mut browser,
        "material",
        ["Emission, colour", "Emission"],
        &format!("{MATERIAL}.emission.radiance"),
    );
}
