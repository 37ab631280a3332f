//! Tables as GPUs read them.

use super::albedo_table_data::{AVERAGE, DIRECTIONAL};

/// What microfacets lose, for the twin of [`super::MetallicRoughness`]: pairs of numbers, [`ALBEDO_COLUMNS`] for each of
/// [`ALBEDO_ROWS`] rows of the table, and after these a pair for each row.
///
/// [`ALBEDO_COLUMNS`]: sunfleck_constants::bsdf::ALBEDO_COLUMNS
/// [`ALBEDO_ROWS`]: sunfleck_constants::bsdf::ALBEDO_ROWS
pub fn packed_albedo_table() -> Vec<[f32; 2]> {
    DIRECTIONAL.iter().flatten().chain(&AVERAGE).copied().collect()
}
