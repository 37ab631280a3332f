//! Reuse of previous frames by any integrator: reprojection with motion vectors, and detection of changed light.
//!
//! The render cache reprojects old samples, and its light lags behind changes [Wald03, §10.2]. Here each pixel of a new
//! frame is added to its history: the mean of the previous frames in which its surface was visible.
//!
//! ```text
//! centre of each pixel ▶ primary surface ▶ motion vector ▶ pixels of the previous film ▶ history ┐
//! few paths in the previous and in the current world ▶ change of their light ────────────────────┴▶ + new frame
//! ```
//!
//! Diffuse light follows surfaces, highlights follow the images of what the surfaces reflect, and what is seen in a
//! mirror follows its virtual image. Changed light is found by paths with the same random numbers in both worlds
//! [Schied18, temporal gradients]: where nothing has changed they agree bit for bit, so that histories are kept there.
//!
//! Frames with reuse depend on the previous ones; the same frames in the same order have the same bits for any number
//! of threads.

mod chain;
mod change;
mod comparison;
mod frame;
mod highlights;
mod history;
mod history_pixel;
mod merge;
mod previous_view;
mod probes;
mod projection;
mod surfaces;
mod virtual_image;

pub use change::{Change, ChangeMap};
pub use comparison::FirstSurface;
pub use frame::{ReusedFrame, TemporalReuse};
pub use probes::RenderProbes;
pub use projection::FilmProjection;
