//! The stages, compiled.

use std::sync::Arc;

use sunfleck_constants::path::{FILM_SIZE, GENERATE_SIZE, LIVE_SIZE, SHADOW_SIZE, SORT_SIZE};
use sunfleck_shaders::passes::{film, path};
use sunfleck_shaders::{Features, Pass};

use super::RayStructure;
use crate::kernels::Kernels;
use crate::{Gpu, GpuError, SceneMirror};

/// A stage of every step.
pub(super) struct Stage {
    pub(super) name: &'static str,
    pub(super) pass: &'static Pass,
    /// Which of the sizes says how many threads there are; none: one.
    pub(super) size: Option<u32>,
}

/// Kernels for worlds of some depth, with or without see-through surfaces, and what they are of.
#[derive(Debug)]
pub(crate) struct Stages {
    pub(super) kernels: Kernels,
    shade: &'static Pass,
    /// Whether hits are shaded in the order of materials.
    pub(super) sorts: bool,
    /// What rays are traced in instead of trees.
    pub(super) structure: Option<RayStructure>,
}

impl Stages {
    /// For worlds no deeper than that of `scene`, and opaque if that is.
    ///
    /// * `shade` — what happens at hits. * `sorts` — whether hits are shaded in the order of materials; then `shade` reads that order.
    /// * `structure` — of the same world, to be traced in instead of trees; but ambient occlusion.
    pub(crate) fn new(
        gpu: &Arc<Gpu>,
        scene: &SceneMirror,
        shade: &'static Pass,
        sorts: bool,
        structure: Option<RayStructure>,
    ) -> Result<Self, GpuError> {
        if structure.is_some() && !scene.is_opaque() {
            return Err(GpuError::Unsupported { what: "surfaces with alpha outside of trees" });
        }
        let stages = Self { kernels: Kernels::new(gpu, scene), shade, sorts, structure };
        // What all pictures take is compiled now
        for stage in stages.of_step(false) {
            stages.kernels.get(stage.pass, Features::NONE)?;
        }
        Ok(stages)
    }

    /// Those of a step, in their order.
    ///
    /// * `records` — whether other channels than radiance are recorded.
    pub(super) fn of_step(&self, records: bool) -> Vec<Stage> {
        let [shadow, intersect] = match &self.structure {
            None => [&path::SHADOW, &path::INTERSECT],
            Some(structure) => [structure.shadow, structure.intersect],
        };
        let mut stages = vec![
            Stage { name: "advance", pass: &path::ADVANCE, size: None },
            Stage { name: "shadow rays", pass: shadow, size: Some(SHADOW_SIZE) },
            Stage { name: "film", pass: &film::ADD, size: Some(FILM_SIZE) },
            Stage { name: "camera rays", pass: &path::GENERATE, size: Some(GENERATE_SIZE) },
            Stage { name: "closest hits", pass: intersect, size: Some(LIVE_SIZE) },
        ];
        stages.extend(records.then_some(Stage {
            name: "first surfaces",
            pass: &path::FIRST,
            size: Some(GENERATE_SIZE),
        }));
        stages.extend(self.sorts.then_some(Stage {
            name: "sorting",
            pass: &path::SORT,
            size: Some(SORT_SIZE),
        }));
        stages.push(Stage { name: "shading", pass: self.shade, size: Some(LIVE_SIZE) });
        stages
    }

    /// Whether they are for such a world.
    pub(crate) fn check(&self, scene: &SceneMirror) -> Result<(), GpuError> {
        self.kernels.check(scene)
    }
}
