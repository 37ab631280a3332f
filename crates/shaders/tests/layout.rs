//! The linked shaders: valid, and with structures laid out as their Rust mirrors are.

use std::mem::{offset_of, size_of};

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Module, TypeInner};
use sunfleck_shaders::layout::{
    Before, Bounds, CameraOffset, Channels, Corners, Crossing, FindScale, Front, Gloss, GlossyVpl, Grid, Hit,
    IgiFrame, IgiPath, Instance, Key, Leaf, LightFind, Link, LitPoint, LitState, Live, MovedNode, Node,
    Photon, Pixel, PixelState, PixelSums, Placement, Plan, Plane, Ray, Refit, Seen, SeenSurface, Shadow,
    Step, TracedRays, Triangle, View, Vpl, Wave, Whole,
};
use sunfleck_shaders::{
    ALL, BEAM_ENTRY_POINTS, Detail, Details, Needs, ORDERED_ANY, ORDERED_CLOSEST, Shader, Split, igi,
};

/// All shaders.
fn all() -> impl Iterator<Item = Shader> {
    ALL.iter().copied().chain(igi::ALL)
}

fn parsed(shader: &Shader, text: &str) -> Module {
    naga::front::wgsl::parse_str(text)
        .unwrap_or_else(|e| panic!("{}: {}", shader.name, e.emit_to_string(text)))
}

/// Of a world with nothing that kernels need code for, and rays that begin at their origins.
const PLAIN: Needs = Needs { stack: 17, instances: false, details: Details::NONE, behind: false };

#[test]
fn shaders_are_valid() {
    for shader in &all().collect::<Vec<_>>() {
        let split = |segments| {
            Shader::split(
                shader.text,
                &SPLIT.map(|(group, binding)| Split { group, binding, segments, shift: 4 }),
            )
        };
        for text in [shader.text.to_owned(), shader.for_worlds(PLAIN), split(2), split(Split::MOST)] {
            let module = parsed(shader, &text);
            // What finds fronts, or puts rays in order, needs threads that work together; nothing else needs what a device may lack
            let together = [BEAM_ENTRY_POINTS, igi::CAMERA_BEAMS, ORDERED_CLOSEST, ORDERED_ANY];
            let needed =
                if together.contains(shader) { Capabilities::SUBGROUP } else { Capabilities::empty() };
            let mut validator = Validator::new(ValidationFlags::all(), needed);
            let valid = validator.validate(&module);
            assert!(valid.is_ok(), "{}: {:?}", shader.name, valid.err());
            let [entry] = &module.entry_points[..] else { panic!("{}: one entry point", shader.name) };
            assert_eq!(
                (&*entry.name, entry.workgroup_size),
                ("main", [shader.group, 1, 1]),
                "{}",
                shader.name
            );
        }
    }
}

/// Arrays that may be too large for a binding: units of trees, words of surfaces, texels.
const SPLIT: [(u32, u32); 3] = [(0, 0), (0, 5), (2, 2)];

/// Every such array of every shader is read through a function then.
#[test]
fn large_arrays_are_split() {
    for (group, binding) in SPLIT {
        let mut times = 0;
        for shader in ALL {
            let text = Shader::split(shader.text, &[Split { group, binding, segments: 3, shift: 4 }]);
            let module = parsed(shader, &text);
            let is_there = |segment| {
                let place = naga::ResourceBinding { group, binding: Split::binding_of(binding, segment) };
                module.global_variables.iter().any(|(_, variable)| variable.binding == Some(place))
            };
            // Kernels that write it are not for arrays in segments
            let is_split = text != shader.text;
            assert!((1..3).all(|segment| is_there(segment) == is_split), "{}", shader.name);
            times += usize::from(is_split);
        }
        assert!(times > 0, "({group}, {binding}) is in some shader");
    }
}

#[test]
fn walks_are_made_for_worlds() {
    for shader in [sunfleck_shaders::CLOSEST, sunfleck_shaders::ANY] {
        let text = shader.for_worlds(PLAIN);
        let has = |what| text.contains(what);
        assert!(has("STACK: u32 = 17u;") && has("INSTANCES: bool = false;"), "{}: {text}", shader.name);
        assert!(has("BEHIND: bool = false;"), "{}: {text}", shader.name);
    }
    for shader in [sunfleck_shaders::path::SHADE, igi::SURFACE] {
        let flags =
            |text: &str, value| igi::without_short_paths(text).matches(&format!(": bool = {value};")).count();
        assert_eq!(flags(&shader.for_worlds(PLAIN), true), 0, "{}", shader.name);
        for detail in Detail::ALL {
            let details = [detail].into_iter().collect();
            let text = shader.for_worlds(Needs { details, ..PLAIN });
            // First surfaces ask nothing of alpha
            let has = u64::from(shader != igi::SURFACE || detail != Detail::Holes);
            assert_eq!(flags(&text, true) as u64, has, "{}: {}", shader.name, detail.name());
            parsed(&shader, &text);
        }
    }
}

#[test]
fn bindings_are_those_of_the_module() {
    for shader in all() {
        let module = parsed(&shader, shader.text);
        let mut expected: Vec<_> = module
            .global_variables
            .iter()
            .filter_map(|(_, variable)| variable.binding.as_ref())
            .map(|binding| (binding.group, binding.binding))
            .collect();
        let mut found: Vec<_> = Shader::bindings(shader.text).collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{}", shader.name);
    }
}

