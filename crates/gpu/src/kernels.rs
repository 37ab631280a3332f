use std::sync::{Arc, Mutex, PoisonError};

use sunfleck_shaders::{Features, Pass, Shader};

use crate::mirror::Form;
use crate::pipeline::Pipeline;
use crate::{Gpu, GpuError, SceneMirror};

/// Pipelines of passes for worlds of some form: each is made when it is wanted for the first time.
#[derive(Debug)]
pub(crate) struct Kernels {
    pub(crate) gpu: Arc<Gpu>,
    form: Form,
    opaque: bool,
    /// With short paths, or without them.
    made: Mutex<Vec<(bool, Shader, Pipeline)>>,
}

impl Kernels {
    /// For worlds no deeper than that of `scene`, with nothing that it has not, and opaque if it is.
    pub(crate) fn new(gpu: &Arc<Gpu>, scene: &SceneMirror) -> Self {
        Self { gpu: gpu.clone(), form: scene.form(), opaque: scene.is_opaque(), made: Mutex::default() }
    }

    /// Whether they are for such a world.
    pub(crate) fn check(&self, scene: &SceneMirror) -> Result<(), GpuError> {
        if self.opaque && !scene.is_opaque() {
            return Err(GpuError::Unsupported { what: "surfaces with alpha by kernels for worlds without" });
        }
        self.form.serves(&scene.form())
    }

    /// That of a pass with those of some features that it has; alpha is one of them if the world has such surfaces.
    pub(crate) fn get(&self, pass: &'static Pass, features: Features) -> Result<Pipeline, GpuError> {
        self.with_short_paths(pass, features, true)
    }

    /// As [`get`](Self::get), for pictures with short paths, or without.
    pub(crate) fn with_short_paths(
        &self,
        pass: &'static Pass,
        features: Features,
        compensates: bool,
    ) -> Result<Pipeline, GpuError> {
        let shader = Shader::new(pass, features.and(Features::ALPHA.when(!self.opaque)));
        // Most passes know nothing of short paths
        let compensates = compensates || !shader.declares("COMPENSATES");
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let known = made.iter().find(|(paths, known, _)| (*paths, *known) == (compensates, shader));
        if let Some((_, _, pipeline)) = known {
            return Ok(pipeline.clone());
        }
        let form = self.form.clone().with_short_paths(compensates);
        let pipeline = Pipeline::new(&self.gpu, shader, &form)?;
        made.push((compensates, shader, pipeline.clone()));
        Ok(pipeline)
    }
}
