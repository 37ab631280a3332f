//! `eval`, `sample` and `pdf_solid_angle` of bsdfs are consistent, and bsdfs are reciprocal.

#![allow(
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    reason = "f64 quadrature is the reference"
)]

use crate::common::{
    PLAIN, RADIANCE, brushed, conductor, direction, frosted, glass, integrate_hemisphere, lambert,
    metallic_roughness, mirror, oren_nayar, pane, plastic, principled, random_points,
};
use sunfleck_math::{Vec2, Vec3, vec3};
use sunfleck_shading::{
    Bsdf, BsdfContext, Lobes, Microfacets, PrincipledParameters, RoughDielectric, TransportMode,
};

const COLOR: Vec3 = vec3(0.9, 0.5, 0.2);

fn non_delta_bsdfs() -> Vec<(String, f64, Bsdf)> {
    let mut all = vec![("Lambert".to_string(), 0.5, lambert(COLOR))];
    for roughness in [0.0f32, 0.4, 1.0] {
        all.push((format!("Oren-Nayar, roughness {roughness}"), 0.5, oren_nayar(COLOR, roughness)));
    }
    for roughness in [0.0f32, 0.05, 0.15, 0.4, 1.0] {
        for metallic in [0.0, 0.5, 1.0] {
            let name = format!("roughness {roughness}, metallic {metallic}");
            let width = f64::from((roughness * roughness).max(1e-3));
            all.push((name, width, metallic_roughness(COLOR, metallic, roughness)));
        }
    }
    for (roughness, is_beckmann) in [(0.05f32, false), (0.25, true), (0.4, false), (1.0, true), (1.0, false)]
    {
        let name = format!("roughness {roughness}, Beckmann {is_beckmann}");
        let width = f64::from(roughness * roughness);
        let microfacets = Microfacets::new(roughness, is_beckmann);
        all.push((format!("conductor, {name}"), width, conductor(roughness, is_beckmann)));
        all.push((format!("plastic, {name}"), width, plastic(COLOR, Vec3::ONE, 1.5, microfacets, true)));
    }
    for (roughness, anisotropy, is_beckmann) in [(0.4f32, 0.6, false), (0.8, -0.7, true)] {
        let width = f64::from(roughness * roughness) * 0.4;
        let name = format!("brushed metal, anisotropy {anisotropy}, Beckmann {is_beckmann}");
        all.push((name, width, brushed(roughness, anisotropy, is_beckmann)));
    }
    let layers = [
        PLAIN,
        PrincipledParameters { metallic: 0.6, anisotropy: 0.8, specular_tint: 0.5, ..PLAIN },
        PrincipledParameters { sheen: 1.0, sheen_tint: 0.5, flatness: 0.7, roughness: 0.8, ..PLAIN },
        PrincipledParameters { clearcoat: 1.0, clearcoat_gloss: 0.3, ..PLAIN },
    ];
    all.extend(layers.map(|layers| (format!("{layers:?}"), 0.1, principled(&layers))));
    all
}

fn rough_glass() -> Vec<(String, f64, Bsdf)> {
    let all = [(1.5, 0.1, false), (1.5, 0.5, false), (0.8, 0.4, true), (1.9, 1.0, false)];
    let mut glass: Vec<_> = all
        .into_iter()
        .map(|(ior, roughness, is_beckmann)| {
            let name = format!("index {ior}, roughness {roughness}, Beckmann {is_beckmann}");
            (name, f64::from(roughness * roughness), frosted(ior, roughness, is_beckmann))
        })
        .collect();
    let microfacets = Microfacets::anisotropic(0.6, 0.6, false);
    let stretched = Bsdf::RoughDielectric(RoughDielectric { ior: 1.5, tint: COLOR, microfacets });
    glass.push(("anisotropic facets".to_string(), 0.2, stretched));
    glass
}

fn smooth_plastic() -> (String, f64, Bsdf) {
    let bsdf = plastic(COLOR, vec3(0.9, 1.0, 0.7), 1.5, Microfacets::new(0.0, false), false);
    ("smooth plastic".to_string(), 0.5, bsdf)
}

