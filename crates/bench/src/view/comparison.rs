//! Comparison of what the viewer shows with the converged image.

use std::path::Path;

use fearless_simd::Level;
use serde_json::Value;
use sunfleck_image::color::luminance;
use sunfleck_image::metrics::{DEFAULT_PIXELS_PER_DEGREE, flip};
use sunfleck_image::{Decoded, DisplayOptions, Picture, ToneCurve, decode, save_picture, srgb};
use sunfleck_integrators::{CameraRays, Picked, PlacedCamera, World};
use sunfleck_math::{Vec2, Vec3, vec2};

use super::client::{ReceivedFrame, failed};
use crate::BenchError;

/// Returns radiance as a frame displays it, linear.
pub(super) fn displayed(radiance: &Picture, header: &Value) -> Picture {
    #[expect(clippy::cast_possible_truncation, reason = "a float of the server")]
    let stops = header["exposure"].as_f64().unwrap_or_default() as f32;
    radiance.map(|radiance| ToneCurve::default().apply(radiance, stops))
}

/// Returns the picture of a frame in the size of the page, linear; smaller ones are enlarged as blocks.
pub(super) fn picture(frame: &ReceivedFrame, [width, height]: [u32; 2]) -> Result<Picture, BenchError> {
    let decoded = decode(&frame.jpeg, "jpg").map_err(|error| failed(&error))?;
    let Decoded::Rgba8 { width: w, height: h, texels } = decoded else {
        return Err(failed(&"a picture is not a JPEG"));
    };
    let shown = Picture::from_fn(width, height, |x, y| {
        let at = (y * h / height) as usize * w as usize + (x * w / width) as usize;
        let [r, g, b, _] = texels[at].map(|byte| srgb::linear_from_srgb(f32::from(byte) / 255.0));
        Vec3::new(r, g, b)
    });
    shown.map_err(|error| failed(&error))
}

/// Returns the mean FLIP error.
pub(super) fn error(shown: &Picture, converged: &Picture) -> Result<f64, BenchError> {
    Ok(flip(shown, converged, DEFAULT_PIXELS_PER_DEGREE).map_err(|error| failed(&error))?.mean())
}

/// Greatest distance of a point from the plane of the surface beside it that still is that surface, relative to the
/// distance from the camera: walls and pillars of scenes of one object are told apart by it.
const SAME_SURFACE: f32 = 0.02;

/// Returns the pixels whose right neighbour shows another object, or a surface in front of theirs or behind it.
pub(super) fn silhouettes(world: &World, camera: &PlacedCamera, [width, height]: [u32; 2]) -> Vec<usize> {
    let rays = CameraRays::new(camera.camera.projection, camera.world_from_view, width, height);
    let surface = |x: u32, y: u32| {
        let film = vec2(x as f32 + 0.5, y as f32 + 0.5);
        world.pick(Level::new(), &rays.ray(film, Vec2::splat(0.5)))
    };
    let mut edges = Vec::new();
    for y in 0..height {
        let row: Vec<_> = (0..width).map(|x| surface(x, y)).collect();
        let differs = |x: &usize| !same_surface(row[*x].as_ref(), row[*x + 1].as_ref());
        edges.extend((0..width as usize - 1).filter(differs).map(|x| y as usize * width as usize + x));
    }
    edges
}

fn same_surface(a: Option<&Picked>, b: Option<&Picked>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => {
            let apart = a.ng.dot(b.position - a.position).abs();
            a.node == b.node && apart <= SAME_SURFACE * a.distance.min(b.distance)
        }
        (None, None) => true,
        _ => false,
    }
}

/// Returns the slope of the luminance over edges relative to that of another picture: 1 if they are equal, 0 if there
/// is no edge, whatever the noise.
pub(super) fn slope_along(edges: &[usize], shown: &Picture, converged: &Picture) -> f64 {
    let slope = |picture: &Picture, at: usize| {
        let at_pixel = |i: usize| f64::from(luminance(picture.pixels()[i]));
        at_pixel(at + 1) - at_pixel(at)
    };
    let products = edges.iter().map(|&at| [slope(shown, at), slope(converged, at)]);
    let (both, own) = products.fold((0.0, 0.0), |(both, own), [a, b]| (both + a * b, own + b * b));
    both / f64::max(own, 1e-12)
}

/// Saves a picture, if there is a folder for it.
pub(super) fn write(
    folder: Option<&Path>,
    scene: &str,
    what: &str,
    picture: &Picture,
) -> Result<(), BenchError> {
    let Some(folder) = folder else { return Ok(()) };
    let stem = Path::new(scene).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let options = DisplayOptions { tone_curve: ToneCurve::Linear, ..Default::default() };
    Ok(save_picture(picture, &folder.join(format!("{stem}-{what}.png")), &options)?)
}
