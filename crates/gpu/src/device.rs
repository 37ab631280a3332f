//! Which GPUs there are, and one of them in use.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use sunfleck_constants::group::FOUR_ROWS;
use wgpu::{Backends, DeviceDescriptor, DeviceType, Features, Instance, InstanceDescriptor, InstanceFlags};

use crate::GpuError;
use crate::open::open;

/// A GPU of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    /// As its driver calls it.
    pub name: String,
    /// What it is.
    pub kind: AdapterKind,
    /// Driver and its version.
    pub driver: String,
    /// Through which interface it is reached, such as `vulkan`.
    pub interface: &'static str,
    /// Why it cannot be used; `None` if it can.
    pub problem: Option<String>,
}

/// Kinds of adapters, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterKind {
    /// With memory of its own.
    Discrete,
    /// That shares the processor's memory.
    Integrated,
    /// Of a virtual machine, or of an unknown kind.
    Other,
    /// A program on the processor's cores.
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

/// Which adapter to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterChoice {
    /// The first of the best kind, software included.
    Best,
    /// By its place in the list of [`adapters`].
    Number(usize),
}

/// All adapters, best first.
pub fn adapters() -> Vec<Adapter> {
    found(&instance()).iter().map(describe).collect()
}

/// Whether there is a GPU that can be used and is no program on the processor.
pub fn is_there() -> bool {
    adapters().first().is_some_and(|best| best.kind != AdapterKind::Software && best.problem.is_none())
}

fn instance() -> Instance {
    let backends = Backends::VULKAN | Backends::METAL | Backends::DX12;
    // Debug layers check what drivers are asked for; they cost most of a short kernel's time
    let flags =
        if cfg!(debug_assertions) { InstanceFlags::from_build_config() } else { InstanceFlags::empty() };
    Instance::new(InstanceDescriptor { backends, flags, ..InstanceDescriptor::new_without_display_handle() })
}

fn found(instance: &Instance) -> Vec<wgpu::Adapter> {
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

/// The most storage buffers that a kernel uses if one binding holds each array.
const BUFFERS: u32 = 29;

fn problem(adapter: &wgpu::Adapter) -> Option<String> {
    let limits = adapter.limits();
    let compute = wgpu::DownlevelFlags::COMPUTE_SHADERS;
    if !adapter.get_downlevel_capabilities().flags.contains(compute) {
        return Some("it runs no compute shaders".to_owned());
    }
    let buffers = limits.max_storage_buffers_per_shader_stage;
    if buffers < BUFFERS {
        return Some(format!("kernels need {BUFFERS} buffers, it has {buffers}"));
    }
    let threads = limits.max_compute_invocations_per_workgroup;
    (threads < FOUR_ROWS).then(|| format!("kernels need groups of {} threads, it has {threads}", FOUR_ROWS))
}

/// A GPU in use.
#[derive(Debug)]
pub struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    adapter: Adapter,
    /// Nanoseconds of a tick of time stamps; `None` if it has none.
    pub(crate) tick: Option<f32>,
    /// Whether kernels may be given as SPIR-V.
    pub(crate) takes_spirv: bool,
    /// Whether threads may ask each other: without that there are no beams, and rays are traced in the order in which they come.
    pub(crate) has_subgroups: bool,
    /// What went wrong first.
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

    /// As [`open`](Self::open), as if the adapter had nothing that it need not have: what is measured by time stamps is not measured, and other things take longer.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_without_features(which: AdapterChoice) -> Result<Self, GpuError> {
        Self::open_with(which, Features::empty())
    }

    fn open_with(which: AdapterChoice, features: Features) -> Result<Self, GpuError> {
        let mut found = found(&instance());
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
        // Other interfaces have the feature too, but take kernels in languages of their own
        if adapter.get_info().backend != wgpu::Backend::Vulkan {
            features.remove(Features::PASSTHROUGH_SHADERS);
        }
        let descriptor = DeviceDescriptor {
            label: Some("sunfleck"),
            required_features: features,
            required_limits: adapter.limits(),
            ..DeviceDescriptor::default()
        };
        let trusts = features.contains(Features::PASSTHROUGH_SHADERS);
        let (device, queue) = open(&adapter, &descriptor, trusts).map_err(unusable)?;
        let failure = Arc::new(Mutex::new(None));
        let (lost, failed) = (failure.clone(), failure.clone());
        device.set_device_lost_callback(move |_, why| note(&lost, why));
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| note(&failed, error.to_string())));
        Ok(Self {
            tick: features.contains(Features::TIMESTAMP_QUERY).then(|| queue.get_timestamp_period()),
            takes_spirv: features.contains(Features::PASSTHROUGH_SHADERS),
            has_subgroups: features.contains(Features::SUBGROUP),
            adapter: description,
            device,
            queue,
            failure,
        })
    }

    /// What it is.
    pub fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// The device, for [kernels of other rooms](crate::compute).
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// Its queue, for [kernels of other rooms](crate::compute).
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Gives the device up: whatever is under way on it, or comes later, fails as if it were lost.
    pub fn give_up(&self) {
        self.device.destroy();
    }

    /// Most bytes of a buffer that a kernel reads.
    pub(crate) fn most_bytes(&self) -> u64 {
        let limits = self.device.limits();
        limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
    }

    /// Groups in a row of a dispatch.
    pub(crate) fn most_groups(&self) -> u32 {
        self.device.limits().max_compute_workgroups_per_dimension
    }

    /// Whether the device has not failed so far.
    ///
    /// # Errors
    /// [`GpuError::Lost`] with the first failure.
    pub fn check(&self) -> Result<(), GpuError> {
        match &*self.failure.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(why) => Err(GpuError::Lost { why: why.clone() }),
            None => Ok(()),
        }
    }

    /// Waits until all that was submitted is done.
    pub(crate) fn wait(&self) -> Result<(), GpuError> {
        let waited = self.device.poll(wgpu::PollType::wait_indefinitely());
        self.check()?;
        waited.map(|_| ()).map_err(GpuError::lost)
    }
}

fn note(failure: &Mutex<Option<String>>, why: String) {
    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
}

#[cfg(test)]
mod tests {
    use sunfleck_shaders::{Access, Shader, passes};

    use super::*;
    use crate::mirror::Form;

    #[test]
    fn no_kernel_uses_more_buffers_than_are_asked_for() {
        let form = Form::of_everything();
        let count = |shader: Shader| {
            let kernel = form.kernel(&shader).unwrap();
            kernel.resources.iter().filter(|resource| resource.access != Access::Uniform).count()
        };
        let all = passes::all().flat_map(|pass| pass.options.subsets().map(move |o| Shader::new(pass, o)));
        assert_eq!(all.map(count).max(), Some(BUFFERS as usize));
    }
}