/// Returns a smooth conductor.
fn smooth_gold() -> (String, f64, Bsdf) {
    ("smooth conductor".to_string(), 0.0, conductor(0.0, false))
}

#[test]
fn throughput_is_eval_over_pdf() {
    for (name, _, bsdf) in non_delta_bsdfs() {
        for cos in [1.0, 0.5, 0.02, -0.3] {
            let wo = direction(cos, 1.0);
            for (lobe_u, u) in random_points(2000) {
                let Some(sample) = bsdf.sample(RADIANCE, wo, lobe_u, u) else { continue };
                let (eval, pdf) =
                    (bsdf.eval(RADIANCE, wo, sample.wi), bsdf.pdf_solid_angle(RADIANCE, wo, sample.wi));
                let case = format!("{name}, cosine {cos}: {sample:?}");
                assert!((sample.wi.length() - 1.0).abs() < 1e-5, "{case}");
                assert!(sample.wi.z * cos > 0.0, "no transmission: {case}");
                assert!((pdf / sample.pdf_solid_angle - 1.0).abs() < 1e-4, "{case}: {pdf}");
                let error = (eval / pdf - sample.throughput).abs().max_element();
                assert!(error <= 1e-4 * sample.throughput.max_element().max(1e-3), "{case}: {eval}");
                assert!(sample.throughput.is_finite() && sample.throughput.min_element() >= 0.0, "{case}");
            }
        }
    }
}

#[test]
fn weights_of_samples_are_bounded() {
    // At roughness 0.03, α = 1e-3, the albedo table is noisy; a rough dielectric reflects much more at grazing facets
    // than at others
    let limit = |roughness: f32, metallic: f32| if roughness < 0.05 || metallic == 0.0 { 6.0 } else { 2.0 };
    for roughness in [0.03, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0] {
        for metallic in [0.0, 0.5, 1.0] {
            let white = metallic_roughness(Vec3::ONE, metallic, roughness);
            for cos in [1.0, 0.4, 0.2, 0.1, 0.03, 0.01, 0.003, 0.001] {
                let wo = direction(cos, 0.0);
                let samples =
                    random_points(20_000).filter_map(|(lobe_u, u)| white.sample(RADIANCE, wo, lobe_u, u));
                let weight = samples.map(|s| s.throughput.max_element()).fold(0.0, f32::max);
                let case = format!("roughness {roughness}, metallic {metallic}, cosine {cos}: {weight}");
                assert!(weight < limit(roughness, metallic), "{case}");
            }
        }
    }
}

#[test]
fn weights_of_samples_of_facets_are_bounded() {
    for (roughness, is_beckmann) in
        [0.05, 0.1, 0.2, 0.4, 0.7, 1.0].into_iter().flat_map(|r| [(r, false), (r, true)])
    {
        let microfacets = Microfacets::new(roughness, is_beckmann);
        // The absolute limits: 4/e for Beckmann's distribution, times the ratio of the masking functions
        let limit = if is_beckmann { 3.0 } else { 1.01 };
        let lacquer = plastic(Vec3::ONE, Vec3::ONE, 1.5, microfacets, false);
        for (bsdf, limit) in [
            (conductor(roughness, is_beckmann), limit),
            (frosted(1.5, roughness, is_beckmann), limit),
            (lacquer, 6.0),
        ] {
            for cos in [1.0, 0.4, 0.1, 0.01, -0.3] {
                let wo = direction(cos, 0.0);
                let samples = random_points(20_000)
                    .filter_map(|(lobe_u, u)| bsdf.sample(BsdfContext::IMPORTANCE, wo, lobe_u, u));
                let weight = samples.map(|s| s.throughput.max_element()).fold(0.0, f32::max);
                assert!(weight < limit, "{bsdf:?}, cosine {cos}: {weight}");
            }
        }
    }
}

