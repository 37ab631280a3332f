use sunfleck_shaders::{Kernel, Shader, Specialization, Split, SurfaceFeature, SurfaceFeatures};

use crate::GpuError;
use crate::buffer::SegmentedArray;

/// Specialisation of kernels that read a mirror: values of specialisation constants, and the split of arrays that
/// exceed a binding.
#[derive(Clone, Debug)]
pub(crate) struct SceneSpecialization {
    constants: Specialization,
    /// Arrays of more than one segment.
    segmented: Vec<SegmentedArray>,
}

impl SceneSpecialization {
    pub(crate) fn new(stack: u32, instances: bool, arrays: impl IntoIterator<Item = SegmentedArray>) -> Self {
        let segmented = arrays.into_iter().filter(|array| array.split.segments > 1).collect();
        let (surface_features, negative_t_near, compensates) = (SurfaceFeatures::NONE, false, true);
        Self {
            constants: Specialization {
                stack,
                instances,
                shapes: false,
                patches: false,
                surface_features,
                negative_t_near,
                compensates,
            },
            segmented,
        }
    }

    /// Returns a specialisation for all features, and for trees of moderate depth.
    pub(crate) fn general() -> Self {
        Self { constants: Specialization::with_everything(64), segmented: Vec::new() }
    }

    /// Extends the specialisation to what edits may introduce: transformed instances, and all features of surfaces but
    /// those that take the most registers: procedurals, measured metals, rough glass, plastic, anisotropy and the
    /// principled model.
    pub(crate) fn for_changing_worlds(self) -> Self {
        use SurfaceFeature::{Anisotropy, Interfaces, Patterns, Principled};
        let rare = [Patterns, Interfaces, Anisotropy, Principled].into_iter().collect();
        let surface_features = self.constants.surface_features.and(SurfaceFeatures::ALL.without(rare));
        Self { constants: Specialization { instances: true, surface_features, ..self.constants }, ..self }
    }

    /// Sets whether some surfaces are shapes, and some of them patches.
    pub(crate) fn with_shapes(self, shapes: bool, patches: bool) -> Self {
        Self { constants: Specialization { shapes, patches, ..self.constants }, ..self }
    }

    /// Sets the features of surfaces.
    pub(crate) fn with_surface_features(self, surface_features: SurfaceFeatures) -> Self {
        Self { constants: Specialization { surface_features, ..self.constants }, ..self }
    }

    /// Excludes features of surfaces; worlds that have them are not [supported](Self::supports).
    pub(crate) fn without(self, excluded: &[SurfaceFeature]) -> Self {
        let excluded = excluded.iter().copied().collect();
        let surface_features = self.constants.surface_features.without(excluded);
        Self { constants: Specialization { surface_features, ..self.constants }, ..self }
    }

    /// Allows rays with a negative `t_near`.
    pub(crate) fn with_negative_t_near(self) -> Self {
        Self { constants: Specialization { negative_t_near: true, ..self.constants }, ..self }
    }

    /// Adds the arrays among `arrays` that have several segments.
    pub(crate) fn with(mut self, arrays: impl IntoIterator<Item = SegmentedArray>) -> Self {
        self.segmented.extend(Self::new(0, false, arrays).segmented);
        self
    }

    /// Sets whether short paths compensate for the light that the clamping of geometry terms removes.
    pub(crate) fn with_compensation(self, compensates: bool) -> Self {
        Self { constants: Specialization { compensates, ..self.constants }, ..self }
    }

    /// Compiles a shader.
    ///
    /// # Errors
    /// The message of the compiler.
    pub(crate) fn kernel(&self, shader: &Shader) -> Result<Kernel, String> {
        let splits: Vec<Split> = self.segmented.iter().map(|array| array.split).collect();
        Kernel::new(shader, &self.constants, &splits)
    }

    #[cfg(test)]
    pub(crate) fn constants(&self) -> Specialization {
        self.constants
    }

    /// Checks that kernels of this specialisation can read a mirror that needs `needed`: it is no deeper, has no
    /// further features of instances and surfaces, and its arrays are split in the same way.
    pub(crate) fn supports(&self, needed: &Self) -> Result<(), GpuError> {
        if needed.constants.instances && !self.constants.instances {
            return Err(GpuError::Unsupported {
                what: "transformed instances (the kernels were compiled for a world without them)",
            });
        }
        if needed.constants.shapes && !self.constants.shapes {
            return Err(GpuError::Unsupported {
                what: "shapes (the kernels were compiled for a world without them)",
            });
        }
        if needed.constants.patches && !self.constants.patches {
            return Err(GpuError::Unsupported {
                what: "bicubic patches (the kernels were compiled for a world without them)",
            });
        }
        if let Some(detail) = needed.constants.surface_features.first_not_in(self.constants.surface_features)
        {
            return Err(GpuError::Unsupported { what: detail.name() });
        }
        let [bytes, limit] =
            [needed.constants.stack, self.constants.stack].map(|entries| u64::from(entries) * 4);
        if bytes > limit {
            return Err(GpuError::TooLarge { what: "traversal stacks", bytes, limit });
        }
        let contains = |others: &[SegmentedArray], array: &SegmentedArray| {
            others.iter().any(|other| other.split == array.split)
        };
        let new = needed.segmented.iter().find(|array| !contains(&self.segmented, array));
        let superfluous = self.segmented.iter().find(|array| !contains(&needed.segmented, array));
        match new.or(superfluous) {
            Some(&SegmentedArray { what, bytes, limit, .. }) => {
                Err(GpuError::TooLarge { what, bytes, limit })
            }
            None => Ok(()),
        }
    }
}
