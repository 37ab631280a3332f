//! Intersection of every ray with every triangle [RayEngine02, §3].

use super::{Pass, passes};

passes! {
    /// Finds the closest hit of each ray of a stream by testing all triangles: the crossbar of [RayEngine02, §3].
    CLOSEST: Pass::new("crossbar::closest").reads(&["planes rays"]).writes(&["hits"]);
    /// Finds the closest hits of rays in buckets among the triangles of their cells: the crossbar of [RayEngine02,
    /// §5.3]. One workgroup per crossing; `prim_id` is the index of the triangle among the triangles of all cells.
    BUCKETS: Pass::new("crossbar::buckets").reads(&["planes rays crossings"]).writes(&["hits"]);
}
