//! Kernels as SPIR-V of our own making, for drivers that take it.
//!
//! WGSL promises that arrays are zero when a function begins, and every thread pays for it: a stack of 30 places cost primary rays a quarter of their
//! time. A walk writes each place of its stack before it reads it, so the promise is taken back here.

use std::borrow::Cow;

use naga::ShaderStage;
use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use sunfleck_shaders::Kernel;

/// A kernel as words.
///
/// * `checks` — whether indices and loops are checked.
///
/// # Errors
/// Why SPIR-V cannot say it.
pub(crate) fn words(kernel: &Kernel, checks: bool) -> Result<Vec<u32>, String> {
    let policy = if checks { BoundsCheckPolicy::Restrict } else { BoundsCheckPolicy::Unchecked };
    let options = spv::Options {
        lang_version: (1, 3),
        // Names, to tell what begins without content
        flags: spv::WriterFlags::DEBUG,
        fake_missing_bindings: false,
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
        binding_map: numbered(kernel.resources.len()),
        ..spv::Options::default()
    };
    let entry = spv::PipelineOptions { entry_point: "main".to_owned(), shader_stage: ShaderStage::Compute };
    let mut words = spv::write_vec(&kernel.module, &kernel.info, &options, Some(&entry))
        .map_err(|error| error.to_string())?;
    leave_unset(&mut words);
    Ok(words)
}

/// For the driver.
pub(crate) fn descriptor(
    label: Option<&str>,
    words: Vec<u32>,
) -> wgpu::ShaderModuleDescriptorPassthrough<'_> {
    let entry = wgpu::PassthroughShaderEntryPoint { name: "main".into(), workgroup_size: (0, 0, 0) };
    wgpu::ShaderModuleDescriptorPassthrough {
        label,
        entry_points: Cow::Owned(vec![entry]),
        spirv: Some(words.into()),
        ..wgpu::ShaderModuleDescriptorPassthrough::default()
    }
}

/// Bindings stay where they are.
fn numbered(count: usize) -> spv::BindingMap {
    let place = |binding| {
        let info = spv::BindingInfo { descriptor_set: 0, binding, binding_array_size: None };
        (naga::ResourceBinding { group: 0, binding }, info)
    };
    (0..u32::try_from(count).unwrap_or(u32::MAX)).map(place).collect()
}

/// Words before the first instruction, and instructions of SPIR-V.
const HEADER: usize = 5;
const OP_NAME: u32 = 5;
const OP_VARIABLE: u32 = 59;
/// Where variables of functions are.
const FUNCTION: u32 = 7;

/// What the names of variables begin with that begin without content, as in `traversal/walk.wesl`.
const UNSET: &[u8] = b"unset_";

/// Takes the zeros away that variables begin with whose names say so.
fn leave_unset(words: &mut Vec<u32>) {
    let mut unset = Vec::new();
    let mut kept: Vec<u32> = words.iter().take(HEADER).copied().collect();
    let mut at = HEADER;
    while at < words.len() {
        let length = (words[at] >> 16).max(1) as usize;
        let instruction = &words[at..(at + length).min(words.len())];
        at += length;
        match (instruction[0] & 0xffff, &instruction[1..]) {
            (OP_NAME, [id, name @ ..]) if bytemuck::cast_slice::<u32, u8>(name).starts_with(UNSET) => {
                unset.push(*id);
            }
            (OP_VARIABLE, [pointer, id, FUNCTION, _]) if unset.contains(id) => {
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
    use sunfleck_shaders::{Access, Resource, passes};

    use super::*;
    use crate::mirror::Form;

    /// Instructions with their operands.
    fn instructions(words: &[u32]) -> Vec<(u32, &[u32])> {
        let (mut found, mut at) = (Vec::new(), HEADER);
        while at < words.len() {
            let length = (words[at] >> 16) as usize;
            found.push((words[at] & 0xffff, &words[at + 1..at + length]));
            at += length;
        }
        found
    }

    fn made(text: &str) -> Vec<u32> {
        words(&Kernel::of_text(text, &Form::of_everything().constants()).unwrap(), false).unwrap()
    }

    /// Operands of the variables of functions.
    fn variables(words: &[u32]) -> Vec<usize> {
        let is_local = |&(op, operands): &(u32, &[u32])| op == OP_VARIABLE && operands[2] == FUNCTION;
        let mut found: Vec<_> =
            instructions(words).into_iter().filter(is_local).map(|(_, operands)| operands.len()).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn what_is_called_so_alone_begins_without_content() {
        let text = "var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
                var unset_stack: array<u32, 8>;
                var sums: array<u32, 8>;
                unset_stack[0] = id.x;
                sums[id.x & 7u] += unset_stack[0];
                out[id.x] = sums[id.y & 7u];
            }";
        assert_eq!(variables(&made(text)), [3, 4], "one of two is unset");
    }

    /// Whatever walks trees has a stack, and its kernel is patched.
    #[test]
    fn stacks_of_all_walks_begin_without_content() {
        let mut walks = 0;
        for pass in passes::all() {
            let kernel = Form::of_everything().kernel(&pass.into()).unwrap();
            // Builders of trees write units, and `ask` reads triangles that others have found
            let is_read = |resource: &Resource| resource.name == "units" && resource.access == Access::Read;
            let is_walk = kernel.resources.iter().any(is_read) && pass.module != "igi::ask";
            let is_unset = variables(&words(&kernel, false).unwrap()).contains(&3);
            assert_eq!(is_unset, is_walk, "{}", pass.module);
            walks += usize::from(is_walk);
        }
        assert!(walks > 10, "{walks}");
    }

    #[test]
    fn groups_do_not_wait_for_zeros() {
        const OP_CONTROL_BARRIER: u32 = 224;
        let text = "var<workgroup> words: array<u32, 64>;
            var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
                words[i] = i;
                out[i] = words[i];
            }";
        let waits = instructions(&made(text)).iter().any(|(op, _)| *op == OP_CONTROL_BARRIER);
        assert!(!waits, "nobody waits");
    }
}
