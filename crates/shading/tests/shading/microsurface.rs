//! Multiple scattering between microfacets, compared with random walks on the microsurface [Heitz16].
//!
//! The walk is tested first, with what is known exactly: its single scattering is that of GGX with height-correlated
//! masking and shadowing, and a white surface in a white furnace reflects the same radiance in all directions.

#![allow(
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "f64 estimates are the reference"
)]

use std::cell::RefCell;
use std::f64::consts::PI;

use crate::common::microsurface::{Escaped, Microsurface};
use crate::common::{RADIANCE, direction, integrate_hemisphere, metallic_roughness};
use sunfleck_math::{Vec2, Vec3, vec3};
use sunfleck_shading::{Bsdf, Lobes};
use sunfleck_testkit::{Random, chi2};

const ROUGHNESSES: [f32; 4] = [0.2, 0.5, 0.8, 1.0];
const COSINES: [f32; 5] = [0.1, 0.2, 0.5, 0.8, 1.0];
/// Reflectances at normal incidence.
const F0: [f64; 4] = [1.0, 0.8, 0.5, 0.2];
const WALKS: u32 = 200_000;

fn microsurface(roughness: f32) -> Microsurface {
    Microsurface { alpha: f64::from(roughness * roughness) }
}

/// Returns the metal with a grey reflectance at normal incidence.
fn metal(f0: f64, roughness: f32) -> Bsdf {
    metallic_roughness(Vec3::splat(f0 as f32), 1.0, roughness)
}

/// Returns the direction with the same cosine in f64, of unit length.
fn from_cosine(cos: f32) -> [f64; 3] {
    let cos = f64::from(cos);
    [(1.0 - cos * cos).sqrt(), 0.0, cos]
}

fn to_vec3(direction: [f64; 3]) -> Vec3 {
    vec3(direction[0] as f32, direction[1] as f32, direction[2] as f32)
}

/// Returns what the requested lobes reflect of the light from all directions, in a white furnace.
fn albedo(bsdf: &Bsdf, lobes: Lobes, roughness: f32, cos: f32) -> f64 {
    let (context, wo) = (RADIANCE.with_lobes(lobes), direction(cos, 0.0));
    let width = f64::from(roughness * roughness);
    f64::from(integrate_hemisphere(wo, width, |wi| bsdf.eval(context, wo, wi)).x)
}

#[test]
fn single_scattering_of_the_walk_is_ggx() {
    for roughness in ROUGHNESSES {
        let white = metal(1.0, roughness);
        for cos in COSINES {
            let random = RefCell::new(Random::new(2));
            let sample = |_: f32| {
                let escaped = microsurface(roughness).walk(&mut random.borrow_mut(), from_cosine(cos), [1.0]);
                (escaped.bounces == 1).then(|| to_vec3(escaped.direction))
            };
            let context = RADIANCE.with_lobes(Lobes::GLOSSY | Lobes::SPECULAR);
            let pdf = |wi: Vec3| white.eval(context, direction(cos, 0.0), wi).x;
            chi2::sphere(sample, pdf)
                .samples(WALKS)
                .tests(20)
                .check(&format!("roughness {roughness}, cosine {cos}"));
        }
    }
}

#[test]
fn radiance_in_a_white_furnace_is_uniform() {
    for roughness in ROUGHNESSES {
        let random = RefCell::new(Random::new(3));
        let sample = |u: Vec2| {
            let from = from_cosine(u.x.sqrt().max(1e-3));
            let escaped = microsurface(roughness).walk(&mut random.borrow_mut(), from, [1.0]);
            // The azimuth of the light is uniform, too
            let (sin, cos) = (f64::from(u.y) * std::f64::consts::TAU).sin_cos();
            let [x, y, z] = escaped.direction;
            to_vec3([x * cos - y * sin, x * sin + y * cos, z])
        };
        let cosine_weighted = |wi: Vec3| wi.z.max(0.0) * std::f32::consts::FRAC_1_PI;
        chi2::sphere(sample, cosine_weighted)
            .samples(WALKS)
            .tests(4)
            .check(&format!("roughness {roughness}"));
    }
}

