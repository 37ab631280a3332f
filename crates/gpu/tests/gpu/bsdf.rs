//! BSDFs, sampling and mathematics on the GPU against their Rust counterparts. Any adapter will do: without a GPU,
//! Mesa's lavapipe.

use std::sync::Mutex;

use crate::harness::{Harness, Table, kernel};
use bytemuck::{Pod, Zeroable};
use sunfleck_constants::bsdf::{BECKMANN, CONDUCTOR, NONLINEAR, PLASTIC, PRINCIPLED, ROUGH_DIELECTRIC};
use sunfleck_image::{Filter, FilterCell, FilterSampler};
use sunfleck_math::direction::{direction_from_equirect, equirect_from_direction};
use sunfleck_math::float::{difference_of_products, gamma, offset_ray_origin};
use sunfleck_math::{Frame, Vec2, Vec3, atan2, exp, log, sin_cos, vec2, vec3};
use sunfleck_sampling::warp::{self, SphericalTriangle};
use sunfleck_sampling::{Sampler, SamplerKind, mis, rng};
use sunfleck_shading::{
    Bsdf, BsdfContext, Coating, Conductor, Dielectric, Lambert, Lobes, MetallicRoughness, Microfacets,
    Mirror, OrenNayar, Plastic, Principled, PrincipledParameters, RoughDielectric, ThinDielectric,
    TransportMode, packed_albedo_table,
};

const COUNT: u32 = 20_000;

/// A random number in [0, 1).
fn number(i: u32, what: u32) -> f32 {
    rng::uniform([i, what, 3, 7])
}

/// A random point in the cube [-1, 1]³.
fn point(i: u32, what: u32) -> Vec3 {
    let [x, y, z] = [0, 1, 2].map(|axis| 2.0 * rng::uniform([i, what, axis, 5]) - 1.0);
    vec3(x, y, z)
}

fn unit(i: u32, what: u32) -> Vec3 {
    warp::uniform_sphere(rng::uniform_2d([i, what, 11, 7]))
}

