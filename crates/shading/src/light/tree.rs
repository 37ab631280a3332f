//! Light tree: a hierarchy of clusters of lights that is descended at random by importance [Conty18; PBRT4, §12.6.3].

use rayon::prelude::*;
use sunfleck_math::float::ONE_MINUS_EPSILON;
use sunfleck_math::{Aabb, Vec3};

use super::packed::LightNode;
use super::tree_split::split;

/// Bounds of the emission of one light.
#[derive(Clone, Copy, Debug)]
pub(super) struct LightBounds {
    /// Bounding box.
    pub(super) bounds: Aabb,
    /// Unit normal of the emitting side; `None` if light may be emitted in all directions.
    pub(super) ng: Option<Vec3>,
    /// Power, > 0.
    pub(super) power: f32,
}

/// Tree over the lights at finite distance, to which it refers by index.
#[derive(Clone, Debug, Default)]
pub(super) struct LightTree {
    /// Nodes in depth-first order: the root first; the first child of a node follows it.
    pub(super) nodes: Vec<Node>,
    /// Path from the root to each light: bit i is 1 if it goes to the second child at level i.
    path_bits_of_lights: Vec<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node {
    pub(super) cluster: Cluster,
    /// Index of the second child of an inner node, or of the light of a leaf.
    pub(super) next: u32,
    pub(super) is_leaf: bool,
}

/// Bounds of the emission of a group of lights.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cluster {
    /// Centre of the bounding sphere.
    pub(super) center: Vec3,
    /// Radius of the bounding sphere.
    pub(super) radius: f32,
    /// Sum of the powers.
    pub(super) power: f32,
    /// Axis of a cone that contains all normals.
    pub(super) axis: Vec3,
    /// Cosine of the half angle of the cone; -1 if any direction is possible.
    pub(super) cos_spread: f32,
    /// Sine of the half angle of the cone.
    pub(super) sin_spread: f32,
}

/// Minimal number of lights in a cluster whose two halves are built in parallel.
const PARALLEL_THRESHOLD: usize = 1024;

impl LightTree {
    /// Builds the tree; see [`split`].
    pub(super) fn new(leaves: &[LightBounds]) -> Self {
        let mut nodes = vec![Node::default(); (2 * leaves.len()).saturating_sub(1)];
        let mut order: Vec<u32> = (0u32..).take(leaves.len()).collect();
        let mut path_bits_in_order = vec![0; leaves.len()];
        if !leaves.is_empty() {
            let tree = Subtree {
                at: 0,
                nodes: &mut nodes,
                order: &mut order,
                path_bits_of_lights: &mut path_bits_in_order,
            };
            tree.build(leaves, &mut vec![(0.0, 0); leaves.len()], 0, 0);
        }
        let mut path_bits_of_lights = vec![0; leaves.len()];
        for (&light, path_bits) in order.iter().zip(path_bits_in_order) {
            path_bits_of_lights[light as usize] = path_bits;
        }
        Self { nodes, path_bits_of_lights }
    }

    /// Samples a light. Returns its index and its probability; `None` if no light illuminates the point.
    ///
    /// * `u` — uniform in [0, 1).
    #[inline(always)]
    pub(super) fn sample(&self, from: Vec3, mut u: f32) -> Option<(usize, f32)> {
        let mut at = 0;
        let mut probability = 1.0;
        loop {
            let node = self.nodes.get(at)?;
            if node.is_leaf {
                return (node.cluster.importance(from) > 0.0).then_some((node.next as usize, probability));
            }
            let choice = Choice::new(self.share_of_first(at, node, from)?, u);
            at = if choice.is_first { at + 1 } else { node.next as usize };
            (u, probability) = (choice.u, probability * choice.share);
        }
    }

