//! Limits of memory and of fireflies.

use sunfleck_image::color::luminance;
use sunfleck_image::read_picture;

use crate::run::Folder;

#[test]
fn a_memory_limit_is_checked_before_rendering() {
    let folder = Folder::new();
    let run = folder.sunfleck("render cornell --memory-limit 10M -o a.png");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("10.0 MiB of --memory-limit") && run.stderr.contains("of images"), "{run:?}");
    folder.sunfleck("render cornell --memory-limit 200M --width 32 --height 32 --spp 1 -o a.png").done();
    let bytes = folder.json("info teapot-room")["geometry_bytes"].as_u64().unwrap();
    let small = "render teapot-room --width 8 --height 8 --spp 1 --denoise off -o b.png";
    let run = folder.sunfleck(&format!("{small} --memory-limit {bytes}"));
    assert!(run.code == Some(1) && run.stderr.contains("of geometry"), "{run:?}");
    folder.sunfleck(&format!("{small} --memory-limit {}", bytes * 20)).done();
    folder.sunfleck("render cornell --memory-limit much").refused(&["200M"]);
    assert_eq!(folder.files(), ["a.png", "b.png"]);
}

#[test]
fn backgrounds_and_checkpoints_count_in_the_memory_of_images() {
    let folder = Folder::new();
    // 120 bytes per pixel of radiance, 84 of alpha, 12 of the image over the background: 10,800,000 bytes
    let image = "render cornell --width 250 --height 200 --spp 1 --denoise off";
    let alpha = format!("{image} --background white -o a.exr --memory-limit");
    let run = folder.sunfleck(&format!("{alpha} 10790000"));
    assert!(run.code == Some(1) && run.stderr.contains("10.3 MiB of images"), "{run:?}");
    // 120 bytes per pixel and two films of 96
    let run = folder.sunfleck(&format!("{image} -o a.exr --memory-limit 15590000 --checkpoint a.checkpoint"));
    assert!(run.code == Some(1) && run.stderr.contains("14.9 MiB of images"), "{run:?}");
    assert!(folder.files().is_empty());
    folder.sunfleck(&format!("{image} -o a.exr --memory-limit 15590000")).done();
}

#[test]
fn a_limit_of_fireflies_states_its_bias() {
    let folder = Folder::new();
    let render = "render cornell --width 32 --height 32 --spp 16 --denoise off";
    let mean = |name: &str| {
        let picture = read_picture(&folder.path(name)).unwrap();
        picture.pixels().iter().map(|&p| f64::from(luminance(p))).sum::<f64>() / 1024.0
    };
    let report = folder.json(&format!("{render} -o a.exr"));
    assert!(report["render"]["fireflies"].is_null(), "off by default");
    let report = folder.json(&format!("{render} --firefly-clamp 0.05 -o b.exr"));
    let share = report["render"]["fireflies"]["removed_share"].as_f64().unwrap();
    assert!((0.005..0.9).contains(&share), "{share}");
    // The samples are the same but for the limit: what is left and what was removed are the whole
    let (all, left) = (mean("a.exr"), mean("b.exr"));
    assert!((left - (1.0 - share) * all).abs() < 1e-4 * all, "{left} of {all} without {share}");
    let text = folder.sunfleck(&format!("{render} --firefly-clamp 0.05 -o b.exr")).done().stdout;
    assert!(text.contains("% of the light was removed"), "{text}");
    // Nothing is that bright
    folder.json(&format!("{render} --firefly-clamp 1e6 -o c.exr"));
    assert!(folder.read("a.exr") == folder.read("c.exr"), "a limit that is not met changes no bit");
}

#[test]
fn direct_light_is_not_limited() {
    let folder = Folder::new();
    let render = "render cornell --width 24 --height 24 --spp 4 --denoise off --set max_bounces=1 --quiet";
    folder.sunfleck(&format!("{render} -o a.exr")).done();
    folder.sunfleck(&format!("{render} --firefly-clamp 1e-6 -o b.exr")).done();
    assert!(folder.read("a.exr") == folder.read("b.exr"), "light that is scattered once");
}

#[test]
fn integrators_without_a_limit_are_refused() {
    for integrator in ["whitted", "igi", "ao"] {
        let words = format!("render cornell --integrator {integrator} --firefly-clamp 10");
        Folder::new().sunfleck(&words).refused(&[&format!("`{integrator}`"), "have one: path"]);
    }
}

#[test]
fn both_options_for_fireflies_have_one_range() {
    for words in ["--firefly-clamp 1e30", "--set firefly_clamp=1e30"] {
        Folder::new().sunfleck(&format!("render cornell {words}")).refused(&["1000000000"]);
    }
}
