//! Images on standard output.

use crate::run::Folder;

const SMALL: &str = "render cornell --width 16 --height 12 --spp 2";

#[test]
fn an_image_is_written_to_standard_output_and_nothing_else() {
    let folder = Folder::new();
    folder.sunfleck(&format!("{SMALL} -o a.png -o a.exr --denoise off --quiet")).done();
    for (words, file) in [("", "a.png"), ("--format png", "a.png"), ("--format exr", "a.exr")] {
        let output = folder.command(&format!("{SMALL} -o - --denoise off {words}")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(output.stdout == folder.read(file), "{words}: the bytes of the file");
        assert!(String::from_utf8_lossy(&output.stderr).contains("samples per pixel"), "the report");
        let quiet = folder.command(&format!("{SMALL} -o - --denoise off -q {words}")).output().unwrap();
        assert!(quiet.stdout == folder.read(file) && quiet.stderr.is_empty(), "{words}");
    }
    let both = folder.command(&format!("{SMALL} -o - -o b.png -q")).output().unwrap();
    assert!(both.stdout == folder.read("b.png"), "a file beside it");
}

#[test]
fn what_standard_output_cannot_take_is_refused() {
    let folder = Folder::new();
    folder.sunfleck(&format!("{SMALL} -o - --json")).refused(&["--json"]);
    folder.sunfleck(&format!("{SMALL} -o - --turntable 3")).refused(&["single image"]);
    folder.sunfleck(&format!("{SMALL} -o - --all-cameras")).refused(&["single image"]);
    folder.sunfleck(&format!("{SMALL} -o - --format bmp")).refused(&["png", "exr"]);
    folder.sunfleck(&format!("{SMALL} -o a.png --format exr")).refused(&["--format", "-o -"]);
    assert!(folder.files().is_empty(), "nothing is written");
}
