//! Radiosity on the GPU against closed forms and against the same sums on the CPU.

use std::f32::consts::FRAC_1_PI;
use std::f64::consts::PI;

use sunfleck_gpu::{GpuError, MatrixRadiosity, Mirror, PackedSurfaces, StochasticRadiosity};
use sunfleck_kernel::Tlas;
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_shaders::layout::Texel;
use sunfleck_surface::atlas::Atlas;
use sunfleck_surface::stochastic::{self, Averaging, Elements, Shooting, StochasticOptions};
use sunfleck_testkit::Random;
use sunfleck_transport::World;

use crate::traversal::{Mesh, blas, gpu, instance, world};

/// Random form factors whose rows sum to `sum`, without a diagonal.
fn random_factors(patches: usize, sum: f32) -> Vec<f32> {
    let mut random = Random::new(7);
    let mut factors: Vec<f32> = (0..patches * patches).map(|_| random.next_f32()).collect();
    for (i, row) in factors.chunks_mut(patches).enumerate() {
        row[i] = 0.0;
        let scale = sum / row.iter().sum::<f32>();
        row.iter_mut().for_each(|factor| *factor *= scale);
    }
    factors
}

/// In a closed room whose patches all emit E and reflect ρ, radiosity is E / (1 − ρ), whatever the form factors.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn matrix_of_a_furnace() {
    for patches in [1, 3, 5, 64, 257, 1030] {
        let factors = if patches == 1 { vec![1.0] } else { random_factors(patches, 1.0) };
        let mut radiosity = MatrixRadiosity::new(&gpu(), &factors, patches).unwrap();
        radiosity.set_emission(&vec![vec3(1.0, 2.0, 0.5); patches]);
        radiosity.set_reflectance(&vec![vec3(0.5, 0.25, 0.75); patches]);
        radiosity.sweep(81);
        let expected = vec3(2.0, 8.0 / 3.0, 2.0);
        for (i, found) in radiosity.radiosity().unwrap().into_iter().enumerate() {
            assert!((found - expected).abs().max_element() < 1e-5, "patch {i} of {patches}: {found}");
        }
        let residual = radiosity.residual().unwrap();
        assert!(residual < 1e-6, "{patches} patches: residual {residual}");
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn sweeps_of_a_matrix_match_sums_in_double_precision() {
    const PATCHES: usize = 1030;
    let factors = random_factors(PATCHES, 0.9);
    let mut random = Random::new(11);
    let mut colors = || -> Vec<Vec3> {
        (0..PATCHES).map(|_| vec3(random.next_f32(), random.next_f32(), random.next_f32())).collect()
    };
    let (emission, reflectance, first) = (colors(), colors(), colors());
    let mut expected: Vec<[f64; 3]> = first.iter().map(|b| b.to_array().map(f64::from)).collect();
    let mut residual = 0.0_f64;
    for _ in 0..3 {
        let next: Vec<[f64; 3]> = (0..PATCHES)
            .map(|i| {
                std::array::from_fn(|c| {
                    let row = &factors[i * PATCHES..][..PATCHES];
                    let gathered: f64 = row.iter().zip(&expected).map(|(&f, b)| f64::from(f) * b[c]).sum();
                    f64::from(emission[i][c]) + f64::from(reflectance[i][c]) * gathered
                })
            })
            .collect();
        let changes = next.iter().flatten().zip(expected.iter().flatten()).map(|(a, b)| (a - b).abs());
        residual = changes.fold(0.0, f64::max);
        expected = next;
    }
    let mut radiosity = MatrixRadiosity::new(&gpu(), &factors, PATCHES).unwrap();
    radiosity.set_emission(&emission);
    radiosity.set_reflectance(&reflectance);
    radiosity.set_radiosity(&first);
    radiosity.sweep(3);
    let found = radiosity.radiosity().unwrap();
    for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
        for c in 0..3 {
            assert!((f64::from(found[c]) - expected[c]).abs() < 1e-5 * expected[c], "patch {i}: {found}");
        }
    }
    let measured = f64::from(radiosity.residual().unwrap());
    assert!((measured - residual).abs() < 1e-5, "residual {measured} instead of {residual}");
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_matrix_that_is_not_square_is_refused() {
    for (factors, patches) in [(5, 2), (0, 0)] {
        let refused = MatrixRadiosity::new(&gpu(), &vec![0.0; factors], patches);
        assert!(
            matches!(refused, Err(GpuError::Unsupported { .. })),
            "{factors} factors of {patches} patches"
        );
    }
}

/// A closed box of 1 m with `width / 4 · width / 4` texels per wall, in a map of `width` × `width` texels of which 10 of
/// 16 squares are unused.
fn texels_of_a_box(width: usize, emission: impl Fn(usize) -> Vec3, reflectance: Vec3) -> Vec<Texel> {
    let side = width / 4;
    let mut texels = vec![Texel { normal: [0.0, 0.0, 1.0], ..Texel::default() }; width * width];
    for wall in 0..6 {
        let (axis, end) = (wall / 2, (wall % 2) as f32);
        let mut normal = Vec3::ZERO;
        normal[axis] = 1.0 - 2.0 * end;
        for y in 0..side {
            for x in 0..side {
                let mut position = Vec3::ZERO;
                position[axis] = end;
                position[(axis + 1) % 3] = (x as f32 + 0.5) / side as f32;
                position[(axis + 2) % 3] = (y as f32 + 0.5) / side as f32;
                let at = (wall / 4 * side + y) * width + wall % 4 * side + x;
                texels[at] = Texel {
                    position: position.into(),
                    area: 1.0 / (side * side) as f32,
                    normal: normal.into(),
                    position_error: 1e-6,
                    reflectance: reflectance.into(),
                    emission: emission(wall).into(),
                    ..Texel::default()
                };
            }
        }
    }
    texels
}

/// Options of shooting to all visible texels.
fn to_all_texels(bundles: u32, seed: u32, averaging: Averaging) -> StochasticOptions {
    StochasticOptions { seed, averaging, shooting: Shooting::Hemisphere, bundles }
}

/// Splits a quadrilateral whose corners are given in rows.
fn halves([a, b, c, d]: [u32; 4]) -> [[u32; 3]; 2] {
    [[a, b, c], [b, d, c]]
}

/// The walls of the unit cube.
fn walls_of_a_box() -> Mesh {
    let corner = |i: u32| vec3((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32);
    let quads = [[0, 2, 4, 6], [1, 3, 5, 7], [0, 1, 4, 5], [2, 3, 6, 7], [0, 1, 2, 3], [4, 5, 6, 7]];
    ((0..8).map(corner).collect(), quads.into_iter().flat_map(halves).collect())
}

/// Ends of the table along x and y: no ray between centres of texels passes its edge.
const TABLE: [f32; 2] = [0.27, 0.71];

/// That box with a level square at half its height.
fn box_with_a_table() -> Tlas {
    let (mut positions, mut triangles) = walls_of_a_box();
    positions.extend((0..4).map(|i: usize| vec3(TABLE[i & 1], TABLE[i >> 1], 0.5)));
    triangles.extend(halves([8, 9, 10, 11]));
    world(vec![blas((positions, triangles))], vec![instance(0, Affine3::IDENTITY)])
}

/// Returns whether a segment between walls of the box passes the table.
fn passes_the_table(from: Vec3, to: Vec3) -> bool {
    let t = (0.5 - from.z) / (to.z - from.z);
    let at = from + t * (to - from);
    let is_above = |p: f32| p > TABLE[0] && p < TABLE[1];
    (from.z - 0.5) * (to.z - 0.5) < 0.0 && is_above(at.x) && is_above(at.y)
}

/// Irradiance of a texel from all others, in double precision, with each texel as a disc that faces it.
fn gathered(texels: &[Texel], radiance: &[Vec3], at: usize) -> [f64; 3] {
    let x = texels[at];
    let (position, normal) = (Vec3::from(x.position), Vec3::from(x.normal));
    let mut sum = [0.0; 3];
    for (y, radiance) in texels.iter().zip(radiance) {
        let d = Vec3::from(y.position) - position;
        let [cos_x, cos_y] = [normal.dot(d), -Vec3::from(y.normal).dot(d)].map(f64::from);
        if y.area <= 0.0 || cos_x <= 0.0 || cos_y <= 0.0 || passes_the_table(position, y.position.into()) {
            continue;
        }
        let (squared, area) = (f64::from(d.length_squared()), f64::from(y.area));
        let transfer = cos_x * cos_y * area / (squared * (squared + area * cos_y / squared.sqrt() / PI));
        for c in 0..3 {
            sum[c] += transfer * f64::from(radiance[c]);
        }
    }
    sum
}

/// The irradiance of one iteration from given radiance has the right expected value, whatever is averaged.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn shooting_is_transport_in_expectation() {
    let tlas = box_with_a_table();
    let gpu = gpu();
    let mirror = Mirror::new(&gpu, &tlas).unwrap();
    let texels = texels_of_a_box(32, |wall| vec3(0.1, 0.2, 0.05) * wall as f32, vec3(0.5, 0.25, 0.75));
    // The map in the other one of two layers has the same light
    let texels = [vec![Texel { normal: [0.0, 0.0, 1.0], ..Texel::default() }; texels.len()], texels].concat();
    let surfaces = PackedSurfaces { texels, width: 32, ..PackedSurfaces::default() };
    let texels = &surfaces.texels;
    let mut random = Random::new(3);
    let radiance: Vec<Vec3> = (0..texels.len()).map(|_| random.next_f32() * vec3(1.0, 0.5, 0.2)).collect();
    // lavapipe ends shaders after 65,535 turns of all loops together
    const SHOOTERS: u32 = 400;
    const SEEDS: u32 = 50;
    for averaging in [Averaging::Iterates, Averaging::RunningMean] {
        let mut means = vec![Vec3::ZERO; texels.len()];
        for seed in 0..SEEDS {
            let options = to_all_texels(SHOOTERS, seed, averaging);
            let solver = StochasticRadiosity::new(&gpu, &mirror, &surfaces, &options).unwrap();
            solver.restart(&surfaces.texels, &radiance);
            solver.iterate(1);
            let irradiance = solver.irradiance().unwrap();
            means.iter_mut().zip(irradiance).for_each(|(mean, found)| *mean += found / SEEDS as f32);
        }
        let (mut error, mut light) = ([0.0; 3], [0.0; 3]);
        for i in (0..texels.len()).filter(|&i| texels[i].area > 0.0) {
            let expected = gathered(texels, &radiance, i);
            for c in 0..3 {
                let difference = f64::from(means[i][c]) - expected[c];
                assert!(difference.abs() < 0.2 * expected[c], "texel {i}: {} for {expected:?}", means[i]);
                error[c] += difference;
                light[c] += expected[c];
            }
        }
        for c in 0..3 {
            assert!(
                error[c].abs() < 2e-3 * light[c],
                "{averaging:?}: light of all texels {error:?} of {light:?}"
            );
        }
    }
}

/// The iterates of a furnace converge to E / (1 - ρ), but for 0.2 % that form factors of texels as discs are too large,
/// and so does the paper's running mean, more slowly.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn a_furnace_converges_to_its_closed_form() {
    let (positions, triangles) = walls_of_a_box();
    let tlas = world(vec![blas((positions, triangles))], vec![instance(0, Affine3::IDENTITY)]);
    let gpu = gpu();
    let mirror = Mirror::new(&gpu, &tlas).unwrap();
    let (emission, reflectance) = (vec3(1.0, 2.0, 0.5), vec3(0.5, 0.25, 0.4));
    let texels = texels_of_a_box(64, |_| emission, reflectance);
    let surfaces = PackedSurfaces { texels, width: 64, ..PackedSurfaces::default() };
    let closed = emission / (Vec3::ONE - reflectance);
    for (averaging, iterations, tolerance) in
        [(Averaging::Iterates, 200, 0.01), (Averaging::RunningMean, 800, 0.02)]
    {
        let options = to_all_texels(64, 9, averaging);
        let solver = StochasticRadiosity::new(&gpu, &mirror, &surfaces, &options).unwrap();
        solver.iterate(iterations);
        let irradiance = solver.irradiance().unwrap();
        let lit = irradiance.iter().zip(&surfaces.texels).map(|(&irradiance, texel)| irradiance * texel.area);
        let mean = emission + reflectance * FRAC_1_PI * lit.sum::<Vec3>() / 6.0;
        assert!(
            ((mean - closed) / closed).abs().max_element() < tolerance,
            "{averaging:?}: {mean} for {closed}"
        );
    }
}

