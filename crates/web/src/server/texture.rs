//! Upload of an image as texture of a material, and small pictures of textures.

use std::path::Path;
use std::sync::Arc;

use axum::extract::{Multipart, Query, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use sunfleck_image::srgb::srgb_from_linear;
use sunfleck_image::{DEFAULT_DECODE_LIMIT, encode_png_texels};
use sunfleck_scene::{MaterialId, Texels, Texture, TextureId};
use tokio::task::spawn_blocking;

use super::Shared;
use super::image::{decoded, receive_image, texels};
use super::upload::{ErrorResponse, json, permit, refused};
use crate::protocol::ClientId;
use crate::session::{AssignedImage, Event};

/// Longest edge of a thumbnail in pixels.
const THUMBNAIL_EDGE: u32 = 64;
/// Caching of thumbnails whose content is named in the address.
const NAMED_CONTENT_CACHING: &str = "private, max-age=3600, immutable";

/// Query parameters of an assignment.
#[derive(Debug, Deserialize)]
pub(super) struct AssignQuery {
    client: ClientId,
    material: MaterialId,
    /// Name of the material's parameter, or `normal_map`.
    slot: String,
}

/// Answer to an assignment.
#[derive(Debug, Serialize)]
struct Assigned {
    texture: TextureId,
}

/// Query parameters of a thumbnail.
#[derive(Debug, Deserialize)]
pub(super) struct ThumbnailQuery {
    texture: TextureId,
    /// Text that names the content of the texture: then browsers may keep the answer.
    content: Option<String>,
}

/// Sets the first file of a form as texture of a material.
pub(super) async fn assign(
    State(shared): State<Arc<Shared>>,
    Query(AssignQuery { client, material, slot }): Query<AssignQuery>,
    form: Multipart,
) -> Result<Response, ErrorResponse> {
    let _permit = permit(&shared).await?;
    let texture = receive_image(form, read).await?;
    let image = Box::new(AssignedImage { texture, material, slot });
    let texture = shared.ask(|done| Event::Texture { client, image, done }).await?.map_err(refused)?;
    Ok(json(&Assigned { texture }))
}

/// Decodes a texture; 8-bit values are taken as sRGB.
fn read(name: &str, bytes: &[u8]) -> Result<Texture, String> {
    let image = decoded(name, bytes, DEFAULT_DECODE_LIMIT)?.without_16_bit();
    let (width, height) = image.size();
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
    Texture::new(stem, width, height, texels(image)).map_err(|error| format!("{name}: {error}"))
}

/// Serves a small picture of a texture as PNG.
pub(super) async fn thumbnail(
    State(shared): State<Arc<Shared>>,
    Query(ThumbnailQuery { texture, content }): Query<ThumbnailQuery>,
) -> Response {
    let found = match shared.ask(|done| Event::Thumbnail { texture, done }).await {
        Ok(Some(found)) => found,
        Ok(None) => return (StatusCode::NOT_FOUND, format!("there is no {texture}")).into_response(),
        Err(error) => return error.into_response(),
    };
    let caching = if content.is_some() { NAMED_CONTENT_CACHING } else { "no-store" };
    match spawn_blocking(move || small_picture(&found)).await {
        Ok(Ok(png)) => ([(CONTENT_TYPE, "image/png"), (CACHE_CONTROL, caching)], png).into_response(),
        _ => (StatusCode::INTERNAL_SERVER_ERROR, "the picture could not be encoded").into_response(),
    }
}

fn small_picture(texture: &Texture) -> Result<Vec<u8>, sunfleck_image::ImageError> {
    let (width, height) = (texture.width(), texture.height());
    let step = width.max(height).div_ceil(THUMBNAIL_EDGE);
    let [columns, rows] = [width, height].map(|edge| edge.div_ceil(step));
    let texel = |x: u32, y: u32| {
        let at = |cell: u32, edge: u32| (cell * step + step / 2).min(edge - 1) as usize;
        let index = at(y, height) * width as usize + at(x, width);
        match texture.texels() {
            Texels::Srgb8(texels) | Texels::Linear8(texels) => texels.get(index).copied().unwrap_or_default(),
            Texels::Linear16(texels) => {
                texels.get(index).copied().unwrap_or_default().map(|code| code.to_be_bytes()[0])
            }
            Texels::Float(texels) => texels.get(index).copied().unwrap_or_default().map(byte),
        }
    };
    let texels: Vec<_> = (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y))).collect();
    let texels: Vec<[u8; 4]> = texels.into_iter().map(|(x, y)| texel(x, y)).collect();
    encode_png_texels(columns, rows, &texels)
}

fn byte(linear: f32) -> u8 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within 0 … 255")]
    let byte = (srgb_from_linear(linear.clamp(0.0, 1.0)) * 255.0).round() as u8;
    byte
}
