//! Balancing of form factors: reciprocity and the sum of each row hold exactly, as in the continuous equation.

use rayon::prelude::*;

use super::channels::rounded;
use super::links::{Links, mapped, merged, transposed};

/// Largest deviation of the sum of a row that ends the iteration.
const TOLERANCE: f64 = 2e-7;
/// Most steps with all links.
const MOST_STEPS: u32 = 100;
/// Most steps with the links by rays alone: the rest is left to all links.
const MOST_STEPS_OF_RAYS: u32 = 200;
/// Range of the factors of patches. Where sums cannot be met, as between surfaces that lie in one another, scaling would
/// otherwise raise the few links by which light leaks to any size.
const RANGE: [f64; 2] = [0.5, 2.0];

/// What balancing changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Balance {
    /// Number of scaling steps with all links.
    pub steps: u32,
    /// Largest deviation of the sum of a row from 1 before, the share of the sky included.
    pub row_sum_before: f64,
    /// The same afterwards.
    pub row_sum: f64,
    /// Largest relative difference of `A_i F_ij` and `A_j F_ji` afterwards.
    pub reciprocity: f64,
    /// Change by making links by rays reciprocal: mean of `∑ |ΔF_ij|` over the area. It is the noise of the rays.
    pub symmetrised: f64,
    /// Change by scaling: mean of `∑ |ΔF_ij|` over the area.
    pub scaled: f64,
    /// Largest `F_ii`: what scaling could not distribute, and a patch keeps for itself.
    pub kept: f64,
}

/// Form factors before balancing.
#[derive(Debug)]
pub(super) struct Unbalanced<'a> {
    pub(super) areas: &'a [f32],
    /// `F_ij` by rays.
    pub(super) by_rays: Links,
    /// `A_i F_ij` in closed form, symmetric.
    pub(super) exact: &'a Links,
    /// Fraction of the rays of each patch that hit no patch.
    pub(super) other: &'a [f64],
}

impl Unbalanced<'_> {
    /// Returns balanced form factors and the factor of each row. The matrix S = `A_i F_ij` is made symmetric, then
    /// scaled to `x_i S_ij x_j` so that the row sums are `A_i` [Knight14, symmetric scaling]:
    ///
    /// `x_i ← √(x_i A_i / (∑_j S_ij x_j + A_i F_i,sky))`
    ///
    /// The links in closed form are more accurate than those by rays. Therefore the latter are scaled first, to what the
    /// former leave of the row sums.
    pub(super) fn balanced(self) -> (Links, Vec<f64>, Balance) {
        let Self { areas, by_rays, exact, other } = self;
        let area = |i: usize| f64::from(areas[i]);
        let mut balance = Balance::default();
        for (i, (rays, exact)) in by_rays.iter().zip(exact).enumerate() {
            let sum = sum(rays) + sum(exact) / area(i) + other[i];
            balance.row_sum_before = balance.row_sum_before.max((sum - 1.0).abs());
        }

        // The mean of both estimates, weighted by rays per area
        let reciprocal =
            |i: usize, j: usize, f_ij: f32, f_ji: f32| (f_ij + f_ji) / (1.0 / areas[i] + 1.0 / areas[j]);
        let symmetric = merged(&by_rays, &transposed(&by_rays), reciprocal);
        balance.symmetrised = mean_change(&by_rays, &symmetric, areas, |i, f, s| f - s / areas[i]);

        // Scale the links by rays
        let others: Vec<f64> = other.iter().enumerate().map(|(i, share)| share * area(i)).collect();
        let left = |i: usize| (area(i) - sum(&exact[i])).max(0.0);
        let mut x = vec![1.0; areas.len()];
        for _ in 0..MOST_STEPS_OF_RAYS {
            if step(&symmetric, &others, left, &mut x) < TOLERANCE {
                break;
            }
        }
        let scaled = |x: &[f64], i: usize, j: usize, s: f32| rounded(x[i] * x[j] * f64::from(s));
        let all = merged(&symmetric, exact, |i, j, rays, exact| scaled(&x, i, j, rays) + exact);
        let before = merged(&symmetric, exact, |_, _, rays, exact| rays + exact);

        // Scale all links
        let mut y = vec![1.0; areas.len()];
        let others: Vec<f64> = others.iter().zip(&x).map(|(other, x)| other * x).collect();
        while balance.steps < MOST_STEPS && step(&all, &others, area, &mut y) >= TOLERANCE {
            balance.steps += 1;
        }
        let symmetric = mapped(&all, |i, j, s| scaled(&y, i, j, s));
        let (symmetric, kept) = completed(&symmetric, |i| (area(i) - others[i] * y[i]).max(0.0));
        balance.kept = kept.iter().zip(areas).map(|(kept, &area)| kept / f64::from(area)).fold(0.0, f64::max);
        balance.scaled = mean_change(&before, &symmetric, areas, |i, a, b| (a - b) / areas[i]);
        let links = mapped(&symmetric, |i, _, s| s / areas[i]);

        let factors: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x * y).collect();
        for (i, row) in links.iter().enumerate() {
            let sum = sum(row) + other[i] * factors[i];
            if sum > 0.0 {
                balance.row_sum = balance.row_sum.max((sum - 1.0).abs());
            }
        }
        let difference = |i: usize, j: usize, f_ij: f32, f_ji: f32| {
            let (a, b) = (f_ij * areas[i], f_ji * areas[j]);
            (a - b).abs() / a.max(b)
        };
        let differences = merged(&links, &transposed(&links), difference);
        balance.reciprocity =
            differences.iter().flatten().fold(0.0, |largest, link| largest.max(f64::from(link.value)));
        (links, factors, balance)
    }
}

