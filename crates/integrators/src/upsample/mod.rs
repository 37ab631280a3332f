//! Images whose light has fewer pixels than their edges and textures [Kopf07, joint bilateral upsampling].
//!
//! While the camera moves, a few cores have time for a camera ray in every pixel, but for paths in few of them. Light
//! over albedo is smooth nearly everywhere, so that it is rendered in few pixels, denoised, and interpolated between
//! those that show the same surface as a pixel of the full image:
//!
//! ```text
//! few pixels ▶ paths ▶ reuse of frames ▶ denoiser ▶ light over albedo ────┐
//! one ray per pixel ▶ surface, through mirrors ▶ albedo, normal, plane ───┴▶ interpolated light × albedo
//! ```
//!
//! In contrast to the paper, light is divided by albedo before, and distances are compared with those of the plane
//! through the pixel's surface, so that floors are smooth at grazing angles.

mod canvas;
mod first_surface;
mod interpolation;
mod light;
mod primary;
mod surface_block;
mod tile;

use std::sync::atomic::{AtomicBool, Ordering};

use fearless_simd::{Level, dispatch};
use rayon::prelude::*;
use sunfleck_image::Picture;
use sunfleck_math::{Vec2, Vec3};

pub use light::LightImage;

use crate::view::RayCount;
use crate::{View, ViewSpec, World};
use tile::{TILE, TileTracer};

/// Where the rays of an image pass through each pixel and through the lens, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayPosition {
    /// Point within the pixels.
    pub film: Vec2,
    /// Sample of the lens.
    pub lens: Vec2,
}

impl RayPosition {
    /// The centres of pixels and lens.
    pub const CENTRE: Self = Self { film: Vec2::splat(0.5), lens: Vec2::splat(0.5) };
}

/// Traces a ray through each pixel of an image on the current rayon pool, and interpolates the light of
/// fewer pixels on the surfaces that they hit. Pixels that show the environment have its exact radiance.
/// Returns `None` if it was cancelled.
pub fn upsampled(
    world: &World,
    spec: &ViewSpec,
    light: &LightImage,
    at: RayPosition,
    level: Level,
    cancel: &AtomicBool,
) -> Option<(Picture, RayCount)> {
    let (width, height) = (spec.width, spec.height);
    let view = View::new(world, *spec);
    let mut pixels = vec![Vec3::ZERO; width as usize * height as usize];
    let bands = pixels.par_chunks_mut((TILE * width) as usize).zip(0..height.div_ceil(TILE));
    let rays = bands
        .map(|(band, number)| {
            if cancel.load(Ordering::Relaxed) {
                return None;
            }
            let mut tracer = TileTracer::new(&view, light, at, number * TILE, band);
            dispatch!(level, simd => tracer.trace_all(simd, level));
            Some(tracer.rays)
        })
        .try_reduce(RayCount::default, |mut sum, rays| {
            sum += rays;
            Some(sum)
        })?;
    // There is one value per pixel of the view
    Some((Picture::new(width, height, pixels).unwrap_or_else(|_| unreachable!()), rays))
}
