//! Links between texels and clusters, and the light that they carry.

use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_math::Vec3;
use sunfleck_shading::subsurface::DiffusionProfile;

use super::TexelMedia;
use super::cluster_tree::index;
use super::energy::{returned, source_scales};
use super::factors::ScatteringGeometry;
use super::selection::{Chosen, Selection};
use crate::atlas::Atlas;

/// Texels whose links are chosen by one task.
const TEXELS_PER_TASK: usize = 256;
/// Links are dropped if their factor is smaller than this, relative to the reflectance.
const NEGLIGIBLE: f32 = 1.0 / 32768.0;

/// Largest number of links of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkBudget(u32);

impl LinkBudget {
    /// Smallest and largest budget.
    pub const RANGE: (u32, u32) = (16, 128);

    /// Returns a budget. Numbers outside of [`LinkBudget::RANGE`] are clamped.
    pub fn new(links: u32) -> Self {
        Self(links.clamp(Self::RANGE.0, Self::RANGE.1))
    }

    /// Returns the number of links.
    pub fn links(self) -> u32 {
        self.0
    }
}

/// Iterations that balance the factors.
const BALANCE_STEPS: u32 = 6;

/// Links of all texels: throughput factors `F_ij` from clusters j to texels i [Radiosity03, §4.2.1].
///
/// A link has 20 bytes: a cluster, a weight and an RGB factor in f32. They depend on the geometry and the media, not on
/// light and camera. All results have the same bits on any number of threads.
///
/// The paper saw discontinuities where the clusters of neighbouring texels differ. Here the weight of a cluster moves to
/// its children gradually, as the error of its link grows: the weights are continuous functions of the position on the
/// surface, and so is the light.
#[derive(Clone, Debug)]
pub struct Links {
    geometry: Arc<ScatteringGeometry>,
    budget: LinkBudget,
    /// First link of each texel, and the number of links.
    offsets: Vec<u32>,
    clusters: Vec<u32>,
    weights: Vec<f32>,
    factors: Vec<Vec3>,
    /// Factors of the irradiance of texels.
    source_scales: Vec<Vec3>,
}

/// Links of some texels.
#[derive(Default)]
struct Chunk {
    counts: Vec<u32>,
    clusters: Vec<u32>,
    weights: Vec<f32>,
    factors: Vec<Vec3>,
}

impl Links {
    /// Chooses the links of all texels that have a medium and computes their factors, on all cores.
    ///
    /// * `media` — those of the texels of `atlas`.
    pub fn build(atlas: &Atlas, media: TexelMedia, budget: LinkBudget) -> Self {
        let geometry = ScatteringGeometry::new(atlas, media);
        let texels: Vec<u32> = (0..index(geometry.tree.texels())).collect();
        let chunks: Vec<Chunk> =
            texels.par_chunks(TEXELS_PER_TASK).map(|texels| chunk(&geometry, budget, texels)).collect();
        let mut offsets = vec![0];
        let (mut clusters, mut weights, mut factors) = (Vec::new(), Vec::new(), Vec::new());
        for chunk in chunks {
            for count in chunk.counts {
                offsets.push(offsets[offsets.len() - 1] + count);
            }
            clusters.extend(chunk.clusters);
            weights.extend(chunk.weights);
            factors.extend(chunk.factors);
        }
        let (geometry, source_scales) = (Arc::new(geometry), Vec::new());
        let mut links = Self { geometry, budget, offsets, clusters, weights, factors, source_scales };
        links.limit_fluxes();
        links
    }

    /// Returns links to the same clusters with the factors of other profiles, such as those of another σ. They are as good
    /// as new links if the profiles are about as wide as before.
    ///
    /// * `profiles` — replace those of the media; texels whose profile is missing become opaque.
    #[must_use]
    pub fn with_profiles(&self, profiles: Vec<DiffusionProfile>) -> Self {
        let geometry = Arc::new(self.geometry.with_profiles(profiles));
        let texels: Vec<usize> = (0..self.texels()).collect();
        let factors: Vec<Vec<Vec3>> = texels
            .par_chunks(TEXELS_PER_TASK)
            .map(|texels| {
                let mut all = Vec::new();
                for &texel in texels {
                    let range = self.range(texel);
                    let links = self.clusters[range.clone()].iter().zip(&self.weights[range]);
                    let first = all.len();
                    all.extend(
                        links.map(|(&cluster, &weight)| geometry.weighted(index(texel), cluster, weight)),
                    );
                    geometry.complete(texel, &mut all[first..]);
                }
                all
            })
            .collect();
        let factors = factors.into_iter().flatten().collect();
        let mut links = Self { geometry, factors, ..self.clone() };
        links.limit_fluxes();
        links
    }

