//! Reconstruction filters, applied by importance sampling.

mod packed;

use std::fmt;
use std::str::FromStr;

use sunfleck_math::{Vec2, cos, exp};

pub use packed::FilterCell;

/// Separable reconstruction filter.
///
/// It is applied by importance sampling [Ernst06, abstract]: a camera sample belongs to exactly one pixel, and its
/// position on the film is sampled from the filter of that pixel. Pixels are therefore independent of each other (tiles
/// need no borders), and the weights are constant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Filter {
    /// Box of one pixel, radius 0.5.
    Box,
    /// Tent `1 - |x|`, radius 1.
    Tent,
    /// Gaussian of standard deviation 0.5, radius 1.5, shifted to be 0 at the radius.
    Gaussian,
    /// Four-term Blackman-Harris window [Harris78, Blackman-Harris window], radius 1.5: smooth, without ringing.
    #[default]
    BlackmanHarris,
    /// Mitchell-Netravali filter with B = C = 1/3, radius 2 [Mitchell88, cubic filters]: the sharpest one. It has
    /// negative lobes, so that some weights are negative.
    Mitchell,
}

/// A name that is not in [`Filter::ALL`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no filter is called '{0}' (there are box, tent, gaussian, blackman-harris, mitchell)")]
pub struct UnknownFilter(pub String);

impl Filter {
    /// Every filter.
    pub const ALL: [Self; 5] = [Self::Box, Self::Tent, Self::Gaussian, Self::BlackmanHarris, Self::Mitchell];

