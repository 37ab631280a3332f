//! Adding files, loading textures, and kinds of materials.

use serde_json::json;
use sunfleck_math::transform::look_at;
use sunfleck_math::{Vec3, vec2, vec3};
use sunfleck_scene::{Camera, Light, LightKind, Material, Mesh, MeshData, Node, Scene};
use sunfleck_web::Viewer;

use crate::chromium::Browser;
use crate::common::viewer_of;
use crate::materials::{MATERIAL, choose};
use crate::pictures::save;
use crate::using::{cornell, on_image, picked, press_button, quick_page, state, wait_state};

/// Texts of the messages.
const TOASTS: &str = "document.getElementById('toasts').textContent";

/// Returns an OBJ file with a triangle that is as wide and high as `size`, in metres.
fn triangle(size: f64) -> String {
    format!("v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nf 1 2 3\n")
}

/// Drops a file with a text on the page, at a fraction of its width.
fn drop_file(browser: &mut Browser, name: &str, text: &str, at: f64) {
    browser.eval(&format!(
        "{{
            const transfer = new DataTransfer();
            transfer.items.add(new File([{text:?}], '{name}'));
            const at = {{dataTransfer: transfer, bubbles: true, cancelable: true, clientX: {at} * innerWidth, clientY: 300}};
            for (const kind of ['dragenter', 'dragover']) document.body.dispatchEvent(new DragEvent(kind, at));
            globalThis.drop = () => document.body.dispatchEvent(new DragEvent('drop', at));
        }}"
    ));
    browser.wait("document.getElementById('drop-hint').hidden === false");
    save(browser, &format!("drop-{name}"));
    browser.eval("globalThis.drop()");
}

pub(crate) fn adds() {
    let (_viewer, mut browser) = cornell();
    let nodes = state(&mut browser, "state.scene.nodes.length").as_u64().unwrap();
    drop_file(&mut browser, "second.obj", &triangle(0.2), 0.8);
    browser.wait(&format!("{TOASTS}.includes('Added second.obj, 0.2 × 0.2 × 0 m')"));
    // The new group is selected, and everything else is still there
    wait_state(&mut browser, "state.scene.byNode.get(state.selection?.node)?.name === 'second'");
    assert_eq!(state(&mut browser, "state.scene.name"), "cornell", "the same scene");
    assert_eq!(state(&mut browser, "state.scene.steps[0]"), 1, "one step");
    let more = state(&mut browser, "state.scene.nodes.length").as_u64().unwrap() - nodes;
    assert_eq!(more, 2, "a group and its mesh");
    wait_state(&mut browser, "state.frame.revision === state.scene.revision");
    save(&mut browser, "added");
    // Deleting the mesh, which a click selects, leaves no empty group
    browser.eval(
        "(async () => { const {state} = await import('/state.js'); (await import('/edits.js')).remove([state.scene.children.get(state.selection.node)[0]]); })()",
    );
    wait_state(&mut browser, &format!("state.scene.nodes.length === {nodes} && state.scene.steps[0] === 2"));
    browser.eval("document.getElementById('undo').click()");
    wait_state(&mut browser, &format!("state.scene.nodes.length === {nodes} + 2"));
    browser.eval("document.getElementById('undo').click()");
    wait_state(&mut browser, &format!("state.scene.nodes.length === {nodes}"));
    browser.wait("document.getElementById('add').title.includes('Add a file')");

    drop_file(&mut browser, "third.txt", &triangle(0.2), 0.8);
    browser.wait("[...document.querySelectorAll('.toast.error')].some(t => t.textContent.includes('none of these files is a scene'))");
}

