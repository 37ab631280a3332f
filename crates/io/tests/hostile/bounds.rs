//! Time and memory of loading a file, which happens in a process of its own.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Time that any of these files may take, with much room for busy machines and builds without optimisation.
const MAX_TIME: Duration = Duration::from_secs(30);

/// Memory that a file may take: a multiple of its length, and what any file needs.
const BYTES_PER_BYTE: u64 = 16;
const MIN_BYTES: u64 = 48 << 20;

/// Environment variable with the path of the file that a child process loads.
const FILE: &str = "SUNFLECK_HOSTILE_FILE";

/// Beginning of the line in which the child process returns what happened.
const OUTCOME: &str = "outcome: ";

/// Loads a file within the bounds. Returns the error, or the notes and warnings, as one text.
pub(crate) fn load_within_bounds(path: &Path) -> String {
    let name = path.display();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "bounds::load_the_file_of_the_parent", "--nocapture"])
        .env(FILE, path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > MAX_TIME {
            child.kill().unwrap();
            panic!("{name} takes more than {MAX_TIME:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut output = String::new();
    child.stdout.unwrap().read_to_string(&mut output).unwrap();
    let line = output.split(OUTCOME).nth(1).and_then(|rest| rest.lines().next());
    let outcome: Value = serde_json::from_str(line.unwrap_or_else(|| panic!("{name}: {output}"))).unwrap();
    if let Some(memory) = outcome["memory"].as_u64() {
        let length = path.metadata().map_or(0, |file| file.len());
        let limit = MIN_BYTES + BYTES_PER_BYTE * length;
        assert!(memory <= limit, "{name} of {length} bytes takes {memory} bytes of memory");
    }
    outcome["text"].as_str().unwrap().to_string()
}

/// Loads the file of the environment variable, if this is a child process.
#[test]
fn load_the_file_of_the_parent() {
    let Some(path) = std::env::var_os(FILE) else { return };
    let before = resident("VmRSS:");
    let loaded = sunfleck_io::load(Path::new(&path));
    let memory = resident("VmHWM:").zip(before).map(|(peak, before)| peak.saturating_sub(before));
    let text = match &loaded {
        Ok(loaded) => {
            let entries: Vec<String> = loaded.report.entries.iter().map(ToString::to_string).collect();
            entries.join("\n")
        }
        Err(error) => format!("error: {error}"),
    };
    #[allow(clippy::print_stdout, reason = "the parent reads the outcome")]
    {
        println!("{OUTCOME}{}", json!({ "text": text, "memory": memory }));
    }
}

/// Returns a size in bytes from the status of this process; `None` on systems other than Linux.
fn resident(label: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix(label))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}