    /// Returns the probability with which [`LightTree::sample`] chooses a light.
    #[inline(always)]
    pub(super) fn probability(&self, light: usize, from: Vec3) -> f32 {
        let Some(&path_bits) = self.path_bits_of_lights.get(light) else { return 0.0 };
        let (mut at, mut level, mut probability) = (0, 0, 1.0);
        loop {
            let Some(node) = self.nodes.get(at) else { return 0.0 };
            if node.is_leaf {
                return if node.cluster.importance(from) > 0.0 { probability } else { 0.0 };
            }
            let Some(first) = self.share_of_first(at, node, from) else { return 0.0 };
            let second = path_bits >> level & 1 == 1;
            (at, probability) = match second {
                true => (node.next as usize, probability * (1.0 - first)),
                false => (at + 1, probability * first),
            };
            level += 1;
        }
    }

    /// Returns the path from the root to a light, with one bit per level, as the GPU reads it.
    #[allow(clippy::cast_possible_truncation, reason = "no deeper than tree_split::MAX_DEPTH")]
    pub(super) fn path_bits(&self, light: usize) -> u32 {
        self.path_bits_of_lights.get(light).map_or(0, |&path_bits| path_bits as u32)
    }

    /// Returns the nodes for the GPU, in the same order.
    pub(super) fn packed(&self) -> Vec<LightNode> {
        self.nodes.par_iter().map(Node::packed).collect()
    }

    /// Returns the probability of each light in proportion to estimated contributions, smoothed along the tree by
    /// power.
    ///
    /// The probability of a cluster is divided between its children in proportion to the contributions that were found
    /// for them, to which `prior` contributions are added that are distributed in proportion to power. The shares are
    /// [rounded](rounded_share), so that a single contribution changes the probabilities of few lights.
    ///
    /// * `found` — sum and number of the contributions that were found for each light.
    pub(super) fn shares(&self, found: &[(f64, u32)], prior: f64) -> Vec<f64> {
        let mut totals = vec![(0.0, 0u32); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().rev() {
            totals[at] = match node.is_leaf {
                true => found.get(node.next as usize).copied().unwrap_or_default(),
                false => {
                    let (first, second) = (totals[at + 1], totals[node.next as usize]);
                    (first.0 + second.0, first.1.saturating_add(second.1))
                }
            };
        }
        let mut masses = vec![1.0; self.nodes.len()];
        let mut shares = vec![0.0; self.path_bits_of_lights.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            let second = node.next as usize;
            if node.is_leaf {
                shares[second] = masses[at];
                continue;
            }
            let (sum, count) = totals[at];
            let power = |at: usize| f64::from(self.nodes[at].cluster.power);
            let powers = power(at + 1) + power(second);
            let first = if sum > 0.0 {
                let weight =
                    |child: usize| f64::from(count) * totals[child].0 / sum + prior * power(child) / powers;
                rounded_share(weight(at + 1), weight(second))
            } else {
                power(at + 1) / powers
            };
            (masses[at + 1], masses[second]) = (masses[at] * first, masses[at] * (1.0 - first));
        }
        shares
    }

    /// Returns the probability of the first child; `None` if neither child illuminates the point.
    #[inline(always)]
    fn share_of_first(&self, at: usize, node: &Node, from: Vec3) -> Option<f32> {
        let (first, second) = (self.nodes.get(at + 1)?, self.nodes.get(node.next as usize)?);
        let [first, second] = [first, second].map(
            #[inline(always)]
            |node| node.cluster.importance(from),
        );
        let sum = first + second;
        (sum > 0.0).then(|| first / sum)
    }
}

/// Choice of one of two children.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) is_first: bool,
    /// Probability of the chosen child.
    pub(super) share: f32,
    /// Uniform for the choices below it.
    pub(super) u: f32,
}

impl Choice {
    /// Chooses the first child with the probability `first`, by the uniform `u`.
    #[inline(always)]
    pub(super) fn new(first: f32, u: f32) -> Self {
        let rest = ((u - first) / (1.0 - first)).min(ONE_MINUS_EPSILON);
        let is_first = u < first;
        Self {
            is_first,
            share: if is_first { first } else { 1.0 - first },
            u: if is_first { u / first } else { rest },
        }
    }
}

