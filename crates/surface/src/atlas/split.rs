//! Splitting a cluster into two.
//!
//! Both halves get the same number of texels. A triangle needs one texel and should have those of its share of the
//! area, so the split balances *weights*: one texel plus the share of the area. The halves of a connected cluster are
//! connected. Parts that are not connected are separated first; a part that would get more than twice its share of
//! texels by that is joined to the nearest triangle instead.

use super::part::{Growth, Part};

/// Least share of the weight that separated parts may have.
const LEAST_SHARE: f64 = 0.25;

/// Weights of the members of a part, and the bounds of the number of members of its first half.
struct Balance {
    weights: Vec<f64>,
    total: f64,
    fewest: usize,
    most: usize,
}

/// Half of a part, and its distance from half of the weight.
struct Candidate {
    in_first: Vec<bool>,
    imbalance: f64,
}

impl Balance {
    fn new(part: &Part, texels: u64) -> Self {
        let area = part.area();
        let per_area = if area > 0.0 { texels as f64 / area } else { 0.0 };
        let weights: Vec<f64> = part.members.iter().map(|m| 1.0 + f64::from(m.area) * per_area).collect();
        let half = usize::try_from(texels / 2).unwrap_or(usize::MAX);
        let most = half.min(part.len() - 1);
        Self { total: weights.iter().sum(), weights, fewest: part.len().saturating_sub(half).max(1), most }
    }

    fn imbalance(&self, weight: f64) -> f64 {
        (weight / self.total - 0.5).abs()
    }

    /// Returns the best first part of an order.
    fn cut(&self, order: &[u32]) -> Candidate {
        let (mut weight, mut best) = (0.0, (f64::INFINITY, self.fewest));
        for (i, &member) in order.iter().enumerate().take(self.most) {
            weight += self.weights[member as usize];
            let imbalance = self.imbalance(weight);
            if i + 1 >= self.fewest && imbalance < best.0 {
                best = (imbalance, i + 1);
            }
        }
        let mut in_first = vec![false; order.len()];
        order.iter().take(best.1).for_each(|&member| in_first[member as usize] = true);
        Candidate { in_first, imbalance: best.0 }
    }

    /// Returns a half if both halves have enough texels.
    fn check(&self, in_first: Vec<bool>) -> Option<Candidate> {
        let count = in_first.iter().filter(|&&first| first).count();
        let weight: f64 =
            self.weights.iter().zip(&in_first).filter(|(_, first)| **first).map(|(w, _)| w).sum();
        let is_possible = (self.fewest..=self.most).contains(&count);
        is_possible.then(|| Candidate { imbalance: self.imbalance(weight), in_first })
    }
}

/// Splits a part of at least two triangles among the halves of a rectangle of `texels`, at least one for each triangle.
pub(super) fn split(mut part: Part, texels: u64) -> [Part; 2] {
    let balance = Balance::new(&part, texels);
    let (component, count) = part.components(|_| true);
    if count > 1 {
        if let Some(half) = separated(&part, &balance, &component, count as usize) {
            return part.divide(&half.in_first);
        }
        join_to_heaviest(&mut part, &balance, &component, count as usize);
    }
    let half = connected(&part, &balance);
    part.divide(&half.in_first)
}

/// Returns the best half that consists of whole components, in the order of their positions along an axis.
fn separated(part: &Part, balance: &Balance, component: &[u32], count: usize) -> Option<Candidate> {
    let mut centers = vec![(sunfleck_math::DVec3::ZERO, 0.0, 0usize); count];
    for ((member, &weight), &of) in part.members.iter().zip(&balance.weights).zip(component) {
        let center = &mut centers[of as usize];
        *center = (center.0 + member.centroid.as_dvec3() * weight, center.1 + weight, center.2 + 1);
    }
    let mut best: Option<(f64, Vec<bool>)> = None;
    for axis in 0..3 {
        let mut order: Vec<usize> = (0..count).collect();
        let at = |i: usize| centers[i].0[axis] / centers[i].1;
        order.sort_by(|&a, &b| at(a).total_cmp(&at(b)));
        let (mut weight, mut members) = (0.0, 0);
        for (i, &of) in order.iter().enumerate() {
            weight += centers[of].1;
            members += centers[of].2;
            let imbalance = balance.imbalance(weight);
            let is_possible = (balance.fewest..=balance.most).contains(&members);
            if is_possible && best.as_ref().is_none_or(|(least, _)| imbalance < *least) {
                let mut chosen = vec![false; count];
                order.iter().take(i + 1).for_each(|&of| chosen[of] = true);
                best = Some((imbalance, chosen));
            }
        }
    }
    let (imbalance, chosen) = best.filter(|(imbalance, _)| *imbalance <= 0.5 - LEAST_SHARE)?;
    Some(Candidate { in_first: component.iter().map(|&of| chosen[of as usize]).collect(), imbalance })
}

