//! Chi-square tests: directions of `Bsdf::sample` have the density `Bsdf::pdf_solid_angle`.

use crate::common::{
    PLAIN, RADIANCE, brushed, conductor, direction, frosted, lambert, metallic_roughness, oren_nayar,
    plastic, principled,
};
use sunfleck_math::{Vec2, Vec3, vec3};
use sunfleck_shading::{Bsdf, BsdfContext, Lobes, Microfacets, PrincipledParameters, RoughDielectric};
use sunfleck_testkit::chi2;

fn check(name: &str, tests: u32, bsdf: &Bsdf, cos: f32) {
    check_lobes(name, tests, bsdf, RADIANCE, cos);
}

fn check_lobes(name: &str, tests: u32, bsdf: &Bsdf, context: BsdfContext, cos: f32) {
    let wo = direction(cos, 0.8);
    let sample = |(lobe_u, u): (f32, Vec2)| bsdf.sample(context, wo, lobe_u, u).map(|s| s.wi);
    let pdf = |wi: Vec3| bsdf.pdf_solid_angle(context, wo, wi);
    chi2::sphere(sample, pdf).samples(100_000).tests(tests).check(&format!("{name}, cosine {cos}"));
}

#[test]
fn lambert_on_both_sides() {
    for cos in [0.9, 0.1, -0.5] {
        check("Lambert", 3, &lambert(vec3(0.3, 0.5, 0.7)), cos);
    }
}

#[test]
fn oren_nayar_on_both_sides() {
    for cos in [0.9, 0.1, -0.5] {
        check("Oren-Nayar", 3, &oren_nayar(vec3(0.3, 0.5, 0.7), 0.8), cos);
    }
}

#[test]
fn metallic_roughness_at_every_roughness() {
    const ROUGHNESSES: [f32; 4] = [0.15, 0.35, 0.7, 1.0];
    const METALLIC: [f32; 3] = [0.0, 0.5, 1.0];
    const COSINES: [f32; 4] = [1.0, 0.6, 0.1, -0.3];
    const TESTS: u32 = 4 * 3 * 4;
    for roughness in ROUGHNESSES {
        for metallic in METALLIC {
            let bsdf = metallic_roughness(vec3(0.8, 0.4, 0.2), metallic, roughness);
            for cos in COSINES {
                let name = format!("roughness {roughness}, metallic {metallic}");
                check(&name, TESTS, &bsdf, cos);
            }
        }
    }
}

#[test]
fn subsets_of_lobes() {
    for roughness in [0.2f32, 0.5] {
        let bsdf = metallic_roughness(vec3(0.8, 0.4, 0.2), 0.3, roughness);
        for lobes in [Lobes::DIFFUSE, Lobes::GLOSSY | Lobes::SPECULAR] {
            let name = format!("roughness {roughness}, {lobes:?}");
            check_lobes(&name, 4, &bsdf, RADIANCE.with_lobes(lobes), 0.6);
        }
    }
}

/// The lobe is smaller than a cell of the sphere, so that the test is restricted to a cap around the normal, with `wo`
/// along the normal.
#[test]
fn narrow_lobes() {
    for roughness in [0.0f32, 0.05] {
        let bsdf = metallic_roughness(vec3(0.8, 0.4, 0.2), 1.0, roughness);
        let alpha = (roughness * roughness).max(1e-3);
        let cap = 40.0 * alpha * alpha;
        // A sample outside the cap counts as a failed sample
        let inside = |wi: Vec3| wi.x * wi.x + wi.y * wi.y < 2.0 * cap - cap * cap;
        let sample = |(lobe_u, u): (f32, Vec2)| {
            bsdf.sample(RADIANCE, Vec3::Z, lobe_u, u).map(|s| s.wi).filter(|&wi| inside(wi))
        };
        let pdf = |wi: Vec3| bsdf.pdf_solid_angle(RADIANCE, Vec3::Z, wi);
        chi2::cap(cap, sample, pdf).samples(150_000).tests(2).check(&format!("roughness {roughness}"));
    }
}

