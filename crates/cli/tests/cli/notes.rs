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
