//! Figures of the streaming ray tracer published in [Wald03, Table 3].

use serde::Serialize;

/// A row of [Wald03, Table 3].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PublishedPicture {
    /// Name of the image in the paper.
    pub picture: &'static str,
    /// Frames per second on a Radeon 9700 Pro, 256 × 256 pixels.
    pub fps: f64,
    /// Built-in scene that stands for it.
    pub model: &'static str,
}

/// The rows for whose image a built-in scene stands; the omitted row, *Teapotahedron (Refl. only)*, had 5 frames per
/// second. The game level was rasterised, and only its shadows were ray traced.
pub const PICTURES: [PublishedPicture; 3] = [
    PublishedPicture { picture: "Cornell Box (Soft Shadows)", fps: 15.0, model: "cornell" },
    PublishedPicture { picture: "Teapotahedron (Refl., Shadows)", fps: 3.0, model: "teapot-room" },
    PublishedPicture { picture: "Quake 3 (Hybrid)", fps: 5.0, model: "erw6" },
];