#[test]
fn conductors_and_plastic() {
    for (roughness, is_beckmann) in [(0.4, false), (0.9, false), (0.4, true), (0.9, true)] {
        let microfacets = Microfacets::new(roughness, is_beckmann);
        let lacquer = plastic(vec3(0.8, 0.4, 0.2), Vec3::ONE, 1.5, microfacets, true);
        for cos in [1.0, 0.6, -0.1] {
            let name = format!("roughness {roughness}, Beckmann {is_beckmann}");
            check(&format!("conductor, {name}"), 24, &conductor(roughness, is_beckmann), cos);
            check(&format!("plastic, {name}"), 24, &lacquer, cos);
        }
    }
}

/// A smooth coating is a delta lobe: a part of the samples is left out of the density.
#[test]
fn base_of_smooth_plastic() {
    let lacquer = plastic(vec3(0.8, 0.4, 0.2), Vec3::ONE, 1.5, Microfacets::new(0.0, false), true);
    for cos in [0.9, 0.2, -0.5] {
        let wo = direction(cos, 0.8);
        let sample = |(lobe_u, u): (f32, Vec2)| {
            lacquer.sample(RADIANCE, wo, lobe_u, u).filter(|sample| !sample.is_delta()).map(|s| s.wi)
        };
        let pdf = |wi: Vec3| lacquer.pdf_solid_angle(RADIANCE, wo, wi);
        chi2::sphere(sample, pdf).samples(100_000).tests(3).check(&format!("cosine {cos}"));
    }
}

#[test]
fn rough_glass_from_both_sides() {
    const LOBES: [Lobes; 3] = [Lobes::ALL, Lobes::REFLECTION, Lobes::TRANSMISSION];
    for (ior, roughness, is_beckmann) in [(1.5, 0.3, false), (1.5, 0.9, false), (1.9, 0.6, true)] {
        let bsdf = frosted(ior, roughness, is_beckmann);
        for cos in [1.0, 0.3, -0.9, -0.4] {
            for lobes in LOBES {
                let name = format!("index {ior}, roughness {roughness}, {lobes:?}");
                check_lobes(&name, 36, &bsdf, RADIANCE.with_lobes(lobes), cos);
            }
        }
    }
}

#[test]
fn anisotropic_facets() {
    let microfacets = Microfacets::anisotropic(0.6, -0.7, false);
    let glass = Bsdf::RoughDielectric(RoughDielectric { ior: 1.5, tint: Vec3::ONE, microfacets });
    for cos in [1.0, 0.6, -0.2] {
        for (anisotropy, is_beckmann) in [(0.7, false), (-0.5, true)] {
            let name = format!("brushed metal, {anisotropy}, Beckmann {is_beckmann}");
            check(&name, 9, &brushed(0.6, anisotropy, is_beckmann), cos);
        }
        check("glass of anisotropic facets", 9, &glass, cos);
    }
}

#[test]
fn principled_lobes() {
    let coated = PrincipledParameters { clearcoat: 1.0, sheen: 0.5, ..PLAIN };
    let brushed = PrincipledParameters { metallic: 0.7, anisotropy: 0.9, ..PLAIN };
    let glass = PrincipledParameters { transmission: 0.8, clearcoat: 0.5, roughness: 0.6, ..PLAIN };
    const OPAQUE: &[Lobes] = &[Lobes::ALL, Lobes::NON_SPECULAR];
    const CLEAR: &[Lobes] = &[Lobes::ALL, Lobes::SPECULAR, Lobes::REFLECTION, Lobes::TRANSMISSION];
    for (name, parameters, sets) in
        [("coated", coated, OPAQUE), ("brushed", brushed, OPAQUE), ("glass", glass, CLEAR)]
    {
        for cos in [1.0, 0.5, -0.3] {
            for &lobes in sets {
                let name = format!("{name}, {lobes:?}");
                check_lobes(&name, 24, &principled(&parameters), RADIANCE.with_lobes(lobes), cos);
            }
        }
    }
}
