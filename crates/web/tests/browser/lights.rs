//! Icons and handles of lights.

use sunfleck_math::transform::{look_at, rotation_x};
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{Camera, Light, LightKind, Material, Mesh, MeshData, Node, Scene, SpotFalloff};
use sunfleck_web::Viewer;

use crate::chromium::Browser;
use crate::common::viewer_of;
use crate::pictures::save;
use crate::using::{cornell, quick_page, state, wait_state};

/// Opens the page of a viewer of a floor below a bulb, a spot and a sun.
fn lit_floor() -> (Viewer, Browser) {
    let mut scene = Scene::default();
    let positions =
        vec![vec3(-2.0, 0.0, -2.0), vec3(-2.0, 0.0, 2.0), vec3(2.0, 0.0, 2.0), vec3(2.0, 0.0, -2.0)];
    let floor = MeshData { positions, triangles: vec![[0, 1, 2], [0, 2, 3]], ..MeshData::default() };
    let floor = scene.add_mesh(Mesh::new(floor).unwrap()).unwrap();
    let grey = scene.add_material(Material::lambert("grey", Vec3::splat(0.5))).unwrap();
    scene.add_node(Node::new("floor").with_mesh(floor, vec![grey])).unwrap();
    let down = rotation_x(-std::f32::consts::FRAC_PI_2);
    for (name, kind, x, power) in [
        ("bulb", LightKind::Point, -1.0, 3.0),
        (
            "spot",
            LightKind::Spot { inner_radians: 0.2, outer_radians: 0.5, falloff: SpotFalloff::default() },
            0.0,
            5.0,
        ),
        ("sun", LightKind::Directional, 1.0, 1.0),
    ] {
        let light = Light { name: name.into(), emission: Vec3::splat(power), kind };
        let light = scene.add_light(light).unwrap();
        let at = Affine3::from_translation(vec3(x, 1.3, 0.0)) * down;
        scene.add_node(Node::new(name).at(at).with_light(light)).unwrap();
    }
    let camera = scene.add_camera(Camera::perspective("front", 0.7)).unwrap();
    let eye = look_at(vec3(0.0, 1.2, 5.5), vec3(0.0, 0.7, 0.0), Vec3::Y);
    scene.add_node(Node::new("camera").at(eye).with_camera(camera)).unwrap();
    // That of the page, so that setting it is no step of undo
    scene.set_exposure(Some(0.0)).unwrap();
    let viewer = viewer_of("lights", scene, None);
    let browser = quick_page(&viewer);
    (viewer, browser)
}

/// Functions of the page for the light with a name: its node, and positions in the window.
fn with_light(name: &str, expression: &str) -> String {
    format!(
        "(async () => {{
            const {{state, lightOf}} = await import('/state.js');
            const {{screen}} = await import('/overlay.js');
            const {{lightPosition}} = await import('/light-icons.js');
            const {{worldFromNode}} = await import('/edits.js');
            const m = await import('/math.js');
            const {{id, node}} = state.scene.nodes.find(row => row.node.name === '{name}');
            const box = stage.getBoundingClientRect();
            const inWindow = p => {{ const at = screen(p); return [box.left + at.x, box.top + at.y]; }};
            const origin = lightPosition(id, node);
            const direction = () => m.scale(m.unit(m.column(worldFromNode(id), 2)), -1);
            // Length of the arrow: 1.4 times that of the other handles
            const right = m.column(state.frame.pose.world_from_view, 0);
            const [a, b] = [inWindow(origin), inWindow(m.add(origin, m.scale(right, 0.01)))];
            const reach = 1.4 * 84 * 0.01 / Math.hypot(b[0] - a[0], b[1] - a[1]);
            return {expression};
        }})()"
    )
}

fn point(browser: &mut Browser, name: &str, expression: &str) -> [f64; 2] {
    let found = browser.eval(&with_light(name, expression));
    [0, 1].map(|i| found[i].as_f64().unwrap())
}

/// Selects a light by a click on its icon.
fn click_icon(browser: &mut Browser, name: &str) {
    let at = point(browser, name, "inWindow(origin)");
    browser.click(at);
    browser.wait(&with_light(name, "state.selection?.node === id"));
}

fn enabled(browser: &mut Browser) -> Vec<bool> {
    ["move", "rotate", "scale"]
        .iter()
        .map(|mode| browser.eval(&format!("!document.querySelector('[data-mode={mode}]').disabled")) == true)
        .collect()
}

pub(crate) fn fit_their_kind() {
    let (_viewer, mut browser) = lit_floor();
    browser.eval("stage.focus()");
    browser.press("Digit3", "3");
    for (name, modes, handles) in
        [("bulb", [true, false, false], 0), ("spot", [true, true, false], 3), ("sun", [true, true, false], 1)]
    {
        click_icon(&mut browser, name);
        assert_eq!(enabled(&mut browser), modes, "{name}");
        let checked = "document.querySelector('#gizmo-modes [aria-checked=true]').dataset.mode";
        assert_eq!(browser.eval(checked), "move", "{name} has no scale");
        let found = browser.eval(&with_light(
            name,
            "(await import('/light-handles.js')).lightHandles({origin, at: {x: 0, y: 0}, metres: 0.01, rows: []}, id).length",
        ));
        assert_eq!(found, handles, "{name}");
        save(&mut browser, &format!("light-{name}"));
    }
    // Another object has all modes again
    let floor = point(&mut browser, "sun", "inWindow([0.5, 0, 1.2])");
    browser.click(floor);
    wait_state(&mut browser, "state.scene.byNode.get(state.selection?.node)?.name === 'floor'");
    assert_eq!(enabled(&mut browser), [true; 3], "an object can be scaled");
}

