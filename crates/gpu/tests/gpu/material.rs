//! Materials, textures and procedurals on the GPU against the tables of the CPU. Any adapter will do: without a GPU,
//! Mesa's lavapipe.

use std::mem::{offset_of, size_of};
use std::sync::Arc;

use crate::harness::{Harness, kernel};
use bytemuck::{Pod, Zeroable};
use glam::Affine2;
use naga::TypeInner;
use sunfleck_math::transform::rotation_about;
use sunfleck_math::{Affine3, Vec3, vec2, vec3, vec4};
use sunfleck_sampling::rng;
use sunfleck_scene::{
    Alpha, Bricks, ColorTexture, Marble, Material, MaterialId, NormalMap, Pattern, Procedural, Scene,
    Surface, Texels, Texture, TextureFilter, TextureRef, Wood, Wrap,
};
use sunfleck_shading::{
    Bsdf, BsdfContext, MaterialTable, MetallicRoughness, PackedMaterial, PackedProcedural, PackedTexture,
    SurfaceAttributes, packed_albedo_table,
};

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Question {
    uv0: [f32; 2],
    uv1: [f32; 2],
    color: [f32; 4],
    position: [f32; 3],
    material: u32,
    footprint: [f32; 2],
    unused0: u32,
    unused1: u32,
}

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Answer {
    color: [f32; 3],
    kind: u32,
    ior: f32,
    roughness: f32,
    metallic: f32,
    alpha: f32,
    emission: [f32; 3],
    is_emissive: u32,
    normal: [f32; 3],
    has_normal_map: u32,
    relief: [f32; 3],
    has_relief: u32,
    is_double_sided: u32,
    is_bumpy: u32,
    is_opaque: u32,
    lets_pass: u32,
}

impl Question {
    fn new(material: u32, at: &SurfaceAttributes) -> Self {
        Self {
            uv0: at.uv0.to_array(),
            uv1: at.uv1.to_array(),
            color: at.color.to_array(),
            position: at.position.to_array(),
            material,
            footprint: at.footprint,
            unused0: 0,
            unused1: 0,
        }
    }
}

/// A random number in [-1, 1).
fn number(i: u32, what: u32) -> f32 {
    2.0 * rng::uniform([i, what, 0, 11]) - 1.0
}

/// A random surface point: texture coordinates within four images around the origin, positions within two metres,
/// footprints from zero to several images.
fn point(i: u32) -> SurfaceAttributes {
    let place = |what| vec3(number(i, what), number(i, what + 1), number(i, what + 2));
    SurfaceAttributes {
        uv0: vec2(number(i, 0), number(i, 1)) * 4.0,
        uv1: vec2(number(i, 2), number(i, 3)) * 4.0,
        color: (place(4) * 0.5 + Vec3::splat(0.7)).extend(number(i, 7) * 0.3 + 0.7),
        position: place(8) * 2.0,
        footprint: [11, 12].map(|what| (number(i, what) + 1.0).powi(4)),
    }
}

/// Tolerances of results.
#[derive(Clone, Copy)]
struct Tolerance {
    /// Error of colours, emission, alpha and normals, relative to the value or to 1, whichever is larger.
    value: f32,
    /// Error of slopes, relative to 1 + their length.
    relief: f32,
    /// Number of results beyond the tolerance: rounding decides at edges of unfiltered texels, where alpha passes a
    /// cutoff, and where another edge of a brick becomes the nearest.
    at_edges: usize,
}

/// Tolerance of rounding errors alone.
const ROUNDING: Tolerance = Tolerance { value: 1e-5, relief: 1e-5, at_edges: 0 };
/// Tolerance of procedurals: positions are hundreds of noise cells away from 0, and rounded by 1e-5 of a cell.
const PATTERNS: Tolerance = Tolerance { value: 1e-4, relief: 1e-3, at_edges: 4 };

fn near(found: &[f32], expected: &[f32], tolerance: f32) -> bool {
    let scale = expected.iter().fold(1.0f32, |most, v| most.max(v.abs()));
    found.iter().zip(expected).all(|(f, e)| (f - e).abs() <= tolerance * scale)
}

