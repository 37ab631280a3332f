//! Tables as GPUs read them.

use super::albedo_table_data::{AVERAGE, DIRECTIONAL};

/// What microfacets lose, for the twin of [`super::MetallicRoughness`]: pairs of numbers, 64 for each of 48 rows of the table, and after
/// these a pair for each row.
pub fn packed_albedo_table() -> Vec<[f32; 2]> {
    DIRECTIONAL.iter().flatten().chain(&AVERAGE).copied().collect()
}
