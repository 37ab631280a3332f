use std::borrow::Cow;
use std::sync::Arc;

use sunfleck_shaders::{Access, Resource, Shader};
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingResource, BindingType, Buffer, BufferBindingType, ComputePipelineDescriptor,
    ErrorFilter, PipelineCompilationOptions, PipelineLayoutDescriptor, ShaderModuleDescriptor,
    ShaderRuntimeChecks, ShaderSource, ShaderStages,
};

use crate::mirror::SceneSpecialization;
use crate::resources::Resources;
use crate::timing::Timestamps;
use crate::{Gpu, GpuError, spirv};

/// A compiled compute kernel. Clones share it.
#[derive(Clone, Debug)]
pub struct Pipeline {
    pipeline: wgpu::ComputePipeline,
    layout: BindGroupLayout,
    /// Resources, by binding number.
    resources: Arc<[Resource]>,
    shader: Shader,
}

impl Pipeline {
    /// Compiles a shader for worlds with all features.
    ///
    /// # Errors
    /// [`GpuError::Shader`] if the driver refuses it.
    pub fn of_shader(gpu: &Gpu, shader: impl Into<Shader>) -> Result<Self, GpuError> {
        Self::new(gpu, shader.into(), &SceneSpecialization::general())
    }

    /// Compiles a shader for the worlds that a specialisation describes.
    pub(crate) fn new(
        gpu: &Gpu,
        shader: Shader,
        specialization: &SceneSpecialization,
    ) -> Result<Self, GpuError> {
        let refused = |why| GpuError::Shader { shader: shader.pass.module, why };
        let kernel = specialization.kernel(&shader).map_err(refused)?;
        let name = shader.name();
        let label = Some(&*name);
        let words = gpu.accepts_spirv.then(|| spirv::compile(&kernel, cfg!(debug_assertions)));
        let words = words.transpose().map_err(refused)?;
        let scopes = [ErrorFilter::Internal, ErrorFilter::Validation].map(|f| gpu.device.push_error_scope(f));
        let layout = bind_group_layout(gpu, &kernel.resources);
        let pipeline_layout = gpu.device.create_pipeline_layout(&PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&layout)],
            ..PipelineLayoutDescriptor::default()
        });
        let module = match words {
            Some(words) => passthrough_module(gpu, spirv::descriptor(label, words)),
            None => {
                let source = ShaderSource::Naga(Cow::Owned(kernel.module));
                module(gpu, ShaderModuleDescriptor { label, source })
            }
        };
        let pipeline = gpu.device.create_compute_pipeline(&ComputePipelineDescriptor {
            label,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: PipelineCompilationOptions::default(),
            cache: None,
        });
        let errors: Vec<_> = scopes.into_iter().rev().map(|scope| pollster::block_on(scope.pop())).collect();
        match errors.into_iter().flatten().next() {
            Some(error) => Err(refused(error.to_string())),
            None => Ok(Self { pipeline, layout, resources: kernel.resources.into(), shader }),
        }
    }

    /// Binds the buffers that the kernel uses and ignores the others. Release builds do not check indices: every index
    /// in an array must lie within the array that it refers to, as the shader's documentation says.
    ///
    /// # Errors
    /// [`GpuError::Shader`] if the kernel uses a resource that is missing.
    pub fn bind(&self, gpu: &Gpu, buffers: &Resources<'_>) -> Result<BindGroup, GpuError> {
        let bound = |(binding, resource): (u32, &Resource)| {
            let part = buffers.get(&resource.name).ok_or_else(|| GpuError::Shader {
                shader: self.shader.pass.module,
                why: format!("no buffer is bound to the variable {}", resource.name),
            })?;
            Ok(BindGroupEntry { binding, resource: BindingResource::Buffer(part.clone()) })
        };
        let entries: Vec<_> = (0..).zip(&*self.resources).map(bound).collect::<Result<_, GpuError>>()?;
        let descriptor = BindGroupDescriptor { label: None, layout: &self.layout, entries: &entries };
        Ok(gpu.device.create_bind_group(&descriptor))
    }

    /// Records a dispatch of the kernel for `items` items: one thread each, unless a thread of the shader takes
    /// several.
    pub fn record(&self, gpu: &Gpu, pass: &mut wgpu::ComputePass<'_>, group: &BindGroup, items: usize) {
        let [columns, rows, layers] = grid(gpu, items.div_ceil(self.shader.pass.share as usize));
        self.set(pass, group);
        pass.dispatch_workgroups(columns, rows, layers);
    }

    /// Records a dispatch of the kernel whose number of workgroups, three words, is read from a buffer.
    pub(crate) fn record_indirect(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        group: &BindGroup,
        sizes: &Buffer,
        offset: u64,
    ) {
        self.set(pass, group);
        pass.dispatch_workgroups_indirect(sizes, offset);
    }

    fn set(&self, pass: &mut wgpu::ComputePass<'_>, group: &BindGroup) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, group, &[]);
    }
}

