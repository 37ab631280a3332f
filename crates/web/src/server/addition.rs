//! Upload of a file whose content is added to the scene.

use std::sync::Arc;

use axum::extract::{Multipart, Query, State};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use sunfleck_scene::NodeId;
use tokio::task::spawn_blocking;

use super::Shared;
use super::upload::{ErrorResponse, bad_request, importer_crashed, json, permit, receive, refused};
use crate::protocol::ClientId;
use crate::scene::load_files;
use crate::session::{AddedFile, Event};

/// Query parameters of an addition.
#[derive(Debug, Deserialize)]
pub(super) struct AddQuery {
    client: ClientId,
    /// Position of the image on which the file was dropped, 0 … 1 from the upper left corner.
    x: Option<f32>,
    y: Option<f32>,
}

/// Answer to an addition.
#[derive(Debug, Serialize)]
struct Added {
    /// Node below which everything was added.
    node: NodeId,
}

/// Adds the first file that is a scene; it can refer to the others.
pub(super) async fn add(
    State(shared): State<Arc<Shared>>,
    Query(AddQuery { client, x, y }): Query<AddQuery>,
    form: Multipart,
) -> Result<Response, ErrorResponse> {
    let _permit = permit(&shared).await?;
    let files = receive(form).await?;
    let loaded = spawn_blocking(move || load_files(files)).await;
    let (name, loaded) = loaded.map_err(importer_crashed)?.map_err(bad_request)?;
    let notes = loaded.report.entries.iter().map(ToString::to_string).collect();
    let file = Box::new(AddedFile { name, scene: loaded.scene, notes, at: x.zip(y).map(Into::into) });
    let node = shared.ask(|done| Event::Add { client, file, done }).await?.map_err(refused)?;
    Ok(json(&Added { node }))
}
