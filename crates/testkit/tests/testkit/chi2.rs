//! The χ² test accepts correct densities, rejects slightly wrong ones, and reports the right kind of failure.

#![allow(missing_docs, reason = "a test")]

use std::f32::consts::{FRAC_1_PI, PI, TAU};

use sunfleck_math::{Vec2, Vec3, sin_cos, vec2, vec3};
use sunfleck_testkit::chi2::{self, ChiSquare, Failure};

fn from_z_and_phi(z: f32, phi: f32) -> Vec3 {
    let (sin_phi, cos_phi) = sin_cos(phi);
    let sin_theta = (1.0 - z * z).max(0.0).sqrt();
    vec3(sin_theta * cos_phi, sin_theta * sin_phi, z)
}

fn cosine_hemisphere(u: Vec2) -> Vec3 {
    from_z_and_phi((1.0 - u.x).sqrt(), TAU * u.y)
}

fn cosine_pdf(d: Vec3) -> f32 {
    d.z.max(0.0) * FRAC_1_PI
}

/// Returns a sampler of directions about +z with a density proportional to z^n.
fn phong(n: f32) -> impl Fn(Vec2) -> Vec3 {
    move |u| from_z_and_phi(sunfleck_math::pow(1.0 - u.x, 1.0 / (n + 1.0)), TAU * u.y)
}

fn phong_pdf(n: f32) -> impl Fn(Vec3) -> f32 {
    move |d| if d.z > 0.0 { (n + 1.0) / TAU * sunfleck_math::pow(d.z, n) } else { 0.0 }
}

#[track_caller]
fn assert_mismatch<V: Copy + std::fmt::Debug>(test: &ChiSquare<'_, V>) {
    let result = test.test();
    assert!(matches!(result, Err(Failure::Mismatch { .. })), "{result:?}");
}

#[test]
fn correct_densities_are_accepted_on_every_domain() {
    chi2::sphere(cosine_hemisphere, cosine_pdf).tests(7).check("cosine hemisphere on the sphere");
    chi2::hemisphere(cosine_hemisphere, cosine_pdf).tests(7).check("cosine hemisphere on the hemisphere");
    chi2::unit_square(|u: Vec2| u, |_| 1.0).tests(7).check("uniform square");
    let triangle = chi2::unit_square(
        |u: Vec2| if u.x + u.y < 1.0 { u } else { Vec2::ONE - u },
        |p| if p.x + p.y < 1.0 { 2.0 } else { 0.0 },
    );
    triangle.tests(7).check("uniform triangle: an edge along a diagonal");
    let disk = |u: Vec2| from_z_and_phi(0.0, TAU * u.y).truncate() * u.x.sqrt();
    chi2::unit_disk(disk, |_| FRAC_1_PI).tests(7).check("uniform disk");
    chi2::interval(-1.0, 1.0, |u: f32| 2.0 * u.sqrt() - 1.0, |x| 0.5 * (x + 1.0)).tests(7).check("ramp");
    chi2::discrete(
        3,
        |u: f32| (1..3).filter(|&i| u * u * 3.0 > i as f32).count(),
        |i| ((i + 1) as f32 / 3.0).sqrt() - (i as f32 / 3.0).sqrt(),
    )
    .tests(7)
    .check("indices");
}

#[test]
fn about_one_seed_in_a_hundred_is_rejected() {
    let rejected = (0..200).filter(|&seed| {
        let test =
            chi2::unit_square(|u: Vec2| vec2(u.x.sqrt(), u.y), |p| 2.0 * p.x).samples(20_000).cells(16, 16);
        test.seed(seed).test().is_err()
    });
    // Binomial with mean 2: more than 8 has a probability of 2e-4
    assert!(rejected.count() <= 8, "the significance is 1 %");
}

#[test]
fn peaks_off_the_pole_are_integrated() {
    // A lobe of three degrees in an arbitrary direction, narrower than a cell
    let frame = sunfleck_math::Frame::from_normal(vec3(0.48, 0.6, 0.64));
    let sample = phong(500.0);
    let pdf = phong_pdf(500.0);
    chi2::sphere(|u: Vec2| frame.world_from_local(sample(u)), |d| pdf(frame.local_from_world(d)))
        .check("narrow lobe");
    chi2::cap(0.05, phong(500.0), phong_pdf(500.0)).check("narrow lobe on a cap");
    assert_mismatch(&chi2::cap(0.05, phong(500.0), phong_pdf(525.0)));
}

