//! Energy conservation: surfaces reflect and transmit at most the light that arrives, white surfaces all of it.

#![allow(
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    reason = "f64 quadrature is the reference"
)]

use crate::common::{
    PLAIN, RADIANCE, conductor, direction, frosted, glass, integrate_hemisphere, lambert, metallic_roughness,
    oren_nayar, plastic, principled, random_points,
};
use sunfleck_math::{Vec3, vec3};
use sunfleck_shading::{
    Bsdf, BsdfContext, Conductor, Lobes, MetallicRoughness, Microfacets, Principled, PrincipledParameters,
};

const ROUGHNESSES: [f32; 7] = [0.05, 0.1, 0.2, 0.35, 0.5, 0.8, 1.0];
const COSINES: [f32; 7] = [1.0, 0.95, 0.7, 0.4, 0.15, 0.05, -0.6];

fn lobe_width(roughness: f32) -> f64 {
    f64::from(roughness * roughness)
}

/// Estimates the light reflected in a white furnace by sampling. Returns the estimate and its standard error.
fn sampled_albedo(bsdf: &Bsdf, wo: Vec3, samples: u32) -> (Vec3, f32) {
    albedo_in(RADIANCE, bsdf, wo, samples)
}

/// Estimates the share of light that is reflected and transmitted, in the same way.
fn importance_albedo(bsdf: &Bsdf, wo: Vec3, samples: u32) -> (Vec3, f32) {
    albedo_in(BsdfContext::IMPORTANCE, bsdf, wo, samples)
}

fn albedo_in(context: BsdfContext, bsdf: &Bsdf, wo: Vec3, samples: u32) -> (Vec3, f32) {
    let (mut sum, mut squares) = ([0.0f64; 3], 0.0f64);
    for sample in random_points(samples).filter_map(|(lobe_u, u)| bsdf.sample(context, wo, lobe_u, u)) {
        let throughput = sample.throughput.to_array().map(f64::from);
        sum = std::array::from_fn(|k| sum[k] + throughput[k]);
        squares += throughput[1] * throughput[1];
    }
    let count = f64::from(samples);
    let mean = sum.map(|sum| sum / count);
    let variance = squares / count - mean[1] * mean[1];
    (Vec3::from_array(mean.map(|mean| mean as f32)), (variance.max(0.0) / count).sqrt() as f32)
}

#[test]
fn white_furnace_by_quadrature() {
    for roughness in ROUGHNESSES {
        for metallic in [0.0, 0.5, 1.0] {
            let white = metallic_roughness(Vec3::ONE, metallic, roughness);
            for cos in COSINES {
                let wo = direction(cos, 0.3);
                let albedo =
                    integrate_hemisphere(wo, lobe_width(roughness), |wi| white.eval(RADIANCE, wo, wi));
                let case = format!("roughness {roughness}, metallic {metallic}, cosine {cos}: {albedo}");
                assert!(albedo.max_element() < 1.0 + 2e-3, "gains energy: {case}");
                assert!(albedo.min_element() > 1.0 - 4e-3, "loses energy: {case}");
            }
        }
    }
}

#[test]
fn white_furnace_by_sampling() {
    for roughness in ROUGHNESSES.into_iter().chain([0.0]) {
        for metallic in [0.0, 0.5, 1.0] {
            let white = metallic_roughness(Vec3::ONE, metallic, roughness);
            for cos in COSINES {
                let (albedo, error) = sampled_albedo(&white, direction(cos, 2.0), 40_000);
                let case =
                    format!("roughness {roughness}, metallic {metallic}, cosine {cos}: {albedo} ± {error}");
                assert!(error < 4e-3, "noisy: {case}");
                // Four standard errors and the error of the albedo table
                assert!(albedo.max_element() < 1.0 + 1e-3 + 4.0 * error, "gains energy: {case}");
                assert!(albedo.min_element() > 1.0 - 2e-3 - 4.0 * error, "loses energy: {case}");
            }
        }
    }
}

