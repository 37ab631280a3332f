//! Which clusters a texel is linked to.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sunfleck_math::log2;

use super::cluster_tree::EMPTY;
use super::factors::ScatteringGeometry;
use super::kernel::ScatteringKernel;

/// Octaves of the error over which a cluster is divided gradually.
const RAMP: f32 = 3.0;
/// Factor, relative to the reflectance, from which a link counts as a whole. Others count in proportion.
const SIGNIFICANT: f32 = 1.0 / 512.0;
/// Error, relative to the reflectance, below which clusters are not divided.
const SMALLEST_ERROR: f32 = 1e-6;
/// Clusters that are considered for each link of the budget.
const CONSIDERED: usize = 16;
/// Number of clusters that are divided between two checks of the budget.
const PERIOD: usize = 4;
/// Steps of bisection of the threshold.
const STEPS: u32 = 20;

/// Cluster that was considered.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    cluster: u32,
    /// Index of the parent in the list; its own for a root.
    parent: u32,
    /// Logarithm to base 2 of the error.
    log_error: f32,
    /// Bound of the throughput factor, relative to the reflectance.
    factor: f32,
    /// Sum of the counts of its children; 0 if it was not divided.
    count_of_children: f32,
    /// Weight of what it hands on to its children.
    handed_on: f32,
}

/// Cluster that a texel is linked to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    pub(super) cluster: u32,
    /// Part of the cluster's light that the link carries, in (0, 1].
    pub(super) weight: f32,
    /// Bound of the throughput factor times the weight, relative to the reflectance.
    pub(super) size: f32,
}

/// Chooses the clusters of one texel after another.
///
/// As in [Radiosity03, §4.2.1] the cluster at the top of a priority queue is replaced by its four children. In contrast
/// to the paper the key is not the throughput factor but the error of the link, the area times the range of the profile
/// over the bounding box of the cluster: a cluster of uniform profile is exact however much light it sends. And clusters are
/// divided gradually. One with the error q, where τ is the threshold of the texel, hands the part
/// `clamp(log2(q / τ) / RAMP, 0, 1)` of its weight on to its children. Errors are continuous functions of the position,
/// and so is τ: it is where the count of significant links, each of which grows continuously from 0, is the budget. So
/// all weights are continuous, and there are no seams between texels with different clusters.
#[derive(Debug, Default)]
pub(super) struct Selection {
    candidates: Vec<Candidate>,
    /// Errors, as bits, which have the order of the numbers, and indices of candidates.
    queue: BinaryHeap<(u32, Reverse<u32>)>,
    /// Indices of the candidates that were divided.
    divided: Vec<u32>,
    /// Sum of the counts of the roots.
    count_of_roots: f32,
}

impl Selection {
    /// Replaces `links` by the clusters of a texel and their weights. The weights of the clusters that contain any one
    /// texel of the object add up to 1.
    pub(super) fn select(
        &mut self,
        geometry: &ScatteringGeometry,
        kernel: &ScatteringKernel,
        texel: u32,
        budget: u32,
        links: &mut Vec<Chosen>,
    ) {
        links.clear();
        self.candidates.clear();
        self.queue.clear();
        self.divided.clear();
        let Some(object) = geometry.tree.object_of(texel as usize) else { return };
        let scale = kernel.reflectance.max_element();
        let next = Next { geometry, kernel, texel, scale };
        self.count_of_roots = 0.0;
        for &root in &object.roots {
            self.count_of_roots += self.push(&next, root, None);
        }
        let threshold = self.divide(&next, budget);
        self.weigh(threshold, links);
    }

