//! Upload of a file whose content is added to the scene.

use std::sync::Arc;

use axum::extract::{Multipart, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use sunfleck_scene::NodeId;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::Shared;
use super::upload::{
    ClientQuery, ErrorResponse, bad_request, importer_crashed, json, permit, receive, shutting_down,
};
use crate::scene::load_files;
use crate::session::{AddedFile, Event};

/// Answer to an addition.
#[derive(Debug, Serialize)]
struct Added {
    /// Node below which everything was added.
    node: NodeId,
}

/// Adds the first file that is a scene; it can refer to the others.
pub(super) async fn add(
    State(shared): State<Arc<Shared>>,
    Query(ClientQuery { client }): Query<ClientQuery>,
    form: Multipart,
) -> Result<Response, ErrorResponse> {
    let _permit = permit(&shared).await?;
    let files = receive(form).await?;
    let loaded = spawn_blocking(move || load_files(files)).await;
    let (name, loaded) = loaded.map_err(importer_crashed)?.map_err(bad_request)?;
    let notes = loaded.report.entries.iter().map(ToString::to_string).collect();
    let (done, answer) = oneshot::channel();
    let file = Box::new(AddedFile { name, scene: loaded.scene, notes });
    shared.events.send(Event::Add { client, file, done }).await.map_err(shutting_down)?;
    let node = answer.await.map_err(shutting_down)?.map_err(|why| (StatusCode::CONFLICT, why))?;
    Ok(json(&Added { node }))
}