#[test]
fn densities_that_are_five_percent_off_are_rejected() {
    // Tilted: too large on one side
    assert_mismatch(&chi2::sphere(cosine_hemisphere, |d: Vec3| cosine_pdf(d) * (1.0 + 0.05 * d.x)));
    // Another exponent
    assert_mismatch(&chi2::sphere(cosine_hemisphere, |d: Vec3| phong_pdf(1.05)(d)));
    assert_mismatch(&chi2::interval(0.0, 1.0, |u: f32| u.sqrt(), |x| 1.9 * x + 0.05));
    assert_mismatch(&chi2::discrete(2, |u: f32| usize::from(u > 0.5), |i| [0.475, 0.525][i]));
}

#[test]
fn densities_that_are_wrong_by_a_factor_are_rejected() {
    let failure = chi2::sphere(cosine_hemisphere, |d: Vec3| 1.05 * cosine_pdf(d)).test();
    assert!(
        matches!(failure, Err(Failure::ExcessivePdf { integral }) if (integral - 1.05).abs() < 1e-4),
        "{failure:?}"
    );
    assert_mismatch(&chi2::sphere(cosine_hemisphere, |d: Vec3| 0.95 * cosine_pdf(d)));
    assert_mismatch(&chi2::sphere(cosine_hemisphere, |d: Vec3| 0.999 * cosine_pdf(d)));
}

#[test]
fn samplers_may_fail() {
    // Samples below a tilted horizon are absorbed, as with a microfacet lobe
    let above = |d: &Vec3| d.z + d.x > 0.0;
    let sample = |u: Vec2| Some(cosine_hemisphere(u)).filter(above);
    chi2::sphere(sample, |d: Vec3| if above(&d) { cosine_pdf(d) } else { 0.0 }).check("absorbing horizon");
    // The density must be zero for directions that are absorbed …
    assert_mismatch(&chi2::sphere(sample, cosine_pdf));
    // … and must not integrate to 1 if samples fail
    let unreported_failures =
        chi2::sphere(|u: Vec2| Some(cosine_hemisphere(u)).filter(|_| u.x > 0.01), cosine_pdf);
    let result = unreported_failures.test();
    assert!(result.is_err(), "{result:?}");
}

#[test]
fn samples_where_the_density_is_zero_are_rejected() {
    let full_sphere = |u: Vec2| from_z_and_phi(2.0 * u.x - 1.0, TAU * u.y);
    let result = chi2::sphere(full_sphere, |d: Vec3| if d.z > 0.0 { 0.5 / PI } else { 0.0 }).test();
    assert!(matches!(result, Err(Failure::ImpossibleSamples { .. })), "{result:?}");
    let result = chi2::hemisphere(full_sphere, |_| 0.5 / PI).test();
    assert!(matches!(result, Err(Failure::OutsideDomain { .. })), "{result:?}");
}

#[test]
fn invalid_densities_and_samples_are_reported() {
    let result = chi2::unit_square(|u: Vec2| u, |p| if p.x > 0.9 { f32::NAN } else { 1.0 }).test();
    assert!(matches!(result, Err(Failure::InvalidPdf { .. })), "{result:?}");
    let result = chi2::unit_square(|u: Vec2| u, |p| p.x - 0.1).test();
    assert!(matches!(result, Err(Failure::InvalidPdf { pdf, .. }) if pdf < 0.0), "{result:?}");
    let result = chi2::unit_square(|_: Vec2| Vec2::NAN, |_| 1.0).test();
    assert!(matches!(result, Err(Failure::OutsideDomain { .. })), "{result:?}");
    let result = chi2::unit_square(|u: Vec2| u, |_| 1.0).samples(6).test();
    assert_eq!(result, Err(Failure::TooFewGroups { groups: 1 }), "6 samples");
}

#[test]
#[should_panic(expected = "χ² test of 'tilted'")]
fn check_panics_with_the_name() {
    chi2::sphere(cosine_hemisphere, |d: Vec3| cosine_pdf(d) * (1.0 + 0.1 * d.x)).check("tilted");
}

#[test]
fn the_message_shows_observed_and_expected_counts() {
    let result = chi2::unit_square(|u: Vec2| u, |p| 0.9 + 0.2 * p.x).test();
    let message = result.expect_err("a wrong density").to_string();
    let rows = |title: &str| {
        let after = message.lines().skip_while(|line| !line.starts_with(title)).skip(1);
        after.take_while(|line| line.starts_with(' ')).count()
    };
    assert_eq!((rows("observed:"), rows("expected:"), rows("worst cells")), (8, 8, 8), "{message}");
}