/// Returns whether the BSDF with the found parameters has the values of the expected one.
fn same_bsdf(found: &Answer, expected: &Bsdf, tolerance: f32) -> bool {
    let color = Vec3::from_array(found.color);
    let same_color = near(&found.color, &expected.albedo().to_array(), tolerance);
    match (found.kind, expected) {
        (0, Bsdf::Lambert(_)) | (2, Bsdf::Mirror(_)) => same_color,
        (3, Bsdf::Dielectric(of)) => same_color && found.ior == of.ior,
        (5, Bsdf::ThinDielectric(of)) => {
            same_color && found.ior == of.ior && (found.lets_pass == 1) == of.lets_pass
        }
        // Values of their functions are compared in `bsdf.rs`
        (7, Bsdf::RoughDielectric(of)) => {
            same_color && found.ior == of.ior && found.roughness == of.microfacets.roughness()
        }
        (6, Bsdf::Conductor(of)) => {
            near(&found.color, &of.reflectance.to_array(), tolerance)
                && near(&[found.roughness], &[of.microfacets.roughness()], tolerance)
        }
        (8, Bsdf::Plastic(_)) => same_color && found.ior == 1.6 && found.roughness == 0.4,
        (9, Bsdf::Principled(_)) => {
            // The α of isotropic facets
            let alpha = expected.highlight_alpha().unwrap_or(0.0);
            same_color && near(&[found.roughness * found.roughness], &[alpha], tolerance)
        }
        (4, Bsdf::OrenNayar(of)) => same_color && near(&[found.roughness], &[of.roughness], tolerance),
        (1, Bsdf::MetallicRoughness(_)) => {
            let made = Bsdf::MetallicRoughness(MetallicRoughness::with_f0(
                color,
                found.metallic,
                found.roughness,
                found.ior,
            ));
            let wo = vec3(0.48, 0.0, 0.8771545);
            // Near the mirror direction and far from it; the smaller the roughness, the steeper the highlight
            same_color
                && [vec3(-0.48, 0.0, 0.8771545), vec3(-0.36, 0.48, 0.8), vec3(0.6, 0.64, 0.48)].iter().all(
                    |&wi| {
                        let context = BsdfContext::RADIANCE;
                        let (f, e) = (made.eval(context, wo, wi), expected.eval(context, wo, wi));
                        near(&f.to_array(), &e.to_array(), 8.0 * tolerance)
                    },
                )
        }
        _ => false,
    }
}

fn same(
    table: &MaterialTable,
    question: (u32, &SurfaceAttributes),
    found: &Answer,
    tolerance: &Tolerance,
) -> bool {
    let (material, at) = question;
    let flags = [found.is_emissive, found.is_double_sided, found.is_bumpy, found.is_opaque];
    let expected_flags = [
        table.is_emissive(material),
        table.is_double_sided(material),
        table.is_bumpy(material),
        table.is_opaque(material),
    ];
    let (normal, relief) = (table.normal(material, at), table.relief(material, at));
    let same_normal = match normal {
        None => found.has_normal_map == 0,
        Some(n) => found.has_normal_map == 1 && near(&found.normal, &n.to_array(), tolerance.value),
    };
    let same_relief = match relief {
        None => found.has_relief == 0,
        Some(slope) => {
            let scale = tolerance.relief * (1.0 + slope.length());
            found.has_relief == 1 && (Vec3::from_array(found.relief) - slope).length() <= scale
        }
    };
    flags == expected_flags.map(u32::from)
        && same_bsdf(found, &table.bsdf(material, at), tolerance.value)
        && near(&[found.alpha], &[table.alpha(material, at)], tolerance.value)
        && near(&found.emission, &table.emission(material, at).to_array(), tolerance.value)
        && same_normal
        && same_relief
}

/// Compares all materials of a scene at many points.
fn compare(harness: &Harness, name: &str, scene: &Scene, points: &[SurfaceAttributes], tolerance: Tolerance) {
    let table = MaterialTable::new(scene);
    let materials = scene.materials().map(|(id, _)| table.index_of(id)).chain([table.index_of(unknown())]);
    let questions: Vec<(u32, &SurfaceAttributes)> =
        materials.flat_map(|material| points.iter().map(move |at| (material, at))).collect();
    let packed = table.packed();
    let asked: Vec<Question> = questions.iter().map(|&(material, at)| Question::new(material, at)).collect();
    let albedo = packed_albedo_table();
    let tables = [
        ("materials", bytemuck::cast_slice(&packed.materials)),
        ("textures", bytemuck::cast_slice(&packed.textures)),
        ("texels", bytemuck::cast_slice(&packed.texels)),
        ("tables", bytemuck::cast_slice(&albedo)),
    ];
    let answers: Vec<Answer> = harness.run(&asked, &tables);
    let mut wrong = Vec::new();
    for (&question, answer) in questions.iter().zip(&answers) {
        if !same(&table, question, answer, &tolerance) {
            wrong.push((question, answer));
        }
    }
    let show = |&((material, at), answer): &((u32, &SurfaceAttributes), &Answer)| {
        format!(
            "{at:?} of {:?}:\n  {answer:?}\n  {:?} emission {} alpha {} normal {:?} relief {:?}\n",
            packed.materials[material as usize],
            table.bsdf(material, at).albedo(),
            table.emission(material, at),
            table.alpha(material, at),
            table.normal(material, at),
            table.relief(material, at)
        )
    };
    let shown: String = wrong.iter().take(4).map(show).collect();
    assert!(wrong.len() <= tolerance.at_edges, "{name}: {} of {}:\n{shown}", wrong.len(), questions.len());
}

