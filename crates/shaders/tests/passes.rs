//! Tests that the tables of passes agree with the linked shaders.

use std::collections::BTreeSet;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{ArraySize, TypeInner};
use sunfleck_constants::tree::LINKED_STACK;
use sunfleck_shaders::{
    Access, Kernel, Pass, Shader, Specialization, Split, SurfaceFeature, SurfaceFeatures, passes,
};

/// Specialisation for a world without optional features, and rays that start at their origins.
const PLAIN: Specialization = Specialization {
    stack: 17,
    instances: false,
    shapes: false,
    patches: false,
    surface_features: SurfaceFeatures::NONE,
    negative_t_near: false,
    compensates: false,
};

fn everything() -> Specialization {
    Specialization::with_everything(64)
}

/// Arrays that may exceed the size of a binding: nodes and leaves, mesh data, texels.
const LARGE: [&str; 3] = ["units", "words", "texels"];

/// Returns all linked shaders.
fn shaders() -> impl Iterator<Item = Shader> {
    passes::all().flat_map(|pass| pass.options.subsets().map(move |options| Shader::new(pass, options)))
}

fn kernel(shader: &Shader, constants: &Specialization, splits: &[Split]) -> Kernel {
    Kernel::new(shader, constants, splits).unwrap_or_else(|why| panic!("{}: {why}", shader.name()))
}

#[test]
fn shaders_are_valid_for_all_worlds_and_have_the_workgroup_size_of_the_table() {
    for shader in shaders() {
        let split = |segments| LARGE.map(|name| Split { name, segments, shift: 4 });
        let for_worlds = [(everything(), 1), (PLAIN, 1), (everything(), 2), (PLAIN, Split::MOST)];
        for (constants, segments) in for_worlds {
            let kernel = kernel(&shader, &constants, &split(segments));
            let [entry] = &kernel.module.entry_points[..] else {
                panic!("{}: not one entry point", shader.name())
            };
            let found = (&*entry.name, entry.workgroup_size);
            assert_eq!(found, ("main", [shader.pass.group, 1, 1]), "{}", shader.name());
            // Passes that need subgroups; the others run on every device
            let with_subgroups =
                ["beam::entry_points", "igi::camera_beams", "trace::ordered_closest", "trace::ordered_any"];
            let needed = match with_subgroups.contains(&shader.pass.module) {
                true => Capabilities::SUBGROUP,
                false => Capabilities::empty(),
            };
            let valid = Validator::new(ValidationFlags::all(), needed).validate(&kernel.module);
            assert!(valid.is_ok(), "{}: {:?}", shader.name(), valid.err());
        }
    }
}

/// The shaders of a pass together use exactly the resources of the table.
#[test]
fn passes_use_the_resources_of_the_table() {
    for pass in passes::all() {
        let mut used = [BTreeSet::new(), BTreeSet::new()];
        for options in pass.options.subsets() {
            for resource in kernel(&Shader::new(pass, options), &everything(), &[]).resources {
                used[usize::from(resource.access == Access::Write)].insert(resource.name);
            }
        }
        let listed = |lists: &[&str]| -> BTreeSet<String> {
            lists.iter().flat_map(|list| list.split(' ')).map(str::to_owned).collect()
        };
        let Pass { module, reads, writes, .. } = pass;
        assert_eq!(used, [listed(reads), listed(writes)], "resources that {module} reads and writes");
    }
}

#[test]
fn dead_code_is_removed_with_its_resources() {
    let text = "override INSTANCES: bool = true;
        var<storage, read> instances: array<u32>;
        var<storage, read_write> found: array<u32>;
        fn root_of(i: u32) -> u32 {
            if !INSTANCES || i == 0u { return 3u; }
            let root = instances[i];
            return root;
        }
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { found[id.x] = root_of(id.x); }";
    let names = |constants: &Specialization| {
        let kernel = Kernel::of_text(text, constants).expect("a shader");
        kernel.resources.into_iter().map(|resource| resource.name).collect::<Vec<_>>()
    };
    assert_eq!(names(&everything()), ["instances", "found"]);
    assert_eq!(names(&PLAIN), ["found"]);
}

/// Specialisation shortens all traversal stacks to the depth of the world.
#[test]
fn stacks_have_the_length_of_the_world() {
    let mut walks = 0;
    for pass in passes::all() {
        let lengths = |stack| {
            let kernel = kernel(&pass.into(), &Specialization { stack, ..everything() }, &[]);
            let length = |inner: &TypeInner| match inner {
                TypeInner::Array { size: ArraySize::Constant(size), .. } => Some(size.get()),
                _ => None,
            };
            kernel.module.types.iter().filter_map(|(_, ty)| length(&ty.inner)).collect::<Vec<_>>()
        };
        assert!(!lengths(17).contains(&LINKED_STACK), "{}", pass.module);
        walks += usize::from(lengths(17).contains(&17) && lengths(33).contains(&33));
    }
    assert!(walks > 10, "{walks} passes traverse BVHs");
}

/// Each constant of a specialisation is in some shader, and a shader with an unknown constant is refused.
#[test]
fn constants_are_those_of_the_shaders() {
    let all = shaders().map(|shader| shader.text()).collect::<String>();
    let declared = |name: &str| all.contains(&format!("override {name}·"));
    let names = SurfaceFeature::ALL.into_iter().map(SurfaceFeature::constant).chain([
        "INSTANCES",
        "BEHIND",
        "SHAPES",
        "COMPENSATES",
    ]);
    for name in names {
        assert!(declared(name), "{name} is in no shader");
    }
    let text =
        "override OTHERS: bool = true; @compute @workgroup_size(1) fn main() { if OTHERS { return; } }";
    assert!(Kernel::of_text(text, &everything()).is_err(), "OTHERS has no value");
}

/// Every large array is read through the function that selects segments.
#[test]
fn large_arrays_are_split() {
    for name in LARGE {
        let mut times = 0;
        for shader in shaders() {
            let count = |segments| {
                let kernel = kernel(&shader, &everything(), &[Split { name, segments, shift: 4 }]);
                let is_segment = |segment| {
                    let segment = Split::segment_name(name, segment);
                    kernel
                        .resources
                        .iter()
                        .any(move |found| found.name == segment && found.access == Access::Read)
                };
                (0..4).filter(|&segment| is_segment(segment)).count()
            };
            // Kernels that write the array do not support segments
            let expected = 3 * count(1);
            assert_eq!(count(3), expected, "{name} in {}", shader.name());
            times += expected;
        }
        assert!(times > 0, "{name} is in some shader");
    }
}
