//! The stages, compiled.

use std::sync::{Arc, OnceLock};

use sunfleck_shaders::{Shader, film, path};

use super::RayStructure;
use crate::mirror::Form;
use crate::once::made_once;
use crate::pipeline::{Pipeline, check_known};
use crate::{Gpu, GpuError, SceneMirror};

/// Kernels for worlds of some depth, with or without see-through surfaces.
#[derive(Debug)]
pub(crate) struct Stages {
    pub(super) gpu: Arc<Gpu>,
    pub(super) advance: Pipeline,
    pub(super) shadow: Pipeline,
    pub(super) film: Pipeline,
    pub(super) generate: Pipeline,
    pub(super) intersect: Pipeline,
    /// If hits are sorted.
    pub(super) sort: Option<Pipeline>,
    shade: Pipeline,
    levels: &'static Shader,
    /// Made when reflections are counted for the first time.
    shade_levels: OnceLock<Pipeline>,
    /// Made when channels are wanted for the first time.
    recording: OnceLock<Recording>,
    form: Form,
    opaque: bool,
    /// What the structure binds that rays are traced in instead of trees.
    pub(super) structure: Vec<(u32, wgpu::Buffer)>,
}

/// What other channels than radiance take.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) first: Pipeline,
    pub(super) film: Pipeline,
}

impl Stages {
    /// For worlds no deeper than that of `scene`, and opaque if that is.
    ///
    /// * `shade` — what happens at hits, and the same where reflections are counted. * `sort` — whether hits are shaded in the order of materials; then `shade` reads that order.
    /// * `structure` — of the same world, to be traced in instead of trees; but ambient occlusion.
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        scene: &SceneMirror,
        [shade, levels]: [&'static Shader; 2],
        sort: bool,
        structure: Option<RayStructure>,
    ) -> Result<Self, GpuError> {
        let form = scene.form();
        let opaque = scene.is_opaque();
        let [shadow, intersect] = match (&structure, opaque) {
            (None, true) => [&path::SHADOW, &path::INTERSECT],
            (None, false) => [&path::SHADOW_ALPHA, &path::INTERSECT_ALPHA],
            (Some(RayStructure { shadow, intersect, .. }), true) => {
                check_known(shadow)?;
                check_known(intersect)?;
                [shadow, intersect]
            }
            (Some(_), false) => {
                return Err(GpuError::Unsupported { what: "surfaces with alpha outside of trees" });
            }
        };
        let made = |shader: &Shader| Pipeline::new(gpu, shader, &form.text(shader));
        Ok(Self {
            advance: made(&path::ADVANCE)?,
            shadow: made(shadow)?,
            film: made(&film::ADD)?,
            generate: made(&path::GENERATE)?,
            intersect: made(intersect)?,
            sort: sort.then(|| made(&path::SORT)).transpose()?,
            shade: made(shade)?,
            levels,
            shade_levels: OnceLock::new(),
            recording: OnceLock::new(),
            gpu: gpu.clone(),
            form,
            opaque,
            structure: structure.map(|structure| structure.arrays).unwrap_or_default(),
        })
    }

    /// Whether they are for such a world.
    pub(crate) fn check(&self, scene: &SceneMirror) -> Result<(), GpuError> {
        if self.opaque && !scene.is_opaque() {
            return Err(GpuError::Unsupported { what: "surfaces with alpha by kernels for worlds without" });
        }
        self.form.serves(&scene.form())
    }

    /// What happens at hits.
    ///
    /// * `counts` — whether reflections are counted.
    pub(super) fn shading(&self, counts: bool) -> Result<&Pipeline, GpuError> {
        if !counts {
            return Ok(&self.shade);
        }
        made_once(&self.shade_levels, || Pipeline::new(&self.gpu, self.levels, &self.form.text(self.levels)))
    }

    pub(super) fn recording(&self) -> Result<&Recording, GpuError> {
        let made = |shader: &Shader| Pipeline::new(&self.gpu, shader, &self.form.text(shader));
        let first = if self.opaque { &path::FIRST } else { &path::FIRST_ALPHA };
        made_once(&self.recording, || Ok(Recording { first: made(first)?, film: made(&film::ADD_CHANNELS)? }))
    }
}
