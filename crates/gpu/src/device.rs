//! Enumeration of the GPUs of a machine, and the [`Gpu`] that is in use.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use sunfleck_constants::group::FOUR_ROWS;
use wgpu::{Backends, DeviceDescriptor, DeviceType, Features, Instance, InstanceDescriptor, InstanceFlags};

use crate::GpuError;
use crate::open::open;

/// A GPU of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    /// Name that the driver reports.
    pub name: String,
    /// Kind of the adapter.
    pub kind: AdapterKind,
    /// Driver and its version.
    pub driver: String,
    /// Graphics API through which it is reached, such as `vulkan`.
    pub interface: &'static str,
    /// Reason why it cannot be used; `None` if it can.
    pub problem: Option<String>,
}

/// Kinds of adapters, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the memory of the CPU.
    Integrated,
    /// A GPU of a virtual machine, or of unknown kind.
    Other,
    /// A software implementation that runs on the CPU, such as Mesa's lavapipe.
    Software,
}

impl fmt::Display for AdapterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Other => "virtual",
            Self::Software => "software",
        })
    }
}

/// Selection of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterChoice {
    /// The first one of the best kind that can be used, software included.
    Best,
    /// The one with this index in the list of [`adapters`].
    Number(usize),
}

/// Returns all adapters, best kind first.
pub fn adapters() -> Vec<Adapter> {
    enumerate(&instance()).iter().map(describe).collect()
}

/// Returns whether the machine has a hardware GPU that can be used.
pub fn has_hardware_gpu() -> bool {
    adapters().first().is_some_and(|best| best.kind != AdapterKind::Software && best.problem.is_none())
}

fn instance() -> Instance {
    let backends = Backends::VULKAN | Backends::METAL | Backends::DX12;
    // Validation layers take most of the time of a short kernel.
    let flags =
        if cfg!(debug_assertions) { InstanceFlags::from_build_config() } else { InstanceFlags::empty() };
    Instance::new(InstanceDescriptor { backends, flags, ..InstanceDescriptor::new_without_display_handle() })
}

fn enumerate(instance: &Instance) -> Vec<wgpu::Adapter> {
    let mut found = pollster::block_on(instance.enumerate_adapters(Backends::all()));
    found.sort_by_key(|adapter| kind(adapter.get_info().device_type));
    found
}

fn kind(device_type: DeviceType) -> AdapterKind {
    match device_type {
        DeviceType::DiscreteGpu => AdapterKind::Discrete,
        DeviceType::IntegratedGpu => AdapterKind::Integrated,
        DeviceType::VirtualGpu | DeviceType::Other => AdapterKind::Other,
        DeviceType::Cpu => AdapterKind::Software,
    }
}

fn describe(adapter: &wgpu::Adapter) -> Adapter {
    let info = adapter.get_info();
    Adapter {
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        kind: kind(info.device_type),
        interface: info.backend.to_str(),
        problem: problem(adapter),
        name: info.name,
    }
}

/// Maximum number of storage buffers that a kernel binds if every array fits into one binding.
const REQUIRED_STORAGE_BUFFERS: u32 = 29;

fn problem(adapter: &wgpu::Adapter) -> Option<String> {
    let limits = adapter.limits();
    let compute = wgpu::DownlevelFlags::COMPUTE_SHADERS;
    if !adapter.get_downlevel_capabilities().flags.contains(compute) {
        return Some("it does not support compute shaders".to_owned());
    }
    let buffers = limits.max_storage_buffers_per_shader_stage;
    if buffers < REQUIRED_STORAGE_BUFFERS {
        return Some(format!(
            "kernels need {REQUIRED_STORAGE_BUFFERS} storage buffers, but it supports only {buffers}"
        ));
    }
    let threads = limits.max_compute_invocations_per_workgroup;
    (threads < FOUR_ROWS)
        .then(|| format!("kernels need workgroups of {FOUR_ROWS} threads, but it supports only {threads}"))
}

/// A GPU in use.
#[derive(Debug)]
pub struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    adapter: Adapter,
    /// Nanoseconds per timestamp tick; `None` if the GPU has no timestamps.
    pub(crate) timestamp_period_ns: Option<f32>,
    /// Whether kernels may be passed as SPIR-V.
    pub(crate) accepts_spirv: bool,
    /// Whether the GPU has subgroup operations. Without them there are no beams, and rays are traced in the order of
    /// the stream.
    pub(crate) has_subgroups: bool,
    /// First error that the device reported.
    failure: Arc<Mutex<Option<String>>>,
}