/// A kernel with its resources.
#[derive(Debug)]
pub struct Dispatch<'a> {
    /// Kernel to dispatch.
    pub kernel: &'a Pipeline,
    /// Resources that the kernel [binds](Pipeline::bind).
    pub group: BindGroup,
    /// Number of items: see [`Pipeline::record`].
    pub items: usize,
}

/// Submits a compute pass with the given dispatches in order, `times` times.
///
/// * `stamps` — timestamps of `times` passes, if they are to be timed.
pub fn run(gpu: &Gpu, dispatches: &[Dispatch<'_>], times: u32, stamps: Option<&Timestamps>) {
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    for time in 0..times {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: stamps.map(|stamps| stamps.of_pass(time)),
        });
        for Dispatch { kernel, group, items } in dispatches {
            kernel.record(gpu, &mut pass, group, *items);
        }
    }
    if let Some(stamps) = stamps {
        stamps.resolve(&mut encoder);
    }
    gpu.queue.submit([encoder.finish()]);
}

fn bind_group_layout(gpu: &Gpu, resources: &[Resource]) -> BindGroupLayout {
    let entry = |(binding, resource): (u32, &Resource)| BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer {
            ty: match resource.access {
                Access::Uniform => BufferBindingType::Uniform,
                Access::Read => BufferBindingType::Storage { read_only: true },
                Access::Write => BufferBindingType::Storage { read_only: false },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let entries: Vec<_> = (0..).zip(resources).map(entry).collect();
    gpu.device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: None, entries: &entries })
}

/// Creates a shader module from SPIR-V.
#[allow(unsafe_code, reason = "the shaders are ours, and validated by tests")]
fn passthrough_module(
    gpu: &Gpu,
    descriptor: wgpu::ShaderModuleDescriptorPassthrough<'_>,
) -> wgpu::ShaderModule {
    // SAFETY: naga generated the words from a module that it had validated. The rest is as in `module`; besides, a
    // traversal writes every entry of its stack before it reads it, and so do workgroups with their shared memory.
    unsafe { gpu.device.create_shader_module_passthrough(descriptor) }
}

/// Returns the grid of a dispatch with `groups` workgroups, in two dimensions since each has a limit.
fn grid(gpu: &Gpu, groups: usize) -> [u32; 3] {
    let needed = u32::try_from(groups).unwrap_or(u32::MAX);
    let columns = needed.clamp(1, gpu.max_groups());
    [columns, needed.div_ceil(columns), 1]
}

/// Creates a shader module. Checks of indices and loops are kept if debug assertions are on, as in tests; they cost up
/// to 15 % of a kernel's time.
#[allow(unsafe_code, reason = "the shaders are ours, and validated by tests")]
fn module(gpu: &Gpu, descriptor: ShaderModuleDescriptor<'_>) -> wgpu::ShaderModule {
    let checks = if cfg!(debug_assertions) {
        ShaderRuntimeChecks::checked()
    } else {
        ShaderRuntimeChecks::unchecked()
    };
    // SAFETY: threads compare their index with the length of the streams. All other indices are those of trees that
    // were built for these arrays. Stacks are as large as the trees are deep, and every loop of a traversal ends since
    // trees are finite. A `Shader` can only be made from a pass of `sunfleck_shaders`. Other crates bind to it what the
    // passes require (`compute.rs`): that is a contract with the caller, which the type system does not check.
    unsafe { gpu.device.create_shader_module_trusted(descriptor, checks) }
}
