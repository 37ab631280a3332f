//! Determinism of the image.

use crate::run::Folder;

/// Renders a small image, which must not depend on `words`; `None` if this CPU lacks the instruction set.
fn render(words: &str) -> Option<Vec<u8>> {
    let folder = Folder::new();
    let run = folder
        .sunfleck(&format!("render cornell --width 64 --height 64 --spp 4 -o a.exr --aovs all {words}"));
    if run.stderr.contains("this CPU does not support") {
        return None;
    }
    run.done();
    Some(folder.read("a.exr"))
}

#[test]
fn threads_tiles_and_instructions_change_no_bit() {
    let reference = render("").unwrap();
    let options =
        ["--threads 1", "--threads 2", "--tile-size 8", "--tile-size 17", "--threads 3 --tile-size 100"];
    for option in options {
        assert!(render(option).unwrap() == reference, "{option} changed the image");
    }
    let mut levels = 0;
    for level in ["scalar", "sse2", "sse4.2", "avx2", "avx512", "neon"] {
        if let Some(picture) = render(&format!("--simd {level}")) {
            assert!(picture == reference, "{level} changed the image");
            levels += 1;
        }
    }
    assert!(levels >= 2, "every CPU has the scalar level and a better one");
}
