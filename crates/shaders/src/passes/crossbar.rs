//! Every ray against every triangle [RayEngine02, §3].

use super::{Pass, passes};

passes! {
    /// The closest hit of each ray of a stream, by testing all triangles: the crossbar of [RayEngine02, §3].
    CLOSEST: Pass::new("crossbar::closest").reads(&["planes rays"]).writes(&["hits"]);
    /// The closest hit of rays in buckets among the triangles of their cells: the crossbar of [RayEngine02, §5.3]. A group of threads for each crossing; `prim_id` is the
    /// index of the triangle among all cells' triangles.
    BUCKETS: Pass::new("crossbar::buckets").reads(&["planes rays crossings"]).writes(&["hits"]);
}