    /// Returns the name in options and in the user interface.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Box => "box",
            Self::Tent => "tent",
            Self::Gaussian => "gaussian",
            Self::BlackmanHarris => "blackman-harris",
            Self::Mitchell => "mitchell",
        }
    }

    /// Returns the radius of the support, pixels.
    pub const fn radius(self) -> f32 {
        match self {
            Self::Box => 0.5,
            Self::Tent => 1.0,
            Self::Gaussian | Self::BlackmanHarris => 1.5,
            Self::Mitchell => 2.0,
        }
    }

    /// Returns the value along one axis at `x` pixels from the centre, not normalised; 0 outside the radius.
    pub fn evaluate(self, x: f32) -> f32 {
        let (x, r) = (x.abs(), self.radius());
        if x > r {
            return 0.0;
        }
        match self {
            Self::Box => 1.0,
            Self::Tent => 1.0 - x,
            Self::Gaussian => exp(-2.0 * x * x) - exp(-2.0 * r * r),
            Self::BlackmanHarris => {
                let angle = std::f32::consts::PI * (x / r + 1.0);
                0.35875 - 0.48829 * cos(angle) + 0.14128 * cos(2.0 * angle) - 0.01168 * cos(3.0 * angle)
            }
            Self::Mitchell if x < 1.0 => (7.0 * x * x * x - 12.0 * x * x + 16.0 / 3.0) / 6.0,
            Self::Mitchell => (-7.0 / 3.0 * x * x * x + 12.0 * x * x - 20.0 * x + 32.0 / 3.0) / 6.0,
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Filter {
    type Err = UnknownFilter;

    fn from_str(name: &str) -> Result<Self, UnknownFilter> {
        Self::ALL.into_iter().find(|f| f.name() == name).ok_or_else(|| UnknownFilter(name.to_owned()))
    }
}

/// Offset of a camera sample from the centre of its pixel, and its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilterSample {
    /// Offset from the centre of the pixel, in pixels, x to the right, y down.
    pub offset: Vec2,
    /// Weight of mean 1: 1 for filters without negative lobes, else ± a constant.
    pub weight: f32,
}

/// Samples offsets in proportion to the absolute value of a [`Filter`], by inversion of its tabulated distribution.
///
/// One table is used for both axes and both signs, since the filters are separable and even. The map from uniforms to
/// offsets is monotonic along each axis, so that stratified uniforms give stratified offsets.
#[derive(Clone, Debug)]
pub struct FilterSampler {
    filter: Filter,
    /// `cdf[i]`: probability of `|x| < i * radius / CELLS`; the first is 0, the last is 1.
    cdf: Vec<f32>,
    /// `guide[k]`: the cell of probability `k / CELLS`, at which the search for larger probabilities starts; it takes
    /// one step on average [Chen74, indexed search].
    guide: Vec<usize>,
    /// Whether the filter is negative, per cell.
    negative: Vec<bool>,
    /// ∫|f| / ∫f along one axis, ≥ 1.
    weight: f32,
}

/// Number of cells between the centre and the radius; within a cell the density is constant.
const CELLS: usize = sunfleck_constants::sampling::FILTER_CELLS as usize;

impl FilterSampler {
    /// Tabulates the distribution of `filter`.
    pub fn new(filter: Filter) -> Self {
        // Integrate each cell by Simpson's rule, which is exact for the polynomial filters
        let step = filter.radius() / CELLS as f32;
        let at = |x: f32| f64::from(filter.evaluate(x));
        let masses: Vec<f64> = (0..CELLS)
            .map(|i| {
                let x = i as f32 * step;
                at(x) + 4.0 * at(x + 0.5 * step) + at((x + step).min(filter.radius()))
            })
            .collect();
        let (sum, sum_abs) = masses.iter().fold((0.0, 0.0), |(s, a), m| (s + m, a + m.abs()));

        // Sum them to the cumulative distribution of |x|
        let mut running = 0.0;
        let mut cdf = vec![0.0f32];
        #[expect(clippy::cast_possible_truncation, reason = "probabilities are stored in f32")]
        cdf.extend(masses.iter().map(|m| {
            running += m.abs();
            (running / sum_abs) as f32
        }));
        cdf[CELLS] = 1.0;
        let cell_of = |p: f32| cdf.partition_point(|&c| c <= p).clamp(1, CELLS) - 1;
        let guide = (0..CELLS).map(|k| cell_of(k as f32 / CELLS as f32)).collect();
        #[expect(clippy::cast_possible_truncation, reason = "a ratio near 1")]
        let weight = (sum_abs / sum) as f32;
        Self { filter, cdf, guide, negative: masses.iter().map(|&m| m < 0.0).collect(), weight }
    }

    /// Returns the filter that is sampled.
    pub fn filter(&self) -> Filter {
        self.filter
    }

    /// Returns the sample for two uniforms in [0, 1).
    #[inline(always)]
    pub fn sample(&self, u: Vec2) -> FilterSample {
        let (x, weight_x) = self.sample_axis(u.x);
        let (y, weight_y) = self.sample_axis(u.y);
        FilterSample { offset: Vec2::new(x, y), weight: weight_x * weight_y }
    }

    #[inline(always)]
    fn sample_axis(&self, u: f32) -> (f32, f32) {
        // The centre is u = 1/2; both halves share the table
        let signed = 2.0 * u - 1.0;
        let p = signed.abs().min(1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "p is in [0, 1]")]
        let mut cell = self.guide[((p * CELLS as f32) as usize).min(CELLS - 1)];
        while cell + 1 < CELLS && self.cdf[cell + 1] <= p {
            cell += 1;
        }
        let (below, above) = (self.cdf[cell], self.cdf[cell + 1]);
        let inside = if above > below { ((p - below) / (above - below)).clamp(0.0, 1.0) } else { 0.0 };
        let distance = (cell as f32 + inside) * (self.filter.radius() / CELLS as f32);
        let weight = if self.negative[cell] { -self.weight } else { self.weight };
        (distance.copysign(signed), weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: u32 = 4096;

    /// Returns the mean of `g(x) * weight` along one axis over equidistant uniforms.
    fn mean_along_axis(sampler: &FilterSampler, g: impl Fn(f64) -> f64) -> f64 {
        let sum: f64 = (0..N)
            .map(|i| {
                let (x, w) = sampler.sample_axis((i as f32 + 0.5) / N as f32);
                g(f64::from(x)) * f64::from(w)
            })
            .sum();
        sum / f64::from(N)
    }

    /// Returns ∫ g f / ∫ f by the midpoint rule.
    fn expected(filter: Filter, g: impl Fn(f64) -> f64) -> f64 {
        let r = f64::from(filter.radius());
        let (mut num, mut den) = (0.0, 0.0);
        for i in 0..100_000 {
            let x = r * (f64::from(i) + 0.5) / 50_000.0 - r;
            #[expect(clippy::cast_possible_truncation, reason = "the filter is an f32 function")]
            let f = f64::from(filter.evaluate(x as f32));
            num += g(x) * f;
            den += f;
        }
        num / den
    }

    #[test]
    fn weighted_samples_integrate_like_the_filter() {
        for filter in Filter::ALL {
            let sampler = FilterSampler::new(filter);
            for (name, g) in [
                ("1", (|_| 1.0) as fn(f64) -> f64),
                ("x", |x| x),
                ("x²", |x| x * x),
                ("x⁴", |x| x.powi(4)),
                ("|x| < 0.5", |x| f64::from(u8::from(x.abs() < 0.5))),
            ] {
                let (found, want) = (mean_along_axis(&sampler, g), expected(filter, g));
                assert!((found - want).abs() < 3e-3, "{filter}: mean of {name} is {found}, not {want}");
            }
        }
    }

    #[test]
    fn second_moments_in_closed_form() {
        // Box 1/12; tent 1/6; cubics with B + 2C = 1 reproduce parabolas up to the constant B/3, here 1/9
        let second = |filter| mean_along_axis(&FilterSampler::new(filter), |x| x * x);
        assert!((second(Filter::Box) - 1.0 / 12.0).abs() < 1e-5);
        assert!((second(Filter::Tent) - 1.0 / 6.0).abs() < 1e-4);
        assert!((second(Filter::Mitchell) - 1.0 / 9.0).abs() < 2e-3);
    }

    #[test]
    fn mitchell_is_a_partition_of_unity() {
        for i in 0..=100 {
            let x = i as f32 / 100.0;
            let sum: f32 = (-2..=2).map(|k| Filter::Mitchell.evaluate(x + k as f32)).sum();
            assert!((sum - 1.0).abs() < 1e-5, "{x}: {sum}");
        }
    }

    #[test]
    fn monotone_inside_the_radius_and_even() {
        for filter in Filter::ALL {
            let sampler = FilterSampler::new(filter);
            let mut last = -f32::INFINITY;
            for i in 0..N {
                let u = i as f32 / N as f32;
                let (x, w) = sampler.sample_axis(u);
                assert!(x >= last && x.abs() <= filter.radius(), "{filter}: {x} after {last}");
                assert!(filter == Filter::Mitchell || w == 1.0, "{filter} has weight {w}");
                last = x;
                if i > 0 {
                    assert_eq!(sampler.sample_axis(1.0 - u).0, -x);
                }
            }
        }
    }

    #[test]
    fn names_round_trip() {
        for filter in Filter::ALL {
            assert_eq!(filter.to_string().parse(), Ok(filter));
        }
        assert!("sinc".parse::<Filter>().is_err());
    }
}
