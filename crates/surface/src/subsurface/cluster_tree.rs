//! The clusters of an atlas: texels of a MIP pyramid with their mean position, area and variance.

use std::collections::BTreeMap;

use rayon::prelude::*;
use sunfleck_math::{Aabb, DVec3, Vec3, vec2};

use super::TexelMedia;
use crate::atlas::Atlas;

/// Object number of a cluster without scattering texels, and of one with texels of several objects.
pub(super) const EMPTY: u32 = u32::MAX;
const MIXED: u32 = u32::MAX - 1;

/// Cluster of texels: a texel of a level of the pyramid. Only its texels with a medium count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cluster {
    /// Area-weighted mean position.
    pub(super) mean: Vec3,
    /// Area, m².
    pub(super) area: f32,
    /// Variance of the position: the area-weighted mean of the squared distance from the mean, m².
    pub(super) variance: f32,
    /// Bounding box of the texels.
    bounds: Aabb,
    /// The object; [`EMPTY`] or `MIXED`.
    pub(super) object: u32,
}

impl Cluster {
    const NONE: Self =
        Self { mean: Vec3::ZERO, area: 0.0, variance: 0.0, bounds: Aabb::EMPTY, object: EMPTY };

    /// Returns the squared distances from a point between which those of all points of the cluster are, m².
    #[inline(always)]
    pub(super) fn distances(&self, from: Vec3) -> [f32; 2] {
        let (below, above) = (self.bounds.min - from, from - self.bounds.max);
        let near = below.max(above).max(Vec3::ZERO);
        let far = below.abs().max(above.abs());
        [near.length_squared(), far.length_squared()]
    }
}

/// The surface of one instance that has one medium. Light is scattered within an object only.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ScatteringObject {
    /// Index of its medium.
    pub(super) medium: u32,
    /// The largest clusters that have no texels of other objects.
    pub(super) roots: Vec<u32>,
}

/// All clusters of an atlas: those of the finest level first, row by row, then those of the next one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClusterTree {
    /// Logarithm to base 2 of the number of texels in a row.
    depth: u32,
    /// First cluster of each level.
    first: Vec<u32>,
    pub(super) clusters: Vec<Cluster>,
    pub(super) objects: Vec<ScatteringObject>,
    /// Mean positions of the quarters of each texel.
    pub(super) quarters: Vec<[Vec3; 4]>,
}

impl ClusterTree {
    pub(super) fn new(atlas: &Atlas, media: &TexelMedia) -> Self {
        let depth = atlas.resolution().ilog2();
        let (object_of, mut objects) = objects(atlas, media);
        let quarters: Vec<[Vec3; 4]> =
            (0..index(object_of.len())).into_par_iter().map(|i| quarters(atlas, i)).collect();
        let texel = |i: usize| {
            let (area, points) = (atlas.areas()[i], &quarters[i]);
            if object_of[i] == EMPTY || area <= 0.0 {
                return Cluster::NONE;
            }
            let object = object_of[i];
            let parts = points.map(|mean| Cluster { mean, area: 0.25 * area, object, ..Cluster::NONE });
            // The centres of the quarters of a parallelogram have ¾ of its variance and half of its extent
            let cluster = union(&parts);
            let bounds = Aabb::from_points(points.iter().flat_map(|p| [*p, 2.0 * *p - cluster.mean]));
            Cluster { area, variance: cluster.variance * (4.0 / 3.0), bounds, ..cluster }
        };
        let mut clusters: Vec<Cluster> = (0..object_of.len()).into_par_iter().map(texel).collect();
        let mut first = vec![0];
        for level in 1..=depth {
            let (begin, side) = (first[first.len() - 1] as usize, 1usize << (depth - level));
            let above = |i: usize| {
                let corner = begin + (i / side) * 4 * side + (i % side) * 2;
                union(&[corner, corner + 1, corner + 2 * side, corner + 2 * side + 1].map(|i| clusters[i]))
            };
            let level: Vec<Cluster> = (0..side * side).into_par_iter().map(above).collect();
            first.push(index(clusters.len()));
            clusters.extend(level);
        }
        let mut tree = Self { depth, first, clusters, objects: Vec::new(), quarters };
        tree.find_roots(index(tree.clusters.len() - 1), &mut objects);
        tree.objects = objects;
        tree
    }

    fn find_roots(&self, cluster: u32, objects: &mut [ScatteringObject]) {
        match self.clusters[cluster as usize].object {
            EMPTY => {}
            MIXED => {
                let children = self.children(cluster);
                children.into_iter().flatten().for_each(|child| self.find_roots(child, objects));
            }
            object => objects[object as usize].roots.push(cluster),
        }
    }

    /// Returns the level of a cluster; 0 for a texel.
    #[inline(always)]
    pub(super) fn level(&self, cluster: u32) -> u32 {
        // The levels above have fewer clusters than a third of those of their first level, and they are few
        let above = self.first.iter().skip(1).take_while(|first| **first <= cluster).count();
        u32::try_from(above).unwrap_or(0)
    }

