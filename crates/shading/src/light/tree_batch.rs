//! Choice of lights for many receivers at once: all receivers descend a level of the tree together, so that the
//! importances of their clusters are computed in one loop, which is vectorised. The choices are those of
//! [`LightTree::sample`].

use super::batch::{BATCH_SIZE, BatchRow, row, set_row};
use super::tree::{Choice, Cluster, LightTree};

/// Clusters as structure of arrays.
#[derive(Clone, Debug)]
struct Clusters {
    center: [BatchRow; 3],
    radius: BatchRow,
    power: BatchRow,
    axis: [BatchRow; 3],
    cos_spread: BatchRow,
    sin_spread: BatchRow,
}

/// State of the descent of each receiver.
#[derive(Clone, Debug)]
pub(super) struct Descent {
    /// The children of the current nodes.
    children: [Clusters; 2],
    /// Index of the current node.
    node: [u32; BATCH_SIZE],
    /// Uniform for the choices below it.
    pub(super) u: BatchRow,
    /// Probability of the current node; 0 if no light illuminates the receiver, or none is wanted.
    pub(super) probability: BatchRow,
    /// Whether the first child is chosen: 1 or 0.
    first: [u32; BATCH_SIZE],
    /// Probability of the chosen child.
    share: BatchRow,
    /// Uniform below that child.
    next_u: BatchRow,
}

impl Default for Clusters {
    fn default() -> Self {
        let (zero, axes) = ([0.0; BATCH_SIZE], [[0.0; BATCH_SIZE]; 3]);
        Self { center: axes, radius: zero, power: zero, axis: axes, cos_spread: zero, sin_spread: zero }
    }
}

impl Default for Descent {
    fn default() -> Self {
        let row = [0.0; BATCH_SIZE];
        Self {
            children: Default::default(),
            node: [0; BATCH_SIZE],
            u: row,
            probability: row,
            first: [0; BATCH_SIZE],
            share: row,
            next_u: row,
        }
    }
}

impl Clusters {
    #[inline(always)]
    fn set(&mut self, i: usize, cluster: &Cluster) {
        set_row(&mut self.center, i, cluster.center);
        set_row(&mut self.axis, i, cluster.axis);
        self.radius[i] = cluster.radius;
        self.power[i] = cluster.power;
        self.cos_spread[i] = cluster.cos_spread;
        self.sin_spread[i] = cluster.sin_spread;
    }

    #[inline(always)]
    fn get(&self, i: usize) -> Cluster {
        Cluster {
            center: row(&self.center, i),
            radius: self.radius[i],
            power: self.power[i],
            axis: row(&self.axis, i),
            cos_spread: self.cos_spread[i],
            sin_spread: self.sin_spread[i],
        }
    }
}

impl LightTree {
    /// Samples a light for each of `count` receivers whose [`Descent::probability`] is not 0, which is multiplied by
    /// that of the light. `lights` receives its index.
    #[inline(always)]
    pub(super) fn sample_batch(
        &self,
        from: &[BatchRow; 3],
        descent: &mut Descent,
        count: usize,
        lights: &mut [u32; BATCH_SIZE],
    ) {
        for i in 0..count {
            descent.node[i] = 0;
            // A tree of one light has no choices that would reject a light that does not illuminate the receiver
            let Some(root) = self.nodes.first() else {
                descent.probability[i] = 0.0;
                continue;
            };
            if root.is_leaf && root.cluster.importance(row(from, i)) == 0.0 {
                descent.probability[i] = 0.0;
            }
        }
        while self.fetch_children(descent, count) {
            descent.choose(from, count);
            self.enter(descent, count);
        }
        for (i, light) in lights.iter_mut().enumerate().take(count) {
            if descent.probability[i] > 0.0 {
                *light = self.nodes[descent.node[i] as usize].next;
            }
        }
    }

    /// Copies the children of the current nodes. Returns whether there are any.
    #[inline(always)]
    fn fetch_children(&self, descent: &mut Descent, count: usize) -> bool {
        let mut any = false;
        for i in 0..count {
            if descent.probability[i] == 0.0 {
                continue;
            }
            let index = descent.node[i] as usize;
            let node = &self.nodes[index];
            if node.is_leaf {
                continue;
            }
            any = true;
            descent.children[0].set(i, &self.nodes[index + 1].cluster);
            descent.children[1].set(i, &self.nodes[node.next as usize].cluster);
        }
        any
    }

    /// Moves the receivers whose nodes have children to the chosen ones.
    #[inline(always)]
    fn enter(&self, descent: &mut Descent, count: usize) {
        for i in 0..count {
            let index = descent.node[i];
            let node = &self.nodes[index as usize];
            if descent.probability[i] == 0.0 || node.is_leaf {
                continue;
            }
            descent.node[i] = if descent.first[i] == 1 { index + 1 } else { node.next };
            descent.u[i] = descent.next_u[i];
            descent.probability[i] *= descent.share[i];
        }
    }
}

impl Descent {
    /// Chooses one of the children of each receiver, with the computation of [`LightTree::sample`].
    #[inline(always)]
    fn choose(&mut self, from: &[BatchRow; 3], count: usize) {
        let Self { children, u, first, share, next_u, .. } = self;
        for i in 0..count.min(BATCH_SIZE) {
            let from = row(from, i);
            let a = children[0].get(i).importance(from);
            let sum = a + children[1].get(i).importance(from);
            let choice = Choice::new(a / sum, u[i]);
            first[i] = u32::from(choice.is_first);
            share[i] = if sum > 0.0 { choice.share } else { 0.0 };
            next_u[i] = choice.u;
        }
    }
}
