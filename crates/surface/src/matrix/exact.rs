//! Form factors of pairs of patches in closed form, with their visibility by rays.

use rayon::prelude::*;
use sunfleck_kernel::{MISS, RayBuffer};
use sunfleck_math::float::offset_ray_origin;
use sunfleck_math::{Ray, Vec3};
use sunfleck_sampling::{Sampler, SamplerKind};
use sunfleck_transport::{AlphaSeed, shadow_ray_end};

use super::channels::rounded;
use super::edit::Edit;
use super::links::{Links, merged, transposed};
use super::{CastOptions, ClosestHits, ExactPairs, FormFactors, Link, Patch, Patches, Polygon};

/// Difference of the seeds of visibility rays and of rays in random directions.
const STREAM: u32 = 0x51_1b_1e;

/// Returns `A_i F_ij` of all pairs that the options select, as a symmetric matrix.
///
/// * `former` — form factors before an edit: values are kept where nothing changed.
pub(super) fn exact_links<T: ClosestHits>(
    tracer: &T,
    patches: &Patches,
    options: &CastOptions,
    former: Option<(&Edit, &FormFactors)>,
) -> Result<Links, T::Error> {
    let polygon = |patch: &Patch| Polygon::new(patch.polygon().into_iter().map(Vec3::as_dvec3));
    let polygons: Vec<Polygon> = patches.patches().iter().map(polygon).collect();
    let radii: Vec<f32> = patches.patches().iter().map(Patch::radius).collect();
    let is_selected = |i: usize, j: usize| {
        let (a, b) = (&patches.patches()[i], &patches.patches()[j]);
        let selected = match options.exact {
            ExactPairs::None => false,
            ExactPairs::All => true,
            ExactPairs::Near(multiple) => {
                let is_near = || a.center.distance(b.center) < multiple * (radii[i] + radii[j]);
                a.emission != Vec3::ZERO || b.emission != Vec3::ZERO || is_near()
            }
        };
        selected && faces(a, b) && faces(b, a)
    };
    let count = patches.patches().len();
    // The upper triangle
    let of_row = |i: usize| -> Result<Vec<Link>, T::Error> {
        let selected = (i + 1..count).filter(|&j| is_selected(i, j));
        let (mut row, mut pairs) = (Vec::new(), Vec::new());
        for j in selected {
            match former.and_then(|(edit, factors)| kept(patches, edit, factors, [i, j])) {
                Some(value) => row.push((j, value)),
                None => pairs.push((j, polygons[i].exchange(&polygons[j]))),
            }
        }
        pairs.retain(|(_, exchange)| *exchange > 0.0);
        apply_visibility(tracer, patches, options, i, &mut pairs)?;
        row.extend(pairs.into_iter().map(|(j, exchange)| (j, rounded(exchange))));
        row.retain(|(_, value)| *value > 0.0);
        row.sort_unstable_by_key(|(j, _)| *j);
        let link = |(j, value): (usize, f32)| Link { patch: u32::try_from(j).unwrap_or(u32::MAX), value };
        Ok(row.into_iter().map(link).collect())
    };
    let upper: Links = (0..count).into_par_iter().map(of_row).collect::<Result<_, _>>()?;
    Ok(merged(&upper, &transposed(&upper), |_, _, upper, lower| upper + lower))
}

/// Returns the value of a pair before an edit, if it is the same afterwards.
fn kept(patches: &Patches, edit: &Edit, factors: &FormFactors, pair: [usize; 2]) -> Option<f32> {
    let [a, b] = pair.map(|i| &patches.patches()[i]);
    if edit.is_changed_between(a, b) {
        return None;
    }
    let [from, to] = pair.map(|i| edit.former(u32::try_from(i).ok()?));
    let row = factors.exact.get(from? as usize)?;
    // Pairs without a value were not selected, or are occluded
    let index = row.binary_search_by_key(&to?, |link| link.patch).ok()?;
    Some(row[index].value)
}

/// Returns whether a part of `b` is in front of `a`.
fn faces(a: &Patch, b: &Patch) -> bool {
    let least = 1e-6 * b.corners()[0].distance(a.center);
    b.corners().iter().any(|corner| (*corner - a.center).dot(a.normal) > least)
}

/// Multiplies the values of the pairs of patch `i` by their visibility, the fraction of the transported light that is
/// not occluded: `∑ V G / ∑ G` over rays between stratified points, where `G = cos cos / r²`.
fn apply_visibility<T: ClosestHits>(
    tracer: &T,
    patches: &Patches,
    options: &CastOptions,
    i: usize,
    pairs: &mut [(usize, f64)],
) -> Result<(), T::Error> {
    let sampler = Sampler::new(SamplerKind::Sobol, options.seed ^ STREAM);
    let from = &patches.patches()[i];
    let pixel = |j: usize| [from.key[0], patches.patches()[j].key[0]];
    let error = patches.faces[from.face as usize].position_error;
    let samples = options.visibility_rays as usize;
    let mut rays = RayBuffer::with_capacity(samples * pairs.len());
    let mut weights = Vec::with_capacity(samples * pairs.len());
    for &mut (j, _) in &mut *pairs {
        let to = &patches.patches()[j];
        for sample in 0..options.visibility_rays {
            let pixel = pixel(j);
            let (p, q) =
                (from.sample(sampler.get_2d(pixel, sample, 0)), to.sample(sampler.get_2d(pixel, sample, 2)));
            let distance = p.distance(q);
            let direction = (q - p) / distance.max(f32::MIN_POSITIVE);
            let cosines = from.normal.dot(direction).max(0.0) * (-to.normal.dot(direction)).max(0.0);
            weights.push(cosines / (distance * distance).max(f32::MIN_POSITIVE));
            let origin = offset_ray_origin(p, error, from.normal, direction);
            rays.push(&Ray { t_far: shadow_ray_end(distance), ..Ray::new(origin, direction) });
        }
    }
    let pairs_of_rays: &[(usize, f64)] = pairs;
    let seed = |ray: usize| {
        let sample = u32::try_from(ray % samples).unwrap_or(u32::MAX);
        AlphaSeed { pixel: pixel(pairs_of_rays[ray / samples].0), sample, stream: options.seed ^ STREAM }
    };
    let hits = tracer.closest(&rays, &seed)?;
    // Rounding may let a grazing ray end on the surface of the other patch: it is visible nevertheless
    let is_occluded = |ray: usize| {
        let to = &patches.patches()[pairs[ray / samples].0];
        let [instance, prim_id] = [hits.inst_id[ray], hits.prim_id[ray]];
        prim_id != MISS && !patches.is_on_surface_of(to, instance, prim_id)
    };
    let occluded: Vec<bool> = (0..weights.len()).map(is_occluded).collect();
    let mut weighted = weights.iter().zip(&occluded);
    for (_, value) in pairs.iter_mut() {
        let (mut all, mut visible) = (0.0, 0.0);
        for (&weight, &is_occluded) in weighted.by_ref().take(samples) {
            all += f64::from(weight);
            visible += if is_occluded { 0.0 } else { f64::from(weight) };
        }
        if all > 0.0 {
            *value *= visible / all;
        }
    }
    Ok(())
}
