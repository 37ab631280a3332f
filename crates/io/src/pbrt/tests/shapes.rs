use sunfleck_math::{UnitShape, Vec2, Vec3, vec2, vec3};

use super::*;
use crate::normals::area_normal;

/// Returns the unit normals of the triangles of a mesh.
fn face_normals(mesh: &Mesh) -> Vec<Vec3> {
    let corners = mesh.triangles().iter().map(|triangle| triangle.map(|v| mesh.positions()[v as usize]));
    corners.map(|corners| area_normal(corners).normalize_or_zero()).collect()
}

#[test]
fn shapes_with_a_formula() {
    let shapes = |text: &str| {
        let mesh = mesh_of(&loaded(&format!("WorldBegin {text}")));
        (mesh.shapes()[0].clone(), mesh.bounds())
    };
    let near = |found: Vec3, expected: Vec3| assert!(found.abs_diff_eq(expected, 1e-4), "{found} {expected}");
    let (_, bounds) = shapes("Shape \"sphere\" \"float radius\" 3");
    near(bounds.max, Vec3::splat(3.0));
    let (disk, bounds) =
        shapes("Shape \"disk\" \"float radius\" 2 \"float height\" 5 \"float innerradius\" 0.5");
    assert_eq!(disk.unit, UnitShape::Disk { hole: 0.25 });
    near(bounds.min, vec3(-2.0, -2.0, 5.0));
    near(disk.normal_at(vec2(0.5, 0.0)), Vec3::Z);
    let (_, bounds) = shapes("Shape \"cylinder\" \"float radius\" 2 \"float zmin\" -3 \"float zmax\" 4");
    near(bounds.min, vec3(-2.0, -2.0, -3.0));
    near(bounds.max, vec3(2.0, 2.0, 4.0));
    let (cone, bounds) = shapes("Shape \"cone\" \"float radius\" 2 \"float height\" 4");
    assert_eq!(cone.unit, UnitShape::Cone { top: 0.0 });
    near(bounds.max, vec3(2.0, 2.0, 4.0));
    let (reversed, _) = shapes("ReverseOrientation Shape \"disk\"");
    near(reversed.normal_at(vec2(0.5, 0.0)), Vec3::NEG_Z);
}

const TRIANGLE: &str = "Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0]";

#[test]
fn triangles_with_and_without_normals() {
    let mesh = |text: &str| mesh_of(&loaded(&format!("WorldBegin {text}")));
    let plain = mesh(TRIANGLE);
    assert_eq!((plain.triangles(), face_normals(&plain)), (&[[0, 1, 2]][..], vec![Vec3::Z]));
    assert!(plain.data().normals.is_empty(), "without normals, triangles are flat");
    // The normals of the vertices decide which side is the front
    let down = "\"normal N\" [0 0 -1 0 0 -1 0 0 -1] \"point2 uv\" [0 0 1 0 0.25 0.75]";
    let turned = mesh(&format!("{TRIANGLE} {down}"));
    assert_eq!((face_normals(&turned), turned.data().normals[0]), (vec![Vec3::NEG_Z], Vec3::NEG_Z));
    assert_eq!(turned.data().uv0, [vec2(0.0, 1.0), Vec2::ONE, Vec2::splat(0.25)], "v grows downwards here");
    let reversed = mesh(&format!("ReverseOrientation {TRIANGLE} {down}"));
    assert_eq!((face_normals(&reversed), reversed.data().normals[0]), (vec![Vec3::Z], Vec3::Z));
}

