//! Images of the environments of stages, computed from a few soft lights.
//!
//! The camera of the default view is at +z and looks at the origin, slightly from above. What it sees behind the object
//! is the band around the horizon, which is therefore smooth; the lights are behind the camera or above the picture.

use std::f32::consts::PI;
use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_math::direction::direction_from_equirect;
use sunfleck_math::{Vec3, cos, sin, vec2, vec3};
use sunfleck_scene::{Texels, Texture, TextureFilter, Wrap};

use super::Stage;
use super::sky::{SUN_ELEVATION, Sky};

const WIDTH: u32 = 512;
const HEIGHT: u32 = 256;
/// Sines of the angles below the horizon between which the light that a ground hides fades out. The camera sees the
/// edge of the ground above the first.
const HIDDEN: [f32; 2] = [0.26, 0.5];

/// Part of that light which is left out: what is seen beyond the edge of the ground from above is dark, but not black.
const MOST_HIDDEN: f32 = 0.9;

/// Rectangular light at infinity, with soft edges.
struct Softbox {
    /// Direction to its centre, degrees: from the camera to the right about the vertical, and up.
    azimuth: f32,
    elevation: f32,
    /// Half width and half height, as tangents of the angle at which they are seen.
    half_size: [f32; 2],
    /// Width of the edges over which it fades, in the same unit.
    softness: f32,
    /// Radiance at its centre, W/(m² sr).
    radiance: Vec3,
}

impl Softbox {
    fn radiance(&self, direction: Vec3) -> Vec3 {
        let (azimuth, elevation) = (self.azimuth.to_radians(), self.elevation.to_radians());
        let center = vec3(sin(azimuth) * cos(elevation), sin(elevation), cos(azimuth) * cos(elevation));
        let right = vec3(cos(azimuth), 0.0, -sin(azimuth));
        let depth = direction.dot(center);
        if depth <= 0.0 {
            return Vec3::ZERO;
        }
        let inside =
            |offset: f32, half: f32| smoothstep((half - (offset / depth).abs()) / self.softness + 0.5);
        let [width, height] = self.half_size;
        self.radiance
            * inside(direction.dot(right), width)
            * inside(direction.dot(center.cross(right)), height)
    }
}

const KEY: Softbox = Softbox {
    azimuth: -42.0,
    elevation: 48.0,
    half_size: [0.48, 0.42],
    softness: 0.12,
    radiance: vec3(6.4, 6.1, 5.7),
};
const FILL: Softbox = Softbox {
    azimuth: 62.0,
    elevation: 28.0,
    half_size: [0.55, 0.45],
    softness: 0.3,
    radiance: vec3(1.10, 1.16, 1.25),
};
const RIM: Softbox = Softbox {
    azimuth: 155.0,
    elevation: 52.0,
    half_size: [0.55, 0.22],
    softness: 0.1,
    radiance: vec3(6.2, 6.4, 6.6),
};

/// Radiance of the horizon of the studio and of clay, W/(m² sr).
const BACKDROP: Vec3 = vec3(0.34, 0.345, 0.36);
const CLAY_BACKDROP: Vec3 = vec3(0.74, 0.68, 0.62);

/// Look of the environment of a stage: which stage it is, and the elevation of the sun in its sky in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    pub(super) stage: Stage,
    sun_elevation: f32,
}

impl Look {
    pub(super) fn new(stage: Stage) -> Self {
        Self { stage, sun_elevation: SUN_ELEVATION }
    }

    /// Makes a sky. The elevation is limited to 0 … 90, and rounded as its name has it.
    pub(super) fn sky(sun_elevation: f32) -> Self {
        Self { stage: Stage::Sky, sun_elevation: (sun_elevation * 10.0).round().clamp(0.0, 900.0) / 10.0 }
    }

    /// Returns the elevation of the sun in degrees; `None` if the environment has none.
    pub(super) fn sun_elevation(self) -> Option<f32> {
        (self.stage == Stage::Sky).then_some(self.sun_elevation)
    }

    /// Returns the name of the image, by which it is known in files, too: that of the stage, and the elevation of the
    /// sun if it is not the default.
    fn name(self) -> String {
        let Self { stage, sun_elevation } = self;
        match self.sun_elevation() {
            Some(elevation) if elevation != SUN_ELEVATION => format!("stage {stage} {sun_elevation}°"),
            _ => format!("stage {stage}"),
        }
    }

    /// Returns the look whose image has a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        let sky = |name: &str| name.strip_prefix("stage sky ")?.strip_suffix('°')?.parse().ok();
        let look = Stage::ALL.into_iter().map(Self::new).find(|look| look.name() == name);
        look.or_else(|| sky(name).filter(|elevation: &f32| elevation.is_finite()).map(Self::sky))
    }
}

/// Returns the latitude-longitude image of a stage.
///
/// * `hidden` — whether a ground hides the lower hemisphere from the camera. Most of its light is then left out, since
///   samples of it would be wasted.
pub(super) fn image(look: Look, hidden: bool) -> Texture {
    let radiance = radiance(look);
    let texel = |i: u32| {
        let direction = texel_direction(i);
        let below =
            if hidden { smoothstep((-direction.y - HIDDEN[0]) / (HIDDEN[1] - HIDDEN[0])) } else { 0.0 };
        (radiance(direction) * (1.0 - MOST_HIDDEN * below)).extend(1.0).to_array()
    };
    let texels: Vec<[f32; 4]> = (0..WIDTH * HEIGHT).into_par_iter().map(texel).collect();
    match Texture::new(look.name(), WIDTH, HEIGHT, Texels::Float(Arc::new(texels))) {
        Ok(texture) => texture.with_sampling([Wrap::Repeat, Wrap::ClampToEdge], TextureFilter::Linear),
        Err(error) => unreachable!("finite texels: {error}"),
    }
}