    /// Balances the factors: a texel in uniform light gets, and the light of a texel causes, as much exitance as with the
    /// exact profile, and at most the reflectance. Clusters have one factor for all their texels, which by itself keeps
    /// only the former. Rows and columns are scaled alternately [Altschuler17]; columns last, so that energy is conserved.
    fn limit_fluxes(&mut self) {
        let each = |links: &Self, texel: usize, add: &mut dyn FnMut(u32, Vec3)| {
            links.range(texel).for_each(|i| add(links.clusters[i], links.factors[i]));
        };
        let parts = returned(&self.geometry, |texel, add| each(self, texel, add));
        for step in 0..=BALANCE_STEPS {
            self.source_scales = source_scales(&self.geometry, &parts, |texel, add| each(self, texel, add));
            if step == BALANCE_STEPS {
                break;
            }
            let exitance = self.scatter(&vec![Vec3::ONE; self.texels()]);
            for (texel, exitance) in exitance.into_iter().enumerate() {
                let scale = parts[texel] / exitance.max(Vec3::splat(f32::MIN_POSITIVE));
                let range = self.range(texel);
                self.factors[range].iter_mut().for_each(|factor| *factor *= scale);
            }
        }
    }

    fn range(&self, texel: usize) -> std::ops::Range<usize> {
        self.offsets[texel] as usize..self.offsets[texel + 1] as usize
    }

    /// Returns the number of texels.
    pub fn texels(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the media.
    pub fn media(&self) -> &TexelMedia {
        &self.geometry.media
    }

    /// Returns the budget.
    pub fn budget(&self) -> LinkBudget {
        self.budget
    }

    /// Returns the number of links of all texels.
    pub fn count(&self) -> usize {
        self.clusters.len()
    }

    /// Returns the links of a texel: level of the MIP pyramid, index of the cluster in it, row by row, and throughput
    /// factor.
    pub fn of_texel(&self, texel: usize) -> impl Iterator<Item = (u32, u32, Vec3)> + '_ {
        let range = if texel < self.texels() { self.range(texel) } else { 0..0 };
        range.map(|i| {
            let level = self.geometry.tree.level(self.clusters[i]);
            let first = self.geometry.tree.of_level(level).start;
            (level, self.clusters[i] - index(first), self.factors[i])
        })
    }

    /// Returns the factors by which the irradiance of each texel is multiplied, so that no more light leaves than the
    /// reflectance of its medium allows.
    pub fn source_scales(&self) -> &[Vec3] {
        &self.source_scales
    }

    /// Returns the radiant exitance of each texel, W/m²: the light that leaves after it was scattered. It is linear in the
    /// irradiance. Fresnel's transmittance where the light leaves is not contained in it.
    ///
    /// * `irradiance` — of each texel, W/m², after Fresnel's transmittance where the light enters; texels that are missing
    ///   are dark.
    pub fn scatter(&self, irradiance: &[Vec3]) -> Vec<Vec3> {
        let lit = |i: usize| irradiance.get(i).copied().unwrap_or(Vec3::ZERO) * self.source_scales[i];
        let means = self.geometry.tree.means(lit);
        let exitance = |texel: usize| {
            let range = self.range(texel);
            let links = self.clusters[range.clone()].iter().zip(&self.factors[range]);
            links.map(|(&cluster, factor)| *factor * means[cluster as usize]).sum()
        };
        (0..self.texels()).into_par_iter().with_min_len(TEXELS_PER_TASK).map(exitance).collect()
    }
}

/// Chooses the links of some texels.
fn chunk(geometry: &ScatteringGeometry, budget: LinkBudget, texels: &[u32]) -> Chunk {
    let (mut chunk, mut selection) = (Chunk::default(), Selection::default());
    let (mut chosen, mut links) = (Vec::new(), Vec::new());
    for &texel in texels {
        links.clear();
        if let Some(kernel) = geometry.kernel_of(texel as usize) {
            selection.select(geometry, kernel, texel, budget.0, &mut chosen);
            let candidates = chosen.iter().filter(|link| link.size > NEGLIGIBLE);
            links.extend(candidates.map(|&Chosen { cluster, weight, .. }| {
                let factor = geometry.weighted(texel, cluster, weight);
                (factor.max_element(), cluster, weight, factor)
            }));
            // The largest links, in the order of clusters
            let least = NEGLIGIBLE * kernel.reflectance.max_element();
            links.retain(|link| link.0 > least);
            links.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            links.truncate(budget.0 as usize);
            links.sort_by_key(|link| link.1);
        }
        let first = chunk.factors.len();
        chunk.counts.push(index(links.len()));
        chunk.clusters.extend(links.iter().map(|link| link.1));
        chunk.weights.extend(links.iter().map(|link| link.2));
        chunk.factors.extend(links.iter().map(|link| link.3));
        geometry.complete(texel as usize, &mut chunk.factors[first..]);
    }
    chunk
}