/// An id that belongs to no material.
fn unknown() -> MaterialId {
    MaterialId(u32::MAX)
}

fn harness() -> Harness {
    Harness::new("material")
}

fn points(count: u32) -> Vec<SurfaceAttributes> {
    (0..count).map(point).collect()
}

/// Points at the limits of the wrap modes, and coordinates that are NaN or infinite.
fn odd_points() -> Vec<SurfaceAttributes> {
    let odd = [
        0.0,
        1.0,
        -1.0,
        2.0,
        0.5,
        0.2,
        -1e-30,
        0.99999994,
        1000.125,
        1e30,
        f32::MAX,
        f32::NAN,
        f32::INFINITY,
    ];
    let at = |&u, v: &f32| SurfaceAttributes {
        uv0: vec2(u, *v),
        uv1: vec2(*v, u),
        ..SurfaceAttributes::default()
    };
    odd.iter().flat_map(|u| odd.iter().map(move |v| at(u, v))).collect()
}

#[derive(Clone, Copy, Debug)]
enum Format {
    Srgb8,
    Linear8,
    Linear16,
    Float,
}

const FORMATS: [Format; 4] = [Format::Srgb8, Format::Linear8, Format::Linear16, Format::Float];
const WRAPS: [Wrap; 3] = [Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToEdge];
const FILTERS: [TextureFilter; 2] = [TextureFilter::Nearest, TextureFilter::Linear];

/// Random texels; floats exceed [0, 1].
fn image(width: u32, height: u32, format: Format, seed: u32) -> Texture {
    let word = |i: u32| rng::pcg4d([i, seed, 1, 11]);
    let codes = || Arc::new((0..width * height).map(|i| word(i).map(|w| (w >> 24) as u8)).collect());
    let words = || Arc::new((0..width * height).map(|i| word(i).map(|w| (w >> 16) as u16)).collect());
    let floats = || (0..width * height).map(|i| word(i).map(|w| 4.0 * rng::unit_f32(w) - 1.0)).collect();
    let texels = match format {
        Format::Srgb8 => Texels::Srgb8(codes()),
        Format::Linear8 => Texels::Linear8(codes()),
        Format::Linear16 => Texels::Linear16(words()),
        Format::Float => Texels::Float(Arc::new(floats())),
    };
    Texture::new("noise", width, height, texels).unwrap()
}

