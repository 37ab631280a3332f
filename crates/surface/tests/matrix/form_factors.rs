//! Form factors by rays and in closed form.

use std::f64::consts::PI;

use sunfleck_math::{Vec3, vec3};
use sunfleck_surface::matrix::{CastOptions, ExactPairs, FormFactors, PatchSize, Polygon};

use crate::common::{Quad, box_sides, divided, grey, scene_of, sphere, two_rooms, undivided};

/// Unit square at height y, facing up or down.
fn square(x: f32, y: f32, size: f32, is_up: bool) -> Quad {
    let mut quad = [vec3(x, y, 0.0), vec3(x, y, size), vec3(x + size, y, size), vec3(x + size, y, 0.0)];
    if !is_up {
        quad.reverse();
    }
    quad
}

const BY_RAYS: CastOptions =
    CastOptions { rays: 1 << 16, exact: ExactPairs::None, visibility_rays: 0, seed: 3 };

#[test]
fn rays_agree_with_closed_forms() {
    let wall = |height: f32| [Vec3::ZERO, Vec3::Y * height, vec3(0.0, height, 1.0), Vec3::Z];
    let pairs = [
        // [Howell, C-11] and [Howell, C-14] for squares
        (square(0.0, 0.0, 1.0, true), square(0.0, 1.0, 1.0, false), Some(0.199_824_9)),
        (square(0.0, 0.0, 1.0, true), [Vec3::ZERO, Vec3::Y, vec3(0.0, 1.0, 1.0), Vec3::Z], Some(0.200_043_8)),
        (square(0.0, 0.0, 1.0, true), square(2.0, 1.0, 0.3, false), None),
        (square(0.0, 0.0, 1.0, true), wall(0.1), None),
    ];
    for (from, to, known) in pairs {
        let (world, patches) = undivided(&scene_of(&[(&[from], grey(0.5)), (&[to], grey(0.5))]));
        let polygon = |quad: Quad| Polygon::new(quad.map(Vec3::as_dvec3));
        let (from, to) = (polygon(from), polygon(to));
        let exact = from.exchange(&to) / from.area();
        if let Some(known) = known {
            assert!((exact - known).abs() < 1e-5, "{exact}, not {known}");
        }
        let factors = FormFactors::cast(&world, &patches, &BY_RAYS);
        let found = f64::from(factors.get(0, 1));
        let deviation = (exact * (1.0 - exact) / f64::from(BY_RAYS.rays)).sqrt();
        assert!((found - exact).abs() < 3.0 * deviation, "{found}, not {exact} ± {deviation}");
        let whole: f32 = factors.row(0).iter().map(|link| link.value).sum::<f32>() + factors.sky()[0];
        assert!((whole - 1.0).abs() < 1e-6, "the rest goes to the sky");
    }
}

#[test]
fn occlusion_of_closed_forms_agrees_with_rays() {
    let (floor, ceiling) = (square(0.0, 0.0, 1.0, true), square(0.0, 1.0, 1.0, false));
    let unoccluded = 0.199_824_9;
    for (size, least, most) in [(0.4, 0.3, 0.95), (1.4, 0.0, 0.0), (0.0, 1.0, 1.0)] {
        let mut parts = vec![(vec![floor], grey(0.5)), (vec![ceiling], grey(0.5))];
        if size > 0.0 {
            let middle =
                |is_up| square(0.5 - size / 2.0, 0.5, size, is_up).map(|p| p + Vec3::Z * (0.5 - size / 2.0));
            parts.push((vec![middle(true)], grey(0.5)));
        }
        let parts: Vec<_> =
            parts.iter().map(|(quads, material)| (quads.as_slice(), material.clone())).collect();
        let (world, patches) = undivided(&scene_of(&parts));
        let exact = CastOptions { exact: ExactPairs::All, visibility_rays: 1 << 16, ..BY_RAYS };
        let by_rays = f64::from(FormFactors::cast(&world, &patches, &BY_RAYS).get(0, 1));
        let found = f64::from(FormFactors::cast(&world, &patches, &exact).get(0, 1));
        let share = found / unoccluded;
        // Three standard deviations of both estimates
        assert!((found - by_rays).abs() < 3e-3, "{size}: {found}, by rays {by_rays}");
        assert!(share >= least - 1e-5 && share <= most + 1e-5, "{size}: {share}");
    }
}

