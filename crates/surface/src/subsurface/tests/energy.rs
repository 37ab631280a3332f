//! Conservation of energy and symmetry.

use super::*;
use crate::subsurface::factors::ScatteringGeometry;

/// The sphere twice in one mesh: twice the reflectance would leave.
fn two_spheres() -> MeshData {
    let mut data = sphere(2);
    let count = u32::try_from(data.positions.len()).unwrap();
    data.positions.extend_from_within(..);
    data.triangles.extend(data.triangles.clone().iter().map(|t| t.map(|v| v + count)));
    data
}

/// Flux that leaves, for flux 1 that enters at each of some texels.
fn fluxes(atlas: &Atlas, scatter: &dyn Fn(&[Vec3]) -> Vec<Vec3>) -> Vec<Vec3> {
    let areas = atlas.areas();
    let flux = |j: usize| {
        let mut irradiance = vec![Vec3::ZERO; areas.len()];
        irradiance[j] = Vec3::splat(1.0 / areas[j]);
        scatter(&irradiance).iter().zip(areas).map(|(b, a)| *b * *a).sum()
    };
    (0..areas.len()).step_by(7).map(flux).collect()
}

type Scatter<'a> = &'a dyn Fn(&[Vec3]) -> Vec<Vec3>;

#[test]
fn no_more_light_leaves_than_the_reflectance() {
    for (data, is_double) in [(two_spheres(), true), (sphere(3), false)] {
        let atlas = atlas_of(data, &[Affine3::IDENTITY], 32);
        let profile = profile(ProfileModel::Dipole, vec3(0.3, 0.15, 0.05));
        let media = TexelMedia::uniform(&atlas, profile);
        let links = Links::build(&atlas, media.clone(), LinkBudget::new(32));
        let fixed = FixedLevelLinks::build(&atlas, media, 64);
        let scatter: [Scatter<'_>; 2] = [&|e| links.scatter(e), &|e| fixed.scatter(e)];
        for scatter in scatter {
            let fluxes = fluxes(&atlas, scatter);
            let largest = fluxes.iter().fold(Vec3::ZERO, |most, flux| most.max(*flux));
            let mean = fluxes.iter().sum::<Vec3>() / fluxes.len() as f32;
            eprintln!("flux: mean {mean}, largest {largest}, reflectance {}", profile.reflectance());
            assert!(largest.cmple(profile.reflectance() * 1.0001).all(), "{largest}");
            if is_double {
                // Without the limit it would be twice as much
                assert!(mean.cmpge(profile.reflectance() * 0.97).all(), "{mean}");
            }
        }
        if is_double {
            let mean = links.source_scales().iter().sum::<Vec3>() / links.texels() as f32;
            let expected = profile.reflectance() / (2.0 * eigenvalue(&profile, 0));
            assert!((mean / expected - Vec3::ONE).abs().max_element() < 0.05, "{mean} for {expected}");
        }
    }
}

/// Each pair of texels exchanges the same light in both directions, if no clusters are between them.
#[test]
fn factors_between_texels_are_symmetric() {
    let atlas = atlas_of(sphere(2), &[Affine3::from_scale(vec3(1.0, 0.5, 0.2))], 32);
    for length in [0.2, 0.02] {
        let media = TexelMedia::uniform(&atlas, profile(ProfileModel::Normalized, Vec3::splat(length)));
        let geometry = ScatteringGeometry::new(&atlas, media);
        let kernel = geometry.kernel_of(0).unwrap();
        for (i, j) in (0..1024u32).step_by(5).flat_map(|i| (0..1024).step_by(3).map(move |j| (i, j))) {
            let [there, back] = [(i, j), (j, i)]
                .map(|(to, from)| geometry.factor(kernel, to, from) * atlas.areas()[to as usize]);
            assert!(there.abs_diff_eq(back, 1e-5 * there.max_element()), "{i}, {j}: {there} {back}");
        }
    }
}

/// Clusters make the operator asymmetric, less so with more links.
#[test]
fn asymmetry_falls_with_the_budget() {
    let atlas = atlas_of(sphere(2), &[Affine3::IDENTITY], 32);
    let profile = profile(ProfileModel::Dipole, Vec3::splat(0.2));
    let asymmetries = [16, 64, 128].map(|budget| {
        let links = Links::build(&atlas, TexelMedia::uniform(&atlas, profile), LinkBudget::new(budget));
        let columns: Vec<Vec<f64>> = (0..1024)
            .map(|j| {
                let mut irradiance = vec![Vec3::ZERO; 1024];
                irradiance[j] = Vec3::splat(1.0 / atlas.areas()[j]);
                links.scatter(&irradiance).iter().map(|b| f64::from(b.x)).collect()
            })
            .collect();
        let (mut difference, mut norm) = (0.0, 0.0);
        for i in 0..1024 {
            for j in 0..1024 {
                difference += (columns[j][i] - columns[i][j]).powi(2) / 4.0;
                norm += columns[j][i].powi(2);
            }
        }
        let asymmetry = f64::sqrt(difference / norm);
        eprintln!("{budget} links: asymmetry {asymmetry:.4}");
        asymmetry
    });
    assert!(asymmetries.is_sorted_by(|a, b| a > b), "{asymmetries:?}");
}
