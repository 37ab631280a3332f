//! Images that browsers upload: environment maps and textures.

use std::path::Path;
use std::sync::Arc;

use axum::extract::Multipart;
use sunfleck_image::{Decoded, decode_within};
use sunfleck_math::Vec3;
use sunfleck_scene::{Texels, Texture};
use tokio::task::spawn_blocking;

use super::upload::{ErrorResponse, bad_request, receive};

/// Receives a form and reads its first file as an image.
///
/// * `read` — returns the image of a name and the content, or a message for the user.
///
/// # Errors
/// The form is malformed or has no files, or the image cannot be read.
pub(super) async fn receive_image(
    form: Multipart,
    read: fn(&str, &[u8]) -> Result<Texture, String>,
) -> Result<Texture, ErrorResponse> {
    let files = receive(form).await?;
    let read = move || match files.first() {
        Some((name, bytes)) => read(name, bytes),
        None => Err("no file was uploaded".to_string()),
    };
    let crashed = "this image could not be read: the decoder crashed, which is a bug in Sunfleck";
    spawn_blocking(read).await.map_err(|_| bad_request(crashed))?.map_err(bad_request)
}

/// Returns the extension of a file name in lower case, without the dot.
pub(super) fn extension(name: &str) -> String {
    Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_lowercase()
}

/// Decodes an image.
///
/// * `limit` — maximum size of the decoded image, bytes.
///
/// # Errors
/// A message for the user.
pub(super) fn decoded(name: &str, bytes: &[u8], limit: u64) -> Result<Decoded, String> {
    decode_within(bytes, &extension(name), limit).map_err(|error| format!("{name}: {error}"))
}

/// Returns the texels of an image; 8-bit values are taken as sRGB.
pub(super) fn texels(decoded: Decoded) -> Texels {
    match decoded {
        Decoded::Rgba8 { texels, .. } => Texels::Srgb8(Arc::new(texels)),
        deeper => {
            // Some files have negative, infinite or NaN values
            let clean = |v: f32| if v.is_finite() { v.max(0.0) } else { 0.0 };
            let texel = |rgb: &Vec3| [clean(rgb.x), clean(rgb.y), clean(rgb.z), 1.0];
            Texels::Float(Arc::new(deeper.to_picture().pixels().iter().map(texel).collect()))
        }
    }
}
