//! Streams of rays in a uniform grid [Wald03, §3.3].

use super::{Features, Pass, passes};

/// The grid, the start of each cell's list, the lists, the triangles, and `prim_id` and `inst_id` of each triangle.
pub(super) const GRID: &str = "grid begins list grid_triangles grid_ids";

passes! {
    /// Finds the closest hit of each ray of a stream.
    CLOSEST: Pass::new("grid::closest").reads(&[GRID, "rays"]).writes(&["hits"]);
    /// Writes 1 for each ray of a stream that is occluded, else 0.
    ANY: Pass::new("grid::any").reads(&[GRID, "rays"]).writes(&["occluded"]);
    /// Finds the closest hit of each path, in place of [`path::INTERSECT`](super::path::INTERSECT).
    INTERSECT: Pass::new("path::intersect").with(Features::GRID).reads(&[GRID, "live"]).writes(&["hits wave"]);
    /// Traces shadow rays, in place of [`path::SHADOW`](super::path::SHADOW).
    SHADOW: Pass::new("path::shadow").with(Features::GRID).or_with(Features::SPLIT)
        .reads(&[GRID, "shadows diffuse_shares"]).writes(&["samples wave seen"]);
}
