//! The kernels, compiled.

use std::sync::{Arc, OnceLock};

use sunfleck_shaders::{Shader, igi as shaders};

use super::workspace::Spares;
use crate::mirror::Form;
use crate::once::made_once;
use crate::pipeline::Pipeline;
use crate::{Gpu, GpuError, SceneMirror};

/// All of them, for worlds of some depth, with or without see-through surfaces.
#[derive(Debug)]
pub(super) struct Kernels {
    pub(super) pattern: Pipeline,
    pub(super) probe: Pipeline,
    pub(super) reach: Pipeline,
    pub(super) estimate: Pipeline,
    pub(super) weigh: Pipeline,
    pub(super) recall: Pipeline,
    pub(super) collect: Pipeline,
    pub(super) shares: Pipeline,
    pub(super) blocks: Pipeline,
    pub(super) parts: Pipeline,
    pub(super) walks: Pipeline,
    pub(super) occluders: Pipeline,
    pub(super) clearances: Pipeline,
    /// Without it all camera rays begin at the root.
    pub(super) camera_beams: Option<Pipeline>,
    pub(super) primary: Pipeline,
    pub(super) ask: Pipeline,
    pub(super) occlude: Pipeline,
    pub(super) light: Pipeline,
    pub(super) occlude_paths: Pipeline,
    pub(super) light_paths: Pipeline,
    pub(super) resolve: Pipeline,
    /// Adds frames to the film.
    pub(super) filter: Pipeline,
    /// Without short paths and with them, each made when it is wanted for the first time.
    sharp: [OnceLock<Sharp>; 2],
    /// Made when a sequence is wanted for the first time.
    reusing: OnceLock<Reusing>,
    /// Made when channels are wanted for the first time.
    recording: OnceLock<Recording>,
    /// Made when they are wanted for the first time.
    caustics: OnceLock<Caustics>,
    pub(super) spares: Spares,
    form: Form,
    opaque: bool,
}

/// What finds surfaces, and lets paths go on.
#[derive(Debug)]
pub(super) struct Sharp {
    pub(super) surface: Pipeline,
    pub(super) follow: Pipeline,
}

/// What photons of caustics take.
#[derive(Debug)]
pub(super) struct Caustics {
    pub(super) walks: Pipeline,
    pub(super) cells: Pipeline,
    pub(super) places: Pipeline,
    pub(super) gather: Pipeline,
    pub(super) gather_paths: Pipeline,
    pub(super) follow: Pipeline,
}

/// What other channels than radiance take.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) first: Pipeline,
    pub(super) filter: Pipeline,
}

/// What sequences take in place of `filter`.
#[derive(Debug)]
pub(super) struct Reusing {
    pub(super) filter: Pipeline,
    pub(super) reuse: Pipeline,
}

