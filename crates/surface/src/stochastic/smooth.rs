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
        let sides = [0, count].map(|first| {
            let (values, variances) = (&irradiance[first..first + count], &variances[first..first + count]);
            // One estimate of the variance is as good as none
            let variances = neighbours.means(|_, j| (1.0, variances[j]));
            let weight = |i: usize, j: usize| {
                let difference = luminance(values[i]) - luminance(values[j]);
                let variance = variances[i] + variances[j];
                let excess = difference * difference / (SIGNIFICANT * variance).max(f32::MIN_POSITIVE);
                (if i == j { 1.0 } else { (1.0 - excess).max(0.0) }, values[j])
            };
            neighbours.means(weight)
        });
        sides.concat()
    }
}

/// Texels near each texel.
struct Neighbours<'a> {
    elements: &'a Elements,
    /// One grid for each size of texels; a cell is at least as large as their neighbourhoods.
    grids: Vec<Grid>,
}

impl<'a> Neighbours<'a> {
    fn new(elements: &'a Elements) -> Self {
        let mut sizes: Vec<i32> =
            (0..elements.texels()).filter_map(|texel| size_of(elements, texel)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let grids = sizes.into_par_iter().map(|size| Grid::new(elements, size)).collect();
        Self { elements, grids }
    }

    /// Returns the weighted mean of a function of each texel and each of its neighbours, itself included; the default for
    /// texels without a surface.
    fn means<T>(&self, value: impl Fn(usize, usize) -> (f32, T) + Sync) -> Vec<T>
    where
        T: Copy + Default + Send + std::ops::AddAssign + std::ops::Mul<f32, Output = T>,
    {
        let mean = |i: usize| {
            let grid = self.grids.iter().find(|grid| Some(grid.size) == size_of(self.elements, i));
            let Some(grid) = grid else { return T::default() };
            let (position, normal) = (self.elements.images.position[i], self.elements.images.normal[i]);
            let radius = radius_of(self.elements, i);
            let (mut sum, mut weights) = (T::default(), 0.0);
            grid.for_each_near(position, |j| {
                let offset = self.elements.images.position[j] - position;
                let inside = 1.0 - offset.length_squared() / (radius * radius);
                let is_flat = offset.dot(normal).abs() <= FLATNESS * radius;
                if inside > 0.0 && is_flat && self.elements.images.normal[j].dot(normal) > LEAST_COSINE {
                    let (weight, value) = value(i, j);
                    let weight = weight * inside * inside * self.elements.areas[j];
                    sum += value * weight;
                    weights += weight;
                }
            });
            if weights > 0.0 { sum * (1.0 / weights) } else { value(i, i).1 }
        };
        (0..self.elements.texels()).into_par_iter().map(mean).collect()
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
    size: i32,
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
        Self { size, cell, texels }
    }

    /// Calls a function for the texels in the cells around a point.
    fn for_each_near(&self, position: Vec3, mut found: impl FnMut(usize)) {
        let [x, y, z] = cell_at(position, self.cell);
        for dx in -1..=1 {
            for dy in -1..=1 {
                // Cells along z are consecutive
                let (from, to) = ([x + dx, y + dy, z - 1], [x + dx, y + dy, z + 1]);
                let first = self.texels.partition_point(|(cell, _)| *cell < from);
                let near = self.texels[first..].iter().take_while(|(cell, _)| *cell <= to);
                let count = near.clone().count();
                let step = count.div_ceil(3 * MOST_OF_CELL).max(1);
                near.step_by(step).for_each(|(_, texel)| found(*texel as usize));
            }
        }
    }
}

fn cell_at(position: Vec3, size: f32) -> [i32; 3] {
    #[allow(clippy::cast_possible_truncation, reason = "saturates far away")]
    (position / size).floor().to_array().map(|x| (x as i32).clamp(-(1 << 30), 1 << 30))
}
