use std::sync::Arc;

use sunfleck_shaders::Shader;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, Buffer, BufferBinding,
    ComputePipelineDescriptor, ErrorFilter, PipelineCompilationOptions, ShaderModuleDescriptor,
    ShaderRuntimeChecks, ShaderSource,
};

use crate::spirv::Spirv;
use crate::timing::Stamps;
use crate::{Gpu, GpuError};

/// A kernel that the driver has compiled. Clones are the same kernel.
#[derive(Clone, Debug)]
pub struct Pipeline {
    pipeline: wgpu::ComputePipeline,
    /// Group and number of all bindings.
    bindings: Arc<[(u32, u32)]>,
    /// What a group takes.
    share: u32,
}

impl Pipeline {
    /// Compiles a shader as it was linked.
    ///
    /// # Errors
    /// [`GpuError::Shader`] if the driver refuses it, or if it is none of [`sunfleck_shaders::ALL`].
    pub fn of_shader(gpu: &Gpu, shader: &Shader) -> Result<Self, GpuError> {
        check_known(shader)?;
        Self::new(gpu, shader, shader.text)
    }

    /// * `text` — the shader's, or one made from it.
    pub(crate) fn new(gpu: &Gpu, shader: &Shader, text: &str) -> Result<Self, GpuError> {
        let refused = |why| GpuError::Shader { shader: shader.name, why };
        let checks = cfg!(debug_assertions);
        let spirv = gpu.takes_spirv.then(|| Spirv::new(text, checks)).transpose().map_err(refused)?;
        let scopes = [ErrorFilter::Internal, ErrorFilter::Validation].map(|f| gpu.device.push_error_scope(f));
        let (module, layout) = match spirv {
            Some(spirv) => {
                let layout = spirv.layout(&gpu.device);
                (passed(gpu, spirv.descriptor(shader.name)), Some(layout))
            }
            None => {
                let source = ShaderSource::Wgsl(text.into());
                (module(gpu, ShaderModuleDescriptor { label: Some(shader.name), source }), None)
            }
        };
        let pipeline = gpu.device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: Some(shader.name),
            layout: layout.as_ref(),
            module: &module,
            entry_point: Some("main"),
            compilation_options: PipelineCompilationOptions::default(),
            cache: None,
        });
        let errors: Vec<_> = scopes.into_iter().rev().map(|scope| pollster::block_on(scope.pop())).collect();
        match errors.into_iter().flatten().next() {
            Some(error) => Err(refused(error.to_string())),
            None => Ok(Self { pipeline, bindings: Shader::bindings(text).collect(), share: shader.share }),
        }
    }

    /// A group of bindings: the arrays that the kernel uses, by their numbers. Other arrays than these make the device fail: [`Gpu::check`]. Release builds check no
    /// indices: every index in an array must lie within the array that it refers to, as the shader's documentation says.
    pub fn bind(&self, gpu: &Gpu, group: u32, arrays: &[(u32, &Buffer)]) -> BindGroup {
        let parts = arrays.iter().map(|&(binding, array)| (binding, array.as_entire_buffer_binding()));
        self.bind_parts(gpu, group, &parts.collect::<Vec<_>>())
    }

    /// As [`bind`](Self::bind), of parts of arrays.
    pub(crate) fn bind_parts(&self, gpu: &Gpu, group: u32, parts: &[(u32, BufferBinding<'_>)]) -> BindGroup {
        let entries: Vec<_> = parts
            .iter()
            .map(|(binding, part)| BindGroupEntry {
                binding: *binding,
                resource: BindingResource::Buffer(part.clone()),
            })
            .collect();
        let layout = self.pipeline.get_bind_group_layout(group);
        gpu.device.create_bind_group(&BindGroupDescriptor { label: None, layout: &layout, entries: &entries })
    }

    /// All groups of bindings.
    ///
    /// * `arrays` — by group and number; those that the kernel has no binding for are left out.
    pub(crate) fn groups(&self, gpu: &Gpu, arrays: &[(u32, u32, &Buffer)]) -> Vec<BindGroup> {
        let count = self.bindings.iter().map(|(group, _)| group + 1).max().unwrap_or(0);
        let of_group = |group: u32| {
            let used = |&&(g, binding, _): &&(u32, u32, &Buffer)| g == group && self.uses(group, binding);
            let arrays: Vec<_> =
                arrays.iter().filter(used).map(|&(_, binding, array)| (binding, array)).collect();
            self.bind(gpu, group, &arrays)
        };
        (0..count).map(of_group).collect()
    }

    /// Whether the kernel has a binding.
    pub(crate) fn uses(&self, group: u32, binding: u32) -> bool {
        self.bindings.contains(&(group, binding))
    }

    /// Adds the kernel to a pass, for so many items: a thread each, unless a thread of the shader takes several.
    pub fn record(&self, gpu: &Gpu, pass: &mut wgpu::ComputePass<'_>, groups: &[BindGroup], items: usize) {
        let [columns, rows, layers] = grid(gpu, items.div_ceil(self.share as usize));
        self.set(pass, groups);
        pass.dispatch_workgroups(columns, rows, layers);
    }

    /// Adds the kernel to a pass for as many groups as stand in a buffer then: three words.
    pub(crate) fn record_indirect(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        groups: &[BindGroup],
        sizes: &Buffer,
        offset: u64,
    ) {
        self.set(pass, groups);
        pass.dispatch_workgroups_indirect(sizes, offset);
    }

    fn set(&self, pass: &mut wgpu::ComputePass<'_>, groups: &[BindGroup]) {
        pass.set_pipeline(&self.pipeline);
        for (i, group) in (0u32..).zip(groups) {
            pass.set_bind_group(i, group, &[]);
        }
    }
}

/// A kernel with what it binds.
#[derive(Debug)]
pub struct Dispatch<'a> {
    /// The kernel.
    pub kernel: &'a Pipeline,
    /// Its groups of bindings, in their order.
    pub groups: Vec<BindGroup>,
    /// How many items it takes: see [`Pipeline::record`].
    pub items: usize,
}

