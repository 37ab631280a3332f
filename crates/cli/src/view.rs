//! `sunfleck view`: the scene in a browser.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr};

use clap::Args;
use sunfleck_command::{Exit, Failure, scene, stdout};
use sunfleck_engine::{Device, EngineOptions};
use sunfleck_web::{Viewer, ViewerError, ViewerOptions, ViewerScene};

/// What is shown when it is not told; the same as `render`'s.
const DEFAULT_SCENE: &str = "teapot-room";
const DEFAULT_PORT: u16 = 7700;

/// Shows a scene in the browser, live, and lets you change it. Ctrl-C ends it.
///
/// The page is served to this machine only, unless --bind says otherwise; then a token is needed, which is part of the address that
/// is printed. Over ssh, forward the port instead: `ssh -L 7700:localhost:7700 host`.
#[derive(Args, Debug)]
pub(crate) struct ViewArgs {
    #[arg(default_value = DEFAULT_SCENE, help = scene::scene_help())]
    scene: OsString,

    /// Port to listen on; 0 takes any that is free
    #[arg(long, default_value_t = DEFAULT_PORT)]
    port: u16,

    /// Address to listen on; 0.0.0.0 for all networks
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,

    /// What a browser must know to be let in [default: none for this machine, a random one otherwise]
    #[arg(long, value_parser = token)]
    token: Option<String>,

    /// Do not open a browser
    #[arg(long)]
    no_open: bool,

    /// Who renders: `cpu`; `gpu`, or `gpu:N` of `sunfleck devices`; `auto`, a GPU if there is one; `shared`, a GPU and the processor together. What a GPU cannot do the processor does
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: Device,

    /// Threads for rendering [default: one for each processor]
    #[arg(long)]
    threads: Option<u16>,
}

/// Serves until the process is told to end. Errors: the scene cannot be opened, or the port is taken.
pub(crate) fn run(args: &ViewArgs) -> Result<Exit, Failure> {
    let opened = scene::open(&args.scene)?;
    for note in &opened.notes {
        eprintln!("{note}");
    }
    let stage = ViewerScene::new(opened.name.clone(), opened.scene, opened.added, opened.notes);
    let stage = stage.map_err(|error| Failure::failed(format!("{}: {error}", opened.name)))?;
    let options = ViewerOptions {
        bind: args.bind,
        port: args.port,
        token: args.token.clone(),
        engine: EngineOptions {
            threads: args.threads.unwrap_or(0).into(),
            device: args.device,
            ..EngineOptions::default()
        },
    };
    let viewer = Viewer::start(stage, &options).map_err(refused)?;
    stdout::print(&format!("{}\n", viewer.url()))?;
    if !args.no_open && open_browser::that(viewer.url()).is_err() {
        eprintln!("no browser could be opened: go to the address above");
    }
    // Connections and frames have their own threads; nothing is left to do here
    loop {
        std::thread::park();
    }
}

fn refused(error: ViewerError) -> Failure {
    match error {
        ViewerError::Listen { .. } => Failure::failed(error.to_string())
            .with_help("--port chooses another port, --port 0 any that is free"),
        ViewerError::Start(_) => Failure::failed(error.to_string()),
    }
}

/// It travels in an address and in a cookie.
fn token(text: &str) -> Result<String, String> {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.~".contains(c));
    match plain && text.len() >= 8 {
        true => Ok(text.to_string()),
        false => Err("it must have at least 8 characters, letters, digits and -_.~ only".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_fit_into_addresses() {
        assert!(token("correct-horse").is_ok());
        assert!(["short", "with space", "semi;colon1", "naïve-naïve"].iter().all(|t| token(t).is_err()));
    }
}
