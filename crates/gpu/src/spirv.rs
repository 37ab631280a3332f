//! Kernels as SPIR-V of our own making, for drivers that take it.
//!
//! WGSL promises that arrays are zero when a function begins, and every thread pays for it: a stack of 30 places cost primary rays a quarter of their
//! time. A walk writes each place of its stack before it reads it, so the promise is taken back here.

use std::borrow::Cow;

use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, ShaderStage, StorageAccess};

/// A kernel in words, and what it binds.
pub(crate) struct Spirv {
    pub(crate) words: Vec<u32>,
    /// For each group the numbers of its arrays, rising, and how a kernel sees them.
    pub(crate) groups: Vec<Vec<(u32, wgpu::BufferBindingType)>>,
}

impl Spirv {
    /// Translates WGSL whose entry point is `main`.
    ///
    /// * `checks` — whether indices and loops are checked.
    ///
    /// # Errors
    /// Why it is no shader.
    pub(crate) fn new(text: &str, checks: bool) -> Result<Self, String> {
        let module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
        let info = Validator::new(ValidationFlags::all(), Capabilities::all())
            .validate(&module)
            .map_err(|error| error.emit_to_string(text))?;
        let groups = bindings(&module, info.get_entry_point(0));
        let policy = if checks { BoundsCheckPolicy::Restrict } else { BoundsCheckPolicy::Unchecked };
        let options = spv::Options {
            lang_version: (1, 3),
            // Names, to tell the stack
            flags: spv::WriterFlags::DEBUG,
            fake_missing_bindings: false,
            binding_map: numbered(&groups),
            bounds_check_policies: BoundsCheckPolicies {
                index: policy,
                buffer: policy,
                image_load: policy,
                binding_array: policy,
            },
            force_loop_bounding: checks,
            emit_int_div_checks: checks,
            // Kernels write what they share before they read it; zeros would be written by one thread while all others wait
            zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
            ..spv::Options::default()
        };
        let entry =
            spv::PipelineOptions { entry_point: "main".to_owned(), shader_stage: ShaderStage::Compute };
        let mut words =
            spv::write_vec(&module, &info, &options, Some(&entry)).map_err(|error| error.to_string())?;
        leave_stacks_unset(&mut words);
        Ok(Self { words, groups })
    }

    /// What a pipeline binds.
    pub(crate) fn layout(&self, device: &wgpu::Device) -> wgpu::PipelineLayout {
        let groups: Vec<_> = self.groups.iter().map(|group| group_layout(device, group)).collect();
        let groups: Vec<_> = groups.iter().map(Some).collect();
        device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &groups,
            ..wgpu::PipelineLayoutDescriptor::default()
        })
    }

    /// For the driver.
    pub(crate) fn descriptor(self, name: &'static str) -> wgpu::ShaderModuleDescriptorPassthrough<'static> {
        let entry = wgpu::PassthroughShaderEntryPoint { name: "main".into(), workgroup_size: (0, 0, 0) };
        wgpu::ShaderModuleDescriptorPassthrough {
            label: Some(name),
            entry_points: Cow::Owned(vec![entry]),
            spirv: Some(self.words.into()),
            ..wgpu::ShaderModuleDescriptorPassthrough::default()
        }
    }
}

fn group_layout(device: &wgpu::Device, group: &[(u32, wgpu::BufferBindingType)]) -> wgpu::BindGroupLayout {
    let entry = |&(binding, ty): &(u32, wgpu::BufferBindingType)| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let entries: Vec<_> = group.iter().map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
}

/// What the entry point uses, by group and number.
fn bindings(
    module: &naga::Module,
    used: &naga::valid::FunctionInfo,
) -> Vec<Vec<(u32, wgpu::BufferBindingType)>> {
    let mut groups: Vec<Vec<_>> = Vec::new();
    for (handle, variable) in module.global_variables.iter() {
        let Some(place) = variable.binding else { continue };
        if used[handle].is_empty() {
            continue;
        }
        let ty = match variable.space {
            AddressSpace::Storage { access } => {
                wgpu::BufferBindingType::Storage { read_only: !access.contains(StorageAccess::STORE) }
            }
            _ => wgpu::BufferBindingType::Uniform,
        };
        let group = place.group as usize;
        groups.resize_with(groups.len().max(group + 1), Vec::new);
        groups[group].push((place.binding, ty));
    }
    for group in &mut groups {
        group.sort_unstable_by_key(|(binding, _)| *binding);
    }
    groups
}