/// Asserts that all numbers are equal within a tolerance relative to 1 or the largest of them.
#[track_caller]
fn assert_near(what: &str, found: &[f32], expected: &[f32], tolerance: f32) {
    let size = expected.iter().fold(0.0f32, |size, x| size.max(x.abs()));
    let near = |(a, b): (&f32, &f32)| (a - b).abs() <= tolerance * size || a == b;
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(near),
        "{what}: {found:?}, not {expected:?}"
    );
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct RandomInput {
    pixel: [u32; 2],
    index: u32,
    dimension: u32,
    kind: u32,
    seed: u32,
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn random_numbers_have_the_same_bits() {
    let input = |i: u32| {
        let [a, b, c, d] = rng::pcg4d([i, 1, 2, 3]);
        // Half of the counters are as small as in images; the others use all bits
        let small = i.is_multiple_of(2);
        let limit = |x: u32, bits: u32| if small { x >> (32 - bits) } else { x };
        let (pixel, index, dimension) = ([limit(a, 11), limit(b, 11)], limit(c, 12), limit(d, 6));
        RandomInput { pixel, index, dimension, kind: i % 3, seed: if small { i % 5 } else { a ^ d } }
    };
    let inputs: Vec<RandomInput> = (0..COUNT).map(input).collect();
    let outputs: Vec<[[u32; 4]; 3]> = Harness::new("bsdf::random").run(&inputs, &[]);
    for (input, output) in inputs.iter().zip(&outputs) {
        let RandomInput { pixel, index, dimension, kind, seed } = *input;
        let counters = [pixel[0], pixel[1], index, dimension];
        let sampler = Sampler::new(SamplerKind::ALL[kind as usize], seed);
        let two = rng::uniform_2d(counters);
        let both = sampler.get_2d(pixel, index, dimension);
        let bits = |x: f32, v: Vec2| [x.to_bits(), v.x.to_bits(), v.y.to_bits(), 0];
        let expected = [
            rng::pcg4d(counters),
            bits(rng::uniform(counters), two),
            bits(sampler.get_1d(pixel, index, dimension), both),
        ];
        assert_eq!(*output, expected, "{kind}: {counters:?}, seed {seed}");
    }
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct MathInput {
    normal: [f32; 3],
    x: f32,
    other: [f32; 3],
    y: f32,
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn frames_offsets_and_elementary_functions() {
    const TOLERANCE: f32 = 2e-6;
    let inputs: Vec<MathInput> = (0..COUNT)
        .map(|i| MathInput {
            normal: unit(i, 0).to_array(),
            x: 40.0 * (number(i, 0) - 0.5),
            other: point(i, 1).to_array(),
            y: 60.0 * (number(i, 1) - 0.5),
        })
        .collect();
    let outputs: Vec<[[f32; 4]; 12]> = Harness::new("bsdf::math").run(&inputs, &[]);
    for (input, output) in inputs.iter().zip(&outputs) {
        let MathInput { x, y, .. } = *input;
        let (normal, other) = (Vec3::from(input.normal), Vec3::from(input.other));
        let frame = Frame::from_normal(normal);
        let towards = Frame::from_normal_and_tangent(normal, other);
        let near = |what: &str, of: usize, expected: &[f32]| {
            assert_near(what, &output[of][..expected.len()], expected, TOLERANCE);
        };
        near("tangent", 0, &frame.tangent.to_array());
        near("bitangent", 1, &frame.bitangent.to_array());
        // The difference of nearly equal vectors has few exact digits
        let across = normal.cross(other).length() / other.length();
        assert_near("towards", &output[2][..3], &towards.tangent.to_array(), TOLERANCE / across);
        assert_near("bitangent", &output[11][..3], &towards.bitangent.to_array(), TOLERANCE / across);
        near("local", 3, &frame.local_from_world(other).to_array());
        near("world", 4, &frame.world_from_local(other).to_array());
        let (sin, cos) = sin_cos(x);
        assert_near("sine", &output[5][..2], &[sin, cos], TOLERANCE);
        assert_near("arctangent", &output[5][2..3], &[atan2(y, x)], TOLERANCE);
        // Without a fused operation the rounding error of the larger product remains
        let difference = difference_of_products(x, y, x, other.x);
        assert!((output[5][3] - difference).abs() < TOLERANCE * (x * y).abs(), "{x} {y}: {:?}", output[5]);
        assert_near("exponential", &output[6][..1], &[exp(y)], TOLERANCE);
        assert!((output[6][1] - log(x.abs())).abs() < TOLERANCE, "ln |{x}|: {:?}", output[6]);
        near("map", 7, &equirect_from_direction(other).to_array());
        near("direction", 8, &direction_from_equirect(other.truncate().abs()).to_array());
        let direction = vec3(x, y, x);
        let origin = offset_ray_origin(other, other.abs() * gamma(7), normal, direction);
        near("origin", 9, &origin.to_array());
        // An error below the distance to the next float moves the origin to that float
        let nudged = offset_ray_origin(other, Vec3::splat(1e-12), normal, direction);
        let grazing = direction.dot(normal).abs() < 1e-3;
        assert!(
            grazing || Vec3::from_slice(&output[10]) == nudged,
            "{other} along {normal}: {:?}",
            output[10]
        );
    }
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct WarpInput {
    u: [f32; 2],
    one_minus_cos_max: f32,
    radius: f32,
}

fn warp_inputs(radius: f32) -> Vec<WarpInput> {
    let corners = [[0.0, 0.0], [0.5, 0.5], [0.0, 0.5], [0.25, 0.75], [1.0 - f32::EPSILON / 2.0, 0.0]];
    let random = (0..COUNT).map(|i| rng::uniform_2d([i, 21, 11, 7]).to_array());
    let input = |(i, u): (u32, [f32; 2])| {
        let t = number(i, 2);
        WarpInput { u, one_minus_cos_max: 2.0 * t * t * t, radius }
    };
    (0..).zip(corners.into_iter().chain(random)).map(input).collect()
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn warps() {
    const TOLERANCE: f32 = 1e-5;
    let inputs = warp_inputs(0.0);
    let outputs: Vec<[[f32; 4]; 5]> = Harness::new("bsdf::warp").run(&inputs, &[]);
    for (input, output) in inputs.iter().zip(&outputs) {
        let (u, one_minus_cos_max) = (Vec2::from(input.u), input.one_minus_cos_max);
        let near = |what: &str, at: usize, expected: &[f32]| {
            assert_near(what, &output[at][..expected.len()], expected, TOLERANCE);
        };
        let (disk, triangle) = (warp::concentric_disk(u), warp::uniform_triangle(u));
        near("disk", 0, &[disk.x, disk.y]);
        assert_near("triangle", &output[0][2..], &triangle.to_array(), TOLERANCE);
        let up = warp::cosine_hemisphere(u);
        near("hemisphere", 1, &[up.x, up.y, up.z, warp::cosine_hemisphere_pdf(up)]);
        near("sphere", 2, &warp::uniform_sphere(u).extend(warp::uniform_sphere_pdf()).to_array());
        let cone = warp::uniform_cone(u, one_minus_cos_max);
        near("cone", 3, &cone.to_array());
        let density = warp::uniform_cone_pdf(cone, one_minus_cos_max);
        assert_near("density of the cone", &output[3][3..], &[density], TOLERANCE);
        near("weights", 4, &[mis::balance(u.x, u.y), mis::power(u.x, u.y), 0.0]);
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn reconstruction_filters() {
    for filter in Filter::ALL {
        let sampler = FilterSampler::new(filter);
        let cells = sampler.cells();
        let inputs = warp_inputs(filter.radius());
        let table: Table<'_> = ("filter_cells", bytemuck::cast_slice(&cells));
        let outputs: Vec<[f32; 4]> = Harness::new("bsdf::film_filter").run(&inputs, &[table]);
        for (input, output) in inputs.iter().zip(&outputs) {
            let expected = sampler.sample(Vec2::from(input.u));
            let [x, y, weight, _] = *output;
            assert!((vec2(x, y) - expected.offset).length() < 1e-6, "{filter}: {output:?}, not {expected:?}");
            assert_near("weight", &[weight], &[expected.weight], 1e-6);
        }
    }
}

#[test]
fn modules_are_valid() {
    for module in ["random", "math", "warp", "film_filter", "spherical_triangle", "bsdf"] {
        let names: Vec<_> = kernel(&format!("bsdf::{module}")).resources;
        assert!(names.iter().any(|resource| resource.name == "outputs"), "{module}: {names:?}");
    }
}

#[test]
fn cells_of_filters_are_laid_out_as_the_shader_reads_them() {
    let module = kernel("bsdf::film_filter").module;
    let found = module.types.iter().find_map(|(_, ty)| match (&ty.name, &ty.inner) {
        (Some(name), naga::TypeInner::Struct { members, span }) if name.starts_with("FilterCell·") => {
            let members = members.iter().map(|member| (member.name.clone().unwrap(), member.offset as usize));
            Some((members.collect::<Vec<_>>(), *span as usize))
        }
        _ => None,
    });
    let offsets = [
        ("below", std::mem::offset_of!(FilterCell, below)),
        ("above", std::mem::offset_of!(FilterCell, above)),
        ("weight", std::mem::offset_of!(FilterCell, weight)),
        ("guide", std::mem::offset_of!(FilterCell, guide)),
    ];
    let expected = offsets.map(|(name, offset)| (name.to_owned(), offset)).to_vec();
    assert_eq!(found, Some((expected, size_of::<FilterCell>())));
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct TriangleInput {
    origin: [f32; 3],
    ux: f32,
    a: [f32; 3],
    uy: f32,
    b: [f32; 3],
    unused0: f32,
    c: [f32; 3],
    unused1: f32,
}

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct TriangleOutput {
    direction: [f32; 3],
    distance: f32,
    barycentrics: [f32; 2],
    pdf_solid_angle: f32,
    solid_angle: f32,
    pdf_again: f32,
    unused: [f32; 3],
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn directions_to_triangles() {
    const TOLERANCE: f32 = 1e-4;
    let input = |i: u32| {
        // Triangles from large ones to those below the size that is sampled by solid angle; some have no area
        let size =
            if i.is_multiple_of(50) { 0.0 } else { 0.003 + 3.0 * number(i, 4) * number(i, 5) * number(i, 6) };
        let center = point(i, 2) * 2.0;
        let corner = |what| (center + point(i, what) * size).to_array();
        let [ux, uy] = [number(i, 7), number(i, 8)];
        let origin = (point(i, 6) * 2.0).to_array();
        TriangleInput { origin, ux, a: corner(3), uy, b: corner(4), unused0: 0.0, c: corner(5), unused1: 0.0 }
    };
    let inputs: Vec<TriangleInput> = (0..COUNT).map(input).collect();
    let outputs: Vec<TriangleOutput> = Harness::new("bsdf::spherical_triangle").run(&inputs, &[]);
    let mut at_edges = 0;
    for (input, output) in inputs.iter().zip(&outputs) {
        let origin = Vec3::from(input.origin);
        let corners = [input.a, input.b, input.c].map(Vec3::from);
        let Some(seen) = SphericalTriangle::new(origin, corners) else {
            assert_eq!(output.solid_angle, 0.0, "the triangle has no solid angle: {output:?}");
            continue;
        };
        let expected = seen.sample(vec2(input.ux, input.uy));
        // Seen from near its plane, the solid angle of a triangle is a difference of nearly equal numbers
        let ng = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let slope = (ng.dot(expected.direction) / ng.length()).abs();
        let tolerance = TOLERANCE + 2e-6 / slope;
        let same_method = (seen.solid_angle() - 1e-5).abs() > 1e-8;
        let near = |a: f32, b: f32| (a - b).abs() <= tolerance * b.abs();
        let good = near(output.solid_angle, seen.solid_angle())
            && near(output.distance, expected.distance)
            && near(output.pdf_solid_angle, expected.pdf_solid_angle)
            && near(output.pdf_again, seen.pdf_solid_angle(expected.direction))
            && (Vec3::from(output.direction) - expected.direction).length() < tolerance
            && (Vec2::from(output.barycentrics) - expected.barycentrics).length() < 50.0 * tolerance;
        at_edges += u32::from(!(good || slope < 1e-3));
        assert!(
            good || slope < 1e-2 || !same_method,
            "{output:?}, not {expected:?} of {seen:?}, slope {slope}"
        );
    }
    assert!(at_edges <= 4, "{at_edges} of {COUNT} differ");
}

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct BsdfInput {
    color: [f32; 3],
    kind: u32,
    wo: [f32; 3],
    metallic: f32,
    wi: [f32; 3],
    roughness: f32,
    u: [f32; 2],
    lobe_u: f32,
    ior: f32,
    /// Set of lobes, as bits.
    lobes: u32,
    /// 1 for transport of importance, else 0.
    importance: u32,
    flags: u32,
    mean_transmittance: f32,
    specular: [f32; 3],
    anisotropy: f32,
    optics: [f32; 8],
}

/// Contexts of the queries: all lobes, and those of integrators that split the lobes.
const CONTEXTS: [BsdfContext; 5] = [
    BsdfContext::RADIANCE,
    BsdfContext::IMPORTANCE,
    BsdfContext::RADIANCE.with_lobes(Lobes::SPECULAR),
    BsdfContext::IMPORTANCE.with_lobes(Lobes::NON_SPECULAR),
    BsdfContext::RADIANCE.with_lobes(Lobes::TRANSMISSION),
];

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct BsdfOutput {
    eval: [f32; 3],
    pdf_solid_angle: f32,
    wi: [f32; 3],
    sample_pdf: f32,
    throughput: [f32; 3],
    lobe: u32,
    albedo: [f32; 3],
    is_delta: u32,
    reflectance: [f32; 3],
    lobes: u32,
    eta: f32,
    unused: [u32; 3],
}

impl BsdfInput {
    fn new(i: u32, kind: u32) -> Self {
        let color = (point(i, 8) * 0.5 + Vec3::splat(0.5)).to_array();
        let corner = |x: f32| {
            if x < 0.1 {
                0.0
            } else if x > 0.9 {
                1.0
            } else {
                (x - 0.1) / 0.8
            }
        };
        let mut input = Self {
            color,
            kind,
            wo: unit(i, 9).to_array(),
            metallic: corner(number(i, 10)),
            wi: unit(i, 11).to_array(),
            roughness: corner(number(i, 12)),
            u: [number(i, 13), number(i, 14)],
            lobe_u: number(i, 15),
            // That of metallic-roughness is the reflectance at normal incidence
            ior: if kind == 1 { 0.6 * number(i, 16) } else { 0.5 + 2.0 * number(i, 16) },
            lobes: CONTEXTS[i as usize / 2 % CONTEXTS.len()].lobes.bits().into(),
            importance: (CONTEXTS[i as usize / 2 % CONTEXTS.len()].mode == TransportMode::Importance).into(),
            flags: i / 3 % 4,
            mean_transmittance: 0.0,
            specular: (point(i, 20) * 0.5 + Vec3::splat(0.5)).to_array(),
            anisotropy: 0.0,
            optics: [0.0; 8],
        };
        if kind == CONDUCTOR || kind == ROUGH_DIELECTRIC {
            input.anisotropy = if (i / 4).is_multiple_of(2) { 0.0 } else { 1.6 * number(i, 23) - 0.8 };
        }
        if kind == PRINCIPLED {
            input.anisotropy = corner(number(i, 23));
            input.ior = 1.0 + number(i, 16);
            input.optics = std::array::from_fn(|at| match at {
                // A glossier coating is narrower than the roundings of directions allow
                6 => 0.9 * number(i, 30),
                7 => 0.0,
                at => corner(number(i, 24 + u32::try_from(at).unwrap())),
            });
        }
        if kind == CONDUCTOR {
            let (eta, k) = (point(i, 21) + Vec3::ONE, 2.0 * (point(i, 22) + Vec3::ONE));
            input.optics = [eta.x, eta.y, eta.z, 0.0, k.x, k.y, k.z, 0.0];
        }
        if kind == ROUGH_DIELECTRIC {
            input.roughness = input.roughness.max(0.05);
            input.ior = if i.is_multiple_of(3) { 0.5 + 0.4 * number(i, 16) } else { 1.1 + number(i, 16) };
        }
        if kind == PLASTIC {
            // A few coatings, since their transmittance takes long to compute
            input.roughness = [0.0, 0.2, 0.5, 1.0][i as usize / 12 % 4];
            input.ior = [1.3, 1.9][i as usize / 48 % 2];
            let coating = input.coating();
            input.metallic = coating.internal_reflectance;
            input.mean_transmittance = coating.mean_transmittance;
            input.optics = coating.transmittance;
        }
        // Half of the directions are sampled, so that the BSDF is not zero
        let sampled = input.bsdf().sample(
            CONTEXTS[i as usize / 2 % CONTEXTS.len()],
            input.wo.into(),
            number(i, 17),
            vec2(number(i, 18), number(i, 19)),
        );
        if let (0, Some(sampled)) = (i % 2, sampled) {
            input.wi = sampled.wi.to_array();
        }
        input
    }

    fn bsdf(&self) -> Bsdf {
        let color = Vec3::from(self.color);
        match self.kind {
            0 => Bsdf::Lambert(Lambert { albedo: color }),
            1 => Bsdf::MetallicRoughness(MetallicRoughness::with_f0(
                color,
                self.metallic,
                self.roughness,
                self.ior,
            )),
            2 => Bsdf::Mirror(Mirror { reflectance: color }),
            3 => Bsdf::Dielectric(Dielectric { ior: self.ior, tint: color }),
            5 => {
                let lets_pass = self.roughness > 0.0;
                Bsdf::ThinDielectric(ThinDielectric {
                    ior: self.ior,
                    tint: color,
                    lets_pass,
                    ng: self.wi.into(),
                })
            }
            CONDUCTOR => {
                let [a, b, c, _, d, e, f, _] = self.optics;
                let (eta, k) = (vec3(a, b, c), vec3(d, e, f));
                Bsdf::Conductor(Conductor { reflectance: color, eta, k, microfacets: self.microfacets() })
            }
            ROUGH_DIELECTRIC => Bsdf::RoughDielectric(RoughDielectric {
                ior: self.ior,
                tint: color,
                microfacets: self.microfacets(),
            }),
            PLASTIC => {
                let coating = Coating {
                    ior: self.ior,
                    microfacets: self.microfacets(),
                    internal_reflectance: self.metallic,
                    mean_transmittance: self.mean_transmittance,
                    transmittance: self.optics,
                };
                Bsdf::Plastic(Plastic::new(color, self.specular.into(), coating, self.flags & NONLINEAR != 0))
            }
            PRINCIPLED => {
                let [transmission, clearcoat, sheen, specular_tint, sheen_tint, flatness, clearcoat_gloss, _] =
                    self.optics;
                let parameters = PrincipledParameters {
                    metallic: self.metallic,
                    roughness: self.roughness,
                    anisotropy: self.anisotropy,
                    transmission,
                    ior: self.ior,
                    specular_tint,
                    sheen,
                    sheen_tint,
                    flatness,
                    clearcoat,
                    clearcoat_gloss,
                };
                Bsdf::Principled(Principled::new(color, &parameters))
            }
            _ => Bsdf::OrenNayar(OrenNayar { albedo: color, roughness: self.roughness }),
        }
    }

    fn microfacets(&self) -> Microfacets {
        Microfacets::anisotropic(self.roughness, self.anisotropy, self.flags & BECKMANN != 0)
    }

    /// Returns the coating of plastic, which is computed once for each of its parameters.
    fn coating(&self) -> Coating {
        static KNOWN: Mutex<Vec<Coating>> = Mutex::new(Vec::new());
        let microfacets = self.microfacets();
        let mut known = KNOWN.lock().unwrap();
        let found = known.iter().find(|it| it.ior == self.ior && it.microfacets == microfacets).copied();
        found.unwrap_or_else(|| {
            let coating = Coating::new(self.ior, microfacets);
            known.push(coating);
            coating
        })
    }

    /// Tolerance of values: directions are rounded to 1e-7, which changes values relative to the width of the lobe, or
    /// to the cosine.
    fn tolerance(&self, wi: Vec3) -> f32 {
        let width = match self.kind {
            1 | CONDUCTOR | ROUGH_DIELECTRIC | PLASTIC => (self.roughness * self.roughness).max(1e-3),
            // Across the direction of anisotropy, or that of the coating
            PRINCIPLED => (0.3 * self.roughness * self.roughness).clamp(1e-3, 0.1 - 0.099 * self.optics[6]),
            _ => 1.0,
        };
        let width = if self.anisotropy.abs() > 0.0 && self.kind != PRINCIPLED { 0.3 * width } else { width };
        // Beckmann's distribution is an exponential of the squared slope, and half vectors of refraction are differences
        let width = if self.kind >= CONDUCTOR { 0.02 * width } else { width };
        let wo = Vec3::from(self.wo);
        1e-4 + 1e-6 / width + 5e-7 / wi.z.abs().min(wo.z.abs())
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn scattering() {
    let table = packed_albedo_table();
    let table: Table<'_> = ("tables", bytemuck::cast_slice(&table));
    for kind in 0..=PRINCIPLED {
        let inputs: Vec<BsdfInput> = (0..COUNT).map(|i| BsdfInput::new(i, kind)).collect();
        let outputs: Vec<BsdfOutput> = Harness::new("bsdf::bsdf").run(&inputs, &[table]);
        let mut other_lobes = 0;
        for (i, (input, output)) in inputs.iter().zip(&outputs).enumerate() {
            let (wo, wi) = (Vec3::from(input.wo), Vec3::from(input.wi));
            let (bsdf, context) = (input.bsdf(), CONTEXTS[i / 2 % CONTEXTS.len()]);
            let name = format!("{input:?}");
            let tolerance = input.tolerance(wi);
            assert_near(&name, &output.eval, &bsdf.eval(context, wo, wi).to_array(), tolerance);
            // The probability of a lobe may be a difference to 1, with the absolute rounding error of 1
            let pdf = bsdf.pdf_solid_angle(context, wo, wi);
            assert_near(&name, &[output.pdf_solid_angle], &[pdf], tolerance + 1e-7 / pdf);
            match kind {
                CONDUCTOR => assert_near(&name, &output.albedo, &bsdf.albedo().to_array(), 1e-5),
                _ => assert_eq!(Vec3::from(output.albedo), bsdf.albedo(), "{name}"),
            }
            let reflectance = bsdf.reflectance(wo.z.abs()).to_array();
            assert_near(&name, &output.reflectance, &reflectance, 1e-4);
            assert_eq!(output.is_delta & 1 == 1, bsdf.is_delta(), "{name}");

            assert_eq!(output.lobes, u32::from(bsdf.lobes().bits()), "{name}");

            let sampled = bsdf.sample(context, wo, input.lobe_u, input.u.into());
            if output.lobe != sampled.map_or(0, |sample| sample.lobe.bits().into()) {
                other_lobes += 1;
                continue;
            }
            let Some(sampled) = sampled else { continue };
            assert_eq!(output.is_delta & 2 == 2, sampled.is_delta(), "{name}");
            assert_near(&name, &[output.eta], &[sampled.eta], 1e-6);
            // The height of a point on the hemisphere, or its distance from the pole, is the root of a difference to 1;
            // the square of the height in the grazing lobe is 9 α² (exp(…) - 1). The normals of the last facets that are
            // visible at all are scaled by 1/α
            let rounding = match kind {
                1 => 7e-7,
                ROUGH_DIELECTRIC | PRINCIPLED => 2e-6,
                _ => 2e-7,
            };
            let (z, sine) = (sampled.wi.z.abs(), sampled.wi.truncate().length());
            let tolerance = input.tolerance(sampled.wi) + rounding / (z * z);
            let apart = (Vec3::from(output.wi) - sampled.wi).length();
            assert!(apart < 2e-6 + rounding / z + rounding / sine, "{name}: {output:?}, not {sampled:?}");
            assert_near(&name, &output.throughput, &sampled.throughput.to_array(), tolerance);
            assert_near(&name, &[output.sample_pdf], &[sampled.pdf_solid_angle], tolerance);
        }
        assert!(other_lobes <= 2, "kind {kind}: {other_lobes} of {COUNT} chose other lobes");
    }
}
