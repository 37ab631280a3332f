//! Files of bicubic Bézier patches, in which the Utah teapot is distributed: the number of patches, and for each its
//! degrees, `3 3`, and 16 lines with the coordinates of its control points.

use std::sync::Arc;

use sunfleck_math::{BezierPatch, DVec3, Shape, UnitShape};
use sunfleck_scene::{Material, Mesh, MeshData, Node, Scene};

use crate::FileLocation;
use crate::error::{ParseError, WithLocation};
use crate::mesh_file::DEFAULT_ALBEDO;
use crate::origin::{Bounds, place};
use crate::report::Reporter;
use crate::text::{Lines, Word, decoded};

/// Reads a file of patches.
pub(crate) fn load(bytes: &[u8], name: &str, report: &mut Reporter) -> Result<Scene, ParseError> {
    let bytes = decoded(bytes);
    let mut words = Lines::new(&bytes).flat_map(|line| line.without_comment());
    let mut next = |what: &str| -> Result<Word<'_>, ParseError> {
        let missing = || ParseError::malformed(FileLocation::File, format!("the file ends before {what}"));
        words.next().ok_or_else(missing)
    };
    let count: usize = next("the number of patches")?.parse("a number of patches")?;
    let mut patches: Vec<[DVec3; 16]> = Vec::new();
    for _ in 0..count {
        for _ in 0..2 {
            let degree = next("the degree of a patch")?;
            if degree.parse::<u32>("a degree")? != 3 {
                let message =
                    format!("patches of degree {} are not supported, only bicubic ones", degree.lossy());
                return Err(ParseError::unsupported(degree.location(), message));
            }
        }
        let mut points = [DVec3::ZERO; 16];
        for point in &mut points {
            for axis in 0..3 {
                point[axis] = next("a coordinate")?.coordinate()?;
            }
        }
        patches.push(points);
    }
    let rest = words.count();
    if rest > 0 {
        report.note(FileLocation::File, format!("words after the last patch that are not used: {rest}"));
    }

    let mut scene = Scene::default();
    let bounds: Bounds = patches.iter().flatten().copied().collect();
    let origin = place(bounds, &mut scene)?;
    let all = patches.len();
    let shapes: Vec<Shape> =
        patches.into_iter().map(|points| shape(&points, origin)).filter(Shape::is_valid).collect();
    if shapes.len() < all {
        let message = format!("patches without an area, which are left out: {}", all - shapes.len());
        report.note(FileLocation::File, message);
    }
    if shapes.is_empty() {
        return Err(ParseError::malformed(FileLocation::File, "the file has no patches"));
    }
    let data = MeshData { name: name.to_string(), shapes, ..MeshData::default() };
    let mesh = Mesh::new(data).at(|| FileLocation::File)?;
    let mesh = scene.add_mesh(mesh).at(|| FileLocation::File)?;
    let grey = scene.add_material(Material::lambert("grey", DEFAULT_ALBEDO)).at(|| FileLocation::File)?;
    scene.add_node(Node::new(name).with_mesh(mesh, vec![grey])).at(|| FileLocation::File)?;
    Ok(scene)
}

/// Returns a patch relative to an origin.
pub(crate) fn shape(points: &[DVec3; 16], origin: DVec3) -> Shape {
    let points = points.map(|point| (point - origin).as_vec3());
    Shape::new(UnitShape::Patch(Arc::new(BezierPatch::new(points))))
}
