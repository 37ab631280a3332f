//! Copies, several selected objects, snapping, and objects that are dropped.

use serde_json::{Value, json};

use crate::chromium::{Browser, CTRL};
use crate::pictures::save;
use crate::using::{block, cornell, on_image, picked, state, wait_state};

/// Place of the tall block in the image; see [`on_image`].
const OTHER_BLOCK: [f64; 2] = [0.112, 0.793];

/// Evaluates an expression with the variables `state`, `nodeOf`, `bounds` and `selectedNodes`.
fn eval(browser: &mut Browser, expression: &str) -> Value {
    browser.eval(&with_page(expression))
}

fn with_page(expression: &str) -> String {
    format!(
        "(async () => {{
            const {{state, nodeOf}} = await import('/state.js');
            const {{bounds, screen}} = await import('/overlay.js');
            const {{selectedNodes}} = await import('/selection.js');
            return {expression};
        }})()"
    )
}

/// Returns a point in the window on the handle of the x axis.
pub(crate) fn x_handle(browser: &mut Browser) -> [f64; 2] {
    let found = eval(
        browser,
        "await (async () => {
            const boxes = selectedNodes().map(bounds);
            const end = (i, of) => [0, 1, 2].map(axis => of(...boxes.map(box => box[i][axis])));
            const [low, high] = [end(0, Math.min), end(1, Math.max)];
            const middle = low.map((x, i) => (x + high[i]) / 2);
            const [a, b] = [screen(middle), screen([middle[0] + 0.01, middle[1], middle[2]])];
            const l = Math.hypot(b.x - a.x, b.y - a.y);
            const box = stage.getBoundingClientRect();
            return [box.left + a.x + 60 * (b.x - a.x) / l, box.top + a.y + 60 * (b.y - a.y) / l];
        })()",
    );
    [0, 1].map(|i| found[i].as_f64().unwrap())
}

fn number(browser: &mut Browser, expression: &str) -> f64 {
    eval(browser, expression).as_f64().unwrap()
}

pub(crate) fn copies_beside() {
    let (_viewer, mut browser) = picked();
    let original = state(&mut browser, "state.selection.node");
    let nodes = state(&mut browser, "state.scene.nodes.length").as_u64().unwrap();
    browser.eval("stage.focus()");
    browser.press_with_shift("KeyD", "D");
    wait_state(
        &mut browser,
        &format!("state.scene.nodes.length === {} && state.scene.steps[0] === 1", nodes + 1),
    );
    let apart =
        number(&mut browser, &format!("bounds({original})[0][0] - bounds(state.selection.node)[1][0]"));
    assert!(apart > 0.0, "the copy does not overlap the original: {apart}");
    let copy = state(&mut browser, "state.selection.node");
    assert_ne!(copy, original, "the copy is selected");

    // The copies of two objects
    eval(&mut browser, &format!("(await import('/selection.js')).selectAll([{original}, {copy}])"));
    browser.press_with_shift("KeyD", "D");
    wait_state(
        &mut browser,
        &format!("state.scene.nodes.length === {} && state.scene.steps[0] === 2", nodes + 3),
    );
    let selected = eval(&mut browser, "selectedNodes()");
    assert_eq!(selected.as_array().unwrap().len(), 2, "{selected}");
    save(&mut browser, "copies");
    browser.eval("document.getElementById('undo').click()");
    wait_state(&mut browser, &format!("state.scene.nodes.length === {}", nodes + 1));
}

pub(crate) fn adds_quickly() {
    let (_viewer, mut browser) = picked();
    let count = "[state.scene.nodes.length, state.scene.lights.length, state.scene.steps[0]]";
    let before = state(&mut browser, count);
    // Some follow each other before the server answers, others between its answers
    eval(
        &mut browser,
        "await (async () => {
            const {duplicate} = await import('/duplicate.js');
            const {addLight} = await import('/edits.js');
            const {translation} = await import('/math.js');
            const original = state.selection.node;
            const lamp = {name: 'lamp', emission: [1, 1, 1], kind: 'Point'};
            for (let i = 0; i < 5; i++) {
                duplicate([original]);
                addLight(lamp, translation([0, 0.1 * i, 0]));
                duplicate([original]);
                await new Promise(resolve => setTimeout(resolve, 15));
            }
        })()",
    );
    let expected = [15, 5, 15];
    let expected: Vec<u64> =
        expected.iter().enumerate().map(|(i, more)| before[i].as_u64().unwrap() + more).collect();
    wait_state(&mut browser, &format!("state.scene.steps[0] === {}", expected[2]));
    assert_eq!(state(&mut browser, count), json!(expected), "nodes, lights and steps");
    // A key that is held does not repeat the copy
    let sent = eval(
        &mut browser,
        "await (async () => {
            const {select} = await import('/selection.js');
            const {changesSent} = await import('/connection.js');
            select({node: state.scene.nodes.find(({node}) => node.instance).id, material: null});
            const before = changesSent();
            const key = {code: 'KeyD', key: 'D', shiftKey: true, bubbles: true};
            for (const repeat of [false, true, true]) {
                document.body.dispatchEvent(new KeyboardEvent('keydown', {...key, repeat}));
            }
            return changesSent() - before;
        })()",
    );
    assert_eq!(sent, 1, "a single copy");
}