#[test]
fn rough_glass_is_consistent_on_both_sides() {
    for (name, _, bsdf) in rough_glass() {
        for (cos, mode) in [1.0, 0.5, 0.02, -0.3, -0.9]
            .into_iter()
            .flat_map(|cos| [(cos, TransportMode::Radiance), (cos, TransportMode::Importance)])
        {
            let (context, wo) = (BsdfContext { mode, lobes: Lobes::ALL }, direction(cos, 1.0));
            for (lobe_u, u) in random_points(2000) {
                let Some(sample) = bsdf.sample(context, wo, lobe_u, u) else { continue };
                let (eval, pdf) =
                    (bsdf.eval(context, wo, sample.wi), bsdf.pdf_solid_angle(context, wo, sample.wi));
                let case = format!("{name}, cosine {cos}: {sample:?}");
                assert!((sample.wi.length() - 1.0).abs() < 1e-5, "{case}");
                let is_reflected = sample.lobe == Lobes::SPECULAR_REFLECTION;
                assert_eq!(sample.wi.z * cos > 0.0, is_reflected, "{case}");
                let (n_o, n_i) = if is_reflected { (1.0, 1.0) } else { (1.0, sample.eta) };
                assert!(is_reflected || sample.eta != 1.0 && sample.eta > 0.0, "{case}");
                // Directions refracted by facets are recovered with less precision, as their half vector is a difference
                assert!((pdf / sample.pdf_solid_angle - 1.0).abs() < 5e-3 * (n_o + n_i), "{case}: {pdf}");
                let error = (eval / pdf - sample.throughput).abs().max_element();
                assert!(error <= 2e-3 * sample.throughput.max_element().max(1e-2), "{case}: {}", eval / pdf);
                assert!(sample.throughput.is_finite() && sample.throughput.min_element() >= 0.0, "{case}");
            }
        }
    }
}

#[test]
fn rough_glass_is_reciprocal_up_to_the_squared_indices() {
    for (name, _, bsdf) in rough_glass() {
        for (_, u) in random_points(2000) {
            let (a, b) = (direction(0.01 + 0.98 * u.x, 0.0), direction(1.98 * u.y - 0.99, 40.0 * u.x));
            if b.z.abs() < 0.01 {
                continue;
            }
            // f(a, b) of radiance is f(b, a) of importance [Veach97, §5.2]
            let there = bsdf.eval(RADIANCE, a, b) / b.z.abs();
            let back = bsdf.eval(BsdfContext::IMPORTANCE, b, a) / a.z;
            let error = (there - back).abs().max_element();
            assert!(error <= 6e-3 * there.max_element().max(1e-3), "{name}: {a} {b}: {there}, {back}");
        }
    }
}

#[test]
fn pdf_integrates_to_the_fraction_of_valid_samples() {
    for (name, width, bsdf) in non_delta_bsdfs() {
        for cos in [1.0, 0.5, 0.1, -0.3] {
            let wo = direction(cos, 0.2);
            let integral =
                integrate_hemisphere(wo, width, |wi| Vec3::splat(bsdf.pdf_solid_angle(RADIANCE, wo, wi))).x;
            let samples = 20_000;
            let kept = random_points(samples)
                .filter(|&(lobe_u, u)| bsdf.sample(RADIANCE, wo, lobe_u, u).is_some())
                .count();
            let share = kept as f32 / samples as f32;
            assert!(integral < 1.0 + 2e-3, "{name}, cosine {cos}: {integral}");
            assert!((integral - share).abs() < 6e-3, "{name}, cosine {cos}: {integral}, {share}");
        }
    }
}

#[test]
fn reflection_is_reciprocal() {
    for (name, _, bsdf) in non_delta_bsdfs() {
        for (_, u) in random_points(500) {
            let (a, b) = (direction(0.01 + 0.98 * u.x, 0.0), direction(0.01 + 0.98 * u.y, 40.0 * u.x));
            let (there, back) = (bsdf.eval(RADIANCE, a, b) / b.z, bsdf.eval(RADIANCE, b, a) / a.z);
            let error = (there - back).abs().max_element();
            assert!(error <= 1e-4 * there.max_element().max(1e-6), "{name}: {a} {b}: {there}, {back}");
        }
    }
}