    /// Divides clusters until the budget is spent, and returns the logarithm of the threshold.
    fn divide(&mut self, next: &Next<'_>, budget: u32) -> f32 {
        let (budget, most) = (budget as f32, CONSIDERED * budget as usize);
        let smallest = log2((SMALLEST_ERROR * next.scale).max(f32::MIN_POSITIVE));
        let mut low = smallest;
        while let Some((_, Reverse(i))) = self.queue.pop() {
            let candidate = self.candidates[i as usize];
            low = candidate.log_error;
            let is_full = self.candidates.len() > most
                || (self.divided.len() % PERIOD == PERIOD - 1 && self.count(low) >= budget);
            if low <= smallest || is_full {
                low = low.max(smallest);
                break;
            }
            let children = next.geometry.tree.children(candidate.cluster).unwrap_or_default();
            let mut count = 0.0;
            for child in children {
                count += self.push(next, child, Some(i));
            }
            self.candidates[i as usize].count_of_children = count;
            self.divided.push(i);
            low = smallest;
        }
        if self.count(low) <= budget {
            return low;
        }
        let largest = self.candidates.iter().map(|candidate| candidate.log_error);
        let mut high = largest.fold(low, f32::max);
        for _ in 0..STEPS {
            let middle = 0.5 * (low + high);
            if self.count(middle) > budget {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    /// Returns the number of links for a threshold.
    fn count(&self, threshold: f32) -> f32 {
        let children = self.divided.iter().map(|&i| {
            let candidate = self.candidates[i as usize];
            // Children with a quarter of their weight count as a whole
            (4.0 * part_handed_on(candidate.log_error, threshold)).min(1.0) * candidate.count_of_children
        });
        self.count_of_roots + children.sum::<f32>()
    }

    /// Adds a candidate and returns how much it counts.
    fn push(&mut self, next: &Next<'_>, cluster: u32, parent: Option<u32>) -> f32 {
        let most = parent.map_or(f32::INFINITY, |parent| self.candidates[parent as usize].log_error);
        let Some((log_error, factor)) = next.error_and_factor(cluster, most) else { return 0.0 };
        let i = super::cluster_tree::index(self.candidates.len());
        let parent = parent.unwrap_or(i);
        let (count_of_children, handed_on) = (0.0, 0.0);
        self.candidates.push(Candidate { cluster, parent, log_error, factor, count_of_children, handed_on });
        if next.geometry.tree.level(cluster) > 0 {
            // Logarithms of both signs, in the order of unsigned numbers
            let bits = log_error.to_bits();
            let key = if log_error < 0.0 { !bits } else { bits | 1 << 31 };
            self.queue.push((key, Reverse(i)));
        }
        // Not 0, which would mean that the parent was not divided
        (factor / SIGNIFICANT).clamp(1e-6, 1.0)
    }

    /// Distributes the weight 1 of the roots over the candidates.
    fn weigh(&mut self, threshold: f32, links: &mut Vec<Chosen>) {
        for i in 0..self.candidates.len() {
            let candidate = self.candidates[i];
            let parent = candidate.parent as usize;
            let weight = if parent == i { 1.0 } else { self.candidates[parent].handed_on };
            let is_divided = candidate.count_of_children > 0.0;
            let part = if is_divided { part_handed_on(candidate.log_error, threshold) } else { 0.0 };
            self.candidates[i].handed_on = weight * part;
            let weight = weight * (1.0 - part);
            if weight > 0.0 {
                let size = weight * candidate.factor;
                links.push(Chosen { cluster: candidate.cluster, weight, size });
            }
        }
    }
}

/// What candidates are evaluated for.
struct Next<'a> {
    geometry: &'a ScatteringGeometry,
    kernel: &'a ScatteringKernel,
    texel: u32,
    /// Reflectance of the medium.
    scale: f32,
}

impl Next<'_> {
    /// Returns the logarithm of the error of a cluster and a bound of its throughput factor, relative to the
    /// reflectance; `None` for an empty cluster.
    ///
    /// * `most` — the logarithm for its parent, so that clusters are divided before their children.
    fn error_and_factor(&self, cluster: u32, most: f32) -> Option<(f32, f32)> {
        let clusters = &self.geometry.tree.clusters;
        let (to, from) = (&clusters[self.texel as usize], &clusters[cluster as usize]);
        if from.object == EMPTY {
            return None;
        }
        let [near, far] = from.distances(to.mean).map(|distance2| self.kernel.profile(distance2));
        let error = (from.area * (near - far)).max_element().max(f32::MIN_POSITIVE);
        let factor = (from.area * near).max_element() / self.scale.max(f32::MIN_POSITIVE);
        Some((log2(error).min(most), factor))
    }
}

/// Returns the part of the weight of a cluster that its children get.
fn part_handed_on(log_error: f32, threshold: f32) -> f32 {
    ((log_error - threshold) / RAMP).clamp(0.0, 1.0)
}