pub(crate) fn edits_several() {
    let (_viewer, mut browser) = picked();
    let first = state(&mut browser, "state.selection.node");
    // The other box
    browser.modifiers = CTRL;
    let other = on_image(&mut browser, OTHER_BLOCK);
    browser.click(other);
    browser.wait(&with_page("selectedNodes().length === 2"));
    browser.modifiers = 0;
    let second = state(&mut browser, "state.selection.node");
    assert_ne!(first, second, "the panels show the newest");
    let x = |browser: &mut Browser, id: &Value| number(browser, &format!("nodeOf({id}).parent_from_node[9]"));
    let before = [&first, &second].map(|id| x(&mut browser, id));
    save(&mut browser, "several");
    let from = x_handle(&mut browser);
    browser.drag(from, [from[0] + 50.0, from[1]]);
    wait_state(&mut browser, "state.scene.steps[0] === 1 && state.frame.revision === state.scene.revision");
    let after = [&first, &second].map(|id| x(&mut browser, id));
    let moved = [0, 1].map(|i| after[i] - before[i]);
    assert!(moved[0].abs() > 0.01 && (moved[0] - moved[1]).abs() < 1e-4, "both move alike: {moved:?}");

    browser.eval("stage.focus()");
    browser.press("KeyH", "h");
    let hidden = |visible: bool| format!("[{first}, {second}].every(id => nodeOf(id).visible === {visible})");
    browser.wait(&with_page(&hidden(false)));
    browser.press("KeyH", "h");
    browser.wait(&with_page(&hidden(true)));
    browser.press("Delete", "Delete");
    browser.wait(&with_page(&format!("nodeOf({first}) === null && nodeOf({second}) === null")));
    assert_eq!(state(&mut browser, "state.scene.steps[0]"), 4, "moved, hidden, shown, removed");
    browser.eval("document.getElementById('undo').click()");
    browser.wait(&with_page(&format!("nodeOf({first}) !== null && nodeOf({second}) !== null")));

    // All of them, and one less
    browser.modifiers = CTRL;
    browser.press("KeyA", "a");
    browser.wait(&with_page(
        "selectedNodes().length === state.scene.nodes.filter(({node}) => node.instance).length",
    ));
    let all = number(&mut browser, "selectedNodes().length");
    let block = block(&mut browser);
    browser.click(block);
    browser.wait(&with_page(&format!("selectedNodes().length === {}", all - 1.0)));
}

pub(crate) fn picks_quickly() {
    let (_viewer, mut browser) = cornell();
    // Both clicks come before the first answer
    let [block, other] = [block(&mut browser), on_image(&mut browser, OTHER_BLOCK)];
    browser.eval(&format!(
        "(async () => {{
            const {{pick}} = await import('/picking.js');
            const {{positionIn}} = await import('/overlay.js');
            const at = ([clientX, clientY]) => positionIn({{clientX, clientY}});
            pick(at({block:?}), false);
            pick(at({other:?}), true);
        }})()"
    ));
    let names = "selectedNodes().map(id => nodeOf(id).name).sort().join()";
    browser.wait(&with_page(&format!("{names} === 'short block,tall block'")));
}

pub(crate) fn picks_after_a_lost_answer() {
    let (_viewer, mut browser) = cornell();
    let [block, other] = [block(&mut browser), on_image(&mut browser, OTHER_BLOCK)];
    let lost = browser.eval(&format!(
        "(async () => {{
            const {{pick, pickAt}} = await import('/picking.js');
            const {{positionIn}} = await import('/overlay.js');
            const at = ([clientX, clientY]) => positionIn({{clientX, clientY}});
            const original = WebSocket.prototype.send;
            WebSocket.prototype.send = () => {{}};
            const lost = pickAt(at({block:?}));
            WebSocket.prototype.send = original;
            pick(at({other:?}), false);
            return Promise.race([lost, new Promise(resolve => setTimeout(() => resolve('no answer'), 10_000))]);
        }})()"
    ));
    assert_eq!(lost, Value::Null, "the request that was lost has no answer");
    wait_state(&mut browser, "state.selection?.name === 'short block'");
}