/// wgpu numbers the arrays of a group without gaps.
fn numbered(groups: &[Vec<(u32, wgpu::BufferBindingType)>]) -> spv::BindingMap {
    let mut map = spv::BindingMap::default();
    for (descriptor_set, arrays) in (0u32..).zip(groups) {
        for (binding, (number, _)) in (0u32..).zip(arrays) {
            let place = naga::ResourceBinding { group: descriptor_set, binding: *number };
            let info = spv::BindingInfo { descriptor_set, binding, binding_array_size: None };
            map.insert(place, info);
        }
    }
    map
}

/// Words before the first instruction, and instructions of SPIR-V.
const HEADER: usize = 5;
const OP_NAME: u32 = 5;
const OP_VARIABLE: u32 = 59;
/// Where variables of functions are.
const FUNCTION: u32 = 7;

/// Takes the zeros away that arrays called `stack` begin with.
fn leave_stacks_unset(words: &mut Vec<u32>) {
    let name = bytemuck::pod_collect_to_vec::<u8, u32>(b"stack\0\0\0");
    let mut stacks = Vec::new();
    let mut kept: Vec<u32> = words.iter().take(HEADER).copied().collect();
    let mut at = HEADER;
    while at < words.len() {
        let length = (words[at] >> 16).max(1) as usize;
        let instruction = &words[at..(at + length).min(words.len())];
        at += length;
        match (instruction[0] & 0xffff, &instruction[1..]) {
            (OP_NAME, [id, called @ ..]) if called == name => stacks.push(*id),
            (OP_VARIABLE, [pointer, id, FUNCTION, _]) if stacks.contains(id) => {
                kept.extend([4 << 16 | OP_VARIABLE, *pointer, *id, FUNCTION]);
                continue;
            }
            _ => {}
        }
        kept.extend(instruction);
    }
    *words = kept;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(spirv: &Spirv) -> Vec<usize> {
        let (mut found, mut at) = (Vec::new(), HEADER);
        while at < spirv.words.len() {
            let length = (spirv.words[at] >> 16) as usize;
            if spirv.words[at] & 0xffff == OP_VARIABLE && spirv.words[at + 3] == FUNCTION {
                found.push(length);
            }
            at += length;
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn stacks_alone_begin_without_content() {
        let text = "@group(1) @binding(3) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
                var stack: array<u32, 8>;
                var sums: array<u32, 8>;
                stack[0] = id.x;
                sums[id.x & 7u] += stack[0];
                out[id.x] = sums[id.y & 7u];
            }";
        let spirv = Spirv::new(text, false).unwrap();
        assert_eq!(variables(&spirv), [4, 5], "one of two is unset");
        let array = (3, wgpu::BufferBindingType::Storage { read_only: false });
        assert_eq!(spirv.groups, [vec![], vec![array]], "what is bound");
    }

    #[test]
    fn groups_do_not_wait_for_zeros() {
        const OP_CONTROL_BARRIER: u32 = 224;
        let text = "var<workgroup> words: array<u32, 64>;
            @group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
                words[i] = i;
                out[i] = words[i];
            }";
        let (words, mut at) = (Spirv::new(text, false).unwrap().words, HEADER);
        while at < words.len() {
            assert_ne!(words[at] & 0xffff, OP_CONTROL_BARRIER, "nobody waits");
            at += (words[at] >> 16) as usize;
        }
    }

    #[test]
    fn no_shader_is_an_error() {
        assert!(Spirv::new("fn main() -> u32 { return 1.5; }", true).is_err(), "a float is no integer");
    }
}
