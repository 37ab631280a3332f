//! Brute-force judge of the hits in which two ray kernels differ: tests the ray against every triangle in f64.
//!
//! It has nothing in common with either kernel, neither a tree nor watertight f32 arithmetic. Triangles are projected
//! along the ray onto an image plane perpendicular to it. Since rounding may displace a ray by [`HIT_TOLERANCE`], an
//! answer counts as right if it is right for any parallel ray within that distance, and as wrong only if it is wrong
//! for all of them.

use std::fmt;

use rayon::prelude::*;
use serde::Serialize;
use sunfleck_math::{Aabb, DVec3, Ray};

use crate::Mesh;

/// Bound of the rounding error of a hit in f32, as a fraction of the distance from the ray's origin to the farthest
/// corner of the scene's bounding box: 32 rounding errors of 2⁻²⁴. Sunfleck's kernel guarantees 26.
pub const HIT_TOLERANCE: f64 = 32.0 / 16_777_216.0;
/// Maximum number of differing rays that are examined; they are evenly spread over all of them.
pub const MAX_EXAMINED_RAYS: usize = 4096;
/// Maximum number of ray-triangle tests, which take some seconds: fewer rays are examined in large meshes.
const MAX_TRIANGLE_TESTS: usize = 1 << 30;
/// Minimum number of differing rays that are examined, regardless of [`MAX_TRIANGLE_TESTS`].
const MIN_EXAMINED_RAYS: usize = 16;
/// Offsets of the neighbours of a ray in the image plane, in units of the tolerance.
const NEIGHBOURS: [[f64; 2]; 8] = {
    const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [[1., 0.], [HALF, HALF], [0., 1.], [-HALF, HALF], [-1., 0.], [-HALF, -HALF], [0., -1.], [HALF, -HALF]]
};

/// Number of wrong answers of one kernel, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Faults {
    /// Misses of rays that hit something, and hits behind a nearer one.
    pub lost: usize,
    /// Hits of rays that hit nothing, and hits of a triangle that is not at the reported distance.
    pub invented: usize,
}

/// Verdict of the brute-force tests on the rays whose answers differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// Number of rays whose answers differ.
    pub differing: usize,
    /// Number of these rays that were tested, evenly spread over all of them.
    pub examined: usize,
    /// Wrong answers of Sunfleck's kernel.
    pub ours: Faults,
    /// Wrong answers of the peer.
    pub peer: Faults,
    /// Rays for which both answers may be right, since they pass so near to an edge that rounding decides.
    pub open: usize,
}

/// Answer of a kernel to a query for the closest hit or for any hit of a ray.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    Miss,
    /// Closest hit.
    Hit {
        t: f32,
        prim: u32,
    },
    /// Any hit.
    AnyHit,
}

impl Faults {
    /// Returns whether no answer is wrong.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    fn count(&mut self, verdict: Verdict) {
        self.lost += usize::from(verdict == Verdict::Lost);
        self.invented += usize::from(verdict == Verdict::Invented);
    }
}

impl Judgement {
    /// Examines the rays with the indices `differing`.
    ///
    /// * `answers` — returns Sunfleck's and the peer's answer for the ray of an index.
    pub(crate) fn of(
        mesh: &Mesh,
        rays: &[Ray],
        differing: &[usize],
        answers: impl Fn(usize) -> [Answer; 2] + Sync,
    ) -> Self {
        let most =
            (MAX_TRIANGLE_TESTS / mesh.triangles.len().max(1)).clamp(MIN_EXAMINED_RAYS, MAX_EXAMINED_RAYS);
        let examined = differing.len().min(most);
        let bounds = mesh.bounds();
        let judge = |place: usize| {
            let ray = differing[place * differing.len() / examined];
            let truth = GroundTruth::about(mesh, &bounds, &rays[ray]);
            answers(ray).map(|answer| truth.verdict(answer))
        };
        let verdicts: Vec<_> = (0..examined).into_par_iter().map(judge).collect();
        let mut found = Self { differing: differing.len(), examined, ..Self::default() };
        for [ours, peer] in verdicts {
            found.ours.count(ours);
            found.peer.count(peer);
            found.open += usize::from(ours == Verdict::Right && peer == Verdict::Right);
        }
        found
    }
}

