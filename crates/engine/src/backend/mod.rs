//! Backends that render frames: the CPU, a GPU, both together. This module alone lists them: a new backend needs a file
//! of its own, a variant of [`Device`], and a line in [`open`].

mod both;
mod cpu;
mod full_image;
mod gpu;
mod health;
mod in_turn;
mod interface;
mod run;
mod sequences;
mod share;
mod steady;

use std::str::FromStr;
use std::sync::Arc;

use sunfleck_gpu::{AdapterChoice, Gpu, GpuError, has_hardware_gpu};

use crate::EngineOptions;
use both::Both;
use cpu::OnCpu;
use gpu::OnGpu;
pub(crate) use health::Health;
pub(crate) use in_turn::InTurn;
use interface::Backend;

/// Device that renders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// The CPU: world and frame determine every bit of an image.
    #[default]
    Processor,
    /// The best hardware GPU if there is one, else the CPU.
    Auto,
    /// A GPU, software implementations included.
    Gpu(AdapterChoice),
    /// The best GPU, software implementations included, and the CPU together: each renders a part of the samples.
    Both,
}

impl Device {
    /// Returns whether the CPU renders if there is no GPU or the GPU cannot be used.
    pub fn falls_back(self) -> bool {
        matches!(self, Self::Auto | Self::Both)
    }
}

/// Unknown name of a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownDevice {
    /// The name is none of the keywords.
    #[error("unknown device; the devices are: auto, cpu, gpu, gpu:N, shared")]
    Word,
    /// The text after `gpu:` is not a number.
    #[error("`{0}` is not a valid GPU number; `sunfleck devices` lists the GPUs")]
    Number(String),
}

/// Parses the name of a device: `cpu`, `auto`, `gpu`, `gpu:N`, `shared`.
impl FromStr for Device {
    type Err = UnknownDevice;

    fn from_str(text: &str) -> Result<Self, UnknownDevice> {
        match (text, text.strip_prefix("gpu:")) {
            ("cpu", _) => Ok(Self::Processor),
            ("auto", _) => Ok(Self::Auto),
            ("gpu", _) => Ok(Self::Gpu(AdapterChoice::Best)),
            ("shared", _) => Ok(Self::Both),
            (_, Some(number)) => match number.parse() {
                Ok(number) => Ok(Self::Gpu(AdapterChoice::Number(number))),
                Err(_) => Err(UnknownDevice::Number(number.into())),
            },
            (_, None) => Err(UnknownDevice::Word),
        }
    }
}

/// Opens the backends of an engine in the order in which they are tried. Errors: the requested GPU cannot be used.
pub(crate) fn open(options: &EngineOptions) -> Result<InTurn, GpuError> {
    let &EngineOptions { schedule, device, changes, fall_back, .. } = options;
    let on_cpu = || -> Box<dyn Backend> { Box::new(OnCpu::new(schedule)) };
    let on_gpu = |which| Ok(OnGpu::new(Arc::new(Gpu::open(which)?), changes, schedule.level));
    let first: Result<Option<Box<dyn Backend>>, GpuError> = match device {
        Device::Processor => Ok(None),
        Device::Auto if !has_hardware_gpu() => Ok(None),
        Device::Auto => on_gpu(AdapterChoice::Best).map(|gpu| Some(Box::new(gpu) as _)),
        Device::Gpu(which) => on_gpu(which).map(|gpu| Some(Box::new(gpu) as _)),
        Device::Both => on_gpu(AdapterChoice::Best).map(|gpu| Some(Box::new(Both::new(gpu, schedule)) as _)),
    };
    let (first, trouble) = match first {
        Err(why) if fall_back && device.falls_back() => (None, Some(why)),
        first => (first?, None),
    };
    let last = (fall_back || first.is_none()).then(on_cpu);
    Ok(InTurn::new(first.into_iter().chain(last), trouble))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_names() {
        assert_eq!("auto".parse(), Ok(Device::Auto));
        assert_eq!("gpu:2".parse(), Ok(Device::Gpu(AdapterChoice::Number(2))));
        assert!(["gpu:", "gpu:x", "cuda", ""].iter().all(|text| text.parse::<Device>().is_err()));
    }
}