impl Gpu {
    /// Opens a GPU.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`], [`GpuError::Unusable`].
    pub fn open(which: AdapterChoice) -> Result<Self, GpuError> {
        Self::open_with(which, Features::TIMESTAMP_QUERY | Features::PASSTHROUGH_SHADERS | Features::SUBGROUP)
    }

    /// As [`open`](Self::open), without any optional feature of the adapter: there are no timestamps, and some kernels
    /// are slower. For tests.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_without_features(which: AdapterChoice) -> Result<Self, GpuError> {
        Self::open_with(which, Features::empty())
    }

    fn open_with(which: AdapterChoice, features: Features) -> Result<Self, GpuError> {
        let mut found = enumerate(&instance());
        let number = match which {
            AdapterChoice::Best => found.iter().position(|adapter| problem(adapter).is_none()).unwrap_or(0),
            AdapterChoice::Number(number) => number,
        };
        if number >= found.len() {
            let asked = if which == AdapterChoice::Best { None } else { Some(number) };
            return Err(GpuError::NoAdapter { number: asked, found: found.len() });
        }
        let adapter = found.swap_remove(number);
        let description = describe(&adapter);
        let unusable = |why: String| GpuError::Unusable { name: description.name.clone(), why };
        if let Some(why) = description.problem.clone() {
            return Err(unusable(why));
        }
        let mut features = features & adapter.features();
        // Other graphics APIs have the feature, too, but take shaders in their own languages
        if adapter.get_info().backend != wgpu::Backend::Vulkan {
            features.remove(Features::PASSTHROUGH_SHADERS);
        }
        let descriptor = DeviceDescriptor {
            label: Some("sunfleck"),
            required_features: features,
            required_limits: adapter.limits(),
            ..DeviceDescriptor::default()
        };
        let trusted = features.contains(Features::PASSTHROUGH_SHADERS);
        let (device, queue) = open(&adapter, &descriptor, trusted).map_err(unusable)?;
        let failure = Arc::new(Mutex::new(None));
        let (lost, failed) = (failure.clone(), failure.clone());
        device.set_device_lost_callback(move |_, why| record_failure(&lost, why));
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            record_failure(&failed, error.to_string());
        }));
        Ok(Self {
            timestamp_period_ns: features
                .contains(Features::TIMESTAMP_QUERY)
                .then(|| queue.get_timestamp_period()),
            accepts_spirv: features.contains(Features::PASSTHROUGH_SHADERS),
            has_subgroups: features.contains(Features::SUBGROUP),
            adapter: description,
            device,
            queue,
            failure,
        })
    }

    /// Description of the adapter.
    pub fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// The wgpu device, for [kernels of other crates](crate::compute).
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// The queue of the device, for [kernels of other crates](crate::compute).
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Destroys the device: work in flight and later calls fail with [`GpuError::Lost`].
    pub fn destroy(&self) {
        self.device.destroy();
    }

    /// Maximum size in bytes of a buffer that a kernel can bind.
    pub(crate) fn max_binding_bytes(&self) -> u64 {
        let limits = self.device.limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
    }

    /// Maximum number of workgroups of a dispatch along one dimension.
    pub(crate) fn max_groups(&self) -> u32 {
        self.device.limits().max_compute_workgroups_per_dimension
    }

    /// Returns an error if the device has failed.
    ///
    /// # Errors
    /// [`GpuError::Lost`] with the first failure.
    pub fn check(&self) -> Result<(), GpuError> {
        match &*self.failure.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(why) => Err(GpuError::Lost { why: why.clone() }),
            None => Ok(()),
        }
    }

    /// Waits until all submitted work is done.
    pub(crate) fn wait(&self) -> Result<(), GpuError> {
        let waited = self.device.poll(wgpu::PollType::wait_indefinitely());
        self.check()?;
        waited.map(|_| ()).map_err(GpuError::lost)
    }
}

fn record_failure(failure: &Mutex<Option<String>>, why: String) {
    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
}

#[cfg(test)]
mod tests {
    use sunfleck_shaders::{Access, Shader, passes};

    use super::*;
    use crate::mirror::SceneSpecialization;

    #[test]
    fn no_kernel_uses_more_buffers_than_are_required() {
        let specialization = SceneSpecialization::general();
        let count = |shader: Shader| {
            let kernel = specialization.kernel(&shader).unwrap();
            kernel.resources.iter().filter(|resource| resource.access != Access::Uniform).count()
        };
        let all = passes::all().flat_map(|pass| pass.options.subsets().map(move |o| Shader::new(pass, o)));
        assert_eq!(all.map(count).max(), Some(REQUIRED_STORAGE_BUFFERS as usize));
    }
}