/// Light reflected by walks from one direction, summed over cells of equal projected solid angle.
///
/// A cell is one of [`RINGS`] rings of cosines, and one of [`SECTORS`] sectors of the azimuth: the first is where the
/// light comes from, the last one where a mirror reflects it.
#[derive(Clone, Copy, Debug, Default)]
struct Reflected {
    single: [[f64; SECTORS]; RINGS],
    multiple: [[f64; SECTORS]; RINGS],
}

const RINGS: usize = 6;
const SECTORS: usize = 4;

impl Reflected {
    /// Estimates the light for each reflectance of [`F0`].
    fn from_direction(cos: f32, roughness: f32) -> [Self; F0.len()] {
        let mut reflected = [Self::default(); F0.len()];
        let mut random = Random::new(1);
        for _ in 0..WALKS {
            let Escaped { direction: [x, y, z], bounces, throughput } =
                microsurface(roughness).walk(&mut random, from_cosine(cos), F0);
            let ring = ((z * z * RINGS as f64) as usize).min(RINGS - 1);
            let sector = ((y.abs().atan2(x) / PI * SECTORS as f64) as usize).min(SECTORS - 1);
            for (reflected, throughput) in reflected.iter_mut().zip(throughput) {
                let cells = if bounces == 1 { &mut reflected.single } else { &mut reflected.multiple };
                cells[ring][sector] += throughput / f64::from(WALKS);
            }
        }
        reflected
    }

    fn single_albedo(&self) -> f64 {
        self.single.as_flattened().iter().sum()
    }

    fn multiple_albedo(&self) -> f64 {
        self.multiple.as_flattened().iter().sum()
    }

    /// Returns the fraction of the multiply scattered light that a lobe of the same energy, with the given amounts of
    /// light in the cells, reflects into other cells.
    fn misplaced(&self, lobe: &[[f64; SECTORS]; RINGS]) -> f64 {
        let (lobe, sum) = (lobe.as_flattened(), lobe.as_flattened().iter().sum::<f64>());
        let cells = self.multiple.as_flattened().iter().zip(lobe);
        cells.map(|(walks, lobe)| 0.5 * (walks / self.multiple_albedo() - lobe / sum).abs()).sum()
    }
}

/// Returns the light of the bsdf's multiple-scattering lobe in the cells of [`Reflected`]. The lobe does not depend on
/// the azimuth.
fn lobe_cells(bsdf: &Bsdf, cos: f32) -> [[f64; SECTORS]; RINGS] {
    const STEPS: usize = 500;
    let (context, wo) = (RADIANCE.with_lobes(Lobes::DIFFUSE_REFLECTION), direction(cos, 0.0));
    std::array::from_fn(|ring| {
        let radiance = |step: usize| {
            let cos2 = (ring as f64 + (step as f64 + 0.5) / STEPS as f64) / RINGS as f64;
            let wi = direction(cos2.sqrt() as f32, 0.0);
            f64::from(bsdf.eval(context, wo, wi).x / wi.z)
        };
        let mean = (0..STEPS).map(radiance).sum::<f64>() / STEPS as f64;
        [mean * PI / (RINGS * SECTORS) as f64; SECTORS]
    })
}

/// The albedos of coloured metals are approximations. Facets that meet light at grazing angles reflect more of it than
/// the mean reflectance that the bsdf assumes for all directions.
#[test]
fn albedos_of_metals() {
    for roughness in ROUGHNESSES {
        for cos in COSINES {
            for (reflected, f0) in Reflected::from_direction(cos, roughness).iter().zip(F0) {
                let expected = reflected.single_albedo() + reflected.multiple_albedo();
                let bsdf = metal(f0, roughness);
                let found = albedo(&bsdf, Lobes::ALL, roughness, cos);
                let deviation = found / expected - 1.0;
                let case = format!(
                    "roughness {roughness}, cosine {cos}, F0 {f0}: {found}, by random walks {expected}, {:+.1} %",
                    100.0 * deviation
                );
                let limit = match f0 {
                    1.0 => 1e-3,
                    0.8 => 0.03,
                    0.5 => 0.045,
                    _ => 0.055,
                };
                assert!(deviation.abs() < limit, "{case}");
            }
        }
    }
}

