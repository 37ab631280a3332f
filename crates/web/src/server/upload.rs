//! Upload of a scene. Its files are kept in memory and can refer to each other, but not to files of the host.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::multipart::MultipartError;
use axum::extract::{Multipart, Query, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tokio::sync::SemaphorePermit;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::Shared;
use crate::ViewerScene;
use crate::protocol::ClientId;
use crate::scene::SceneSource;
use crate::session::Event;
use crate::storage::UploadCopies;

/// Time after which an upload that makes no progress, or waits for another one, is refused.
const STALL_TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum number of files of an upload.
const MAX_FILES: usize = 512;

/// Query parameters of an upload.
#[derive(Debug, Deserialize)]
pub(super) struct ClientQuery {
    pub(super) client: ClientId,
}

/// Status and message of a refused upload.
pub(super) type ErrorResponse = (StatusCode, String);

/// Opens the first file that is a scene; it can refer to the others.
pub(super) async fn open(
    State(shared): State<Arc<Shared>>,
    Query(ClientQuery { client }): Query<ClientQuery>,
    form: Multipart,
) -> Result<(), ErrorResponse> {
    let _permit = permit(&shared).await?;
    let files = receive(form).await?;
    let copies = shared.copies.clone();
    let scene = spawn_blocking(move || read_and_copy(files, copies.as_ref())).await;
    let scene = scene.map_err(importer_crashed)?.map_err(bad_request)?;
    let copy = scene.source.copy().map(str::to_string);
    let scene = Box::new(scene);
    let opened = shared.ask(|done| Event::Open { client, scene, done }).await?.map_err(refused);
    if let (Err(_), Some(copies), Some(copy)) = (&opened, &shared.copies, copy) {
        copies.remove(&copy);
    }
    opened
}

/// Waits until no other upload is being received.
///
/// # Errors
/// Another one takes too long.
pub(super) async fn permit(shared: &Shared) -> Result<SemaphorePermit<'_>, ErrorResponse> {
    match timeout(STALL_TIMEOUT, shared.uploads.acquire()).await {
        Ok(permit) => permit.map_err(shutting_down),
        Err(_) => Err((StatusCode::SERVICE_UNAVAILABLE, "another upload is not done yet: try again".into())),
    }
}

/// Receives the files of a form: names and contents.
///
/// # Errors
/// The form is malformed or has too many files.
pub(super) async fn receive(mut form: Multipart) -> Result<Vec<(String, Vec<u8>)>, ErrorResponse> {
    let refused = |error: MultipartError| (error.status(), error.body_text());
    let mut files = Vec::new();
    let stalled =
        |_| (StatusCode::REQUEST_TIMEOUT, "the upload stopped arriving: check the connection".to_string());
    while let Some(mut field) =
        timeout(STALL_TIMEOUT, form.next_field()).await.map_err(stalled)?.map_err(refused)?
    {
        if files.len() == MAX_FILES {
            return Err(bad_request(format!("too many files: at most {MAX_FILES} can be uploaded")));
        }
        let name = field.file_name().unwrap_or_default().replace('\\', "/");
        let mut bytes = Vec::new();
        while let Some(chunk) =
            timeout(STALL_TIMEOUT, field.chunk()).await.map_err(stalled)?.map_err(refused)?
        {
            bytes.extend_from_slice(&chunk);
        }
        files.push((name, bytes));
    }
    Ok(files)
}

/// Reads an uploaded scene, and keeps a copy of its files so that it can be opened again.
fn read_and_copy(
    files: Vec<(String, Vec<u8>)>,
    copies: Option<&UploadCopies>,
) -> Result<ViewerScene, String> {
    // Without a copy, the scene is missing from the list of recent scenes only
    let copy = copies.and_then(|copies| copies.add(&files).ok());
    let scene = ViewerScene::from_files(files);
    if let (Err(_), Some(copies), Some(copy)) = (&scene, copies, &copy) {
        copies.remove(copy);
    }
    let scene = scene?;
    let source = SceneSource::Upload { name: scene.name.clone(), copy };
    Ok(scene.of_source(source))
}

/// Response with an answer in JSON.
pub(super) fn json<T: Serialize>(answer: &T) -> Response {
    // Serialisation of ids cannot fail
    let text = serde_json::to_string(answer).unwrap_or_default();
    ([(CONTENT_TYPE, "application/json")], text).into_response()
}

/// Response for a session that has ended.
pub(super) fn shutting_down<E>(_: E) -> ErrorResponse {
    (StatusCode::SERVICE_UNAVAILABLE, "the viewer is shutting down".to_string())
}

/// Response for what the session refuses.
pub(super) fn refused(message: String) -> ErrorResponse {
    (StatusCode::CONFLICT, message)
}

/// Response after a panic of the importer.
pub(super) fn importer_crashed<E>(_: E) -> ErrorResponse {
    bad_request("this file could not be read: the importer crashed, which is a bug in Sunfleck")
}

/// Response for invalid files.
pub(super) fn bad_request(message: impl Into<String>) -> ErrorResponse {
    (StatusCode::BAD_REQUEST, message.into())
}
