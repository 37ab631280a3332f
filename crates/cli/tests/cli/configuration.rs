//! Configuration files, events, completions and manual pages.

use crate::run::Folder;

const TINY: &str = "render cornell --width 16 --height 12";

#[test]
fn options_are_read_from_a_file_and_the_command_line_wins() {
    let folder = Folder::new();
    folder.write("a.toml", "spp = 3\nseed = 7\noutput = [\"a.png\", \"a.exr\"]\ndenoise = \"off\"\n");
    let report = folder.json(&format!("{TINY} --config a.toml"));
    assert_eq!(report["render"]["samples_per_pixel"], 3);
    assert_eq!(report["picture"]["seed"], 7);
    assert_eq!(report["config"], "a.toml");
    assert_eq!(folder.files(), ["a.exr", "a.png", "a.toml"]);
    let report = folder.json(&format!("{TINY} --spp 2 -o b.png --config a.toml"));
    assert_eq!(report["render"]["samples_per_pixel"], 2);
    assert_eq!(
        (report["picture"]["seed"].as_u64(), report["written"].as_array().unwrap().len()),
        (Some(7), 1)
    );
    let text = folder.sunfleck(&format!("{TINY} --config a.toml")).done().stdout;
    assert!(text.contains("config  a.toml"), "{text}");
}

#[test]
fn parameters_of_the_command_line_are_added() {
    let folder = Folder::new();
    folder.write("a.toml", "set = [\"max_bounces=1\", \"roulette_after=7\"]\nspp = 1\ndenoise = \"off\"\n");
    let tiny = format!("{TINY} --quiet");
    folder.sunfleck(&format!("{tiny} --config a.toml --set roulette_after=1 -o a.exr")).done();
    let both = "--set max_bounces=1 --set roulette_after=1 --spp 1 --denoise off";
    folder.sunfleck(&format!("{tiny} {both} -o b.exr")).done();
    assert!(folder.read("a.exr") == folder.read("b.exr"), "light of one bounce");
    folder.sunfleck(&format!("{tiny} --config a.toml --set max_bounces=4 -o c.exr")).done();
    assert!(folder.read("a.exr") != folder.read("c.exr"), "the command line is set last");
}

#[test]
fn a_file_completes_the_command_line() {
    let folder = Folder::new();
    folder.write("a.toml", "frames = \"0..1\"\nspp = 1\noutput = \"f.png\"\n");
    // The built-in scene has no animation: that it is looked for shows that the options were accepted
    folder.sunfleck(&format!("{TINY} --config a.toml --no-reuse --fps 12")).refused(&["no animation"]);
    folder.sunfleck(&format!("{TINY} --no-reuse")).refused(&["--frames"]);
    let help = folder.sunfleck("render --config gone.toml --help").done().stdout;
    assert!(help.contains("--config"), "help needs no file");
}

#[test]
fn no_file_is_read_unless_it_is_given() {
    let folder = Folder::new();
    folder.write("sunfleck.toml", "spp = 3\n");
    let report = folder.json(&format!("{TINY} --spp 1 -o a.png"));
    assert!(report["config"].is_null(), "{report}");
}

#[test]
fn faults_of_a_file_are_located() {
    let folder = Folder::new();
    folder.sunfleck(&format!("{TINY} --config gone.toml")).refused(&["gone.toml"]);
    folder.write("a.toml", "spp = 3\nspq = 4\n");
    folder.sunfleck(&format!("{TINY} --config a.toml")).refused(&["a.toml", "`spq`"]);
    folder.write("a.toml", "spp = -3\n");
    folder.sunfleck(&format!("{TINY} --config a.toml")).refused(&["a.toml", "`spp`", "-3"]);
    folder.write("a.toml", "spp = 3\nseed =\n");
    folder.sunfleck(&format!("{TINY} --config a.toml")).refused(&["a.toml:2"]);
}

#[test]
fn events_tell_what_happens_when() {
    let folder = Folder::new();
    folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let run = folder.sunfleck("render a.obj --width 16 --height 12 --spp 2 --verbose").done();
    for words in ["file read", "a.obj", "bytes=", "scene committed", "bvh_bytes=", "pass complete"] {
        assert!(run.stderr.contains(words), "`{words}` is missing in {}", run.stderr);
    }
    assert!(run.stdout.contains("samples per pixel"), "the report stays on standard output");
    folder.sunfleck(&format!("{TINY} --verbose --quiet")).refused(&[]);
}

#[test]
fn completions_and_manual_pages_know_every_option() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.sunfleck(&format!("completions {shell}")).done().stdout;
        for word in ["render", "turntable", "firefly-clamp"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    folder.sunfleck("completions tcsh").refused(&["bash"]);
    let program = folder.sunfleck("man").done().stdout;
    assert!(program.contains(".TH sunfleck 1") && program.contains("render"), "{program}");
    let page = folder.sunfleck("man render").done().stdout;
    let help = folder.sunfleck("render --help").done().stdout;
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let options = lines.filter_map(|line| line.split_once("--"));
    let options: Vec<&str> =
        options.map(|(_, rest)| rest.split([' ', '=']).next().unwrap_or_default()).collect();
    assert!(options.len() > 20, "{help}");
    for option in options {
        let escaped = option.replace('-', "\\-");
        assert!(page.contains(&escaped), "--{option} is missing in the manual page");
    }
    folder.sunfleck("man rendr").refused(&["`rendr`", "render"]);
}

#[test]
fn options_that_many_look_for_have_examples() {
    let folder = Folder::new();
    let examples = |words: &str| {
        let page = folder.sunfleck(words).done().stdout.replace("\\-", "-");
        let section = page.split("\n.SH ").find_map(|section| section.strip_prefix("EXAMPLES\n"));
        section.unwrap_or_else(|| panic!("{words} has no examples: {page}")).to_string()
    };
    let render = examples("man render");
    for words in [
        "-o - ",
        "--transparent",
        "--background",
        "--environment-strength",
        "--crop",
        "--turntable",
        "--all-cameras",
        "--firefly-clamp",
        "--memory-limit",
        "--aperture",
        "--focus",
        "--config",
        "--verbose 2> ",
        "--checkpoint",
        "--every",
        "--resume",
    ] {
        assert!(render.contains(words), "{words}: {render}");
    }
    assert!(examples("man completions").contains("completions zsh"));
    assert!(examples("man man").contains("man render | man -l -"));
    assert!(examples("man").contains("sunfleck render scene.glb"));
}
