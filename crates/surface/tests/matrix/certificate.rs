//! Certificates of both methods: a bound of the error of the linear system, and path tracing at random texels.

use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_math::Vec3;
use sunfleck_sampling::rng;
use sunfleck_surface::atlas::Atlas;
use sunfleck_surface::matrix::{
    AdaptOptions, CastOptions, FormFactors, Interpolation, Matrix, PatchSize, PatchValues, RadiositySystem,
    Solver, StopRule,
};
use sunfleck_surface::stochastic::{StochasticOptions, StochasticRadiosity};
use sunfleck_testkit::stats::Moments;
use sunfleck_transport::World;

use crate::common::divided;
use crate::path::{luminance, reflected_from};

const TEXELS: u32 = 1000;
const PATHS: u32 = 4096;

/// Returns texels in proportion to their areas.
fn random_texels(atlas: &Atlas) -> Vec<u32> {
    let mut sum = 0.0;
    let cumulative: Vec<f64> = atlas
        .areas()
        .iter()
        .map(|&area| {
            sum += f64::from(area);
            sum
        })
        .collect();
    let choose = |i| {
        let u = f64::from(rng::uniform([i, 1, 2, 3])) * sum;
        u32::try_from(cumulative.partition_point(|&below| below <= u)).unwrap()
    };
    (0..TEXELS).map(choose).collect()
}

fn solved_matrix(world: &World) -> PatchValues {
    let (_, mut patches) = divided(&sunfleck_models::build("cornell").unwrap(), PatchSize::Number(1000));
    for rays in [256, 2048] {
        let factors = FormFactors::cast(world, &patches, &CastOptions { rays, ..CastOptions::default() });
        let system = RadiositySystem::new(world, &patches, &factors, Matrix::dense(&factors));
        let solution = system.solve(Solver::ConjugateGradients, &StopRule::default(), None).unwrap();
        if rays == 2048 {
            let bound = solution.error_bound / system.source().largest();
            eprintln!("matrix of {} patches: error at most {bound:.1e} of the source", patches.count());
            assert!(bound < 1e-4, "{bound}");
            let irradiance = system.irradiance(&solution.radiosity);
            return PatchValues::new(Arc::new(patches), &irradiance, Interpolation::Smooth);
        }
        let options = AdaptOptions { contrast: 0.2, least_edge: 0.01, most_patches: 2000 };
        let divided = patches.too_coarse(&solution.radiosity, &options);
        patches.refine(world, &divided);
    }
    unreachable!("the second round returns")
}

#[test]
#[ignore = "takes minutes"]
fn paths_at_random_texels_agree_with_both_methods() {
    let world = World::commit(&sunfleck_models::build("cornell").unwrap()).unwrap();
    let patches = solved_matrix(&world);
    let atlas = Atlas::meshed(&world, 128).unwrap();
    let mut solver = StochasticRadiosity::new(&world, &atlas, StochasticOptions::default());
    solver.iterate(256);
    let (map, elements) = (solver.smooth_map(), solver.elements());

    let compare = |(key, &texel): (usize, &u32)| {
        let at = |u| {
            let surface = atlas.interaction_in(&world, texel, u, true, 0.0).unwrap();
            (surface.position, surface.ng)
        };
        let reference = reflected_from(&world, &at, 1000 + u32::try_from(key).unwrap(), PATHS);
        let surface = atlas.interaction_in(&world, texel, sunfleck_math::vec2(0.5, 0.5), true, 0.0).unwrap();
        let (hit, rho) = (&surface.hit, elements.images.reflectance[texel as usize]);
        let (instance, triangle, uv) = (hit.inst_id, hit.prim_id, [hit.u, hit.v]);
        let by_patches = patches.at(instance, triangle, uv, true).unwrap_or(Vec3::ZERO);
        let by_texels = map.irradiance_at(instance, triangle, uv, surface.ng).unwrap();
        [by_patches, by_texels].map(|irradiance| (luminance(rho * irradiance), reference.mean))
    };
    let found: Vec<[(f64, f64); 2]> = random_texels(&atlas).par_iter().enumerate().map(compare).collect();
    let mean = found.iter().map(|[(_, reference), _]| reference).sum::<f64>() / f64::from(TEXELS);
    for (method, name) in ["matrix", "stochastic"].into_iter().enumerate() {
        let (mut differences, mut squares) = (Moments::default(), 0.0);
        for pair in &found {
            let (value, reference) = pair[method];
            differences.add((value - reference) / mean);
            squares += ((value - reference) / mean).powi(2);
        }
        let interval = 1.96 * differences.variance_of_mean().sqrt();
        let rms = (squares / f64::from(TEXELS)).sqrt();
        eprintln!(
            "{name}: mean difference {:.2} % ± {:.2} %, root mean square {:.2} %",
            100.0 * differences.mean(),
            100.0 * interval,
            100.0 * rms
        );
        assert!(differences.mean().abs() < 0.01 + interval, "{name}: {}", differences.mean());
    }
}
