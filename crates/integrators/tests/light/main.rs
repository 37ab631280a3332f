//! Integrators against closed forms and references, and the guarantees of the driver.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod adaptive;
mod algorithms;
mod ao;
mod caustics;
mod closed_forms;
mod common;
mod cornell_mitsuba;
mod features;
mod furnace;
mod igi;
mod panes;
mod procedural;
mod radiosity;
mod reflections;
mod reuse;
mod same_bits;
mod shapes;
mod textures;
mod upsample;
mod watertight;