pub(crate) fn turns_a_sun() {
    let (_viewer, mut browser) = lit_floor();
    click_icon(&mut browser, "sun");
    let tip = "inWindow(m.add(origin, m.scale(direction(), reach)))";
    let from = point(&mut browser, "sun", tip);
    let to = [from[0] + 60.0, from[1] - 30.0];
    browser.drag(from, to);
    wait_state(&mut browser, "state.scene.steps[0] === 1 && state.frame.revision === state.scene.revision");
    let now = point(&mut browser, "sun", tip);
    let missed = (now[0] - to[0]).abs().max((now[1] - to[1]).abs());
    assert!(missed < 6.0, "the tip follows the pointer: {now:?} instead of {to:?}");
    let moved =
        browser.eval(&with_light("sun", "Math.hypot(...m.sub(m.column(worldFromNode(id), 3), [1, 1.3, 0]))"));
    assert!(moved.as_f64().unwrap() < 1e-3, "it stays where it is");
}

pub(crate) fn opens_a_cone() {
    let (_viewer, mut browser) = lit_floor();
    click_icon(&mut browser, "spot");
    // The rightmost points of cones of 0.5 and 0.9 radians
    let rim = |angle: f64| {
        format!("inWindow(m.add(origin, m.scale([Math.sin({angle}), -Math.cos({angle}), 0], reach)))")
    };
    let [from, to] = [0.5, 0.9].map(|angle| point(&mut browser, "spot", &rim(angle)));
    browser.drag(from, to);
    let spot = "state.scene.byLight.get(state.scene.byNode.get(state.selection.node).light).kind.Spot";
    wait_state(
        &mut browser,
        &format!("state.scene.steps[0] === 1 && Math.abs({spot}.outer_radians - 0.9) < 0.06"),
    );
    let inner = state(&mut browser, &format!("{spot}.inner_radians")).as_f64().unwrap();
    assert!((inner - 0.2).abs() < 1e-6, "the inner angle stays");
    browser.eval("document.getElementById('undo').click()");
    wait_state(
        &mut browser,
        &format!("state.scene.steps[0] === 0 && Math.abs({spot}.outer_radians - 0.5) < 1e-5"),
    );
}

pub(crate) fn focuses() {
    let (_viewer, mut browser) = lit_floor();
    let pose = "JSON.stringify(state.view.pose)";
    let before = state(&mut browser, pose);
    // A control is no object: the click after it does not move the camera
    click_icon(&mut browser, "bulb");
    let place = browser.eval("(() => { const b = document.getElementById('snap').getBoundingClientRect(); return [b.left + 8, b.top + 8]; })()");
    browser.double_click([0, 1].map(|i| place[i].as_f64().unwrap()));
    browser.wait("document.getElementById('snap').getAttribute('aria-pressed') === 'false'");
    let floor = point(&mut browser, "sun", "inWindow([0.5, 0, 1.2])");
    browser.click(floor);
    wait_state(&mut browser, "state.scene.byNode.get(state.selection?.node)?.name === 'floor'");
    browser.eval("new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    assert_eq!(state(&mut browser, pose), before, "the camera has not moved");

    // The icon of a light and an object are focused on
    let is_in_the_middle = "(p => { const d = m.sub(p, m.column(state.frame.pose.world_from_view, 3)); return Math.abs(1 + m.dot(m.unit(d), m.column(state.frame.pose.world_from_view, 2))) < 1e-4; })";
    let icon = point(&mut browser, "bulb", "inWindow(origin)");
    browser.double_click(icon);
    browser.wait(&with_light("bulb", &format!("state.selection?.node === id && {is_in_the_middle}(origin)")));
    browser.eval("(async () => (await import('/camera.js')).reset())()");
    wait_state(
        &mut browser,
        &format!("{pose} === {before} && JSON.stringify(state.frame.pose) === {before}"),
    );
    browser.double_click(floor);
    browser.wait(&with_light("sun", &format!("{is_in_the_middle}([0, 0, 0])")));
}

pub(crate) fn marks_emissive_objects() {
    let (_viewer, mut browser) = cornell();
    let lamp = "state.scene.nodes.find(({node}) => node.instance?.materials.some(id => state.scene.byMaterial.get(id).emission.radiance[0] > 0))";
    let id = state(&mut browser, &format!("{lamp}.id"));
    save(&mut browser, "emissive-icon");
    // Hidden, so that only its icon is hit
    state(&mut browser, &format!("(await import('/edits.js')).visible({id}, false)"));
    wait_state(&mut browser, "state.scene.steps[0] === 1 && state.frame.revision === state.scene.revision");
    let at = browser.eval(&format!(
        "(async () => {{
            const {{bounds, screen}} = await import('/overlay.js');
            const [low, high] = bounds({id});
            const at = screen(low.map((x, i) => (x + high[i]) / 2));
            const box = stage.getBoundingClientRect();
            return [box.left + at.x, box.top + at.y];
        }})()"
    ));
    let at = [0, 1].map(|i| at[i].as_f64().unwrap());
    browser.click(at);
    wait_state(&mut browser, &format!("state.selection?.node === {id}"));
    // One that emits no more light has none
    let material = format!("state.scene.byNode.get({id}).instance.materials[0]");
    state(
        &mut browser,
        &format!(
            "(await import('/edits.js')).material({material}, {{...state.scene.byMaterial.get({material}), emission: {{radiance: [0, 0, 0], texture: null}}}})"
        ),
    );
    wait_state(&mut browser, "state.scene.steps[0] === 2 && state.frame.revision === state.scene.revision");
    state(&mut browser, "(await import('/selection.js')).select(null)");
    browser.click(at);
    wait_state(&mut browser, "state.selection !== null");
    assert_ne!(state(&mut browser, "state.selection.node"), id, "the ceiling behind it was hit");
}
