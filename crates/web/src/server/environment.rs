//! Light from outside by a picture file from the browser.

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
use super::upload::{Refusal, Who, bad, gone, receive};
use crate::MAP_EXTENSIONS;
use crate::session::Event;

/// What a map may take when it is decoded: 8192 × 4096 texels of 16 bytes.
const DECODED: u64 = 512 << 20;

/// Takes the first file of a form as the map of the environment.
pub(super) async fn set(
    State(shared): State<Arc<Shared>>,
    Query(Who { client }): Query<Who>,
    form: Multipart,
) -> Result<(), Refusal> {
    let _turn = shared.uploads.acquire().await.map_err(gone)?;
    let files = receive(form).await?;
    let map =
        spawn_blocking(move || files.first().ok_or("there is no file".to_string()).and_then(read)).await;
    let map = map.map_err(|_| bad("this file could not be read: the decoder gave up"))?.map_err(bad)?;
    let (done, answer) = oneshot::channel();
    shared.events.send(Event::Environment { client, map: Box::new(map), done }).await.map_err(gone)?;
    answer.await.map_err(gone)?.map_err(|why| (StatusCode::CONFLICT, why))
}

/// Colours of 8 bits are taken for sRGB, as everywhere.
fn read((name, bytes): &(String, Vec<u8>)) -> Result<Texture, String> {
    let extension = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    if !MAP_EXTENSIONS.contains(&&*extension) {
        return Err(format!(
            "{name} is no map of the environment: there can be .{}",
            MAP_EXTENSIONS.join(", .")
        ));
    }
    let decoded = decode_within(bytes, &extension, DECODED).map_err(|error| format!("{name}: {error}"))?;
    let (width, height) = decoded.size();
    let texels = match decoded {
        Decoded::Rgba8 { texels, .. } => Texels::Srgb8(Arc::new(texels)),
        deeper => {
            // Some files have values that no light has
            let light = |v: f32| if v.is_finite() { v.max(0.0) } else { 0.0 };
            let texel = |rgb: &Vec3| [light(rgb.x), light(rgb.y), light(rgb.z), 1.0];
            Texels::Float(Arc::new(deeper.into_picture().pixels().iter().map(texel).collect()))
        }
    };
    let texture = Texture::new(&**name, width, height, texels).map_err(|error| format!("{name}: {error}"))?;
    Ok(texture.with_sampling([Wrap::Repeat, Wrap::ClampToEdge], TextureFilter::Linear))
}
