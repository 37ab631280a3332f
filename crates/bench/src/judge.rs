//! Who is right where two sides' answers about a ray differ: every triangle, one after the other, in f64.
//!
//! Independent of both sides: no tree, no watertight arithmetic of f32. The corners as seen along the ray are a flat
//! image, and an answer is wrong only if it is so for every ray within [`TOLERANCE`] of the one that was asked about.

use std::fmt;

use rayon::prelude::*;
use serde::Serialize;
use sunfleck_math::{Aabb, DVec3, Ray};

use crate::Mesh;

/// What rounding to f32 may do to a hit, as a share of the distance from the ray's origin to the farthest corner of
/// the scene's box: 32 roundings. Our kernel promises 26.
pub const TOLERANCE: f64 = 32.0 / 16_777_216.0;
/// Of the rays whose answers differ, so many are examined, evenly spread; …
pub const MOST_RAYS: usize = 4096;
/// … fewer, but always [`FEWEST_RAYS`], where that would be more tests of triangles than this: some seconds.
const MOST_TESTS: usize = 1 << 30;
const FEWEST_RAYS: usize = 16;
/// Towards the neighbours of a ray.
const AROUND: [[f64; 2]; 8] = {
    const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [[1., 0.], [HALF, HALF], [0., 1.], [-HALF, HALF], [-1., 0.], [-HALF, -HALF], [0., -1.], [HALF, -HALF]]
};

/// What is wrong with the answers of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Faults {
    /// There is a hit, or one nearer than the answer.
    pub lost: usize,
    /// The triangle of the answer is not where it says; or nothing is, though it says so.
    pub invented: usize,
}

/// Who is right about the rays whose answers differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// How many such rays there are.
    pub differing: usize,
    /// How many of them were examined, evenly spread.
    pub examined: usize,
    /// What is wrong with ours.
    pub ours: Faults,
    /// What is wrong with the peer's.
    pub peer: Faults,
    /// Rays about which both may be right: so near to an edge that rounding decides.
    pub open: usize,
}

/// What somebody said about a ray.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    Nothing,
    Hit {
        t: f32,
        prim: u32,
    },
    /// Any hit.
    Something,
}

impl Faults {
    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    fn count(&mut self, verdict: Verdict) {
        self.lost += usize::from(verdict == Verdict::Lost);
        self.invented += usize::from(verdict == Verdict::Invented);
    }
}

