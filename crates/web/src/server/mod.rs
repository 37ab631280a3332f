//! HTTP server of a session: page, WebSocket, uploads and downloads.

mod accept;
mod addition;
mod address;
mod download;
mod environment;
mod guard;
mod image;
mod page;
mod signals;
mod socket;
mod texture;
mod token;
mod upload;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, post};
use sunfleck_engine::EngineOptions;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::time::timeout;

use crate::ViewerScene;
use crate::protocol::ClientId;
use crate::session::{Event, Session, SessionUpdates, StartError};
use crate::storage::{StorageOptions, UploadCopies};
use crate::{BuiltInScene, BuiltInScenes};
use address::url;
use token::Token;
use upload::{ErrorResponse, shutting_down};

/// Maximum size of an upload of scene files, in bytes.
const MAX_UPLOAD_BYTES: usize = 256 << 20;
/// Maximum size of an uploaded environment map, in bytes; 8192 × 4096 texels in HDR format have at most 128 MiB.
const MAX_MAP_BYTES: usize = 160 << 20;
/// Maximum size of an uploaded texture, in bytes.
const MAX_TEXTURE_BYTES: usize = 64 << 20;
/// Maximum number of connected browsers.
const MAX_CLIENTS: usize = 64;
/// Time for connections, and for the encoding of downloads, to end when the server stops.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(300);

/// Options of a viewer's server and engine.
#[derive(Clone, Debug)]
pub struct ViewerOptions {
    /// Address to listen on.
    pub bind: IpAddr,
    /// Port to listen on; 0 selects any free port.
    pub port: u16,
    /// Token that browsers need. If `None`, no token is needed on a loopback address, and a random one is made
    /// otherwise.
    pub token: Option<String>,
    /// Options of the rendering engine.
    pub engine: EngineOptions,
    /// Folder in which scenes are saved that have no file of their own: built-in scenes and uploads. Others are saved
    /// beside their file.
    pub save_folder: PathBuf,
    /// Folder with unsaved edits, recent scenes and copies of uploads, for later starts. If `None`, none of them is
    /// kept. See [`default_state_folder`](crate::default_state_folder).
    pub state_folder: Option<PathBuf>,
    /// Builds a scene by the name under which [`ViewerScene::new`] got it, to open it again from the list of recent
    /// scenes. Errors: a message for the user.
    pub built_in: BuiltInScenes,
    /// Built-in scenes that the page offers. Their names are arguments of `built_in`.
    pub built_in_scenes: Vec<BuiltInScene>,
}

/// This machine only, any free port, no token; scenes are saved in the current folder, and nothing else is kept.
impl Default for ViewerOptions {
    fn default() -> Self {
        Self {
            bind: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            token: None,
            engine: EngineOptions::default(),
            save_folder: ".".into(),
            state_folder: None,
            built_in: |name| Err(format!("there is no built-in scene `{name}`")),
            built_in_scenes: Vec::new(),
        }
    }
}

/// Error of [`Viewer::start`].
#[derive(Debug, thiserror::Error)]
pub enum ViewerError {
    /// The server cannot listen: the port is in use, or the address is not of this machine.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Address and port.
        address: SocketAddr,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The engine, threads or random numbers are not available.
    #[error("cannot start the viewer: {0}")]
    Start(String),
}

/// Running viewer; it stops when dropped.
#[derive(Debug)]
pub struct Viewer {
    url: String,
    /// `None` only during drop.
    runtime: Option<Runtime>,
    session: Option<Session>,
    /// Becomes true when the server stops.
    stopping: watch::Sender<bool>,
    /// Permits for connections of browsers, all of which are free when none is connected.
    connections: Arc<Semaphore>,
}

/// State shared by all connections.
#[derive(Debug)]
struct Shared {
    events: mpsc::Sender<Event>,
    updates: SessionUpdates,
    /// Random number of this start, by which a page detects a restart of the server.
    server: u64,
    /// Becomes true when the server stops.
    stopping: watch::Receiver<bool>,
    /// Copies of uploads, so that they can be opened again.
    copies: Option<UploadCopies>,
    /// Number of connections so far.
    clients: AtomicU64,
    /// Permits for connections.
    connections: Arc<Semaphore>,
    /// Permits one upload at a time, to limit memory.
    uploads: Semaphore,
    token: Option<Token>,
    /// Whether the server listens on a loopback address.
    loopback: bool,
}

