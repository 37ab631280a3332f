use sunfleck_shaders::{Shader, Split};

use crate::GpuError;

/// What kernels are compiled for that read a mirror.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// Places of the stack of a walk.
    stack: u32,
    /// Whether there are instances that do not stand in the world as they are.
    instances: bool,
    /// Arrays that no single binding holds.
    parts: Vec<Parts>,
}

/// An array in one segment or more.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) split: Split,
    pub(crate) what: &'static str,
    /// Of all of it.
    pub(crate) bytes: u64,
    /// Of a segment.
    pub(crate) limit: u64,
}

impl Form {
    pub(crate) fn new(stack: u32, instances: bool, arrays: impl IntoIterator<Item = Parts>) -> Self {
        let parts = arrays.into_iter().filter(|array| array.split.segments > 1).collect();
        Self { stack, instances, parts }
    }

    /// For worlds that change: where nothing is turned now, something may be.
    pub(crate) fn for_instances(self) -> Self {
        Self { instances: true, ..self }
    }

    /// With other arrays besides.
    pub(crate) fn with(mut self, arrays: impl IntoIterator<Item = Parts>) -> Self {
        self.parts.extend(Self::new(0, false, arrays).parts);
        self
    }

    /// A shader's text for such mirrors.
    pub(crate) fn text(&self, shader: &Shader) -> String {
        let splits: Vec<Split> = self.parts.iter().map(|array| array.split).collect();
        Shader::split(&shader.for_worlds(self.stack, self.instances), &splits)
    }

    /// Whether kernels of this form can read a mirror that needs another one: no deeper, without instances that these know nothing of, with the same arrays in the same segments.
    pub(crate) fn serves(&self, needed: &Self) -> Result<(), GpuError> {
        if needed.instances && !self.instances {
            return Err(GpuError::Unsupported { what: "instances that are somewhere else" });
        }
        let [bytes, limit] = [needed.stack, self.stack].map(|places| u64::from(places) * 4);
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
