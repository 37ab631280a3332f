//! Nothing is lost: marker of unsaved edits, saving, questions, recent scenes, recovery, messages that go.

use serde_json::{Value, json};
use sunfleck_web::{Viewer, ViewerOptions, ViewerScene};
use tempfile::TempDir;

use crate::chromium::Browser;
use crate::common::{keeping, keeping_viewer};
use crate::pictures::save;
use crate::using::{page, pick, press_button, state, wait_state};

/// Hides the first object, without waiting.
const HIDE: &str = "(async () => {
    const { state } = await import('/state.js');
    (await import('/edits.js')).visible(state.scene.nodes.find(({ node }) => node.instance).id, false);
})()";
/// Opens a scene as if its file had been chosen.
const OPEN: &str = "(async () => {
    const file = new File(['v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3'], 'other.obj');
    (await import('/opening.js')).open([{ name: file.name, file }]);
})()";

/// Opens the page of a viewer of the Cornell box that keeps everything in a folder.
fn keeping_cornell() -> (TempDir, Viewer, Browser) {
    let folder = tempfile::tempdir().unwrap();
    let viewer = keeping_viewer("cornell", folder.path());
    let browser = page(&viewer);
    (folder, viewer, browser)
}

fn press_save(browser: &mut Browser) {
    browser.eval(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', { code: 'KeyS', key: 's', ctrlKey: true, bubbles: true, cancelable: true }))",
    );
}

fn answer(browser: &mut Browser, value: &str) {
    browser.wait("document.querySelector('.question') !== null");
    browser.eval(&format!("document.querySelector('.question button[value={value}]').click()"));
}

pub(crate) fn marks_and_saves() {
    let (folder, _viewer, mut browser) = keeping_cornell();
    assert_eq!(browser.eval("document.getElementById('unsaved').hidden"), true, "nothing is unsaved");
    browser.eval(HIDE);
    browser.wait("document.title === '• cornell – Sunfleck' && !document.getElementById('unsaved').hidden");
    let asks = "(() => { const event = new Event('beforeunload', { cancelable: true }); dispatchEvent(event); return event.defaultPrevented; })()";
    assert_eq!(browser.eval(asks), true, "closing the tab asks");
    browser.eval("document.getElementById('save').click()");
    save(&mut browser, "save-menu");
    browser.eval("document.getElementById('save').click()");
    press_save(&mut browser);
    browser.wait("document.title === 'cornell – Sunfleck' && document.getElementById('unsaved').hidden");
    let path = folder.path().join("cornell-edited.glb");
    assert!(path.exists(), "the file is written");
    assert_eq!(browser.eval(asks), false, "nothing would be lost");
    browser.wait(&format!(
        "document.getElementById('toasts').textContent.includes('Saved as {}')",
        path.display()
    ));

    // A failure offers the download, and its message goes when saving succeeds
    std::fs::write(&path, "of another program").unwrap();
    let away = folder.path().with_extension("away");
    std::fs::rename(folder.path(), &away).unwrap();
    browser.eval(HIDE);
    press_save(&mut browser);
    browser.wait("document.querySelector('.toast.error a[href=\"/scene.glb\"]') !== null");
    save(&mut browser, "not-saved");
    std::fs::rename(&away, folder.path()).unwrap();
    press_save(&mut browser);
    browser.wait("document.querySelector('.toast.error') === null");
    assert_eq!(std::fs::read(&path).unwrap(), b"of another program", "a changed file is not overwritten");
    assert!(folder.path().join("cornell-edited-2.glb").exists(), "it gets a number");
}