#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn maps_of_other_sizes_are_refused() {
    let gpu = gpu();
    let mirror = Mirror::new(&gpu, &box_with_a_table()).unwrap();
    for (texels, width) in [(0, 8), (16, 4), (63, 8), (65, 8), (144, 12), (64, 0), (64, 16)] {
        let surfaces =
            PackedSurfaces { texels: vec![Texel::default(); texels], width, ..PackedSurfaces::default() };
        let refused = StochasticRadiosity::new(&gpu, &mirror, &surfaces, &StochasticOptions::default());
        assert!(matches!(refused, Err(GpuError::Unsupported { .. })), "{texels} texels, {width} wide");
    }
}

/// GPU and CPU shoot the same rays in the first iteration, so that all but a few texels have the same irradiance: rounding
/// moves rays across borders of texels. Later these few decide which texels are chosen, but all together have the same
/// light.
#[test]
#[ignore = "needs a GPU, or lavapipe"]
fn rays_of_stochastic_radiosity_are_those_of_the_cpu() {
    let world = World::commit(&sunfleck_models::build("cornell").unwrap()).unwrap();
    let atlas = Atlas::meshed(&world, 64).unwrap();
    let surfaces = PackedSurfaces::new(&world, &atlas, &Elements::new(&world, &atlas)).unwrap();
    let gpu = gpu();
    let mirror = Mirror::new(&gpu, world.tlas()).unwrap();
    for (averaging, rays) in [(Averaging::Iterates, 1), (Averaging::RunningMean, 3)] {
        let options =
            StochasticOptions { seed: 4, averaging, shooting: Shooting::Rays { rays }, bundles: 1 << 14 };
        let solver = StochasticRadiosity::new(&gpu, &mirror, &surfaces, &options).unwrap();
        let mut on_cpu = stochastic::StochasticRadiosity::new(&world, &atlas, options);
        solver.iterate(1);
        on_cpu.iterate(1);
        let found = solver.irradiance().unwrap();
        let expected = on_cpu.irradiance();
        let differs = |(a, b): &(&Vec3, &Vec3)| (**a - **b).abs().max_element() > 1e-3 * b.max_element();
        let differ = found.iter().zip(expected).filter(differs).count();
        assert!(differ < found.len() / 200, "{differ} of {} texels, {averaging:?}", found.len());

        solver.iterate(3);
        on_cpu.iterate(3);
        let areas = [atlas.areas(), atlas.areas()].concat();
        let flux = |e: &[Vec3]| -> Vec3 { e.iter().zip(&areas).map(|(&e, &area)| e * area).sum() };
        let [all, expected] = [flux(&solver.irradiance().unwrap()), flux(on_cpu.irradiance())];
        assert!(((all - expected) / expected).abs().max_element() < 2e-3, "{all} for {expected}");
    }
}
