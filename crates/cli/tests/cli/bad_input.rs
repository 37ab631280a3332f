//! Bad input: exit code 2, an error message with the location, and no output file.

use crate::run::{Folder, RunResult};

/// Writes a file and checks that `render` and `info` refuse it with a message that contains its name and `words`.
fn refuse_file(name: &str, content: impl AsRef<[u8]>, words: &[&str]) {
    let folder = Folder::new();
    folder.write(name, content);
    for command in ["render", "info"] {
        folder.sunfleck(&format!("{command} {name}")).refused(&[&[name], words].concat());
    }
    assert_eq!(folder.files(), [name], "nothing else is left behind");
}

/// Checks that a command line is refused with a message that contains `expected`, and writes no file.
fn refuse_words(words: &str, expected: &[&str]) {
    let folder = Folder::new();
    folder.sunfleck(words).refused(expected);
    assert!(folder.files().is_empty(), "{words} left {:?}", folder.files());
}

#[test]
fn a_truncated_glb() {
    // A header with a length of 1000 bytes, and the first chunk only
    let mut glb = b"glTF".to_vec();
    for word in [2u32, 1000, 500, 0x4e4f_534a] {
        glb.extend(word.to_le_bytes());
    }
    glb.extend(b"{\"asset\":");
    refuse_file("a.glb", glb, &[]);
}

#[test]
fn an_obj_with_an_index_out_of_range() {
    refuse_file("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", &["a.obj:4"]);
}

#[test]
fn a_ply_with_a_vertex_that_is_not_a_number() {
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
               element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n";
    refuse_file("a.ply", ply, &[]);
}

#[test]
fn malformed_and_unknown_files() {
    refuse_file("a.gltf", "{ \"asset\": ", &[]);
    refuse_file("a.xyz", "what is this", &[]);
    refuse_file("empty.glb", "", &[]);
}

#[test]
fn unknown_names_are_refused() {
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
fn invalid_values_are_refused() {
    let bad = [
        "--width 0",
        "--height -3",
        "--spp 0",
        "--spp many",
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
fn bench_names_the_other_program() {
    for words in ["bench", "bench kernel office --rounds 1", "bench --help"] {
        refuse_words(words, &["cargo run --release -p sunfleck-bench -- "]);
    }
}

#[test]
fn unsupported_instruction_sets_are_refused() {
    let foreign = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
    refuse_words(&format!("render cornell --simd {foreign}"), &["this CPU does not support", "scalar"]);
}

#[test]
fn outputs_are_checked_before_rendering() {
    // With this number of samples, the test would not end if rendering came first
    let render = "render cornell --spp 100000000 -o";
    refuse_words(&format!("{render} a.gif"), &["a.gif", ".png"]);
    refuse_words(&format!("{render} picture"), &["picture"]);
    refuse_words(&format!("{render} no/folder/a.png"), &["no/folder"]);
    refuse_words(&format!("{render} a.png -o a.png"), &["twice"]);
    refuse_words(&format!("{render} ok.png -o a.bmp"), &["a.bmp"]);
    let folder = Folder::new();
    std::fs::create_dir(folder.path("b.png")).unwrap();
    folder.sunfleck(&format!("{render} b.png")).refused(&["b.png", "folder"]);
}

#[test]
fn an_image_larger_than_memory_fails_at_once() {
    let folder = Folder::new();
    for words in ["", "--background white", "--background black -o a.exr"] {
        let run = folder.sunfleck(&format!("render cornell --width 4000000000 --height 4000000000 {words}"));
        if cfg!(target_os = "linux") {
            assert_eq!(run.code, Some(1), "{words}: {run:?}");
            assert!(run.stderr.contains("of memory"), "{words}: {run:?}");
        }
    }
    assert!(folder.files().is_empty());
}

#[test]
fn unknown_devices_are_refused() {
    refuse_words("render cornell --device cuda", &["cuda", "auto, cpu, gpu"]);
    refuse_words("render cornell --device gpu:one", &["gpu:one", "sunfleck devices"]);
    let folder = Folder::new();
    let run = folder.sunfleck("render cornell --device gpu:99");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("there is no GPU number 99") && folder.files().is_empty(), "{run:?}");
}

#[test]
fn without_a_gpu_the_cpu_renders_if_allowed() {
    let folder = Folder::new();
    let without_gpu = |words: &str| -> RunResult {
        let mut command = folder.command(words);
        command.env("VK_ICD_FILENAMES", "/dev/null").env("VK_DRIVER_FILES", "/dev/null");
        command.output().unwrap().into()
    };
    let picture = "render cornell --width 8 --height 8 --spp 1 --device";
    if cfg!(target_os = "linux") {
        let run = without_gpu(&format!("{picture} gpu"));
        assert_eq!(run.code, Some(1), "{run:?}");
        let refused = run.stderr.contains("error: there is no GPU") && !run.stderr.contains("panicked");
        assert!(refused, "{run:?}");
        assert!(folder.files().is_empty());
        for device in ["auto", "shared"] {
            let run = without_gpu(&format!("{picture} {device} --output {device}.png"));
            assert_eq!(run.stderr.contains("rendered on the CPU"), device == "shared", "{run:?}");
            run.done();
        }
        assert_eq!(folder.files(), ["auto.png", "shared.png"]);
    }
}

#[test]
fn files_outside_of_the_folder_are_not_read_unless_allowed() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("scene")).unwrap();
    let buffer = folder.path("outside.txt");
    folder.write("outside.txt", [0; 12]);
    for uri in [buffer.to_str().unwrap(), "../outside.txt", "%2e%2e/outside.txt"] {
        let gltf = format!(
            r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"uri":"{uri}","byteLength":12}}],"scenes":[{{}}]}}"#
        );
        folder.write("scene/a.gltf", gltf);
        let refused = folder.sunfleck("info scene/a.gltf").refused(&["a.gltf at buffers[0]", "outside", uri]);
        assert!(refused.stderr.contains("--allow-outside"), "{refused:?}");
        folder.sunfleck("info scene/a.gltf --allow-outside").done();
    }
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_not_read() {
    let folder = Folder::new();
    let made = std::process::Command::new("mkfifo").arg(folder.path("pipe.obj")).status().unwrap();
    assert!(made.success());
    std::os::unix::fs::symlink("/dev/zero", folder.path("zero.obj")).unwrap();
    std::os::unix::fs::symlink("pipe.obj", folder.path("link.hdr")).unwrap();
    for words in [
        "info pipe.obj",
        "info zero.obj",
        "info /dev/zero",
        "view pipe.obj --no-open --port 0",
        "render cornell --environment link.hdr -o a.png",
        "compare zero.obj pipe.obj",
        "convert zero.obj a.glb",
    ] {
        let begun = std::time::Instant::now();
        folder.sunfleck(words).refused(&["not a regular file"]);
        assert!(begun.elapsed().as_secs() < 5, "{words}: {:?}", begun.elapsed());
    }
}

#[test]
fn scenes_that_radiosity_cannot_divide_into_patches() {
    let matrix = "--integrator radiosity --set method=matrix --width 8 --height 8 -o a.png";
    refuse_words(
        &format!("render teapot-patches {matrix}"),
        &["teapot-patches", "spheres", "method=stochastic"],
    );
    refuse_words(&format!("render conference {matrix}"), &["conference", "16384", "method=stochastic"]);
    refuse_words("render cornell --integrator radiosity --set method=exact", &["stochastic or matrix"]);
}
