//! Global illumination follows moved objects; dropped environment maps light the scene.

use std::f32::consts::FRAC_PI_2;

use sunfleck_math::{Affine3, Vec3, transform, vec3};
use sunfleck_scene::{Camera, Environment, Light, LightKind, Material, Mesh, MeshData, Node, Scene};

use crate::chromium::Browser;
use crate::common::viewer_of;
use crate::using::{cornell, page, pick, picture, state, wait_state};

/// Initial position of the box.
const START: Vec3 = vec3(-1.0, 0.3, 0.0);

fn rectangle(size: f32) -> MeshData {
    let s = size / 2.0;
    MeshData {
        positions: vec![vec3(-s, 0.0, s), vec3(s, 0.0, s), vec3(s, 0.0, -s), vec3(-s, 0.0, -s)],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..MeshData::default()
    }
}

/// Makes a cube with edges of 0.6 m.
fn cube() -> MeshData {
    let mut data = MeshData::default();
    for axis in 0..3 {
        for sign in [-1.0f32, 1.0] {
            let base = u32::try_from(data.positions.len()).unwrap();
            for (u, v) in [(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)] {
                let mut p = [0.0; 3];
                (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (0.3 * sign, u * sign, v);
                data.positions.push(p.into());
            }
            data.triangles.extend([[base, base + 1, base + 2], [base, base + 2, base + 3]]);
        }
    }
    data
}

/// Makes a red box on a white floor between white walls, lit from the upper right.
fn room() -> Scene {
    let mut scene = Scene::default();
    let mut add = |name: &str, data: MeshData, color: Vec3, place: Affine3| {
        let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
        let material = scene.add_material(Material::lambert(name, color)).unwrap();
        scene.add_node(Node::new(name).at(place).with_mesh(mesh, vec![material])).unwrap();
    };
    let white = Vec3::splat(0.8);
    add("floor", rectangle(8.0), white, Affine3::IDENTITY);
    add(
        "wall",
        rectangle(8.0),
        white,
        Affine3::from_translation(vec3(0.0, 4.0, -4.0)) * transform::rotation_x(FRAC_PI_2),
    );
    add(
        "side",
        rectangle(8.0),
        white,
        Affine3::from_translation(vec3(-4.0, 4.0, 0.0)) * transform::rotation_z(-FRAC_PI_2),
    );
    add("box", cube(), vec3(0.85, 0.03, 0.03), Affine3::from_translation(START));
    let lamp = Light { name: "lamp".into(), emission: Vec3::splat(40.0), kind: LightKind::Point };
    let lamp = scene.add_light(lamp).unwrap();
    let place = Affine3::from_translation(vec3(3.0, 3.0, 1.0));
    scene.add_node(Node::new("lamp").at(place).with_light(lamp)).unwrap();
    scene.set_environment(Environment::Constant { radiance: Vec3::splat(0.05) }).unwrap();
    let camera = scene.add_camera(Camera::perspective("camera", 0.75)).unwrap();
    let from = Affine3::from_translation(vec3(0.0, 3.6, 3.6)) * transform::rotation_x(-0.79);
    scene.add_node(Node::new("camera").at(from).with_camera(camera)).unwrap();
    scene
}

/// Returns the mean red, green and blue of 9 × 9 pixels around a point in world space.
fn patch(browser: &mut Browser, [x, y, z]: [f64; 3]) -> [f64; 3] {
    let found = browser.eval(&format!(
        "(async () => {{
            const {{screen}} = await import('/overlay.js');
            const at = screen([{x}, {y}, {z}]);
            const c = document.getElementById('picture');
            const ratio = c.width / stage.clientWidth;
            const d = c.getContext('2d').getImageData(Math.round(at.x * ratio) - 4, Math.round(at.y * ratio) - 4, 9, 9).data;
            return [0, 1, 2].map(i => d.filter((_, at) => at % 4 === i).reduce((a, b) => a + b) / 81);
        }})()"
    ));
    [0, 1, 2].map(|i| found[i].as_f64().unwrap())
}

/// Returns the brightness where the box casts its shadow if it is at `x`, and the ratio of red to green beside its lit
/// face.
fn shadow_and_bleed(browser: &mut Browser, x: f64) -> (f64, f64) {
    picture(browser);
    let [r, g, b] = patch(browser, [x - 0.55, 0.0, -0.15]);
    let [red, green, _] = patch(browser, [x + 0.42, 0.0, 0.05]);
    (r + g + b, red / green.max(1.0))
}