    /// Returns the four children of a cluster; `None` for a texel.
    #[inline(always)]
    pub(super) fn children(&self, cluster: u32) -> Option<[u32; 4]> {
        let level = self.level(cluster);
        if level == 0 {
            return None;
        }
        let shift = self.depth - level;
        let at = cluster - self.first[level as usize];
        let (x, y) = (at & ((1 << shift) - 1), at >> shift);
        let corner = self.first[level as usize - 1] + (y << (shift + 2)) + (x << 1);
        let row = 2 << shift;
        Some([corner, corner + 1, corner + row, corner + row + 1])
    }

    /// Returns the clusters of a level, as a range.
    pub(super) fn of_level(&self, level: u32) -> std::ops::Range<usize> {
        let first = self.first[level as usize] as usize;
        first..first + (1 << (2 * (self.depth - level)))
    }

    /// Returns the number of levels.
    pub(super) fn levels(&self) -> u32 {
        self.depth + 1
    }

    /// Returns the number of texels.
    pub(super) fn texels(&self) -> usize {
        self.quarters.len()
    }

    /// Returns the object of a texel.
    #[inline(always)]
    pub(super) fn object_of(&self, texel: usize) -> Option<&ScatteringObject> {
        self.objects.get(self.clusters[texel].object as usize)
    }

    /// Returns the area-weighted mean of a function of texels in each cluster.
    ///
    /// * `of_texel` — the function; it is not called for texels without a medium.
    pub(super) fn means(&self, of_texel: impl Fn(usize) -> Vec3 + Sync) -> Vec<Vec3> {
        let mut means = vec![Vec3::ZERO; self.clusters.len()];
        let (texels, mut rest) = means.split_at_mut(self.texels());
        texels.par_iter_mut().enumerate().for_each(|(i, mean)| {
            if self.clusters[i].object != EMPTY {
                *mean = of_texel(i);
            }
        });
        let mut below: &[Vec3] = texels;
        for level in 1..self.levels() {
            let (begin, side) = (self.first[level as usize - 1] as usize, 1usize << (self.depth - level));
            let (current, above) = rest.split_at_mut(side * side);
            let first = self.first[level as usize] as usize;
            current.par_iter_mut().enumerate().with_min_len(256).for_each(|(i, mean)| {
                let area = self.clusters[first + i].area;
                if area > 0.0 {
                    let corner = (i / side) * 4 * side + (i % side) * 2;
                    let value = |i: usize| below[i] * self.clusters[begin + i].area;
                    let rows = [corner, corner + 2 * side].map(|i| value(i) + value(i + 1));
                    *mean = (rows[0] + rows[1]) / area;
                }
            });
            (below, rest) = (current, above);
        }
        means
    }
}

/// Numbers the objects: returns that of each texel, and the objects without their roots.
fn objects(atlas: &Atlas, media: &TexelMedia) -> (Vec<u32>, Vec<ScatteringObject>) {
    let (mut numbers, mut objects) = (BTreeMap::new(), Vec::new());
    let triangles = atlas.surfaces().triangles();
    let object_of = atlas.texels().iter().enumerate().map(|(i, texel)| {
        let medium = media.of_texel(i);
        let Some(triangle) = triangles.get(texel.triangle as usize) else { return EMPTY };
        if medium == TexelMedia::NONE {
            return EMPTY;
        }
        *numbers.entry((triangle.inst_id, medium)).or_insert_with(|| {
            objects.push(ScatteringObject { medium, roots: Vec::new() });
            index(objects.len() - 1)
        })
    });
    (object_of.collect(), objects)
}

/// Returns the mean positions of the quarters of a texel.
fn quarters(atlas: &Atlas, texel: u32) -> [Vec3; 4] {
    [vec2(0.25, 0.25), vec2(0.75, 0.25), vec2(0.25, 0.75), vec2(0.75, 0.75)].map(|u| {
        let Some(point) = atlas.point_in(texel, u) else { return Vec3::ZERO };
        let triangle = atlas.surfaces().triangles().get(point.triangle as usize);
        let position = triangle.map_or(Vec3::ZERO, |triangle| triangle.point(point.barycentrics));
        if position.is_finite() { position } else { Vec3::ZERO }
    })
}

/// Returns the union of clusters.
#[allow(clippy::cast_possible_truncation, reason = "computed in f64, stored in f32")]
fn union(parts: &[Cluster; 4]) -> Cluster {
    let (mut area, mut sum, mut object) = (0.0, DVec3::ZERO, EMPTY);
    for part in parts.iter().filter(|part| part.object != EMPTY) {
        area += f64::from(part.area);
        sum += part.mean.as_dvec3() * f64::from(part.area);
        object = if object == EMPTY || object == part.object { part.object } else { MIXED };
    }
    if object == EMPTY {
        return Cluster::NONE;
    }
    let mean = sum / area;
    let spread = |part: &Cluster| f64::from(part.variance) + part.mean.as_dvec3().distance_squared(mean);
    let variance: f64 = parts.iter().map(|part| f64::from(part.area) * spread(part)).sum();
    let bounds = parts.iter().fold(Aabb::EMPTY, |bounds, part| bounds.union(part.bounds));
    Cluster { mean: mean.as_vec3(), area: area as f32, variance: (variance / area) as f32, bounds, object }
}

/// Returns an index as it is stored.
#[inline(always)]
pub(super) fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}
