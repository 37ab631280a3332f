//! Streams of rays traced in BVHs.

use sunfleck_constants::group::ORDERED_ANY_SHARE;

use super::{BVHS, Features, GROUP, Pass, QUAD, WALKERS, passes};

passes! {
    /// Finds the closest hit of each ray of a stream.
    CLOSEST: Pass::new("trace::closest").reads(&[BVHS, "rays"]).writes(&["hits"]);
    /// Writes 1 for each ray of a stream that is occluded, else 0.
    ANY: Pass::new("trace::any").with(Features::ANY).reads(&[BVHS, "rays"]).writes(&["occluded"]);
    /// Like [`CLOSEST`], with the rays of a workgroup sorted by octant. For devices with subgroups.
    ORDERED_CLOSEST: Pass::new("trace::ordered_closest").group(WALKERS).reads(&[BVHS, "rays"]).writes(&["hits"]);
    /// Like [`ANY`], with the rays of a workgroup sorted by octant, two for each thread. For devices with subgroups.
    ORDERED_ANY: Pass::new("trace::ordered_any").with(Features::ANY).group(WALKERS).share(ORDERED_ANY_SHARE * WALKERS)
        .reads(&[BVHS, "rays"]).writes(&["occluded"]);
    /// Finds the entry points of each group of neighbouring rays: the nodes that a beam around them meets [Reshetov05,
    /// entry points]. Writes one list per group, with [`QUAD`] threads each, on devices with subgroups.
    BEAM_ENTRY_POINTS: Pass::new("beam::entry_points").share(GROUP / QUAD).reads(&[BVHS, "rays"]).writes(&["fronts"]);
    /// Finds the closest hit of each ray of a stream, starting at the entry points of its group.
    BEAM_CLOSEST: Pass::new("beam::closest").with(Features::BEAMS).group(WALKERS).reads(&[BVHS, "rays fronts"]).writes(&["hits"]);
    /// Finds whether each ray of a stream is occluded, starting at the entry points of its group.
    BEAM_ANY: Pass::new("beam::any").with(Features::ANY).group(WALKERS).reads(&[BVHS, "rays fronts"]).writes(&["occluded"]);
}
