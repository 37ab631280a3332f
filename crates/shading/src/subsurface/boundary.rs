//! Reflection of diffuse light at the boundary of a medium.

/// Smallest and largest relative index of refraction; others are clamped.
const ETA: (f64, f64) = (0.1, 10.0);

/// Smooth dielectric boundary of a medium, as diffusion theory sees it: moments of Fresnel's reflectance F(μ) over the
/// cosine μ of the light inside.
///
/// The literature uses polynomials that are fitted to these moments [Jensen01, §2.1] [dEon11, appendix]; here they are
/// integrated numerically, with errors below 1e-5, since media are made rarely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiffuseBoundary {
    /// First moment `C1 = ∫ F(μ) μ dμ`, in [0, ½).
    pub first_moment: f32,
    /// Second moment `C2 = ∫ F(μ) μ² dμ`, in [0, ⅓).
    pub second_moment: f32,
}

impl DiffuseBoundary {
    /// Integrates the moments.
    ///
    /// * `eta` — index of refraction inside divided by that outside; values outside of [0.1, 10] are clamped, and NaN
    ///   is taken for 1.
    #[allow(clippy::cast_possible_truncation, reason = "computed in f64, stored in f32")]
    pub fn new(eta: f32) -> Self {
        let eta = if eta.is_nan() { 1.0 } else { f64::from(eta).clamp(ETA.0, ETA.1) };
        let (first, second) = if eta < 1.0 {
            // Inside is the thinner side
            let inside = |mu: f64| reflectance(mu, 1.0 / eta);
            (integral(|mu| inside(mu) * mu), integral(|mu| inside(mu) * mu * mu))
        } else {
            // Total reflection below the critical cosine, and the rest as an integral over the cosine ν outside, since
            // 1 - μ² = (1 - ν²) / η² and therefore μ dμ = ν dν / η²
            let critical2 = 1.0 - 1.0 / (eta * eta);
            let inside = |nu: f64| (critical2 + nu * nu / (eta * eta)).sqrt();
            let flux = |nu: f64| reflectance(nu, eta) * nu / (eta * eta);
            (
                integral(flux) + critical2 / 2.0,
                integral(|nu| flux(nu) * inside(nu)) + critical2 * critical2.sqrt() / 3.0,
            )
        };
        Self { first_moment: first as f32, second_moment: second as f32 }
    }

    /// Returns the fraction `F_dr = 2 C1` of diffuse light inside that the boundary reflects back.
    pub fn reflectance(self) -> f32 {
        2.0 * self.first_moment
    }
}

/// Returns Fresnel's reflectance of unpolarised light [PBRT4, Eq. 9.6] in f64.
///
/// * `cos_i` — cosine on the thinner side. * `eta` — index of refraction of the denser side divided by that of the
///   thinner side, ≥ 1.
fn reflectance(cos_i: f64, eta: f64) -> f64 {
    let cos_t = (1.0 - (1.0 - cos_i * cos_i) / (eta * eta)).max(0.0).sqrt();
    // At grazing incidence without a boundary both sums are 0
    let ratio = |a: f64, b: f64| if a + b > 0.0 { (a - b) / (a + b) } else { 0.0 };
    let (parallel, perpendicular) = (ratio(eta * cos_i, cos_t), ratio(cos_i, eta * cos_t));
    0.5 * (parallel * parallel + perpendicular * perpendicular)
}

/// Integrates a function over [0, 1] by Gauss's rule of two nodes on panels that get narrower towards 0, where Fresnel's
/// reflectance varies fast: `∫ f(x) dx = ∫ 2 t f(t²) dt`.
fn integral(f: impl Fn(f64) -> f64) -> f64 {
    const PANELS: u16 = 128;
    /// Distance of the nodes from the middle of a panel of width 1: `1 / √12`.
    const NODE: f64 = 0.288_675_134_594_812_9;
    let width = 1.0 / f64::from(PANELS);
    let at = |t: f64| 2.0 * t * f(t * t);
    let panel = |i| {
        let middle = f64::from(i) + 0.5;
        at((middle - NODE) * width) + at((middle + NODE) * width)
    };
    (0..PANELS).map(panel).sum::<f64>() * width / 2.0
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "f64 is the reference")]
mod tests {
    use super::*;

