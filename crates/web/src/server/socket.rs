//! One browser: what it says goes to the session, the newest of everything goes to it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::Shared;
use crate::protocol::{ClientId, LARGEST_REQUEST, Reply, Request, Tables, VERSION};
use crate::session::{Event, News};

/// Frames on their way to a client: one that it shows, and one that travels meanwhile.
const FRAMES_ON_THE_WAY: usize = 2;
/// Answers that wait for a client.
const WAITING_REPLIES: usize = 32;
/// A client that takes nothing for so long has gone.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longer messages end the connection; those in between are refused with a sentence.
const LARGEST_MESSAGE: usize = 4 * LARGEST_REQUEST;

/// Becomes a WebSocket.
pub(super) async fn connect(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    let Ok(seat) = shared.seats.clone().try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many browsers look on already").into_response();
    };
    let upgrade = upgrade.max_message_size(LARGEST_MESSAGE).max_frame_size(LARGEST_MESSAGE);
    upgrade.on_upgrade(async move |socket| {
        talk(&shared, socket).await;
        drop(seat);
    })
}

async fn talk(shared: &Shared, socket: WebSocket) {
    let client = shared.next_client();
    let (sink, stream) = socket.split();
    let (replies, inbox) = mpsc::channel(WAITING_REPLIES);
    let (shown, acknowledged) = watch::channel(0);
    let hello =
        Reply::Hello { version: VERSION, client, server: shared.server, tables: Box::new(Tables::new()) };
    let writing = write(sink, hello, inbox, shared.news.clone(), acknowledged);
    if shared.events.send(Event::Joined { client }).await.is_err() {
        return;
    }
    // Whichever ends first ends the connection
    tokio::select! {
        () = writing => {}
        () = read(stream, client, &shared.events, &replies, &shown) => {}
    }
    drop(shared.events.send(Event::Left { client }).await);
}

/// Until the client closes, or says what is no WebSocket.
async fn read(
    mut stream: SplitStream<WebSocket>,
    client: ClientId,
    events: &mpsc::Sender<Event>,
    replies: &mpsc::Sender<Reply>,
    shown: &watch::Sender<u64>,
) {
    while let Some(Ok(message)) = stream.next().await {
        let request = match &message {
            Message::Text(text) if text.len() > LARGEST_REQUEST => {
                Err(format!("this message is too long: at most {LARGEST_REQUEST} bytes; files are uploaded"))
            }
            Message::Text(text) => Request::parse(text),
            Message::Binary(_) => Err("messages are text".into()),
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
            // A client that does not read its answers does not want them
            Err(message) => drop(replies.try_send(Reply::Error { message })),
        }
    }
}

/// Until the client takes nothing any more.
async fn write(
    mut sink: SplitSink<WebSocket, Message>,
    hello: Reply,
    mut replies: mpsc::Receiver<Reply>,
    mut news: News,
    mut acknowledged: watch::Receiver<u64>,
) {
    let mut on_the_way = VecDeque::new();
    let mut message = Some(json(&hello));
    news.frame.mark_changed();
    news.view.mark_changed();
    news.scene.mark_changed();
    loop {
        if let Some(message) = message.take()
            && !matches!(timeout(PATIENCE, sink.send(message)).await, Ok(Ok(())))
        {
            return;
        }
        let room = on_the_way.len() < FRAMES_ON_THE_WAY;
        tokio::select! {
            Some(reply) = replies.recv() => message = Some(json(&reply)),
            Ok(()) = news.view.changed() => message = text(news.view.borrow_and_update().clone()),
            Ok(()) = news.scene.changed() => message = text(news.scene.borrow_and_update().clone()),
            Ok(()) = acknowledged.changed() => {
                let shown = *acknowledged.borrow_and_update();
                on_the_way.retain(|number| *number > shown);
            }
            Ok(()) = news.frame.changed(), if room => {
                // The newest: those before it are never sent
                let frame = news.frame.borrow_and_update().clone();
                on_the_way.extend(frame.as_ref().map(|frame| frame.number));
                message = frame.map(|frame| Message::Binary(frame.message.clone()));
            }
            else => return,
        }
    }
}

/// Before the session has said anything there is nothing to send.
fn text(text: Utf8Bytes) -> Option<Message> {
    (!text.is_empty()).then_some(Message::Text(text))
}

fn json(reply: &Reply) -> Message {
    // Numbers and names have a JSON form
    Message::Text(serde_json::to_string(reply).unwrap_or_default().into())
}