pub(crate) fn moves_shadow_and_colour() {
    let viewer = viewer_of("room", room(), None);
    let mut browser = page(&viewer);
    let settings = "{samples: 24, scale: 0.5, exposure: 0, tone_curve: 'linear', algorithm: 'igi'}";
    browser.eval(&format!(
        "(async () => (await import('/connection.js')).send({{type: 'set', settings: {settings}}}))()"
    ));
    wait_state(&mut browser, "state.frame.target === 24 && state.view.scale === 0.5");
    let at = browser.eval(
        "(async () => { const {screen} = await import('/overlay.js'); const p = screen([-1, 0.3, 0]); \
         const b = stage.getBoundingClientRect(); return [b.left + p.x, b.top + p.y]; })()",
    );
    let at = [0, 1].map(|i| at[i].as_f64().unwrap());
    browser.click(at);
    wait_state(&mut browser, "state.selection?.name === 'box'");
    let start = f64::from(START.x);
    let target = 0.6;
    let (shadow_here, bleed_here) = shadow_and_bleed(&mut browser, start);
    let (light_there, plain_there) = shadow_and_bleed(&mut browser, target);
    assert!(shadow_here < 0.75 * light_there, "shadow of the box: {shadow_here}, without: {light_there}");
    assert!(bleed_here > 1.04 * plain_there, "colour bleeding: {bleed_here}, without: {plain_there}");

    // Drag the handle, 60 pixels from the centre: the second step after that of the exposure
    let pixels = browser.eval(
        "(async () => { const {screen} = await import('/overlay.js'); return screen([0.6, 0.3, 0]).x - screen([-1, 0.3, 0]).x; })()",
    );
    let handle = [at[0] + 60.0, at[1]];
    browser.drag(handle, [handle[0] + pixels.as_f64().unwrap(), handle[1]]);
    let x = "(await import('/state.js')).nodeOf(state.selection.node).parent_from_node[9]";
    wait_state(
        &mut browser,
        &format!(
            "state.scene.steps[0] === 2 && Math.abs({x} - {target}) < 0.1 && state.frame.revision === state.scene.revision"
        ),
    );
    let (light_here, plain_here) = shadow_and_bleed(&mut browser, start);
    let now = state(&mut browser, x).as_f64().unwrap();
    let (shadow_there, bleed_there) = shadow_and_bleed(&mut browser, now);
    assert!(shadow_there < 0.75 * light_there, "the shadow has moved here: {light_there} → {shadow_there}");
    assert!(light_here > 1.33 * shadow_here, "the old shadow is gone: {shadow_here} → {light_here}");
    assert!(
        bleed_there > 1.04 * plain_there,
        "the colour bleeding has moved here: {plain_there} → {bleed_there}"
    );
    assert!(plain_here < bleed_here / 1.04, "the old colour bleeding is gone: {bleed_here} → {plain_here}");
}

pub(crate) fn takes_a_map() {
    let (_viewer, mut browser) = cornell();
    let before = picture(&mut browser);
    // Drop a map of 2 × 1 texels in the Radiance HDR format [Ward91] on the page
    browser.eval(
        "(() => {
            const head = new TextEncoder().encode('#?RADIANCE\\nFORMAT=32-bit_rle_rgbe\\n\\n-Y 1 +X 2\\n');
            const file = new File([head, new Uint8Array([128, 128, 128, 130, 64, 96, 128, 130])], 'sky.hdr');
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(file);
            stage.dispatchEvent(new DragEvent('drop', {dataTransfer, bubbles: true, cancelable: true}));
        })()",
    );
    wait_state(
        &mut browser,
        "state.scene.environment.Map !== undefined && state.frame.revision === state.scene.revision",
    );
    assert_ne!(picture(&mut browser), before, "the map lights the scene");
    browser.wait("document.getElementById('panel-environment').textContent.includes('Rotation')");
    pick(&mut browser);
    browser.eval("document.getElementById('undo').click()");
    wait_state(&mut browser, "state.scene.steps[0] === 0 && state.frame.revision === state.scene.revision");
    assert_eq!(picture(&mut browser), before, "undo removes the map");
}