#[test]
fn sampling_and_quadrature_agree_for_colours() {
    let copper = vec3(0.95, 0.64, 0.54);
    for (metallic, roughness) in [(1.0, 0.3), (1.0, 0.9), (0.0, 0.2), (0.0, 0.7), (0.4, 0.5)] {
        let bsdf = metallic_roughness(copper, metallic, roughness);
        for cos in COSINES {
            let wo = direction(cos, 0.0);
            let (sampled, error) = sampled_albedo(&bsdf, wo, 40_000);
            let integrated =
                integrate_hemisphere(wo, lobe_width(roughness), |wi| bsdf.eval(RADIANCE, wo, wi));
            let case = format!("metallic {metallic}, roughness {roughness}, cosine {cos}");
            assert!(
                (sampled - integrated).abs().max_element() < 1e-3 + 4.0 * error,
                "{case}: {sampled}, {integrated}"
            );
            assert!(integrated.max_element() < 1.0, "{case}: {integrated}");
            let reflectance = bsdf.reflectance(cos.abs());
            assert!(
                (reflectance - integrated).abs().max_element() < 3e-3,
                "{case}: {reflectance}, {integrated}"
            );
        }
    }
}

#[test]
fn black_dielectric_reflects_its_fresnel_reflectance() {
    // A smooth black dielectric reflects Schlick's F0 + (1 - F0) (1 - cos)⁵, with F0 = ((n - 1) / (n + 1))²
    for (ior, f0) in [(1.5, 0.04), (2.5, 0.183_673), (1.0, 0.0)] {
        let black = MetallicRoughness::with_f0(Vec3::ZERO, 0.0, 0.05, MetallicRoughness::f0_of_ior(ior));
        let black = Bsdf::MetallicRoughness(black);
        for cos in [1.0, 0.7, 0.4] {
            let wo = direction(cos, 1.0);
            let albedo = integrate_hemisphere(wo, lobe_width(0.05), |wi| black.eval(RADIANCE, wo, wi));
            let expected = f0 + (1.0 - f0) * (1.0 - cos).powi(5);
            let error = (albedo - expected).abs().max_element();
            assert!(error < 1e-3, "index {ior}, cosine {cos}: {albedo}, not {expected}");
        }
    }
}

/// The layer over a white base reflects and transmits all light, whatever its index of refraction.
#[test]
fn white_dielectrics_of_any_index_reflect_all_light() {
    for ior in [1.0, 1.33, 2.5, 10.0] {
        for roughness in [0.1, 0.5, 1.0] {
            let f0 = MetallicRoughness::f0_of_ior(ior);
            let white = MetallicRoughness::with_f0(Vec3::ONE, 0.0, roughness, f0);
            for cos in [1.0, 0.6, 0.3] {
                let found = Bsdf::MetallicRoughness(white).reflectance(cos);
                assert!((found - Vec3::ONE).abs().max_element() < 0.01, "{ior} {roughness} {cos}: {found}");
            }
        }
    }
}

#[test]
fn lambert_reflects_its_albedo() {
    let albedo = vec3(0.2, 0.5, 1.0);
    for cos in [0.9, -0.2] {
        let (bsdf, wo) = (lambert(albedo), direction(cos, 0.5));
        let integrated = integrate_hemisphere(wo, 0.5, |wi| bsdf.eval(RADIANCE, wo, wi));
        assert!((integrated - albedo).abs().max_element() < 2e-3, "{integrated}");
        assert!((sampled_albedo(&bsdf, wo, 1000).0 - albedo).abs().max_element() < 1e-5);
    }
}

#[test]
fn white_oren_nayar_reflects_all_light() {
    for roughness in [0.0f32, 0.3, 1.0] {
        for cos in [1.0, 0.7, 0.3, 0.05, -0.2] {
            let (bsdf, wo) = (oren_nayar(Vec3::ONE, roughness), direction(cos, 0.5));
            let albedo = integrate_hemisphere(wo, 0.5, |wi| bsdf.eval(RADIANCE, wo, wi));
            // The polynomial only approximates the exact albedo
            assert!(
                (albedo - Vec3::ONE).abs().max_element() < 4e-3,
                "roughness {roughness}, {cos}: {albedo}"
            );
        }
    }
}

#[test]
fn oren_nayar_without_roughness_is_lambert() {
    let (albedo, wo) = (vec3(0.2, 0.5, 0.9), direction(0.4, 0.0));
    for (_, u) in random_points(100) {
        let wi = direction(0.01 + 0.98 * u.x, 7.0 * u.y);
        let found = oren_nayar(albedo, 0.0).eval(RADIANCE, wo, wi);
        let expected = lambert(albedo).eval(RADIANCE, wo, wi);
        assert!((found - expected).abs().max_element() < 1e-6, "{wi}: {found}, not {expected}");
    }
}