/// Returns the share of the first of two parts. Their ratio is rounded to a power of √2, so that sums that differ only
/// by rounding, as on CPU and GPU, give the same share.
pub(super) fn rounded_share(first: f64, second: f64) -> f64 {
    const MOST_ODDS: f64 = sunfleck_constants::light::MOST_ODDS as f64;
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    if first <= 0.0 || second <= 0.0 {
        return if first > 0.0 { 1.0 } else { 0.0 };
    }
    let odds = (first / second).clamp(MOST_ODDS.recip(), MOST_ODDS);
    // The nearest power of two to the square of the odds
    let square = f64::from_bits((odds * odds * std::f64::consts::SQRT_2).to_bits() & EXPONENT);
    square.sqrt() / (1.0 + square.sqrt())
}

/// A subtree under construction. A subtree of n lights has 2n - 1 nodes, so that the nodes of its children can be built
/// in parallel, each in a range of its own.
struct Subtree<'a> {
    /// Index of the first of `nodes` in the tree.
    at: usize,
    nodes: &'a mut [Node],
    /// Indices of the lights, ascending.
    order: &'a mut [u32],
    /// Paths from the root to the lights, in the order of `order`.
    path_bits_of_lights: &'a mut [u64],
}

impl Subtree<'_> {
    /// Builds the nodes.
    ///
    /// * `scratch` — one element per light. * `path_bits`, `level` — path from the root to the first node, and its
    ///   level.
    fn build(self, leaves: &[LightBounds], scratch: &mut [(f32, u32)], path_bits: u64, level: u32) {
        let Self { at, nodes, order, path_bits_of_lights } = self;
        let cluster = Cluster::of(leaves, order);
        let Some((node, below)) = nodes.split_first_mut() else { return };
        if let [light] = *order {
            path_bits_of_lights.fill(path_bits);
            *node = Node { cluster, next: light, is_leaf: true };
            return;
        }
        let middle = split(leaves, order, scratch, level);
        let nodes_of_first = 2 * middle - 1;
        let second_at = at + 1 + nodes_of_first;
        *node = Node { cluster, next: u32::try_from(second_at).unwrap_or(u32::MAX), is_leaf: false };
        let parallel = order.len() >= PARALLEL_THRESHOLD;
        let (first_nodes, second_nodes) = below.split_at_mut(nodes_of_first);
        let (first_order, second_order) = order.split_at_mut(middle);
        let (first_path_bits, second_path_bits) = path_bits_of_lights.split_at_mut(middle);
        let (first_scratch, second_scratch) = scratch.split_at_mut(middle);
        let first = Subtree {
            at: at + 1,
            nodes: first_nodes,
            order: first_order,
            path_bits_of_lights: first_path_bits,
        };
        let second = Subtree {
            at: second_at,
            nodes: second_nodes,
            order: second_order,
            path_bits_of_lights: second_path_bits,
        };
        let build_first = || first.build(leaves, first_scratch, path_bits, level + 1);
        let build_second = || second.build(leaves, second_scratch, path_bits | 1 << level.min(63), level + 1);
        if parallel {
            rayon::join(build_first, build_second);
        } else {
            build_first();
            build_second();
        }
    }
}

impl Node {
    fn packed(&self) -> LightNode {
        let Cluster { center, radius, power, axis, cos_spread, sin_spread } = self.cluster;
        LightNode {
            center: center.to_array(),
            radius,
            axis: axis.to_array(),
            cos_spread,
            power,
            sin_spread,
            next: self.next,
            is_leaf: u32::from(self.is_leaf),
        }
    }
}

impl Cluster {
    fn of(leaves: &[LightBounds], lights: &[u32]) -> Self {
        let of = |&light: &u32| &leaves[light as usize];
        let bounds = lights.iter().map(of).fold(Aabb::EMPTY, |bounds, leaf| bounds.union(leaf.bounds));
        let power = lights.iter().map(|light| f64::from(of(light).power)).sum::<f64>();
        let normals = || lights.iter().map(|light| of(light).ng);
        let axis = normals().flatten().sum::<Vec3>().try_normalize();
        let cos_spread = match axis {
            Some(axis) => normals().map(|ng| ng.map_or(-1.0, |ng| axis.dot(ng))).fold(1.0, f32::min),
            None => -1.0,
        };
        #[allow(clippy::cast_possible_truncation, reason = "within f32's range")]
        let power = power.min(1e26) as f32;
        // A margin for rounding
        let cos_spread = (cos_spread - 1e-5).max(-1.0);
        Self {
            center: bounds.center(),
            radius: 0.5 * bounds.diagonal(),
            power,
            axis: axis.unwrap_or(Vec3::Z),
            cos_spread,
            sin_spread: sine(cos_spread),
        }
    }