pub(crate) fn snaps() {
    let (_viewer, mut browser) = picked();
    let node = state(&mut browser, "state.selection.node");
    let x = format!("nodeOf({node}).parent_from_node[9]");
    let before = number(&mut browser, &x);
    let step = number(&mut browser, "(await import('/snapping.js')).moveStep()");
    let from = x_handle(&mut browser);
    browser.modifiers = CTRL;
    browser.pull(from, [from[0] + 56.0, from[1]]);
    browser.wait("document.getElementById('readout')?.hidden === false");
    let text = browser.eval("document.getElementById('readout').textContent");
    assert!(text.as_str().unwrap().ends_with(" m"), "{text}");
    save(&mut browser, "snapping");
    browser.mouse("mouseReleased", [from[0] + 56.0, from[1]], false);
    browser.modifiers = 0;
    wait_state(&mut browser, "state.scene.steps[0] === 1");
    browser.wait("document.getElementById('readout').hidden");
    let steps = (number(&mut browser, &x) - before) / step;
    assert!(steps.abs() > 0.5 && (steps - steps.round()).abs() < 1e-3, "a whole number of steps: {steps}");

    // The button has the same effect without the key; both together move freely
    browser.eval("document.getElementById('snap').click()");
    browser.wait("document.getElementById('snap').getAttribute('aria-pressed') === 'true'");
    let snaps = eval(&mut browser, "[true, false].map((await import('/snapping.js')).snaps)");
    assert_eq!(snaps, serde_json::json!([false, true]), "with and without the key");
    browser.eval("stage.focus()");
    browser.press("KeyX", "x");
    browser.wait("document.getElementById('snap').getAttribute('aria-pressed') === 'false'");
}

pub(crate) fn drops() {
    let (_viewer, mut browser) = picked();
    let node = state(&mut browser, "state.selection.node");
    let y = format!("bounds({node})[0][1]");
    let before = number(&mut browser, &y);
    eval(
        &mut browser,
        &format!(
            "await (async () => {{
                const edits = await import('/edits.js');
                const {{multiply, translation}} = await import('/math.js');
                edits.transformInWorld({node}, multiply(translation([0, 0.1, 0]), edits.worldFromNode({node})), null);
            }})()"
        ),
    );
    wait_state(&mut browser, "state.scene.steps[0] === 1");
    browser.eval("stage.focus()");
    browser.press("KeyG", "g");
    wait_state(&mut browser, "state.scene.steps[0] === 2");
    let after = number(&mut browser, &y);
    assert!((after - before).abs() < 2e-3, "on the floor again: {before} → {after}");
}

pub(crate) fn selects_in_a_rectangle() {
    let (_viewer, mut browser) = cornell();
    browser.modifiers = CTRL;
    // Around the centres of both boxes, from a place without a handle
    let [from, to] = [[-0.213, 0.527], [0.246, 0.808]].map(|at| on_image(&mut browser, at));
    browser.drag(from, to);
    browser.modifiers = 0;
    browser.wait(&with_page(
        "selectedNodes().map(id => nodeOf(id).name).sort().join() === 'short block,tall block'",
    ));
    browser.wait("document.getElementById('select-box') === null");
    assert_eq!(state(&mut browser, "state.scene.steps[0]"), 0, "nothing has changed");
}

pub(crate) fn cancels() {
    let (_viewer, mut browser) = picked();
    let node = state(&mut browser, "state.selection.node");
    let x = format!("nodeOf({node}).parent_from_node[9]");
    let before = number(&mut browser, &x);
    let from = x_handle(&mut browser);
    browser.pull(from, [from[0] + 50.0, from[1]]);
    wait_state(&mut browser, "state.scene.steps[0] === 1");
    browser.press("Escape", "Escape");
    wait_state(&mut browser, "state.scene.steps[0] === 0");
    browser.mouse("mouseMoved", [from[0] + 90.0, from[1]], true);
    browser.mouse("mouseReleased", [from[0] + 90.0, from[1]], false);
    assert!((number(&mut browser, &x) - before).abs() < 1e-6, "back where it was");
    assert_eq!(state(&mut browser, "state.selection.node"), node, "still selected");
    assert_eq!(state(&mut browser, "state.scene.steps.join()"), "0,0", "it cannot be redone");

    // A drag whose edits were refused has no step: the one before stays
    browser.eval("stage.focus()");
    browser.press("KeyH", "h");
    wait_state(&mut browser, "state.scene.steps[0] === 1");
    eval(
        &mut browser,
        &format!(
            "await (async () => {{
                const edits = await import('/edits.js');
                const drag = edits.newDrag();
                edits.sendEdit({{Transform: {{id: 9999, parent_from_node: nodeOf({node}).parent_from_node}}}}, drag);
                edits.cancelDrag(drag);
                edits.rename({node}, 'after');
            }})()"
        ),
    );
    browser.wait(&with_page(&format!("nodeOf({node}).name === 'after'")));
    assert_eq!(state(&mut browser, "state.scene.steps[0]"), 2, "hidden and renamed");
}