/// Compares single scattering with [Fujii12, improved model], evaluated from angles in f64, on a dark surface, where
/// multiple scattering is negligible.
#[test]
fn oren_nayar_brightens_towards_the_light() {
    let dark = oren_nayar(Vec3::splat(1e-3), 1.0);
    for (cos, back) in [(0.3f32, true), (0.3, false), (0.8, true), (0.8, false)] {
        let wo = direction(cos, 0.0);
        let wi = direction(cos, if back { 0.0 } else { std::f32::consts::PI });
        let theta = f64::from(cos).acos();
        let a = 1.0 / (1.0 + 0.5 - 2.0 / (3.0 * std::f64::consts::PI));
        let s = theta.sin() * theta.sin() * if back { 1.0 } else { -1.0 };
        let t = if s > 0.0 { theta.cos() } else { 1.0 };
        let expected = 1e-3 / std::f64::consts::PI * a * (1.0 + s / t) * theta.cos();
        let found = f64::from(dark.eval(RADIANCE, wo, wi).x);
        assert!((found / expected - 1.0).abs() < 2e-3, "cosine {cos}, {back}: {found}, not {expected}");
    }
}

#[test]
fn glass_splits_light_without_loss() {
    for ior in [1.0, 1.33, 1.5, 2.4, 0.7] {
        for cos in [1.0, 0.6, 0.1, -0.05, -0.6, -1.0] {
            let (bsdf, wo) = (glass(ior), direction(cos, 0.0));
            // Power, not radiance: undo the factor of transmitted radiance, 1 / ior² seen from outside and ior² from
            // inside
            let radiance_scale = if cos > 0.0 { ior * ior } else { 1.0 / (ior * ior) };
            let power = |throughput: Vec3, lobe| {
                if lobe == Lobes::SPECULAR_TRANSMISSION {
                    throughput.x * radiance_scale
                } else {
                    throughput.x
                }
            };
            let split: f32 = bsdf
                .delta_lobes(RADIANCE, wo)
                .into_iter()
                .flatten()
                .map(|l| power(l.throughput, l.lobe))
                .sum();
            assert!((split - 1.0).abs() < 1e-5, "ior {ior}, cosine {cos}: {split}");
            // Each sample carries all of the power
            for (lobe_u, u) in random_points(100) {
                let sample = bsdf.sample(RADIANCE, wo, lobe_u, u).expect("light is reflected or transmitted");
                assert!((power(sample.throughput, sample.lobe) - 1.0).abs() < 1e-5, "{sample:?}");
            }
        }
    }
}

#[test]
fn glass_refracts_by_snells_law() {
    for cos in [0.9f32, 0.3, -0.95] {
        let wo = direction(cos, 0.7);
        let [_, Some(through)] = glass(1.5).delta_lobes(RADIANCE, wo) else {
            panic!("light is transmitted at cosine {cos}")
        };
        let (sin_o, sin_i) = (wo.truncate().length(), through.wi.truncate().length());
        let (n_o, n_i) = if cos > 0.0 { (1.0, 1.5) } else { (1.5, 1.0) };
        assert!((n_o * sin_o - n_i * sin_i).abs() < 1e-6);
        assert!(through.wi.z * wo.z < 0.0, "on the other side");
        assert!((through.wi.truncate() + wo.truncate() * (n_o / n_i)).length() < 1e-6, "in one plane");
        assert!((through.wi.length() - 1.0).abs() < 1e-6);
    }
    let inside = direction(-0.5, 0.0);
    assert!(glass(1.5).delta_lobes(RADIANCE, inside)[1].is_none(), "60° is beyond the critical 41.8°");
}

#[test]
fn glass_lobes_are_chosen_by_fresnel() {
    let wo = direction(0.3, 0.0);
    let bsdf = glass(1.5);
    let [Some(reflection), Some(_)] = bsdf.delta_lobes(RADIANCE, wo) else { panic!("both lobes") };
    let samples = 100_000;
    let reflected = random_points(samples)
        .filter(|&(lobe_u, u)| {
            bsdf.sample(RADIANCE, wo, lobe_u, u).is_some_and(|s| s.lobe == Lobes::SPECULAR_REFLECTION)
        })
        .count();
    assert!((reflected as f32 / samples as f32 - reflection.throughput.x).abs() < 6e-3);
}

