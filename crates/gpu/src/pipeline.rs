use sunfleck_shaders::{GROUP, Shader};
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, Buffer, ComputePipelineDescriptor, ErrorFilter,
    PipelineCompilationOptions, ShaderModuleDescriptor, ShaderRuntimeChecks, ShaderSource,
};

use crate::timing::Stamps;
use crate::{Gpu, GpuError};

/// A kernel that the driver has compiled.
#[derive(Debug)]
pub(crate) struct Pipeline {
    pipeline: wgpu::ComputePipeline,
}

impl Pipeline {
    /// * `text` — the shader's, or one made from it.
    pub(crate) fn new(gpu: &Gpu, shader: &Shader, text: &str) -> Result<Self, GpuError> {
        let scopes = [ErrorFilter::Internal, ErrorFilter::Validation].map(|f| gpu.device.push_error_scope(f));
        let descriptor =
            ShaderModuleDescriptor { label: Some(shader.name), source: ShaderSource::Wgsl(text.into()) };
        let module = module(gpu, descriptor);
        let pipeline = gpu.device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: Some(shader.name),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: PipelineCompilationOptions::default(),
            cache: None,
        });
        let refused = scopes.into_iter().rev().find_map(|scope| pollster::block_on(scope.pop()));
        match refused {
            Some(error) => Err(GpuError::Shader { shader: shader.name, why: error.to_string() }),
            None => Ok(Self { pipeline }),
        }
    }

    /// A group of bindings: the arrays that the kernel uses, by their numbers.
    pub(crate) fn bind(&self, gpu: &Gpu, group: u32, arrays: &[(u32, &Buffer)]) -> BindGroup {
        let entries: Vec<_> = arrays
            .iter()
            .map(|(binding, array)| BindGroupEntry { binding: *binding, resource: array.as_entire_binding() })
            .collect();
        let layout = self.pipeline.get_bind_group_layout(group);
        gpu.device.create_bind_group(&BindGroupDescriptor { label: None, layout: &layout, entries: &entries })
    }

    /// Submits the kernel for so many threads, `times` over in passes of their own.
    pub(crate) fn run(
        &self,
        gpu: &Gpu,
        groups: &[BindGroup],
        threads: usize,
        times: u32,
        stamps: Option<&Stamps>,
    ) {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for time in 0..times {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: stamps.map(|stamps| stamps.of_pass(time)),
            });
            self.record(gpu, &mut pass, groups, threads);
        }
        if let Some(stamps) = stamps {
            stamps.resolve(&mut encoder);
        }
        gpu.queue.submit([encoder.finish()]);
    }

    /// Adds the kernel for so many threads to a pass.
    pub(crate) fn record(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        groups: &[BindGroup],
        threads: usize,
    ) {
        let needed = u32::try_from(threads.div_ceil(GROUP as usize)).unwrap_or(u32::MAX);
        let columns = needed.clamp(1, gpu.most_groups());
        pass.set_pipeline(&self.pipeline);
        for (i, group) in (0u32..).zip(groups) {
            pass.set_bind_group(i, group, &[]);
        }
        pass.dispatch_workgroups(columns, needed.div_ceil(columns), 1);
    }
}

/// Checks of indices and loops stay in where assertions do, so in tests; they cost up to 15 % of a kernel's time.
#[allow(unsafe_code, reason = "the shaders are ours, and validated by tests")]
fn module(gpu: &Gpu, descriptor: ShaderModuleDescriptor<'_>) -> wgpu::ShaderModule {
    let checks = if cfg!(debug_assertions) {
        ShaderRuntimeChecks::checked()
    } else {
        ShaderRuntimeChecks::unchecked()
    };
    // SAFETY: threads compare their number with the length of the streams, all other indices are those of trees that were built for
    // these arrays, and stacks are as large as the trees are deep; every loop of a walk ends since trees do.
    unsafe { gpu.device.create_shader_module_trusted(descriptor, checks) }
}
