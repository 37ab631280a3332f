//! Albedo table of GGX microfacets as a plain array for the GPU.

use super::albedo_table_data::{AVERAGE, DIRECTIONAL};

/// Returns the albedo table for the GPU counterpart of [`super::MetallicRoughness`]: pairs of numbers,
/// [`ALBEDO_COLUMNS`] for each of [`ALBEDO_ROWS`] rows, followed by one pair per row, its average.
///
/// [`ALBEDO_COLUMNS`]: sunfleck_constants::bsdf::ALBEDO_COLUMNS
/// [`ALBEDO_ROWS`]: sunfleck_constants::bsdf::ALBEDO_ROWS
pub fn packed_albedo_table() -> Vec<[f32; 2]> {
    DIRECTIONAL.iter().flatten().chain(&AVERAGE).copied().collect()
}
