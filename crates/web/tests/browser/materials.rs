//! Panels that are generated from the parameter tables.

use serde_json::{Value, json};
use sunfleck_scene::parameter::{Kind, Parameter};
use sunfleck_scene::{Emission, Pattern, Surface};

use crate::chromium::Browser;
use crate::common::viewer;
use crate::using::{cornell, quick_page, state, wait_state};

/// Material that the panel shows.
pub(crate) const MATERIAL: &str =
    "state.scene.byMaterial.get(state.scene.byNode.get(state.selection.node).instance.materials[0])";

/// Expression for the field of a panel with a label, given without its unit.
fn field(panel: &str, label: &str) -> String {
    format!(
        "[...document.querySelectorAll('#panel-{panel} .row > label')].find(l => l.textContent.split(',')[0] === '{label}')?.control"
    )
}

fn capital(text: &str) -> String {
    text[..1].to_uppercase() + &text[1..]
}

/// Selects a node with the material of the given name.
pub(crate) fn select(browser: &mut Browser, material: &str) {
    browser.eval(&format!(
        "(async () => {{
            const {{state}} = await import('/state.js');
            const {{id}} = state.scene.materials.find(({{material}}) => material.name === '{material}');
            const found = state.scene.nodes.find(({{node}}) => node.instance?.materials.includes(id));
            (await import('/selection.js')).select({{node: found.id, material: id}});
        }})()"
    ));
    browser.wait(&format!(
        "[...document.querySelectorAll('#panel-material .value')].some(v => v.textContent === '{material}')"
    ));
}

/// Selects an option of a menu in a panel.
pub(crate) fn choose(browser: &mut Browser, panel: &str, label: &str, option: &str) {
    browser.eval(&format!(
        "{{ const menu = {}; menu.value = [...menu.options].find(o => o.textContent === '{option}').value; menu.dispatchEvent(new Event('change')); }}",
        field(panel, label)
    ));
}

/// Asserts that every parameter of a table has a field with the range of the table.
fn has_fields(browser: &mut Browser, table: &[Parameter]) {
    for row in table {
        let field = field("material", &capital(row.label));
        let expected = match row.kind {
            Kind::Number { least, most, .. } => json!(["range", least, most]),
            Kind::Color { most, .. } if most > 1.0 => json!(["range", 0.0, most]),
            Kind::Color { .. } | Kind::TexturedColor { .. } => json!(["color", null, null]),
            // Several fields, or a checkbox if the material has a texture
            Kind::Colors { .. } | Kind::Texture => continue,
            Kind::Boolean { .. } => json!(["checkbox", null, null]),
            Kind::Integer { .. } | Kind::Choice { .. } => panic!("no expectation for {row:?}: add one"),
        };
        let found = browser.eval(&format!(
            "(() => {{
                const f = {field};
                const n = f?.closest('.slide')?.querySelector('input[type=number]');
                return [f?.type ?? 'missing', n ? Number(n.min) : null, n ? Number(n.max) : null];
            }})()"
        ));
        let near = |a: &Value, b: &Value| match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-6 * b.abs(),
            _ => a == b,
        };
        let same = (0..3).all(|i| near(&found[i], &expected[i]));
        assert!(same, "{}: {found} for {expected}", row.name);
    }
}

