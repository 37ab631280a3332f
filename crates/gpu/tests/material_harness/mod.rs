//! Runs the test shader on questions, with the arrays of a table bound as renderers bind them.

use std::path::Path;

use bytemuck::Pod;
use sunfleck_shading::{PackedMaterials, packed_albedo_table};
use wesl::{FileResolver, Router, Wesl};
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{
    BindGroupDescriptor, BindGroupEntry, Buffer, BufferDescriptor, BufferUsages, ComputePipelineDescriptor,
    DeviceDescriptor, PipelineCompilationOptions, ShaderModuleDescriptor, ShaderSource,
};

/// WGSL of a module under `tests/shaders`, linked with those of the renderer.
pub(crate) fn linked(name: &str) -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut router = Router::new();
    router.mount_resolver("package::tests".parse().unwrap(), FileResolver::new(here.join("tests/shaders")));
    router.mount_fallback_resolver(FileResolver::new(here.join("../shaders/shaders")));
    let root = format!("package::tests::{name}").parse().unwrap();
    let linked = Wesl::new("").set_custom_resolver(router).compile(&root);
    linked.unwrap_or_else(|error| panic!("{error}")).to_string()
}

/// A device with the test shader.
pub(crate) struct Harness {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::ComputePipeline,
}

impl Harness {
    pub(crate) fn new(text: &str) -> Self {
        let instance = wgpu::Instance::default();
        let adapter = pollster::block_on(instance.request_adapter(&Default::default())).unwrap();
        let descriptor =
            DeviceDescriptor { required_limits: adapter.limits(), ..DeviceDescriptor::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
        let module = device.create_shader_module(ShaderModuleDescriptor {
            label: None,
            source: ShaderSource::Wgsl(text.into()),
        });
        let pipeline = device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { device, queue, pipeline }
    }

    /// One answer for each question.
    pub(crate) fn run<Q: Pod, A: Pod>(&self, table: &PackedMaterials, questions: &[Q]) -> Vec<A> {
        let bytes = (questions.len() * size_of::<A>()) as u64;
        let vacant = |usage| {
            let descriptor = BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false };
            self.device.create_buffer(&descriptor)
        };
        let answers = vacant(BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        let staging = vacant(BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        let streams = self.bind(1, &[self.array(questions), answers.clone()]);
        let tables = [
            self.array(&table.materials),
            self.array(&table.textures),
            self.array(&table.texels),
            self.array(&packed_albedo_table()),
        ];
        let tables = self.bind(2, &tables);

        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(1, &streams, &[]);
        pass.set_bind_group(2, &tables, &[]);
        pass.dispatch_workgroups(u32::try_from(questions.len().div_ceil(64)).unwrap(), 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&answers, 0, &staging, 0, bytes);
        self.queue.submit([encoder.finish()]);
        staging.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
        self.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        bytemuck::pod_collect_to_vec(&staging.get_mapped_range(..).unwrap())
    }

    /// An empty one has room for one.
    fn array<T: Pod>(&self, content: &[T]) -> Buffer {
        let none = [T::zeroed()];
        let contents = bytemuck::cast_slice(if content.is_empty() { &none } else { content });
        let descriptor = BufferInitDescriptor { label: None, contents, usage: BufferUsages::STORAGE };
        self.device.create_buffer_init(&descriptor)
    }

    fn bind(&self, group: u32, arrays: &[Buffer]) -> wgpu::BindGroup {
        let layout = self.pipeline.get_bind_group_layout(group);
        let resources = arrays.iter().map(Buffer::as_entire_binding);
        let entries: Vec<_> =
            (0..).zip(resources).map(|(binding, resource)| BindGroupEntry { binding, resource }).collect();
        let descriptor = BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
        self.device.create_bind_group(&descriptor)
    }
}
