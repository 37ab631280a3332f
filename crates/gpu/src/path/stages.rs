//! The stages of a step, and their kernels.

use std::sync::Arc;

use sunfleck_constants::path::{FILM_SIZE, GENERATE_SIZE, LIVE_SIZE, SHADOW_SIZE, SORT_SIZE};
use sunfleck_shaders::passes::{film, path};
use sunfleck_shaders::{Features, Pass};

use super::RayStructure;
use crate::kernels::Kernels;
use crate::{Gpu, GpuError, SceneMirror};

/// A stage of a step: a GPU pass.
pub(super) struct PathStage {
    pub(super) name: &'static str,
    pub(super) pass: &'static Pass,
    /// Index of the indirect dispatch size, in `sizes`; `None`: one thread.
    pub(super) size: Option<u32>,
}

/// Stages of an integrator, compiled for the features of a world.
#[derive(Debug)]
pub(crate) struct PathStages {
    pub(crate) kernels: Kernels,
    shade: &'static Pass,
    /// Whether hits are sorted by material before shading.
    pub(super) sorts: bool,
    /// Acceleration structure that replaces the trees of the mirror.
    pub(super) structure: Option<RayStructure>,
}

impl PathStages {
    /// Compiles the stages for the world of `scene`. They also render worlds whose trees are no deeper, that need no
    /// further features, and that are opaque if this one is.
    ///
    /// * `shade` — the shading pass.
    /// * `sorts` — whether hits are sorted by material; then `shade` reads them in that order.
    /// * `structure` — structure of the same world in which rays are traced, except those of ambient occlusion.
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        scene: &SceneMirror,
        shade: &'static Pass,
        sorts: bool,
        structure: Option<RayStructure>,
    ) -> Result<Self, GpuError> {
        if structure.is_some() && !scene.is_opaque() {
            return Err(GpuError::Unsupported {
                what: "surfaces with alpha in acceleration structures other than BVHs",
            });
        }
        let stages = Self { kernels: Kernels::new(gpu, scene), shade, sorts, structure };
        // The passes that every image needs are compiled now, others on demand
        for stage in stages.stages_of_step(false) {
            stages.kernels.get(stage.pass, Features::NONE)?;
        }
        Ok(stages)
    }

    /// Returns the stages of a step, in their order.
    ///
    /// * `records` — whether AOVs are recorded.
    pub(super) fn stages_of_step(&self, records: bool) -> Vec<PathStage> {
        let [shadow, intersect] = match &self.structure {
            None => [&path::SHADOW, &path::INTERSECT],
            Some(structure) => [structure.shadow, structure.intersect],
        };
        let mut stages = vec![
            PathStage { name: "advance", pass: &path::ADVANCE, size: None },
            PathStage { name: "shadow rays", pass: shadow, size: Some(SHADOW_SIZE) },
            PathStage { name: "film", pass: &film::ADD, size: Some(FILM_SIZE) },
            PathStage { name: "camera rays", pass: &path::GENERATE, size: Some(GENERATE_SIZE) },
            PathStage { name: "closest hits", pass: intersect, size: Some(LIVE_SIZE) },
        ];
        stages.extend(records.then_some(PathStage {
            name: "first surfaces",
            pass: &path::FIRST,
            size: Some(GENERATE_SIZE),
        }));
        stages.extend(self.sorts.then_some(PathStage {
            name: "sorting",
            pass: &path::SORT,
            size: Some(SORT_SIZE),
        }));
        stages.push(PathStage { name: "shading", pass: self.shade, size: Some(LIVE_SIZE) });
        stages
    }

    /// Returns an error if the stages cannot render a world.
    pub(crate) fn check(&self, scene: &SceneMirror) -> Result<(), GpuError> {
        self.kernels.check(scene)
    }
}
