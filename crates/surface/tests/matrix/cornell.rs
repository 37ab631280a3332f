//! The Cornell box with its blocks, against path tracing.

use sunfleck_surface::matrix::{
    AdaptOptions, CastOptions, Channels, FormFactors, Matrix, PatchSize, Patches, RadiositySystem, Solver,
    StopRule,
};
use sunfleck_transport::World;

use crate::common::divided;
use crate::path::{compare, luminance, reflected};

fn solved(world: &World, patches: &Patches, rays: u32) -> Channels {
    let factors = FormFactors::cast(world, patches, &CastOptions { rays, ..CastOptions::default() });
    let system = RadiositySystem::new(world, patches, &factors, Matrix::dense(&factors));
    system.solve(Solver::ConjugateGradients, &StopRule::default(), None).unwrap().radiosity
}

#[test]
fn patches_agree_with_paths() {
    let scene = sunfleck_models::build("cornell").unwrap();
    let (world, mut patches) = divided(&scene, PatchSize::Number(1000));
    let first = solved(&world, &patches, 256);
    let options = AdaptOptions { contrast: 0.2, least_edge: 0.01, most_patches: 1800 };
    let divided = patches.too_coarse(&first, &options);
    patches.refine(&world, &divided);
    let radiosity = solved(&world, &patches, 2048);
    let compared = compare(&world, patches.patches(), &radiosity, 9, 4096);
    assert!(compared.mean_error < 0.01 && compared.within >= 0.99, "{compared:?}");
}

#[test]
fn the_error_falls_with_the_number_of_patches() {
    let scene = sunfleck_models::build("cornell").unwrap();
    let (world, mut patches) = divided(&scene, PatchSize::Number(100));
    let coarse = patches.patches().to_vec();
    let reference: Vec<f64> =
        coarse.iter().zip(0..).map(|(patch, key)| reflected(&world, patch, key, 4096).mean).collect();
    let mut coarse_of: Vec<u32> = (0..patches.count()).collect();
    let mut errors = Vec::new();
    for _ in 0..3 {
        let radiosity = solved(&world, &patches, 2048);
        // The mean over the patches of each coarse patch
        let mut sums = vec![0.0; coarse.len()];
        for (i, patch) in patches.patches().iter().enumerate() {
            let light = luminance(radiosity.get(i) - patch.emission);
            let of = coarse_of[i] as usize;
            sums[of] += light * f64::from(patch.area / coarse[of].area);
        }
        let areas = coarse.iter().map(|patch| f64::from(patch.area));
        let error: f64 = areas.zip(sums.iter().zip(&reference)).map(|(a, (x, y))| a * (x - y).abs()).sum();
        errors.push(error);
        let former = patches.refine(&world, &vec![true; patches.patches().len()]);
        coarse_of = former.into_iter().map(|former| coarse_of[former as usize]).collect();
    }
    assert!(errors[1] < 0.8 * errors[0] && errors[2] < 0.8 * errors[1], "{errors:?}");
}