#[test]
fn transmission_is_reciprocal_up_to_the_squared_indices() {
    for ior in [1.33f32, 1.5, 0.8] {
        for cos in [0.95, 0.7] {
            let bsdf = glass(ior);
            let wo = direction(cos, 0.4);
            let through = bsdf.delta_lobes(RADIANCE, wo)[1].expect("light passes");
            let back = bsdf.delta_lobes(RADIANCE, through.wi)[1].expect("light passes back");
            assert!((back.wi - wo).length() < 1e-5);
            // Radiance divided by n² is constant along a ray, and importance is constant [Veach97, §5.2]: the
            // throughput of importance is that of radiance times eta²
            let importance = bsdf.delta_lobes(BsdfContext::IMPORTANCE, wo)[1].expect("light passes");
            assert_eq!((importance.wi, importance.eta), (through.wi, through.eta), "ior {ior}");
            let expected = through.throughput * (through.eta * through.eta);
            assert!((importance.throughput - expected).abs().max_element() < 1e-5, "ior {ior}");
            let (there, back) = (through.throughput.x * ior * ior, back.throughput.x / (ior * ior));
            assert!((there - back).abs() < 1e-5, "ior {ior}: {there}, {back}");
        }
    }
}

/// Kinds of lobes.
const KINDS: [Lobes; 3] = [Lobes::DIFFUSE, Lobes::GLOSSY, Lobes::SPECULAR];

#[test]
fn lobes_sum_to_the_whole_bsdf() {
    for (name, _, bsdf) in non_delta_bsdfs() {
        for (_, u) in random_points(200) {
            let (wo, wi) = (direction(0.01 + 0.98 * u.x, 0.0), direction(0.01 + 0.98 * u.y, 40.0 * u.x));
            let whole = bsdf.eval(RADIANCE, wo, wi);
            let parts = KINDS.map(|lobes| bsdf.eval(RADIANCE.with_lobes(lobes), wo, wi));
            let sum = parts.into_iter().sum::<Vec3>();
            assert!(
                (sum - whole).abs().max_element() <= 1e-5 * whole.max_element(),
                "{name}: {parts:?} {whole}"
            );
            for (part, lobes) in parts.into_iter().zip(KINDS) {
                assert!(
                    bsdf.lobes().intersects(lobes) || part == Vec3::ZERO,
                    "{name} has no {lobes:?}: {part}"
                );
            }
            let none = RADIANCE.with_lobes(Lobes::TRANSMISSION);
            assert_eq!(bsdf.eval(none, wo, wi), Vec3::ZERO, "{name}");
        }
    }
}

#[test]
fn samples_come_from_the_requested_lobes() {
    for (name, _, bsdf) in non_delta_bsdfs()
        .into_iter()
        .chain([("mirror".to_string(), 0.0, mirror()), ("glass".to_string(), 0.0, glass(1.5))])
        .chain([true, false].map(|lets_pass| (format!("pane, {lets_pass}"), 0.0, pane(lets_pass))))
        .chain([smooth_gold(), smooth_plastic()])
    {
        for lobes in KINDS.into_iter().chain([Lobes::NON_SPECULAR, Lobes::REFLECTION, Lobes::TRANSMISSION]) {
            let context = RADIANCE.with_lobes(lobes);
            let wo = direction(0.6, 0.3);
            for (lobe_u, u) in random_points(500) {
                let Some(sample) = bsdf.sample(context, wo, lobe_u, u) else { continue };
                let case = format!("{name}, {lobes:?}: {sample:?}");
                assert!(lobes.contains(sample.lobe) && bsdf.lobes().contains(sample.lobe), "{case}");
                if !sample.is_delta() {
                    let (eval, pdf) =
                        (bsdf.eval(context, wo, sample.wi), bsdf.pdf_solid_angle(context, wo, sample.wi));
                    assert!((pdf / sample.pdf_solid_angle - 1.0).abs() < 1e-4, "{case}: {pdf}");
                    let error = (eval / pdf - sample.throughput).abs().max_element();
                    assert!(error <= 1e-4 * sample.throughput.max_element().max(1e-3), "{case}: {eval}");
                }
            }
            let samples =
                random_points(500).filter(|&(lobe_u, u)| bsdf.sample(context, wo, lobe_u, u).is_some());
            assert_eq!(samples.count() > 0, bsdf.lobes().intersects(lobes), "{name}, {lobes:?}");
        }
    }
}

