//! Sixteen surfaces whose light is interpolated at once.

use sunfleck_math::Vec2;
use sunfleck_transport::vectors::{LANES, Lanes, put};

use super::primary::PrimarySurface;

/// Surfaces of up to sixteen pixels as structure of arrays, `[axis][lane]`.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct SurfaceBlock {
    /// Points on the film of the light, in pixels from the centre of the first one.
    pub(super) film: [Lanes; 2],
    /// As those of [`PrimarySurface`].
    pub(super) albedo: [Lanes; 3],
    pub(super) normal: [Lanes; 3],
    pub(super) inverse_distance: Lanes,
    /// Points and normals of the tangent planes.
    pub(super) point: [Lanes; 3],
    pub(super) plane: [Lanes; 3],
    /// Bit mask of lanes that have a tangent plane.
    pub(super) planes: u32,
    /// Number of lanes that are used.
    pub(super) len: usize,
}

impl SurfaceBlock {
    pub(super) fn new() -> Self {
        let three = [[0.0; LANES]; 3];
        Self {
            film: [[0.0; LANES]; 2],
            albedo: three,
            normal: three,
            inverse_distance: [0.0; LANES],
            point: three,
            plane: three,
            planes: 0,
            len: 0,
        }
    }

    /// Adds a surface to a block that is not full.
    ///
    /// * `film` — see the field.
    #[inline(always)]
    pub(super) fn push(&mut self, film: Vec2, surface: &PrimarySurface) {
        let lane = self.len % LANES;
        (self.film[0][lane], self.film[1][lane]) = (film.x, film.y);
        put(&mut self.albedo, lane, surface.albedo);
        put(&mut self.normal, lane, surface.normal);
        self.inverse_distance[lane] = surface.inverse_distance;
        if let Some(plane) = &surface.plane {
            put(&mut self.point, lane, plane.point);
            put(&mut self.plane, lane, plane.normal);
            self.planes |= 1 << lane;
        }
        self.len += 1;
    }

    /// Returns the lanes that are used, as a bit mask.
    #[inline(always)]
    pub(super) fn lanes(&self) -> u32 {
        (1 << self.len.min(LANES)) - 1
    }

    /// Removes all surfaces.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        (self.planes, self.len) = (0, 0);
    }
}
