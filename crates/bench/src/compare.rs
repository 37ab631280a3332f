use serde::Serialize;
use sunfleck_kernel::{HitBuffer, MISS};

/// If more than this fraction of the answers differ, one side is wrong: Embree's fast mode may let rays pass through
/// edges, but that is rare.
pub const TOLERATED_SHARE: f64 = 1e-4;

/// Distances are equal if they differ by no more than this fraction of themselves plus the scene's diagonal, which is
/// what rounding does to coordinates.
const SAME_DISTANCE: f32 = 1e-6;
/// The same triangle is hit at the same distance if it differs by no more than this: the two triangle tests lose
/// different digits at grazing angles.
const SAME_TRIANGLE_DISTANCE: f32 = 1e-4;

/// Differences between two sides' answers for the same rays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Differences {
    /// Number of rays.
    pub rays: usize,
    /// Ties: another triangle at the same distance, both are right.
    pub ties: usize,
    /// One side misses, or hits another triangle further away: at edges, where its ray passed through.
    pub edges: usize,
    /// The same triangle at another distance.
    pub distances: usize,
}

impl Differences {
    /// Returns whether there are more differences than rounding explains.
    pub fn too_many(&self) -> bool {
        (self.edges + self.distances) as f64 > TOLERATED_SHARE * self.rays as f64
    }

    /// Compares closest hits of a scene with this diagonal. Also returns the indices of the rays that are not ties.
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
    fn each_kind_of_difference_is_told_apart() {
        let a = hits(&[(1.0, 7), (1.0, 7), (f32::INFINITY, MISS), (1.0, 7), (1.0, 7), (f32::INFINITY, MISS)]);
        let b = hits(&[(1.0, 7), (1.000_001, 8), (3.0, 5), (1.5, 8), (1.01, 7), (f32::INFINITY, MISS)]);
        let expected = Differences { rays: 6, ties: 1, edges: 2, distances: 1 };
        let expected = (expected, vec![2, 3, 4]);
        assert_eq!(Differences::of_hits(&a, &b, 1.0), expected);
        assert_eq!(Differences::of_hits(&b, &a, 1.0), expected, "neither side is preferred");
    }

    #[test]
    fn one_in_ten_thousand_is_too_many() {
        let some = Differences { rays: 100_000, edges: 10, ties: 5_000, distances: 0 };
        assert!(!some.too_many() && Differences { distances: 1, ..some }.too_many());
    }
}
