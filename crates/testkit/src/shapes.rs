//! Shapes for tests.

use std::sync::Arc;

use sunfleck_math::{BezierPatch, Shape, UnitShape, Vec3, vec3};

/// Returns a shape of each kind; two of those that have a parameter.
pub fn unit_shapes() -> [UnitShape; 8] {
    [
        UnitShape::Sphere,
        UnitShape::Disk { hole: 0.0 },
        UnitShape::Disk { hole: 0.4 },
        UnitShape::Rectangle,
        UnitShape::Cylinder,
        UnitShape::Cone { top: 0.0 },
        UnitShape::Cone { top: 0.6 },
        UnitShape::Cube,
    ]
}

/// Returns a patch whose control points are `height(x, y)` over a regular grid of the square −1 ≤ x, y ≤ 1.
fn patch_over(height: impl Fn(f32, f32) -> f32) -> Shape {
    patch(|x, y| vec3(x, y, height(x, y)))
}

/// Returns a patch whose control points are `point(x, y)` on a regular grid of the square −1 ≤ x, y ≤ 1.
pub fn patch(point: impl Fn(f32, f32) -> Vec3) -> Shape {
    let at = |k: u8| f32::from(k) / 1.5 - 1.0;
    let points = std::array::from_fn(|i| {
        #[allow(clippy::cast_possible_truncation, reason = "less than 16")]
        let i = i as u8;
        point(at(i % 4), at(i / 4))
    });
    Shape::new(UnitShape::Patch(Arc::new(BezierPatch::new(points))))
}

/// Returns patches: nearly flat, a bump, a saddle, two folds, one with an edge collapsed into a point, one with its front
/// reversed, and one with a doubled row of control points.
pub fn patches() -> [Shape; 8] {
    let folded = patch(|x, y| vec3(1.5 * x * x * x - x + 0.3 * y, y, x));
    let dome = patch(|x, y| {
        let radius = 0.5 * (1.0 - y);
        vec3(radius * x, radius * (1.0 - 0.6 * x * x), 0.4 * y)
    });
    [
        patch_over(|x, y| 0.1 * x + 0.05 * x * y),
        patch_over(|x, y| 0.8 - 0.7 * (x * x + y * y)),
        patch_over(|x, y| x * x - y * y),
        folded.clone(),
        patch(|x, y| vec3(x, y + 0.8 * x * x, 2.0 * y * y * y - y)),
        dome,
        Shape { flipped: true, ..folded },
        patch(|x, y| {
            let y = if y < 0.0 { -1.0 } else { y };
            vec3(x + 0.2 * y, y, 0.3 * x * y + 0.2 * y * y)
        }),
    ]
}
