//! Renderers that run as Python packages, in a process of their own that renders as it is told line by line.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;
use serde_json::json;
use sunfleck_image::Picture;
use sunfleck_math::Vec3;

use super::Renderer;
use super::job::Job;
use crate::BenchError;
use crate::clock::Elapsed;

/// Renderer to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Mitsuba 3, variant `llvm_ad_rgb` [Jakob22, Mitsuba 3].
    Mitsuba,
    /// Cycles, the path tracer of Blender.
    Cycles,
}

impl Peer {
    /// All peers.
    pub const ALL: [Self; 2] = [Self::Mitsuba, Self::Cycles];

    /// Returns the name in arguments.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mitsuba => "mitsuba",
            Self::Cycles => "cycles",
        }
    }

    /// Returns the program that renders with it.
    const fn script(self) -> &'static str {
        match self {
            Self::Mitsuba => include_str!("mitsuba.py"),
            Self::Cycles => include_str!("cycles.py"),
        }
    }
}

/// Process of a peer that has loaded a scene.
pub(super) struct PeerProcess<'a> {
    peer: Peer,
    job: &'a Job,
    child: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
    version: String,
}

/// Reply of a process to a request, or its first line.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Reply {
    version: Option<String>,
    cpu_secs: Option<f64>,
    wall_secs: f64,
    error: Option<String>,
}

impl<'a> PeerProcess<'a> {
    /// Starts the process, which loads the scene.
    pub(super) fn start(peer: Peer, python: &Path, job: &'a Job) -> Result<Self, BenchError> {
        let script = job.folder.path().join(format!("{}.py", peer.name()));
        std::fs::write(&script, peer.script())
            .map_err(|source| BenchError::File { path: script.clone(), source })?;
        let mut command = Command::new(python);
        command.arg(&script).arg(&job.file).stdin(Stdio::piped()).stdout(Stdio::piped());
        let spawned = command.stderr(Stdio::null()).spawn();
        let mut child = spawned.map_err(|source| BenchError::File { path: python.to_path_buf(), source })?;
        let (Some(requests), Some(replies)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(peer, "it has no standard streams"));
        };
        let replies = BufReader::new(replies);
        let mut started = Self { peer, job, child, requests, replies, version: String::new() };
        started.version =
            started.reply()?.version.ok_or_else(|| failed(peer, "it did not tell its version"))?;
        Ok(started)
    }

    fn reply(&mut self) -> Result<Reply, BenchError> {
        let mut line = String::new();
        let read = self.replies.read_line(&mut line);
        let reply = match read {
            Ok(0) => return Err(failed(self.peer, "it ended; are its packages installed for this Python?")),
            Ok(_) => serde_json::from_str::<Reply>(&line).map_err(|error| failed(self.peer, error))?,
            Err(error) => return Err(failed(self.peer, error)),
        };
        match reply.error {
            Some(error) => Err(failed(self.peer, error)),
            None => Ok(reply),
        }
    }
}

impl Renderer for PeerProcess<'_> {
    fn name(&self) -> String {
        format!("{} {}", self.peer.name(), self.version)
    }

    fn render(&mut self, samples: u32, seed: u32) -> Result<(Picture, Elapsed), BenchError> {
        let file = self.job.folder.path().join(format!("{}.f32", self.peer.name()));
        let request = json!({ "spp": samples, "seed": seed, "out": file });
        writeln!(self.requests, "{request}").map_err(|error| failed(self.peer, error))?;
        let reply = self.reply()?;
        let cpu_secs = reply.cpu_secs.ok_or_else(|| failed(self.peer, "it did not tell its CPU time"))?;
        let bytes = std::fs::read(&file).map_err(|source| BenchError::File { path: file.clone(), source })?;
        let (floats, _) = bytes.as_chunks::<4>();
        let (colors, _) = floats.as_chunks::<3>();
        let pixels = colors.iter().map(|color| Vec3::from_array(color.map(f32::from_le_bytes))).collect();
        let [width, height] = self.job.size;
        let image = Picture::new(width, height, pixels).map_err(|error| failed(self.peer, error))?;
        Ok((image, Elapsed { cpu_secs, wall_secs: reply.wall_secs }))
    }
}

impl Drop for PeerProcess<'_> {
    fn drop(&mut self) {
        // It may have ended by itself
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn failed(peer: Peer, reason: impl std::fmt::Display) -> BenchError {
    BenchError::Peer { name: peer.name(), reason: reason.to_string() }
}
