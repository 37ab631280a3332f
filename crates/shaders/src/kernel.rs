//! A linked text as naga has it, for a world.
//!
//! Specialization are set on naga's representation and not in the text: a constant that nobody gives a value, or that is not there, is an error. Branches that are never taken
//! then go, since code that never runs takes registers all the same, and with them the resources that only they use. What is left is bound in group 0, numbered in the
//! order of declarations: who makes pipelines finds names, and no number is written anywhere.

use naga::back::pipeline_constants::process_overrides;
use naga::compact::{KeepUnused, compact};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, ArraySize, Module, ResourceBinding, ShaderStage, StorageAccess, TypeInner};

use sunfleck_constants::tree::LINKED_STACK;

use crate::prune::prune;
use crate::{Shader, Specialization, Split};

/// A compute shader specialised for a world, which naga has validated.
#[derive(Debug)]
pub struct Kernel {
    /// With one entry point, `main`.
    pub module: Module,
    /// What the validator found about it.
    pub info: ModuleInfo,
    /// What it binds, by number.
    pub resources: Vec<Resource>,
}

/// What a kernel binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// As the shader's modules call it.
    pub name: String,
    /// What the kernel does with it.
    pub access: Access,
}

/// What a kernel does with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads values that are the same for all threads.
    Uniform,
    /// Reads an array.
    Read,
    /// Writes it, and may read it.
    Write,
}

impl Kernel {
    /// A shader for a world.
    ///
    /// * `splits` — arrays that are in several segments.
    ///
    /// # Errors
    /// What naga refuses, or a constant without a value.
    pub fn new(shader: &Shader, constants: &Specialization, splits: &[Split]) -> Result<Self, String> {
        match shader.text() {
            "" => Err(format!("no text is called {}", shader.name())),
            text => Self::of_text(&Split::split(text, splits), constants),
        }
    }

    /// As [`new`](Self::new), of a linked text.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_text(text: &str, constants: &Specialization) -> Result<Self, String> {
        let mut module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
        if !matches!(module.entry_points.as_slice(), [entry] if entry.name == "main") {
            return Err("a kernel has one entry point, `main`".into());
        }
        shorten_stacks(&mut module, constants.stack)?;
        // Of everything declared, since a module without numbers is not valid
        bind(&mut module);
        let mut module = with_constants(module, constants)?;
        module
            .functions
            .iter_mut()
            .for_each(|(_, function)| prune(function, &module.constants, &module.global_expressions));
        for entry in &mut module.entry_points {
            prune(&mut entry.function, &module.constants, &module.global_expressions);
        }
        compact(&mut module, KeepUnused::No);
        let resources = bind(&mut module);
        let info = Validator::new(ValidationFlags::all(), Capabilities::all())
            .validate(&module)
            .map_err(|error| error.emit_to_string(text))?;
        Ok(Self { module, info, resources })
    }
}

/// Arrays of the length of linked stacks get the length of those of the world.
fn shorten_stacks(module: &mut Module, stack: u32) -> Result<(), String> {
    let is_stack = |inner: &TypeInner| matches!(inner, TypeInner::Array { size: ArraySize::Constant(size), .. } if size.get() == LINKED_STACK);
    let stacks: Vec<_> = module
        .types
        .iter()
        .filter(|(_, ty)| is_stack(&ty.inner))
        .map(|(handle, ty)| (handle, ty.clone()))
        .collect();
    let length = std::num::NonZeroU32::new(stack).unwrap_or(std::num::NonZeroU32::MIN);
    for (handle, mut ty) in stacks {
        if let TypeInner::Array { size, .. } = &mut ty.inner {
            *size = ArraySize::Constant(length);
        }
        if module.types.get(&ty).is_some() {
            return Err(format!("another array has {length} elements like stacks"));
        }
        module.types.replace(handle, ty);
    }
    Ok(())
}

/// With a value for each constant that is declared with `override`.
fn with_constants(module: Module, constants: &Specialization) -> Result<Module, String> {
    let mut values = naga::back::PipelineConstants::default();
    for (_, declared) in module.overrides.iter() {
        let full = declared.name.as_deref().unwrap_or_default();
        let value = constants.value(plain(full)).ok_or_else(|| format!("nobody gives {full} a value"))?;
        values.insert(full.to_owned(), f64::from(u8::from(value)));
    }
    // What is found about the module now is not asked: all of it is validated in the end
    let mut validator = Validator::new(ValidationFlags::empty(), Capabilities::all());
    let info = validator.validate(&module).map_err(|error| format!("{error:?}"))?;
    let main = Some((ShaderStage::Compute, "main"));
    let (module, _) = process_overrides(&module, &info, main, &values).map_err(|error| error.to_string())?;
    Ok(module.into_owned())
}

/// Numbers all resources.
fn bind(module: &mut Module) -> Vec<Resource> {
    let mut resources = Vec::new();
    for (_, variable) in module.global_variables.iter_mut() {
        let access = match variable.space {
            AddressSpace::Uniform => Access::Uniform,
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => Access::Write,
            AddressSpace::Storage { .. } => Access::Read,
            _ => continue,
        };
        let binding = u32::try_from(resources.len()).unwrap_or(u32::MAX);
        variable.binding = Some(ResourceBinding { group: 0, binding });
        let name = plain(variable.name.as_deref().unwrap_or_default()).to_owned();
        resources.push(Resource { name, access });
    }
    resources
}

/// A name without the module that the linker puts after it.
pub(crate) fn plain(name: &str) -> &str {
    name.split('·').next().unwrap_or(name)
}