/// Writes text such as `peer misses 1628 hits (brute force agrees with ours)`.
impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { differing, examined, ours, peer, open } = *self;
        if examined < differing {
            write!(f, "{examined} of {differing} examined, evenly spread: ")?;
        }
        let of = |count: usize, what: &str, right: &str| {
            let s = if count == 1 { "" } else { "s" };
            (count > 0).then(|| format!("{what} {count} hit{s}{right}"))
        };
        let right = if ours.is_empty() { " (brute force agrees with ours)" } else { "" };
        let parts = [
            of(ours.lost, "OURS MISSES", ""),
            of(ours.invented, "OURS FALSELY REPORTS", ""),
            of(peer.lost, "peer misses", right),
            of(peer.invented, "peer falsely reports", right),
            (open > 0).then(|| format!("{open} too near to an edge to decide")),
        ];
        write!(f, "{}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Right,
    Lost,
    Invented,
}

/// Result of testing one ray against all triangles. Depths and distances are in world units, not in multiples of the
/// length of the ray's direction.
struct GroundTruth {
    /// Length of the ray's direction.
    length: f64,
    /// Depths between which hits are valid: `t_near` and `t_far`.
    interval: [f64; 2],
    /// Bound of the rounding error of a hit.
    tolerance: f64,
    /// Triangles that the ray hits or passes within the tolerance.
    near: Vec<NearTriangle>,
    /// Depth at or before which the ray and all its neighbours hit something; `None` if one of them hits nothing.
    certain: Option<f64>,
}

/// Triangle in the image plane of a ray: the ray passes through the origin, and `z` is the depth along it.
struct NearTriangle {
    prim: u32,
    corners: [DVec3; 3],
}

impl GroundTruth {
    /// Tests a ray against all triangles of a mesh with these bounds.
    fn about(mesh: &Mesh, bounds: &Aabb, ray: &Ray) -> Self {
        let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
        let length = direction.length();
        let [low, high] = [bounds.min, bounds.max].map(|corner| (corner.as_dvec3() - origin).abs());
        let reach = low.max(high).length();
        let interval = [ray.t_near, ray.t_far].map(|t| f64::from(t) * length);
        let mut truth =
            Self { length, interval, tolerance: HIT_TOLERANCE * reach, near: Vec::new(), certain: None };
        // A ray of zero or NaN direction hits nothing
        let Some(z) = direction.try_normalize().filter(|_| origin.is_finite()) else { return truth };
        let (x, y) = z.any_orthonormal_pair();
        let seen = |corner: u32| {
            let p = mesh.positions[corner as usize].as_dvec3() - origin;
            DVec3::new(p.dot(x), p.dot(y), p.dot(z))
        };
        let numbered = (0..).zip(&mesh.triangles);
        let seen = numbered.map(|(prim, triangle)| NearTriangle { prim, corners: triangle.map(seen) });
        truth.near = seen.filter(|triangle| triangle.distance() <= truth.tolerance).collect();
        truth.certain = truth.certain_depth();
        truth
    }

    /// Returns the maximum depth of the closest hits of the ray and its neighbours, if all of them hit something.
    fn certain_depth(&self) -> Option<f64> {
        let [from, to] = [self.interval[0] + self.tolerance, self.interval[1] - self.tolerance];
        let first = |[x, y]: [f64; 2]| {
            let [x, y] = [x * self.tolerance, y * self.tolerance];
            let depths = self.near.iter().filter_map(|triangle| triangle.depth_at(x, y));
            depths.filter(|depth| (from..=to).contains(depth)).min_by(f64::total_cmp)
        };
        NEIGHBOURS
            .into_iter()
            .chain([[0.0; 2]])
            .map(first)
            .try_fold(0.0, |deepest, depth| Some(depth?.max(deepest)))
    }

    fn verdict(&self, answer: Answer) -> Verdict {
        let slack = self.tolerance;
        let counts =
            |[from, to]: [f64; 2]| from <= self.interval[1] + slack && to >= self.interval[0] - slack;
        match answer {
            Answer::Miss if self.certain.is_some() => Verdict::Lost,
            Answer::Miss => Verdict::Right,
            Answer::AnyHit if self.near.iter().any(|triangle| counts(triangle.depths(slack))) => {
                Verdict::Right
            }
            Answer::AnyHit => Verdict::Invented,
            Answer::Hit { t, prim } => {
                let depth = f64::from(t) * self.length;
                let depths = self.near.iter().find(|near| near.prim == prim).map(|near| near.depths(slack));
                match depths.filter(|[from, to]| (*from..=*to).contains(&depth) && counts([depth; 2])) {
                    None => Verdict::Invented,
                    Some([from, _]) if self.certain.is_some_and(|certain| certain < from) => Verdict::Lost,
                    Some(_) => Verdict::Right,
                }
            }
        }
    }
}

