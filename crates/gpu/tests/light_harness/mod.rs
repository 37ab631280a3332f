//! Asks the table of lights on a GPU.

use bytemuck::{Pod, Zeroable};
use sunfleck_shading::packed_lights::PackedLights;
use wesl::{FileResolver, ModulePath, Router, Wesl};
use wgpu::util::{BufferInitDescriptor, DeviceExt};

/// What is asked, all at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Question {
    pub(crate) origin: [f32; 3],
    pub(crate) light_u: f32,
    pub(crate) direction: [f32; 3],
    pub(crate) inst_id: u32,
    pub(crate) point: [f32; 3],
    pub(crate) prim_id: u32,
    pub(crate) u: [f32; 2],
    pub(crate) unused: [f32; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Answer {
    pub(crate) wi: [f32; 3],
    pub(crate) distance: f32,
    pub(crate) radiance: [f32; 3],
    pub(crate) pdf_solid_angle: f32,
    pub(crate) environment: [f32; 3],
    pub(crate) pdf_of_environment: f32,
    pub(crate) barycentrics: [f32; 2],
    pub(crate) light: u32,
    pub(crate) flags: u32,
    pub(crate) pdf_of_triangle: f32,
    pub(crate) unused0: u32,
    pub(crate) unused1: u32,
    pub(crate) unused2: u32,
}

impl Answer {
    pub(crate) const VALID: u32 = 1;
    pub(crate) const DELTA: u32 = 2;
    pub(crate) const VARIES: u32 = 4;
}

/// The linked shader.
pub(crate) fn linked() -> String {
    let path = |path: &str| -> ModulePath { path.parse().unwrap() };
    let here = env!("CARGO_MANIFEST_DIR");
    let mut router = Router::new();
    router.mount_fallback_resolver(FileResolver::new(format!("{here}/../shaders/shaders")));
    router.mount_resolver(path("package::test"), FileResolver::new(format!("{here}/tests/shaders")));
    let linker = Wesl::new("").set_custom_resolver(router);
    linker.compile(&path("package::test::light")).unwrap_or_else(|e| panic!("{e}")).to_string()
}

/// The answers to all questions.
pub(crate) fn ask(lights: &PackedLights, questions: &[Question]) -> Vec<Answer> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapter =
        pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default())).unwrap();
    let descriptor =
        wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..wgpu::DeviceDescriptor::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(linked().into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });

    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let buffer = |content: &[u8], least: usize| {
        let mut contents = content.to_vec();
        contents.resize(content.len().max(least), 0);
        device.create_buffer_init(&BufferInitDescriptor { label: None, contents: &contents, usage })
    };
    let answers = buffer(&[], size_of_val(questions) / size_of::<Question>() * size_of::<Answer>());
    let streams = [buffer(bytemuck::cast_slice(questions), 64), answers.clone()];
    let tables = [
        buffer(bytemuck::bytes_of(&lights.header), 80),
        buffer(bytemuck::cast_slice(&lights.nodes), 48),
        buffer(bytemuck::cast_slice(&lights.triangles), 80),
        buffer(bytemuck::cast_slice(&lights.punctual), 48),
        buffer(bytemuck::cast_slice(&lights.numbers), 4),
    ];
    let bind = |group: u32, buffers: &[wgpu::Buffer]| {
        let entry = |(binding, buffer): (u32, _)| {
            let buffer: &wgpu::Buffer = buffer;
            wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }
        };
        let entries: Vec<_> = (0..).zip(buffers).map(entry).collect();
        let layout = pipeline.get_bind_group_layout(group);
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &entries,
        })
    };

    let staging = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: answers.size(),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(1, &bind(1, &streams), &[]);
    pass.set_bind_group(3, &bind(3, &tables), &[]);
    pass.dispatch_workgroups(u32::try_from(questions.len().div_ceil(64)).unwrap(), 1, 1);
    drop(pass);
    encoder.copy_buffer_to_buffer(&answers, 0, &staging, 0, answers.size());
    queue.submit([encoder.finish()]);
    staging.map_async(wgpu::MapMode::Read, .., |_| ());
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    bytemuck::pod_collect_to_vec(&staging.get_mapped_range(..).unwrap())
}