#[test]
fn both_sides_scatter_alike() {
    let flip = |v: Vec3| vec3(v.x, v.y, -v.z);
    for (name, _, bsdf) in non_delta_bsdfs() {
        let (wo, wi) = (direction(0.6, 0.0), direction(0.3, 2.0));
        assert_eq!(bsdf.eval(RADIANCE, wo, wi), bsdf.eval(RADIANCE, flip(wo), flip(wi)), "{name}");
        assert_eq!(bsdf.eval(RADIANCE, wo, flip(wi)), Vec3::ZERO, "{name}: no transmission");
        assert_eq!(bsdf.pdf_solid_angle(RADIANCE, wo, flip(wi)), 0.0, "{name}: no transmission");
    }
}

#[test]
fn delta_lobes_are_zero_in_eval_and_pdf() {
    let wo = direction(0.8, 0.0);
    for bsdf in [mirror(), glass(1.5), pane(true), pane(false), smooth_gold().2] {
        assert!(bsdf.is_delta());
        let sample = bsdf.sample(RADIANCE, wo, 0.0, Vec2::ZERO).expect("reflection");
        assert!(sample.is_delta());
        assert_eq!(sample.wi, vec3(-wo.x, -wo.y, wo.z));
        assert_eq!(sample.pdf_solid_angle, 0.0);
        assert_eq!(bsdf.eval(RADIANCE, wo, sample.wi), Vec3::ZERO);
        assert_eq!(bsdf.pdf_solid_angle(RADIANCE, wo, sample.wi), 0.0);
    }
    let sample = mirror().sample(RADIANCE, wo, 0.5, Vec2::ZERO).expect("reflection");
    assert_eq!(sample.throughput, mirror().albedo());
}

#[test]
fn smooth_plastic_has_a_delta_lobe_and_a_base() {
    let (_, _, bsdf) = smooth_plastic();
    for cos in [0.9, -0.2] {
        let wo = direction(cos, 0.3);
        assert!(!bsdf.is_delta());
        let [Some(mirrored), None] = bsdf.delta_lobes(RADIANCE, wo) else { panic!("one delta lobe") };
        let mut count = 0;
        for (lobe_u, u) in random_points(2000) {
            let sample = bsdf.sample(RADIANCE, wo, lobe_u, u).expect("all directions are above the surface");
            if sample.is_delta() {
                count += 1;
                assert_eq!((sample.wi, sample.lobe), (vec3(-wo.x, -wo.y, wo.z), Lobes::SPECULAR_REFLECTION));
                let error = (sample.throughput * mirrored.probability - mirrored.throughput).abs();
                assert!(error.max_element() < 1e-6, "{sample:?}, {mirrored:?}");
            } else {
                let (eval, pdf) =
                    (bsdf.eval(RADIANCE, wo, sample.wi), bsdf.pdf_solid_angle(RADIANCE, wo, sample.wi));
                assert_eq!(sample.lobe, Lobes::DIFFUSE_REFLECTION);
                assert!((eval / pdf - sample.throughput).abs().max_element() < 1e-5, "{sample:?}");
            }
        }
        assert!((count as f32 / 2000.0 - mirrored.probability).abs() < 0.05, "{count}, {mirrored:?}");
    }
}

#[test]
fn directions_in_the_surface_scatter_nothing_and_no_nan() {
    for bsdf in non_delta_bsdfs().into_iter().map(|(_, _, b)| b).chain([
        mirror(),
        glass(1.5),
        pane(true),
        smooth_gold().2,
        smooth_plastic().2,
        frosted(1.5, 0.3, false),
    ]) {
        let flat = vec3(1.0, 0.0, 0.0);
        assert_eq!(bsdf.eval(RADIANCE, flat, Vec3::Z), Vec3::ZERO);
        assert_eq!(bsdf.eval(RADIANCE, Vec3::Z, flat), Vec3::ZERO);
        for (lobe_u, u) in random_points(50) {
            assert!(bsdf.sample(RADIANCE, flat, lobe_u, u).is_none());
        }
        let nearly = direction(1e-4, 0.0);
        for (lobe_u, u) in random_points(2000) {
            if let Some(sample) = bsdf.sample(RADIANCE, nearly, lobe_u, u) {
                assert!(sample.throughput.is_finite() && sample.wi.is_finite(), "{bsdf:?}: {sample:?}");
            }
        }
    }
}
