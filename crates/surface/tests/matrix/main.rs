//! Matrix radiosity against closed forms, a direct solution, path tracing and another program.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod certificate;
mod common;
mod cornell;
mod edits;
mod form_factors;
mod furnace;
mod path;
mod pyviewfactor;
mod rooms;
mod solvers;
mod subdivision;
