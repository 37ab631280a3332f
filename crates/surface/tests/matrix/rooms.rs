//! Two rooms with a door, against path tracing.

use sunfleck_surface::matrix::{
    AdaptOptions, CastOptions, FormFactors, Matrix, PatchSize, RadiositySystem, Solver, StopRule,
};

use crate::common::{divided, two_rooms};
use crate::path::compare;

#[test]
fn light_behind_a_door_agrees_with_paths() {
    let (world, mut patches) = divided(&two_rooms(), PatchSize::Number(1200));
    let solved = |patches: &_, rays| {
        let factors = FormFactors::cast(&world, patches, &CastOptions { rays, ..CastOptions::default() });
        let system = RadiositySystem::new(&world, patches, &factors, Matrix::dense(&factors));
        system.solve(Solver::Jacobi, &StopRule::default(), None).unwrap().radiosity
    };
    let first = solved(&patches, 256);
    let options = AdaptOptions { contrast: 0.15, least_edge: 0.05, most_patches: 2400 };
    let divided = patches.too_coarse(&first, &options);
    patches.refine(&world, &divided);
    let radiosity = solved(&patches, 2048);
    let compared = compare(&world, patches.patches(), &radiosity, 31, 16384);
    assert!(compared.mean_error < 0.01 && compared.within >= 0.99, "{compared:?}");
}