/// Submits dispatches one after the other in one pass, and that `times` over.
///
/// * `stamps` — of so many passes, if they are to be timed.
pub fn run(gpu: &Gpu, dispatches: &[Dispatch<'_>], times: u32, stamps: Option<&Stamps>) {
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    for time in 0..times {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: stamps.map(|stamps| stamps.of_pass(time)),
        });
        for Dispatch { kernel, groups, items } in dispatches {
            kernel.record(gpu, &mut pass, groups, *items);
        }
    }
    if let Some(stamps) = stamps {
        stamps.resolve(&mut encoder);
    }
    gpu.queue.submit([encoder.finish()]);
}

/// Whether a shader is one of ours: others may index out of bounds.
pub(crate) fn check_known(shader: &Shader) -> Result<(), GpuError> {
    if sunfleck_shaders::ALL.contains(shader) {
        return Ok(());
    }
    Err(GpuError::Shader { shader: shader.name, why: "it is none of sunfleck_shaders".to_owned() })
}

/// A kernel in SPIR-V.
#[allow(unsafe_code, reason = "the shaders are ours, and validated by tests")]
fn passed(gpu: &Gpu, descriptor: wgpu::ShaderModuleDescriptorPassthrough<'_>) -> wgpu::ShaderModule {
    // SAFETY: naga made it of text that it had validated; the rest is as in `module`, a walk writes every place of its stack before it reads it, and so do
    // groups with what they share.
    unsafe { gpu.device.create_shader_module_passthrough(descriptor) }
}

/// So many groups, in rows since a dimension has an end.
fn grid(gpu: &Gpu, groups: usize) -> [u32; 3] {
    let needed = u32::try_from(groups).unwrap_or(u32::MAX);
    let columns = needed.clamp(1, gpu.most_groups());
    [columns, needed.div_ceil(columns), 1]
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
    // these arrays, and stacks are as large as the trees are deep; every loop of a walk ends since trees do. Other rooms compile shaders
    // of `sunfleck_shaders` only (`check_known`), and bind to them what these say (`compute.rs`): that the caller upholds, the type system does not.
    unsafe { gpu.device.create_shader_module_trusted(descriptor, checks) }
}
