//! Shaders of the ray-tracing pipeline, translated from WGSL to SPIR-V.

use std::ffi::CStr;

use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{ResourceBinding, ShaderStage};

/// WGSL source of all stages.
const TEXT: &str = include_str!("rays.wgsl");

/// Shader stage of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PipelineStage {
    /// Entry point.
    pub(super) name: &'static CStr,
    stage: ShaderStage,
}

/// Ray generation for closest hits.
pub(super) const CLOSEST: PipelineStage =
    PipelineStage { name: c"closest", stage: ShaderStage::RayGeneration };
/// Ray generation for any hits.
pub(super) const ANY: PipelineStage = PipelineStage { name: c"any", stage: ShaderStage::RayGeneration };
/// Closest-hit shader.
pub(super) const HIT: PipelineStage = PipelineStage { name: c"hit", stage: ShaderStage::ClosestHit };
/// Miss shader.
pub(super) const MISS: PipelineStage = PipelineStage { name: c"miss", stage: ShaderStage::Miss };

impl PipelineStage {
    /// Translates the stage to SPIR-V without bounds checks, as the shaders of crate gpu are.
    ///
    /// # Errors
    /// Error message of naga.
    pub(super) fn words(self) -> Result<Vec<u32>, String> {
        let module = naga::front::wgsl::parse_str(TEXT).map_err(|error| error.emit_to_string(TEXT))?;
        let info = Validator::new(ValidationFlags::all(), Capabilities::all())
            .validate(&module)
            .map_err(|error| error.emit_to_string(TEXT))?;
        let place = |binding| {
            let info = spv::BindingInfo { descriptor_set: 0, binding, binding_array_size: None };
            (ResourceBinding { group: 0, binding }, info)
        };
        let unchecked = BoundsCheckPolicy::Unchecked;
        let options = spv::Options {
            lang_version: (1, 4),
            flags: spv::WriterFlags::empty(),
            binding_map: (0..3).map(place).collect(),
            fake_missing_bindings: false,
            bounds_check_policies: BoundsCheckPolicies {
                index: unchecked,
                buffer: unchecked,
                image_load: unchecked,
                binding_array: unchecked,
            },
            force_loop_bounding: false,
            trace_ray_argument_validation: false,
            ..spv::Options::default()
        };
        let entry = spv::PipelineOptions {
            entry_point: self.name.to_string_lossy().into_owned(),
            shader_stage: self.stage,
        };
        spv::write_vec(&module, &info, &options, Some(&entry)).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_stages_are_translated_to_spirv() {
        for stage in [CLOSEST, ANY, HIT, MISS] {
            let words = stage.words().unwrap_or_else(|error| panic!("{:?}: {error}", stage.name));
            assert_eq!(words[0], 0x0723_0203, "{:?} is SPIR-V", stage.name);
        }
    }
}