impl Shared {
    /// Sends an event to the session and waits for its answer.
    ///
    /// # Errors
    /// The viewer is shutting down.
    async fn ask<T>(&self, event: impl FnOnce(oneshot::Sender<T>) -> Event) -> Result<T, ErrorResponse> {
        let (done, answer) = oneshot::channel();
        self.events.send(event(done)).await.map_err(shutting_down)?;
        answer.await.map_err(shutting_down)
    }

    fn next_client(&self) -> ClientId {
        self.clients.fetch_add(1, Ordering::Relaxed) + 1
    }
}

impl Viewer {
    /// Starts the server and the session; rendering starts with the first client.
    ///
    /// # Errors
    /// [`ViewerError`].
    pub fn start(scene: ViewerScene, options: &ViewerOptions) -> Result<Self, ViewerError> {
        let start = |error: &dyn std::fmt::Display| ViewerError::Start(error.to_string());
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(2).thread_name("sunfleck-web").enable_all().build();
        let runtime = runtime.map_err(|error| start(&error))?;
        let address = SocketAddr::new(options.bind, options.port);
        let listen = |source| ViewerError::Listen { address, source };
        let listener = runtime.block_on(TcpListener::bind(address)).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;

        let loopback = options.bind.is_loopback();
        let token = match (&options.token, loopback) {
            (Some(token), _) => Some(Token::new(token.clone())),
            (None, true) => None,
            (None, false) => Some(Token::random().map_err(|error| start(&error))?),
        };
        let storage = StorageOptions {
            save: options.save_folder.clone(),
            state: options.state_folder.clone(),
            built_in: options.built_in,
            built_in_scenes: options.built_in_scenes.clone(),
            lists: loopback,
        };
        let copies = storage.upload_copies();
        let session =
            Session::start(scene, options.engine, storage).map_err(|error: StartError| start(&error))?;
        let (stopping, stops) = watch::channel(false);
        let connections = Arc::new(Semaphore::new(MAX_CLIENTS));
        let url = url(address, token.as_ref());
        let shared = Arc::new(Shared {
            events: session.events.clone(),
            updates: session.updates.clone(),
            server: token::random_number().map_err(|error| start(&error))?,
            stopping: stops.clone(),
            copies,
            clients: AtomicU64::new(0),
            connections: connections.clone(),
            uploads: Semaphore::new(1),
            token,
            loopback,
        });
        drop(runtime.spawn(accept::serve(listener, router(shared), stops)));
        Ok(Self { url, runtime: Some(runtime), session: Some(session), stopping, connections })
    }

    /// URL of the page, with the token.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Waits until the process is asked to end by SIGINT (Ctrl-C) or SIGTERM. Then drop the viewer.
    ///
    /// # Errors
    /// The system does not allow to handle signals.
    pub fn wait_for_signal(&self) -> std::io::Result<()> {
        match &self.runtime {
            Some(runtime) => runtime.block_on(signals::wait()),
            None => Ok(()),
        }
    }
}

/// Closes the connections, keeps unsaved edits if there is a folder for them, and ends the threads.
impl Drop for Viewer {
    fn drop(&mut self) {
        self.stopping.send_replace(true);
        if let Some(runtime) = self.runtime.take() {
            #[expect(clippy::cast_possible_truncation, reason = "a small constant")]
            let all_closed = self.connections.acquire_many(MAX_CLIENTS as u32);
            drop(runtime.block_on(async { timeout(CLOSE_TIMEOUT, all_closed).await }));
            runtime.shutdown_timeout(CLOSE_TIMEOUT);
        }
        if let Some(session) = self.session.take() {
            session.stop();
        }
    }
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/socket", get(socket::connect))
        .route("/open", post(upload::open).layer(DefaultBodyLimit::max(MAX_UPLOAD_BYTES)))
        .route("/environment", post(environment::set).layer(DefaultBodyLimit::max(MAX_MAP_BYTES)))
        .route("/add", post(addition::add).layer(DefaultBodyLimit::max(MAX_UPLOAD_BYTES)))
        .route("/texture", post(texture::assign).layer(DefaultBodyLimit::max(MAX_TEXTURE_BYTES)))
        .route("/thumbnail.png", get(texture::thumbnail))
        .route("/picture.png", get(download::png))
        .route("/picture.exr", get(download::exr))
        .route("/scene.glb", get(download::glb))
        .fallback(page::serve)
        .layer(middleware::from_fn_with_state(shared.clone(), guard::check))
        .with_state(shared)
}
