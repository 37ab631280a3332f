use crate::run::Folder;

/// The bytes of a small picture, which must not depend on `words`; `None` if this processor lacks the instruction set.
fn render(words: &str) -> Option<Vec<u8>> {
    let folder = Folder::new();
    let ran = folder
        .sunfleck(&format!("render cornell --width 64 --height 64 --spp 4 -o a.exr --aovs all {words}"));
    if ran.stderr.contains("this processor has no") {
        return None;
    }
    ran.done();
    Some(folder.read("a.exr"))
}

#[test]
fn threads_tiles_and_instructions_change_no_bit() {
    let reference = render("").unwrap();
    let ways =
        ["--threads 1", "--threads 2", "--tile-size 8", "--tile-size 17", "--threads 3 --tile-size 100"];
    for way in ways {
        assert!(render(way).unwrap() == reference, "{way} changed the picture");
    }
    let mut levels = 0;
    for level in ["scalar", "sse2", "sse4.2", "avx2", "avx512", "neon"] {
        if let Some(picture) = render(&format!("--simd {level}")) {
            assert!(picture == reference, "{level} changed the picture");
            levels += 1;
        }
    }
    assert!(levels >= 2, "every processor has scalar and something better");
}