/// Completes the sums of rows where scaling cannot. A group of patches that sees only another group of equal area, as
/// the ceiling above a lamp sees only the lamp's back, cannot be completed while that group sees anything else. Links of
/// rows with too much are cut, and what a row lacks becomes a link of the patch to itself [Altschuler17, Alg. 2; there a
/// matrix of rank one]. Both keep reciprocity.
/// Returns the links, and those of the patches to themselves.
fn completed(symmetric: &Links, wanted: impl Fn(usize) -> f64 + Sync) -> (Links, Vec<f64>) {
    // A row of zeros is not cut: `min` returns the number if the other one is NaN
    let share: Vec<f64> =
        symmetric.par_iter().enumerate().map(|(i, row)| (wanted(i) / sum(row)).min(1.0)).collect();
    let cut = mapped(symmetric, |i, j, s| rounded(share[i].min(share[j]) * f64::from(s)));
    let kept = |(i, row): (usize, &Vec<super::Link>)| {
        let missing = wanted(i) - sum(row);
        if row.is_empty() || missing <= TOLERANCE * wanted(i) { 0.0 } else { missing }
    };
    let kept: Vec<f64> = cut.par_iter().enumerate().map(kept).collect();
    let own = |(&kept, patch): (&f64, u32)| {
        let link = super::Link { patch, value: rounded(kept) };
        if kept > 0.0 { vec![link] } else { Vec::new() }
    };
    let own: Links = kept.iter().zip(0..).map(own).collect();
    (merged(&cut, &own, |_, _, cut, own| cut + own), kept)
}

fn sum(row: &[super::Link]) -> f64 {
    row.iter().map(|link| f64::from(link.value)).sum()
}

/// Scales once, within the range of factors, and returns the largest relative deviation of a row sum before.
fn step(links: &Links, others: &[f64], wanted: impl Fn(usize) -> f64 + Sync, x: &mut Vec<f64>) -> f64 {
    let scaled = |(i, row): (usize, &Vec<super::Link>)| {
        let sum =
            others[i] + row.iter().map(|link| f64::from(link.value) * x[link.patch as usize]).sum::<f64>();
        let wanted = wanted(i);
        if sum > 0.0 && wanted > 0.0 {
            ((x[i] * wanted / sum).sqrt(), (x[i] * sum / wanted - 1.0).abs())
        } else {
            (x[i], 0.0)
        }
    };
    let (next, deviations): (Vec<f64>, Vec<f64>) = links.par_iter().enumerate().map(scaled).unzip();
    *x = next.into_iter().map(|x| x.clamp(RANGE[0], RANGE[1])).collect();
    deviations.into_iter().fold(0.0, f64::max)
}

/// Returns the mean over the area of the sum of changes of each row.
fn mean_change(a: &Links, b: &Links, areas: &[f32], change: impl Fn(usize, f32, f32) -> f32 + Sync) -> f64 {
    let changes = merged(a, b, |i, _, a, b| change(i, a, b).abs());
    let weighted = changes.iter().zip(areas).map(|(row, &area)| sum(row) * f64::from(area));
    weighted.sum::<f64>() / areas.iter().map(|&area| f64::from(area)).sum::<f64>().max(f64::MIN_POSITIVE)
}
