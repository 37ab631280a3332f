use std::sync::Arc;

use sunfleck_shaders::Features;
use sunfleck_shaders::passes::reuse::{MERGE, SURFACES_OF_PIXELS};

use crate::kernels::Kernels;
use crate::pipeline::Pipeline;
use crate::{Gpu, GpuError, SceneMirror};

/// Kernels that find primary surfaces and merge frames with their history, specialised for the features of a world.
#[derive(Debug)]
pub(crate) struct ReuseKernels {
    kernels: Kernels,
}

impl ReuseKernels {
    /// Kernels for the world of `scene`, and for others that need no further features. They are compiled when they are
    /// first used.
    pub(crate) fn new(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Self {
        Self { kernels: Kernels::new(gpu, scene) }
    }

    /// Returns whether the kernels support a world.
    pub(crate) fn supports(&self, scene: &SceneMirror) -> bool {
        self.kernels.check(scene).is_ok()
    }

    /// Returns the kernel that finds primary surfaces.
    pub(super) fn surfaces(&self) -> Result<Pipeline, GpuError> {
        self.kernels.get(&SURFACES_OF_PIXELS, Features::NONE)
    }

    /// Returns the kernel that merges a frame with the history.
    ///
    /// * `channels` — whether frames have channels beside radiance.
    pub(super) fn merge(&self, channels: bool) -> Result<Pipeline, GpuError> {
        self.kernels.get(&MERGE, Features::CHANNELS.when(channels))
    }
}
