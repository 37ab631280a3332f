//! `sunfleck render`.

use crate::run::{Folder, assert_picture};

#[test]
fn defaults_give_an_image_and_a_report() {
    let folder = Folder::new();
    let run = folder.sunfleck("render --width 64 --height 36 --spp 2").done();
    assert_eq!(folder.files(), ["sunfleck.png"]);
    assert_picture(&folder.path("sunfleck.png"), 64, 36);
    let values = ["triangle", "64 × 36", "2 samples per pixel", "Mrays/s", "sunfleck.png"];
    assert!(values.iter().all(|value| run.stdout.contains(value)), "{}", run.stdout);
    assert_eq!(run.stderr, "", "a short rendering prints no progress");
}

#[test]
fn quiet_renderings_print_nothing() {
    let folder = Folder::new();
    let run = folder.sunfleck("render cornell --width 8 --height 8 --spp 1 --quiet").done();
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
}

#[test]
fn every_integrator_sampler_and_filter_renders() {
    let folder = Folder::new();
    let samplers =
        sunfleck_sampling::SamplerKind::ALL.iter().map(|kind| format!("--sampler {}", kind.name()));
    let filters = sunfleck_image::Filter::ALL.iter().map(|filter| format!("--filter {}", filter.name()));
    let others = [
        "--integrator whitted --set max_depth=3 --set ambient=0.5",
        "--integrator igi --preset preview --set vpls=4",
        "--integrator path --set max_bounces=2",
        "--fov 60 --seed 7 --exposure -1 --tone-curve agx",
        "--environment white --environment-rotation -30",
    ];
    for choice in samplers.chain(filters).chain(others.map(String::from)) {
        folder.sunfleck(&format!("render cornell --width 16 --height 16 --spp 2 -o a.png {choice}")).done();
        assert_picture(&folder.path("a.png"), 16, 16);
    }
}

#[test]
fn the_seed_changes_the_noise_only() {
    let folder = Folder::new();
    for (seed, name) in [(1, "a.exr"), (1, "b.exr"), (2, "c.exr")] {
        folder
            .sunfleck(&format!("render cornell --width 32 --height 32 --spp 16 --seed {seed} -o {name}"))
            .done();
    }
    assert_eq!(folder.read("a.exr"), folder.read("b.exr"));
    assert_ne!(folder.read("a.exr"), folder.read("c.exr"));
    let mean = |name| {
        let picture = sunfleck_image::read_picture(&folder.path(name)).unwrap();
        picture.pixels().iter().map(|p| f64::from(p.element_sum())).sum::<f64>()
            / picture.pixels().len() as f64
    };
    let (a, c) = (mean("a.exr"), mean("c.exr"));
    assert!((a - c).abs() < 0.05 * a, "the means {a} and {c} of the same image agree");
}

#[test]
fn booleans_are_words_or_digits() {
    let folder = Folder::new();
    let render = |value: &str| {
        format!(
            "render erw6 --integrator igi --width 16 --height 9 --spp 1 --set compensate={value} -o {value}.png"
        )
    };
    for value in ["0", "false", "1", "true"] {
        folder.sunfleck(&render(value)).done();
    }
    assert_eq!(folder.read("0.png"), folder.read("false.png"), "0 is false");
    assert_eq!(folder.read("1.png"), folder.read("true.png"), "1 is true");
    assert_ne!(folder.read("0.png"), folder.read("1.png"), "the parameter has an effect");
    folder.sunfleck(&render("2")).refused(&["`compensate` is `2`; it must be true or false"]);
}

#[test]
fn help_lists_every_parameter() {
    let folder = Folder::new();
    let help = folder.sunfleck("render --help").done().stdout;
    for word in ["max_bounces", "roulette_after", "max_depth", "Exit codes", "--environment-rotation"] {
        assert!(help.contains(word), "{word}");
    }
    let scenes = folder.sunfleck("scenes").done().stdout;
    for model in sunfleck_models::models() {
        assert!(scenes.contains(model.name), "{}", model.name);
        assert!(model.parameters.iter().all(|p| scenes.contains(p.name)), "{}", model.name);
    }
    let materials = folder.sunfleck("materials").done().stdout;
    for model in sunfleck_scene::Surface::VARIANTS {
        assert!(
            materials.contains(&format!("{} ({}): {}", model.name, model.label, model.summary)),
            "{materials}"
        );
        assert!(
            model.parameters.iter().all(|p| materials.contains(p.summary.trim_end_matches('.'))),
            "{materials}"
        );
    }
}
