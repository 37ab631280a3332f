//! The passes of a frame as a table: what each is of, how many items it has, and what runs beside what.
//!
//! What passes before a stretch have written is there when the stretch begins; within it, a pass waits for those before it if it uses what they or it have written. So passes
//! that are to run beside each other stand where a stretch begins, first those with few threads: a kernel is dispatched when all groups of the one before are. That is why
//! `ESTIMATE` and `PROBE` run beside `CAMERA_BEAMS`, VPLs are walked beside camera rays, what is nearest to them, and how far nothing is, is found beside first surfaces,
//! paths are followed beside shadow rays of first surfaces, and have their own beside the light of those.

use sunfleck_shaders::Pass;
use sunfleck_shaders::passes::igi;

use super::sizes::Sizes;
use super::stages::IgiStage;
use IgiStage::{Filter, Light, Lights, Primary, Sharp, Surfaces};

/// A pass of a frame.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) stage: IgiStage,
    pub(super) pass: &'static Pass,
    /// Without any it is left out.
    pub(super) items: fn(&Sizes) -> usize,
    pub(super) set: StreamSet,
    /// Whether the first band alone has it.
    pub(super) once: bool,
    pub(super) begins: Begins,
}

/// Which streams a pass works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StreamSet {
    /// Those of first surfaces.
    First,
    /// The same, but the counters of paths.
    Counted,
    /// Points that paths meet, and counters, which are in arrays of their own; first surfaces are where paths begin.
    Paths,
}

/// Whether a pass begins a stretch. One that is left out begins none: those that do always have items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begins {
    Never,
    Always,
    /// In all bands but the first.
    Later,
}

impl Row {
    const fn new(stage: IgiStage, pass: &'static Pass, items: fn(&Sizes) -> usize) -> Self {
        Self { stage, pass, items, set: StreamSet::First, once: false, begins: Begins::Never }
    }

    const fn once(self) -> Self {
        Self { once: true, ..self }
    }

    const fn begins(self) -> Self {
        Self { begins: Begins::Always, ..self }
    }

    const fn on(self, set: StreamSet) -> Self {
        Self { set, ..self }
    }

    /// Whether it begins a stretch of a band.
    pub(super) fn begins_in(&self, band: usize) -> bool {
        self.begins == Begins::Always || self.begins == Begins::Later && band > 0
    }
}

/// Up to what is to be lit; light of first surfaces and of paths; then the picture, which is added to the film or to the frame before.
pub(super) static PARTS: [&[Row]; 3] = [BEGINNING, LIGHT, END];

static BEGINNING: &[Row] = &[
    Row::new(Lights, &igi::PATTERN, |sizes| sizes.pattern).once(),
    Row::new(Lights, &igi::PROBE, |sizes| sizes.probes).once().begins(),
    Row::new(Lights, &igi::ESTIMATE, |sizes| sizes.cells).once(),
    Row::new(Primary, &igi::CAMERA_BEAMS, |sizes| sizes.entered_beams),
    // How far the camera sees, and how many VPLs each light gets
    Row::new(Lights, &igi::REACH, |_| 1).once(),
    Row::new(Lights, &igi::WEIGH, |sizes| sizes.cells.min(1)).once(),
    Row::new(Lights, &igi::RECALL, |sizes| sizes.recalled).once(),
    Row::new(Lights, &igi::COLLECT, |sizes| sizes.finds).once(),
    Row::new(Lights, &igi::SHARES, |sizes| sizes.lights).once(),
    Row::new(Lights, &igi::BLOCKS, |_| 1).once(),
    Row::new(Lights, &igi::PARTS, |sizes| sizes.lights).once(),
    Row::new(Lights, &igi::WALKS, |sizes| sizes.vpls).once().begins(),
    Row::new(Primary, &igi::PRIMARY, |sizes| sizes.primary),
    Row::new(Lights, &igi::CLEARANCES, |sizes| sizes.clearances).once().begins(),
    Row::new(Lights, &igi::OCCLUDERS, |sizes| sizes.occluders).once(),
    Row {
        begins: Begins::Later,
        ..Row::new(Surfaces, &igi::SURFACE, |sizes| sizes.places).on(StreamSet::Counted)
    },
    Row::new(Lights, &igi::PHOTON_WALKS, |sizes| sizes.photon_walks).once(),
    Row::new(Lights, &igi::PHOTON_CELLS, |sizes| sizes.photon_cells).once(),
    Row::new(Lights, &igi::PHOTON_PLACES, |sizes| sizes.photon_room).once(),
    Row::new(Surfaces, &igi::FIRST, |sizes| sizes.recorded),
];

static LIGHT: &[Row] = &[
    Row::new(Light, &igi::ASK, |sizes| sizes.places),
    Row::new(Sharp, &igi::FOLLOW, |sizes| sizes.followers).on(StreamSet::Paths).begins(),
    Row::new(Light, &igi::OCCLUDE, |sizes| sizes.four_rows),
    Row::new(Sharp, &igi::OCCLUDE_PATHS, |sizes| sizes.desks).on(StreamSet::Paths).begins(),
    Row::new(Light, &igi::LIGHT, |sizes| sizes.places),
    Row::new(Light, &igi::CAUSTICS, |sizes| sizes.lit_by_photons(sizes.places)),
    Row::new(Sharp, &igi::LIGHT_PATHS, |sizes| sizes.desks).on(StreamSet::Paths),
    Row::new(Sharp, &igi::CAUSTICS_PATHS, |sizes| sizes.lit_by_photons(sizes.desks)).on(StreamSet::Paths),
];

static END: &[Row] = &[
    Row::new(Filter, &igi::RESOLVE, |sizes| sizes.resolved),
    Row::new(Filter, &igi::FILTER, |sizes| sizes.pixels),
    Row::new(Filter, &igi::REUSE, |sizes| sizes.reused),
];