    /// Returns the importance of the cluster: an approximate bound of its contribution at a point; 0 only if that is 0
    /// [Conty18, §5.2].
    ///
    /// The normal of the receiver is not taken into account. It would reduce the squared error by 3 %, trace 2 % more
    /// rays, and make paths remember the normal for the density of lights that they hit.
    #[inline(always)]
    pub(super) fn importance(&self, from: Vec3) -> f32 {
        let to = from - self.center;
        let (d2, radius2) = (to.length_squared(), self.radius * self.radius);
        // Inside the bounding sphere, the distance to any light of the cluster may be small: the radius replaces it
        let inverse = 1.0 / d2.max(radius2).max(1e-12).sqrt();
        let falloff = self.power * inverse * inverse;
        // Angle to the axis, minus the spread of normals, minus half of the angle that the cluster subtends
        let cos = (self.axis.dot(to) * inverse).clamp(-1.0, 1.0);
        let sin_bound = self.radius * inverse;
        let (cos, sin) = angle_difference(cos, sine(cos), self.cos_spread, self.sin_spread);
        let (cos, _) = angle_difference(cos, sin, sine(sin_bound), sin_bound);
        // No light is emitted beyond a right angle; with a margin for rounding
        let leaving = if cos <= -1e-3 { 0.0 } else { cos.max(1e-3) };
        if self.cos_spread <= -1.0 || d2 <= radius2 { falloff } else { falloff * leaving }
    }
}

#[inline(always)]
fn sine(cos: f32) -> f32 {
    (1.0 - cos * cos).max(0.0).sqrt()
}

/// Returns cosine and sine of max(a - b, 0), from cosines and sines.
#[inline(always)]
fn angle_difference(cos_a: f32, sin_a: f32, cos_b: f32, sin_b: f32) -> (f32, f32) {
    if cos_a > cos_b { (1.0, 0.0) } else { (cos_a * cos_b + sin_a * sin_b, sin_a * cos_b - cos_a * sin_b) }
}

#[cfg(test)]
mod tests {
    use sunfleck_math::vec3;
    use sunfleck_sampling::rng;

    use super::*;

    fn lights(count: u32) -> Vec<LightBounds> {
        let number = |i, k| rng::uniform([i, k, 0, 9]);
        let light = |i| {
            let at = vec3(number(i, 0), number(i, 1), number(i, 2)) * 10.0;
            let ng = vec3(number(i, 3), number(i, 4), number(i, 5)) - Vec3::splat(0.5);
            LightBounds {
                bounds: Aabb::from_points([at, at + Vec3::splat(0.1)]),
                ng: (i % 5 != 0).then(|| ng.normalize_or(Vec3::Y)),
                power: number(i, 6) + 0.01,
            }
        };
        (0..count).map(light).collect()
    }

    #[test]
    fn probabilities_add_up_and_are_those_of_sampling() {
        for count in [1, 2, 3, 17, 200] {
            let leaves = lights(count);
            let tree = LightTree::new(&leaves);
            for k in 0..40 {
                let from =
                    vec3(rng::uniform([k, 0, 1, 1]), rng::uniform([k, 1, 1, 1]), 0.3) * 12.0 - Vec3::ONE;
                let sum: f32 = (0..leaves.len()).map(|light| tree.probability(light, from)).sum();
                assert!(sum <= 1.0 + 1e-4, "{count} lights from {from}: {sum}");
                for i in 0..50 {
                    let Some((light, probability)) = tree.sample(from, (i as f32 + 0.5) / 50.0) else {
                        continue;
                    };
                    let again = tree.probability(light, from);
                    assert!((probability - again).abs() <= 1e-5 * again, "{probability}, {again}");
                }
            }
        }
    }

