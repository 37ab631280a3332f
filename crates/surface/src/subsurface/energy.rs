//! Conservation of energy.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use sunfleck_math::Vec3;

use super::factors::ScatteringGeometry;

/// Unit of the fixed-point numbers in which sums are formed: integers can be added in any order.
const ONE: f64 = (1u64 << 42) as f64;
/// Largest scale of a source.
const LARGEST: Vec3 = Vec3::splat(4.0);

/// Returns a factor for the irradiance of each texel, with which a given part of the flux that it receives leaves the
/// surface anywhere. The flux that leaves is `∑ A_i F_ij / A_j` over all receivers i of all clusters j that contain the
/// texel.
///
/// * `parts` — part of each texel's flux.
/// * `for_links` — calls a function for each link of a texel, with its cluster and its factor.
pub(super) fn source_scales(
    geometry: &ScatteringGeometry,
    parts: &[Vec3],
    for_links: impl Fn(usize, &mut dyn FnMut(u32, Vec3)) + Sync,
) -> Vec<Vec3> {
    let tree = &geometry.tree;
    // The flux that is gathered from each cluster, relative to what it receives
    let sums: Vec<[AtomicU64; 3]> = tree.clusters.iter().map(|_| Default::default()).collect();
    (0..tree.texels()).into_par_iter().for_each(|texel| {
        let area = tree.clusters[texel].area;
        for_links(texel, &mut |cluster, factor| {
            let share = factor * (area / tree.clusters[cluster as usize].area);
            for (sum, share) in sums[cluster as usize].iter().zip(share.to_array()) {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
                sum.fetch_add((f64::from(share) * ONE) as u64, Ordering::Relaxed);
            }
        });
    });
    // Clusters pass it on to their texels
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a sum of f32")]
    let value = |sum: &AtomicU64| (sum.load(Ordering::Relaxed) as f64 / ONE) as f32;
    let mut fluxes: Vec<Vec3> =
        sums.par_iter().map(|sum| Vec3::from_array(sum.each_ref().map(value))).collect();
    for level in (1..tree.levels()).rev() {
        for cluster in tree.of_level(level) {
            let flux = fluxes[cluster];
            let children = tree.children(super::cluster_tree::index(cluster));
            children.into_iter().flatten().for_each(|child| fluxes[child as usize] += flux);
        }
    }
    let scale =
        |texel: usize| (parts[texel] / fluxes[texel].max(Vec3::splat(f32::MIN_POSITIVE))).min(LARGEST);
    (0..tree.texels()).into_par_iter().map(scale).collect()
}

/// Returns the part of the flux of each texel that the profile returns: by symmetry the sum of the texel's own factors,
/// and at most the reflectance of the medium.
pub(super) fn returned(
    geometry: &ScatteringGeometry,
    for_links: impl Fn(usize, &mut dyn FnMut(u32, Vec3)) + Sync,
) -> Vec<Vec3> {
    let part = |texel: usize| {
        let Some(kernel) = geometry.kernel_of(texel) else { return Vec3::ZERO };
        let mut sum = Vec3::ZERO;
        for_links(texel, &mut |_, factor| sum += factor);
        sum.min(kernel.reflectance)
    };
    (0..geometry.tree.texels()).into_par_iter().map(part).collect()
}
