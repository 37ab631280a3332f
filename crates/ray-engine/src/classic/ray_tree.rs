//! The 5-D ray tree [RayEngine02, §5.3]: buckets of rays whose origins and directions are alike.

/// Origin, and direction on the unfolded octahedron.
pub(super) type Key = [f32; 5];

/// Number of axes of the origin, which come first.
const ORIGIN: usize = 3;

/// Index of a ray, and its key.
pub(super) type Entry = (u32, Key);

#[derive(Debug)]
pub(super) struct RayTree {
    nodes: Vec<Node>,
    /// Quadruples of nodes that are no longer used.
    free: Vec<usize>,
    bucket: usize,
}

#[derive(Debug, Default)]
struct Node {
    parent: Option<usize>,
    /// Number of rays below.
    count: usize,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Bucket(Vec<Entry>),
    Split(Split),
}

impl Default for Kind {
    fn default() -> Self {
        Self::Bucket(Vec::new())
    }
}

/// Split into four: in two along an axis of origins, and in two along an axis of directions.
#[derive(Clone, Copy, Debug)]
struct Split {
    axes: [usize; 2],
    at: [f32; 2],
    /// Index of the first of four consecutive children.
    first: usize,
}

impl Split {
    fn child(&self, key: &Key) -> usize {
        let side = |i: usize| usize::from(key[self.axes[i]] > self.at[i]);
        self.first + side(0) + 2 * side(1)
    }
}

