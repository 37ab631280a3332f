//! Tests of the examples.

#![allow(missing_docs, unreachable_pub, reason = "the examples are programs")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../examples/edit.rs"]
mod edit;
#[path = "../examples/rays.rs"]
mod rays;
#[path = "../examples/render.rs"]
#[expect(dead_code, reason = "its `main` reads the command line")]
mod render;

#[test]
fn rays_are_traced() {
    rays::main().unwrap();
}

#[test]
fn a_scene_made_in_code_is_rendered() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("teapot.png");
    render::render(&file, 1).unwrap();
    let picture = sunfleck::image::read_picture(&file).unwrap();
    assert_eq!((picture.width(), picture.height()), (320, 240));
}

#[test]
fn an_edit_is_rendered_and_undone() {
    edit::main().unwrap();
}
