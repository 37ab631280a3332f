//! Reuse of earlier frames by any integrator: reprojection with motion vectors, and detection of changed light.
//!
//! The render cache reprojects old samples, and its light lags behind changes [Wald03, §10.2]. Here each pixel of a new
//! frame is added to the mean of the frames before in which its surface was visible:
//!
//! ```text
//! centre of each pixel ▶ surface, through mirrors ▶ where it was ▶ pixels that showed it ▶ mean ┐
//! few paths in the earlier and in the present world ▶ what of that light has changed ───────────┴▶ + new frame
//! ```
//!
//! Diffuse light follows surfaces, highlights follow the images that they show, and what is seen in a mirror follows
//! its image. Changed light is found by paths with the same random numbers in both worlds [Schied18, temporal
//! gradients]: where nothing has changed they agree bit for bit, so that histories are kept there.
//!
//! Frames with reuse depend on those before; the same frames in the same order have the same bits for any number of
//! threads.

mod chain;
mod change;
mod comparison;
mod fold;
mod frame;
mod history;
mod probes;
mod projection;
mod surfaces;

use sunfleck_constants::reuse::{PLANE_PIXELS, PLANE_SHARE};

pub use change::{Change, ChangeMap};
pub use comparison::FirstSurface;
pub use frame::{ReusedFrame, TemporalReuse};
pub use probes::RenderProbes;
pub use projection::FilmProjection;

/// Returns the distance from the tangent plane of a surface up to which points are taken to be of it, metres.
///
/// * `side` — edge length of a pixel at the surface. * `distance` — from the camera.
fn tolerance(side: f32, distance: f32) -> f32 {
    PLANE_PIXELS * side + PLANE_SHARE * distance
}
