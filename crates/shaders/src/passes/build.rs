//! What makes top levels and moves bottom levels, each in the order of its dispatches.

use super::{Pass, passes};

passes! {
    /// The box of each instance.
    TOP_BOUNDS: Pass::new("build::top_bounds").reads(&["steps instances places"]).writes(&["units boxes"]);
    /// The box around all of them.
    TOP_WHOLE: Pass::new("build::top_whole").reads(&["steps"]).writes(&["boxes whole"]);
    /// Where they are on a curve.
    TOP_CODES: Pass::new("build::top_codes").reads(&["steps"]).writes(&["boxes keys whole"]);
    /// A step of sorting them along it.
    TOP_SORT: Pass::new("build::top_sort").reads(&["steps"]).writes(&["keys"]);
    /// A level of boxes around them.
    TOP_UNITE: Pass::new("build::top_unite").reads(&["steps"]).writes(&["boxes keys heap whole"]);
    /// Which node is below which.
    TOP_LINK: Pass::new("build::top_link").reads(&["steps"]).writes(&["keys links parents whole"]);
    /// How deep the tree is.
    TOP_DEPTH: Pass::new("build::top_depth").reads(&["steps"]).writes(&["parents whole"]);
    /// The nodes.
    TOP_WRITE: Pass::new("build::top_write").reads(&["steps places"]).writes(&["units keys heap links parents"]);
    /// A level of nodes, and the triangles of their leaves, where vertices are; what a ray costs there.
    REFIT_LEVEL: Pass::new("build::refit_level").reads(&["refits words order"]).writes(&["units costs boxes"]);
}
