//! Bsdfs, random numbers and quadrature that several tests use.

#![allow(dead_code, reason = "each test uses a part")]
#![allow(
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    reason = "f64 quadrature is the reference"
)]

pub(crate) mod microsurface;

use sunfleck_math::{Vec2, Vec3, sin_cos, vec3};
use sunfleck_shading::{
    Bsdf, BsdfContext, Coating, Conductor, Dielectric, Lambert, MetallicRoughness, Microfacets, Mirror,
    OrenNayar, Plastic, Principled, PrincipledParameters, RoughDielectric, ThinDielectric,
};
use sunfleck_testkit::{Random, Uniforms};

/// Context of camera paths, with all lobes.
pub(crate) const RADIANCE: BsdfContext = BsdfContext::RADIANCE;

pub(crate) fn lambert(albedo: Vec3) -> Bsdf {
    Bsdf::Lambert(Lambert { albedo })
}

pub(crate) fn metallic_roughness(base: Vec3, metallic: f32, roughness: f32) -> Bsdf {
    Bsdf::MetallicRoughness(MetallicRoughness::new(base, metallic, roughness))
}

pub(crate) fn oren_nayar(albedo: Vec3, roughness: f32) -> Bsdf {
    Bsdf::OrenNayar(OrenNayar { albedo, roughness })
}

pub(crate) fn mirror() -> Bsdf {
    Bsdf::Mirror(Mirror { reflectance: vec3(0.9, 0.8, 0.7) })
}

pub(crate) fn glass(ior: f32) -> Bsdf {
    Bsdf::Dielectric(Dielectric { ior, tint: Vec3::ONE })
}

pub(crate) fn pane(lets_pass: bool) -> Bsdf {
    Bsdf::ThinDielectric(ThinDielectric { ior: 1.5, tint: vec3(0.9, 1.0, 0.4), lets_pass, ng: Vec3::Z })
}

/// Returns gold.
pub(crate) fn conductor(roughness: f32, is_beckmann: bool) -> Bsdf {
    Bsdf::Conductor(Conductor {
        reflectance: Vec3::ONE,
        eta: vec3(0.143_119, 0.374_957, 1.442_479),
        k: vec3(3.983_16, 2.385_721, 1.603_215),
        microfacets: Microfacets::new(roughness, is_beckmann),
    })
}

/// Returns rough glass.
pub(crate) fn frosted(ior: f32, roughness: f32, is_beckmann: bool) -> Bsdf {
    let microfacets = Microfacets::new(roughness, is_beckmann);
    Bsdf::RoughDielectric(RoughDielectric { ior, tint: Vec3::ONE, microfacets })
}

pub(crate) fn plastic(
    diffuse: Vec3,
    specular: Vec3,
    ior: f32,
    microfacets: Microfacets,
    nonlinear: bool,
) -> Bsdf {
    Bsdf::Plastic(Plastic::new(diffuse, specular, Coating::new(ior, microfacets), nonlinear))
}

/// Parameters of a plain dielectric over a diffuse base.
pub(crate) const PLAIN: PrincipledParameters = PrincipledParameters {
    metallic: 0.0,
    roughness: 0.5,
    anisotropy: 0.0,
    transmission: 0.0,
    ior: 1.5,
    specular_tint: 0.0,
    sheen: 0.0,
    sheen_tint: 0.0,
    flatness: 0.0,
    clearcoat: 0.0,
    clearcoat_gloss: 0.0,
};

/// Returns a principled surface with a base colour of (0.8, 0.4, 0.1).
pub(crate) fn principled(parameters: &PrincipledParameters) -> Bsdf {
    Bsdf::Principled(Principled::new(vec3(0.8, 0.4, 0.1), parameters))
}

/// Returns gold that is brushed along the x axis for an anisotropy above 0.
pub(crate) fn brushed(roughness: f32, anisotropy: f32, is_beckmann: bool) -> Bsdf {
    let Bsdf::Conductor(gold) = conductor(roughness, is_beckmann) else { unreachable!() };
    let microfacets = Microfacets::anisotropic(roughness, anisotropy, is_beckmann);
    Bsdf::Conductor(Conductor { microfacets, ..gold })
}

/// Returns the unit direction at cosine `cos` to the normal, rotated about it by `azimuth`, radians.
pub(crate) fn direction(cos: f32, azimuth: f32) -> Vec3 {
    let (s, c) = sin_cos(azimuth);
    let sin = (1.0 - cos * cos).sqrt();
    vec3(sin * c, sin * s, cos)
}

/// Returns random numbers for `Bsdf::sample`.
pub(crate) fn random_points(count: u32) -> impl Iterator<Item = (f32, Vec2)> {
    let mut random = Random::new(1);
    (0..count).map(move |_| Uniforms::draw(&mut random))
}

/// Integrates `g` over the hemisphere of `wo` by the midpoint rule over half vectors. Their angles to the normal are
/// spaced so that both lobes as narrow as `width` and the whole hemisphere are resolved.
pub(crate) fn integrate_hemisphere(wo: Vec3, width: f64, mut g: impl FnMut(Vec3) -> Vec3) -> Vec3 {
    const RINGS: u32 = 2000;
    const AZIMUTHS: u32 = 64;
    let most = (1.0 + 3e3 / width).ln();
    let mut sum = [0.0f64; 3];
    for ring in 0..RINGS {
        let s = (f64::from(ring) + 0.5) / f64::from(RINGS) * most;
        let tan = width * (s.exp() - 1.0);
        let cos = 1.0 / (1.0 + tan * tan).sqrt();
        // sin dθ = sin cos² d tan
        let d_theta = width * s.exp() * most / f64::from(RINGS) * cos * cos;
        let d_omega = tan * cos * d_theta * std::f64::consts::TAU / f64::from(AZIMUTHS);
        for azimuth in 0..AZIMUTHS {
            let (y, x) = ((f64::from(azimuth) + 0.5) / f64::from(AZIMUTHS) * std::f64::consts::TAU).sin_cos();
            let h = [tan * cos * x, tan * cos * y, cos];
            let wo64 = [f64::from(wo.x), f64::from(wo.y), f64::from(wo.z.abs())];
            let cos_h = wo64[0] * h[0] + wo64[1] * h[1] + wo64[2] * h[2];
            let wi: [f64; 3] = std::array::from_fn(|k| 2.0 * cos_h * h[k] - wo64[k]);
            if cos_h > 0.0 && wi[2] > 0.0 {
                let wi = vec3(wi[0] as f32, wi[1] as f32, (wi[2] as f32).copysign(wo.z));
                for (sum, g) in sum.iter_mut().zip(g(wi).to_array()) {
                    *sum += f64::from(g) * 4.0 * cos_h * d_omega;
                }
            }
        }
    }
    Vec3::from_array(sum.map(|sum| sum as f32))
}
