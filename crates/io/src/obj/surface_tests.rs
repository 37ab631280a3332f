//! Free-form surfaces against the polynomials that define them.

use sunfleck_math::{Shape, Vec3, vec2, vec3};

use super::tests::load;

/// Returns the patches of a file.
fn patches(text: &str) -> Vec<Shape> {
    let loaded = load(text);
    loaded.scene.meshes().flat_map(|(_, mesh)| mesh.shapes().to_vec()).collect()
}

fn vertices(points: &[Vec3]) -> String {
    points.iter().map(|p| format!("v {} {} {}\n", p.x, p.y, p.z)).collect()
}

fn surface(statements: &str, count: usize) -> String {
    let indices: Vec<String> = (1..=count).map(|i| i.to_string()).collect();
    format!("{statements}surf 0 1 0 1 {}\n", indices.join(" "))
}

#[test]
fn lower_degrees_are_raised_exactly() {
    // A parabola y = x (2 - x) along u, a line along v
    let points = [vec3(0.0, 0.0, 0.0), vec3(1.0, 2.0, 0.0), vec3(2.0, 0.0, 0.0)];
    let points = [points, points.map(|p| p + Vec3::Z * 3.0)].concat();
    let text = vertices(&points) + &surface("cstype bezier\ndeg 2 1\n", 6) + "parm u 0 1\nparm v 0 1\nend\n";
    let found = patches(&text);
    assert_eq!(found.len(), 1);
    for (u, v) in [(0.0, 0.0), (0.25, 0.5), (0.7, 0.9), (1.0, 1.0)] {
        let point = found[0].point_at(vec2(u, v));
        let x = 2.0 * u;
        let expected = vec3(x, x * (2.0 - x), 3.0 * v);
        assert!(point.corners[0].abs_diff_eq(expected, 1e-6), "{}, not {expected}", point.corners[0]);
        assert!(point.uv[0].abs_diff_eq(vec2(u, 1.0 - v), 1e-6), "{}", point.uv[0]);
    }
}

/// Basis functions by the recursion of Cox and de Boor, as in the definition.
fn basis(knots: &[f64], i: usize, degree: usize, t: f64) -> f64 {
    if degree == 0 {
        return f64::from(u8::from(knots[i] <= t && t < knots[i + 1]));
    }
    let part = |a: f64, b: f64, rest: f64| if b > a { rest * (t - a) / (b - a) } else { 0.0 };
    let falling = |a: f64, b: f64, rest: f64| if b > a { rest * (b - t) / (b - a) } else { 0.0 };
    part(knots[i], knots[i + degree], basis(knots, i, degree - 1, t))
        + falling(knots[i + 1], knots[i + degree + 1], basis(knots, i + 1, degree - 1, t))
}

#[test]
fn b_splines_become_one_patch_per_span() {
    let knots =
        [[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0].as_slice(), &[0.0, 0.0, 0.0, 1.0, 3.0, 3.0, 3.0]];
    let (columns, rows) = (5, 4);
    let at = |i: usize, j: usize| {
        let (x, y) = (i as f32, j as f32);
        vec3(x + 0.2 * y * y, y - 0.1 * x * y, 0.3 * (x - 2.0) * (x - 2.0) - 0.5 * y)
    };
    let points: Vec<Vec3> = (0..rows).flat_map(|j| (0..columns).map(move |i| at(i, j))).collect();
    let list = |knots: &[f64]| knots.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    let text = vertices(&points)
        + "cstype bspline\ndeg 3 2\nsurf 3 5 0 3 "
        + &(1..=20).map(|i| i.to_string()).collect::<Vec<_>>().join(" ")
        + &format!("\nparm u {}\nparm v {}\nend\n", list(knots[0]), list(knots[1]));
    let found = patches(&text);
    assert_eq!(found.len(), 4, "two spans along u, from 3 to 5, and two along v, of different length");
    let (u_ends, v_ends) = ([3.0, 4.0, 5.0], [0.0, 1.0, 3.0]);
    for (patch, shape) in found.iter().enumerate() {
        let (i, j) = (patch / 2, patch % 2);
        for (a, b) in [(0.1f32, 0.2f32), (0.5, 0.5), (0.9, 0.3)] {
            let (s, t) = (
                u_ends[i] + f64::from(a) * (u_ends[i + 1] - u_ends[i]),
                v_ends[j] + f64::from(b) * (v_ends[j + 1] - v_ends[j]),
            );
            let mut expected = Vec3::ZERO;
            for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                let weight = basis(knots[0], column, 3, s) * basis(knots[1], row, 2, t);
                #[allow(clippy::cast_possible_truncation, reason = "compared in f32")]
                let weight = weight as f32;
                expected += at(column, row) * weight;
            }
            let point = shape.point_at(vec2(a, b)).corners[0];
            assert!(
                point.abs_diff_eq(expected, 1e-5),
                "patch {patch} at ({a}, {b}): {point}, not {expected}"
            );
        }
    }
}