fn textured(texture: TextureRef) -> ColorTexture {
    ColorTexture { factor: vec4(0.9, 0.8, 1.0, 0.7), texture: Some(texture) }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn every_format_wrap_and_filter() {
    let harness = harness();
    let mut scene = Scene::default();
    for (format, filter) in FORMATS.iter().flat_map(|format| FILTERS.map(|filter| (*format, filter))) {
        for (u_wrap, v_wrap) in WRAPS.iter().flat_map(|u| WRAPS.map(|v| (*u, v))) {
            let image = image(7, 3, format, 1).with_sampling([u_wrap, v_wrap], filter);
            let reference = TextureRef::new(scene.add_texture(image).unwrap());
            let mut material = Material::new("", Surface::Lambert { albedo: textured(reference) });
            material.emission.radiance = vec3(1.0, 2.0, 0.5);
            material.emission.texture = Some(reference);
            material.alpha = Alpha::Blend;
            scene.add_material(material).unwrap();
        }
    }
    let points: Vec<_> = points(2000).into_iter().chain(odd_points()).collect();
    compare(&harness, "images", &scene, &points, ROUNDING);
}

/// Materials of all models and options, with textures in both sets of coordinates and with texture transforms.
fn materials() -> Scene {
    let mut scene = Scene::default();
    let mut add = |format, width, seed| scene.add_texture(image(width, 5, format, seed)).unwrap();
    let (color, codes, floats) =
        (add(Format::Srgb8, 8, 2), add(Format::Linear8, 3, 3), add(Format::Float, 1, 4));
    let turned = |texture| TextureRef {
        texture,
        uv_set: 1,
        uv_transform: Affine2::from_cols(vec2(1.1, 0.9), vec2(0.3, -0.3), vec2(0.3, 0.9)),
    };
    let surfaces = [
        Surface::Lambert { albedo: vec3(0.2, 0.4, 0.8).into() },
        Surface::Lambert { albedo: textured(TextureRef::new(color)) },
        Surface::Mirror { reflectance: vec3(0.9, 0.8, 0.7) },
        Surface::ThinDielectric { ior: 1.7, tint: vec3(0.9, 1.0, 0.7) },
        Surface::smooth_dielectric(1.7, vec3(0.9, 1.0, 0.7)),
        Surface::OrenNayar { albedo: textured(TextureRef::new(color)), roughness: 0.7 },
        Surface::Dielectric {
            ior: 1.7,
            tint: vec3(0.9, 1.0, 0.7),
            roughness: 0.4,
            anisotropy: 0.5,
            beckmann: true,
        },
        Surface::Conductor {
            reflectance: textured(TextureRef::new(color)),
            eta: vec3(0.2, 0.9, 1.1),
            k: vec3(3.9, 2.5, 2.1),
            roughness: 0.6,
            anisotropy: 0.3,
            roughness_texture: Some(TextureRef::new(codes)),
            beckmann: false,
        },
        Surface::Principled {
            base_color: textured(TextureRef::new(color)),
            metallic: 0.7,
            roughness: 0.6,
            anisotropy: 0.0,
            transmission: 0.3,
            ior: 1.6,
            specular_tint: 0.5,
            sheen: 0.4,
            sheen_tint: 0.3,
            flatness: 0.2,
            clearcoat: 0.9,
            clearcoat_gloss: 0.5,
            surface_texture: Some(TextureRef::new(codes)),
            coat_texture: Some(TextureRef::new(codes)),
        },
        Surface::Plastic {
            diffuse: textured(turned(color)),
            specular: vec3(0.9, 1.0, 0.7),
            ior: 1.6,
            roughness: 0.4,
            nonlinear: true,
            beckmann: false,
        },
    ];
    let layered = |base_color, metallic_roughness_texture| Surface::MetallicRoughness {
        base_color,
        metallic: 0.8,
        roughness: 0.9,
        ior: 1.8,
        metallic_roughness_texture,
    };
    let layers = [
        layered(vec3(0.2, 0.4, 0.8).into(), None),
        layered(textured(turned(color)), Some(TextureRef::new(codes))),
        layered(textured(TextureRef::new(codes)), Some(turned(floats))),
    ];
    let alphas = [Alpha::Opaque, Alpha::Mask { cutoff: 0.4 }, Alpha::Blend];
    let normal_maps = [None, Some((TextureRef::new(codes), 0.8)), Some((turned(floats), 0.0))];
    for (i, surface) in (0..).zip(surfaces.into_iter().chain(layers)) {
        for (j, (alpha, map)) in alphas.into_iter().zip(normal_maps).enumerate() {
            let mut material = Material::new("", surface.clone());
            material.alpha = alpha;
            material.normal_map = map.map(|(texture, scale)| NormalMap { texture, scale });
            material.double_sided = (i + j).is_multiple_of(2);
            material.emission.radiance = Vec3::splat(0.5) * (i % 3) as f32;
            material.emission.texture = (j == 1).then(|| turned(floats));
            scene.add_material(material).unwrap();
        }
    }
    scene
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn every_model_and_option() {
    // Texture transforms round coordinates to 1e-6 of an image, which has a larger effect if sharp highlights depend on
    // a texel
    let tolerance = Tolerance { value: 1e-4, at_edges: 4, ..ROUNDING };
    compare(&harness(), "materials", &materials(), &points(4000), tolerance);
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn solid_patterns() {
    let (low, high) = (vec3(0.1, 0.2, 0.3), vec3(0.9, 0.7, 0.8));
    let bricks = Bricks {
        clay: [low, high],
        mortar: vec3(0.5, 0.35, 0.4),
        length: 0.24,
        height: 0.08,
        joint: 0.012,
        depth: 0.006,
    };
    let patterns = [
        Pattern::Wood(Wood { early: high, late: low, ring_width: 0.01 }),
        Pattern::Marble(Marble { stone: high, vein: low, spacing: 0.3, turbulence: 1.2 }),
        Pattern::Bricks(bricks),
        Pattern::Bricks(Bricks { depth: 0.0, ..bricks }),
    ];
    let placed = rotation_about(vec3(0.6, 0.0, 0.8), 1.0) * Affine3::from_scale(vec3(0.5, -0.7, 1.1));
    let placements = [Affine3::IDENTITY, Affine3::from_translation(vec3(0.3, -0.2, 0.9)) * placed];
    let mut scene = Scene::default();
    for (pattern, placement) in patterns.into_iter().flat_map(|p| placements.map(|placement| (p, placement)))
    {
        let procedural = Procedural::new(pattern).placed(placement);
        scene.add_material(Material::lambert("", Vec3::ONE).with_procedural(procedural)).unwrap();
    }
    compare(&harness(), "patterns", &scene, &points(8000), PATTERNS);
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn scenes() {
    let harness = harness();
    for spec in
        ["cornell", "erw6", "erw6:procedural=1", "conference", "office", "sunflowers:flowers=1,trees=1"]
    {
        let scene = sunfleck_models::build(spec).unwrap();
        compare(&harness, spec, &scene, &points(1000), PATTERNS);
    }
}

#[test]
fn images_are_packed_once() {
    let texels = Texels::Linear8(Arc::new(vec![[1, 2, 3, 4]; 6]));
    let texture = Texture::new("", 3, 2, texels).unwrap();
    let mut scene = Scene::default();
    let ids = FILTERS.map(|filter| {
        scene.add_texture(texture.clone().with_sampling([Wrap::ClampToEdge; 2], filter)).unwrap()
    });
    scene.add_texture(image(4, 4, Format::Float, 1)).unwrap();
    for id in ids {
        scene
            .add_material(Material::new("", Surface::Lambert { albedo: textured(TextureRef::new(id)) }))
            .unwrap();
    }
    let packed = MaterialTable::new(&scene).packed();
    assert_eq!(packed.materials.len(), 3, "including the unknown one");
    assert_eq!(
        packed.textures.iter().map(|t| t.first).collect::<Vec<_>>(),
        [256, 256],
        "after the sRGB codes"
    );
    assert_eq!(
        packed.texels[256..],
        [0x0403_0201; 6 + 2 + 1],
        "red is the lowest byte; smaller mip levels follow; unused ones are left out"
    );
}

/// Name of the struct in the shader, name and offset of each member, and size.
type StructLayout = (&'static str, Vec<(&'static str, usize)>, usize);

macro_rules! struct_layout {
    ($name:literal, $type:ident { $($member:ident),* }) => {
        ($name, vec![$((stringify!($member), offset_of!($type, $member))),*], size_of::<$type>())
    };
}

#[test]
fn struct_layouts_match_the_shaders() {
    let layouts: [StructLayout; 5] = [
        struct_layout!(
            "Material",
            PackedMaterial {
                base,
                radiance,
                kind,
                metallic,
                roughness,
                ior,
                normal_scale,
                base_texture,
                surface_texture,
                normal_texture,
                emission_texture,
                alpha,
                cutoff,
                double_sided,
                flags,
                specular,
                mean_transmittance,
                optics,
                anisotropy,
                coat_texture,
                unused,
                procedural
            }
        ),
        struct_layout!(
            "Texture",
            PackedTexture { x_axis, y_axis, translation, first, width, height, sampling, density, levels }
        ),
        struct_layout!(
            "Procedural",
            PackedProcedural { x, y, z, first, pattern, second, steepness, third, unused, lengths }
        ),
        struct_layout!(
            "Question",
            Question { uv0, uv1, color, position, material, footprint, unused0, unused1 }
        ),
        struct_layout!(
            "Answer",
            Answer {
                color,
                kind,
                ior,
                roughness,
                metallic,
                alpha,
                emission,
                is_emissive,
                normal,
                has_normal_map,
                relief,
                has_relief,
                is_double_sided,
                is_bumpy,
                is_opaque,
                lets_pass
            }
        ),
    ];
    let module = kernel("material").module;
    let mut seen = 0;
    for (_, ty) in module.types.iter() {
        let (Some(name), TypeInner::Struct { members, span }) = (&ty.name, &ty.inner) else { continue };
        // The linker appends the module to the name
        let plain = name.split('·').next().unwrap();
        let Some((_, expected, size)) = layouts.iter().find(|(layout, ..)| *layout == plain) else {
            continue;
        };
        let found: Vec<_> = members.iter().map(|m| (m.name.as_deref().unwrap(), m.offset as usize)).collect();
        assert_eq!((&found, *span as usize), (expected, *size), "{name}");
        seen += 1;
    }
    assert_eq!(seen, layouts.len(), "each struct is in the shader");
}