/// Name, offset of each member, size.
type Mirror = (&'static str, Vec<(&'static str, usize)>, usize);

macro_rules! mirror {
    ($type:ident { $($member:ident),* }) => {
        (stringify!($type), vec![$((stringify!($member), offset_of!($type, $member))),*], size_of::<$type>())
    };
}

fn mirrors() -> Vec<Mirror> {
    vec![
        mirror!(Ray { origin, t_near, direction, t_far }),
        mirror!(Hit { t, u, v, prim_id, inst_id }),
        mirror!(Node { whole, first, second, third }),
        mirror!(MovedNode { at, own, below, unused }),
        mirror!(Triangle { a, b, c }),
        mirror!(Leaf { a, b, c, d }),
        mirror!(Instance { x, y, z, root, inst_id, unused0, unused1 }),
        mirror!(Front { places, insides }),
        mirror!(Plane { u, v, n }),
        mirror!(Grid { low, nx, size, ny }),
        mirror!(Crossing { first_ray, rays, first_plane, planes }),
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
            width,
            max_bounces,
            roulette_after,
            footprint,
            footprint_per_depth,
            unused
        }),
        mirror!(Live { origin, slot, direction, pdf_solid_angle, throughput, node, scattered_at, branch }),
        mirror!(Shadow { origin, t_far, direction, node, radiance, slot }),
        mirror!(Wave {
            live,
            carried,
            spawned,
            vacant,
            shadows,
            shadow_rays,
            occlusions,
            job,
            item,
            next_job,
            next_item,
            oldest,
            head,
            completes,
            closest,
            closest_high,
            any,
            any_high,
            unused0,
            unused1,
            alive,
            kinds
        }),
        mirror!(Plan {
            width,
            height,
            columns,
            blocks,
            band_blocks,
            bands,
            sample_bits,
            section_bits,
            items,
            jobs,
            samples,
            capacity,
            row,
            occlusion_radius,
            nothing,
            first,
            parameters,
            sections,
            unused0,
            unused1,
            unused2
        }),
        mirror!(Placement { x, y, z, inst_id, unused0, unused1, unused2 }),
        mirror!(Bounds { low, also, high, unused }),
        mirror!(Key { code, item }),
        mirror!(Link { left, right, first, last }),
        mirror!(Whole { low, padding, high, depth }),
        mirror!(Step { count, padded, first, most_depth, a, b, c, unused }),
        mirror!(Refit { count, first, triangles, positions, cost, unused0, unused1, unused2 }),
        mirror!(Pixel { radiance, samples, radiance_low, dropped, squares, unused0, squares_low, unused1 }),
        mirror!(Seen {
            position,
            depth,
            ng,
            inst_id,
            ns,
            prim_id,
            albedo,
            geom_id,
            material,
            open,
            levels,
            unused0
        }),
        mirror!(Channels {
            position,
            depth,
            position_low,
            depth_low,
            ng,
            open,
            ng_low,
            open_low,
            ns,
            hits,
            ns_low,
            unused0,
            albedo,
            levels,
            albedo_low,
            levels_low,
            ids
        }),
        mirror!(IgiFrame {
            pass_number,
            rays,
            interleave,
            per_share,
            on_lights,
            blocks,
            groups,
            width,
            height,
            merges,
            radius,
            roulette,
            clamp_at,
            lights,
            max_bounces,
            compensates,
            center,
            sphere_radius,
            bound,
            cell,
            columns,
            cells,
            importance,
            smooths,
            places,
            nothing,
            traced_first,
            traced_last,
            wanted_first,
            wanted_last,
            photons,
            photon_share,
            photon_radius,
            goals,
            photon_room,
            photon_mask,
            moves,
            seed,
            left,
            rows_each,
            occluder_edge,
            clearance_edge
        }),
        mirror!(CameraOffset { film, lens, weight, unused }),
        mirror!(LitState { points, glossy, channels, place }),
        mirror!(PixelState { seen, waiting, levels }),
        mirror!(LitPoint { origin, red, ns, green, ng, blue }),
        mirror!(Gloss { base, metallic, wo, roughness, material }),
        mirror!(SeenSurface { ns, distance, weight, id, reflected, bounce }),
        mirror!(PixelSums { radiance, unused0, highlight, unused1, bounced, unused2 }),
        mirror!(IgiPath { origin, distance, direction, bound_over_cos, throughput, bounce }),
        mirror!(Vpl {
            position,
            kind,
            axis,
            brightness,
            intensity,
            scale,
            offset,
            unused0,
            unused1,
            unused2
        }),
        mirror!(Photon { position, cell, wi, unused0, ng, unused1, flux, unused2 }),
        mirror!(GlossyVpl { normal, metallic, base, roughness, wi, material }),
        mirror!(LightFind { light, luminance }),
        mirror!(FindScale { most, units, kept, unused }),
        mirror!(Before {
            x,
            y,
            z,
            origin,
            half,
            half_film,
            pixel_size,
            projection,
            exists,
            least_share,
            unused
        }),
        mirror!(TracedRays { closest, any, waiting, taken, desks }),
    ]
}

#[test]
fn structures_are_laid_out_as_their_mirrors() {
    let mut seen = vec![0; mirrors().len()];
    for shader in &all().collect::<Vec<_>>() {
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

/// What a reader sees of a node's boxes is never smaller than they are, and hardly larger.
#[test]
fn boxes_of_a_node_hold_what_they_were_made_around() {
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