/// At normal incidence a conductor reflects `((η - 1)² + k²) / ((η + 1)² + k²)`, at grazing incidence all light; with
/// k = 0 it is a dielectric.
#[test]
fn smooth_conductors_follow_fresnel() {
    let Bsdf::Conductor(gold) = conductor(0.0, false) else { panic!() };
    let lobe = |bsdf: Conductor, cos: f32| {
        Bsdf::Conductor(bsdf).delta_lobes(RADIANCE, direction(cos, 1.0))[0].expect("reflection").throughput
    };
    let (below, above) = (gold.eta - 1.0, gold.eta + 1.0);
    let expected = (below * below + gold.k * gold.k) / (above * above + gold.k * gold.k);
    assert!((lobe(gold, 1.0) - expected).abs().max_element() < 1e-6);
    assert!((lobe(gold, 1e-4) - Vec3::ONE).abs().max_element() < 1e-2);
    let clear = Conductor { eta: Vec3::splat(1.7), k: Vec3::ZERO, ..gold };
    for cos in [1.0, 0.6, -0.2] {
        let [Some(reflection), _] = glass(1.7).delta_lobes(RADIANCE, direction(f32::abs(cos), 1.0)) else {
            panic!("reflection")
        };
        assert!((lobe(clear, cos) - reflection.throughput).abs().max_element() < 1e-5);
    }
}

/// Narrow facets reflect as a smooth surface; rough ones lose light, but never gain.
#[test]
fn facets_lose_light_and_gain_none() {
    for (roughness, is_beckmann) in [(0.05, false), (0.1, true), (0.5, false), (0.5, true), (1.0, false)] {
        let Bsdf::Conductor(gold) = conductor(roughness, is_beckmann) else { panic!() };
        // A perfect reflector
        let white = Bsdf::Conductor(Conductor { eta: Vec3::ZERO, k: Vec3::ONE, ..gold });
        let glass = frosted(1.5, roughness, is_beckmann);
        for cos in COSINES {
            let wo = direction(cos, 0.3);
            let case = format!("roughness {roughness}, Beckmann {is_beckmann}, cosine {cos}");
            let (sampled, error) = sampled_albedo(&white, wo, 20_000);
            let albedo = integrate_hemisphere(wo, lobe_width(roughness), |wi| white.eval(RADIANCE, wo, wi));
            assert!(
                (albedo - sampled).abs().max_element() < 3e-3 + 4.0 * error,
                "{case}: {albedo} {sampled}"
            );
            assert!(albedo.max_element() < 1.0 + 2e-3, "{case}: {albedo}");
            if roughness < 0.2 && cos.abs() > 0.1 {
                assert!(albedo.min_element() > 0.98, "{case}: {albedo}");
            }
            let powers = random_points(20_000)
                .filter_map(|(lobe_u, u)| glass.sample(BsdfContext::IMPORTANCE, wo, lobe_u, u))
                .map(|sample| f64::from(sample.throughput.x));
            let power = powers.sum::<f64>() / 20_000.0;
            assert!(power < 1.0 + 4e-3, "{case}: {power}");
            assert!(roughness > 0.2 || cos.abs() < 0.1 || power > 0.98, "{case}: {power}");
        }
    }
}

/// The base below a smooth coating reflects the fraction `T(μ) ρ (1 - R) / (1 - ρ R)` of the light, and all of what
/// the coating transmits if it is white.
#[test]
fn white_smooth_plastic_reflects_all_light() {
    let smooth = Microfacets::new(0.0, false);
    for (ior, nonlinear) in [(1.3, false), (1.5, true), (1.9, true), (1.0, false)] {
        let white = plastic(Vec3::ONE, Vec3::ONE, ior, smooth, nonlinear);
        for cos in COSINES {
            let (albedo, error) = sampled_albedo(&white, direction(cos, 0.3), 40_000);
            let case = format!("index {ior}, cosine {cos}: {albedo}");
            assert!((albedo - Vec3::ONE).abs().max_element() < 1e-3 + 4.0 * error, "{case}");
            let reflectance = white.reflectance(cos.abs());
            assert!((reflectance - Vec3::ONE).abs().max_element() < 1e-3, "{case}, {reflectance}");
        }
    }
}

