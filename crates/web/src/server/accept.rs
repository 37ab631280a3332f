//! Accepts connections and serves HTTP on them.
//!
//! Connections that send no request must not use up the file descriptors of the process: they are closed after a few
//! seconds, and earlier if many are waiting.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::sleep;

/// Time within which a request must arrive: the first one, and each further one of the same connection.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of connections that have not sent a request yet; beyond it, the oldest of them is closed.
const MAX_SILENT: usize = 32;
/// Pause after the system has refused a connection, such as for a lack of file descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves HTTP until `stopping` becomes true.
pub(super) async fn serve(listener: TcpListener, router: Router, mut stopping: watch::Receiver<bool>) {
    let mut silent = SilentConnections::default();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopping.wait_for(|stops| *stops) => return,
        };
        match accepted {
            Ok((stream, _)) => silent.add(Connection::start(stream, router.clone())),
            // The client has closed the connection before it was accepted
            Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
            Err(_) => {
                silent.close_oldest();
                sleep(PAUSE).await;
            }
        }
    }
}

/// Connection that is served by its own task.
#[derive(Debug)]
struct Connection {
    task: AbortHandle,
    /// Whether a request has arrived.
    has_asked: Arc<AtomicBool>,
}

impl Connection {
    fn start(stream: TcpStream, router: Router) -> Self {
        let has_asked = Arc::new(AtomicBool::new(false));
        let asked = has_asked.clone();
        let router = TowerToHyperService::new(router);
        let service = service_fn(move |request| {
            asked.store(true, Ordering::Relaxed);
            router.call(request)
        });
        // Frames must not wait for further data
        let _ = stream.set_nodelay(true);
        let serving = async move {
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIMEOUT);
            // Errors are those of the client or the network
            drop(builder.serve_connection(TokioIo::new(stream), service).with_upgrades().await);
        };
        Self { task: tokio::spawn(serving).abort_handle(), has_asked }
    }

    fn is_silent(&self) -> bool {
        !self.has_asked.load(Ordering::Relaxed) && !self.task.is_finished()
    }
}

/// Connections that have not sent a request yet, oldest first.
#[derive(Debug, Default)]
struct SilentConnections(VecDeque<Connection>);

impl SilentConnections {
    fn add(&mut self, connection: Connection) {
        self.0.retain(Connection::is_silent);
        if self.0.len() >= MAX_SILENT {
            self.close_oldest();
        }
        self.0.push_back(connection);
    }

    fn close_oldest(&mut self) {
        self.0.retain(Connection::is_silent);
        if let Some(oldest) = self.0.pop_front() {
            oldest.task.abort();
        }
    }
}
