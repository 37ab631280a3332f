use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, value_parser};
use sunfleck_bench::picture::{self, PictureSettings};
use sunfleck_command::{Exit, Failure, arguments, scene};
use sunfleck_engine::{DenoiseMethod, Device, StageChoice};

use crate::shared::{SharedArgs, make_folder, refused};

/// Least and largest width and height of the images, pixels.
const EDGES: std::ops::RangeInclusive<u32> = 16..=8192;

const AFTER_HELP: &str = "\
Every image is compared with a path-traced reference: FLIP at exposure 0 and at the metered exposure of the reference,
and relMSE. Denoisers run on the CPU, and rendering times include the features that denoisers need.

The peer is Intel Open Image Denoise, a library of version 2. It is used with and without denoising its auxiliary
images first; the result of less FLIP counts.

Examples:
  sunfleck-bench picture cornell teapot-room --references references --save pictures
  sunfleck-bench picture office --peer oidn=/usr/lib/libOpenImageDenoise.so.2 --device gpu --json picture.json
  sunfleck-bench picture sponza.obj --stage sky --size 320x180 --spp 1,16 --reference-spp 1024";

/// Measure how near images are to a reference, without and with denoising.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct PictureArgs {
    /// Scenes: files, or built-in scenes
    #[arg(required = true)]
    scenes: Vec<OsString>,

    #[command(flatten)]
    shared: SharedArgs,

    /// Denoisers; the noisy image is always measured
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = denoiser())]
    #[arg(default_values = ["off", "features", "learned"])]
    denoise: Vec<DenoiseChoice>,

    /// Denoiser to compare with, and its library
    #[arg(long, value_name = "oidn=LIBRARY", value_parser = arguments::assignment)]
    peer: Option<(String, String)>,

    /// Numbers of samples per pixel of the path-traced images
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_values_t = [1, 4, 16, 64, 256])]
    #[arg(value_parser = value_parser!(u32).range(1..=4096))]
    spp: Vec<u32>,

    /// Samples per pixel of the references
    #[arg(long, value_name = "N", default_value_t = 8192, value_parser = value_parser!(u32).range(1..))]
    reference_spp: u32,

    /// Keep the references in this folder, and use those that are there
    #[arg(long, value_name = "FOLDER")]
    references: Option<PathBuf>,

    /// Write all images into this folder as PNG, at the metered exposure of the reference
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,

    /// Width and height of the images, pixels
    #[arg(long, value_name = "WxH", default_value = "640x360", value_parser = size)]
    size: [u32; 2],

    /// Stage of the scenes [default: one where a scene has no light]
    #[arg(long, value_name = "NAME", value_parser = arguments::stage())]
    stage: Option<StageChoice>,

    /// Name or index of the camera [default: the first one]
    #[arg(long, value_name = "CAMERA")]
    camera: Option<String>,

    /// Device that renders: `cpu`; `gpu`, or `gpu:N` of `sunfleck devices`; `auto`, a GPU if there is one; `shared`,
    /// a GPU and the CPU together
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: Device,
}

/// Denoiser, or none.
#[derive(Clone, Copy, Debug)]
enum DenoiseChoice {
    Off,
    Method(DenoiseMethod),
}

pub(crate) fn run(args: &PictureArgs) -> Result<Exit, Failure> {
    let oidn = match &args.peer {
        None => None,
        Some((name, path)) if name == "oidn" => Some(PathBuf::from(path)),
        Some((name, _)) => {
            return Err(Failure::bad_input(format!("unknown peer `{name}`; known peers: oidn")));
        }
    };
    let methods = args.denoise.iter().filter_map(|choice| match choice {
        DenoiseChoice::Off => None,
        DenoiseChoice::Method(method) => Some(*method),
    });
    let settings = PictureSettings {
        size: args.size,
        path_samples: args.spp.clone(),
        denoise: methods.collect(),
        oidn,
        reference_samples: args.reference_spp,
        references: args.references.clone(),
        save: args.save.clone(),
        stage: args.stage.unwrap_or_default(),
        camera: args.camera.clone(),
        device: args.device,
        level: args.shared.level,
    };
    [&args.references, &args.save].into_iter().flatten().try_for_each(|folder| make_folder(folder))?;
    let open = |name: &OsString| scene::open(name).map(|opened| (opened.name, opened.scene));
    let scenes = args.scenes.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let report = picture::run(&settings, scenes, &mut |doing| eprintln!("{doing}")).map_err(refused)?;
    args.shared.write(&report)?;
    Ok(Exit::Done)
}

fn denoiser() -> impl TypedValueParser<Value = DenoiseChoice> {
    const METHODS: [DenoiseMethod; 2] = [DenoiseMethod::Features, DenoiseMethod::Learned];
    let names = ["off"].into_iter().chain(METHODS.map(DenoiseMethod::name));
    PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        "off" => Ok(DenoiseChoice::Off),
        name => name.parse().map(DenoiseChoice::Method),
    })
}

/// Parses a size such as `640x360`.
pub(crate) fn size(text: &str) -> Result<[u32; 2], String> {
    let edge = |text: &str| text.trim().parse().ok().filter(|edge| EDGES.contains(edge));
    let size = text.split_once('x').and_then(|(width, height)| Some([edge(width)?, edge(height)?]));
    size.ok_or_else(|| {
        format!("it must have the form 640x360, with edges from {} to {} pixels", EDGES.start(), EDGES.end())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_two_edges() {
        assert_eq!(size("640x360"), Ok([640, 360]));
        assert!(
            ["640", "640x", "x360", "15x16", "640x360x3", "-1x16"].iter().all(|text| size(text).is_err())
        );
    }
}