/// Returns the mean of `|F_ij / (A_j / A) − 1|` over pairs that are not close, in a sphere of triangles.
fn mean_error_in_a_sphere(divisions: u32) -> f64 {
    let (world, patches) = undivided(&sphere(divisions, grey(0.5)));
    let options = CastOptions { rays: 64, exact: ExactPairs::All, visibility_rays: 4, seed: 1 };
    let factors = FormFactors::cast(&world, &patches, &options);
    let area: f64 = factors.areas().iter().map(|area| f64::from(*area)).sum();
    assert!((area / (4.0 * PI) - 1.0).abs() < 0.25, "nearly a sphere: {area}");
    let (mut sum, mut count) = (0.0, 0);
    for (i, patch) in patches.patches().iter().enumerate() {
        for link in factors.row(i) {
            let other = &patches.patches()[link.patch as usize];
            if patch.center.distance(other.center) > 0.7 {
                sum += (f64::from(link.value) / (f64::from(other.area) / area) - 1.0).abs();
                count += 1;
            }
        }
    }
    assert!(count > patches.patches().len().pow(2) / 2, "almost all pairs: {count}");
    sum / f64::from(u32::try_from(count).unwrap())
}

#[test]
fn patches_of_a_sphere_see_each_other_by_their_areas() {
    let errors = [1, 2, 3].map(mean_error_in_a_sphere);
    assert!(errors[2] < 0.03, "{errors:?}");
    assert!(
        errors[1] < 0.7 * errors[0] && errors[2] < 0.7 * errors[1],
        "triangles are nearly a sphere: {errors:?}"
    );
}

#[test]
fn balanced_factors_are_reciprocal_and_complete() {
    let (world, patches) = divided(&two_rooms(), PatchSize::Number(600));
    let factors = FormFactors::cast(&world, &patches, &CastOptions { rays: 512, ..CastOptions::default() });
    let balance = factors.balance();
    assert!(balance.row_sum_before > 1e-3, "rays alone are not that exact: {balance:?}");
    let areas = factors.areas();
    for i in 0..factors.patch_count() {
        // Outer sides of the lamp and of the block see the room; no light leaves it
        let sum: f64 = factors.row(i).iter().map(|link| f64::from(link.value)).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{i}: {sum} {balance:?}");
        for link in factors.row(i) {
            let back = factors.get(link.patch as usize, u32::try_from(i).unwrap());
            let (a, b) = (link.value * areas[i], back * areas[link.patch as usize]);
            assert!((a - b).abs() <= 1e-6 * a.max(b), "{i} {link:?}: {a} {b}");
        }
    }
    assert!(balance.scaled < 0.02, "little is changed by scaling: {balance:?}");
}

#[test]
fn form_factors_are_the_same_on_any_number_of_threads() {
    let (world, patches) = divided(&two_rooms(), PatchSize::Number(200));
    let cast = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let factors = pool.install(|| FormFactors::cast(&world, &patches, &CastOptions::default()));
        (0..factors.patch_count()).map(|i| factors.row(i).to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(cast(1), cast(3));
}

#[test]
fn a_block_in_a_room_sees_all_of_the_sky_that_walls_do_not_hide() {
    // A floor under an open sky
    let (world, patches) = undivided(&scene_of(&[(&[square(0.0, 0.0, 1.0, true)], grey(0.5))]));
    let factors = FormFactors::cast(&world, &patches, &CastOptions::default());
    assert_eq!((factors.sky(), factors.link_count()), (&[1.0][..], 0));
    // Inside a closed box nothing is seen
    let room = box_sides(Vec3::ZERO, Vec3::ONE, true);
    let (world, patches) = undivided(&scene_of(&[(&room, grey(0.5))]));
    let factors = FormFactors::cast(&world, &patches, &CastOptions::default());
    assert_eq!((patches.count(), factors.sky()), (6, &[0.0; 6][..]));
}
