//! Reflectance of a half-space that scatters isotropically, by Chandrasekhar's H function.

/// Half-space of a medium that scatters isotropically, without a boundary that reflects.
///
/// Its reflectance is exact, since it follows from the solution of an integral equation [Chandrasekhar60, §33 and §38]:
///
/// ```text
/// 1 / H(μ) = √(1 - ϖ) + ϖ/2 ∫ ν H(ν) / (μ + ν) dν
/// ```
#[derive(Clone, Debug)]
pub struct HalfSpace {
    /// Albedo ϖ of single scattering.
    albedo: f64,
    /// Nodes μ and weights of the quadrature over [0, 1].
    nodes: Vec<(f64, f64)>,
    /// H at the nodes.
    h: Vec<f64>,
}

impl HalfSpace {
    /// Solves the integral equation, with a relative error of about 1e-9.
    ///
    /// * `albedo` — albedo of single scattering, in [0, 1].
    pub fn new(albedo: f64) -> Self {
        const STEPS: u32 = 1000;
        let nodes = quadrature();
        let mut half_space = Self { albedo, h: vec![1.0; nodes.len()], nodes };
        for _ in 0..STEPS {
            // The plain iteration oscillates around the solution; the mean of two steps converges fast [Bosma83,
            // averages]
            let next: Vec<f64> = half_space.nodes.iter().map(|&(mu, _)| half_space.h(mu)).collect();
            let mut change: f64 = 0.0;
            for (h, next) in half_space.h.iter_mut().zip(next) {
                change = change.max((next - *h).abs());
                *h = 0.5 * (*h + next);
            }
            if change < 1e-13 {
                break;
            }
        }
        half_space
    }

    /// Returns H(μ) for a cosine in [0, 1].
    pub fn h(&self, mu: f64) -> f64 {
        let integral: f64 =
            self.nodes.iter().zip(&self.h).map(|(&(nu, weight), h)| weight * nu * h / (mu + nu)).sum();
        1.0 / ((1.0 - self.albedo).sqrt() + 0.5 * self.albedo * integral)
    }

    /// Returns `∫ H(μ) μ^n dμ`.
    pub fn moment(&self, n: i32) -> f64 {
        self.nodes.iter().zip(&self.h).map(|(&(mu, weight), h)| weight * h * mu.powi(n)).sum()
    }

    /// Returns the fraction of the light that is reflected, for a beam whose cosine to the normal is `mu`.
    pub fn directional_reflectance(&self, mu: f64) -> f64 {
        1.0 - (1.0 - self.albedo).sqrt() * self.h(mu)
    }

    /// Returns the fraction of the light that is reflected, for the same radiance from all directions.
    pub fn diffuse_reflectance(&self) -> f64 {
        1.0 - 2.0 * (1.0 - self.albedo).sqrt() * self.moment(1)
    }
}

/// Returns nodes and weights of a quadrature over [0, 1]: Gauss's rule in √μ, since the slope of H is infinite at 0.
fn quadrature() -> Vec<(f64, f64)> {
    const NODES: u32 = 64;
    let gauss = |i: u32| {
        // Newton's method finds the root of the Legendre polynomial
        let n = f64::from(NODES);
        let mut x = (std::f64::consts::PI * (f64::from(i) + 0.75) / (n + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..10 {
            let (mut last, mut before) = (1.0, 0.0);
            for k in 0..NODES {
                let k = f64::from(k);
                (last, before) = (((2.0 * k + 1.0) * x * last - k * before) / (k + 1.0), last);
            }
            slope = n * (x * last - before) / (x * x - 1.0);
            x -= last / slope;
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    };
    let to_unit = |(x, weight): (f64, f64)| {
        let t = 0.5 * (1.0 + x);
        (t * t, weight * t)
    };
    (0..NODES).map(gauss).map(to_unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALBEDOS: [f64; 7] = [0.0, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0];

    #[test]
    fn first_integral_of_h() {
        // ϖ/2 ∫ H dμ = 1 - √(1 - ϖ) [Chandrasekhar60, §38, theorem 1]
        for albedo in ALBEDOS {
            let integral = 0.5 * albedo * HalfSpace::new(albedo).moment(0);
            assert!((integral - 1.0 + (1.0 - albedo).sqrt()).abs() < 1e-8, "ϖ = {albedo}: {integral}");
        }
    }

    #[test]
    fn conservative_scattering() {
        let half_space = HalfSpace::new(1.0);
        // ∫ H μ dμ = 2/√3, and the quotient of the next moment is Hopf's constant q(∞) = 0.710 446 0896
        let [first, second] = [1, 2].map(|n| half_space.moment(n));
        assert!((first - 2.0 / 3.0_f64.sqrt()).abs() < 1e-8, "first moment {first}");
        assert!((second / first - 0.710_446_089_6).abs() < 1e-8, "Hopf's constant {}", second / first);
        // H(1) of Chandrasekhar's table is 2.9078
        assert!((half_space.h(1.0) - 2.9078).abs() < 1e-4, "H(1) = {}", half_space.h(1.0));
        assert_eq!(half_space.directional_reflectance(0.3), 1.0, "no light is absorbed");
        assert_eq!(half_space.diffuse_reflectance(), 1.0, "no light is absorbed");
    }

    #[test]
    fn little_scattering_is_single_scattering() {
        // ϖ/2 ∫ ν / (μ + ν) dν at μ = 1
        let reflectance = HalfSpace::new(1e-4).directional_reflectance(1.0);
        let single = 0.5e-4 * (1.0 - std::f64::consts::LN_2);
        assert!((reflectance / single - 1.0).abs() < 1e-3, "{reflectance}, not {single}");
        assert!(HalfSpace::new(0.0).diffuse_reflectance().abs() < 1e-15, "black");
    }
}
