//! Tests of the program `sunfleck-bench`, and of the library with a real Embree.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, missing_docs, reason = "a test that cannot go on should fail")]

mod embree;
mod program;
