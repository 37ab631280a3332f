//! A scene from the browser: files in memory, none of which can name a file of the host.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use axum::extract::multipart::MultipartError;
use axum::extract::{Multipart, Query, State};
use axum::http::StatusCode;
use serde::Deserialize;
use sunfleck_io::{MemoryFiles, load_bytes, supported_extensions};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::Shared;
use crate::ViewerScene;
use crate::protocol::ClientId;
use crate::session::Event;

const MOST_FILES: usize = 512;

#[derive(Debug, Deserialize)]
pub(super) struct Who {
    pub(super) client: ClientId,
}

pub(super) type Refusal = (StatusCode, String);

/// Opens the first file that is a scene; the others are what it may name.
pub(super) async fn open(
    State(shared): State<Arc<Shared>>,
    Query(Who { client }): Query<Who>,
    form: Multipart,
) -> Result<(), Refusal> {
    let _turn = shared.uploads.acquire().await.map_err(gone)?;
    let files = receive(form).await?;
    let stage = spawn_blocking(move || read(files)).await;
    let stage = stage.map_err(|_| bad("this file could not be read: the importer gave up"))?.map_err(bad)?;
    let (done, answer) = oneshot::channel();
    let event = Event::Open { client, stage: Box::new(stage), done };
    shared.events.send(event).await.map_err(gone)?;
    answer.await.map_err(gone)?.map_err(|why| (StatusCode::CONFLICT, why))
}

pub(super) async fn receive(mut form: Multipart) -> Result<Vec<(String, Vec<u8>)>, Refusal> {
    let refused = |error: MultipartError| (error.status(), error.body_text());
    let mut files = Vec::new();
    while let Some(field) = form.next_field().await.map_err(refused)? {
        if files.len() == MOST_FILES {
            return Err(bad(format!("more than {MOST_FILES} files")));
        }
        let name = field.file_name().unwrap_or_default().replace('\\', "/");
        files.push((name, field.bytes().await.map_err(refused)?.to_vec()));
    }
    Ok(files)
}

fn read(files: Vec<(String, Vec<u8>)>) -> Result<ViewerScene, String> {
    let is_scene = |name: &str| {
        let extension = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or_default();
        supported_extensions().iter().any(|known| known.eq_ignore_ascii_case(extension))
    };
    let Some(scene) = files.iter().position(|(name, _)| is_scene(name)) else {
        let known = supported_extensions().join(", .");
        return Err(format!("none of these files is a scene: there can be .{known}"));
    };
    let (name, bytes) = files[scene].clone();
    // Files name each other relative to the scene; a page knows only of the names in the folder that was dropped
    let folder = name.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let relative = |name: String| name.strip_prefix(&folder).map(str::to_string).unwrap_or(name);
    let files: BTreeMap<_, _> = files.into_iter().map(|(name, bytes)| (relative(name), bytes)).collect();
    let loaded = load_bytes(Path::new(&name), &bytes, &MemoryFiles(files)).map_err(|e| e.to_string())?;
    ViewerScene::of_file(&name, loaded).map_err(|error| error.to_string())
}

/// Whoever would answer is not there any more.
pub(super) fn gone<E>(_: E) -> Refusal {
    (StatusCode::SERVICE_UNAVAILABLE, "the viewer is shutting down".to_string())
}

pub(super) fn bad(message: impl Into<String>) -> Refusal {
    (StatusCode::BAD_REQUEST, message.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJ: &[u8] = b"mtllib my.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n";

    #[test]
    fn files_find_each_other_in_a_folder() {
        let mtl = b"newmtl red\nKd 1 0 0\n".to_vec();
        let files = vec![("thing/my.mtl".to_string(), mtl), ("thing/a.obj".to_string(), OBJ.to_vec())];
        let stage = read(files).unwrap();
        assert!(stage.world.scene().materials().any(|(_, material)| material.name == "red"));
        assert!(!stage.notes.iter().any(|note| note.contains("my.mtl")), "{:?}", stage.notes);
    }

    #[test]
    fn no_file_of_the_host_is_read() {
        let obj =
            format!("mtllib {}/Cargo.toml\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", env!("CARGO_MANIFEST_DIR"));
        let stage = read(vec![("a.obj".to_string(), obj.into_bytes())]).unwrap();
        assert!(stage.notes.iter().any(|note| note.contains("there is no such file")), "{:?}", stage.notes);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let said = read(vec![("notes.txt".into(), Vec::new())]).unwrap_err();
        assert!(said.contains(".glb"), "{said}");
        let said = read(vec![("a.obj".into(), b"v 0 0 nought\n".to_vec())]).unwrap_err();
        assert_eq!(said, "a.obj:1:7: \"nought\" is not a number");
    }
}
