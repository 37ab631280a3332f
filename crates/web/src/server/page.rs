//! Files of the page. They are compiled into the program, so that no files of the host can be requested.

use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Makes a table of path, content type and content.
macro_rules! files {
    ($($path:literal: $kind:expr, $file:literal;)*) => {
        &[$(($path, $kind, include_str!(concat!("../../page/", $file)))),*]
    };
}

const FILES: &[(&str, &str, &str)] = files! {
    "/": HTML, "index.html";
    "/style.css": CSS, "style.css";
    "/icon.svg": SVG, "icon.svg";
    "/main.js": JS, "main.js";
    "/connection.js": JS, "connection.js";
    "/state.js": JS, "state.js";
    "/selection.js": JS, "selection.js";
    "/math.js": JS, "math.js";
    "/camera.js": JS, "camera.js";
    "/picture.js": JS, "picture.js";
    "/pointer.js": JS, "pointer.js";
    "/picking.js": JS, "picking.js";
    "/orbit-center.js": JS, "orbit-center.js";
    "/keys.js": JS, "keys.js";
    "/overlay.js": JS, "overlay.js";
    "/gizmo.js": JS, "gizmo.js";
    "/gizmo-bar.js": JS, "gizmo-bar.js";
    "/handles.js": JS, "handles.js";
    "/measures.js": JS, "measures.js";
    "/light-handles.js": JS, "light-handles.js";
    "/light-icons.js": JS, "light-icons.js";
    "/snapping.js": JS, "snapping.js";
    "/size.js": JS, "size.js";
    "/readout.js": JS, "readout.js";
    "/box-select.js": JS, "box-select.js";
    "/duplicate.js": JS, "duplicate.js";
    "/adding.js": JS, "adding.js";
    "/added-size.js": JS, "added-size.js";
    "/texture-fields.js": JS, "texture-fields.js";
    "/material-kinds.js": JS, "material-kinds.js";
    "/edits.js": JS, "edits.js";
    "/controls.js": JS, "controls.js";
    "/panel-view.js": JS, "panel-view.js";
    "/panel-object.js": JS, "panel-object.js";
    "/panel-material.js": JS, "panel-material.js";
    "/panel-lights.js": JS, "panel-lights.js";
    "/panel-scene.js": JS, "panel-scene.js";
    "/parameters.js": JS, "parameters.js";
    "/strength.js": JS, "strength.js";
    "/performance.js": JS, "performance.js";
    "/frame-rate.js": JS, "frame-rate.js";
    "/files.js": JS, "files.js";
    "/opening.js": JS, "opening.js";
    "/upload.js": JS, "upload.js";
    "/image-drop.js": JS, "image-drop.js";
    "/silhouette.js": JS, "silhouette.js";
    "/split.js": JS, "split.js";
    "/legend.js": JS, "legend.js";
    "/lost.js": JS, "lost.js";
    "/timeline.js": JS, "timeline.js";
    "/panel-method.js": JS, "panel-method.js";
    "/panel-light.js": JS, "panel-light.js";
    "/panel-environment.js": JS, "panel-environment.js";
    "/icons.js": JS, "icons.js";
    "/sashes.js": JS, "sashes.js";
    "/sides.js": JS, "sides.js";
    "/status.js": JS, "status.js";
    "/tabs.js": JS, "tabs.js";
    "/tree.js": JS, "tree.js";
    "/tree-model.js": JS, "tree-model.js";
    "/tree-row.js": JS, "tree-row.js";
    "/menu.js": JS, "menu.js";
    "/question.js": JS, "question.js";
    "/saving.js": JS, "saving.js";
    "/at-work.js": JS, "at-work.js";
    "/downloads.js": JS, "downloads.js";
    "/command-line.js": JS, "command-line.js";
    "/unsaved.js": JS, "unsaved.js";
    "/recent.js": JS, "recent.js";
    "/recovery.js": JS, "recovery.js";
};

/// Serves a file of the page, or an error.
pub(super) async fn serve(method: Method, uri: Uri) -> Response {
    let found = FILES.iter().find(|(path, _, _)| *path == uri.path());
    match (method, found) {
        (Method::GET | Method::HEAD, Some((_, kind, contents))) => {
            ([(CONTENT_TYPE, *kind)], *contents).into_response()
        }
        (_, Some(_)) => StatusCode::METHOD_NOT_ALLOWED.into_response(),
        (_, None) => (StatusCode::NOT_FOUND, "not found").into_response(),
    }
}
