//! Shapes for tests.

use sunfleck_math::UnitShape;

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