    #[test]
    fn reciprocity_relates_the_two_sides() {
        // (1 - F_dr inside) η² = 1 - F_dr outside, the flux through the boundary in equilibrium [Veach97, §5.2]
        for eta in [1.0_f32, 1.001, 1.1, 1.3, 1.5, 2.0, 4.0] {
            let inside = 1.0 - DiffuseBoundary::new(eta).reflectance();
            let outside = 1.0 - DiffuseBoundary::new(1.0 / eta).reflectance();
            assert!((inside * eta * eta - outside).abs() < 5e-5, "η = {eta}: {inside}, {outside}");
        }
    }

    #[test]
    fn moments_are_integrals_over_the_cosine_inside() {
        const STEPS: u32 = 100_000;
        for eta in [0.7_f64, 1.02, 1.3, 1.5, 3.0] {
            let mut moments = [0.0; 2];
            for i in 0..STEPS {
                let mu = (f64::from(i) + 0.5) / f64::from(STEPS);
                let sin_t2 = eta * eta * (1.0 - mu * mu);
                let value = if sin_t2 >= 1.0 {
                    1.0
                } else {
                    let cos_t = (1.0 - sin_t2).sqrt();
                    let s = (eta * mu - cos_t) / (eta * mu + cos_t);
                    let p = (mu - eta * cos_t) / (mu + eta * cos_t);
                    0.5 * (s * s + p * p)
                };
                moments[0] += value * mu / f64::from(STEPS);
                moments[1] += value * mu * mu / f64::from(STEPS);
            }
            let DiffuseBoundary { first_moment, second_moment } = DiffuseBoundary::new(eta as f32);
            for (found, expected) in [first_moment, second_moment].into_iter().zip(moments) {
                assert!((f64::from(found) - expected).abs() < 1e-5, "η = {eta}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn moments_agree_with_published_fits() {
        for eta in [1.1_f64, 1.2, 1.3, 1.4, 1.5, 1.6] {
            let DiffuseBoundary { first_moment, second_moment } = DiffuseBoundary::new(eta as f32);
            // [Jensen01, §2.1]
            let published = -1.440 / (eta * eta) + 0.710 / eta + 0.668 + 0.0636 * eta;
            assert!((2.0 * f64::from(first_moment) - published).abs() < 0.01, "F_dr({eta}) = {published}");
            // [dEon11, appendix]
            let c1 = -9.23372
                + eta * (22.2272 + eta * (-20.9292 + eta * (10.2291 + eta * (-2.54396 + eta * 0.254913))));
            assert!((2.0 * f64::from(first_moment) - c1).abs() < 3e-3, "2 C1({eta}) = {c1}");
            let inverse = 1.0 / eta;
            let c2 = -1641.1
                + inverse * (1376.53 + inverse * (-656.175 + inverse * 135.926))
                + eta * (1213.67 + eta * (-568.556 + eta * (164.798 + eta * (-27.0181 + eta * 1.91826))));
            assert!((3.0 * f64::from(second_moment) - c2).abs() < 5e-3, "3 C2({eta}) = {c2}");
        }
    }

    #[test]
    fn no_boundary_and_odd_indices() {
        let none = DiffuseBoundary::new(1.0);
        assert!(none.first_moment < 1e-12 && none.second_moment < 1e-12, "no boundary: {none:?}");
        assert_eq!(DiffuseBoundary::new(f32::NAN), DiffuseBoundary::new(1.0), "NaN");
        for eta in [0.0, f32::MIN_POSITIVE, -1.0, 1e30, f32::INFINITY] {
            let boundary = DiffuseBoundary::new(eta);
            assert!((0.0..0.5).contains(&boundary.first_moment), "η = {eta}: {boundary:?}");
            assert!((0.0..0.3334).contains(&boundary.second_moment), "η = {eta}: {boundary:?}");
        }
    }
}
