//! Random walks on a microsurface: the reference for light that bounces several times between facets.

use sunfleck_testkit::Random;

/// A vector of three components: the reference calculates in f64.
pub(crate) type Vector = [f64; 3];

/// A Smith microsurface of GGX facets [Heitz16]: the heights and slopes of its points are independent.
///
/// Light is followed through the surface as through a medium: a ray meets a facet after a random change of its height,
/// and is reflected by a facet that is sampled among those visible from the ray. In contrast to the paper, the height h
/// of a point is stored as C₁(h), the fraction of the surface below it. The equations then no longer contain the
/// distribution of heights, and the lit side of the surface is where the fraction reaches 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Microsurface {
    pub(crate) alpha: f64,
}

/// Light that left the microsurface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Escaped<const N: usize> {
    pub(crate) direction: Vector,
    pub(crate) bounces: u32,
    /// Product of the reflectances of the facets that it met, for each reflectance at normal incidence.
    pub(crate) throughput: [f64; N],
}

impl Microsurface {
    /// Follows light that arrives from `from` until it leaves.
    ///
    /// * `from` — unit vector that points away from the surface, z > 0.
    /// * `f0` — reflectances at normal incidence of the facets, whose Fresnel reflectance is Schlick's approximation.
    pub(crate) fn walk<const N: usize>(self, random: &mut Random, from: Vector, f0: [f64; N]) -> Escaped<N> {
        let mut escaped = Escaped { direction: from.map(|x| -x), bounces: 0, throughput: [1.0; N] };
        let mut below = 1.0;
        loop {
            below = self.next_height(escaped.direction, below, random.next_f64());
            if below >= 1.0 && escaped.direction[2] > 0.0 {
                return escaped;
            }
            let back = escaped.direction.map(|x| -x);
            let facet = self.visible_normal(back, [random.next_f64(), random.next_f64()]);
            let cos = dot(back, facet);
            escaped.direction = std::array::from_fn(|k| 2.0 * cos * facet[k] - back[k]);
            escaped.bounces += 1;
            let fifth = (1.0 - cos).clamp(0.0, 1.0).powi(5);
            for (throughput, f0) in escaped.throughput.iter_mut().zip(f0) {
                *throughput *= f0 + (1.0 - f0) * fifth;
            }
        }
    }

    /// Returns Smith's Λ of a direction of either side, so that Λ(-w) = -1 - Λ(w) [Heitz16].
    fn lambda(self, w: Vector) -> f64 {
        let tan2 = (w[0] * w[0] + w[1] * w[1]) / (w[2] * w[2]);
        0.5 * ((1.0 + self.alpha * self.alpha * tan2).sqrt().copysign(w[2]) - 1.0)
    }

    /// Samples where a ray from the height `below` meets the next facet; heights are fractions of the surface below. At
    /// least 1 for a ray that leaves. The ray gets past the heights up to `t` with probability (below / t)^Λ
    /// [Heitz16].
    fn next_height(self, w: Vector, below: f64, u: f64) -> f64 {
        below * (1.0 - u).powf(-1.0 / self.lambda(w))
    }

    /// Samples a facet normal visible from `w`, which may point below the horizon.
    ///
    /// Facets that are visible on a hemisphere, stretched by α, reflect a beam of parallel light uniformly into a
    /// spherical cap. It ends where the half vector is horizontal.
    fn visible_normal(self, w: Vector, u: [f64; 2]) -> Vector {
        let w = normalized([w[0] * self.alpha, w[1] * self.alpha, w[2]]);
        let z = (1.0 - u[0]) * (1.0 + w[2]) - w[2];
        let (sin, cos) = (std::f64::consts::TAU * u[1]).sin_cos();
        let radius = (1.0 - z * z).max(0.0).sqrt();
        let h = [w[0] + radius * cos, w[1] + radius * sin, w[2] + z];
        normalized([h[0] * self.alpha, h[1] * self.alpha, h[2].max(0.0)])
    }
}

pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn normalized(a: Vector) -> Vector {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}