pub(crate) fn fits_what_is_added() {
    let (_viewer, mut browser) = cornell();
    let size = "(await import('/math.js')).diagonalOf";
    let scene = state(&mut browser, &format!("{size}(state.scene.bounds)")).as_f64().unwrap();
    drop_file(&mut browser, "large.obj", &triangle(50.0), 0.8);
    browser.wait(&format!("{TOASTS}.includes('Added large.obj, 50 × 50 × 0 m: far larger than the scene')"));
    // The size counts that it has then
    wait_state(&mut browser, "state.scene.byNode.get(state.selection?.node)?.name === 'large'");
    browser.eval(
        "(async () => {
            const {state} = await import('/state.js');
            const {multiply, scaling} = await import('/math.js');
            const {transformInWorld, worldFromNode} = await import('/edits.js');
            const {node} = state.selection;
            transformInWorld(node, multiply(worldFromNode(node), scaling([0.1, 0.1, 0.1])));
        })()",
    );
    wait_state(&mut browser, "state.scene.steps[0] === 2");
    press_button(&mut browser, ".toast button", "Fit size");
    wait_state(&mut browser, "state.scene.steps[0] === 3");
    let added = "(await import('/overlay.js')).bounds(state.selection.node)";
    let fitted = state(&mut browser, &format!("{size}({added})")).as_f64().unwrap();
    assert!((fitted / scene - 0.2).abs() < 1e-3, "a fifth of the scene: {fitted} of {scene}");
    assert_eq!(browser.eval(TOASTS), "", "the message has gone");
}

pub(crate) fn tells_sizes_that_are_known() {
    let (_viewer, mut browser) = cornell();
    let lamp = r#"{"asset": {"version": "2.0"}, "extensionsUsed": ["KHR_lights_punctual"], "scene": 0,
        "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point"}]}}, "scenes": [{"nodes": [0]}],
        "nodes": [{"extensions": {"KHR_lights_punctual": {"light": 0}}}]}"#;
    drop_file(&mut browser, "lamp.gltf", lamp, 0.8);
    browser.wait(
        "[...document.querySelectorAll('.toast > span')].some(t => t.textContent === 'Added lamp.gltf')",
    );
    // An offer for a node of one scene is none for that with its id in another scene
    drop_file(&mut browser, "large.obj", &triangle(50.0), 0.8);
    browser.wait(&format!("{TOASTS}.includes('Fit size')"));
    browser.eval(&format!(
        "(async () => (await import('/upload.js')).upload('/open', [{{name: 'other.obj', file: new File([{:?}], 'other.obj')}}], 'Opening'))()",
        triangle(1.0)
    ));
    wait_state(&mut browser, "state.scene.name === 'other.obj'");
    assert_eq!(browser.eval(&format!("{TOASTS}.includes('Fit size')")), false, "the offer has gone");
}

pub(crate) fn adds_where_it_is_dropped() {
    let (_viewer, mut browser) = cornell();
    let [x, y] = on_image(&mut browser, [-0.1, 0.94]);
    browser.eval(&format!(
        "{{
            const transfer = new DataTransfer();
            transfer.items.add(new File(['v 0 0 0\\nv 0.1 0 0\\nv 0 0.1 0\\nf 1 2 3\\n'], 'here.obj'));
            const at = (clientX, clientY) => ({{dataTransfer: transfer, bubbles: true, cancelable: true, clientX, clientY}});
            stage.dispatchEvent(new DragEvent('dragenter', at({x}, {y})));
            globalThis.over = x => stage.dispatchEvent(new DragEvent('dragover', at(x, {y})));
            globalThis.drop = () => stage.dispatchEvent(new DragEvent('drop', at({x}, {y})));
        }}"
    ));
    // The two parts of the page are where their hints are
    for (part, name) in [(0.05, "Open"), (0.24, "Open"), (0.26, "Add"), (0.9, "Add")] {
        let chosen = browser.eval(&format!(
            "(() => {{
                globalThis.over({part} * innerWidth);
                const chosen = [...document.querySelectorAll('#drop-hint .chosen')];
                const {{left, right}} = chosen[0].getBoundingClientRect();
                const isOver = left <= {part} * innerWidth && {part} * innerWidth <= right;
                return [chosen.length, chosen[0].querySelector('strong').textContent, isOver];
            }})()"
        ));
        assert_eq!(chosen, json!([1, name, true]), "at {part} of the width");
    }
    save(&mut browser, "drop-zones");
    browser.eval("globalThis.drop()");
    wait_state(&mut browser, "state.scene.byNode.get(state.selection?.node)?.name === 'here'");
    let missed = browser.eval(&format!(
        "(async () => {{
            const {{state}} = await import('/state.js');
            const {{bounds, screen}} = await import('/overlay.js');
            const [low, high] = bounds(state.selection.node);
            const at = screen([(low[0] + high[0]) / 2, low[1], (low[2] + high[2]) / 2]);
            const box = stage.getBoundingClientRect();
            return Math.hypot(box.left + at.x - {x}, box.top + at.y - {y});
        }})()"
    ));
    assert!(missed.as_f64().unwrap() < 3.0, "it stands {missed} pixels from where it was dropped");
}