pub(crate) fn shows_all_models() {
    let viewer = viewer("teapot-room", None);
    let mut browser = quick_page(&viewer);
    select(&mut browser, "turquoise glaze");
    let color = state(&mut browser, &format!("{MATERIAL}.surface.MetallicRoughness.base_color.factor"));
    for model in Surface::VARIANTS {
        choose(&mut browser, "material", "Surface", model.label);
        let Value::Object(default) = serde_json::to_value(&model.default).unwrap() else {
            panic!("{model:?}")
        };
        let (kind, _) = default.iter().next().unwrap();
        wait_state(
            &mut browser,
            &format!(
                "{MATERIAL}.surface['{kind}'] !== undefined && state.frame.revision === state.scene.revision"
            ),
        );
        // The panel is rebuilt after the scene has arrived
        browser.wait(&format!(
            "{}.closest('.row').title === {}",
            field("material", "Surface"),
            json!(model.summary)
        ));
        has_fields(&mut browser, model.parameters);
        has_fields(&mut browser, Emission::PARAMETERS);
    }
    // The base colour is kept as long as the models have one
    choose(&mut browser, "material", "Surface", "Diffuse");
    wait_state(&mut browser, &format!("{MATERIAL}.surface.Lambert !== undefined"));
    let grey = state(&mut browser, &format!("{MATERIAL}.surface.Lambert.albedo.factor"));
    assert_ne!(grey, color, "glass has no base colour");
    browser.eval("document.getElementById('undo').click()");
    for _ in Surface::VARIANTS.iter().skip(2) {
        browser.eval("document.getElementById('undo').click()");
    }
    let kept = format!("{MATERIAL}.surface.Lambert?.albedo.factor.join() === {color}.join()");
    wait_state(&mut browser, &kept);
}

pub(crate) fn sets_parameters() {
    let viewer = viewer("teapot-room", None);
    let mut browser = quick_page(&viewer);
    select(&mut browser, "turquoise glaze");
    for pattern in Pattern::VARIANTS {
        choose(&mut browser, "material", "Pattern", pattern.label);
        browser.wait(&format!("{} !== undefined", field("material", &capital(pattern.parameters[1].label))));
        has_fields(&mut browser, pattern.parameters);
    }
    wait_state(&mut browser, "state.frame.revision === state.scene.revision");
    let type_in = |browser: &mut Browser, label: &str, value: &str| {
        browser.eval(&format!(
            "{{ const n = {}.closest('.slide').querySelector('input[type=number]'); n.value = '{value}'; n.dispatchEvent(new Event('change')); }}",
            field("material", label)
        ));
    };
    type_in(&mut browser, "Brick length", "0.5");
    wait_state(&mut browser, &format!("{MATERIAL}.procedural.pattern.Bricks.length === 0.5"));
    type_in(&mut browser, "Roughness", "7");
    wait_state(&mut browser, &format!("{MATERIAL}.surface.MetallicRoughness.roughness === 1"));
    type_in(&mut browser, "Emission", "2");
    wait_state(&mut browser, &format!("{MATERIAL}.emission.radiance.join() === '2,2,2'"));
    // A value within the table's range that the scene refuses is explained
    type_in(&mut browser, "Joint width", "0.6");
    browser.wait("document.querySelector('.toast.error')?.textContent.includes('joint width') ?? false");
    wait_state(&mut browser, &format!("{MATERIAL}.procedural.pattern.Bricks.joint < 0.02"));
    browser.eval(&format!(
        "{{ const f = {}; f.value = '#ff0000'; f.dispatchEvent(new Event('input')); f.dispatchEvent(new Event('change')); }}",
        field("material", "Clay 2")
    ));
    wait_state(&mut browser, &format!("{MATERIAL}.procedural.pattern.Bricks.clay[1].join() === '1,0,0'"));
    choose(&mut browser, "material", "Pattern", "None");
    wait_state(&mut browser, &format!("{MATERIAL}.procedural === null"));
}

pub(crate) fn booleans_are_checkboxes() {
    let (_viewer, mut browser) = cornell();
    browser.eval(
        "(async () => (await import('/connection.js')).send({type: 'set', settings: {algorithm: 'igi'}}))()",
    );
    let compensate = field("view", "compensate");
    browser.wait(&format!("{compensate}?.type === 'checkbox'"));
    let index = state(
        &mut browser,
        "state.hello.tables.algorithms.find(a => a.name === 'igi').parameters.findIndex(p => p.name === 'compensate')",
    );
    let value = format!("state.view.parameters[{index}]");
    assert_eq!(state(&mut browser, &value), json!(true), "a boolean");
    browser.eval(&format!("{compensate}.click()"));
    wait_state(&mut browser, &format!("{value} === false"));
    browser.wait(&format!("{compensate}.checked === false"));
}
