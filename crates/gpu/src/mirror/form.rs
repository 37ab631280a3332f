use sunfleck_shaders::{Kernel, Shader, Specialization, Split, SurfaceFeature, SurfaceFeatures};

use crate::GpuError;
use crate::buffer::Parts;

/// What kernels are compiled for that read a mirror.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    constants: Specialization,
    /// Arrays that no single binding holds.
    parts: Vec<Parts>,
}

impl Form {
    pub(crate) fn new(stack: u32, instances: bool, arrays: impl IntoIterator<Item = Parts>) -> Self {
        let parts = arrays.into_iter().filter(|array| array.split.segments > 1).collect();
        let (details, behind, compensates) = (SurfaceFeatures::NONE, false, true);
        Self { constants: Specialization { stack, instances, details, behind, compensates }, parts }
    }

    /// For all worlds that are not too deep.
    pub(crate) fn of_everything() -> Self {
        let details = SurfaceFeature::ALL.into_iter().collect();
        Self::new(64, true, []).with_details(details).with_rays_behind()
    }

    /// For worlds that change: where nothing is turned now, something may be, and surfaces may come to have all but solid patterns.
    pub(crate) fn for_changes(self) -> Self {
        let most =
            SurfaceFeature::ALL.into_iter().filter(|&detail| detail != SurfaceFeature::Patterns).collect();
        let details = self.constants.details.and(most);
        Self { constants: Specialization { instances: true, details, ..self.constants }, ..self }
    }

    /// For worlds whose surfaces have no other details.
    pub(crate) fn with_details(self, details: SurfaceFeatures) -> Self {
        Self { constants: Specialization { details, ..self.constants }, ..self }
    }

    /// For rays that may begin behind their origins.
    pub(crate) fn with_rays_behind(self) -> Self {
        Self { constants: Specialization { behind: true, ..self.constants }, ..self }
    }

    /// With other arrays besides.
    pub(crate) fn with(mut self, arrays: impl IntoIterator<Item = Parts>) -> Self {
        self.parts.extend(Self::new(0, false, arrays).parts);
        self
    }

    /// For pictures with short paths, or without.
    pub(crate) fn with_short_paths(self, compensates: bool) -> Self {
        Self { constants: Specialization { compensates, ..self.constants }, ..self }
    }

    /// A shader for such mirrors.
    ///
    /// # Errors
    /// Why it is none.
    pub(crate) fn kernel(&self, shader: &Shader) -> Result<Kernel, String> {
        let splits: Vec<Split> = self.parts.iter().map(|array| array.split).collect();
        Kernel::new(shader, &self.constants, &splits)
    }

    #[cfg(test)]
    pub(crate) fn constants(&self) -> Specialization {
        self.constants
    }

    /// Whether kernels of this form can read a mirror that needs another one: no deeper, without instances and details of surfaces that these know nothing of, with the same arrays in the same segments.
    pub(crate) fn serves(&self, needed: &Self) -> Result<(), GpuError> {
        if needed.constants.instances && !self.constants.instances {
            return Err(GpuError::Unsupported { what: "instances that are somewhere else" });
        }
        if let Some(detail) = needed.constants.details.beyond(self.constants.details) {
            return Err(GpuError::Unsupported { what: detail.name() });
        }
        let [bytes, limit] =
            [needed.constants.stack, self.constants.stack].map(|places| u64::from(places) * 4);
        if bytes > limit {
            return Err(GpuError::TooLarge { what: "stacks", bytes, limit });
        }
        let is_in = |others: &[Parts], array: &Parts| others.iter().any(|other| other.split == array.split);
        let new = needed.parts.iter().find(|array| !is_in(&self.parts, array));
        let gone = self.parts.iter().find(|array| !is_in(&needed.parts, array));
        match new.or(gone) {
            Some(&Parts { what, bytes, limit, .. }) => Err(GpuError::TooLarge { what, bytes, limit }),
            None => Ok(()),
        }
    }
}
