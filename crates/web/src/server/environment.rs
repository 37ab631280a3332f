//! Upload of an environment map.

use std::path::Path;
use std::sync::Arc;

use axum::extract::{Multipart, Query, State};
use axum::http::StatusCode;
use sunfleck_image::{Decoded, decode_within};
use sunfleck_math::Vec3;
use sunfleck_scene::{Texels, Texture, TextureFilter, Wrap};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::Shared;
use super::upload::{ClientQuery, ErrorResponse, bad_request, permit, receive, shutting_down};
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
    let files = receive(form).await?;
    let map =
        spawn_blocking(move || files.first().ok_or("no file was uploaded".to_string()).and_then(read)).await;
    let map = map
        .map_err(|_| {
            bad_request("this file could not be read: the decoder crashed, which is a bug in Sunfleck")
        })?
        .map_err(bad_request)?;
    let (done, answer) = oneshot::channel();
    shared
        .events
        .send(Event::Environment { client, map: Box::new(map), done })
        .await
        .map_err(shutting_down)?;
    answer.await.map_err(shutting_down)?.map_err(|why| (StatusCode::CONFLICT, why))
}

/// Decodes a map; 8-bit values are taken as sRGB.
fn read((name, bytes): &(String, Vec<u8>)) -> Result<Texture, String> {
    let extension = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    if !MAP_EXTENSIONS.contains(&&*extension) {
        return Err(format!(
            "{name} is not an environment map; supported formats: .{}",
            MAP_EXTENSIONS.join(", .")
        ));
    }
    let decoded =
        decode_within(bytes, &extension, MAX_DECODED_BYTES).map_err(|error| format!("{name}: {error}"))?;
    let (width, height) = decoded.size();
    let texels = match decoded {
        Decoded::Rgba8 { texels, .. } => Texels::Srgb8(Arc::new(texels)),
        deeper => {
            // Some files have negative, infinite or NaN values
            let radiance = |v: f32| if v.is_finite() { v.max(0.0) } else { 0.0 };
            let texel = |rgb: &Vec3| [radiance(rgb.x), radiance(rgb.y), radiance(rgb.z), 1.0];
            Texels::Float(Arc::new(deeper.into_picture().pixels().iter().map(texel).collect()))
        }
    };
    let texture = Texture::new(&**name, width, height, texels).map_err(|error| format!("{name}: {error}"))?;
    Ok(texture.with_sampling([Wrap::Repeat, Wrap::ClampToEdge], TextureFilter::Linear))
}
