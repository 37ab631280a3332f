use std::sync::{Arc, Mutex, PoisonError};

use sunfleck_shaders::{Features, Pass, Shader, SurfaceFeature};

use crate::mirror::SceneSpecialization;
use crate::pipeline::Pipeline;
use crate::{Gpu, GpuError, SceneMirror};

/// Cache of the pipelines of one integrator, specialised for the features of a world. Each is compiled when it is first
/// needed.
#[derive(Debug)]
pub(crate) struct Kernels {
    pub(crate) gpu: Arc<Gpu>,
    specialization: SceneSpecialization,
    opaque: bool,
    /// Compiled pipelines, by whether they compensate for clamping and by shader.
    compiled: Mutex<Vec<(bool, Shader, Pipeline)>>,
}

impl Kernels {
    /// Cache for the world of `scene`. It also serves worlds whose trees are no deeper and that need no further
    /// features.
    pub(crate) fn new(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Self {
        Self {
            gpu: gpu.clone(),
            specialization: scene.specialization(),
            opaque: scene.is_opaque(),
            compiled: Mutex::default(),
        }
    }

    /// As [`new`](Self::new), without some features of surfaces; worlds that have them are refused.
    pub(crate) fn without(gpu: &Arc<Gpu>, scene: &SceneMirror, excluded: &[SurfaceFeature]) -> Self {
        Self { specialization: scene.specialization().without(excluded), ..Self::new(gpu, scene) }
    }

    /// Returns an error if the kernels cannot render a world.
    pub(crate) fn check(&self, scene: &SceneMirror) -> Result<(), GpuError> {
        if self.opaque && !scene.is_opaque() {
            return Err(GpuError::Unsupported {
                what: "surfaces with alpha (the kernels were compiled for a world without them)",
            });
        }
        self.specialization.supports(&scene.specialization())
    }

    /// Returns the pipeline of a pass with some of its optional features. [`Features::ALPHA`] is added if the world has
    /// surfaces with alpha.
    pub(crate) fn get(&self, pass: &'static Pass, features: Features) -> Result<Pipeline, GpuError> {
        self.with_compensation(pass, features, true)
    }

    /// As [`get`](Self::get), with or without the short paths that compensate for the
    /// clamping of geometry terms.
    pub(crate) fn with_compensation(
        &self,
        pass: &'static Pass,
        features: Features,
        compensates: bool,
    ) -> Result<Pipeline, GpuError> {
        let shader = Shader::new(pass, features.and(Features::ALPHA.when(!self.opaque)));
        // Passes that do not declare the constant have one pipeline for both values
        let compensates = compensates || !shader.declares("COMPENSATES");
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            compiled.iter().find(|(compensation, known, _)| (*compensation, *known) == (compensates, shader));
        if let Some((_, _, pipeline)) = known {
            return Ok(pipeline.clone());
        }
        let specialization = self.specialization.clone().with_compensation(compensates);
        let pipeline = Pipeline::new(&self.gpu, shader, &specialization)?;
        compiled.push((compensates, shader, pipeline.clone()));
        Ok(pipeline)
    }
}