pub(crate) fn asks() {
    let (folder, _viewer, mut browser) = keeping_cornell();
    browser.eval(HIDE);
    wait_state(&mut browser, "state.scene.unsaved");
    browser.eval(OPEN);
    browser.wait("document.querySelector('.question') !== null");
    save(&mut browser, "question");
    answer(&mut browser, "cancel");
    browser.wait("document.querySelector('.question') === null");
    assert_eq!(state(&mut browser, "state.scene.name"), "cornell", "nothing was opened");
    browser.eval(OPEN);
    answer(&mut browser, "open");
    wait_state(&mut browser, "state.scene.name === 'other.obj' && !state.scene.unsaved");
    browser.eval("document.getElementById('undo').click()");
    wait_state(&mut browser, "state.scene.name === 'cornell' && state.scene.unsaved");
    browser.eval("document.getElementById('redo').click()");
    wait_state(&mut browser, "state.scene.name === 'other.obj'");
    browser.eval("document.getElementById('undo').click()");
    wait_state(&mut browser, "state.scene.name === 'cornell'");
    browser.eval(OPEN);
    answer(&mut browser, "save");
    wait_state(&mut browser, "state.scene.name === 'other.obj'");
    assert!(folder.path().join("cornell-edited.glb").exists(), "it was saved");
    // Without unsaved edits, nothing is asked
    browser.eval(OPEN);
    wait_state(&mut browser, "state.scene.steps[0] >= 3");
    assert!(browser.eval("document.querySelector('.question')").is_null(), "nothing was asked");
}

pub(crate) fn answers_each_save() {
    let (_folder, viewer, mut browser) = keeping_cornell();
    let saves = "(async () => { const { save } = await import('/saving.js'); return Promise.all([save(), save()]); })()";
    assert_eq!(browser.eval(saves), json!([true, true]), "two at once");
    // While the server is at work, the page says so, and another click does not ask again
    let shows_work = "(async () => {
        const { save } = await import('/saving.js');
        const sent = [];
        const original = WebSocket.prototype.send;
        WebSocket.prototype.send = function (text) { sent.push(JSON.parse(text).type); original.call(this, text); };
        const both = Promise.all([save(), save()]);
        const isBusy = () => [...document.querySelectorAll('.toast.busy')].filter(toast => toast.textContent.includes('Saving')).length;
        const button = document.getElementById('save');
        const during = [isBusy(), button.getAttribute('aria-busy')];
        const { state } = await import('/state.js');
        (await import('/edits.js')).visible(state.scene.nodes.find(({ node }) => node.instance).id, false);
        const third = save();
        await Promise.all([both, third]);
        await new Promise(resolve => setTimeout(resolve));
        WebSocket.prototype.send = original;
        const saves = sent.filter(type => type === 'save').length;
        return [during, [isBusy(), button.getAttribute('aria-busy')], saves];
    })()";
    assert_eq!(browser.eval(shows_work), json!([[1, "true"], [0, null], 2]), "the third has another edit");
    drop(viewer);
    browser.wait("!document.getElementById('waiting').hidden");
    assert_eq!(browser.eval(saves), json!([false, false]), "without a connection");
    browser.wait("document.getElementById('toasts').textContent.includes('cannot be saved')");
}

pub(crate) fn outlives_lost_answers() {
    let (_folder, _viewer, mut browser) = keeping_cornell();
    let saves = "(async () => {
        const { save } = await import('/saving.js');
        const original = WebSocket.prototype.send;
        WebSocket.prototype.send = () => {};
        const lost = save();
        WebSocket.prototype.send = original;
        const { state } = await import('/state.js');
        (await import('/edits.js')).visible(state.scene.nodes.find(({ node }) => node.instance).id, false);
        const end = new Promise(resolve => setTimeout(() => resolve('no answer'), 10_000));
        const answers = await Promise.all([lost, save()].map(answer => Promise.race([answer, end])));
        await new Promise(resolve => setTimeout(resolve));
        return [answers, document.querySelectorAll('.toast.busy').length];
    })()";
    assert_eq!(browser.eval(saves), json!([[true, true], 0]), "the scene is saved, and nothing is at work");
}

