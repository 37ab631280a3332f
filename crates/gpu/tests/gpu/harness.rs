//! Harness for tests of single WESL functions: a module under `tests/shaders` reads an array of inputs, calls the
//! functions, and writes an array of outputs.

use std::borrow::Cow;

use bytemuck::Pod;
use sunfleck_constants::group::GROUP;
use sunfleck_shaders::{Kernel, Resource, Specialization};
use wesl::{FileResolver, Router, Wesl};
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{
    BindGroupDescriptor, BindGroupEntry, Buffer, BufferDescriptor, BufferUsages, ComputePipelineDescriptor,
};

#[path = "../../../shaders/build/sources.rs"]
mod sources;

use sources::{Names, Sources};

/// Further array that a module reads: name of the WESL variable, and content, which may be empty.
pub(crate) type Table<'a> = (&'static str, &'a [u8]);

/// Bytes of zeros that replace an empty array: enough for one element of any type.
const EMPTY_ARRAY_BYTES: usize = 256;

/// Links a module with all that it imports.
fn linked(module: &str) -> String {
    let here = env!("CARGO_MANIFEST_DIR");
    let mut router = Router::new();
    let tests = FileResolver::new(format!("{here}/tests/shaders"));
    router.mount_resolver("package::tests".parse().unwrap(), tests);
    router.mount_fallback_resolver(Sources::new(&format!("{here}/../shaders/shaders")));
    let root = format!("package::tests::{module}").parse().unwrap();
    let mut linker = Wesl::new("").set_custom_resolver(router);
    linker.set_custom_mangler(Names);
    linker.compile(&root).unwrap_or_else(|error| panic!("{module}: {error}")).to_string()
}

/// Compiles a module for worlds with all features.
pub(crate) fn kernel(module: &str) -> Kernel {
    let constants = Specialization::with_everything(64);
    Kernel::of_text(&linked(module), &constants).unwrap_or_else(|why| panic!("{module}: {why}"))
}

/// A device with a compiled module.
pub(crate) struct Harness {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::ComputePipeline,
    resources: Vec<Resource>,
}

impl Harness {
    pub(crate) fn new(module: &str) -> Self {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
        let adapter = adapter.expect("no adapter");
        let descriptor =
            wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..wgpu::DeviceDescriptor::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).expect("no device");
        let kernel = kernel(module);
        let source = wgpu::ShaderSource::Naga(Cow::Owned(kernel.module));
        let shader =
            device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(module), source });
        let pipeline = device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: Some(module),
            layout: None,
            module: &shader,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { device, queue, pipeline, resources: kernel.resources }
    }

    /// Runs the module; returns one output per input.
    pub(crate) fn run<I: Pod, O: Pod>(&self, inputs: &[I], tables: &[Table<'_>]) -> Vec<O> {
        let bytes = inputs.len() * size_of::<O>();
        let output = self.array(&vec![0; bytes]);
        let mut arrays =
            vec![("inputs", self.array(bytemuck::cast_slice(inputs))), ("outputs", output.clone())];
        arrays.extend(tables.iter().map(|&(name, content)| (name, self.array(content))));

        // One thread per input
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bind(&arrays), &[]);
        pass.dispatch_workgroups(u32::try_from(inputs.len()).unwrap().div_ceil(GROUP), 1, 1);
        drop(pass);

        let staging = self.device.create_buffer(&BufferDescriptor {
            label: None,
            size: bytes as u64,
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        encoder.copy_buffer_to_buffer(&output, 0, &staging, 0, bytes as u64);
        self.queue.submit([encoder.finish()]);
        staging.map_async(wgpu::MapMode::Read, .., |result| result.expect("results"));
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("device lost");
        bytemuck::pod_collect_to_vec(&staging.get_mapped_range(..).expect("mapped"))
    }

    fn array(&self, content: &[u8]) -> Buffer {
        let contents = if content.is_empty() { &[0; EMPTY_ARRAY_BYTES] } else { content };
        let usage = BufferUsages::STORAGE | BufferUsages::UNIFORM | BufferUsages::COPY_SRC;
        self.device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
    }

    fn bind(&self, arrays: &[(&str, Buffer)]) -> wgpu::BindGroup {
        let entry = |(binding, resource): (u32, &Resource)| {
            let array = arrays.iter().find(|(name, _)| *name == resource.name);
            let (_, array) = array.unwrap_or_else(|| panic!("no array is named {}", resource.name));
            BindGroupEntry { binding, resource: array.as_entire_binding() }
        };
        let entries: Vec<_> = (0..).zip(&self.resources).map(entry).collect();
        let layout = self.pipeline.get_bind_group_layout(0);
        let descriptor = BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
        self.device.create_bind_group(&descriptor)
    }
}
