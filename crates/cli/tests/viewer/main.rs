//! `sunfleck view` as a separate process, with a real browser; ignored if there is none.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

#[path = "../../../web/tests/browser/chromium.rs"]
#[allow(dead_code, reason = "used fully by the tests of the page")]
mod chromium;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use libtest_mimic::{Arguments, Trial};

use chromium::Browser;

/// Items that `chromium.rs` needs of its test crate.
mod common {
    use std::time::Duration;

    pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);
}

const SIZE: [u32; 2] = [1280, 720];
const SHOWN: &str = "document.getElementById('waiting')?.hidden === true";

fn main() {
    let mut arguments = Arguments::from_args();
    // Each test measures or needs the whole machine
    arguments.test_threads = Some(1);
    let has_browser = chromium::program().is_some();
    let tests: [(&str, fn()); 2] = [
        ("a_killed_server_is_reconnected", survives_a_kill),
        ("the_first_frame_comes_within_a_second", is_quick),
    ];
    let trial = |(name, run): (&str, fn())| {
        Trial::test(name, move || {
            run();
            Ok(())
        })
        .with_ignored_flag(!has_browser)
    };
    libtest_mimic::run(&arguments, tests.into_iter().map(trial).collect()).exit();
}

/// Viewer process, killed when dropped.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(scene: &str, port: &str) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_sunfleck"))
            .args(["view", scene, "--no-open", "--port", port])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Self { process, url: url.trim().to_string() }
    }

    fn port(&self) -> &str {
        self.url.trim_end_matches('/').rsplit(':').next().unwrap()
    }
}

impl Drop for Server {
    /// Kills the process with SIGKILL.
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn survives_a_kill() {
    let first = Server::start("cornell", "0");
    let port = first.port().to_string();
    let mut browser = Browser::open(&first.url, SIZE);
    browser.wait(SHOWN);
    drop(first);
    browser.wait("document.getElementById('waiting').hidden === false");
    browser
        .wait("document.getElementById('waiting-text').textContent.includes('The server does not answer')");
    let _second = Server::start("erw6", &port);
    browser.wait(&format!("document.title === 'erw6 – Sunfleck' && {SHOWN}"));
    browser.wait("document.getElementById('toasts').textContent.includes('The server was restarted')");
}

fn is_quick() {
    let server = Server::start("erw6", "0");
    let mut browser = Browser::open(&server.url, SIZE);
    browser.wait(SHOWN);
    let millis = browser.eval("performance.getEntriesByName('first frame')[0].startTime").as_f64().unwrap();
    eprintln!("erw6: {millis:.0} ms from navigation to the first frame");
    // Debug builds have no time limit
    assert!(cfg!(debug_assertions) || millis < 1000.0, "{millis} ms");
}