impl Judgement {
    /// Examines the rays of `differing`, by number, about which `answers` tells ours and the peer's.
    pub(crate) fn of(
        mesh: &Mesh,
        rays: &[Ray],
        differing: &[usize],
        answers: impl Fn(usize) -> [Answer; 2] + Sync,
    ) -> Self {
        let most = (MOST_TESTS / mesh.triangles.len().max(1)).clamp(FEWEST_RAYS, MOST_RAYS);
        let examined = differing.len().min(most);
        let bounds = mesh.bounds();
        let judge = |place: usize| {
            let ray = differing[place * differing.len() / examined];
            let facts = Facts::about(mesh, &bounds, &rays[ray]);
            answers(ray).map(|answer| facts.verdict(answer))
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

/// Such as `peer loses 1628 hits (brute force agrees with ours)`.
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
            of(ours.lost, "OURS LOSES", ""),
            of(ours.invented, "OURS INVENTS", ""),
            of(peer.lost, "peer loses", right),
            of(peer.invented, "peer invents", right),
            (open > 0).then(|| format!("{open} too near to an edge to tell")),
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

/// What is known about one ray. Depths and distances are in world space, not in lengths of the ray's direction.
struct Facts {
    /// Of the ray's direction.
    length: f64,
    /// In which depths hits count.
    interval: [f64; 2],
    tolerance: f64,
    /// Triangles that the ray hits or passes within the tolerance.
    near: Vec<Near>,
    /// All neighbours of the ray hit something no deeper than this.
    certain: Option<f64>,
}

/// A triangle seen along the ray, which is the point zero of the image; `z` is the depth.
struct Near {
    prim: u32,
    corners: [DVec3; 3],
}

impl Facts {
    /// * `bounds` — of the mesh.
    fn about(mesh: &Mesh, bounds: &Aabb, ray: &Ray) -> Self {
        let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
        let length = direction.length();
        let [low, high] = [bounds.min, bounds.max].map(|corner| (corner.as_dvec3() - origin).abs());
        let reach = low.max(high).length();
        let interval = [ray.t_near, ray.t_far].map(|t| f64::from(t) * length);
        let mut facts =
            Self { length, interval, tolerance: TOLERANCE * reach, near: Vec::new(), certain: None };
        // A ray without a direction hits nothing
        let Some(z) = direction.try_normalize().filter(|_| origin.is_finite()) else { return facts };
        let (x, y) = z.any_orthonormal_pair();
        let seen = |corner: u32| {
            let p = mesh.positions[corner as usize].as_dvec3() - origin;
            DVec3::new(p.dot(x), p.dot(y), p.dot(z))
        };
        let numbered = (0..).zip(&mesh.triangles);
        let seen = numbered.map(|(prim, triangle)| Near { prim, corners: triangle.map(seen) });
        facts.near = seen.filter(|triangle| triangle.distance() <= facts.tolerance).collect();
        facts.certain = facts.certain_depth();
        facts
    }

    /// The deepest of the first hits of the ray and its neighbours, if all of them hit something.
    fn certain_depth(&self) -> Option<f64> {
        let [from, to] = [self.interval[0] + self.tolerance, self.interval[1] - self.tolerance];
        let first = |[x, y]: [f64; 2]| {
            let [x, y] = [x * self.tolerance, y * self.tolerance];
            let depths = self.near.iter().filter_map(|triangle| triangle.depth_at(x, y));
            depths.filter(|depth| (from..=to).contains(depth)).min_by(f64::total_cmp)
        };
        AROUND
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
            Answer::Nothing if self.certain.is_some() => Verdict::Lost,
            Answer::Nothing => Verdict::Right,
            Answer::Something if self.near.iter().any(|triangle| counts(triangle.depths(slack))) => {
                Verdict::Right
            }
            Answer::Something => Verdict::Invented,
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

impl Near {
    /// From the ray, in the image. Corners of several triangles are seen at the same place by all of them.
    fn distance(&self) -> f64 {
        match self.depth_at(0.0, 0.0) {
            Some(_) => 0.0,
            None => self.nearest().truncate().length(),
        }
    }

    /// The point of its outline that is nearest to the ray, in the image.
    fn nearest(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        let on_edge = |(from, to): (DVec3, DVec3)| {
            let along = to - from;
            let share = -from.truncate().dot(along.truncate()) / along.truncate().length_squared();
            // An edge along the ray is a point of the image
            from + along * if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
        };
        let points = [(a, b), (b, c), (c, a)].map(on_edge);
        let distance = |p: &DVec3| p.truncate().length_squared();
        points.into_iter().min_by(|p, q| distance(p).total_cmp(&distance(q))).unwrap_or(a)
    }

    /// How deep the triangle is at a point of the image, if it is there; its outline belongs to it.
    fn depth_at(&self, x: f64, y: f64) -> Option<f64> {
        let [a, b, c] = self.corners.map(|p| [p.x - x, p.y - y]);
        let edge = |p: [f64; 2], q: [f64; 2]| p[0] * q[1] - p[1] * q[0];
        let weights = [edge(b, c), edge(c, a), edge(a, b)];
        let sum: f64 = weights.iter().sum();
        let inside = weights.iter().all(|&w| w >= 0.0) || weights.iter().all(|&w| w <= 0.0);
        let depths = weights.iter().zip(self.corners).map(|(w, corner)| w * corner.z);
        (inside && sum != 0.0).then(|| depths.sum::<f64>() / sum)
    }

    /// Where its points within twice the tolerance of the nearest may be, and so much to both sides. All of its
    /// depths if it is seen from its edge.
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

    /// A square at the height 0 of two triangles, which share the diagonal; below it another.
    fn squares() -> Mesh {
        let corner = |x, y, z| vec3(x, y, z);
        let square =
            |y| [corner(-1.0, y, -1.0), corner(1.0, y, -1.0), corner(1.0, y, 1.0), corner(-1.0, y, 1.0)];
        Mesh {
            positions: [square(0.0), square(-1.0)].concat(),
            triangles: vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]],
        }
    }

    fn facts(ray: &Ray) -> Facts {
        let mesh = squares();
        Facts::about(&mesh, &mesh.bounds(), ray)
    }

    fn down(x: f32, z: f32) -> Ray {
        Ray::new(vec3(x, 2.0, z), Vec3::NEG_Y * 0.5)
    }

    fn hit(t: f32, prim: u32) -> Answer {
        Answer::Hit { t, prim }
    }

    #[test]
    fn a_hit_is_right_a_miss_or_a_later_hit_is_lost_another_is_invented() {
        let facts = facts(&down(0.5, -0.25));
        assert_eq!(facts.verdict(hit(4.0, 0)), Verdict::Right, "t counts lengths of the direction");
        assert_eq!(facts.verdict(hit(6.0, 2)), Verdict::Lost);
        assert_eq!(facts.verdict(Answer::Nothing), Verdict::Lost);
        assert_eq!(facts.verdict(Answer::Something), Verdict::Right);
        for (t, prim) in [(4.0, 1), (4.01, 0), (4.0, 99), (f32::NAN, 0)] {
            assert_eq!(facts.verdict(hit(t, prim)), Verdict::Invented, "{t} {prim}");
        }
    }

    #[test]
    fn an_edge_within_a_surface_is_no_hole_but_either_triangle_may_be_hit() {
        let facts = facts(&down(0.25, 0.25));
        assert_eq!(facts.verdict(Answer::Nothing), Verdict::Lost);
        assert_eq!([0, 1].map(|prim| facts.verdict(hit(4.0, prim))), [Verdict::Right; 2]);
        assert_eq!(facts.verdict(hit(6.0, 2)), Verdict::Lost);
    }

    #[test]
    fn at_an_outer_edge_rounding_may_decide() {
        for x in [1.0, 1.0f32.next_up(), 1.0f32.next_down()] {
            let facts = facts(&down(x, 0.25));
            let answers = [Answer::Nothing, Answer::Something, hit(4.0, 0), hit(6.0, 2)];
            assert_eq!(answers.map(|answer| facts.verdict(answer)), [Verdict::Right; 4], "{x}");
        }
        assert_eq!(facts(&down(1.001, 0.25)).verdict(Answer::Something), Verdict::Invented);
        assert_eq!(facts(&down(0.999, 0.25)).verdict(Answer::Nothing), Verdict::Lost);
    }

    #[test]
    fn hits_count_within_the_interval_of_the_ray() {
        let short = facts(&Ray { t_far: 3.9, ..down(0.5, -0.25) });
        assert_eq!(short.verdict(Answer::Nothing), Verdict::Right);
        assert_eq!(short.verdict(Answer::Something), Verdict::Invented);
        assert_eq!(short.verdict(hit(4.0, 0)), Verdict::Invented);
        let late = facts(&Ray { t_near: 4.1, ..down(0.5, -0.25) });
        assert_eq!(late.verdict(hit(6.0, 2)), Verdict::Right);
        let touching = facts(&Ray { t_far: 4.0, ..down(0.5, -0.25) });
        assert_eq!([Answer::Nothing, Answer::Something].map(|a| touching.verdict(a)), [Verdict::Right; 2]);
    }

    #[test]
    fn what_is_seen_from_its_edge_may_be_hit_or_not() {
        let facts = facts(&Ray::new(vec3(-3.0, 0.0, 0.25), Vec3::X));
        assert_eq!(facts.verdict(Answer::Nothing), Verdict::Right);
        assert_eq!(facts.verdict(hit(2.5, 1)), Verdict::Right);
        assert_eq!(facts.verdict(hit(1.5, 1)), Verdict::Invented, "before the square begins");
    }

    #[test]
    fn no_ray_without_direction_hits() {
        for direction in [Vec3::ZERO, Vec3::NAN] {
            let facts = facts(&Ray::new(Vec3::Y, direction));
            assert_eq!(facts.verdict(Answer::Nothing), Verdict::Right);
            assert_eq!(facts.verdict(Answer::Something), Verdict::Invented);
        }
    }

    #[test]
    fn of_many_rays_some_are_examined_and_it_says_so() {
        let rays = vec![down(0.5, -0.25); 10_000];
        let all: Vec<usize> = (0..10_000).collect();
        // From the middle on it is ours that loses them
        let answers = |i| match i < 5_000 {
            true => [hit(4.0, 0), Answer::Nothing],
            false => [Answer::Nothing, hit(4.0, 0)],
        };
        let found = Judgement::of(&squares(), &rays, &all, answers);
        let half = Faults { lost: MOST_RAYS / 2, invented: 0 };
        let expected = Judgement { differing: 10_000, examined: MOST_RAYS, ours: half, peer: half, open: 0 };
        assert_eq!(found, expected);
        let said = "4096 of 10000 examined, evenly spread: OURS LOSES 2048 hits, peer loses 2048 hits";
        assert_eq!(found.to_string(), said);
        assert_eq!(Judgement::of(&squares(), &rays, &[], answers), Judgement::default());
    }
}