pub(crate) fn keeps_problems() {
    let (_folder, _viewer, mut browser) = keeping_cornell();
    let shown = browser.eval(
        "(async () => {
            const { toast } = await import('/controls.js');
            toast('a problem', 'problem');
            toast('some work', 'busy');
            toast('an error', 'error');
            for (let i = 0; i < 6; i++) toast(`note ${i}`);
            return [...document.querySelectorAll('.toast > span')].map(text => text.textContent);
        })()",
    );
    let expected = json!(["a problem", "some work", "an error", "note 5"]);
    assert_eq!(shown, expected, "notes make room first");
    let shown = browser.eval(
        "(async () => {
            const { toast } = await import('/controls.js');
            for (let i = 0; i < 5; i++) toast(`problem ${i}`, 'problem');
            toast('a note');
            return [...document.querySelectorAll('.toast > span')].map(text => text.textContent);
        })()",
    );
    let all =
        ["a problem", "some work", "problem 0", "problem 1", "problem 2", "problem 3", "problem 4", "a note"];
    assert_eq!(shown, json!(all), "what holds is not removed");
}

pub(crate) fn forgets_failures() {
    let folder = tempfile::tempdir().unwrap();
    let scene = sunfleck_models::build("cornell").unwrap();
    let scene = ViewerScene::new("cornell", scene, Default::default(), Vec::new()).unwrap();
    let options = ViewerOptions { save_folder: folder.path().join("none"), ..keeping(folder.path()) };
    let viewer = Viewer::start(scene, &options).unwrap();
    let mut browser = page(&viewer);
    let failed = "document.querySelector('.toast.error a[href=\"/scene.glb\"]') !== null";
    let is_over = "document.querySelector('.toast.error') === null";
    browser.eval(HIDE);
    wait_state(&mut browser, "state.scene.unsaved");
    press_save(&mut browser);
    browser.wait(failed);
    browser.eval("document.getElementById('undo').click()");
    wait_state(&mut browser, "!state.scene.unsaved");
    browser.wait(is_over);

    browser.eval(HIDE);
    wait_state(&mut browser, "state.scene.unsaved");
    press_save(&mut browser);
    browser.wait(failed);
    browser.eval(OPEN);
    answer(&mut browser, "open");
    wait_state(&mut browser, "state.scene.name === 'other.obj'");
    browser.wait(is_over);
}

pub(crate) fn keeps_the_focus_of_menus() {
    let (_folder, _viewer, mut browser) = keeping_cornell();
    pick(&mut browser);
    let open = "document.getElementById('save').click()";
    let is_closed = "document.getElementById('save-menu').hidden";
    let focused = "document.activeElement.id";
    browser.eval(open);
    assert_eq!(browser.eval(focused), "save-scene", "the first item");
    browser.press("Escape", "Escape");
    assert_eq!(browser.eval(is_closed), true, "Escape closes the menu");
    assert_eq!(browser.eval(focused), "save", "the focus returns");
    assert_ne!(state(&mut browser, "state.selection"), Value::Null, "and nothing else happens");
    browser.eval(open);
    browser.press("Space", " ");
    browser.wait("document.getElementById('toasts').textContent.includes('Saved as')");
    assert_eq!(browser.eval(is_closed), true, "an item is chosen");
    assert_eq!(browser.eval(focused), "save", "the focus returns");
    browser.eval(open);
    browser.eval("document.getElementById('search').focus()");
    assert_eq!(browser.eval(is_closed), true, "the focus has left the menu");
    assert_eq!(browser.eval(focused), "search", "and stays where it went");
}

