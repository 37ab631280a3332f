use wgpu::{BindGroup, ComputePass};

use crate::pipeline::Pipeline;
use crate::resources::Resources;
use crate::{Gpu, GpuError};

/// A dispatch that is recorded again for each image.
#[derive(Debug)]
pub(crate) struct Step {
    kernel: Pipeline,
    group: BindGroup,
    items: usize,
}

impl Step {
    /// Binds the resources of a dispatch.
    ///
    /// * `items` — see [`Pipeline::record`].
    pub(crate) fn new(
        gpu: &Gpu,
        kernel: &Pipeline,
        resources: &Resources<'_>,
        items: usize,
    ) -> Result<Self, GpuError> {
        Ok(Self { kernel: kernel.clone(), group: kernel.bind(gpu, resources)?, items })
    }

    /// Records the dispatch.
    pub(crate) fn record(&self, gpu: &Gpu, pass: &mut ComputePass<'_>) {
        self.kernel.record(gpu, pass, &self.group, self.items);
    }
}
