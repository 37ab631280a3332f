use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sunfleck_math::{Vec3, cos, vec3};

use crate::{Texels, Texture, TextureFilter, TextureId, Wrap};

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
    /// Latitude-longitude map: y is up, the top row is the zenith, the middle column is the direction −z.
    Map {
        /// Image of the map.
        texture: TextureId,
        /// Rotation of the map about y, counter-clockwise seen from above.
        rotation_y_radians: f32,
        /// Factor of the image.
        scale: Vec3,
    },
}

/// Returns the image of a bright overcast sky over a dark ground, for scenes without light: the luminance of the CIE
/// overcast sky, `(1 + 2 sin elevation) / 3`, with a slight tint; the radiance at the zenith is about 1.
pub fn soft_sky() -> Texture {
    const WIDTH: u32 = 64;
    const HEIGHT: u32 = 32;
    let row_radiance = |row: u32| {
        let theta = (row as f32 + 0.5) / HEIGHT as f32 * std::f32::consts::PI;
        let up = cos(theta);
        if up >= 0.0 {
            let zenith = vec3(0.86, 0.97, 1.13);
            let horizon = vec3(1.04, 1.0, 0.94);
            horizon.lerp(zenith, up) * ((1.0 + 2.0 * up) / 3.0)
        } else {
            vec3(0.12, 0.11, 0.10)
        }
    };
    let texels: Vec<[f32; 4]> = (0..HEIGHT)
        .flat_map(|row| {
            let radiance = row_radiance(row);
            std::iter::repeat_n([radiance.x, radiance.y, radiance.z, 1.0], WIDTH as usize)
        })
        .collect();
    let texels = Texels::Float(Arc::new(texels));
    match Texture::new("soft sky", WIDTH, HEIGHT, texels) {
        Ok(texture) => texture.with_sampling([Wrap::Repeat, Wrap::ClampToEdge], TextureFilter::Linear),
        Err(_) => unreachable!("64 × 32 finite texels"),
    }
}
