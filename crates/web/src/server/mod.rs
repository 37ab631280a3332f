//! HTTP around a session: the page, the socket, uploads and downloads.

mod download;
mod environment;
mod guard;
mod page;
mod socket;
mod token;
mod upload;

use std::net::{IpAddr, SocketAddr};
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
use tokio::sync::{Semaphore, mpsc};

use crate::ViewerScene;
use crate::protocol::ClientId;
use crate::session::{Event, News, Session, StartError};
use token::Token;

/// What a browser uploads at once.
const LARGEST_UPLOAD: usize = 256 << 20;
/// A map of the environment: 8192 × 4096 in the format HDR have 128 MiB at most.
const LARGEST_MAP: usize = 160 << 20;
const MOST_CLIENTS: usize = 64;

/// How a viewer listens.
#[derive(Clone, Debug)]
pub struct ViewerOptions {
    /// Where from it can be reached.
    pub bind: IpAddr,
    /// 0: any that is free.
    pub port: u16,
    /// What a browser must know. Without one, whoever is on this machine may look; from elsewhere, one is made up.
    pub token: Option<String>,
    /// Of the renderer.
    pub engine: EngineOptions,
}

/// Why a viewer cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ViewerError {
    /// The port is taken, or the address is not of this machine.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
    /// The system gives no threads or no random numbers.
    #[error("cannot start the viewer: {0}")]
    Start(String),
}

/// A viewer that is being served, until it is dropped.
#[derive(Debug)]
pub struct Viewer {
    url: String,
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
    session: Option<Session>,
}

/// What all connections share.
#[derive(Debug)]
struct Shared {
    events: mpsc::Sender<Event>,
    news: News,
    /// Other from one start to the next, so that a page knows when the server is another one.
    server: u64,
    clients: AtomicU64,
    seats: Arc<Semaphore>,
    /// One upload at a time, for the memory that it takes.
    uploads: Semaphore,
    token: Option<Token>,
    /// Whether only this machine can reach it.
    loopback: bool,
}

impl Shared {
    fn next_client(&self) -> ClientId {
        self.clients.fetch_add(1, Ordering::Relaxed) + 1
    }
}

impl Viewer {
    /// Listens, and renders as soon as somebody looks. Errors: [`ViewerError`].
    pub fn start(stage: ViewerScene, options: &ViewerOptions) -> Result<Self, ViewerError> {
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
        let session = Session::start(stage, options.engine).map_err(|error: StartError| start(&error))?;
        let url = url(address, token.as_ref());
        let shared = Arc::new(Shared {
            events: session.events.clone(),
            news: session.news.clone(),
            server: token::random_number().map_err(|error| start(&error))?,
            clients: AtomicU64::new(0),
            seats: Arc::new(Semaphore::new(MOST_CLIENTS)),
            uploads: Semaphore::new(1),
            token,
            loopback,
        });
        let serve = axum::serve(listener, router(shared)).into_future();
        drop(runtime.spawn(serve));
        Ok(Self { url, runtime: Some(runtime), session: Some(session) })
    }

    /// Where the page is, the token included.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
        if let Some(session) = self.session.take() {
            session.stop();
        }
    }
}

fn url(address: SocketAddr, token: Option<&Token>) -> String {
    // A browser cannot go to "any address"
    let host = match address.ip() {
        ip if ip.is_unspecified() => "localhost".to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
        ip => ip.to_string(),
    };
    let query = token.map_or(String::new(), |token| format!("?token={}", token.as_str()));
    format!("http://{host}:{}/{query}", address.port())
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/socket", get(socket::connect))
        .route("/open", post(upload::open).layer(DefaultBodyLimit::max(LARGEST_UPLOAD)))
        .route("/environment", post(environment::set).layer(DefaultBodyLimit::max(LARGEST_MAP)))
        .route("/picture.png", get(download::png))
        .route("/picture.exr", get(download::exr))
        .route("/scene.glb", get(download::glb))
        .fallback(page::serve)
        .layer(middleware::from_fn_with_state(shared.clone(), guard::check))
        .with_state(shared)
}