/// Returns the albedo with which a horizontal Lambertian ground that nothing shades has the radiance of the horizon, so
/// that its edge is invisible: `π L / E`, with the irradiance `E` of the upper hemisphere.
pub(super) fn ground_albedo(look: Look) -> Vec3 {
    let radiance = radiance(look);
    let texel_angle = PI / HEIGHT as f32;
    let rows = (0..WIDTH * HEIGHT / 2).map(|i| {
        let direction = texel_direction(i);
        let sin_theta = (1.0 - direction.y * direction.y).max(0.0).sqrt();
        radiance(direction) * (direction.y * sin_theta * texel_angle * texel_angle)
    });
    let irradiance = rows.sum::<Vec3>();
    (radiance(Vec3::NEG_Z) * PI / irradiance.max(Vec3::splat(1e-6)))
        .min(Vec3::splat(super::ground::MAX_ALBEDO))
}

fn texel_direction(i: u32) -> Vec3 {
    let position = vec2((i % WIDTH) as f32 + 0.5, (i / WIDTH) as f32 + 0.5);
    direction_from_equirect(position / vec2(WIDTH as f32, HEIGHT as f32))
}

/// Returns the function from a unit direction to the radiance from there, W/(m² sr).
fn radiance(look: Look) -> impl Fn(Vec3) -> Vec3 + Sync {
    let sky = Sky::new(look.sun_elevation);
    move |direction| {
        let up = direction.y.max(0.0);
        match look.stage {
            Stage::Studio => {
                let backdrop = BACKDROP.lerp(vec3(0.16, 0.165, 0.175), smoothstep(up / 0.8));
                [KEY, FILL, RIM].iter().fold(backdrop, |sum, light| sum + light.radiance(direction))
            }
            Stage::Sky => sky.radiance(direction),
            Stage::Clay => {
                let dome = CLAY_BACKDROP.lerp(vec3(0.66, 0.60, 0.54), smoothstep(up / 0.7));
                let soft = |light: Softbox, radiance| Softbox { softness: 0.8, radiance, ..light };
                dome + soft(KEY, vec3(2.3, 2.0, 1.7)).radiance(direction)
                    + soft(RIM, vec3(0.9, 0.85, 0.85)).radiance(direction)
            }
        }
    }
}

/// Returns the smooth step from 0 at `x ≤ 0` to 1 at `x ≥ 1`.
pub(super) fn smoothstep(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ground_has_the_radiance_of_the_horizon() {
        for stage in Stage::ALL {
            let (albedo, radiance) = (ground_albedo(Look::new(stage)), radiance(Look::new(stage)));
            assert!(albedo.min_element() > 0.05 && albedo.max_element() < 0.9, "{stage}: {albedo}");
            // Irradiance by a midpoint rule of its own, in cos² of the angle to the zenith
            const STEPS: u16 = 400;
            let mut sum = Vec3::ZERO;
            for (i, j) in (0..STEPS).flat_map(|i| (0..STEPS).map(move |j| (i, j))) {
                let [cos2, turn] = [i, j].map(|k| (f32::from(k) + 0.5) / f32::from(STEPS));
                let (up, across) = (cos2.sqrt(), (1.0 - cos2).sqrt());
                let angle = 2.0 * PI * turn;
                sum += radiance(vec3(across * sin(angle), up, across * cos(angle)));
            }
            let irradiance = sum * (PI / f32::from(STEPS).powi(2));
            let (found, horizon) = (albedo * irradiance / PI, radiance(Vec3::NEG_Z));
            assert!((found / horizon - 1.0).abs().max_element() < 0.02, "{stage}: {found}, not {horizon}");
        }
    }

    /// Behind the object, up to 10° above the horizon, there is no light, and the backdrop changes by less than a tenth
    /// between neighbouring degrees. What is more than 12° below the horizon, the ground hides.
    #[test]
    fn the_backdrop_is_a_gentle_gradient() {
        for stage in Stage::ALL {
            let radiance = radiance(Look::new(stage));
            let at =
                |degrees: f32| radiance(vec3(0.0, sin(degrees.to_radians()), -cos(degrees.to_radians())));
            for degrees in -12i8..10 {
                let (low, high) = (at(f32::from(degrees)), at(f32::from(degrees) + 1.0));
                assert!((high - low).abs().max_element() < 0.1 * low.min_element(), "{stage} at {degrees}°");
            }
        }
    }

    #[test]
    fn looks_are_known_by_the_names_of_their_images() {
        for look in Stage::ALL.into_iter().map(Look::new).chain([0.0, 7.3, 55.0, 90.0].map(Look::sky)) {
            assert_eq!(Look::named(&look.name()), Some(look));
        }
        assert_eq!(Look::new(Stage::Sky).name(), "stage sky");
        for other in ["stage sky high°", "stage sky NaN", "sky", "stage"] {
            assert_eq!(Look::named(other), None, "{other}");
        }
    }

    #[test]
    fn key_light_is_at_the_left_of_the_camera() {
        let image = image(Look::new(Stage::Studio), true);
        let Texels::Float(texels) = image.texels() else { panic!("{image:?}") };
        let sum = |side: f32| -> f32 {
            let of_side = (0..WIDTH * HEIGHT).filter(|&i| texel_direction(i).x * side > 0.0);
            of_side.map(|i| texels[i as usize][1]).sum()
        };
        assert!(sum(-1.0) > 1.2 * sum(1.0));
    }
}
