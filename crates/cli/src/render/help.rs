//! Help texts generated from the tables of integrators and AOVs.

use std::fmt::Write;

use sunfleck_image::Aov;
use sunfleck_integrators::{Algorithm, DEFAULT_SAMPLES};

use crate::parameters;

const EXAMPLES: &str = "\
Examples:
  sunfleck render cornell --spp 1024 -o cornell.png -o cornell.exr
  sunfleck render cornell -o - --format exr | oiiotool - -o a.tif    an image for another program
  sunfleck render cornell --crop 100,50,64,48 -o part.exr            a part of the image
  sunfleck render scene.glb --config final.toml                      options from a file
  sunfleck render scene.glb --time 30s                               stop after 30 seconds
  sunfleck render scene.glb --camera front --exposure -1
  sunfleck render scene.glb --all-cameras -o view.png                view-front.png, view-top.png …
  sunfleck render scene.glb --aperture 2.8 --focus auto              depth of field
  sunfleck render fox.glb --animation Run --at 0.4
  sunfleck render fox.glb --frames 0..47 --fps 24 -o run.png
  sunfleck render bunny.ply --turntable 120 -o turn.png              turn-0000.png to turn-0119.png
  sunfleck render bunny.ply --environment sky.hdr --environment-rotation 90 --environment-strength 2
  sunfleck render bunny.ply --transparent -o bunny.png               alpha instead of the background
  sunfleck render bunny.ply --environment sky.hdr --background '#ffffff'
  sunfleck render cornell --integrator whitted --set max_depth=4 --set ambient=0.5
  sunfleck render cornell --integrator radiosity --set method=matrix --set patches=4000
  sunfleck render cornell --firefly-clamp 10                         no fireflies, some light less
  sunfleck render cornell --aovs depth,albedo -o layers.exr
  sunfleck render cornell --aov albedo -o albedo.png
  sunfleck render scene.glb --threads 8 --memory-limit 2G            refused if it needs more memory
  sunfleck render scene.glb --verbose 2> render.log                  progress and passes with their times
  sunfleck render scene.glb --spp 4096 --checkpoint a.checkpoint --every 5min
  sunfleck render scene.glb --spp 4096 --resume a.checkpoint         continue it after an interruption
";

const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    failure: a file cannot be written, out of memory
  2    bad input: invalid arguments, an unreadable or malformed scene, unknown names
  130  interrupted by Ctrl-C or SIGTERM; the image rendered so far, or the finished ones of several, were written
";

/// Returns the end of `sunfleck render --help`: examples, parameters of all integrators, exit codes.
pub(super) fn after_render() -> String {
    let mut text = format!("{EXAMPLES}\n");
    for algorithm in Algorithm::ALL {
        let _ = writeln!(text, "Parameters of --integrator {algorithm} (--set name=value):");
        text += &parameters::table(algorithm.parameters());
        text.push('\n');
    }
    text + EXIT_CODES
}

pub(super) fn samples() -> String {
    format!("Samples per pixel [default: {DEFAULT_SAMPLES}, unlimited with --time or --noise]")
}

pub(super) fn samples_long() -> String {
    format!("{}\n\nIntegrators that have several samples in a frame, such as `igi`, count frames.", samples())
}

pub(super) fn aovs() -> String {
    let names: Vec<_> = Aov::ALL.iter().map(|aov| aov.name()).collect();
    format!(
        "AOVs to record, separated by commas: {}, or `all` for those that the integrator supports.\n\nAn EXR stores them \
         as layers in addition to the radiance. Without an EXR among the outputs, a single AOV can be given; it is \
         written instead of the radiance.",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_is_in_the_help() {
        let help = after_render();
        for algorithm in Algorithm::ALL {
            assert!(help.contains(algorithm.name()), "{algorithm}");
            for parameter in algorithm.parameters() {
                let sentence = parameter.summary.trim_end_matches('.');
                assert!(help.contains(parameter.name) && help.contains(sentence), "{}", parameter.name);
            }
        }
    }
}
