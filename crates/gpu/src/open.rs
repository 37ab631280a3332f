//! Devices whose drivers trust kernels.
//!
//! wgpu has drivers check that each load and store is within its array (`robustBufferAccess`). On an NVIDIA GPU that takes two integer instructions for each load, at half rate, and
//! loads with conditions are spread out: closest hits went to memory three times for a node's four units. Where kernels come as [`Spirv`](crate::spirv::Spirv), all are ours
//! and stay within their arrays, so the device has no checks.

use wgpu::{Device, DeviceDescriptor, Queue};

/// Opens a device.
///
/// * `trusts` — whether all of its kernels are ours. Where assertions are on, checks stay.
///
/// # Errors
/// Why it cannot be opened.
pub(crate) fn open(
    adapter: &wgpu::Adapter,
    descriptor: &DeviceDescriptor<'_>,
    trusts: bool,
) -> Result<(Device, Queue), String> {
    #[cfg(any(windows, target_os = "linux", target_os = "android"))]
    if trusts
        && !cfg!(debug_assertions)
        && let Some(opened) = vulkan::open(adapter, descriptor)
    {
        return opened;
    }
    pollster::block_on(adapter.request_device(descriptor)).map_err(|error| error.to_string())
}

#[cfg(any(windows, target_os = "linux", target_os = "android"))]
mod vulkan {
    use ash::ext::{pipeline_robustness, robustness2};
    use ash::vk;
    use wgpu::hal::api::Vulkan;
    use wgpu::{Device, DeviceDescriptor, Queue};

    /// The family of queues that wgpu takes.
    const FAMILY: u32 = 0;

    /// As wgpu opens a device, but without checks; `None` where that cannot be asked for.
    ///
    /// NVIDIA's driver leaves them out only if the feature `pipelineRobustness` is on, though no pipeline asks for other than what the device has.
    #[allow(unsafe_code, reason = "wgpu opens no device without checks")]
    pub(super) fn open(
        adapter: &wgpu::Adapter,
        descriptor: &DeviceDescriptor<'_>,
    ) -> Option<Result<(Device, Queue), String>> {
        let (features, limits) = (descriptor.required_features, &descriptor.required_limits);
        // SAFETY: nothing of it is destroyed.
        let hal = unsafe { adapter.as_hal::<Vulkan>() }?;
        if !hal.physical_device_capabilities().supports_extension(pipeline_robustness::NAME) {
            return None;
        }
        let mut extensions = hal.required_device_extensions(features);
        extensions.retain(|&name| name != robustness2::NAME);
        extensions.push(pipeline_robustness::NAME);
        let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();

        let mut by_pipeline =
            vk::PhysicalDevicePipelineRobustnessFeaturesEXT::default().pipeline_robustness(true);
        let mut others = hal.physical_device_features(&extensions, features);
        let core = others.get_core().robust_buffer_access(false);
        let queues =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(FAMILY).queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default()
            .push_next(&mut by_pipeline)
            .queue_create_infos(&queues)
            .enabled_extension_names(&names);
        let info = others.add_to_device_create(info).enabled_features(&core);

        let instance = hal.shared_instance().raw_instance();
        // SAFETY: the instance that the adapter is of, and extensions and features that it says it has.
        let made = unsafe { instance.create_device(hal.raw_physical_device(), &info, None) };
        let opened = made.map_err(|error| error.to_string()).and_then(|device| {
            let hints = &descriptor.memory_hints;
            // SAFETY: made just now of this adapter, with these extensions and features and a queue of this family; wgpu owns it from here on. Checks of loads and
            // stores, which wgpu expects, are the kernels' part: all are ours, see `pipeline.rs`.
            let opened =
                unsafe { hal.device_from_raw(device, None, &extensions, features, limits, hints, FAMILY, 0) };
            let opened = opened.map_err(|error| error.to_string())?;
            // SAFETY: of this adapter, with these features.
            unsafe { adapter.create_device_from_hal::<Vulkan>(opened, descriptor) }
                .map_err(|error| error.to_string())
        });
        Some(opened)
    }
}
