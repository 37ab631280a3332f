#![allow(unsafe_code, reason = "a C interface is called")]

use std::ffi::CStr;

use ash::{khr, vk};

use super::DriverError;

/// Device extensions of the ray-tracing pipeline.
const EXTENSIONS: [&CStr; 3] =
    [khr::acceleration_structure::NAME, khr::ray_tracing_pipeline::NAME, khr::deferred_host_operations::NAME];

/// Vulkan device with the ray-tracing pipeline.
pub(super) struct Device {
    /// Vulkan's loader; stays open as long as its functions are called.
    _entry: ash::Entry,
    instance: ash::Instance,
    pub(super) device: ash::Device,
    pub(super) structures: khr::acceleration_structure::Device,
    pub(super) pipelines: khr::ray_tracing_pipeline::Device,
    pub(super) limits: DeviceLimits,
    memory: vk::PhysicalDeviceMemoryProperties,
    queue: vk::Queue,
    commands: vk::CommandPool,
}

/// Sizes and alignments that the driver requires.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceLimits {
    /// Bytes of a shader group handle.
    pub(super) handle: usize,
    /// Alignment of shader binding tables, bytes.
    pub(super) table: u64,
    /// Alignment of scratch memory, bytes.
    pub(super) scratch: u64,
    /// Period of a time stamp tick, seconds.
    pub(super) tick: f64,
}

impl Device {
    /// Opens the GPU of this name.
    ///
    /// # Errors
    /// There is no GPU of this name, or its driver has no ray-tracing pipeline.
    pub(super) fn open(name: &str) -> Result<Self, DriverError> {
        // SAFETY: the system's Vulkan loader is trusted
        let entry = unsafe { ash::Entry::load() }.map_err(|error| {
            DriverError::Unavailable(format!("the Vulkan loader cannot be opened: {error}"))
        })?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: `info` is complete, and the entry outlives the instance
        let instance = unsafe { entry.create_instance(&info, None) }.map_err(DriverError::Call)?;
        match Self::of_instance(entry, &instance, name) {
            Ok(device) => Ok(device),
            Err(error) => {
                // SAFETY: all objects of the instance have been destroyed
                unsafe { instance.destroy_instance(None) };
                Err(error)
            }
        }
    }