#[test]
fn faulty_elements_are_counted() {
    let text = "WorldBegin Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0 1e999 0 0]
        \"integer indices\" [0 1 2 0 1 3 0 1 4 0 -1 2 0] \"normal N\" [0 0 1 0 0 0 0 0 1 0 0 1] \"point2 uv\" [0 0]";
    let loaded = loaded(text);
    let mesh = mesh_of(&loaded);
    assert_eq!(mesh.triangles(), [[0, 1, 2]]);
    assert_eq!(mesh.data().normals[1], Vec3::Z);
    let messages = messages(&loaded);
    for expected in [
        "triangles skipped, since an index is out of range: 2",
        "triangles skipped, since a vertex is not finite: 1",
        "invalid normals, which are computed instead: 1",
        "\"uv\" has another length than \"P\"",
        "the number of indices is not a multiple of 3",
    ] {
        assert!(messages.contains(expected), "{expected}\n{messages}");
    }
}

#[test]
fn meshes_of_files_are_shared() {
    let ply = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z
property float u\nproperty float v\nelement face 1\nproperty list uchar int vertex_indices\nend_header
0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 0.75\n3 0 1 2\n";
    let text = "WorldBegin Shape \"plymesh\" \"string filename\" \"m/a.ply\"
        Translate 1 0 0 Shape \"plymesh\" \"string filename\" \"m/a.ply\"
        ReverseOrientation Shape \"plymesh\" \"string filename\" \"m/a.ply\"";
    let loaded = loaded_with(text, &[("m/a.ply", ply)]);
    assert_eq!((loaded.scene.meshes().len(), loaded.scene.world_instances().len()), (2, 3));
    let meshes: Vec<&Mesh> = loaded.scene.meshes().map(|(_, mesh)| &**mesh).collect();
    assert_eq!([face_normals(meshes[0]), face_normals(meshes[1])], [[Vec3::Z], [Vec3::NEG_Z]]);
    assert_eq!(meshes[0].data().uv0[2], vec2(0.0, 0.25));
    let error = load_bytes(
        "a.pbrt".as_ref(),
        b"Shape \"plymesh\" \"string filename\" \"b.ply\"",
        &MemoryFiles([("b.ply".to_string(), b"ply\nformat ascii 1.0\nelement".to_vec())].into()),
    );
    assert!(error.unwrap_err().to_string().starts_with("a.pbrt:1:1: b.ply:"));
}

#[test]
fn subdivision_surfaces_and_patches() {
    // A tetrahedron; its subdivided surface has 4 × 4² triangles, or 4 × 4³ by default
    let cage = "\"point3 P\" [1 1 1 1 -1 -1 -1 1 -1 -1 -1 1] \"integer indices\" [0 1 2 0 3 1 0 2 3 1 3 2]";
    for (levels, expected) in [("\"integer levels\" 2", 64), ("", 256), ("\"integer nlevels\" 1", 16)] {
        let mesh = mesh_of(&loaded(&format!("WorldBegin Shape \"loopsubdiv\" {levels} {cage}")));
        assert_eq!(mesh.triangles().len(), expected);
    }
    let patch = "\"point3 P\" [0 0 0 1 0 0 0 1 0 1 1 0] \"integer indices\" [0 1 2 3]";
    let mesh = mesh_of(&loaded(&format!("WorldBegin Shape \"bilinearmesh\" {patch}")));
    assert_eq!(face_normals(&mesh), [Vec3::Z; 2]);
    assert_eq!(mesh.data().uv0, [Vec2::Y, Vec2::ONE, Vec2::ZERO, Vec2::X]);
    let down = mesh_of(&loaded(&format!(
        "WorldBegin Shape \"bilinearmesh\" {patch} \"normal N\" [0 0 -1 0 0 -1 0 0 -1 0 0 -1]"
    )));
    assert_eq!(face_normals(&down), [Vec3::NEG_Z; 2]);
}

#[test]
fn triangles_of_textured_materials_have_coordinates() {
    let text = format!(
        "WorldBegin Texture \"c\" \"spectrum\" \"checkerboard\" Material \"diffuse\" \"texture reflectance\" \"c\" {TRIANGLE}"
    );
    assert_eq!(mesh_of(&loaded(&text)).data().uv0, [Vec2::Y, Vec2::ONE, Vec2::X]);
}
