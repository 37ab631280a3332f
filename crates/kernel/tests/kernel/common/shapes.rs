use sunfleck_math::{Affine3, Mat3, Shape, vec3};
use sunfleck_testkit::shapes::unit_shapes;

use super::Random;

/// Returns shapes of each kind in and around the cube −1 ≤ x, y, z ≤ 1: round spheres, ellipsoids, sheared boxes, some
/// of them with reversed normals.
pub fn random_shapes(count: usize, random: &mut Random) -> Vec<Shape> {
    let kinds = unit_shapes().map(Shape::new);
    let mut shape = |i: usize| {
        let (at, radius) = (random.cube(), 0.02 + 0.3 * random.unit());
        if i.is_multiple_of(2) {
            return Shape::sphere(at, radius);
        }
        let mut axis = || random.cube() * radius * 1.5;
        let (x, y, z) = (axis(), axis(), axis());
        let matrix3 = Mat3::from_cols(x, y, z) + Mat3::from_diagonal(vec3(radius, radius, radius) * 0.5);
        let kind = &kinds[i / 2 % kinds.len()];
        Shape { flipped: i.is_multiple_of(5), ..kind.transformed(&Affine3 { matrix3, translation: at }) }
    };
    (0..count).map(&mut shape).collect()
}