pub(crate) fn tells_of_uploads() {
    let (_viewer, mut browser) = picked();
    let shown = browser.eval(
        "(async () => {
            const {add} = await import('/adding.js');
            const {open} = await import('/opening.js');
            const {assignImage} = await import('/texture-fields.js');
            const original = globalThis.fetch;
            let answer;
            globalThis.fetch = () => new Promise(resolve => (answer = resolve));
            const named = name => ({name, file: new File(['none'], name)});
            const works = [() => add([named('a.obj')]), () => open([named('b.obj')]), () => open([named('c.png')]), () => assignImage(0, 'albedo', named('d.png'))];
            const shown = [];
            for (const start of works) {
                const work = start();
                await new Promise(resolve => setTimeout(resolve));
                shown.push([...document.querySelectorAll('.toast.busy > span')].map(text => text.textContent));
                answer(new Response('refused', {status: 400}));
                await work;
                shown.push(document.querySelectorAll('.toast.busy').length);
            }
            globalThis.fetch = original;
            return shown;
        })()",
    );
    let [added, opened, map, image] =
        ["Adding a.obj …", "Opening b.obj …", "Opening environment map c.png …", "Loading d.png …"];
    let expected = json!([[added], 0, [opened], 0, [map], 0, [image], 0]);
    assert_eq!(shown, expected, "a message while each works, none afterwards");
}

pub(crate) fn loads_textures() {
    let (_viewer, mut browser) = picked();
    browser.wait("document.querySelector('#panel-material .texture button') !== null");
    let field = |name: &str| {
        format!(
            "[...document.querySelectorAll('#panel-material .texture')].find(row => row.querySelector('label').textContent === '{name}')"
        )
    };
    let name = if state(&mut browser, &format!("'Lambert' in {MATERIAL}.surface")) == true {
        "Albedo texture"
    } else {
        "Base colour texture"
    };
    browser.wait(&format!("{} !== undefined", field(name)));
    // The file dialog is the browser's; the page gets the file that was chosen
    let slot = if name.starts_with("Albedo") { "albedo" } else { "base_color" };
    let load = |slot: &str| {
        format!(
            "(async () => {{
                const canvas = new OffscreenCanvas(8, 8);
                const context = canvas.getContext('2d');
                context.fillStyle = '#c02020';
                context.fillRect(0, 0, 4, 8);
                const file = new File([await canvas.convertToBlob()], 'stripes.png');
                const {{state}} = await import('/state.js');
                const material = state.scene.byNode.get(state.selection.node).instance.materials[0];
                await (await import('/texture-fields.js')).assignImage(material, '{slot}', {{name: file.name, file}});
            }})()"
        )
    };
    browser.eval(&load(slot));
    wait_state(&mut browser, "state.scene.steps[0] === 1 && state.scene.textures.at(-1)?.name === 'stripes'");
    let now = format!("Object.values({MATERIAL}.surface)[0].{slot}");
    let expected = "JSON.stringify([state.scene.textures.at(-1).id, 1, 'srgb'])";
    wait_state(
        &mut browser,
        &format!(
            "JSON.stringify([{now}.texture?.texture, {now}.factor[0], state.scene.textures.at(-1).encoding]) === {expected}"
        ),
    );
    browser.wait(&format!("{}.querySelector('img')?.naturalWidth === 8", field(name)));
    save(&mut browser, "texture");

    // None, and the same one again
    choose(&mut browser, "material", name, "None");
    wait_state(&mut browser, &format!("{now}.texture === null"));
    browser.wait(&format!("{}.querySelector('img') === null", field(name)));
    choose(&mut browser, "material", name, "stripes");
    wait_state(&mut browser, &format!("{now}.texture !== null"));

    // Data is linear, and a texture of colours is not offered for it
    browser.eval(&load("normal_map"));
    wait_state(
        &mut browser,
        &format!("{MATERIAL}.normal_map !== null && state.scene.textures.at(-1).encoding === 'linear'"),
    );
    browser.wait(&format!("{}.querySelectorAll('option').length === 2", field("Normal map")));
    browser.eval(&load("nonsense"));
    browser.wait(
        "[...document.querySelectorAll('.toast.error')].some(t => t.textContent.includes('has no texture'))",
    );
}

