//! Kernels: linked shaders specialised for a world, as naga modules.
//!
//! The values of a [`Specialization`] are set in naga's representation and not in the text: a constant without a value,
//! or a value without a constant, is an error. Branches that are never taken are then removed, since code that never
//! runs still takes registers, and with them the resources that only they use. The remaining resources are bound in
//! group 0, numbered in the order of their declarations; callers bind by name.

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
    /// The module, with one entry point, `main`.
    pub module: Module,
    /// What naga's validator found about the module.
    pub info: ModuleInfo,
    /// The resources of the kernel, by binding number.
    pub resources: Vec<Resource>,
}

/// A resource that a kernel binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Name of the variable in the shader's modules.
    pub name: String,
    /// How the kernel uses the resource.
    pub access: Access,
}

/// How a kernel uses a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads a uniform buffer.
    Uniform,
    /// Reads a storage buffer.
    Read,
    /// Writes a storage buffer, and may read it.
    Write,
}

impl Kernel {
    /// Specialises a shader for a world.
    ///
    /// * `splits` — arrays that are stored in several segments.
    ///
    /// # Errors
    /// If naga refuses the shader, or a constant has no value.
    pub fn new(shader: &Shader, constants: &Specialization, splits: &[Split]) -> Result<Self, String> {
        match shader.text() {
            "" => Err(format!("no shader is called {}", shader.name())),
            text => Self::of_text(&Split::split(text, splits), constants),
        }
    }

    /// Specialises a linked text, otherwise like [`new`](Self::new).
    ///
    /// # Errors
    /// Like [`new`](Self::new).
    pub fn of_text(text: &str, constants: &Specialization) -> Result<Self, String> {
        let mut module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
        if !matches!(module.entry_points.as_slice(), [entry] if entry.name == "main") {
            return Err("a kernel has one entry point, `main`".into());
        }
        shorten_stacks(&mut module, constants.stack)?;
        // All declared variables are bound, since a module with unbound resources is not valid
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

/// Gives all traversal stacks, which have the length `LINKED_STACK`, the length that the world needs.
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
            return Err(format!("another array has the length of the traversal stack, {length}"));
        }
        module.types.replace(handle, ty);
    }
    Ok(())
}

/// Returns the module with a value for each constant that is declared with `override`.
fn with_constants(module: Module, constants: &Specialization) -> Result<Module, String> {
    let mut values = naga::back::PipelineConstants::default();
    for (_, declared) in module.overrides.iter() {
        let full = declared.name.as_deref().unwrap_or_default();
        let value =
            constants.value(plain(full)).ok_or_else(|| format!("the constant {full} has no value"))?;
        values.insert(full.to_owned(), f64::from(u8::from(value)));
    }
    // Nothing is checked here: the finished module is validated as a whole
    let mut validator = Validator::new(ValidationFlags::empty(), Capabilities::all());
    let info = validator.validate(&module).map_err(|error| format!("{error:?}"))?;
    let main = Some((ShaderStage::Compute, "main"));
    let (module, _) = process_overrides(&module, &info, main, &values).map_err(|error| error.to_string())?;
    Ok(module.into_owned())
}

/// Numbers the bindings of all resources.
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

/// Returns the name of a declaration without the module that the linker appends to it.
pub(crate) fn plain(name: &str) -> &str {
    name.split('·').next().unwrap_or(name)
}