pub(crate) fn restores() {
    let (_viewer, mut browser) = picked();
    let node = state(&mut browser, "state.selection.node");
    let before = eval(&mut browser, &format!("nodeOf({node}).parent_from_node"));
    // Two nodes, one of which gets a transform that is not finite in single precision
    let shown = eval(
        &mut browser,
        &format!(
            "await (async () => {{
                const edits = await import('/edits.js');
                const {{multiply, translation}} = await import('/math.js');
                const other = state.scene.nodes.find(row => row.id !== {node} && row.node.instance).id;
                const moved = id => multiply(translation([0.1, 0, 0]), edits.worldFromNode(id));
                const far = moved(other).map((x, i) => (i === 9 ? 1e39 : x));
                edits.transformAllInWorld([{{id: {node}, world: moved({node})}}, {{id: other, world: far}}]);
                return nodeOf({node}).parent_from_node;
            }})()"
        ),
    );
    assert_ne!(shown, before, "the page shows the edit at once");
    browser.wait("document.querySelector('.toast.error')?.textContent.includes('finite') ?? false");
    assert_eq!(eval(&mut browser, &format!("nodeOf({node}).parent_from_node")), before, "it was refused");
    assert_eq!(state(&mut browser, "state.scene.steps[0]"), 0, "there is no step");
}

pub(crate) fn uses_local_axes() {
    let (_viewer, mut browser) = picked();
    let node = state(&mut browser, "state.selection.node");
    // Turned about the vertical axis, so that the own x axis is diagonal
    let turned = "(await import('/math.js')).rotation([0, 1, 0], 0.6).slice(0, 9)";
    eval(
        &mut browser,
        &format!(
            "await (async () => {{
                const edits = await import('/edits.js');
                const m = edits.worldFromNode({node});
                edits.transformInWorld({node}, [...{turned}, ...m.slice(9)]);
            }})()"
        ),
    );
    wait_state(&mut browser, "state.scene.steps[0] === 1 && state.frame.revision === state.scene.revision");
    browser.eval("stage.focus()");
    browser.press("KeyL", "l");
    browser.wait("document.getElementById('local').getAttribute('aria-pressed') === 'true'");
    let position = format!("nodeOf({node}).parent_from_node.slice(9)");
    let numbers = |value: &Value| [0, 1, 2].map(|i| value[i].as_f64().unwrap());
    let before = numbers(&eval(&mut browser, &position));
    let handle = |axis: &str| {
        format!(
            "await (async () => {{
                const {{add, column, scale, unit}} = await import('/math.js');
                const {{worldFromNode}} = await import('/edits.js');
                const [low, high] = bounds({node});
                const middle = low.map((x, i) => (x + high[i]) / 2);
                const axis = {axis};
                const [a, b] = [screen(middle), screen(add(middle, scale(axis, 0.01)))];
                const l = Math.hypot(b.x - a.x, b.y - a.y);
                const box = stage.getBoundingClientRect();
                return [60, 100].map(r => [box.left + a.x + r * (b.x - a.x) / l, box.top + a.y + r * (b.y - a.y) / l]);
            }})()"
        )
    };
    let points = eval(&mut browser, &handle(&format!("unit(column(worldFromNode({node}), 0))")));
    let [from, to] = [0, 1].map(|i| [0, 1].map(|axis| points[i][axis].as_f64().unwrap()));
    save(&mut browser, "local-axes");
    browser.drag(from, to);
    wait_state(&mut browser, "state.scene.steps[0] === 2");
    let after = numbers(&eval(&mut browser, &position));
    let moved = [0, 1, 2].map(|i| after[i] - before[i]);
    let along = (moved[0] * moved[0] + moved[2] * moved[2]).sqrt();
    assert!(along > 0.01 && moved[1].abs() < 1e-4 * along, "in the plane of the floor: {moved:?}");
    // (cos 0.6, -sin 0.6)
    assert!((moved[2] / moved[0] + 0.684_14).abs() < 1e-3, "along the own x axis: {moved:?}");

    browser.eval("document.getElementById('local').click()");
    let points = eval(&mut browser, &handle("[1, 0, 0]"));
    let [from, to] = [0, 1].map(|i| [0, 1].map(|axis| points[i][axis].as_f64().unwrap()));
    browser.drag(from, to);
    wait_state(&mut browser, "state.scene.steps[0] === 3");
    let end = numbers(&eval(&mut browser, &position));
    assert!((end[0] - after[0]).abs() > 0.01 && (end[2] - after[2]).abs() < 1e-5, "along that of the world");
}
