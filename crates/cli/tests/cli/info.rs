//! `sunfleck info`.

use crate::run::Folder;

#[test]
fn a_file_is_described() {
    let folder = Folder::new();
    folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 1 2 0\nf 1 2 3\nf 2 4 3\n");
    let info = folder.json("info a.obj");
    assert_eq!((&info["unique_triangles"], &info["instances"]), (&2.into(), &1.into()));
    assert_eq!(info["bounds"]["max"][1], 2.0);
    let text = folder.sunfleck("info a.obj").done().stdout;
    assert!(text.contains("2 triangles"), "{text}");
}

#[test]
fn shapes_are_counted() {
    let folder = Folder::new();
    folder.write("a.nff", "f 1 1 1 1 0 0 0 1\ns 0 0 0 1\ns 3 0 0 1\nc 0 0 0 1 0 0 1 1\n");
    let info = folder.json("info a.nff");
    assert_eq!((&info["unique_shapes"], &info["instanced_shapes"]), (&3.into(), &3.into()));
    let text = folder.sunfleck("info a.nff").done().stdout;
    assert!(text.contains("3 shapes") && !text.contains("triangle"), "{text}");
}

#[test]
fn built_in_scenes_are_described() {
    let info = Folder::new().json("info cornell");
    assert!(info["unique_triangles"].as_u64().unwrap() > 10, "{info}");
    assert!(!info["cameras"].as_array().unwrap().is_empty(), "{info}");
    assert!(!info["lights"].as_array().unwrap().is_empty(), "{info}");
}
