//! Bad input: exit code 2, one clear sentence with the place, and no file.

use crate::run::{Folder, Ran};

/// Writes `content` into `name`, renders it, and expects a refusal that has `words` in it and leaves nothing behind.
fn refuse_file(name: &str, content: impl AsRef<[u8]>, words: &[&str]) {
    let folder = Folder::new();
    folder.write(name, content);
    for command in ["render", "info"] {
        folder.sunfleck(&format!("{command} {name}")).refused(&[&[name], words].concat());
    }
    assert_eq!(folder.files(), [name], "nothing else is left behind");
}

fn refuse_words(words: &str, expected: &[&str]) {
    let folder = Folder::new();
    folder.sunfleck(words).refused(expected);
    assert!(folder.files().is_empty(), "{words} left {:?}", folder.files());
}

#[test]
fn a_truncated_glb() {
    // A header that promises 1000 bytes, and the first of its chunks.
    let mut glb = b"glTF".to_vec();
    for word in [2u32, 1000, 500, 0x4e4f_534a] {
        glb.extend(word.to_le_bytes());
    }
    glb.extend(b"{\"asset\":");
    refuse_file("a.glb", glb, &[]);
}

#[test]
fn an_obj_with_an_index_that_names_no_vertex() {
    refuse_file("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", &["a.obj:4"]);
}

#[test]
fn a_ply_with_a_vertex_that_is_no_number() {
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
               element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n";
    refuse_file("a.ply", ply, &[]);
}

#[test]
fn files_of_no_known_kind() {
    refuse_file("a.gltf", "{ \"asset\": ", &[]);
    refuse_file("a.xyz", "what is this", &[]);
    refuse_file("empty.glb", "", &[]);
}

#[test]
fn names_that_name_nothing() {
    refuse_words("render no.glb", &["no.glb"]);
    refuse_words("info no/such.obj", &["no/such.obj"]);
    refuse_words("render cornel", &["`cornel`", "did you mean `cornell`?"]);
    refuse_words("render qqq", &["`qqq`", "cornell"]);
    refuse_words("render cornell:petals=3", &["petals"]);
    refuse_words("render cornell --camera nowhere --width 8 --height 8", &["`nowhere`"]);
    refuse_words("render cornell --camera 99", &["`99`"]);
    refuse_words("render cornell --environment no.hdr", &["no.hdr"]);
    refuse_words("compare no.png no.exr", &["no.png"]);
}

#[test]
fn values_that_make_no_sense() {
    let bad = [
        "--width 0",
        "--height -3",
        "--spp 0",
        "--spp many",
        "--time 10",
        "--time 0s",
        "--noise 0",
        "--noise nan",
        "--threads 0",
        "--tile-size 0",
        "--simd mmx",
        "--sampler dice",
        "--filter coffee",
        "--integrator guess",
        "--tone-curve sepia",
        "--aovs smell",
        "--fov 180",
        "--exposure bright",
        "--set",
        "--set depth",
        "--environment-rotation north",
        "--occlusion-radius 0",
        "--seed -1",
        "--unheard-of",
    ];
    for words in bad {
        refuse_words(&format!("render cornell {words}"), &[]);
    }
    refuse_words("render cornell --sampler sobel", &["sobol"]);
    refuse_words("render cornell --set nothing=3", &["nothing", "max_bounces"]);
    refuse_words("render cornell --preset final", &["path", "final", "no presets"]);
    refuse_words("render cornell --integrator igi --preset best", &["igi", "best", "interactive"]);
    refuse_words("render cornell --set max_bounces=-1", &["max_bounces", "whole number"]);
    refuse_words("rendr", &["render"]);
}

#[test]
fn benchmarks_are_another_program() {
    for words in ["bench", "bench kernel office --rounds 1", "bench --help"] {
        refuse_words(words, &["cargo run --release -p sunfleck-bench -- "]);
    }
}

#[test]
fn instructions_that_this_processor_lacks() {
    let foreign = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
    refuse_words(&format!("render cornell --simd {foreign}"), &["this processor has no", "scalar"]);
}

#[test]
fn outputs_are_tried_before_rendering() {
    // With so many samples the test would not end if anything were rendered first.
    let render = "render cornell --spp 100000000 -o";
    refuse_words(&format!("{render} a.jpg"), &["a.jpg", ".png"]);
    refuse_words(&format!("{render} picture"), &["picture"]);
    refuse_words(&format!("{render} no/folder/a.png"), &["no/folder"]);
    refuse_words(&format!("{render} a.png -o a.png"), &["twice"]);
    refuse_words(&format!("{render} ok.png -o a.tiff"), &["a.tiff"]);
    let folder = Folder::new();
    std::fs::create_dir(folder.path("b.png")).unwrap();
    folder.sunfleck(&format!("{render} b.png")).refused(&["b.png", "folder"]);
}

#[test]
fn a_picture_larger_than_memory_fails_at_once() {
    let folder = Folder::new();
    let ran = folder.sunfleck("render cornell --width 4000000000 --height 4000000000");
    if cfg!(target_os = "linux") {
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains("of memory"), "{ran:?}");
    }
    assert!(folder.files().is_empty());
}

#[test]
fn devices_that_are_none() {
    refuse_words("render cornell --device cuda", &["cuda", "auto, cpu, gpu"]);
    refuse_words("render cornell --device gpu:one", &["gpu:one", "sunfleck devices"]);
    let folder = Folder::new();
    let ran = folder.sunfleck("render cornell --device gpu:99");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("there is no GPU number 99") && folder.files().is_empty(), "{ran:?}");
}

#[test]
fn without_a_gpu_the_processor_does_it_if_it_may() {
    let folder = Folder::new();
    let blind = |words: &str| -> Ran {
        let mut command = folder.command(words);
        command.env("VK_ICD_FILENAMES", "/dev/null").env("VK_DRIVER_FILES", "/dev/null");
        command.output().unwrap().into()
    };
    let picture = "render cornell --width 8 --height 8 --spp 1 --device";
    if cfg!(target_os = "linux") {
        let ran = blind(&format!("{picture} gpu"));
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let said = ran.stderr.contains("error: there is no GPU") && !ran.stderr.contains("panicked");
        assert!(said, "{ran:?}");
        assert!(folder.files().is_empty());
        for device in ["auto", "shared"] {
            let ran = blind(&format!("{picture} {device} --output {device}.png"));
            assert_eq!(ran.stderr.contains("on the processor"), device == "shared", "{ran:?}");
            ran.done();
        }
        assert_eq!(folder.files(), ["auto.png", "shared.png"]);
    }
}
