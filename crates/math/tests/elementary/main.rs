//! Tests of the elementary functions: accuracy, bits and special cases.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test fails by panicking")]

mod accuracy;
mod accuracy_of_pairs;
mod bits;
mod reference;
mod special_cases;