/// Where much light is scattered several times, it leaves in nearly the directions of the bsdf's lobe. Single
/// scattering scaled to the same energy [Turquin19], as in Cycles, is farther from the random walks.
#[test]
fn directions_of_multiply_scattered_light() {
    for roughness in [0.8, 1.0] {
        for cos in COSINES {
            for (reflected, f0) in Reflected::from_direction(cos, roughness).iter().zip(F0) {
                let ours = reflected.misplaced(&lobe_cells(&metal(f0, roughness), cos));
                let scaled = reflected.misplaced(&reflected.single);
                let case = format!("roughness {roughness}, cosine {cos}, F0 {f0}");
                assert!(ours < 0.2, "{case}: {ours} of the light is misplaced");
                if cos >= 0.5 && f0 >= 0.5 {
                    assert!(ours < 0.5 * scaled, "{case}: {ours}, by scaled single scattering {scaled}");
                }
            }
        }
    }
}

/// Cycles scales single scattering [Turquin19]. It differs from the bsdf by the errors of both, most of which are those
/// of the scaled lobe: light that was scattered several times is missing where single scattering is weak.
#[test]
fn scaled_single_scattering_differs_with_the_angle() {
    let (roughness, f0) = (1.0, F0[2]);
    let mean_kept = mean_kept(roughness);
    let (mut bsdf_range, mut scaled_range) = (Range::NONE, Range::NONE);
    for cos in [0.5, 0.8, 1.0] {
        let reflected = Reflected::from_direction(cos, roughness);
        let kept = (reflected[0].single_albedo(), mean_kept);
        let scale = scale_of_single_scattering(f0, kept);
        let cells = lobe_cells(&metal(f0, roughness), cos);
        for cell in 0..RINGS * SECTORS {
            let single = reflected[2].single.as_flattened()[cell];
            let expected = single + reflected[2].multiple.as_flattened()[cell];
            bsdf_range.add((single + cells.as_flattened()[cell]) / expected);
            scaled_range.add(single * scale / expected);
        }
    }
    assert!(bsdf_range.0 > 0.93 && bsdf_range.1 < 1.05, "bsdf: {bsdf_range:?}");
    assert!(scaled_range.0 < 0.8 && scaled_range.1 > 1.15, "scaled single scattering: {scaled_range:?}");
}

/// Returns the factor by which Cycles scales single scattering: [Turquin19], with the colour of [Kulla17].
///
/// * `kept` — albedo of single scattering for perfectly reflecting facets, and its mean over all directions.
fn scale_of_single_scattering(f0: f64, (kept, mean_kept): (f64, f64)) -> f64 {
    let f = f0 + (1.0 - f0) / 21.0;
    1.0 + f * mean_kept / (1.0 - f * (1.0 - mean_kept)) * (1.0 - kept) / kept
}

/// Returns the cosine-weighted mean of the albedo of single scattering for perfectly reflecting facets.
fn mean_kept(roughness: f32) -> f64 {
    const STEPS: u16 = 16;
    let (white, lobes) = (metal(1.0, roughness), Lobes::GLOSSY | Lobes::SPECULAR);
    let cosine = |step: u16| ((f32::from(step) + 0.5) / f32::from(STEPS)).sqrt();
    (0..STEPS).map(|step| albedo(&white, lobes, roughness, cosine(step))).sum::<f64>() / f64::from(STEPS)
}

/// Least and greatest of several numbers.
#[derive(Clone, Copy, Debug)]
struct Range(f64, f64);

impl Range {
    const NONE: Self = Self(f64::INFINITY, 0.0);

    fn add(&mut self, x: f64) {
        *self = Self(self.0.min(x), self.1.max(x));
    }
}
