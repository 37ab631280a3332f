//! Passes that build the top level and refit bottom levels, in the order of their dispatches.

use super::{Pass, passes};

passes! {
    /// Computes the box of each instance.
    TOP_BOUNDS: Pass::new("build::top_bounds").reads(&["steps instances places"]).writes(&["units boxes"]);
    /// Computes the box around all instances.
    TOP_WHOLE: Pass::new("build::top_whole").reads(&["steps"]).writes(&["boxes whole"]);
    /// Computes the Morton code of each instance.
    TOP_CODES: Pass::new("build::top_codes").reads(&["steps"]).writes(&["boxes keys whole"]);
    /// Sorts the codes: one step.
    TOP_SORT: Pass::new("build::top_sort").reads(&["steps"]).writes(&["keys"]);
    /// Computes the union of sorted boxes: one level of a binary heap.
    TOP_UNITE: Pass::new("build::top_unite").reads(&["steps"]).writes(&["boxes keys heap whole"]);
    /// Finds the children of each binary node.
    TOP_LINK: Pass::new("build::top_link").reads(&["steps"]).writes(&["keys links parents whole"]);
    /// Measures the depth of the tree.
    TOP_DEPTH: Pass::new("build::top_depth").reads(&["steps"]).writes(&["parents whole"]);
    /// Writes the wide nodes.
    TOP_WRITE: Pass::new("build::top_write").reads(&["steps places"]).writes(&["units keys heap links parents"]);
    /// Refits one level of nodes, and the triangles of their leaves, to moved vertices; sums up the SAH cost.
    REFIT_LEVEL: Pass::new("build::refit_level").reads(&["refits words order"]).writes(&["units costs boxes"]);
}
