//! Solvers against elimination in f64, and relighting.

use std::sync::Arc;

use sunfleck_math::Vec3;
use sunfleck_surface::matrix::{
    CastOptions, Channels, FormFactors, Matrix, PatchSize, RadiosityError, RadiositySystem, Solution, Solver,
    StopRule,
};

use crate::common::{divided, two_rooms};

/// Form factors of the two rooms, with emission and reflectance of their materials.
fn system(matrix: fn(&FormFactors) -> Matrix) -> (FormFactors, RadiositySystem) {
    let (world, patches) = divided(&two_rooms(), PatchSize::Number(250));
    let factors = FormFactors::cast(&world, &patches, &CastOptions { rays: 256, ..CastOptions::default() });
    let system = RadiositySystem::new(&world, &patches, &factors, matrix(&factors));
    (factors, system)
}

/// Solves (I − ρ F) B = E for one channel by Gaussian elimination with pivots.
fn eliminated(factors: &FormFactors, source: &[f32], reflectance: &[f32]) -> Vec<f64> {
    let n = source.len();
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row = vec![0.0; n + 1];
            for link in factors.row(i) {
                row[link.patch as usize] = -f64::from(reflectance[i]) * f64::from(link.value);
            }
            row[i] += 1.0;
            row[n] = source[i].into();
            row
        })
        .collect();
    for k in 0..n {
        let pivot = (k..n).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs())).unwrap();
        rows.swap(k, pivot);
        let (above, below) = rows.split_at_mut(k + 1);
        for row in below {
            let factor = row[k] / above[k][k];
            row.iter_mut().zip(&above[k]).skip(k).for_each(|(x, pivot)| *x -= factor * pivot);
        }
    }
    let mut solution = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| rows[k][j] * solution[j]).sum();
        solution[k] = (rows[k][n] - known) / rows[k][k];
    }
    solution
}

const EXACT: StopRule = StopRule { tolerance: 1e-6, most_iterations: 500 };

fn solve(system: &RadiositySystem, solver: Solver, start: Option<&Channels>) -> Solution {
    let solution = system.solve(solver, &EXACT, start).unwrap();
    assert!(solution.is_converged, "{}: {:?}", solver.name(), solution.residual);
    solution
}

#[test]
fn all_solvers_agree_with_elimination() {
    for matrix in [Matrix::dense as fn(&FormFactors) -> Matrix, |factors| Matrix::sparse(factors, 0.0)] {
        let (factors, system) = system(matrix);
        let source = system.source();
        let reflectance = system.reflectance();
        let expected: Vec<Vec<f64>> =
            (0..3).map(|c| eliminated(&factors, source.planes()[c], reflectance.planes()[c])).collect();
        for solver in Solver::ALL {
            let solution = solve(&system, solver, None);
            let largest = source.largest();
            for (found, expected) in solution.radiosity.planes().into_iter().zip(&expected) {
                for (found, expected) in found.iter().zip(expected) {
                    let error = (f64::from(*found) - expected).abs();
                    // The bound is that of the system; rounding of form factors and sums comes in addition
                    assert!(
                        error <= f64::from(solution.error_bound + 1e-5 * largest),
                        "{}: {error}",
                        solver.name()
                    );
                }
            }
            let errors: Vec<f64> = solution.history.iter().map(|residual| residual.mean_square).collect();
            assert!(errors.last() < errors.first(), "{}: {errors:?}", solver.name());
        }
    }
}

#[test]
fn gauss_seidel_and_conjugate_gradients_converge_faster_than_jacobi() {
    let (_, system) = system(Matrix::dense);
    let [jacobi, gauss_seidel, southwell, conjugate_gradients] =
        Solver::ALL.map(|solver| solve(&system, solver, None).iterations());
    // [Radiosity03, Fig. 3]
    assert!(2 * gauss_seidel <= jacobi + 6, "{gauss_seidel} and {jacobi} iterations");
    assert!(conjugate_gradients < jacobi, "{conjugate_gradients} and {jacobi} iterations");
    assert!(southwell <= jacobi, "{southwell} and {jacobi} iterations");
}

#[test]
fn black_patches_have_the_radiosity_of_their_source() {
    let (_, mut system) = system(Matrix::dense);
    for i in (0..system.patch_count()).step_by(3) {
        system.set_reflectance(i, Vec3::ZERO);
        system.set_emission(i, Vec3::new(0.0, 1.0, 0.5));
    }
    let start: Channels = (0..system.patch_count()).map(|_| Vec3::splat(7.0)).collect();
    for solver in Solver::ALL {
        let solution = solve(&system, solver, Some(&start));
        for i in (0..system.patch_count()).step_by(3) {
            let value = solution.radiosity.get(i);
            assert!(value.abs_diff_eq(Vec3::new(0.0, 1.0, 0.5), 1e-4), "{}: {value}", solver.name());
        }
    }
}

