//! Tests of bsdfs, lights and materials: statistical tests and closed forms.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test fails by panicking")]

mod bsdf_chi_square;
mod common;
mod consistency;
mod emissive_textures;
mod energy;
mod lights;
mod materials;
mod microsurface;
mod mitsuba;
