//! Table of the directional albedo of GGX microfacets for single scattering.
//!
//! Microfacet models neglect light that bounces more than once between facets. Their directional albedo tells how much
//! light the compensating lobes have to return [Kulla17]. Rows are spaced evenly in the eighth root of α, columns in
//! the eighth root of the cosine plus a constant: the loss peaks near grazing angles, where cosine ≈ α. Everything that
//! is read from the table is linear in its entries, and the averages are those of the interpolated rows. The
//! compensating lobes therefore integrate to exactly the loss that the table gives, and the only error is that of the
//! table (1.7e-3 at α = 1e-3, less than 1e-3 above α = 2e-3).

use sunfleck_constants::bsdf::{ALPHA_MIN, COSINE_OFFSET};

use super::albedo_table_data::{AVERAGE, DIRECTIONAL};

/// Albedo of single scattering, for one direction or averaged over the hemisphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Albedo {
    /// 1 minus the albedo of perfectly reflecting facets: the fraction of the light that bounces again.
    pub(super) lost: f32,
    /// Albedo of facets whose reflectance is (1 - cos)⁵, the second term of Schlick's approximation.
    pub(super) schlick: f32,
}

impl Albedo {
    /// Returns the albedo of facets with Schlick's Fresnel reflectance, which is linear in `f0`.
    #[inline(always)]
    pub(super) fn with_fresnel(self, f0: f32) -> f32 {
        f0.mul_add(1.0 - self.lost - self.schlick, self.schlick)
    }

    #[inline(always)]
    fn lerp(a: [f32; 2], b: [f32; 2], t: f32) -> [f32; 2] {
        [t.mul_add(b[0] - a[0], a[0]), t.mul_add(b[1] - a[1], a[1])]
    }
}

/// A row of the table, interpolated between two of its rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct AlbedoRow {
    /// Index of the first of the two rows, never the last row of the table.
    index: u32,
    fraction: f32,
}

impl AlbedoRow {
    /// Returns the row of α in [`ALPHA_MIN`, 1].
    #[inline(always)]
    pub(super) fn of_alpha(alpha: f32) -> Self {
        let (index, fraction) = table_position(alpha, ALPHA_MIN, 1.0, DIRECTIONAL.len());
        Self { index, fraction }
    }

    /// Returns the albedo for light at `cosine` to the normal, in [0, 1].
    #[inline(always)]
    pub(super) fn directional(self, cosine: f32) -> Albedo {
        let above = &DIRECTIONAL[self.index as usize];
        let below = &DIRECTIONAL[self.index as usize + 1];
        let (column, t) =
            table_position(cosine + COSINE_OFFSET, COSINE_OFFSET, 1.0 + COSINE_OFFSET, above.len());
        let (left, right) = (column as usize, column as usize + 1);
        let above = Albedo::lerp(above[left], above[right], t);
        let below = Albedo::lerp(below[left], below[right], t);
        let [lost, schlick] = Albedo::lerp(above, below, self.fraction);
        Albedo { lost, schlick }
    }

    /// Returns the cosine-weighted mean over the hemisphere, `2 ∫ albedo(μ) μ dμ`.
    #[inline(always)]
    pub(super) fn average(self) -> Albedo {
        let index = self.index as usize;
        let [lost, schlick] = Albedo::lerp(AVERAGE[index], AVERAGE[index + 1], self.fraction);
        Albedo { lost, schlick }
    }
}

#[inline(always)]
fn eighth_root(x: f32) -> f32 {
    x.sqrt().sqrt().sqrt()
}

/// Returns the position of `x` among `count` nodes spaced evenly in the eighth root from `least` to `most`: the index
/// of the node before it (never the last one), and the fraction of the distance to the next node.
#[inline(always)]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the table, which is small"
)]
fn table_position(x: f32, least: f32, most: f32, count: usize) -> (u32, f32) {
    let (least, most) = (eighth_root(least), eighth_root(most));
    let at = (eighth_root(x) - least) / (most - least) * (count - 1) as f32;
    let index = at.clamp(0.0, (count - 2) as f32).floor();
    (index as u32, (at - index).clamp(0.0, 1.0))
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "f64 sums are the reference")]
mod tests {
    use super::*;

    #[test]
    fn positions_at_the_ends_of_the_table() {
        assert_eq!(table_position(ALPHA_MIN, ALPHA_MIN, 1.0, 48), (0, 0.0));
        assert_eq!(table_position(1.0, ALPHA_MIN, 1.0, 48), (46, 1.0));
        assert_eq!(table_position(f32::NAN, ALPHA_MIN, 1.0, 48).0, 0, "NaN is mapped to the first node");
    }

    #[test]
    fn averages_are_those_of_the_interpolated_rows() {
        for alpha in [1e-3, 2.1e-3, 0.0123, 0.11, 0.5, 0.99, 1.0] {
            let row = AlbedoRow::of_alpha(alpha);
            let mut sum = [0.0f64; 2];
            const STEPS: u32 = 200_000;
            for step in 0..STEPS {
                let cosine = (f64::from(step) + 0.5) / f64::from(STEPS);
                let albedo = row.directional(cosine as f32);
                sum[0] += 2.0 * cosine * f64::from(albedo.lost) / f64::from(STEPS);
                sum[1] += 2.0 * cosine * f64::from(albedo.schlick) / f64::from(STEPS);
            }
            let average = row.average();
            for (found, expected) in [(average.lost, sum[0]), (average.schlick, sum[1])] {
                let error = (f64::from(found) / expected - 1.0).abs();
                assert!(error < 1e-3, "α = {alpha}: {found} against {expected}");
            }
        }
    }

    #[test]
    fn grazing_light_loses_nothing_and_smooth_facets_little() {
        assert!(AlbedoRow::of_alpha(0.5).directional(0.0).lost < 1e-5, "grazing reflection is not masked");
        assert!(AlbedoRow::of_alpha(ALPHA_MIN).directional(1.0).lost < 1e-5, "a mirror loses nothing");
        let dielectric = AlbedoRow::of_alpha(ALPHA_MIN).directional(0.5).with_fresnel(0.04);
        assert!((dielectric - 0.07).abs() < 1e-3, "Schlick at 60°: {dielectric}");
    }
}