    /// A light that illuminates a point has a nonzero probability there.
    #[test]
    fn every_illuminating_light_can_be_sampled() {
        let leaves = lights(300);
        let tree = LightTree::new(&leaves);
        for k in 0..60 {
            let from =
                vec3(rng::uniform([k, 0, 2, 1]), rng::uniform([k, 1, 2, 1]), rng::uniform([k, 2, 2, 1]))
                    * 10.0;
            for (light, leaf) in leaves.iter().enumerate() {
                let corners = [leaf.bounds.min, leaf.bounds.max, leaf.bounds.center()];
                let illuminates =
                    leaf.ng.is_none_or(|ng| corners.iter().any(|&corner| (from - corner).dot(ng) > 0.0));
                assert!(!illuminates || tree.probability(light, from) > 0.0, "light {light} from {from}");
            }
        }
    }

    #[test]
    fn shares_follow_the_contributions() {
        let tree = LightTree::new(&lights(64));
        let mut found = vec![(0.0, 0); 64];
        let nothing = tree.shares(&found, 4.0);
        // Odds of 4 are not changed by rounding
        (found[7], found[40]) = ((400.0, 4000), (100.0, 1000));
        let shares = tree.shares(&found, 4.0);
        for shares in [&nothing, &shares] {
            assert!(
                (shares.iter().sum::<f64>() - 1.0).abs() < 1e-9 && shares.iter().all(|&share| share > 0.0)
            );
        }
        assert!((shares[7] - 0.8).abs() < 0.01 && (shares[40] - 0.2).abs() < 0.01, "{shares:?}");
    }

    #[test]
    fn one_contribution_more_changes_few_shares() {
        const LIGHTS: u32 = 512;
        let tree = LightTree::new(&lights(LIGHTS));
        let mut found: Vec<(f64, u32)> = (0..LIGHTS)
            .map(|i| {
                let times = rng::pcg4d([i, 7, 7, 7])[0] % 20;
                (f64::from(times) * f64::from(rng::uniform([i, 8, 8, 8])), times)
            })
            .collect();
        let before = tree.shares(&found, 4.0);
        let mut changed = Vec::new();
        for i in (0..LIGHTS as usize).step_by(5) {
            let kept = found[i];
            found[i] = (kept.0 + 0.5, kept.1 + 1);
            let after = tree.shares(&found, 4.0);
            changed.push(before.iter().zip(&after).filter(|(before, after)| before != after).count());
            found[i] = kept;
        }
        changed.sort_unstable();
        let (median, percentile_90) = (changed[changed.len() / 2], changed[changed.len() * 9 / 10]);
        assert!(
            median <= 16 && percentile_90 <= 128,
            "shares changed, of {LIGHTS}: median {median}, 90th percentile {percentile_90}"
        );
    }

    #[test]
    fn odds_are_rounded_to_powers_of_the_root_of_two() {
        for (odds, rounded) in
            [(1.0, 1.0), (1.15, 1.0), (1.25, 2f64.sqrt()), (3.0, 8f64.sqrt()), (0.25, 0.25)]
        {
            let share = rounded_share(odds, 1.0);
            assert!((share - rounded / (1.0 + rounded)).abs() < 1e-12, "{odds}: {share}");
            assert!((rounded_share(1.0, odds) + share - 1.0).abs() < 1e-12, "{odds}: the shares add up to 1");
        }
        assert_eq!(
            [rounded_share(0.0, 2.0), rounded_share(2.0, 0.0), rounded_share(0.0, 0.0)],
            [0.0, 1.0, 0.0]
        );
    }

    #[test]
    fn near_lights_are_preferred() {
        let light =
            |x: f32| LightBounds { bounds: Aabb::from_points([vec3(x, 0.0, 0.0)]), ng: None, power: 1.0 };
        let tree = LightTree::new(&[light(0.0), light(100.0)]);
        assert!(tree.probability(0, vec3(1.0, 0.0, 0.0)) > 0.999, "a hundred times nearer");
        assert!(tree.probability(1, vec3(1.0, 0.0, 0.0)) > 0.0, "the other light can be sampled, too");
    }
}
