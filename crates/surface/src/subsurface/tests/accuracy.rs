//! Links against sums over all pairs of texels, and properties of the operator.

use super::*;

/// Light with hard edges.
fn stripes(atlas: &Atlas) -> Vec<Vec3> {
    let lit = |p: &Vec3| (p.x * 7.0).floor() as i32 % 2 == 0 && p.y + 0.3 * p.z > -0.2;
    positions(atlas).iter().map(|p| if lit(p) { vec3(1.0, 0.5, 2.0) } else { Vec3::ZERO }).collect()
}

/// `∑ A_j R_d(|x_i - x_j|) E_j` in f64.
fn brute_force(atlas: &Atlas, profile: &DiffusionProfile, irradiance: &[Vec3]) -> Vec<DVec3> {
    let positions = positions(atlas);
    let sources: Vec<usize> = (0..positions.len()).filter(|&j| irradiance[j] != Vec3::ZERO).collect();
    let exitance = |p: &Vec3| {
        let light = |&j: &usize| {
            let r = p.as_dvec3().distance(positions[j].as_dvec3()) as f32;
            profile.eval(r).as_dvec3() * irradiance[j].as_dvec3() * f64::from(atlas.areas()[j])
        };
        sources.iter().map(light).sum()
    };
    positions.iter().map(exitance).collect()
}

fn error(found: &[Vec3], expected: &[DVec3]) -> f64 {
    let squared: f64 = found.iter().zip(expected).map(|(a, b)| a.as_dvec3().distance_squared(*b)).sum();
    let norm: f64 = expected.iter().map(|b| b.length_squared()).sum();
    (squared / norm).sqrt()
}

#[test]
fn errors_fall_with_the_budget() {
    let atlas = atlas_of(sphere(3), &[Affine3::IDENTITY], 64);
    let irradiance = stripes(&atlas);
    for length in [0.2, 0.1] {
        let profile = profile(ProfileModel::Dipole, Vec3::splat(length));
        let expected = brute_force(&atlas, &profile, &irradiance);
        let media = TexelMedia::uniform(&atlas, profile);
        let errors = [16, 64, 128].map(|budget| {
            let links = Links::build(&atlas, media.clone(), LinkBudget::new(budget));
            let error = error(&links.scatter(&irradiance), &expected);
            eprintln!("{length} m: {budget} links, {} used: error {error:.4}", links.count() as f32 / 4096.0);
            for texel in 0..links.texels() {
                assert!(links.of_texel(texel).count() <= budget as usize, "texel {texel}");
            }
            error
        });
        assert!(errors[0] > 1.5 * errors[1] && errors[1] > 1.2 * errors[2], "{errors:?}");
        assert!(errors[2] < 0.08, "{errors:?}");
        let fixed = [16, 64, 1024, 4096].map(|links| {
            let links = FixedLevelLinks::build(&atlas, media.clone(), links);
            let error = error(&links.scatter(&irradiance), &expected);
            eprintln!("{length} m: fixed level, {} links: error {error:.4}", links.count());
            error
        });
        assert!(fixed.is_sorted_by(|a, b| a > b), "{fixed:?}");
        // The sum over pairs has no extents of texels
        assert!(fixed[3] < 0.03, "all pairs of texels: {fixed:?}");
    }
}

#[test]
fn light_is_linear_and_has_the_same_bits_on_any_number_of_threads() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let atlas = atlas_of(sphere(3), &[Affine3::IDENTITY], 64);
            let profile = profile(ProfileModel::BetterDipole, vec3(0.2, 0.1, 0.05));
            let links = Links::build(&atlas, TexelMedia::uniform(&atlas, profile), LinkBudget::new(16));
            let first = stripes(&atlas);
            let second: Vec<Vec3> = positions(&atlas).iter().map(|p| p.abs()).collect();
            let sum: Vec<Vec3> = first.iter().zip(&second).map(|(a, b)| *a * 0.5 + *b * 2.0).collect();
            let all = [first, second, sum].map(|irradiance| links.scatter(&irradiance));
            let links: Vec<_> = (0..4096).flat_map(|i| links.of_texel(i).collect::<Vec<_>>()).collect();
            (all, links)
        })
    };
    let (one, four) = (run(1), run(4));
    assert!(one == four, "light and links are equal");
    let [first, second, sum] = &one.0;
    for ((a, b), sum) in first.iter().zip(second).zip(sum) {
        assert!((*a * 0.5 + *b * 2.0).abs_diff_eq(*sum, 1e-5), "{a} {b} {sum}");
    }
}

#[test]
fn objects_do_not_scatter_into_each_other() {
    let shifted = [Affine3::IDENTITY, Affine3::from_translation(vec3(2.02, 0.0, 0.0))];
    let atlas = atlas_of(sphere(2), &shifted, 32);
    let profile = profile(ProfileModel::Dipole, Vec3::splat(0.3));
    let instance = |i: usize| atlas.surfaces().triangles()[atlas.texels()[i].triangle as usize].inst_id;
    let irradiance: Vec<Vec3> =
        (0..1024).map(|i| Vec3::splat(f32::from(u8::from(instance(i) == 0)))).collect();
    let media = TexelMedia::uniform(&atlas, profile);
    for exitance in [
        Links::build(&atlas, media.clone(), LinkBudget::new(16)).scatter(&irradiance),
        FixedLevelLinks::build(&atlas, media, 16).scatter(&irradiance),
    ] {
        for (i, exitance) in exitance.iter().enumerate() {
            let is_dark = *exitance == Vec3::ZERO;
            assert_eq!(is_dark, instance(i) == 1, "texel {i}: {exitance}");
        }
    }
}

#[test]
fn opaque_texels_neither_receive_nor_send() {
    let atlas = atlas_of(sphere(2), &[Affine3::IDENTITY], 32);
    let profile = profile(ProfileModel::Dipole, Vec3::splat(0.2));
    let of_texel: Vec<u32> = (0..1024).map(|i| if i % 5 == 0 { TexelMedia::NONE } else { 0 }).collect();
    let media = TexelMedia::new(vec![profile], of_texel);
    let links = Links::build(&atlas, media, LinkBudget::new(32));
    let only_opaque: Vec<Vec3> = (0..1024u16).map(|i| Vec3::splat(f32::from(u8::from(i % 5 == 0)))).collect();
    assert!(links.scatter(&only_opaque).iter().all(|b| *b == Vec3::ZERO), "opaque texels send nothing");
    let exitance = links.scatter(&[Vec3::ONE; 1024]);
    for (i, exitance) in exitance.iter().enumerate() {
        assert_eq!(*exitance == Vec3::ZERO, i % 5 == 0, "texel {i}");
    }
}