#[test]
fn plastic_reflects_its_reflectance() {
    let (diffuse, specular) = (vec3(0.9, 0.5, 0.1), vec3(1.0, 0.5, 0.8));
    for (roughness, is_beckmann, nonlinear) in [(0.3, false, true), (0.5, true, false), (1.0, false, true)] {
        let microfacets = Microfacets::new(roughness, is_beckmann);
        let bsdf = plastic(diffuse, specular, 1.5, microfacets, nonlinear);
        for cos in COSINES {
            let wo = direction(cos, 0.3);
            let (sampled, error) = sampled_albedo(&bsdf, wo, 40_000);
            let integrated =
                integrate_hemisphere(wo, lobe_width(roughness), |wi| bsdf.eval(RADIANCE, wo, wi));
            let case = format!("roughness {roughness}, cosine {cos}: {integrated}");
            assert!((sampled - integrated).abs().max_element() < 2e-3 + 4.0 * error, "{case}, {sampled}");
            assert!(integrated.max_element() < 1.0, "{case}");
            // The base alone: T(μ) ρ ∫ 2 T μ' dμ' / (η² (1 - ρ R))
            let base = plastic(diffuse, Vec3::ZERO, 1.5, microfacets, nonlinear);
            let integrated_base =
                integrate_hemisphere(wo, lobe_width(roughness), |wi| base.eval(RADIANCE, wo, wi));
            let of_base = base.reflectance(cos.abs());
            assert!(
                (of_base - integrated_base).abs().max_element() < 3e-3,
                "{case}, {of_base}, {integrated_base}"
            );
            // That of the facets is approximated
            let reflectance = bsdf.reflectance(cos.abs());
            assert!((reflectance - integrated).abs().max_element() < 0.25, "{case}, {reflectance}");
        }
    }
}

/// Metals and glass without sheen and coating lose light between facets, and never gain any.
#[test]
fn principled_metals_and_glass_conserve_energy() {
    for (metallic, transmission) in [(1.0, 0.0), (0.0, 1.0), (0.5, 1.0)] {
        for (roughness, anisotropy) in [(0.2, 0.0), (0.2, 0.9), (0.5, 0.5), (1.0, 1.0)] {
            let parameters = PrincipledParameters { metallic, transmission, roughness, anisotropy, ..PLAIN };
            let white = Bsdf::Principled(Principled::new(Vec3::ONE, &parameters));
            for cos in [1.0, 0.7, 0.3, 0.1] {
                let (sampled, error) = importance_albedo(&white, direction(cos, 0.5), 20_000);
                let case = format!("{parameters:?}, cosine {cos}: {sampled} ± {error}");
                assert!(sampled.max_element() < 1.0 + 1e-3 + 4.0 * error, "gains energy: {case}");
                let is_smooth = roughness < 0.3 && anisotropy == 0.0 && cos > 0.6;
                assert!(!is_smooth || sampled.min_element() > 0.97, "loses energy: {case}");
            }
        }
    }
}

/// The sheen is sampled even if all light is transmitted and there is no diffuse base.
#[test]
fn sampling_covers_the_sheen_of_transparent_surfaces() {
    for (transmission, sheen_tint) in [(1.0, 0.0), (1.0, 1.0), (0.9, 0.5)] {
        let cloth = PrincipledParameters { transmission, sheen: 1.0, sheen_tint, ..PLAIN };
        let bsdf = principled(&cloth);
        for lobes in [Lobes::DIFFUSE, Lobes::REFLECTION] {
            let context = RADIANCE.with_lobes(lobes);
            for cos in [0.7, 0.3, 0.1] {
                let wo = direction(cos, 0.3);
                let (sampled, error) = albedo_in(context, &bsdf, wo, 100_000);
                let integrated = integrate_hemisphere(wo, 0.25, |wi| bsdf.eval(context, wo, wi));
                let case = format!("{cloth:?}, {lobes:?}, cosine {cos}: {sampled} ± {error}, {integrated}");
                assert!((sampled - integrated).abs().max_element() < 1e-3 + 4.0 * error, "{case}");
                assert!(integrated.max_element() > 2e-3, "{case}");
            }
        }
    }
}
