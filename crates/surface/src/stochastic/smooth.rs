//! Smoothing of noise over neighbouring texels.

use rayon::prelude::*;
use sunfleck_math::Vec3;
use sunfleck_shading::luminance;

use super::{Elements, RadiosityMap, StochasticRadiosity};

/// Radius of the neighbourhood, in edge lengths of a square texel of the same area.
const RADIUS: f32 = 3.0;
/// Largest squared difference that counts as noise, in variances of the difference.
const SIGNIFICANT: f32 = 6.0;
/// Cosine between the normals of neighbours.
const LEAST_COSINE: f32 = 0.9;
/// Distance of neighbours from the plane of a texel, as a fraction of the radius.
const FLATNESS: f32 = 0.25;
/// Texels of one cell of a grid that are looked at.
const MOST_OF_CELL: usize = 16;

impl StochasticRadiosity<'_> {
    /// Returns the irradiance of all surfaces as [`map`](Self::map) does, less its [noise](Elements::smoothed).
    pub fn smooth_map(&self) -> RadiosityMap {
        RadiosityMap::new(self.atlas().clone(), self.smoothed())
    }

    pub(super) fn smoothed(&self) -> Vec<Vec3> {
        if self.iterations() < 2 {
            return self.irradiance().to_vec();
        }
        self.elements().smoothed(self.irradiance(), &self.errors())
    }
}

impl Elements {
    /// Returns irradiance less its noise: the mean of each texel and of those near it on the same side of a smooth
    /// surface, whichever triangle they belong to, unless they differ by more than their noise, as across a border of a
    /// shadow [Buades05, neighbourhood filters]. As the noise falls with the iterations, fewer texels are alike, and the
    /// result approaches the same light.
    ///
    /// * `irradiance`, `errors` — of all elements, W/m²; one random estimate of each error.
    pub fn smoothed(&self, irradiance: &[Vec3], errors: &[Vec3]) -> Vec<Vec3> {
        let count = self.texels();
        if irradiance.len() != 2 * count || errors.len() != 2 * count {
            return irradiance.to_vec();
        }
        let neighbours = Neighbours::new(self);
        let variance = |error: &Vec3| {
            let error = luminance(error.abs());
            error * error
        };
        let variances: Vec<f32> = errors.iter().map(variance).collect();
        let sides = [0, count];
        // One estimate of the variance is as good as none
        let variances =
            neighbours.map(|_, near| sides.map(|side| mean(near, |j| (1.0, variances[side + j]))));
        let of_texel = |i: usize, near: &[(usize, f32)]| {
            [0, 1].map(|k| {
                let value = |j: usize| irradiance[sides[k] + j];
                let weight = |j: usize| {
                    let difference = luminance(value(i)) - luminance(value(j));
                    let variance = variances[i][k] + variances[j][k];
                    let excess = difference * difference / (SIGNIFICANT * variance).max(f32::MIN_POSITIVE);
                    if i == j { 1.0 } else { (1.0 - excess).max(0.0) }
                };
                mean(near, |j| (weight(j), value(j)))
            })
        };
        let smooth = neighbours.map(of_texel);
        let of_side = |k: usize| smooth.iter().map(move |texel| texel[k]);
        of_side(0).chain(of_side(1)).collect()
    }
}

/// Returns the weighted mean of a function of texels.
fn mean<T: Default + std::ops::Add<Output = T> + std::ops::Mul<f32, Output = T>>(
    near: &[(usize, f32)],
    value: impl Fn(usize) -> (f32, T),
) -> T {
    let add = |(sum, weights): (T, f32), &(j, near): &(usize, f32)| {
        let (weight, value) = value(j);
        (sum + value * (weight * near), weights + weight * near)
    };
    let (sum, weights) = near.iter().fold((T::default(), 0.0), add);
    if weights > 0.0 { sum * (1.0 / weights) } else { T::default() }
}

/// Texels near each texel.
struct Neighbours<'a> {
    elements: &'a Elements,
    /// Exponents of the sizes of neighbourhoods.
    sizes: Vec<i32>,
}

