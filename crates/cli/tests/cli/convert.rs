//! `sunfleck convert`.

use crate::run::Folder;

#[test]
fn a_converted_scene_renders_the_same_image() {
    let folder = Folder::new();
    let report = folder.json("convert cornell a.glb");
    assert_eq!(report["bytes"], folder.read("a.glb").len());
    assert_eq!(folder.read("a.glb")[..4], *b"glTF");
    folder.sunfleck("convert a.glb b.gltf").done();
    let picture = |scene: &str| {
        let small = "--width 32 --height 32 --spp 2 -o p.exr --quiet";
        folder.sunfleck(&format!("render {scene} {small}")).done();
        folder.read("p.exr")
    };
    let built_in = picture("cornell");
    assert!(picture("a.glb") == built_in && picture("b.gltf") == built_in, "the same bits");
}

#[test]
fn other_formats_are_converted() {
    let folder = Folder::new();
    folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n");
    let text = folder.sunfleck("convert a.obj a.glb").done().stdout;
    assert!(
        text.contains("a.glb") && !text.contains("other programs"),
        "nothing is added to the scene: {text}"
    );
    assert_eq!(folder.json("info a.glb")["unique_triangles"], 1);
    assert_eq!(folder.sunfleck("convert a.obj a.glb --quiet").done().stdout, "");
}

#[test]
fn bad_input_leaves_no_file() {
    let folder = Folder::new();
    folder.write("bad.obj", "v 0 0 0\nv 1 x 0\nv 0 1 0\nf 1 2 3\n");
    folder.sunfleck("convert bad.obj a.glb").refused(&["bad.obj:2:5"]);
    folder.sunfleck("convert no.obj a.glb").refused(&["no.obj"]);
    folder.sunfleck("convert cornell a.obj").refused(&["a.obj", ".glb", ".gltf"]);
    folder.sunfleck("convert cornell a").refused(&[".glb"]);
    folder.sunfleck("convert cornell no/a.glb").refused(&["no/a.glb", "there is no folder"]);
    assert_eq!(folder.sunfleck("convert cornell").code, Some(2));
    assert_eq!(folder.files(), ["bad.obj"]);
}