#[test]
fn relighting_starts_from_the_former_solution() {
    let (_, mut system) = system(Matrix::dense);
    let before = solve(&system, Solver::Jacobi, None);
    // All light is linear in the emission
    let source = system.source();
    for i in 0..system.patch_count() {
        system.set_emission(i, source.get(i) * 3.0);
    }
    let after = solve(&system, Solver::ConjugateGradients, None);
    for (before, after) in before.radiosity.iter().zip(after.radiosity.iter()) {
        assert!((before * 3.0).abs_diff_eq(after, 1e-3), "{before} {after}");
    }
    for i in 0..system.patch_count() {
        system.set_emission(i, source.get(i) * 3.01);
    }
    let warm = solve(&system, Solver::Jacobi, Some(&after.radiosity));
    let cold = solve(&system, Solver::Jacobi, None);
    assert!(warm.iterations() < cold.iterations(), "{} {}", warm.iterations(), cold.iterations());
}

#[test]
fn small_entries_may_be_left_out() {
    let (factors, dense) = system(Matrix::dense);
    let (_, sparse) = system(|factors| Matrix::sparse(factors, 0.02));
    assert!(sparse.matrix().byte_count() < factors.link_count() * 8, "fewer links are stored");
    let [a, b] = [dense, sparse].map(|system| solve(&system, Solver::Jacobi, None));
    let sum = |channels: &Channels| channels.iter().map(|value| f64::from(value.y)).sum::<f64>();
    assert!((sum(&a.radiosity) / sum(&b.radiosity) - 1.0).abs() < 0.02, "the light changes little");
}

#[test]
fn traced_matrices_are_for_jacobi() {
    let (world, patches) = divided(&two_rooms(), PatchSize::Number(250));
    let factors = FormFactors::cast(&world, &patches, &CastOptions { rays: 256, ..CastOptions::default() });
    let stored = RadiositySystem::new(&world, &patches, &factors, Matrix::dense(&factors));
    let world = Arc::new(world);
    let matrix = Matrix::traced(world.clone(), patches.clone().into(), 2048, 9);
    let traced = RadiositySystem::new(&world, &patches, &factors, matrix);
    assert_eq!(traced.matrix().byte_count(), 0);
    for solver in [Solver::GaussSeidel, Solver::Southwell, Solver::ConjugateGradients] {
        assert_eq!(traced.solve(solver, &EXACT, None).err(), Some(RadiosityError::NotStored(solver.name())));
    }
    let stop = StopRule { tolerance: 1e-3, most_iterations: 20 };
    let [a, b] = [stored, traced].map(|system| system.solve(Solver::Jacobi, &stop, None).unwrap());
    let power = |channels: &Channels| -> f64 {
        channels.iter().zip(factors.areas()).map(|(value, area)| f64::from(value.y * area)).sum()
    };
    let ratio = power(&a.radiosity) / power(&b.radiosity);
    assert!((ratio - 1.0).abs() < 0.02, "the same light: {ratio}");
}

#[test]
fn leaving_out_entries_keeps_sums_and_reciprocity() {
    let (factors, system) = system(|factors| Matrix::sparse(factors, 0.1));
    let count = system.patch_count();
    let one = |patch: Option<usize>| -> Channels {
        (0..count)
            .map(|i| if patch.is_none_or(|patch| patch == i) { Vec3::ONE } else { Vec3::ZERO })
            .collect()
    };
    let applied = |input: &Channels| {
        let mut out = Channels::black(count);
        system.matrix().apply(input, &mut out);
        out
    };
    let sums = applied(&one(None));
    for (i, sum) in sums.iter().enumerate() {
        let whole: f32 = factors.row(i).iter().map(|link| link.value).sum();
        assert!((sum.x - whole).abs() < 1e-5, "row {i}: {} and {whole}", sum.x);
    }
    let areas = factors.areas();
    for j in (0..count).step_by(17) {
        let column = applied(&one(Some(j)));
        for i in (0..count).step_by(5) {
            let (there, back) = (column.get(i).x * areas[i], applied(&one(Some(i))).get(j).x * areas[j]);
            assert!((there - back).abs() <= 1e-5 * there.max(back), "{i} {j}: {there} {back}");
        }
    }
}

#[test]
fn light_that_is_no_number_is_not_converged() {
    let (_, mut system) = system(Matrix::dense);
    // Infinity minus infinity is no number
    system.set_emission(3, Vec3::splat(f32::INFINITY));
    let solution =
        system.solve(Solver::Jacobi, &StopRule { most_iterations: 5, ..StopRule::default() }, None);
    assert!(!solution.unwrap().is_converged);
}