impl<'a> Neighbours<'a> {
    fn new(elements: &'a Elements) -> Self {
        let mut sizes: Vec<i32> =
            (0..elements.texels()).filter_map(|texel| size_of(elements, texel)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        Self { elements, sizes }
    }

    /// Returns a function of each texel and of those near it with their weights, itself first; the default for texels
    /// without a surface.
    fn map<T: Clone + Default + Send>(&self, of: impl Fn(usize, &[(usize, f32)]) -> T + Sync) -> Vec<T> {
        let mut all = vec![T::default(); self.elements.texels()];
        // One grid at a time, since each has all texels
        for &size in &self.sizes {
            let grid = Grid::new(self.elements, size);
            let texels: Vec<usize> =
                (0..all.len()).filter(|&texel| size_of(self.elements, texel) == Some(size)).collect();
            let found: Vec<T> = texels.par_iter().map(|&texel| of(texel, &self.near(&grid, texel))).collect();
            texels.into_iter().zip(found).for_each(|(texel, found)| all[texel] = found);
        }
        all
    }

    fn near(&self, grid: &Grid, i: usize) -> Vec<(usize, f32)> {
        let Elements { images, areas } = self.elements;
        let (position, normal, radius) = (images.position[i], images.normal[i], radius_of(self.elements, i));
        let mut near = vec![(i, areas[i])];
        grid.for_each_near(position, |j| {
            let offset = images.position[j] - position;
            let inside = 1.0 - offset.length_squared() / (radius * radius);
            let is_flat = offset.dot(normal).abs() <= FLATNESS * radius;
            if j != i && inside > 0.0 && is_flat && images.normal[j].dot(normal) > LEAST_COSINE {
                near.push((j, inside * inside * areas[j]));
            }
        });
        near
    }
}

fn radius_of(elements: &Elements, texel: usize) -> f32 {
    RADIUS * elements.areas[texel].sqrt()
}

/// Returns the exponent of the least power of two that is not less than the radius of a texel; `None` if it has no area.
fn size_of(elements: &Elements, texel: usize) -> Option<i32> {
    let radius = radius_of(elements, texel);
    // The biased exponent of a float is that of the power of two below it
    let exponent = i32::try_from(radius.to_bits() >> 23).unwrap_or(0) - 127;
    (radius > 0.0 && radius.is_finite()).then_some(exponent + 1)
}

/// Texels by cells of a grid.
struct Grid {
    cell: f32,
    /// Cells and texels, in order.
    texels: Vec<([i32; 3], u32)>,
}

impl Grid {
    fn new(elements: &Elements, size: i32) -> Self {
        let exponent = u32::try_from((size + 127).clamp(1, 254)).unwrap_or(127);
        let cell = f32::from_bits(exponent << 23);
        let with_area = (0u32..).zip(&elements.areas).filter(|(_, area)| **area > 0.0);
        let mut texels: Vec<_> = with_area
            .map(|(texel, _)| (cell_at(elements.images.position[texel as usize], cell), texel))
            .collect();
        texels.par_sort_unstable();
        Self { cell, texels }
    }

    /// Calls a function for the texels in the cells around a point.
    fn for_each_near(&self, position: Vec3, mut found: impl FnMut(usize)) {
        let [x, y, z] = cell_at(position, self.cell);
        for dx in -1..=1 {
            for dy in -1..=1 {
                // Cells along z are consecutive
                let (from, to) = ([x + dx, y + dy, z - 1], [x + dx, y + dy, z + 1]);
                let first = self.texels.partition_point(|(cell, _)| *cell < from);
                let near = &self.texels[first..];
                let near = &near[..near.partition_point(|(cell, _)| *cell <= to)];
                let step = near.len().div_ceil(3 * MOST_OF_CELL).max(1);
                near.iter().step_by(step).for_each(|(_, texel)| found(*texel as usize));
            }
        }
    }
}

fn cell_at(position: Vec3, size: f32) -> [i32; 3] {
    #[allow(clippy::cast_possible_truncation, reason = "saturates far away")]
    (position / size).floor().to_array().map(|x| (x as i32).clamp(-(1 << 30), 1 << 30))
}
