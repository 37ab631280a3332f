//! Throughput factors between texels and clusters.

use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_math::Vec3;
use sunfleck_shading::subsurface::DiffusionProfile;

use super::TexelMedia;
use super::cluster_tree::{Cluster, ClusterTree, EMPTY, index};
use super::kernel::ScatteringKernel;
use crate::atlas::Atlas;

/// Largest standard deviation of a cluster whose profile is evaluated as a whole, relative to the distance and to the
/// radius that contains half of the light.
const COARSEST: f32 = 0.2;
/// Squared distance up to which texels are divided into quarters, relative to the sum of their variances: two texels.
const NEAR: f32 = 12.0;
/// Sum of variances from which near texels are divided, relative to the squared radius that contains half of the light.
const WIDE: f32 = 0.02;

/// Clusters of an atlas with the scattering kernels of their media.
#[derive(Clone, Debug)]
pub(super) struct ScatteringGeometry {
    pub(super) tree: Arc<ClusterTree>,
    pub(super) media: TexelMedia,
    /// Of the media.
    pub(super) kernels: Vec<ScatteringKernel>,
}

impl ScatteringGeometry {
    pub(super) fn new(atlas: &Atlas, media: TexelMedia) -> Self {
        let tree = Arc::new(ClusterTree::new(atlas, &media));
        Self::of_tree(tree, media)
    }

    /// Returns the same clusters with other profiles.
    pub(super) fn with_profiles(&self, profiles: Vec<DiffusionProfile>) -> Self {
        Self::of_tree(self.tree.clone(), self.media.with_profiles(profiles))
    }

    fn of_tree(tree: Arc<ClusterTree>, media: TexelMedia) -> Self {
        let kernels = media.profiles().par_iter().map(ScatteringKernel::new).collect();
        Self { tree, media, kernels }
    }

    /// Returns the kernel of a texel; `None` if it has no medium.
    #[inline(always)]
    pub(super) fn kernel_of(&self, texel: usize) -> Option<&ScatteringKernel> {
        self.kernels.get(self.tree.object_of(texel)?.medium as usize)
    }

    /// Returns the throughput factor `F_ij = 1/A_i ∫∫ R_d` from cluster j to texel i [Radiosity03, Eq. 10].
    ///
    /// A cluster is divided until its extent is small against the distance. What remains is smoothed over: the profile is
    /// convolved with the extents of both.
    pub(super) fn factor(&self, kernel: &ScatteringKernel, texel: u32, cluster: u32) -> Vec3 {
        let (to, from) = (self.tree.clusters[texel as usize], self.tree.clusters[cluster as usize]);
        if from.object == EMPTY {
            return Vec3::ZERO;
        }
        let distance2 = to.mean.distance_squared(from.mean);
        let Some(children) = self.tree.children(cluster) else {
            return self.between_texels(kernel, texel, cluster, distance2) * from.area;
        };
        if from.variance <= COARSEST * COARSEST * (distance2 + kernel.half_light2) {
            return kernel.eval(distance2, to.variance + from.variance) * from.area;
        }
        children.into_iter().map(|child| self.factor(kernel, texel, child)).sum()
    }

    /// Returns the factor of a link with a weight; 0 if the texel has no medium.
    pub(super) fn weighted(&self, texel: u32, cluster: u32, weight: f32) -> Vec3 {
        let kernel = self.kernel_of(texel as usize);
        kernel.map_or(Vec3::ZERO, |kernel| self.factor(kernel, texel, cluster) * weight)
    }

    /// Scales the factors of all links of a texel to the sum that they have without dropped links.
    pub(super) fn complete(&self, texel: usize, factors: &mut [Vec3]) {
        let (Some(kernel), Some(object)) = (self.kernel_of(texel), self.tree.object_of(texel)) else {
            return;
        };
        let factor = |&root: &u32| self.factor(kernel, index(texel), root);
        let total: Vec3 = object.roots.iter().map(factor).sum();
        let sum: Vec3 = factors.iter().copied().sum();
        let scale = total / sum.max(Vec3::splat(f32::MIN_POSITIVE));
        factors.iter_mut().for_each(|factor| *factor *= scale);
    }

    /// Returns the mean of the profile over two texels, in 1/m². It is symmetric.
    fn between_texels(&self, kernel: &ScatteringKernel, to: u32, from: u32, distance2: f32) -> Vec3 {
        let [a, b]: [&Cluster; 2] = [to, from].map(|i| &self.tree.clusters[i as usize]);
        let variance = a.variance + b.variance;
        if distance2 > NEAR * variance || variance < WIDE * kernel.half_light2 {
            return kernel.eval(distance2, variance);
        }
        let [a, b] = [to, from].map(|i| &self.tree.quarters[i as usize]);
        let mut sum = Vec3::ZERO;
        for p in a {
            for q in b {
                // The quarters of a parallelogram have a quarter of its variance
                sum += kernel.eval(p.distance_squared(*q), 0.25 * variance);
            }
        }
        sum / 16.0
    }
}
