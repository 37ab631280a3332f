//! Streams of rays against trees.

use sunfleck_constants::group::ORDERED_ANY_SHARE;

use super::{Features, GROUP, Pass, QUAD, TREES, WALKERS, passes};

passes! {
    /// The closest hit of each ray of a stream.
    CLOSEST: Pass::new("trace::closest").reads(&[TREES, "rays"]).writes(&["hits"]);
    /// Whether there is anything on each ray of a stream: 1 or 0.
    ANY: Pass::new("trace::any").with(Features::ANY).reads(&[TREES, "rays"]).writes(&["occluded"]);
    /// As [`CLOSEST`], those rays of a group side by side that go into the same octant. For devices with subgroups.
    ORDERED_CLOSEST: Pass::new("trace::ordered_closest").group(WALKERS).reads(&[TREES, "rays"]).writes(&["hits"]);
    /// As [`ANY`], those rays of a group side by side that go into the same octant, two for each thread. For devices with subgroups.
    ORDERED_ANY: Pass::new("trace::ordered_any").with(Features::ANY).group(WALKERS).share(ORDERED_ANY_SHARE * WALKERS)
        .reads(&[TREES, "rays"]).writes(&["occluded"]);
    /// Where each group of neighbours of a stream enters the trees: what a beam around them meets [Reshetov05, entry points]. A front for each group, which
    /// takes [`QUAD`] threads, on devices with subgroups.
    BEAM_ENTRY_POINTS: Pass::new("beam::entry_points").share(GROUP / QUAD).reads(&[TREES, "rays"]).writes(&["fronts"]);
    /// The closest hit of each ray of a stream, from where its group enters the trees.
    BEAM_CLOSEST: Pass::new("beam::closest").with(Features::BEAMS).group(WALKERS).reads(&[TREES, "rays fronts"]).writes(&["hits"]);
    /// Whether there is anything on each ray of a stream, from where its group enters the trees.
    BEAM_ANY: Pass::new("beam::any").with(Features::ANY).group(WALKERS).reads(&[TREES, "rays fronts"]).writes(&["occluded"]);
}
