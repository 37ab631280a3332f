//! Files of bicubic Bézier patches, in which the Utah teapot is distributed: the number of patches, and for each its
//! degrees, `3 3`, and 16 lines with the coordinates of its control points.

use sunfleck_math::{DVec3, Shape};
use sunfleck_scene::{Material, Mesh, MeshData, Node, Scene};

use crate::FileLocation;
use crate::error::{ParseError, WithLocation};
use crate::mesh_file::DEFAULT_ALBEDO;
use crate::origin::{Bounds, place};
use crate::patch::patch;
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
        patches.into_iter().map(|points| patch(&points, None, origin)).filter(Shape::is_valid).collect();
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

#[cfg(test)]
mod tests {
    use sunfleck_math::{Vec3, vec2, vec3};

    use crate::{NoFiles, load_bytes};

    fn flat_patch() -> String {
        let line = |i: u8| format!("{} {} 0\n", f32::from(i % 4) / 3.0, f32::from(i / 4) / 3.0);
        "3 3\n".to_string() + &(0..16).map(line).collect::<String>()
    }

    #[test]
    fn patches_stand_upright() {
        let text = format!("2\n{}{}", flat_patch(), flat_patch());
        let loaded = load_bytes("pot.bpt".as_ref(), text.as_bytes(), &NoFiles).unwrap();
        let scene = &loaded.scene;
        let (_, mesh) = scene.meshes().next().unwrap();
        assert_eq!(mesh.shapes().len(), 2);
        let point = mesh.shapes()[1].point_at(vec2(0.25, 0.5)).corners[0];
        assert!(point.abs_diff_eq(vec3(0.25, 0.5, 0.0), 1e-6), "{point}");
        // z of the file is up
        let up = scene.world_instances()[0].world_from_object.transform_vector3(Vec3::Z);
        assert!(up.abs_diff_eq(Vec3::Y, 1e-6), "{up}");
    }

    #[test]
    fn errors_say_what_is_missing() {
        let error =
            |text: &str| load_bytes("a.bpt".as_ref(), text.as_bytes(), &NoFiles).unwrap_err().to_string();
        assert!(error("1\n3 3\n0 0 0\n").contains("the file ends before a coordinate"));
        assert!(error("1\n5 3\n").contains("patches of degree 5 are not supported"));
        assert!(error(&("1\n".to_string() + &flat_patch().replace("0.33333334", "x"))).contains("x"));
        assert!(error("0\n").contains("no patches"));
    }
}