impl RayTree {
    /// Creates an empty tree.
    ///
    /// * `bucket` — maximum number of rays in a bucket, at least 1.
    pub(super) fn new(bucket: usize) -> Self {
        Self { nodes: vec![Node::default()], free: Vec::new(), bucket: bucket.max(1) }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes[0].count
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a ray to the bucket that it belongs to; a bucket that becomes too full is split.
    pub(super) fn insert(&mut self, (ray, key): Entry) {
        let entry = (ray, key.map(|x| if x.is_finite() { x } else { 0.0 }));
        let mut node = 0;
        loop {
            self.nodes[node].count += 1;
            match &mut self.nodes[node].kind {
                Kind::Split(split) => node = split.child(&entry.1),
                Kind::Bucket(rays) => {
                    rays.push(entry);
                    break;
                }
            }
        }
        self.split_where_needed(node);
    }

    fn split_where_needed(&mut self, node: usize) {
        let mut full = vec![node];
        while let Some(node) = full.pop() {
            let own = &mut self.nodes[node];
            let Kind::Bucket(rays) = &mut own.kind else { continue };
            if rays.len() <= self.bucket {
                continue;
            }
            let rays = std::mem::take(rays);
            let first = self.four_children(node);
            let split = Split { first, ..split_of(&rays) };
            let alike = rays.iter().all(|(_, key)| split.child(key) == split.child(&rays[0].1));
            self.nodes[node].kind = Kind::Split(split);
            for (i, entry) in rays.into_iter().enumerate() {
                // Identical rays are distributed evenly
                let child = if alike { first + i % 4 } else { split.child(&entry.1) };
                self.nodes[child].count += 1;
                if let Kind::Bucket(rays) = &mut self.nodes[child].kind {
                    rays.push(entry);
                }
            }
            full.extend(first..first + 4);
        }
    }

    fn four_children(&mut self, parent: usize) -> usize {
        let first = self.free.pop().unwrap_or_else(|| {
            self.nodes.resize_with(self.nodes.len() + 4, Node::default);
            self.nodes.len() - 4
        });
        for child in first..first + 4 {
            self.nodes[child] = Node { parent: Some(parent), ..Node::default() };
        }
        first
    }

    /// Removes and returns the rays of a bucket that is as full as possible: descends by the largest counts, then
    /// fills it from siblings. Empty if there are no rays.
    pub(super) fn take(&mut self) -> Vec<Entry> {
        let mut node = 0;
        while let Kind::Split(Split { first, .. }) = self.nodes[node].kind {
            node = (first..first + 4).max_by_key(|&child| self.nodes[child].count).unwrap_or(first);
        }
        let mut taken = self.steal(node, self.bucket);
        if let Some(parent) = self.nodes[node].parent
            && let Kind::Split(Split { first, .. }) = self.nodes[parent].kind
        {
            for sibling in (first..first + 4).filter(|&sibling| sibling != node) {
                let wanted = self.bucket - taken.len();
                taken.extend(self.steal(sibling, wanted));
            }
            self.merge(parent);
        }
        taken
    }

    /// Removes and returns up to `most` rays of a node if it is a bucket.
    fn steal(&mut self, node: usize, most: usize) -> Vec<Entry> {
        let Kind::Bucket(rays) = &mut self.nodes[node].kind else { return Vec::new() };
        let taken = rays.split_off(rays.len().saturating_sub(most));
        let mut at = Some(node);
        while let Some(node) = at {
            self.nodes[node].count -= taken.len();
            at = self.nodes[node].parent;
        }
        taken
    }

    /// Merges the highest ancestor that has few rays left into one bucket.
    fn merge(&mut self, from: usize) {
        let (mut at, mut merged) = (Some(from), None);
        while let Some(node) = at.filter(|&node| self.nodes[node].count <= self.bucket / 2) {
            merged = Some(node);
            at = self.nodes[node].parent;
        }
        let Some(node) = merged else { return };
        let (mut rays, mut below) = (Vec::new(), vec![node]);
        while let Some(node) = below.pop() {
            match std::mem::take(&mut self.nodes[node].kind) {
                Kind::Bucket(own) => rays.extend(own),
                Kind::Split(Split { first, .. }) => {
                    self.free.push(first);
                    below.extend(first..first + 4);
                }
            }
        }
        self.nodes[node].kind = Kind::Bucket(rays);
    }
}

/// Returns the split at the means along the axes of greatest variance, one of origins and one of directions.
fn split_of(rays: &[Entry]) -> Split {
    let count = rays.len() as f64;
    let mean = |axis: usize| rays.iter().map(|(_, key)| f64::from(key[axis])).sum::<f64>() / count;
    let variance = |axis: usize, mean: f64| {
        rays.iter().map(|(_, key)| (f64::from(key[axis]) - mean).powi(2)).sum::<f64>()
    };
    let widest = |axes: std::ops::Range<usize>| {
        let first = axes.start;
        let spread =
            axes.map(|axis| (axis, mean(axis))).map(|(axis, mean)| (axis, mean, variance(axis, mean)));
        spread.max_by(|a, b| a.2.total_cmp(&b.2)).unwrap_or((first, 0.0, 0.0))
    };
    let (origin, direction) = (widest(0..ORIGIN), widest(ORIGIN..5));
    #[allow(clippy::cast_possible_truncation, reason = "a position among f32 coordinates")]
    let at = [origin.1 as f32, direction.1 as f32];
    Split { axes: [origin.0, direction.0], at, first: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sunfleck_sampling::rng;

    /// Returns a random entry; some are nearly equal, equal, or contain a NaN.
    fn entry(i: u32) -> Entry {
        let number = |axis| rng::uniform([i, axis, 3, 0]);
        let mut key = [0, 1, 2, 3, 4].map(number);
        match i % 4 {
            0 => key = [0.25; 5],
            1 => key[0] = f32::NAN,
            2 => key = key.map(|x| x * 1e-20),
            _ => {}
        }
        (i, key)
    }

    fn check(tree: &RayTree) {
        let mut below = vec![0];
        while let Some(node) = below.pop() {
            let own = &tree.nodes[node];
            match &own.kind {
                Kind::Bucket(rays) => {
                    assert!(rays.len() <= tree.bucket, "{} rays in a bucket", rays.len());
                    assert_eq!(own.count, rays.len());
                }
                Kind::Split(Split { first, .. }) => {
                    let children = *first..first + 4;
                    assert_eq!(own.count, children.clone().map(|child| tree.nodes[child].count).sum());
                    below.extend(children);
                }
            }
        }
    }

    /// Rays are inserted and taken in random order: none is lost or duplicated, and buckets never exceed their size.
    #[test]
    fn no_ray_is_lost() {
        for (seed, bucket) in [(0, 1), (1, 7), (2, 64), (3, 512)] {
            let mut tree = RayTree::new(bucket);
            let (mut next, mut seen) = (0, vec![0u32; 5000]);
            let mut step = 0;
            while next < 5000 || !tree.is_empty() {
                step += 1;
                let add = rng::uniform([seed, step, 1, 0]);
                if next < 5000 && add < 0.6 {
                    let more = 1 + rng::pcg4d([seed, step, 2, 0])[0] % 300;
                    (next..5000.min(next + more)).for_each(|i| tree.insert(entry(i)));
                    next = 5000.min(next + more);
                } else {
                    let before = tree.len();
                    let taken = tree.take();
                    assert!(taken.len() <= bucket && !(taken.is_empty() && before > 0));
                    assert_eq!(tree.len() + taken.len(), before);
                    taken.iter().for_each(|&(ray, _)| seen[ray as usize] += 1);
                }
                check(&tree);
            }
            assert!(seen.iter().all(|&times| times == 1), "buckets of {bucket}");
            assert!(tree.take().is_empty());
        }
    }

    /// Two groups of rays that differ along a single axis of directions are taken one after the other.
    #[test]
    fn buckets_hold_similar_rays() {
        let mut tree = RayTree::new(64);
        for i in 0..1000 {
            let side = if i % 2 == 0 { 0.9 } else { -0.9 };
            let number = |axis| 0.01 * rng::uniform([i, axis, 4, 0]);
            tree.insert((i, [number(0), number(1), number(2), side + number(3), number(4)]));
        }
        let mut mixed = 0;
        while !tree.is_empty() {
            let taken = tree.take();
            mixed += u32::from(taken.iter().any(|(ray, _)| ray % 2 != taken[0].0 % 2));
        }
        assert!(mixed <= 2, "{mixed} buckets have rays of both groups");
    }
}
