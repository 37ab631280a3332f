//! `sunfleck view`: interactive viewer in the browser.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr};

use clap::Args;
use sunfleck_command::{Exit, Failure, ImportArgs, arguments, scene, stdout};
use sunfleck_engine::{Device, EngineOptions, StageChoice};
use sunfleck_web::{BuiltInScene, Viewer, ViewerError, ViewerOptions, ViewerScene, default_state_folder};

/// Scene that is shown if none is given; the same as for `render`.
const DEFAULT_SCENE: &str = "teapot-room";
const DEFAULT_PORT: u16 = 7700;

/// View and edit a scene interactively in the browser.
///
/// The page is served to this machine only. With --bind it can be reached from other machines and needs a token, which
/// is part of the printed address. Over ssh, forward the port instead: `ssh -L 7700:localhost:7700 host`.
///
/// Edited scenes are saved beside their file as `NAME-edited.glb`, built-in ones in the current folder. Ctrl-C and
/// SIGTERM end the viewer; unsaved edits are kept, and the next start offers them. Edits are written every few seconds, of
/// large scenes less often: after a crash, those since then are missing.
#[derive(Args, Debug)]
pub(crate) struct ViewArgs {
    #[arg(default_value = DEFAULT_SCENE, help = scene::scene_help())]
    scene: OsString,

    #[command(flatten)]
    import: ImportArgs,

    /// Stage: an environment, and a ground below objects [default: if no light reaches what the camera sees, `sky` for
    /// buildings and `studio` for objects]
    #[arg(long, value_name = "NAME", value_parser = arguments::stage())]
    stage: Option<StageChoice>,

    /// Port to listen on; 0 selects any free port
    #[arg(long, default_value_t = DEFAULT_PORT)]
    port: u16,

    /// Address to listen on; 0.0.0.0 for all network interfaces
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,

    /// Token that browsers need to connect [default: none if only this machine can connect, else random]
    #[arg(long, value_parser = token)]
    token: Option<String>,

    /// Do not open a browser
    #[arg(long)]
    no_open: bool,

    /// Device to render on: `cpu`; `gpu`, or `gpu:N` as listed by `sunfleck devices`; `auto`, a GPU if there is one;
    /// `shared`, a GPU and the CPU together. The CPU renders what the GPU does not support
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: Device,

    /// Number of CPU threads for rendering [default: one per core]
    #[arg(long)]
    threads: Option<u16>,
}

/// Serves the viewer until SIGINT or SIGTERM arrives.
///
/// # Errors
/// The scene cannot be opened, or the server cannot listen on the port.
pub(crate) fn run(args: &ViewArgs) -> Result<Exit, Failure> {
    let opened = args.import.open(&args.scene)?;
    let stage = args.stage.unwrap_or_default();
    let viewer_scene = ViewerScene::new(opened.name.clone(), opened.scene, stage, opened.notes);
    let viewer_scene = viewer_scene.map_err(|error| Failure::failed(format!("{}: {error}", opened.name)))?;
    let viewer_scene = match &opened.file {
        Some(file) => viewer_scene.of_file(file, args.import.options()),
        None => viewer_scene,
    };
    for note in viewer_scene.notes() {
        eprintln!("{note}");
    }
    let options = ViewerOptions {
        bind: args.bind,
        port: args.port,
        token: args.token.clone(),
        engine: EngineOptions {
            threads: args.threads.unwrap_or(0).into(),
            device: args.device,
            ..EngineOptions::default()
        },
        state_folder: default_state_folder(),
        built_in: |name| sunfleck_models::build(name).map_err(|error| error.to_string()),
        built_in_scenes: sunfleck_models::models()
            .iter()
            .map(|model| BuiltInScene { name: model.name.into(), summary: model.summary.into() })
            .collect(),
        ..ViewerOptions::default()
    };
    let viewer = Viewer::start(viewer_scene, &options).map_err(start_failure)?;
    stdout::print(&format!("{}\n", viewer.url()))?;
    if !args.no_open && open_browser::that(viewer.url()).is_err() {
        eprintln!("cannot open a browser: open the printed address in one");
    }
    // Server and renderer run on their own threads
    viewer
        .wait_for_signal()
        .map_err(|error| Failure::failed(format!("cannot install a handler for Ctrl-C: {error}")))?;
    drop(viewer);
    Ok(Exit::Done)
}

fn start_failure(error: ViewerError) -> Failure {
    match error {
        ViewerError::Listen { .. } => Failure::failed(error.to_string())
            .with_help("choose another port with --port, or any free port with --port 0"),
        ViewerError::Start(_) => Failure::failed(error.to_string()),
    }
}

/// Parses a token, whose characters must be valid in a URL and in a cookie.
fn token(text: &str) -> Result<String, String> {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.~".contains(c));
    match plain && text.len() >= 8 {
        true => Ok(text.to_string()),
        false => Err("it must have at least 8 characters, only letters, digits and -_.~".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_valid_in_urls_and_cookies() {
        assert!(token("correct-horse").is_ok());
        assert!(["short", "with space", "semi;colon1", "naïve-naïve"].iter().all(|t| token(t).is_err()));
    }
}