#[test]
fn texture_vertices_and_materials_are_those_of_the_surface() {
    let points = [vec3(0.0, 0.0, 0.0), vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(1.0, 1.0, 0.5)];
    let text = vertices(&points)
        + "vt 0.5 0\nvt 1 0\nvt 0.5 0.25\nvt 1 0.25\ncstype bezier\ndeg 1 1\nusemtl red\n"
        + "surf 0 1 0 1 1/1 2/2 3/3 4/4\nparm u 0 1\nparm v 0 1\nend\n"
        + "usemtl blue\nsurf 0 1 0 1 1/1 2/2 3/3 4/4\nend\nf 1 2 4\n";
    let loaded = load(&text);
    let (_, mesh) = loaded.scene.meshes().find(|(_, mesh)| !mesh.shapes().is_empty()).unwrap();
    let point = mesh.shapes()[0].point_at(vec2(0.5, 1.0));
    assert!(point.uv[0].abs_diff_eq(vec2(0.75, 0.75), 1e-6), "{}", point.uv[0]);
    assert_eq!([mesh.slot(0), mesh.slot(1), mesh.slot_count()], [0, 1, 2]);
    assert_eq!(loaded.scene.instanced_triangle_count(), 1, "the face is kept, too");
}

#[test]
fn what_is_not_supported_is_a_warning() {
    let points = vertices(&[Vec3::ZERO, Vec3::X, Vec3::Y, vec3(1.0, 1.0, 0.0)]) + "f 1 2 3\n";
    let warnings = |text: &str| {
        let loaded = load(&(points.clone() + text));
        loaded.report.warnings().map(|w| w.message.clone()).collect::<Vec<_>>().join("\n")
    };
    let rational = warnings("cstype rat bezier\ndeg 1 1\nsurf 0 1 0 1 1 2 3 4\nend\n");
    assert!(rational.contains("rational surfaces, which are read without their weights: 1"), "{rational}");
    let part = warnings("cstype bezier\ndeg 1 1\nsurf 0 0.5 0 1 1 2 3 4\nparm u 0 1\nparm v 0 1\nend\n");
    assert!(part.contains("of which only a part is meant"), "{part}");
    for (text, what) in [
        ("cstype taylor\ndeg 1 1\nsurf 0 1 0 1 1 2 3 4\nend\n", "type \"taylor\""),
        ("cstype bezier\ndeg 5 5\nsurf 0 1 0 1 1 2 3 4\nend\n", "degree 5"),
        ("cstype bezier\ndeg 3 3\nsurf 0 1 0 1 1 2 3 4\nend\n", "has 4 × 4 control points, not 4"),
        ("cstype bezier\ndeg 1 1\nsurf 0 1 0 1 1 2 3 9\nend\n", "vertex 9 does not exist"),
    ] {
        let found = warnings(text);
        assert!(found.contains("surfaces skipped") && found.contains(what), "{text}: {found}");
    }
}
