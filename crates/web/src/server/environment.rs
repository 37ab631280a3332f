//! Upload of an environment map.

use std::sync::Arc;

use axum::extract::{Multipart, Query, State};
use sunfleck_io::load_environment_bytes;
use sunfleck_scene::Texture;

use super::Shared;
use super::image::{extension, receive_image};
use super::upload::{ClientQuery, ErrorResponse, permit, refused};
use crate::MAP_EXTENSIONS;
use crate::session::Event;

/// Maximum size of a decoded map in bytes: 8192 × 4096 texels of 16 bytes.
const MAX_DECODED_BYTES: u64 = 512 << 20;

/// Sets the first file of a form as environment map.
pub(super) async fn set(
    State(shared): State<Arc<Shared>>,
    Query(ClientQuery { client }): Query<ClientQuery>,
    form: Multipart,
) -> Result<(), ErrorResponse> {
    let _permit = permit(&shared).await?;
    let map = Box::new(receive_image(form, read).await?);
    shared.ask(|done| Event::Environment { client, map, done }).await?.map_err(refused)
}

/// Decodes a map.
fn read(name: &str, bytes: &[u8]) -> Result<Texture, String> {
    if !MAP_EXTENSIONS.contains(&&*extension(name)) {
        return Err(format!(
            "{name} is not an environment map; supported formats: .{}",
            MAP_EXTENSIONS.join(", .")
        ));
    }
    let map = load_environment_bytes(name.as_ref(), bytes, MAX_DECODED_BYTES);
    map.map(|map| map.texture).map_err(|error| error.to_string())
}
