//! Warnings about a scene.

use crate::run::{Folder, assert_picture};

#[test]
fn a_missing_texture_is_a_warning() {
    let folder = Folder::new();
    folder.write("a.mtl", "newmtl wood\nKd 0.8 0.5 0.3\nmap_Kd no-such-image.png\n");
    folder.write(
        "a.obj",
        "mtllib a.mtl\nusemtl wood\nv -1 -1 0\nv 1 -1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n",
    );
    let run = folder.sunfleck("render a.obj --width 32 --height 32 --spp 2 -o a.png").done();
    assert!(run.stdout.contains("no-such-image.png"), "{}", run.stdout);
    assert!(!run.stdout.contains("warning: ") && run.stdout.contains("warning  "), "{}", run.stdout);
    assert_picture(&folder.path("a.png"), 32, 32);
    assert!(
        folder.sunfleck("info a.obj").done().stdout.contains("no-such-image.png"),
        "info prints the warning, too"
    );
}

#[test]
fn the_option_for_a_texture_outside_of_the_folder_is_named() {
    let folder = Folder::new();
    let outside = folder.path("outside.png");
    folder.write("a.mtl", format!("newmtl wood\nmap_Kd {}\n", outside.display()));
    folder.write("a.obj", "mtllib a.mtl\nusemtl wood\nv -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\n");
    let text = folder.sunfleck("info a.obj").done().stdout;
    assert!(text.contains("outside.png") && text.contains("--allow-outside"), "{text}");
    let text = folder.sunfleck("info a.obj --allow-outside").done().stdout;
    assert!(text.contains("outside.png") && !text.contains("--allow-outside"), "it is missing: {text}");
}

#[test]
fn a_scene_that_is_turned_is_reported() {
    let folder = Folder::new();
    let facet = "facet normal 0 0 1\nouter loop\nvertex 1 2 3\nvertex 4 2 3\nvertex 1 5 3\nendloop\nendfacet";
    folder.write("a.stl", format!("solid a\n{facet}\nendsolid a\n"));
    let info = folder.json("info a.stl");
    assert_eq!(info["bounds"]["min"], serde_json::json!([1.0, 3.0, -5.0]), "(x, z, -y)");
    let small = "--width 8 --height 8 --spp 1 --denoise off";
    for (words, is_turned) in [("a.stl", true), ("a.stl --up y", false), ("a.stl --up z", true)] {
        for command in [format!("info {words}"), format!("render {words} {small} --allow-empty -o a.png")] {
            let text = folder.sunfleck(&command).done().stdout;
            assert_eq!(text.contains("the z axis of the file points up"), is_turned, "{command}: {text}");
        }
    }
}
