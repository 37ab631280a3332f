//! Patches that follow the gradient of light.

use std::collections::BTreeMap;

use sunfleck_math::Vec3;
use sunfleck_shading::luminance;

use super::channels::rounded;
use super::{Channels, Patches};

/// Options for finding patches that are too large for the light on them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptOptions {
    /// Difference of the radiosities of neighbours above which the larger one is divided, as a fraction of the mean
    /// radiosity of all patches.
    pub contrast: f32,
    /// Patches with shorter edges are not divided, metres.
    pub least_edge: f32,
    /// Number of patches that must not be exceeded by dividing: those with the highest contrast come first.
    pub most_patches: usize,
}

impl Patches {
    /// Returns whether each patch should be divided, for [`Patches::refine`]. Neighbours are patches of one surface
    /// that share a corner.
    ///
    /// * `radiosity` — of a first solution.
    pub fn too_coarse(&self, radiosity: &Channels, options: &AdaptOptions) -> Vec<bool> {
        let patches = self.patches();
        let weighted = |i: usize| f64::from(luminance(radiosity.get(i)) * patches[i].area);
        let area: f64 = patches.iter().map(|patch| f64::from(patch.area)).sum();
        // Emission would hide the light of all other surfaces
        let reflected = (0..patches.len()).filter(|&i| patches[i].emission == Vec3::ZERO);
        let mean = rounded(reflected.map(weighted).sum::<f64>() / area.max(f64::MIN_POSITIVE));

        // Lowest and highest radiosity of the surface at each corner
        let key = |i: usize, corner: Vec3| {
            (patches[i].face, patches[i].is_front, corner.to_array().map(f32::to_bits))
        };
        let mut ranges: BTreeMap<_, [f32; 2]> = BTreeMap::new();
        for (i, patch) in patches.iter().enumerate() {
            let value = luminance(radiosity.get(i));
            for corner in patch.corners() {
                let range = ranges.entry(key(i, *corner)).or_insert([value; 2]);
                *range = [range[0].min(value), range[1].max(value)];
            }
        }
        let contrast = |i: usize| {
            let ranges = patches[i].corners().iter().filter_map(|corner| ranges.get(&key(i, *corner)));
            ranges.map(|[low, high]| high - low).fold(0.0, f32::max) / mean.max(f32::MIN_POSITIVE)
        };
        let mut candidates: Vec<(f32, usize)> = (0..patches.len())
            .filter(|&i| patches[i].area.sqrt() > options.least_edge)
            .map(|i| (contrast(i), i))
            .filter(|(contrast, _)| *contrast > options.contrast)
            .collect();
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut divided = vec![false; patches.len()];
        // Each division adds three patches
        let most = options.most_patches.saturating_sub(patches.len()) / 3;
        candidates.iter().take(most).for_each(|&(_, i)| divided[i] = true);
        divided
    }
}