impl NearTriangle {
    /// Returns the distance from the ray in the image plane. A corner that triangles share has the same projection in
    /// all of them.
    fn distance(&self) -> f64 {
        match self.depth_at(0.0, 0.0) {
            Some(_) => 0.0,
            None => self.nearest().truncate().length(),
        }
    }

    /// Returns the point of the outline that is nearest to the ray in the image plane.
    fn nearest(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        let on_edge = |(from, to): (DVec3, DVec3)| {
            let along = to - from;
            let share = -from.truncate().dot(along.truncate()) / along.truncate().length_squared();
            // An edge parallel to the ray is projected to a point
            from + along * if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
        };
        let points = [(a, b), (b, c), (c, a)].map(on_edge);
        let distance = |p: &DVec3| p.truncate().length_squared();
        points.into_iter().min_by(|p, q| distance(p).total_cmp(&distance(q))).unwrap_or(a)
    }

    /// Returns the depth at a point of the image plane, if it is inside the triangle or on its outline.
    fn depth_at(&self, x: f64, y: f64) -> Option<f64> {
        let [a, b, c] = self.corners.map(|p| [p.x - x, p.y - y]);
        let edge = |p: [f64; 2], q: [f64; 2]| p[0] * q[1] - p[1] * q[0];
        let weights = [edge(b, c), edge(c, a), edge(a, b)];
        let sum: f64 = weights.iter().sum();
        let inside = weights.iter().all(|&w| w >= 0.0) || weights.iter().all(|&w| w <= 0.0);
        let depths = weights.iter().zip(self.corners).map(|(w, corner)| w * corner.z);
        (inside && sum != 0.0).then(|| depths.sum::<f64>() / sum)
    }

