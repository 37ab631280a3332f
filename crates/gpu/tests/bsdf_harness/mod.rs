//! Runs WESL functions one by one: a test module reads an array, calls them, and writes an array.

use bytemuck::Pod;
use sunfleck_shaders::GROUP;
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{BindGroupDescriptor, BindGroupEntry, BufferDescriptor, BufferUsages, ComputePipelineDescriptor};

/// What a test module reads besides its inputs: group, binding and content.
pub(crate) type Table<'a> = (u32, u32, &'a [u8]);

/// The text of a module in `tests/shaders/bsdf`, with all that it imports.
pub(crate) fn linked(module: &str) -> String {
    let here = env!("CARGO_MANIFEST_DIR");
    let mut router = wesl::Router::new();
    router.mount_resolver(
        "package::tests".parse().unwrap(),
        wesl::FileResolver::new(format!("{here}/tests/shaders/bsdf")),
    );
    router.mount_fallback_resolver(wesl::FileResolver::new(format!("{here}/../shaders/shaders")));
    let root = format!("package::tests::{module}").parse().unwrap();
    let linker = wesl::Wesl::new("").set_custom_resolver(router);
    linker.compile(&root).unwrap_or_else(|error| panic!("{module}: {error}")).to_string()
}

/// The outputs of a module, one for each input.
pub(crate) fn run<I: Pod, O: Pod>(module: &str, inputs: &[I], tables: &[Table<'_>]) -> Vec<O> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    let adapter = adapter.expect("an adapter");
    let descriptor =
        wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..wgpu::DeviceDescriptor::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).expect("a device");

    // The pipeline
    let text = linked(module);
    let source = wgpu::ShaderSource::Wgsl(text.into());
    let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(module), source });
    let pipeline = device.create_compute_pipeline(&ComputePipelineDescriptor {
        label: Some(module),
        layout: None,
        module: &shader,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });

    // Its arrays
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
    let filled =
        |contents: &[u8]| device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage });
    let size = size_of_val(inputs) / size_of::<I>() * size_of::<O>();
    let output = filled(&vec![0; size]);
    let mut arrays = vec![(1, 0, filled(bytemuck::cast_slice(inputs))), (1, 1, output.clone())];
    arrays.extend(tables.iter().map(|&(group, binding, content)| (group, binding, filled(content))));
    let last = arrays.iter().map(|&(group, ..)| group).max().unwrap_or(0);
    let groups = (0..=last).map(|group| {
        let of_group = arrays.iter().filter(|(of, ..)| *of == group);
        let entries: Vec<_> = of_group
            .map(|(_, binding, array)| BindGroupEntry {
                binding: *binding,
                resource: array.as_entire_binding(),
            })
            .collect();
        let layout = pipeline.get_bind_group_layout(group);
        device.create_bind_group(&BindGroupDescriptor { label: None, layout: &layout, entries: &entries })
    });

    // One thread an input
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    for (i, group) in (0..).zip(groups) {
        pass.set_bind_group(i, &group, &[]);
    }
    pass.dispatch_workgroups(u32::try_from(inputs.len()).unwrap().div_ceil(GROUP), 1, 1);
    drop(pass);

    let staging = device.create_buffer(&BufferDescriptor {
        label: None,
        size: size as u64,
        usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    encoder.copy_buffer_to_buffer(&output, 0, &staging, 0, size as u64);
    queue.submit([encoder.finish()]);
    staging.map_async(wgpu::MapMode::Read, .., |result| result.expect("results"));
    device.poll(wgpu::PollType::wait_indefinitely()).expect("the device answers");
    bytemuck::pod_collect_to_vec(&staging.get_mapped_range(..).expect("mapped"))
}
