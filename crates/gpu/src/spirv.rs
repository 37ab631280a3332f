//! Compilation of kernels to SPIR-V, for drivers that take it.
//!
//! WGSL requires that arrays are zero when a function begins, and every thread pays for it: a stack of 30 entries took
//! a quarter of the time of primary rays. Since a traversal writes each entry of its stack before it reads it, the zero
//! initialisers of such variables are removed.

use std::borrow::Cow;

use naga::ShaderStage;
use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use sunfleck_shaders::Kernel;

/// Compiles a kernel to SPIR-V words.
///
/// * `checks` — whether indices and loops are checked.
///
/// # Errors
/// The message of naga if it cannot translate the kernel.
pub(crate) fn compile(kernel: &Kernel, checks: bool) -> Result<Vec<u32>, String> {
    let policy = if checks { BoundsCheckPolicy::Restrict } else { BoundsCheckPolicy::Unchecked };
    let options = spv::Options {
        lang_version: (1, 3),
        // Names are needed to recognise the variables without initialiser
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
        // Kernels write shared memory before they read it; one thread would write the zeros while all others wait
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        binding_map: identity_bindings(kernel.resources.len()),
        ..spv::Options::default()
    };
    let entry = spv::PipelineOptions { entry_point: "main".to_owned(), shader_stage: ShaderStage::Compute };
    let mut words = spv::write_vec(&kernel.module, &kernel.info, &options, Some(&entry))
        .map_err(|error| error.to_string())?;
    remove_initializers(&mut words);
    Ok(words)
}

/// Descriptor of a shader module for the driver.
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

/// Binding map that keeps all binding numbers.
fn identity_bindings(count: usize) -> spv::BindingMap {
    let place = |binding| {
        let info = spv::BindingInfo { descriptor_set: 0, binding, binding_array_size: None };
        (naga::ResourceBinding { group: 0, binding }, info)
    };
    (0..u32::try_from(count).unwrap_or(u32::MAX)).map(place).collect()
}

/// Number of words before the first instruction, and opcodes of SPIR-V.
const HEADER: usize = 5;
const OP_NAME: u32 = 5;
const OP_VARIABLE: u32 = 59;
/// Storage class of local variables.
const STORAGE_CLASS_FUNCTION: u32 = 7;

/// Prefix of the names of variables that need no initialiser, such as those of `traversal/walk.wesl`.
const UNINITIALIZED_PREFIX: &[u8] = b"unset_";

/// Removes the zero initialisers of variables with the prefix [`UNINITIALIZED_PREFIX`].
fn remove_initializers(words: &mut Vec<u32>) {
    let mut uninitialized = Vec::new();
    let mut kept: Vec<u32> = words.iter().take(HEADER).copied().collect();
    let mut at = HEADER;
    while at < words.len() {
        let length = (words[at] >> 16).max(1) as usize;
        let instruction = &words[at..(at + length).min(words.len())];
        at += length;
        match (instruction[0] & 0xffff, &instruction[1..]) {
            (OP_NAME, [id, name @ ..])
                if bytemuck::cast_slice::<u32, u8>(name).starts_with(UNINITIALIZED_PREFIX) =>
            {
                uninitialized.push(*id);
            }
            (OP_VARIABLE, [pointer, id, STORAGE_CLASS_FUNCTION, _]) if uninitialized.contains(id) => {
                kept.extend([4 << 16 | OP_VARIABLE, *pointer, *id, STORAGE_CLASS_FUNCTION]);
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
    use crate::mirror::SceneSpecialization;

    /// Opcodes and operands of all instructions.
    fn instructions(words: &[u32]) -> Vec<(u32, &[u32])> {
        let (mut found, mut at) = (Vec::new(), HEADER);
        while at < words.len() {
            let length = (words[at] >> 16) as usize;
            found.push((words[at] & 0xffff, &words[at + 1..at + length]));
            at += length;
        }
        found
    }

    fn compiled(text: &str) -> Vec<u32> {
        compile(&Kernel::of_text(text, &SceneSpecialization::general().constants()).unwrap(), false).unwrap()
    }

    /// Number of operands of each local variable, sorted.
    fn variables(words: &[u32]) -> Vec<usize> {
        let is_local =
            |&(op, operands): &(u32, &[u32])| op == OP_VARIABLE && operands[2] == STORAGE_CLASS_FUNCTION;
        let mut found: Vec<_> =
            instructions(words).into_iter().filter(is_local).map(|(_, operands)| operands.len()).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn only_variables_with_the_prefix_lose_their_initializer() {
        let text = "var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
                var unset_stack: array<u32, 8>;
                var sums: array<u32, 8>;
                unset_stack[0] = id.x;
                sums[id.x & 7u] += unset_stack[0];
                out[id.x] = sums[id.y & 7u];
            }";
        assert_eq!(variables(&compiled(text)), [3, 4], "one of two is unset");
    }

    /// All kernels that traverse trees have a stack, whose initialiser is removed.
    #[test]
    fn stacks_of_all_traversals_lose_their_initializer() {
        let mut traversals = 0;
        for pass in passes::all() {
            let kernel = SceneSpecialization::general().kernel(&pass.into()).unwrap();
            // Builders of trees write units, and `igi::ask` reads triangles that other passes have found
            let is_read = |resource: &Resource| resource.name == "units" && resource.access == Access::Read;
            let traverses = kernel.resources.iter().any(is_read) && pass.module != "igi::ask";
            let is_unset = variables(&compile(&kernel, false).unwrap()).contains(&3);
            assert_eq!(is_unset, traverses, "{}", pass.module);
            traversals += usize::from(traverses);
        }
        assert!(traversals > 10, "{traversals}");
    }

    #[test]
    fn shared_memory_is_not_zeroed() {
        const OP_CONTROL_BARRIER: u32 = 224;
        let text = "var<workgroup> words: array<u32, 64>;
            var<storage, read_write> out: array<u32>;
            @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
                words[i] = i;
                out[i] = words[i];
            }";
        let waits = instructions(&compiled(text)).iter().any(|(op, _)| *op == OP_CONTROL_BARRIER);
        assert!(!waits, "there is a barrier");
    }
}