    fn of_instance(entry: ash::Entry, instance: &ash::Instance, name: &str) -> Result<Self, DriverError> {
        let physical = find(instance, name)?;
        // SAFETY: `physical` belongs to this instance, here and below
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let family = families
            .iter()
            .position(|family| {
                family.queue_flags.contains(vk::QueueFlags::COMPUTE) && family.timestamp_valid_bits > 0
            })
            .ok_or_else(|| DriverError::Unavailable(format!("{name} has no queue with time stamps")))?;
        let family = u32::try_from(family).unwrap_or(u32::MAX);
        let queues =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
        let extensions = EXTENSIONS.map(CStr::as_ptr);
        let mut addresses =
            vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
        let mut structures =
            vk::PhysicalDeviceAccelerationStructureFeaturesKHR::default().acceleration_structure(true);
        let mut pipelines =
            vk::PhysicalDeviceRayTracingPipelineFeaturesKHR::default().ray_tracing_pipeline(true);
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&extensions)
            .push_next(&mut addresses)
            .push_next(&mut structures)
            .push_next(&mut pipelines);
        // SAFETY: the driver has the extensions, and everything that `info` points to lives until the call returns
        let device = unsafe { instance.create_device(physical, &info, None) }.map_err(DriverError::Call)?;
        // SAFETY: the device has this queue
        let queue = unsafe { device.get_device_queue(family, 0) };
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        // SAFETY: `family` is that of the queue
        let commands = unsafe { device.create_command_pool(&info, None) };
        let commands = commands.map_err(|error| {
            // SAFETY: the device has no objects yet
            unsafe { device.destroy_device(None) };
            DriverError::Call(error)
        })?;
        Ok(Self {
            structures: khr::acceleration_structure::Device::new(instance, &device),
            pipelines: khr::ray_tracing_pipeline::Device::new(instance, &device),
            limits: limits(instance, physical),
            // SAFETY: as above
            memory: unsafe { instance.get_physical_device_memory_properties(physical) },
            _entry: entry,
            instance: instance.clone(),
            device,
            queue,
            commands,
        })
    }

    /// Returns the memory type for a buffer.
    pub(super) fn memory_type(&self, allowed: u32, wanted: vk::MemoryPropertyFlags) -> Option<u32> {
        let types = self.memory.memory_types_as_slice().iter().zip(0..);
        let fits = |&(kind, i): &(&vk::MemoryType, u32)| {
            allowed & (1 << i) != 0 && kind.property_flags.contains(wanted)
        };
        types.into_iter().find(fits).map(|(_, i)| i)
    }

    /// Records commands, submits them, and waits until they are done.
    ///
    /// # Safety
    /// `record` must record valid commands only, on objects of this device that live until this function returns.
    pub(super) unsafe fn run(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<(), DriverError> {
        let Self { device, queue, commands, .. } = self;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(*commands).command_buffer_count(1);
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is submitted once, and freed once it is done; the caller guarantees valid commands
        unsafe {
            let buffers = device.allocate_command_buffers(&info).map_err(DriverError::Call)?;
            let done = device.begin_command_buffer(buffers[0], &begin).and_then(|()| {
                record(buffers[0]);
                device.end_command_buffer(buffers[0])?;
                let submits = [vk::SubmitInfo::default().command_buffers(&buffers)];
                device.queue_submit(*queue, &submits, vk::Fence::null())?;
                device.queue_wait_idle(*queue)
            });
            device.free_command_buffers(*commands, &buffers);
            done.map_err(DriverError::Call)
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: all objects of the device hold an `Rc` of it, so they have been destroyed
        unsafe {
            self.device.destroy_command_pool(self.commands, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

fn find(instance: &ash::Instance, name: &str) -> Result<vk::PhysicalDevice, DriverError> {
    // SAFETY: the instance is alive, and the devices belong to it
    let all = unsafe { instance.enumerate_physical_devices() }.map_err(DriverError::Call)?;
    let named = |device: &vk::PhysicalDevice| {
        // SAFETY: as above
        let properties = unsafe { instance.get_physical_device_properties(*device) };
        properties.device_name_as_c_str().is_ok_and(|found| found.to_string_lossy() == name)
    };
    let device = all.into_iter().find(named);
    let device =
        device.ok_or_else(|| DriverError::Unavailable(format!("Vulkan does not list the GPU {name}")))?;
    // SAFETY: as above
    let extensions = unsafe { instance.enumerate_device_extension_properties(device) };
    let extensions = extensions.map_err(DriverError::Call)?;
    let has = |wanted: &CStr| extensions.iter().any(|found| found.extension_name_as_c_str() == Ok(wanted));
    match EXTENSIONS.into_iter().find(|wanted| !has(wanted)) {
        None => Ok(device),
        Some(missing) => Err(DriverError::Unavailable(format!(
            "the driver lacks the extension {}",
            missing.to_string_lossy()
        ))),
    }
}

fn limits(instance: &ash::Instance, physical: vk::PhysicalDevice) -> DeviceLimits {
    let mut pipelines = vk::PhysicalDeviceRayTracingPipelinePropertiesKHR::default();
    let mut structures = vk::PhysicalDeviceAccelerationStructurePropertiesKHR::default();
    let mut all =
        vk::PhysicalDeviceProperties2::default().push_next(&mut pipelines).push_next(&mut structures);
    // SAFETY: the device belongs to this instance
    unsafe { instance.get_physical_device_properties2(physical, &mut all) };
    let tick = f64::from(all.properties.limits.timestamp_period) * 1e-9;
    DeviceLimits {
        handle: pipelines.shader_group_handle_size as usize,
        table: pipelines.shader_group_base_alignment.into(),
        scratch: structures.min_acceleration_structure_scratch_offset_alignment.into(),
        tick,
    }
}
