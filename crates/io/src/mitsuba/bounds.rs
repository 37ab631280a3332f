//! Bounds of the places of shapes, by which the origin of the scene is chosen.

use std::collections::BTreeSet;

use sunfleck_math::DVec3;

use super::Importer;
use super::transform::Transform;
use super::tree::{Class, Object, Value};
use crate::error::ParseError;
use crate::origin::Bounds;

impl Importer<'_, '_> {
    /// Returns the bounds of the places of the shapes.
    ///
    /// Errors: a reference to an object that does not exist.
    pub(super) fn bounds_of_shapes(&self) -> Result<Bounds, ParseError> {
        let mut bounds = Bounds::EMPTY;
        let mut seen = BTreeSet::new();
        for parameter in &self.file.root.parameters {
            match &parameter.value {
                Value::Object(object) if object.class == Class::Shape => {
                    self.add_places(object, &mut seen, &mut bounds)?;
                }
                _ => {}
            }
        }
        Ok(bounds)
    }

    /// Adds the place of a shape, or of those that it consists of.
    ///
    /// * `seen` — numbers of the shapes that were added.
    fn add_places(
        &self,
        shape: &Object,
        seen: &mut BTreeSet<u32>,
        bounds: &mut Bounds,
    ) -> Result<(), ParseError> {
        // Shapes of groups are where their instances are
        if shape.plugin == "shapegroup" || !seen.insert(shape.number) {
            return Ok(());
        }
        if shape.plugin != "merge" {
            bounds.add(place(shape));
            return Ok(());
        }
        for parameter in &shape.parameters {
            if let Some(inner) = self.object(parameter)?.filter(|inner| inner.class == Class::Shape) {
                self.add_places(&inner, seen, bounds)?;
            }
        }
        Ok(())
    }
}

/// Returns the point at which a shape is: that of its file or formula in the world.
fn place(shape: &Object) -> DVec3 {
    let value = |name: &str| shape.parameters.iter().find(|p| p.name == name).map(|p| &p.value);
    let to_world = match value("to_world") {
        Some(Value::Transform(transform)) => *transform,
        _ => Transform::IDENTITY,
    };
    let own = match shape.own_place().and_then(value) {
        Some(Value::Vector(point)) => *point,
        _ => DVec3::ZERO,
    };
    to_world.point(own)
}