pub(crate) fn makes_a_lamp_of_glass() {
    const KINDS: &str = "#panel-material .kinds button";
    let are_there = format!("document.querySelector('{KINDS}') !== null");
    let (_viewer, mut browser) = picked();
    let shared = state(&mut browser, "state.scene.byNode.get(state.selection.node).instance.materials[0]");
    browser.wait(&are_there);
    press_button(&mut browser, KINDS, "Glass");
    wait_state(
        &mut browser,
        &format!("{MATERIAL}.surface.Dielectric !== undefined && state.scene.steps[0] === 1"),
    );
    browser.wait(&are_there);
    press_button(&mut browser, KINDS, "Light");
    wait_state(
        &mut browser,
        &format!(
            "{MATERIAL}.surface.Dielectric !== undefined && {MATERIAL}.emission.radiance[0] > 0 && state.scene.steps[0] === 2"
        ),
    );
    wait_state(&mut browser, "state.frame.revision === state.scene.revision");
    save(&mut browser, "lamp-of-glass");
    // Other objects keep the material that they shared
    let others = format!(
        "state.scene.nodes.filter(({{id, node}}) => id !== state.selection.node && node.instance?.materials.includes({shared})).length"
    );
    let surface = format!("Object.keys(state.scene.byMaterial.get({shared}).surface)[0]");
    assert!(state(&mut browser, &others).as_u64().unwrap() > 0, "the material was shared");
    assert_ne!(state(&mut browser, &surface), "Dielectric", "others are not of glass");

    // Another kind is no lamp any more, and has all values of its model
    browser.wait(&are_there);
    press_button(&mut browser, KINDS, "Matte");
    wait_state(
        &mut browser,
        &format!(
            "{MATERIAL}.surface.Lambert?.albedo.texture === null && {MATERIAL}.emission.radiance.join() === '0,0,0' && state.scene.steps[0] === 3"
        ),
    );
}

/// Opens a page of two squares of a material that has a colour; only the left one has texture coordinates.
fn squares() -> (Viewer, Browser) {
    let mut scene = Scene::default();
    let red = scene.add_material(Material::lambert("red", vec3(0.8, 0.1, 0.1))).unwrap();
    let corners = [vec3(-1.0, -1.0, 0.0), vec3(1.0, -1.0, 0.0), vec3(1.0, 1.0, 0.0), vec3(-1.0, 1.0, 0.0)];
    let uv0 = vec![vec2(0.0, 1.0), vec2(1.0, 1.0), vec2(1.0, 0.0), vec2(0.0, 0.0)];
    for (name, x, uv0) in [("left", -1.5, uv0), ("right", 1.5, Vec::new())] {
        let positions = corners.map(|corner| corner + Vec3::X * x).to_vec();
        let data = MeshData { positions, uv0, triangles: vec![[0, 1, 2], [0, 2, 3]], ..MeshData::default() };
        let mesh = scene.add_mesh(Mesh::new(data).unwrap()).unwrap();
        scene.add_node(Node::new(name).with_mesh(mesh, vec![red])).unwrap();
    }
    let light = Light { name: "sun".into(), emission: Vec3::splat(3.0), kind: LightKind::Directional };
    let light = scene.add_light(light).unwrap();
    scene.add_node(Node::new("sun").with_light(light)).unwrap();
    let camera = scene.add_camera(Camera::perspective("front", 0.9)).unwrap();
    let eye = look_at(vec3(0.0, 0.0, 5.0), Vec3::ZERO, Vec3::Y);
    scene.add_node(Node::new("camera").at(eye).with_camera(camera)).unwrap();
    // That of the page, so that setting it is no step of undo
    scene.set_exposure(Some(0.0)).unwrap();
    let viewer = viewer_of("squares", scene, None);
    let browser = quick_page(&viewer);
    (viewer, browser)
}