pub(crate) fn saves_a_typed_name() {
    let (_folder, _viewer, mut browser) = keeping_cornell();
    browser.eval("document.getElementById('tree').focus()");
    browser.press("F2", "F2");
    browser.wait("document.activeElement.className === 'rename'");
    browser.call("Input.insertText", json!({"text": "renamed"}));
    let is_handled = "!document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { code: 'KeyS', key: 's', ctrlKey: true, bubbles: true, cancelable: true }))";
    assert_eq!(browser.eval(is_handled), true, "the browser does not save the page");
    browser.wait("document.getElementById('toasts').textContent.includes('Saved as')");
    wait_state(&mut browser, "!state.scene.unsaved && state.scene.nodes[0].node.name === 'renamed'");
}

pub(crate) fn lists_recent() {
    let (_folder, _viewer, mut browser) = keeping_cornell();
    browser.eval(OPEN);
    wait_state(&mut browser, "state.scene.name === 'other.obj'");
    browser.wait("document.querySelectorAll('#recent-menu .recent').length === 2");
    browser.eval("document.getElementById('recent').click()");
    save(&mut browser, "recent");
    let names = "[...document.querySelectorAll('#recent-menu .recent span')].map(name => name.textContent)";
    assert_eq!(browser.eval(names), json!(["other.obj", "cornell"]), "newest first");
    let headings =
        "[...document.querySelectorAll('#recent-menu strong')].map(heading => heading.textContent)";
    assert_eq!(browser.eval(headings), json!(["Recent scenes", "Built-in scenes"]), "above each list");
    browser.eval("document.querySelectorAll('#recent-menu button')[1].click()");
    wait_state(&mut browser, "state.scene.name === 'cornell'");
    assert_eq!(browser.eval("document.getElementById('recent-menu').hidden"), true, "the menu is closed");
}

pub(crate) fn recovers() {
    let (folder, first, mut browser) = keeping_cornell();
    browser.eval(HIDE);
    wait_state(&mut browser, "state.scene.unsaved");
    drop((browser, first));
    let second = keeping_viewer("erw6", folder.path());
    let mut browser = page(&second);
    browser.wait("!document.getElementById('recovery').hidden");
    let top = "document.getElementById('tabs').getBoundingClientRect().top";
    let shown = browser.eval(top);
    assert_eq!(
        browser.eval(&format!(
            "(() => {{ const bar = document.getElementById('recovery'); bar.remove(); const top = {top}; document.querySelector('main').after(bar); return top; }})()"
        )),
        shown,
        "the bar moves nothing"
    );
    browser.wait(
        "document.getElementById('recovery').textContent.startsWith('Unsaved changes of cornell from ')",
    );
    save(&mut browser, "recovery");
    browser.eval("document.querySelector('#recovery button.primary').click()");
    browser.wait("document.title === '• cornell – Sunfleck' && document.getElementById('recovery').hidden");
    let hidden = state(&mut browser, "state.scene.nodes.filter(({ node }) => !node.visible).length");
    assert_eq!(hidden, 1, "the edit is there");
    browser.eval("document.getElementById('undo').click()");
    browser.wait("document.title === 'erw6 – Sunfleck'");
    drop((browser, second));

    // It was not saved, and is offered again until it is discarded
    let third = keeping_viewer("erw6", folder.path());
    let mut browser = page(&third);
    browser.wait("!document.getElementById('recovery').hidden");
    // It can be put off in this tab; the least dangerous answer is the default one
    press_button(&mut browser, "#recovery button", "Later");
    assert_eq!(browser.eval("document.getElementById('recovery').hidden"), true, "put off");
    drop(browser);
    let mut browser = page(&third);
    browser.wait("!document.getElementById('recovery').hidden");
    browser.eval("document.querySelector('#recovery button:last-child').click()");
    browser.wait("document.querySelector('.question button.primary')?.value === 'keep'");
    browser.eval("document.querySelector('.question').close()");
    browser.wait("document.querySelector('.question') === null");
    assert_eq!(browser.eval("document.getElementById('recovery').hidden"), false, "nothing is discarded");
    browser.eval("document.querySelector('#recovery button:last-child').click()");
    answer(&mut browser, "discard");
    browser.wait("document.getElementById('recovery').hidden");
}
