//! The program `sunfleck-bench` as people run it, and the library against a real Embree.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, missing_docs, reason = "a test that cannot go on should fail")]

mod embree;
mod program;
