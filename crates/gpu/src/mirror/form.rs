use sunfleck_shaders::{Detail, Details, Needs, Shader, Split};

use crate::GpuError;
use crate::buffer::Parts;

/// What kernels are compiled for that read a mirror.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    needs: Needs,
    /// Arrays that no single binding holds.
    parts: Vec<Parts>,
}

impl Form {
    pub(crate) fn new(stack: u32, instances: bool, arrays: impl IntoIterator<Item = Parts>) -> Self {
        let parts = arrays.into_iter().filter(|array| array.split.segments > 1).collect();
        Self { needs: Needs { stack, instances, details: Details::NONE, behind: false }, parts }
    }

    /// For worlds that change: where nothing is turned now, something may be, and surfaces may come to have all but solid patterns.
    pub(crate) fn for_changes(self) -> Self {
        let most = Detail::ALL.into_iter().filter(|&detail| detail != Detail::Patterns).collect();
        let details = self.needs.details.and(most);
        Self { needs: Needs { instances: true, details, ..self.needs }, ..self }
    }

    /// For worlds whose surfaces have no other details.
    pub(crate) fn with_details(self, details: Details) -> Self {
        Self { needs: Needs { details, ..self.needs }, ..self }
    }

    /// For rays that may begin behind their origins.
    pub(crate) fn with_rays_behind(self) -> Self {
        Self { needs: Needs { behind: true, ..self.needs }, ..self }
    }

    /// With other arrays besides.
    pub(crate) fn with(mut self, arrays: impl IntoIterator<Item = Parts>) -> Self {
        self.parts.extend(Self::new(0, false, arrays).parts);
        self
    }

    /// A shader's text for such mirrors.
    pub(crate) fn text(&self, shader: &Shader) -> String {
        let splits: Vec<Split> = self.parts.iter().map(|array| array.split).collect();
        Shader::split(&shader.for_worlds(self.needs), &splits)
    }

    /// Whether kernels of this form can read a mirror that needs another one: no deeper, without instances and details of surfaces that these know nothing of, with the same arrays in the same segments.
    pub(crate) fn serves(&self, needed: &Self) -> Result<(), GpuError> {
        if needed.needs.instances && !self.needs.instances {
            return Err(GpuError::Unsupported { what: "instances that are somewhere else" });
        }
        if let Some(detail) = needed.needs.details.beyond(self.needs.details) {
            return Err(GpuError::Unsupported { what: detail.name() });
        }
        let [bytes, limit] = [needed.needs.stack, self.needs.stack].map(|places| u64::from(places) * 4);
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
