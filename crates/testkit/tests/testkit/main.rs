//! The chi-square test, and what holds for the whole workspace: citations, doors between crates, terms.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test fails by panicking")]

mod chi2;
mod citations;
mod doors;
mod glossary;
mod repository;