/// Drops an image of a format that browsers encode on a place of the image.
fn drop_image(browser: &mut Browser, format: &str, place: [f64; 2]) {
    let [x, y] = on_image(browser, place);
    browser.eval(&format!(
        "(async () => {{
            const canvas = new OffscreenCanvas(8, 8);
            const context = canvas.getContext('2d');
            context.fillStyle = '#2040c0';
            context.fillRect(0, 0, 4, 8);
            const file = new File([await canvas.convertToBlob({{type: 'image/{format}'}})], 'stripes.{format}', {{type: 'image/{format}'}});
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(file);
            const target = document.elementFromPoint({x}, {y});
            const at = {{dataTransfer, bubbles: true, cancelable: true, clientX: {x}, clientY: {y}}};
            target.dispatchEvent(new DragEvent('dragenter', at));
            globalThis.sides = [...document.querySelectorAll('#drop-hint div')].filter(side => side.checkVisibility()).length;
            target.dispatchEvent(new DragEvent('drop', at));
        }})()"
    ));
}

pub(crate) fn drops_images() {
    let (_viewer, mut browser) = squares();
    drop_image(&mut browser, "png", [-0.31, 0.5]);
    assert_eq!(browser.eval("globalThis.sides"), 0, "the picture is visible while an image is dragged");
    wait_state(&mut browser, "state.scene.textures[0]?.name === 'stripes' && state.scene.steps[0] === 1");
    wait_state(
        &mut browser,
        "state.scene.materials[0].material.surface.Lambert.albedo.texture?.texture === state.scene.textures[0].id",
    );
    browser.wait("document.getElementById('toasts').textContent.includes('stripes.png is the colour of red, the material of 2 objects')");
    assert_eq!(state(&mut browser, "state.scene.byNode.get(state.selection.node).name"), "left", "selected");
    wait_state(&mut browser, "state.frame.revision === state.scene.revision");
    save(&mut browser, "dropped-image");

    // Where it would be a single colour, it is asked what is meant
    drop_image(&mut browser, "png", [0.31, 0.5]);
    browser.wait(
        "document.querySelector('.question')?.textContent.includes('right has no texture coordinates')",
    );
    browser.eval("document.querySelector('.question button[value=cancel]').click()");
    browser.wait("document.querySelector('.question') === null");
    assert_eq!(state(&mut browser, "state.scene.steps[0]"), 1, "nothing has changed");

    // One that cannot light the scene is only explained, also beside all objects
    let explains = |text: &str| {
        format!("[...document.querySelectorAll('.toast.error')].some(t => t.textContent.includes('{text}'))")
    };
    for (place, text) in [
        ([0.31, 0.5], "right has no texture coordinates"),
        ([0.0, 0.05], "stripes.webp cannot light the scene"),
    ] {
        drop_image(&mut browser, "webp", place);
        browser.wait(&explains(text));
        assert!(browser.eval("document.querySelector('.question')").is_null(), "nothing is asked: {text}");
    }
    assert_eq!(state(&mut browser, "state.scene.steps[0]"), 1, "nothing has changed");

    // An object that the page does not list is not the environment either
    browser.eval(
        "(async () => { const {byNode} = (await import('/state.js')).state.scene; byNode.delete([...byNode].find(([, node]) => node.name === 'left')[0]); })()",
    );
    drop_image(&mut browser, "png", [-0.31, 0.5]);
    browser.wait("document.querySelector('.question')?.textContent.includes('left is not listed')");
    browser.eval("document.querySelector('.question button[value=cancel]').click()");
    browser.wait("document.querySelector('.question') === null");
    assert_eq!(state(&mut browser, "state.scene.steps[0]"), 1, "nothing has changed");

    // Beside all objects, another one lights it
    drop_image(&mut browser, "png", [0.0, 0.05]);
    wait_state(&mut browser, "state.scene.environment.Map !== undefined");
}