    /// Returns the range of depths at which a hit may be reported: that of the points within twice the tolerance of the
    /// nearest one, extended by the tolerance at both ends. A triangle that is parallel to the ray may be hit at all of
    /// its depths.
    fn depths(&self, tolerance: f64) -> [f64; 2] {
        let [a, b, c] = self.corners;
        let normal = (b - a).cross(c - a);
        let slope = normal.truncate().length() / normal.z.abs();
        let depth = self.depth_at(0.0, 0.0).unwrap_or_else(|| self.nearest().z);
        let [first, last] = [a.z.min(b.z).min(c.z), a.z.max(b.z).max(c.z)];
        let steep = 2.0 * tolerance * slope;
        [(depth - steep).max(first) - tolerance, (depth + steep).min(last) + tolerance]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_math::{Vec3, vec3};

    /// Two squares, at heights 0 and −1, of two triangles each.
    fn squares() -> Mesh {
        let corner = |x, y, z| vec3(x, y, z);
        let square =
            |y| [corner(-1.0, y, -1.0), corner(1.0, y, -1.0), corner(1.0, y, 1.0), corner(-1.0, y, 1.0)];
        Mesh {
            positions: [square(0.0), square(-1.0)].concat(),
            triangles: vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]],
        }
    }

    fn truth(ray: &Ray) -> GroundTruth {
        let mesh = squares();
        GroundTruth::about(&mesh, &mesh.bounds(), ray)
    }

    fn down(x: f32, z: f32) -> Ray {
        Ray::new(vec3(x, 2.0, z), Vec3::NEG_Y * 0.5)
    }

    fn hit(t: f32, prim: u32) -> Answer {
        Answer::Hit { t, prim }
    }

    #[test]
    fn wrong_answers_are_told_from_right_ones() {
        let truth = truth(&down(0.5, -0.25));
        assert_eq!(
            truth.verdict(hit(4.0, 0)),
            Verdict::Right,
            "t is in multiples of the length of the direction"
        );
        assert_eq!(truth.verdict(hit(6.0, 2)), Verdict::Lost);
        assert_eq!(truth.verdict(Answer::Miss), Verdict::Lost);
        assert_eq!(truth.verdict(Answer::AnyHit), Verdict::Right);
        for (t, prim) in [(4.0, 1), (4.01, 0), (4.0, 99), (f32::NAN, 0)] {
            assert_eq!(truth.verdict(hit(t, prim)), Verdict::Invented, "{t} {prim}");
        }
    }

    #[test]
    fn at_a_shared_edge_either_triangle_may_be_hit_but_the_ray_does_not_pass() {
        let truth = truth(&down(0.25, 0.25));
        assert_eq!(truth.verdict(Answer::Miss), Verdict::Lost);
        assert_eq!([0, 1].map(|prim| truth.verdict(hit(4.0, prim))), [Verdict::Right; 2]);
        assert_eq!(truth.verdict(hit(6.0, 2)), Verdict::Lost);
    }

    #[test]
    fn at_a_boundary_edge_hit_and_miss_are_right() {
        for x in [1.0, 1.0f32.next_up(), 1.0f32.next_down()] {
            let truth = truth(&down(x, 0.25));
            let answers = [Answer::Miss, Answer::AnyHit, hit(4.0, 0), hit(6.0, 2)];
            assert_eq!(answers.map(|answer| truth.verdict(answer)), [Verdict::Right; 4], "{x}");
        }
        assert_eq!(truth(&down(1.001, 0.25)).verdict(Answer::AnyHit), Verdict::Invented);
        assert_eq!(truth(&down(0.999, 0.25)).verdict(Answer::Miss), Verdict::Lost);
    }

    #[test]
    fn hits_must_be_between_t_near_and_t_far() {
        let short = truth(&Ray { t_far: 3.9, ..down(0.5, -0.25) });
        assert_eq!(short.verdict(Answer::Miss), Verdict::Right);
        assert_eq!(short.verdict(Answer::AnyHit), Verdict::Invented);
        assert_eq!(short.verdict(hit(4.0, 0)), Verdict::Invented);
        let late = truth(&Ray { t_near: 4.1, ..down(0.5, -0.25) });
        assert_eq!(late.verdict(hit(6.0, 2)), Verdict::Right);
        let touching = truth(&Ray { t_far: 4.0, ..down(0.5, -0.25) });
        assert_eq!([Answer::Miss, Answer::AnyHit].map(|a| touching.verdict(a)), [Verdict::Right; 2]);
    }

    #[test]
    fn a_triangle_parallel_to_the_ray_may_be_hit_or_missed() {
        let truth = truth(&Ray::new(vec3(-3.0, 0.0, 0.25), Vec3::X));
        assert_eq!(truth.verdict(Answer::Miss), Verdict::Right);
        assert_eq!(truth.verdict(hit(2.5, 1)), Verdict::Right);
        assert_eq!(truth.verdict(hit(1.5, 1)), Verdict::Invented, "in front of the square");
    }

    #[test]
    fn a_ray_without_direction_hits_nothing() {
        for direction in [Vec3::ZERO, Vec3::NAN] {
            let truth = truth(&Ray::new(Vec3::Y, direction));
            assert_eq!(truth.verdict(Answer::Miss), Verdict::Right);
            assert_eq!(truth.verdict(Answer::AnyHit), Verdict::Invented);
        }
    }

    #[test]
    fn of_many_rays_some_are_examined_and_the_text_says_so() {
        let rays = vec![down(0.5, -0.25); 10_000];
        let all: Vec<usize> = (0..10_000).collect();
        // The peer misses the first half, ours the second
        let answers = |i| match i < 5_000 {
            true => [hit(4.0, 0), Answer::Miss],
            false => [Answer::Miss, hit(4.0, 0)],
        };
        let found = Judgement::of(&squares(), &rays, &all, answers);
        let half = Faults { lost: MAX_EXAMINED_RAYS / 2, invented: 0 };
        let expected =
            Judgement { differing: 10_000, examined: MAX_EXAMINED_RAYS, ours: half, peer: half, open: 0 };
        assert_eq!(found, expected);
        let said = "4096 of 10000 examined, evenly spread: OURS MISSES 2048 hits, peer misses 2048 hits";
        assert_eq!(found.to_string(), said);
        assert_eq!(Judgement::of(&squares(), &rays, &[], answers), Judgement::default());
    }
}
