//! `sunfleck view` as a separate process, with a real browser; ignored if there is none.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

#[path = "../../../web/tests/browser/chromium.rs"]
#[allow(dead_code, reason = "used fully by the tests of the page")]
mod chromium;
#[path = "../../../web/tests/common/mod.rs"]
mod common;
mod keeping;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use libtest_mimic::{Arguments, Trial};
use tempfile::TempDir;

use chromium::Browser;

const SIZE: [u32; 2] = [1280, 720];
const SHOWN: &str = "document.getElementById('waiting')?.hidden === true";

fn main() {
    let mut arguments = Arguments::from_args();
    // Each test measures or needs the whole machine
    arguments.test_threads = Some(1);
    let has_browser = chromium::program().is_some();
    let tests: [(&str, fn(), bool); 9] = [
        ("a_killed_server_is_reconnected", survives_a_kill, has_browser),
        ("edits_are_recovered_after_a_kill", keeping::recovers, has_browser),
        ("the_first_frame_comes_within_a_second", is_quick, has_browser),
        ("the_command_line_reproduces_the_image", keeping::reproduces, true),
        ("the_command_line_reproduces_an_orbit", keeping::reproduces_an_orbit, true),
        ("the_command_line_reproduces_a_map", keeping::reproduces_a_map, true),
        ("the_command_line_reproduces_a_moment", keeping::reproduces_a_moment, true),
        ("signals_end_the_server", keeping::ends, cfg!(unix)),
        ("silent_connections_do_not_use_up_files", keeping::serves_under_a_file_limit, cfg!(unix)),
    ];
    let trial = |(name, run, can_run): (&str, fn(), bool)| {
        Trial::test(name, move || {
            run();
            Ok(())
        })
        .with_ignored_flag(!can_run)
    };
    libtest_mimic::run(&arguments, tests.into_iter().map(trial).collect()).exit();
}

/// Viewer process, killed when dropped.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    /// Starts a server in a folder, in which it keeps everything.
    fn start(scene: &str, port: &str, folder: &Path) -> Self {
        Self::of(Command::new(env!("CARGO_BIN_EXE_sunfleck")).args(["view", scene, "--port", port]), folder)
    }

    /// Starts a command.
    fn of(command: &mut Command, folder: &Path) -> Self {
        let mut process = command
            .arg("--no-open")
            .current_dir(folder)
            .env("XDG_STATE_HOME", folder.join("state"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Self { process, url: url.trim().to_string() }
    }

    /// Returns `host:port`.
    fn authority(&self) -> &str {
        self.url.trim_end_matches('/').rsplit('/').next().unwrap()
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
    let folder = TempDir::new().unwrap();
    let first = Server::start("cornell", "0", folder.path());
    let port = first.port().to_string();
    let mut browser = Browser::open(&first.url, SIZE);
    browser.wait(SHOWN);
    drop(first);
    browser.wait("document.getElementById('waiting').hidden === false");
    browser
        .wait("document.getElementById('waiting-text').textContent.includes('The server does not answer')");
    let _second = Server::start("erw6", &port, folder.path());
    browser.wait(&format!("document.title === 'erw6 – Sunfleck' && {SHOWN}"));
    browser.wait("document.getElementById('toasts').textContent.includes('The server was restarted')");
}

fn is_quick() {
    let folder = TempDir::new().unwrap();
    let server = Server::start("erw6", "0", folder.path());
    let mut browser = Browser::open(&server.url, SIZE);
    browser.wait(SHOWN);
    let millis = browser.eval("performance.getEntriesByName('first frame')[0].startTime").as_f64().unwrap();
    eprintln!("erw6: {millis:.0} ms from navigation to the first frame");
    // Debug builds have no time limit
    assert!(cfg!(debug_assertions) || millis < 1000.0, "{millis} ms");
}
