//! The linked shaders: valid, and with structures laid out as their Rust mirrors are.

use std::mem::{offset_of, size_of};

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Module, TypeInner};
use sunfleck_shaders::layout::{Child, Hit, Instance, Live, Node, Plane, Ray, Shadow, Triangle, View, Wave};
use sunfleck_shaders::{ALL, GROUP, Shader};

fn parsed(shader: &Shader, text: &str) -> Module {
    naga::front::wgsl::parse_str(text)
        .unwrap_or_else(|e| panic!("{}: {}", shader.name, e.emit_to_string(text)))
}

#[test]
fn shaders_are_valid() {
    for shader in &ALL {
        for text in [shader.text.to_owned(), shader.with_stack(17)] {
            let module = parsed(shader, &text);
            let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
            let valid = validator.validate(&module);
            assert!(valid.is_ok(), "{}: {:?}", shader.name, valid.err());
            let [entry] = &module.entry_points[..] else { panic!("{}: one entry point", shader.name) };
            assert_eq!((&*entry.name, entry.workgroup_size), ("main", [GROUP, 1, 1]), "{}", shader.name);
        }
    }
}

#[test]
fn the_stack_is_as_large_as_asked() {
    let text = sunfleck_shaders::CLOSEST.with_stack(17);
    assert!(text.contains("STACK: u32 = 17u;"), "{text}");
}

/// Name, offset of each member, size.
type Mirror = (&'static str, Vec<(&'static str, usize)>, usize);

macro_rules! mirror {
    ($type:ident { $($member:ident),* }) => {
        (stringify!($type), vec![$((stringify!($member), offset_of!($type, $member))),*], size_of::<$type>())
    };
}

fn mirrors() -> [Mirror; 11] {
    [
        mirror!(Ray { origin, t_near, direction, t_far }),
        mirror!(Hit { t, u, v, prim_id, inst_id }),
        mirror!(Child { low, high }),
        mirror!(Node { left, right }),
        mirror!(Triangle { a, b, c }),
        mirror!(Instance { x, y, z, root, inst_id, unused0, unused1 }),
        mirror!(Plane { u, v, n }),
        mirror!(View {
            x,
            y,
            z,
            half_film,
            pixel_size,
            projection,
            lens_radius,
            focus_distance,
            filter_radius,
            sampler_kind,
            seed,
            index,
            count,
            first,
            width,
            max_bounces,
            roulette_after
        }),
        mirror!(Live {
            origin,
            slot,
            direction,
            pdf_solid_angle,
            throughput,
            unused0,
            scattered_at,
            unused1
        }),
        mirror!(Shadow { ray, radiance, slot }),
        mirror!(Wave { even, odd, shadows, bounce, closest, any }),
    ]
}

#[test]
fn structures_are_laid_out_as_their_mirrors() {
    let mut seen = vec![0; mirrors().len()];
    for shader in &ALL {
        let module = parsed(shader, shader.text);
        for (_, ty) in module.types.iter() {
            let (Some(name), TypeInner::Struct { members, span }) = (&ty.name, &ty.inner) else { continue };
            // The linker puts the module before the name
            let plain = name.rsplit('_').next().unwrap_or(name);
            let found: Vec<_> = members
                .iter()
                .map(|member| (member.name.as_deref().unwrap_or(""), member.offset as usize))
                .collect();
            let Some(i) = mirrors().iter().position(|(mirror, ..)| *mirror == plain) else { continue };
            let (_, expected, size) = &mirrors()[i];
            assert_eq!((&found, *span as usize), (expected, *size), "{name} in {}", shader.name);
            seen[i] += 1;
        }
    }
    assert!(seen.iter().all(|&times| times > 0), "each is in some shader: {seen:?}");
}
