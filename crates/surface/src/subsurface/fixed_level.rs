//! Links from all texels to the clusters of one level.

use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_math::Vec3;

use super::TexelMedia;
use super::cluster_tree::index;
use super::energy::{returned, source_scales};
use super::factors::ScatteringGeometry;
use crate::atlas::Atlas;

/// Links from all texels of an object to all clusters of one level [Radiosity03, §4.2.1]: the places of the links are
/// shared, and four factors are one value of a map, as the paper stores them. In contrast to the paper they are RGB.
///
/// The light has no seams, but details smaller than a cluster are lost, also near the texel.
#[derive(Clone, Debug)]
pub struct FixedLevelLinks {
    geometry: Arc<ScatteringGeometry>,
    /// Clusters of each object.
    places: Vec<Vec<u32>>,
    /// Factors of four links of each texel, for red, green and blue.
    maps: Vec<[Vec<[f32; 4]>; 3]>,
    source_scales: Vec<Vec3>,
}

impl FixedLevelLinks {
    /// Makes the links of all texels that have a medium.
    ///
    /// * `media` — those of the texels of `atlas`.
    /// * `links` — number of links to a map of one object: the level is the finest one that has no more clusters.
    pub fn build(atlas: &Atlas, media: TexelMedia, links: u32) -> Self {
        let geometry = ScatteringGeometry::new(atlas, media);
        let tree = &geometry.tree;
        let level = (0..tree.levels()).find(|level| tree.of_level(*level).len() <= links.max(1) as usize);
        let level = level.unwrap_or(tree.levels() - 1);
        let places: Vec<Vec<u32>> = tree
            .objects
            .iter()
            .map(|object| {
                let mut places = Vec::new();
                object.roots.iter().for_each(|&root| descend(&geometry, root, level, &mut places));
                places
            })
            .collect();
        let most = places.iter().map(Vec::len).max().unwrap_or(0);
        let map = |map: usize| {
            let factors: Vec<[Vec3; 4]> = (0..tree.texels())
                .into_par_iter()
                .map(|texel| four(&geometry, &places, texel, map))
                .collect();
            [0, 1, 2].map(|c| factors.iter().map(|four| four.map(|factor| factor[c])).collect())
        };
        let maps: Vec<[Vec<[f32; 4]>; 3]> = (0..most.div_ceil(4)).map(map).collect();
        let mut links = Self { geometry: Arc::new(geometry), places, maps, source_scales: Vec::new() };
        let each = |texel: usize, add: &mut dyn FnMut(u32, Vec3)| links.for_links(texel, add);
        let parts = returned(&links.geometry, each);
        links.source_scales = source_scales(&links.geometry, &parts, each);
        links
    }

    fn for_links(&self, texel: usize, mut add: impl FnMut(u32, Vec3)) {
        let Some(places) = self.places.get(self.geometry.tree.clusters[texel].object as usize) else {
            return;
        };
        for (places, map) in places.chunks(4).zip(&self.maps) {
            let [red, green, blue] = map.each_ref().map(|channel| channel[texel]);
            for (k, &place) in places.iter().enumerate() {
                add(place, Vec3::new(red[k], green[k], blue[k]));
            }
        }
    }

    /// Returns the largest number of links of a texel.
    pub fn count(&self) -> usize {
        self.places.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Returns the radiant exitance of each texel: see [`Links::scatter`](super::Links::scatter).
    pub fn scatter(&self, irradiance: &[Vec3]) -> Vec<Vec3> {
        let lit = |i: usize| irradiance.get(i).copied().unwrap_or(Vec3::ZERO) * self.source_scales[i];
        let means = self.geometry.tree.means(lit);
        let exitance = |texel: usize| {
            let mut sum = Vec3::ZERO;
            self.for_links(texel, |cluster, factor| sum += factor * means[cluster as usize]);
            sum
        };
        (0..self.geometry.tree.texels()).into_par_iter().map(exitance).collect()
    }
}

/// Finds the clusters of a level below a root; the root itself if it is finer.
fn descend(geometry: &ScatteringGeometry, cluster: u32, level: u32, places: &mut Vec<u32>) {
    let tree = &geometry.tree;
    if tree.clusters[cluster as usize].area <= 0.0 {
        return;
    }
    match tree.children(cluster) {
        Some(children) if tree.level(cluster) > level => {
            children.into_iter().for_each(|child| descend(geometry, child, level, places));
        }
        _ => places.push(cluster),
    }
}

/// Returns the four factors of a texel in a map.
fn four(geometry: &ScatteringGeometry, places: &[Vec<u32>], texel: usize, map: usize) -> [Vec3; 4] {
    let places = places.get(geometry.tree.clusters[texel].object as usize);
    let (Some(places), Some(kernel)) = (places, geometry.kernel_of(texel)) else { return [Vec3::ZERO; 4] };
    [0, 1, 2, 3].map(|k| {
        let place = places.get(4 * map + k);
        place.map_or(Vec3::ZERO, |&place| geometry.factor(kernel, index(texel), place))
    })
}