/// Joins each component to the nearest triangle of the heaviest one.
fn join_to_heaviest(part: &mut Part, balance: &Balance, component: &[u32], count: usize) {
    let (mut weights, mut first) = (vec![0.0; count], vec![u32::MAX; count]);
    for ((&of, &weight), member) in component.iter().zip(&balance.weights).zip(0u32..) {
        weights[of as usize] += weight;
        first[of as usize] = first[of as usize].min(member);
    }
    let heaviest = (0..count).rev().max_by(|&a, &b| weights[a].total_cmp(&weights[b])).unwrap_or(0);
    let nearest = |to: u32| {
        let to = part.members[to as usize].centroid;
        let distance = |i: u32| part.members[i as usize].centroid.distance_squared(to);
        let candidates = component.iter().zip(0u32..).filter(|(of, _)| **of as usize == heaviest);
        candidates.map(|(_, i)| i).min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
    };
    let others = first.iter().enumerate().filter(|(of, _)| *of != heaviest);
    let joints: Vec<[u32; 2]> = others.filter_map(|(_, &member)| Some([member, nearest(member)?])).collect();
    part.join(&joints);
}

/// Returns the best half of a connected part: of two fronts that grow from opposite ends, and of the cuts through the
/// trees of shortest paths. Both halves are connected unless there are hardly more texels than triangles.
fn connected(part: &Part, balance: &Balance) -> Candidate {
    let farthest = |growth: &Growth| growth.order.last().copied().unwrap_or(0);
    let from_one_end = part.grow(farthest(&part.grow(0)));
    let from_other_end = part.grow(farthest(&from_one_end));
    let mut best: Option<Candidate> = None;
    for growth in [&from_one_end, &from_other_end] {
        for candidate in [front(part, balance, growth), subtree(balance, growth)].into_iter().flatten() {
            if best.as_ref().is_none_or(|best| candidate.imbalance < best.imbalance) {
                best = Some(candidate);
            }
        }
    }
    best.unwrap_or_else(|| balance.cut(&from_one_end.order))
}

/// Returns the half that a front has reached, with all that it encloses.
fn front(part: &Part, balance: &Balance, growth: &Growth) -> Option<Candidate> {
    let reached = balance.cut(&growth.order).in_first;
    let (component, count) = part.components(|member| !reached[member as usize]);
    if count < 2 {
        return balance.check(reached);
    }
    let mut weights = vec![0.0; count as usize];
    for (&of, weight) in component.iter().zip(&balance.weights).filter(|(of, _)| **of != u32::MAX) {
        weights[of as usize] += weight;
    }
    let heaviest = (0..count).rev().max_by(|&a, &b| weights[a as usize].total_cmp(&weights[b as usize]))?;
    balance.check(component.iter().map(|&of| of != heaviest).collect())
}

/// Returns the subtree of the shortest paths that is nearest to a half.
fn subtree(balance: &Balance, growth: &Growth) -> Option<Candidate> {
    let mut sums: Vec<(f64, usize)> = balance.weights.iter().map(|&weight| (weight, 1)).collect();
    let mut best: Option<(f64, u32)> = None;
    for &member in growth.order.iter().skip(1).rev() {
        let (weight, count) = sums[member as usize];
        let imbalance = balance.imbalance(weight);
        let is_possible = (balance.fewest..=balance.most).contains(&count);
        if is_possible && best.is_none_or(|(least, _)| imbalance < least) {
            best = Some((imbalance, member));
        }
        let parent = &mut sums[growth.parent[member as usize] as usize];
        *parent = (parent.0 + weight, parent.1 + count);
    }
    let (imbalance, root) = best?;
    let mut in_first = vec![false; growth.order.len()];
    for &member in &growth.order {
        in_first[member as usize] = member == root || in_first[growth.parent[member as usize] as usize];
    }
    Some(Candidate { in_first, imbalance })
}
