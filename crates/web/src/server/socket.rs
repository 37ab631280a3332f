//! WebSocket of one browser: passes its requests to the session, and the newest frame, view and scene to the browser.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, Stream, StreamExt};
use tokio::sync::{mpsc, watch};
use tokio::time::{interval, timeout};

use super::Shared;
use crate::protocol::{ClientId, MAX_REQUEST_BYTES, Reply, Request, Tables, VERSION};
use crate::session::{Event, SessionUpdates};

/// Maximum number of frames sent but not acknowledged: one that is being shown, and one in transfer.
const MAX_FRAMES_IN_FLIGHT: usize = 2;
/// Capacity of a client's queue of replies.
const REPLY_QUEUE_LEN: usize = 32;
/// Time after which a client that receives nothing is disconnected.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);
/// Time between pings, which browsers answer without the page.
const PING_PERIOD: Duration = Duration::from_secs(8);
/// Time after which a client that sends nothing, not even answers to pings, is disconnected.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(20);
/// Time for the last message of a connection.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(200);
/// Size in bytes above which a message ends the connection; above [`MAX_REQUEST_BYTES`], it is refused with an error.
const MAX_MESSAGE_BYTES: usize = 4 * MAX_REQUEST_BYTES;

/// Upgrades the connection to a WebSocket.
pub(super) async fn connect(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    let Ok(permit) = shared.connections.clone().try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many browsers are connected").into_response();
    };
    let upgrade = upgrade.max_message_size(MAX_MESSAGE_BYTES).max_frame_size(MAX_MESSAGE_BYTES);
    upgrade.on_upgrade(async move |socket| {
        serve_client(&shared, socket).await;
        drop(permit);
    })
}

/// Serves a client until it disconnects.
async fn serve_client(shared: &Shared, socket: WebSocket) {
    let client = shared.next_client();
    let (sink, stream) = socket.split();
    let (replies, outbox) = mpsc::channel(REPLY_QUEUE_LEN);
    let (shown, acknowledged) = watch::channel(0);
    let hello =
        Reply::Hello { version: VERSION, client, server: shared.server, tables: Box::new(Tables::new()) };
    let outgoing = Outgoing { updates: shared.updates.clone(), stopping: shared.stopping.clone() };
    let writing = write(sink, hello, outbox, outgoing, acknowledged);
    if shared.events.send(Event::Joined { client }).await.is_err() {
        return;
    }
    // The connection ends with the first of both tasks
    tokio::select! {
        () = writing => {}
        () = read(stream, client, &shared.events, &replies, &shown) => {}
    }
    drop(shared.events.send(Event::Left { client }).await);
}

/// Reads requests until the client closes the connection, violates the WebSocket protocol or no longer answers.
async fn read(
    mut stream: impl Stream<Item = Result<Message, axum::Error>> + Unpin,
    client: ClientId,
    events: &mpsc::Sender<Event>,
    replies: &mpsc::Sender<Reply>,
    shown: &watch::Sender<u64>,
) {
    while let Ok(Some(Ok(message))) = timeout(SILENCE_TIMEOUT, stream.next()).await {
        let request = match &message {
            Message::Text(text) if text.len() > MAX_REQUEST_BYTES => Err(format!(
                "this message is too long: at most {MAX_REQUEST_BYTES} bytes are allowed; upload files over HTTP"
            )),
            Message::Text(text) => Request::parse(text),
            Message::Binary(_) => Err("binary messages are not supported: send text".into()),
            Message::Ping(_) | Message::Pong(_) => continue,
            Message::Close(_) => return,
        };
        match request {
            Ok(Request::Shown { frame }) => shown.send_modify(|latest| *latest = frame.max(*latest)),
            Ok(request) => {
                let event = Event::Request { client, request, replies: replies.clone() };
                if events.send(event).await.is_err() {
                    return;
                }
            }
            // Replies that a client does not read are dropped
            Err(message) => drop(replies.try_send(Reply::Error { message })),
        }
    }
}

/// What is sent unasked, and the signal that ends the connection.
struct Outgoing {
    updates: SessionUpdates,
    /// Becomes true when the server stops.
    stopping: watch::Receiver<bool>,
}

/// Sends replies, updates and pings until the connection fails or times out, or the server stops.
async fn write(
    mut sink: SplitSink<WebSocket, Message>,
    hello: Reply,
    mut replies: mpsc::Receiver<Reply>,
    Outgoing { mut updates, mut stopping }: Outgoing,
    mut acknowledged: watch::Receiver<u64>,
) {
    let mut in_flight = VecDeque::new();
    let mut pings = interval(PING_PERIOD);
    let mut message = Some(json(&hello));
    updates.frame.mark_changed();
    updates.view.mark_changed();
    updates.scene.mark_changed();
    updates.files.mark_changed();
    loop {
        if let Some(message) = message.take()
            && !matches!(timeout(SEND_TIMEOUT, sink.send(message)).await, Ok(Ok(())))
        {
            return;
        }
        let may_send_frame = in_flight.len() < MAX_FRAMES_IN_FLIGHT;
        tokio::select! {
            Some(reply) = replies.recv() => message = Some(json(&reply)),
            changed = updates.view.changed() => match changed {
                Ok(()) => message = text(updates.view.borrow_and_update().clone()),
                // The session has ended
                Err(_) => return,
            },
            Ok(()) = updates.scene.changed() => message = text(updates.scene.borrow_and_update().clone()),
            Ok(()) = updates.files.changed() => message = text(updates.files.borrow_and_update().clone()),
            Ok(()) = acknowledged.changed() => {
                let shown = *acknowledged.borrow_and_update();
                in_flight.retain(|number| *number > shown);
            }
            Ok(()) = updates.frame.changed(), if may_send_frame => {
                // The newest frame; older ones are skipped
                let frame = updates.frame.borrow_and_update().clone();
                in_flight.extend(frame.as_ref().map(|frame| frame.number));
                message = frame.map(|frame| Message::Binary(frame.message.clone()));
            }
            _ = pings.tick() => message = Some(Message::Ping(Bytes::new())),
            () = stopped(&mut stopping) => {
                let farewell = CloseFrame { code: close_code::AWAY, reason: "the viewer was closed".into() };
                drop(timeout(CLOSE_TIMEOUT, sink.send(Message::Close(Some(farewell)))).await);
                return;
            }
        }
    }
}

/// Waits until the server stops.
async fn stopped(stopping: &mut watch::Receiver<bool>) {
    drop(stopping.wait_for(|stops| *stops).await);
}

/// Makes a message of an update; `None` for the empty text before the first one.
fn text(text: Utf8Bytes) -> Option<Message> {
    (!text.is_empty()).then_some(Message::Text(text))
}

fn json(reply: &Reply) -> Message {
    // Serialisation of numbers and strings cannot fail
    Message::Text(serde_json::to_string(reply).unwrap_or_default().into())
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_answer_pings_is_disconnected() {
        let (events, _inbox) = mpsc::channel(1);
        let (replies, _outbox) = mpsc::channel(1);
        let (shown, _acknowledged) = watch::channel(0);
        let start = Instant::now();
        let pongs = stream::iter([1, 2]).then(|_| async {
            tokio::time::sleep(PING_PERIOD).await;
            Ok(Message::Pong(Bytes::new()))
        });
        let stream = Box::pin(pongs.chain(stream::pending()));
        read(stream, 1, &events, &replies, &shown).await;
        assert_eq!(start.elapsed(), 2 * PING_PERIOD + SILENCE_TIMEOUT);
    }
}
