//! Tests of the χ² test, and of rules for the whole workspace: citations, dependencies between crates, terms.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test fails by panicking")]

mod chi2;
mod citations;
mod doors;
mod glossary;
mod repository;
