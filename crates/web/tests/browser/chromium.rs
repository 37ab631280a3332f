//! Headless Chromium, controlled over the `DevTools` protocol.

use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

use crate::common::TIMEOUT;

/// Names of the program on various systems.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Modifier of the control key.
pub(crate) const CTRL: u32 = 2;
/// Modifier of the shift key.
const SHIFT: u32 = 8;
/// Duration of a key press.
const KEY_PRESS: Duration = Duration::from_millis(10);

/// Time that the browser has to exit before it is killed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the name of an installed browser, if there is one.
pub(crate) fn program() -> Option<&'static str> {
    let runs = |name: &&str| {
        let version =
            Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    };
    NAMES.into_iter().find(runs)
}

/// Browser with one tab. What its page throws and does not catch fails the test.
#[derive(Debug)]
pub(crate) struct Browser {
    process: Child,
    socket: WebSocket<TcpStream>,
    session: String,
    ids: u64,
    /// What the page has thrown and not caught, rejected promises included.
    thrown: Vec<String>,
    /// Whether the page may throw, in [`Self::thrown_by`].
    may_throw: bool,
    /// Keys that are held during mouse and key events, such as [`CTRL`].
    pub(crate) modifiers: u32,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser with a window size and opens a page.
    pub(crate) fn open(url: &str, size: [u32; 2]) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let process = Command::new(program().unwrap())
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"])
            .args(["--remote-debugging-port=0", "about:blank"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (port, path) = devtools(profile.path());
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let (socket, _) = tungstenite::client(format!("ws://127.0.0.1:{port}{path}"), stream).unwrap();
        let mut browser = Self {
            process,
            socket,
            session: String::new(),
            ids: 0,
            thrown: Vec::new(),
            may_throw: false,
            modifiers: 0,
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attach = json!({"targetId": target, "flatten": true});
        browser.session = browser.call("Target.attachToTarget", attach)["sessionId"].as_str().unwrap().into();
        browser.call("Runtime.enable", json!({}));
        browser.resize(size, 1.0, false);
        browser.call("Page.navigate", json!({"url": url}));
        browser
    }

    pub(crate) fn resize(&mut self, [width, height]: [u32; 2], ratio: f64, mobile: bool) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": mobile});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Sends a command and returns its result.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.ids += 1;
        let id = self.ids;
        let mut command = json!({"id": id, "method": method, "params": params});
        if !self.session.is_empty() {
            command["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(command.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let answer: Value = serde_json::from_str(&text).unwrap();
            self.note(&answer);
            if answer["id"] == id {
                assert!(self.may_throw || self.thrown.is_empty(), "{}", self.thrown.join("\n"));
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
        }
    }

    /// Records what the page has thrown, if that is what an event tells.
    fn note(&mut self, event: &Value) {
        if event["method"] == "Runtime.exceptionThrown" {
            let details = &event["params"]["exceptionDetails"];
            let description = details["exception"]["description"].as_str();
            self.thrown.push(format!("{} {}", details["text"], description.unwrap_or_default()));
        }
    }

    /// Evaluates an expression and returns its value; promises are awaited.
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let result = self.call("Runtime.evaluate", params);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// Evaluates an expression because of which the page throws, and waits until another one is true. Returns what was
    /// thrown and not caught.
    pub(crate) fn thrown_by(&mut self, expression: &str, until: &str) -> Vec<String> {
        self.may_throw = true;
        self.eval(expression);
        self.wait(until);
        self.may_throw = false;
        std::mem::take(&mut self.thrown)
    }

    /// Waits until an expression is true.
    pub(crate) fn wait(&mut self, expression: &str) {
        let start = Instant::now();
        while self.eval(expression) != true {
            if start.elapsed() > TIMEOUT {
                let text = self.eval("`${location} ${document.readyState}: ${document.body?.innerText}`");
                panic!(
                    "timeout while waiting for {expression}; text of the page: {}",
                    text.as_str().unwrap_or_default()
                );
            }
            sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn mouse(&mut self, kind: &str, at: [f64; 2], held: bool) {
        self.mouse_of_click(kind, at, held, u32::from(kind != "mouseMoved"));
    }

    /// Sends a mouse event; `count` is 2 in the second click of a double click.
    fn mouse_of_click(&mut self, kind: &str, [x, y]: [f64; 2], held: bool, count: u32) {
        let button = if held || kind != "mouseMoved" { "left" } else { "none" };
        let params = json!({
            "type": kind, "x": x, "y": y, "button": button, "buttons": u32::from(held), "clickCount": count,
            "modifiers": self.modifiers,
        });
        self.call("Input.dispatchMouseEvent", params);
    }

    pub(crate) fn click(&mut self, at: [f64; 2]) {
        self.mouse("mouseMoved", at, false);
        self.mouse("mousePressed", at, true);
        self.mouse("mouseReleased", at, false);
    }

    pub(crate) fn drag(&mut self, from: [f64; 2], to: [f64; 2]) {
        self.pull(from, to);
        self.mouse("mouseReleased", to, false);
    }

    pub(crate) fn double_click(&mut self, at: [f64; 2]) {
        self.click(at);
        self.mouse_of_click("mousePressed", at, true, 2);
        self.mouse_of_click("mouseReleased", at, false, 2);
    }

    /// Drags in steps without releasing the button.
    pub(crate) fn pull(&mut self, [x, y]: [f64; 2], [to_x, to_y]: [f64; 2]) {
        self.mouse("mouseMoved", [x, y], false);
        self.mouse("mousePressed", [x, y], true);
        for i in 1..=10 {
            let t = f64::from(i) / 10.0;
            self.mouse("mouseMoved", [x + t * (to_x - x), y + t * (to_y - y)], true);
            sleep(Duration::from_millis(16));
        }
    }

    /// Moves touch points simultaneously from one set of positions to another.
    pub(crate) fn fingers(&mut self, from: &[[f64; 2]], to: &[[f64; 2]]) {
        self.call("Emulation.setTouchEmulationEnabled", json!({"enabled": true, "maxTouchPoints": 5}));
        let points = |t: f64| -> Vec<Value> {
            let at = |(i, (from, to)): (usize, (&[f64; 2], &[f64; 2]))| {
                let [x, y] = [0, 1].map(|axis| from[axis] + t * (to[axis] - from[axis]));
                json!({"x": x, "y": y, "id": i})
            };
            from.iter().zip(to).enumerate().map(at).collect()
        };
        let mut touch = |kind: &str, points: Vec<Value>| {
            self.call("Input.dispatchTouchEvent", json!({"type": kind, "touchPoints": points}));
        };
        touch("touchStart", points(0.0));
        for i in 1..=10 {
            touch("touchMove", points(f64::from(i) / 10.0));
            sleep(Duration::from_millis(16));
        }
        touch("touchEnd", Vec::new());
    }

    /// Presses a key.
    ///
    /// * `code` — physical key, such as `KeyW`.
    /// * `key` — character or name of the key.
    pub(crate) fn press(&mut self, code: &str, key: &str) {
        self.hold_key(code, key, KEY_PRESS);
    }

    /// Presses a key while the shift key is held; see [`Self::press`].
    pub(crate) fn press_with_shift(&mut self, code: &str, key: &str) {
        self.modifiers |= SHIFT;
        self.press(code, key);
        self.modifiers &= !SHIFT;
    }

    /// Holds a key for a duration; see [`Self::press`].
    pub(crate) fn hold_key(&mut self, code: &str, key: &str, held: Duration) {
        let modifiers = self.modifiers;
        let mut event = |kind: &str| {
            self.call(
                "Input.dispatchKeyEvent",
                json!({"type": kind, "code": code, "key": key, "modifiers": modifiers}),
            );
        };
        event("keyDown");
        sleep(held);
        event("keyUp");
    }

    /// Saves a screenshot as PNG or JPEG.
    pub(crate) fn screenshot(&mut self, file: &Path) {
        // Noise compresses badly as PNG
        let format = match file.extension() {
            Some(extension) if extension == "jpg" => json!({"format": "jpeg", "quality": 88}),
            _ => json!({"format": "png"}),
        };
        let data = self.call("Page.captureScreenshot", format);
        let data = data["data"].as_str().unwrap();
        std::fs::write(file, decode_base64(data)).unwrap();
    }
}

impl Drop for Browser {
    /// Asks the browser to close, so that its child processes end before the profile is deleted.
    fn drop(&mut self) {
        drop(self.socket.send(Message::text(json!({"id": 0, "method": "Browser.close"}).to_string())));
        // What the page has thrown since the last command
        drop(self.socket.get_ref().set_read_timeout(Some(EXIT_TIMEOUT)));
        while let Ok(message) = self.socket.read() {
            if let Message::Text(text) = message {
                self.note(&serde_json::from_str(&text).unwrap_or_default());
            }
        }
        let start = Instant::now();
        while matches!(self.process.try_wait(), Ok(None)) && start.elapsed() < EXIT_TIMEOUT {
            sleep(Duration::from_millis(10));
        }
        drop(self.process.kill());
        drop(self.process.wait());
        if !std::thread::panicking() {
            assert!(self.thrown.is_empty(), "{}", self.thrown.join("\n"));
        }
    }
}

/// Returns the port and path of the `DevTools` socket, read from the profile.
fn devtools(profile: &Path) -> (u16, String) {
    let start = Instant::now();
    loop {
        let text = std::fs::read_to_string(profile.join("DevToolsActivePort")).unwrap_or_default();
        if let Some((port, path)) = text.split_once('\n')
            && let Ok(port) = port.parse()
        {
            return (port, path.trim().to_string());
        }
        assert!(start.elapsed() < TIMEOUT, "the browser did not start");
        sleep(Duration::from_millis(20));
    }
}

fn decode_base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.bytes().filter_map(|byte| ALPHABET.iter().position(|&digit| digit == byte));
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0usize, 0);
    for digit in digits {
        bits = bits << 6 | digit;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).unwrap());
        }
    }
    bytes
}
