//! Streams of rays against a uniform grid [Wald03, §3.3].

use super::{Features, Pass, passes};

/// The grid, where the list of each cell begins, the lists, triangles, and `prim_id` and `inst_id` of each.
pub(super) const GRID: &str = "grid begins list grid_triangles grid_ids";

passes! {
    /// The closest hit of each ray of a stream.
    CLOSEST: Pass::new("grid::closest").reads(&[GRID, "rays"]).writes(&["hits"]);
    /// Whether there is anything on each ray of a stream: 1 or 0.
    ANY: Pass::new("grid::any").reads(&[GRID, "rays"]).writes(&["occluded"]);
    /// The closest hit of each path: stands for [`path::INTERSECT`](super::path::INTERSECT).
    INTERSECT: Pass::new("path::intersect").with(Features::GRID).reads(&[GRID, "live"]).writes(&["hits wave"]);
    /// Shadow rays: stands for [`path::SHADOW`](super::path::SHADOW).
    SHADOW: Pass::new("path::shadow").with(Features::GRID).reads(&[GRID, "shadows"]).writes(&["samples wave"]);
}
