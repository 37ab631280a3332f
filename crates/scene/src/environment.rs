use serde::{Deserialize, Serialize};
use sunfleck_math::Vec3;

use crate::TextureId;

/// Environment: light from an infinite distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Environment {
    /// No light.
    #[default]
    Black,
    /// Constant radiance from all directions.
    Constant {
        /// Radiance, W/(m² sr).
        radiance: Vec3,
    },
    /// Latitude-longitude map, seen from inside: y is up, the top row is the zenith, the middle column is the direction
    /// −z, ¾ of the width is +x, and the left and right edges meet at +z.
    Map {
        /// Image of the map.
        texture: TextureId,
        /// Rotation of the map about y, counter-clockwise seen from above.
        rotation_y_radians: f32,
        /// Factor of the image.
        scale: Vec3,
        /// Whether the centres of the first and the last row of texels are at the poles, as in Mitsuba, instead of half
        /// a row from them.
        rows_at_poles: bool,
    },
}
