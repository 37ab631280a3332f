use serde::Serialize;
use sunfleck_kernel::{HitBuffer, MISS};

/// Fraction of differing hits above which one of the kernels must be wrong: Embree's fast mode may let rays pass
/// between triangles at a shared edge, but rarely.
pub const TOLERATED_FRACTION: f64 = 1e-4;

/// Tolerance of distances, as a fraction of the distance plus the scene's diagonal: the effect of rounding coordinates
/// to f32.
const SAME_DISTANCE: f32 = 1e-6;
/// Relative tolerance of distances to the same triangle. It is larger, since the two triangle tests lose different
/// digits at grazing angles.
const SAME_TRIANGLE_DISTANCE: f32 = 1e-4;

/// Number of differences between the hits that two kernels return for the same rays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Differences {
    /// Number of rays.
    pub rays: usize,
    /// Ties: different triangles at the same distance. Both hits are right.
    pub ties: usize,
    /// Only one kernel hits, or they hit different triangles at different distances: rays that pass through an edge.
    pub edges: usize,
    /// Both kernels hit the same triangle, but at different distances.
    pub distances: usize,
}

impl Differences {
    /// Returns whether more hits differ than rounding explains.
    pub fn too_many(&self) -> bool {
        (self.edges + self.distances) as f64 > TOLERATED_FRACTION * self.rays as f64
    }

    /// Compares closest hits of a scene with this diagonal. Also returns the indices of the rays that differ, ties
    /// excluded.
    pub(crate) fn of_hits(a: &HitBuffer, b: &HitBuffer, diagonal: f32) -> (Self, Vec<usize>) {
        let mut found = Self { rays: a.t.len(), ..Self::default() };
        let mut beyond = Vec::new();
        for i in 0..a.t.len().min(b.t.len()) {
            let [ta, tb] = [a.t[i], b.t[i]];
            let within = |share: f32| (ta - tb).abs() <= share * ta.min(tb) + SAME_DISTANCE * diagonal;
            let count = match (a.prim_id[i] == b.prim_id[i], a.prim_id[i] == MISS || b.prim_id[i] == MISS) {
                (true, true) => continue,
                (true, false) if within(SAME_TRIANGLE_DISTANCE) => continue,
                (true, false) => &mut found.distances,
                (false, false) if within(SAME_DISTANCE) => {
                    found.ties += 1;
                    continue;
                }
                (false, _) => &mut found.edges,
            };
            *count += 1;
            beyond.push(i);
        }
        (found, beyond)
    }

    /// Compares occlusion. Also returns the indices of the rays that differ.
    pub(crate) fn of_occlusion(a: &[bool], b: &[bool]) -> (Self, Vec<usize>) {
        let beyond: Vec<usize> = (0..a.len().min(b.len())).filter(|&i| a[i] != b[i]).collect();
        (Self { rays: a.len(), edges: beyond.len(), ..Self::default() }, beyond)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(of: &[(f32, u32)]) -> HitBuffer {
        let mut buffer = HitBuffer::with_len(of.len());
        for (i, &(t, prim)) in of.iter().enumerate() {
            (buffer.t[i], buffer.prim_id[i]) = (t, prim);
        }
        buffer
    }

    #[test]
    fn kinds_of_differences_are_distinguished() {
        let a = hits(&[(1.0, 7), (1.0, 7), (f32::INFINITY, MISS), (1.0, 7), (1.0, 7), (f32::INFINITY, MISS)]);
        let b = hits(&[(1.0, 7), (1.000_001, 8), (3.0, 5), (1.5, 8), (1.01, 7), (f32::INFINITY, MISS)]);
        let expected = Differences { rays: 6, ties: 1, edges: 2, distances: 1 };
        let expected = (expected, vec![2, 3, 4]);
        assert_eq!(Differences::of_hits(&a, &b, 1.0), expected);
        assert_eq!(Differences::of_hits(&b, &a, 1.0), expected, "the comparison is symmetric");
    }

    #[test]
    fn more_than_one_in_ten_thousand_is_too_many() {
        let some = Differences { rays: 100_000, edges: 10, ties: 5_000, distances: 0 };
        assert!(!some.too_many() && Differences { distances: 1, ..some }.too_many());
    }
}
