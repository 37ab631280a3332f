//! Sheet of a clear dielectric with air on both sides.

use sunfleck_math::Vec3;

use super::mirror::reflected;
use super::{DeltaLobe, Lobes, fresnel};

/// Specular reflection and straight transmission by a sheet that is so thin that the offset of refracted rays does not
/// matter [PBRT4, §9.5.1]. Both sides are the same.
///
/// Rays that pass without a change of colour do not meet the surface at all: like alpha, they are a matter of
/// visibility, so that every algorithm finds the light behind a pane. The lobes are those of the other rays.
#[derive(Clone, Copy, Debug)]
pub struct ThinDielectric {
    /// Index of refraction of the sheet, ≥ 1.
    pub ior: f32,
    /// Factor of the transmitted light, components in [0, 1].
    pub tint: Vec3,
    /// Whether a part of the rays passes before the bsdf is asked; else the lobes are those of all rays.
    pub lets_pass: bool,
    /// Unit geometric normal in the shading frame. It determines what is transmitted, since rays that pass without a
    /// vertex know no other normal; the shading normal determines the direction of reflection.
    pub ng: Vec3,
}

impl ThinDielectric {
    /// Returns the reflectance of both interfaces together, in [0, 1]: `R + T² R + T² R³ + … = 2 R / (1 + R)`, where
    /// `R` is the Fresnel reflectance of one.
    ///
    /// * `cos` — cosine of the direction to the normal, in [0, 1].
    #[inline(always)]
    pub fn reflectance(&self, cos: f32) -> f32 {
        let one = fresnel::dielectric(cos, self.ior).reflectance;
        2.0 * one / (1.0 + one)
    }

    /// Returns the fraction of light that passes straight through, in [0, 1].
    ///
    /// * `cos` — see [`reflectance`](Self::reflectance).
    #[inline(always)]
    pub fn transmittance(&self, cos: f32) -> Vec3 {
        self.tint * (1.0 - self.reflectance(cos))
    }

    /// Returns the probability that a ray passes without a vertex: the part of the transmittance that is the same for
    /// all colours.
    ///
    /// * `cos` — see [`reflectance`](Self::reflectance).
    #[inline(always)]
    pub fn pass_probability(&self, cos: f32) -> f32 {
        if self.lets_pass { self.transmittance(cos).min_element() } else { 0.0 }
    }

    /// Returns reflection and what is left of the transmission, for a ray that did not pass.
    #[inline(always)]
    pub(super) fn lobes(&self, wo: Vec3) -> [Option<DeltaLobe>; 2] {
        if wo.z == 0.0 {
            return [None, None];
        }
        let cos = wo.dot(self.ng).abs().min(1.0);
        let passes = self.pass_probability(cos);
        let stops = (1.0 - passes).max(f32::MIN_POSITIVE);
        let reflectance = self.reflectance(cos) / stops;
        let through = (self.transmittance(cos) - passes) / stops;
        // The lobes are sampled in proportion to the largest component of their throughput
        let reflects = reflectance / (reflectance + through.max_element());
        let reflection = DeltaLobe {
            wi: reflected(wo),
            throughput: Vec3::splat(reflectance),
            probability: reflects,
            lobe: Lobes::SPECULAR_REFLECTION,
            eta: 1.0,
        };
        let transmission = DeltaLobe {
            wi: -wo,
            throughput: through,
            probability: 1.0 - reflects,
            lobe: Lobes::SPECULAR_TRANSMISSION,
            eta: 1.0,
        };
        [Some(reflection), (through != Vec3::ZERO).then_some(transmission)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pane_transmits_92_per_cent() {
        // R = 0.04 at normal incidence: 2 · 0.04 / 1.04 = 0.0769
        let pane = ThinDielectric { ior: 1.5, tint: Vec3::ONE, lets_pass: true, ng: Vec3::Z };
        assert!((pane.transmittance(1.0).x - 0.923_077).abs() < 1e-6);
        assert_eq!(pane.pass_probability(0.0), 0.0, "grazing rays are reflected");
        let [reflection, transmission] = pane.lobes(Vec3::Z);
        assert!((reflection.unwrap().throughput.x - 1.0).abs() < 1e-6 && transmission.is_none());
    }

    #[test]
    fn the_geometric_normal_determines_what_is_transmitted() {
        let flat = ThinDielectric { ior: 1.5, tint: Vec3::new(0.25, 0.5, 1.0), lets_pass: true, ng: Vec3::Z };
        let smooth = ThinDielectric { ng: Vec3::new(0.6, 0.0, 0.8), ..flat };
        let wo = Vec3::new(0.28, 0.0, 0.96);
        // 0.28 · 0.6 + 0.96 · 0.8 = 0.936
        let [same, ours] = [(flat, Vec3::new((1.0f32 - 0.936 * 0.936).sqrt(), 0.0, 0.936)), (smooth, wo)]
            .map(|(pane, wo)| pane.lobes(wo).map(|lobe| lobe.unwrap().throughput));
        assert!(
            same[0].abs_diff_eq(ours[0], 1e-6) && same[1].abs_diff_eq(ours[1], 1e-6),
            "{same:?} {ours:?}"
        );
        let reflection = smooth.lobes(wo)[0].unwrap();
        assert_eq!(reflection.wi, Vec3::new(-0.28, 0.0, 0.96), "reflected about the shading normal");
    }

    #[test]
    fn passing_and_scattered_rays_add_up() {
        let tint = Vec3::new(0.25, 0.5, 1.0);
        for lets_pass in [false, true] {
            let pane = ThinDielectric { ior: 1.5, tint, lets_pass, ng: Vec3::Z };
            for cos in [0.05f32, 0.3, 0.9, 1.0] {
                let wo = Vec3::new((1.0 - cos * cos).sqrt(), 0.0, -cos);
                let passes = pane.pass_probability(cos);
                let lobes = pane.lobes(wo).into_iter().flatten();
                let found: Vec3 = lobes.map(|lobe| lobe.throughput * (1.0 - passes)).sum::<Vec3>() + passes;
                let expected = pane.transmittance(cos) + pane.reflectance(cos);
                assert!((found - expected).abs().max_element() < 1e-5, "{cos} {lets_pass}: {found}");
            }
        }
    }
}
