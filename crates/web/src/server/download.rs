//! Downloads: the image as PNG or EXR, the scene as glTF.

use std::path::Path;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use sunfleck_image::{
    DisplayOptions, ExrOptions, ImageError, ToneCurve, automatic_exposure, encode_exr, encode_png,
};
use sunfleck_io::save_bytes;
use tokio::task::spawn_blocking;

use super::Shared;
use super::upload::{ErrorResponse, refused};
use crate::session::{Event, NoSnapshot, Snapshot};

/// Query parameters of an image.
#[derive(Debug, Deserialize)]
pub(super) struct SideQuery {
    /// 1 for the second image, if two are compared.
    #[serde(default)]
    side: usize,
}

/// Serves the image as it is shown, with exposure and tone curve, as PNG.
pub(super) async fn png(
    State(shared): State<Arc<Shared>>,
    Query(SideQuery { side }): Query<SideQuery>,
) -> Result<Response, ErrorResponse> {
    let encode = |Snapshot { picture, display, is_channel, .. }: &Snapshot| {
        let (exposure_stops, tone_curve) = match is_channel {
            true => (0.0, ToneCurve::Linear),
            false => (display.exposure.unwrap_or_else(|| automatic_exposure(picture)), display.tone_curve),
        };
        encode_png(picture, &DisplayOptions { exposure_stops, tone_curve, ..DisplayOptions::default() })
    };
    save(&shared, side, "png", "image/png", encode).await
}

/// Serves the linear radiance as it was rendered, with the displayed AOV, as EXR.
pub(super) async fn exr(
    State(shared): State<Arc<Shared>>,
    Query(SideQuery { side }): Query<SideQuery>,
) -> Result<Response, ErrorResponse> {
    let encode = |Snapshot { picture, canvas, channel, .. }: &Snapshot| {
        let options = ExrOptions { aovs: channel.iter().copied().collect(), ..ExrOptions::default() };
        // Waits for the frame that is being rendered
        match canvas
            .film()
            .filter(|film| (film.width(), film.height()) == (picture.width(), picture.height()))
        {
            Some(film) => encode_exr(&film.radiance(), Some(&film), options),
            // A GPU keeps no sums of previews, and those of the CPU have fewer pixels
            None => encode_exr(canvas.picture().as_deref().unwrap_or(picture), None, options),
        }
    };
    save(&shared, side, "exr", "image/x-exr", encode).await
}

/// Serves the edited scene as glTF.
pub(super) async fn glb(State(shared): State<Arc<Shared>>) -> Result<Response, ErrorResponse> {
    let (name, scene) = shared.ask(|done| Event::Scene { done }).await?;
    let disposition = attachment(&name, "glb");
    let file = format!("{name}.glb");
    match spawn_blocking(move || save_bytes(&scene, Path::new(&file))).await {
        Ok(Ok(saved)) => {
            let kind = "model/gltf-binary".to_string();
            Ok(([(CONTENT_TYPE, kind), (CONTENT_DISPOSITION, disposition)], saved.bytes).into_response())
        }
        Ok(Err(error)) => Err(failed(error.to_string())),
        Err(_) => Err(failed("the export crashed, which is a bug in Sunfleck")),
    }
}

/// Encodes the current image and serves it as a file.
///
/// * `side` — 1 for the second image, if two are compared.
async fn save(
    shared: &Shared,
    side: usize,
    extension: &str,
    kind: &'static str,
    encode: impl FnOnce(&Snapshot) -> Result<Vec<u8>, ImageError> + Send + 'static,
) -> Result<Response, ErrorResponse> {
    let snapshot = shared.ask(|done| Event::Snapshot { side, done }).await?.map_err(no_image)?;
    let name = if side == 0 { snapshot.name.clone() } else { format!("{}-right", snapshot.name) };
    let disposition = attachment(&name, extension);
    match spawn_blocking(move || encode(&snapshot)).await {
        Ok(Ok(bytes)) => {
            Ok(([(CONTENT_TYPE, kind.to_string()), (CONTENT_DISPOSITION, disposition)], bytes)
                .into_response())
        }
        Ok(Err(error)) => Err(failed(error.to_string())),
        Err(_) => Err(failed("the encoder crashed, which is a bug in Sunfleck")),
    }
}

/// Response if there is no image to save.
fn no_image(reason: NoSnapshot) -> ErrorResponse {
    match reason {
        NoSnapshot::NotRendered => {
            (StatusCode::SERVICE_UNAVAILABLE, "no image has been rendered yet".to_string())
        }
        NoSnapshot::NotCompared => refused("no second image is compared".to_string()),
    }
}

/// Response if a file could not be encoded.
fn failed(message: impl Into<String>) -> ErrorResponse {
    (StatusCode::INTERNAL_SERVER_ERROR, message.into())
}

/// Returns a Content-Disposition header with a file name reduced to safe characters.
pub(super) fn attachment(name: &str, extension: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = name.chars().map(plain).take(80).collect();
    format!("attachment; filename=\"{}.{extension}\"", if name.is_empty() { "sunfleck" } else { &name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_in_headers() {
        assert_eq!(attachment("office", "png"), "attachment; filename=\"office.png\"");
        assert_eq!(attachment("a\"\r\nb é", "exr"), "attachment; filename=\"a---b--.exr\"");
    }
}
