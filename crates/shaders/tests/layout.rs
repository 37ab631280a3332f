//! Tests of the layout of structures that linked shaders share with Rust.

use std::collections::BTreeSet;
use std::mem::offset_of;

use naga::TypeInner;
use sunfleck_shaders::layout::*;
use sunfleck_shaders::{Shader, passes};

/// Name and offset of a field.
type Field = (&'static str, usize);

/// Name, fields and size of each structure.
const STRUCTURES: &[(&str, &[Field], usize)] = include!(concat!(env!("OUT_DIR"), "/offsets.rs"));

#[test]
fn structures_have_the_layout_of_linked_shaders() {
    let mut seen = BTreeSet::new();
    for shader in
        passes::all().flat_map(|pass| pass.options.subsets().map(move |options| Shader::new(pass, options)))
    {
        let module = naga::front::wgsl::parse_str(shader.text()).expect("it was linked");
        for (_, ty) in module.types.iter() {
            let (Some(name), TypeInner::Struct { members, span }) = (&ty.name, &ty.inner) else { continue };
            let plain = name.split('·').next().unwrap_or(name);
            let Some((plain, expected, size)) = STRUCTURES.iter().find(|(own, ..)| *own == plain) else {
                continue;
            };
            let member = |member: &naga::StructMember| {
                (member.name.clone().unwrap_or_default(), member.offset as usize)
            };
            let found: Vec<_> = members.iter().map(member).collect();
            let found: Vec<_> = found.iter().map(|(name, offset)| (&**name, *offset)).collect();
            assert_eq!((&*found, *span as usize), (*expected, *size), "{name} in {}", shader.name());
            seen.insert(*plain);
        }
    }
    let unseen: Vec<_> =
        STRUCTURES.iter().map(|(name, ..)| *name).filter(|name| !seen.contains(name)).collect();
    assert!(unseen.is_empty(), "structures in no shader: {unseen:?}");
}

/// Decoded boxes contain the original ones and are hardly larger.
#[test]
fn decoded_boxes_contain_the_original_ones() {
    let sizes = [0.0, f32::from_bits(1), 1e-30, 1e-3, 0.1, 1.003_906_3, 255.0 / 256.0, 7.3, 1e10, 1e38];
    let places = [0.0, -1e-3, 5.0, -7e5, 1e20];
    let boxes =
        sizes.iter().flat_map(|&size| places.map(|at| [[at, -at, 0.0], [at + size, -at, 0.3 * size]]));
    let boxes: Vec<Corners> = boxes.collect();
    for (i, &own) in boxes.iter().enumerate() {
        for others in [0, 1, 3] {
            let all: Vec<Corners> =
                (0..others).map(|k| boxes[(7 * i + 11 * k) % boxes.len()]).chain([own]).collect();
            let node = Node::new(&all, Node::reference(2, 5));
            assert_eq!(node.whole[3], (4 - 2) << 29 | 5, "the reference is kept");
            for slot in 0..Node::WIDTH {
                let Node { whole, first, second, third } = node;
                let words = [first, second, third].map(|child| [child[0], child[1], child[2]]);
                let fourth = [first[3], second[3], third[3]];
                let words = words.get(slot).copied().unwrap_or(fourth);
                for (axis, word) in words.into_iter().enumerate() {
                    let [center, middle, half] =
                        [whole[axis], word, word << 16].map(|bits| f64::from(f32::from_bits(bits)));
                    let Some([low, high]) =
                        all.get(slot).map(|own| own.map(|corner| f64::from(corner[axis])))
                    else {
                        assert!(half < 0.0, "no ray meets child {slot} of {}", all.len());
                        continue;
                    };
                    let [below, above] = [center + middle - half, center + middle + half];
                    assert!(below <= low && above >= high, "{below} to {above} around {low} to {high}");
                    let more = (high - low) / 128.0 + (low - center).abs().max((high - center).abs()) / 100.0;
                    let most = more + 3e-6 * low.abs().max(high.abs()).max(center.abs()) + 1e-36;
                    assert!(
                        low - below <= most && above - high <= most,
                        "{below} to {above} for {low} to {high}"
                    );
                }
            }
        }
    }
}
