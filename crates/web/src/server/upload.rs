//! Upload of a scene. Its files are kept in memory and can refer to each other, but not to files of the host.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use axum::extract::multipart::MultipartError;
use axum::extract::{Multipart, Query, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use sunfleck_io::{LoadedScene, MemoryFiles, has_supported_extension, load_bytes, supported_extensions};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::Shared;
use crate::ViewerScene;
use crate::protocol::ClientId;
use crate::session::Event;

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
    let _permit = shared.uploads.acquire().await.map_err(shutting_down)?;
    let files = receive(form).await?;
    let scene = spawn_blocking(move || read(files)).await;
    let scene = scene.map_err(importer_crashed)?.map_err(bad_request)?;
    let (done, answer) = oneshot::channel();
    let event = Event::Open { client, scene: Box::new(scene), done };
    shared.events.send(event).await.map_err(shutting_down)?;
    answer.await.map_err(shutting_down)?.map_err(|why| (StatusCode::CONFLICT, why))
}

/// Receives the files of a form: names and contents.
///
/// # Errors
/// The form is malformed or has too many files.
pub(super) async fn receive(mut form: Multipart) -> Result<Vec<(String, Vec<u8>)>, ErrorResponse> {
    let refused = |error: MultipartError| (error.status(), error.body_text());
    let mut files = Vec::new();
    while let Some(field) = form.next_field().await.map_err(refused)? {
        if files.len() == MAX_FILES {
            return Err(bad_request(format!("too many files: at most {MAX_FILES} can be uploaded")));
        }
        let name = field.file_name().unwrap_or_default().replace('\\', "/");
        files.push((name, field.bytes().await.map_err(refused)?.to_vec()));
    }
    Ok(files)
}

fn read(files: Vec<(String, Vec<u8>)>) -> Result<ViewerScene, String> {
    let (name, loaded) = load(files)?;
    ViewerScene::from_loaded(&name, loaded).map_err(|error| error.to_string())
}

/// Loads the first file that is a scene, and returns its name, too.
///
/// # Errors
/// A message for the user.
pub(super) fn load(files: Vec<(String, Vec<u8>)>) -> Result<(String, LoadedScene), String> {
    let Some(scene) = files.iter().position(|(name, _)| has_supported_extension(Path::new(name))) else {
        let known = supported_extensions().join(", .");
        return Err(format!("none of these files is a scene; supported formats: .{known}"));
    };
    let (name, bytes) = files[scene].clone();
    // Paths are relative to the scene file, while the page sends paths relative to the dropped folder
    let folder = name.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let relative = |name: String| name.strip_prefix(&folder).map(str::to_string).unwrap_or(name);
    let files: BTreeMap<_, _> = files.into_iter().map(|(name, bytes)| (relative(name), bytes)).collect();
    let loaded = load_bytes(Path::new(&name), &bytes, &MemoryFiles(files)).map_err(|e| e.to_string())?;
    Ok((name, loaded))
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

/// Response after a panic of the importer.
pub(super) fn importer_crashed<E>(_: E) -> ErrorResponse {
    bad_request("this file could not be read: the importer crashed, which is a bug in Sunfleck")
}

/// Response for invalid files.
pub(super) fn bad_request(message: impl Into<String>) -> ErrorResponse {
    (StatusCode::BAD_REQUEST, message.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJ: &[u8] = b"mtllib my.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n";

    #[test]
    fn files_of_a_folder_are_resolved() {
        let mtl = b"newmtl red\nKd 1 0 0\n".to_vec();
        let files = vec![("thing/my.mtl".to_string(), mtl), ("thing/a.obj".to_string(), OBJ.to_vec())];
        let scene = read(files).unwrap();
        assert!(scene.world.scene().materials().any(|(_, material)| material.name == "red"));
        assert!(!scene.notes.iter().any(|note| note.contains("my.mtl")), "{:?}", scene.notes);
    }

    #[test]
    fn no_file_of_the_host_is_read() {
        let obj =
            format!("mtllib {}/Cargo.toml\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", env!("CARGO_MANIFEST_DIR"));
        let scene = read(vec![("a.obj".to_string(), obj.into_bytes())]).unwrap();
        assert!(scene.notes.iter().any(|note| note.contains("file not found")), "{:?}", scene.notes);
    }

    #[test]
    fn errors_are_explained() {
        let error = read(vec![("notes.txt".into(), Vec::new())]).unwrap_err();
        assert!(error.contains(".glb"), "{error}");
        let error = read(vec![("a.obj".into(), b"v 0 0 nought\n".to_vec())]).unwrap_err();
        assert_eq!(error, "a.obj:1:7: \"nought\" is not a number");
    }
}
