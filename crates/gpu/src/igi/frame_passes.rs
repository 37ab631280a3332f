//! Table of the passes of a frame: stage, number of items, streams, and which passes may overlap.
//!
//! The passes are divided into command buffers. When a command buffer starts, the results of all earlier passes are
//! visible. Within it, a pass waits for those before it if it uses what they wrote, or writes what they use. Passes
//! that are to overlap therefore stand at the start of a command buffer, those with few threads first, since the
//! workgroups of a kernel are launched once all those of the previous kernel have been. So `ESTIMATE` and `PROBE`
//! overlap `CAMERA_BEAMS`; the walks of VPLs overlap camera rays; clearance and occluder maps overlap first surfaces;
//! the continuation of paths overlaps the shadow rays of first surfaces; and the shadow rays of paths overlap the
//! shading of first surfaces.

use sunfleck_shaders::Pass;
use sunfleck_shaders::passes::igi;

use super::sizes::FrameSizes;
use super::stages::IgiStage;
use IgiStage::{Filter, Light, Lights, Primary, Sharp, Surfaces};

/// A pass of a frame.
#[derive(Debug)]
pub(super) struct FramePass {
    pub(super) stage: IgiStage,
    pub(super) pass: &'static Pass,
    /// Number of items; a pass without items is left out.
    pub(super) items: fn(&FrameSizes) -> usize,
    pub(super) set: StreamSet,
    /// Whether it runs in the first band only.
    pub(super) first_band_only: bool,
    pub(super) starts_command_buffer: CommandBufferStart,
}

/// The streams that a pass works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StreamSet {
    /// Streams of first surfaces.
    First,
    /// Streams of first surfaces, with the ray counters of paths.
    Counted,
    /// Points that paths hit, and ray counters, which have arrays of their own. Paths begin at first surfaces.
    Paths,
}

/// Whether a pass starts a command buffer. A pass that does must always have items, since a pass that is left out
/// starts none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandBufferStart {
    Never,
    Always,
    /// In all bands but the first.
    LaterBands,
}

impl FramePass {
    const fn new(stage: IgiStage, pass: &'static Pass, items: fn(&FrameSizes) -> usize) -> Self {
        Self {
            stage,
            pass,
            items,
            set: StreamSet::First,
            first_band_only: false,
            starts_command_buffer: CommandBufferStart::Never,
        }
    }

    const fn first_band_only(self) -> Self {
        Self { first_band_only: true, ..self }
    }

    const fn starts_command_buffer(self) -> Self {
        Self { starts_command_buffer: CommandBufferStart::Always, ..self }
    }

    const fn on(self, set: StreamSet) -> Self {
        Self { set, ..self }
    }

    /// Returns whether the pass starts a command buffer in a band.
    pub(super) fn starts_command_buffer_in(&self, band: usize) -> bool {
        self.starts_command_buffer == CommandBufferStart::Always
            || self.starts_command_buffer == CommandBufferStart::LaterBands && band > 0
    }
}

/// The phases of a frame: everything before illumination; illumination of first surfaces and of paths; and the image,
/// which is added to the film or to the previous frame.
pub(super) static PHASES: [&[FramePass]; 3] = [BEGINNING, LIGHT, END];

static BEGINNING: &[FramePass] = &[
    FramePass::new(Lights, &igi::PATTERN, |sizes| sizes.pattern).first_band_only(),
    FramePass::new(Lights, &igi::PROBE, |sizes| sizes.probes).first_band_only().starts_command_buffer(),
    FramePass::new(Lights, &igi::ESTIMATE, |sizes| sizes.cells).first_band_only(),
    FramePass::new(Primary, &igi::CAMERA_BEAMS, |sizes| sizes.entered_beams),
    // Bound of geometry terms, and the number of VPLs of each light
    FramePass::new(Lights, &igi::REACH, |_| 1).first_band_only(),
    FramePass::new(Lights, &igi::WEIGH, |sizes| sizes.cells.min(1)).first_band_only(),
    FramePass::new(Lights, &igi::RECALL, |sizes| sizes.recalled).first_band_only(),
    FramePass::new(Lights, &igi::COLLECT, |sizes| sizes.finds).first_band_only(),
    FramePass::new(Lights, &igi::SHARES, |sizes| sizes.lights).first_band_only(),
    FramePass::new(Lights, &igi::BLOCKS, |_| 1).first_band_only(),
    FramePass::new(Lights, &igi::PARTS, |sizes| sizes.lights).first_band_only(),
    FramePass::new(Lights, &igi::WALKS, |sizes| sizes.vpls).first_band_only().starts_command_buffer(),
    FramePass::new(Primary, &igi::PRIMARY, |sizes| sizes.primary),
    FramePass::new(Lights, &igi::CLEARANCES, |sizes| sizes.clearances)
        .first_band_only()
        .starts_command_buffer(),
    FramePass::new(Lights, &igi::OCCLUDERS, |sizes| sizes.occluders).first_band_only(),
    FramePass {
        starts_command_buffer: CommandBufferStart::LaterBands,
        ..FramePass::new(Surfaces, &igi::SURFACE, |sizes| sizes.places).on(StreamSet::Counted)
    },
    FramePass::new(Lights, &igi::PHOTON_WALKS, |sizes| sizes.photon_walks).first_band_only(),
    FramePass::new(Lights, &igi::PHOTON_CELLS, |sizes| sizes.photon_cells).first_band_only(),
    FramePass::new(Lights, &igi::PHOTON_PLACES, |sizes| sizes.photon_capacity).first_band_only(),
    FramePass::new(Surfaces, &igi::FIRST, |sizes| sizes.recorded),
];

static LIGHT: &[FramePass] = &[
    FramePass::new(Light, &igi::ASK, |sizes| sizes.places),
    FramePass::new(Sharp, &igi::FOLLOW, |sizes| sizes.path_threads)
        .on(StreamSet::Paths)
        .starts_command_buffer(),
    FramePass::new(Light, &igi::OCCLUDE, |sizes| sizes.four_rows),
    FramePass::new(Sharp, &igi::OCCLUDE_PATHS, |sizes| sizes.path_points)
        .on(StreamSet::Paths)
        .starts_command_buffer(),
    FramePass::new(Light, &igi::LIGHT, |sizes| sizes.places),
    FramePass::new(Light, &igi::CAUSTICS, |sizes| sizes.if_photons(sizes.places)),
    FramePass::new(Sharp, &igi::LIGHT_PATHS, |sizes| sizes.path_points).on(StreamSet::Paths),
    FramePass::new(Sharp, &igi::CAUSTICS_PATHS, |sizes| sizes.if_photons(sizes.path_points))
        .on(StreamSet::Paths),
];

static END: &[FramePass] = &[
    FramePass::new(Filter, &igi::RESOLVE, |sizes| sizes.resolved),
    FramePass::new(Filter, &igi::FILTER, |sizes| sizes.pixels),
    FramePass::new(Filter, &igi::REUSE, |sizes| sizes.reused),
];