impl Kernels {
    /// For worlds no deeper than that of `scene`, and opaque if that is.
    pub(super) fn new(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Result<Self, GpuError> {
        let form = scene.form();
        let opaque = scene.is_opaque();
        let made = |shader: &Shader| Pipeline::new(gpu, shader, &form.text(shader));
        let traced = |plain, alpha| made(if opaque { plain } else { alpha });
        Ok(Self {
            pattern: made(&shaders::PATTERN)?,
            probe: traced(&shaders::PROBE, &shaders::PROBE_ALPHA)?,
            reach: made(&shaders::REACH)?,
            estimate: traced(&shaders::ESTIMATE, &shaders::ESTIMATE_ALPHA)?,
            weigh: made(&shaders::WEIGH)?,
            recall: made(&shaders::RECALL)?,
            collect: made(&shaders::COLLECT)?,
            shares: made(&shaders::SHARES)?,
            blocks: made(&shaders::BLOCKS)?,
            parts: made(&shaders::PARTS)?,
            walks: traced(&shaders::WALKS, &shaders::WALKS_ALPHA)?,
            occluders: traced(&shaders::OCCLUDERS, &shaders::OCCLUDERS_ALPHA)?,
            clearances: made(&shaders::CLEARANCES)?,
            camera_beams: gpu.has_subgroups.then(|| made(&shaders::CAMERA_BEAMS)).transpose()?,
            primary: traced(&shaders::PRIMARY, &shaders::PRIMARY_ALPHA)?,
            ask: traced(&shaders::ASK, &shaders::ASK_ALPHA)?,
            occlude: traced(&shaders::OCCLUDE, &shaders::OCCLUDE_ALPHA)?,
            light: made(&shaders::LIGHT)?,
            occlude_paths: traced(&shaders::OCCLUDE_PATHS, &shaders::OCCLUDE_PATHS_ALPHA)?,
            light_paths: made(&shaders::LIGHT_PATHS)?,
            resolve: made(&shaders::RESOLVE)?,
            filter: made(&shaders::FILTER_FILM)?,
            sharp: [const { OnceLock::new() }; 2],
            reusing: OnceLock::new(),
            recording: OnceLock::new(),
            caustics: OnceLock::new(),
            spares: Spares::default(),
            form,
            opaque,
        })
    }

    /// Whether they are for such a world.
    pub(super) fn check(&self, scene: &SceneMirror) -> Result<(), GpuError> {
        if self.opaque && !scene.is_opaque() {
            return Err(GpuError::Unsupported { what: "surfaces with alpha by kernels for worlds without" });
        }
        self.form.serves(&scene.form())
    }

    pub(super) fn recording(&self, gpu: &Gpu) -> Result<&Recording, GpuError> {
        let made = |shader: &Shader| Pipeline::new(gpu, shader, &self.form.text(shader));
        made_once(&self.recording, || {
            Ok(Recording { first: made(&shaders::FIRST)?, filter: made(&shaders::FILTER_CHANNELS)? })
        })
    }

    /// * `compensates` — whether short paths put back what a bound takes away.
    pub(super) fn sharp(&self, gpu: &Gpu, compensates: bool) -> Result<&Sharp, GpuError> {
        let made = |shader: &Shader| {
            let text = self.form.text(shader);
            let text = if compensates { text } else { shaders::without_short_paths(&text) };
            Pipeline::new(gpu, shader, &text)
        };
        let follow = if self.opaque { &shaders::FOLLOW } else { &shaders::FOLLOW_ALPHA };
        made_once(&self.sharp[usize::from(compensates)], || {
            Ok(Sharp { surface: made(&shaders::SURFACE)?, follow: made(follow)? })
        })
    }

    pub(super) fn reusing(&self, gpu: &Gpu) -> Result<&Reusing, GpuError> {
        let made = |shader: &Shader| Pipeline::new(gpu, shader, &self.form.text(shader));
        made_once(&self.reusing, || {
            Ok(Reusing { filter: made(&shaders::FILTER)?, reuse: made(&shaders::REUSE)? })
        })
    }

    pub(super) fn caustics(&self, gpu: &Gpu) -> Result<&Caustics, GpuError> {
        let made = |shader: &Shader| Pipeline::new(gpu, shader, &self.form.text(shader));
        let traced = |plain, alpha| made(if self.opaque { plain } else { alpha });
        let caustics = || {
            Ok(Caustics {
                walks: traced(&shaders::PHOTON_WALKS, &shaders::PHOTON_WALKS_ALPHA)?,
                cells: made(&shaders::PHOTON_CELLS)?,
                places: made(&shaders::PHOTON_PLACES)?,
                gather: made(&shaders::CAUSTICS)?,
                gather_paths: made(&shaders::CAUSTICS_PATHS)?,
                follow: traced(&shaders::FOLLOW_PHOTONS, &shaders::FOLLOW_PHOTONS_ALPHA)?,
            })
        };
        made_once(&self.caustics, caustics)
    }
}
