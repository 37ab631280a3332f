//! Interpolation of light between the pixels that show the surfaces of a block.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16, mask32x16};
use sunfleck_constants::denoise::LEAST_ALBEDO;
use sunfleck_math::Vec3;
use sunfleck_transport::vectors::{LANES, Lanes, V, dot, load, scaled, select, splat, sub};

use super::light::{BRIGHT, DISTANCE_STEP, FLAT_COSINE, LightImage, LightPixel};
use super::surface_block::SurfaceBlock;

/// Relative difference of inverse distances from which two pixels are taken to show different surfaces behind mirrors
/// and glass, where the plane of the surface is not known in the space of the camera.
const REFLECTED_DISTANCE_STEP: f32 = 0.1;
/// Least sum of weights of pixels that show a surface; below it, pixels farther away are searched.
const LEAST_WEIGHT: f32 = 0.02;
/// Weight of light that is not reflected if the surfaces reflect, and the other way round: the radiance of emitters and
/// of the environment may be a thousand times that of reflections.
const UNLIKE_WEIGHT: f32 = 1e-7;
/// Relative difference of inverse distances up to which a surface is in a flat cell.
const FLAT_DISTANCE_STEP: f32 = 0.01;

/// Surfaces in registers.
struct Surfaces<S: Simd> {
    albedo: V<S>,
    normal: V<S>,
    /// As [`LightPixel::emission`].
    emission: f32x16<S>,
    inverse_distance: f32x16<S>,
    /// Reciprocal of the difference of inverse distances that counts as one step, m.
    per_step: f32x16<S>,
    has_plane: mask32x16<S>,
    point: V<S>,
    plane: V<S>,
}

/// Sum of the light of pixels, and of their weights.
struct LightSum<S: Simd> {
    light: V<S>,
    weight: f32x16<S>,
}

impl LightImage {
    /// Returns the radiance of surfaces, `[axis][lane]`: light interpolated between the nearest 2 × 2 pixels that show
    /// them, else between those of 4 × 4, else between the nearest ones whatever they show.
    #[inline(never)]
    pub(super) fn radiance<S: Simd>(&self, simd: S, block: &SurfaceBlock) -> [Lanes; 3] {
        simd.vectorize(
            #[inline(always)]
            || {
                let surfaces = Surfaces::load(simd, block);
                let light = self.light_of(simd, &surfaces, block);
                let mut radiance = [[0.0; LANES]; 3];
                for axis in 0..3 {
                    let light = match self.demodulates {
                        true => light[axis] * (surfaces.albedo[axis] + LEAST_ALBEDO),
                        false => light[axis],
                    };
                    light.store_array(&mut radiance[axis]);
                }
                radiance
            },
        )
    }

    /// Returns the light of surfaces, cell by cell: neighbouring pixels are mostly in the same cell.
    #[inline(always)]
    fn light_of<S: Simd>(&self, simd: S, surfaces: &Surfaces<S>, block: &SurfaceBlock) -> V<S> {
        let film = self.clamped(simd, block);
        let corner = film.map(|at| at.floor());
        let part = [film[0] - corner[0], film[1] - corner[1]];
        let mut corners = [[0.0; LANES]; 2];
        for axis in 0..2 {
            corner[axis].store_array(&mut corners[axis]);
        }
        let mut light = splat(simd, Vec3::ZERO);
        let mut left = block.lanes();
        while left != 0 {
            let first = left.trailing_zeros() as usize % LANES;
            let [x, y] = [corners[0][first], corners[1][first]];
            let here = corner[0].simd_eq(f32x16::splat(simd, x)) & corner[1].simd_eq(f32x16::splat(simd, y));
            // The first lane is in its own cell
            left &= !(bits(here) | 1 << first);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the film")]
            let cell = [x as usize, y as usize];
            light = select(here, self.in_cell(simd, surfaces, cell, part, here), light);
        }
        light
    }

    /// Returns the points of a block on the film, at most at the centres of the outermost pixels.
    #[inline(always)]
    fn clamped<S: Simd>(&self, simd: S, block: &SurfaceBlock) -> [f32x16<S>; 2] {
        let [width, height] = self.size().map(|edge| f32x16::splat(simd, edge as f32 - 1.0));
        let [x, y] = [0, 1].map(|axis| f32x16::load_array_ref(simd, &block.film[axis]));
        let zero = f32x16::splat(simd, 0.0);
        [x.max(zero).min(width), y.max(zero).min(height)]
    }

    /// Returns the light at points between four pixels.
    ///
    /// * `x`, `y` — the pixel at the upper left.
    /// * `part` — position between the pixels, 0 to 1.
    /// * `here` — which lanes are between them; the light of others is undefined.
    #[inline(always)]
    fn in_cell<S: Simd>(
        &self,
        simd: S,
        surfaces: &Surfaces<S>,
        [x, y]: [usize; 2],
        part: [f32x16<S>; 2],
        here: mask32x16<S>,
    ) -> V<S> {
        let corners = self.corners(x, y).map(|i| self.pixel(i));
        let rest = part.map(|part| 1.0 - part);
        let weights = [rest[0] * rest[1], part[0] * rest[1], rest[0] * part[1], part[0] * part[1]];
        let mut bilinear = LightSum::none(simd);
        for (pixel, weight) in corners.into_iter().zip(weights) {
            bilinear.add(simd, pixel, weight * surfaces.likeness(pixel));
        }
        let bilinear = bilinear.mean();
        let mut pending = here;
        if self.is_flat(x, y) {
            pending &= !surfaces.are_in_flat_cell(simd, corners, weights);
            if bits(pending) == 0 {
                return bilinear;
            }
        }
        let mut similar = LightSum::none(simd);
        for (pixel, weight) in corners.into_iter().zip(weights) {
            similar.add(simd, pixel, weight * surfaces.similarity(simd, pixel));
        }
        let least = f32x16::splat(simd, LEAST_WEIGHT);
        let found = similar.weight.simd_ge(least);
        let mut light = select(pending & found, similar.mean(), bilinear);
        pending &= !found;
        if bits(pending) != 0 {
            let searched = self.searched(simd, surfaces, [x, y], part);
            light = select(pending & searched.weight.simd_ge(least), searched.mean(), light);
        }
        light
    }

    /// Returns the light of the 4 × 4 pixels around points that show their surfaces.
    ///
    /// * `x`, `y` — the pixel at the upper left of the points. * `part` — their positions from there on, 0 to 1.
    #[inline(always)]
    fn searched<S: Simd>(
        &self,
        simd: S,
        surfaces: &Surfaces<S>,
        [x, y]: [usize; 2],
        part: [f32x16<S>; 2],
    ) -> LightSum<S> {
        let [width, height] = self.size();
        let mut sum = LightSum::none(simd);
        for wy in y.saturating_sub(1)..=(y + 2).min(height - 1) {
            for wx in x.saturating_sub(1)..=(x + 2).min(width - 1) {
                let pixel = self.pixel(wy * width + wx);
                let (dx, dy) = (wx as f32 - x as f32 - part[0], wy as f32 - y as f32 - part[1]);
                let near = 1.0 / (1.0 + (dx * dx + dy * dy));
                sum.add(simd, pixel, near * surfaces.similarity(simd, pixel));
            }
        }
        sum
    }
}

impl<S: Simd> Surfaces<S> {
    #[inline(always)]
    fn load(simd: S, block: &SurfaceBlock) -> Self {
        let albedo = load(simd, &block.albedo);
        let brightest = albedo[0].max(albedo[1]).max(albedo[2]);
        let inverse_distance = f32x16::load_array_ref(simd, &block.inverse_distance);
        let has_plane = mask32x16::from_bitmask(simd, u64::from(block.planes));
        let [bright, plane_step, reflected_step] =
            [BRIGHT, DISTANCE_STEP, REFLECTED_DISTANCE_STEP].map(|value| f32x16::splat(simd, value));
        Self {
            albedo,
            normal: load(simd, &block.normal),
            emission: brightest.simd_gt(bright).select(f32x16::splat(simd, 1.0), f32x16::splat(simd, 0.0)),
            inverse_distance,
            per_step: 1.0 / (has_plane.select(plane_step, reflected_step) * inverse_distance),
            has_plane,
            point: load(simd, &block.point),
            plane: load(simd, &block.plane),
        }
    }

    /// Returns which surfaces are that of a flat cell.
    #[inline(always)]
    fn are_in_flat_cell(&self, simd: S, corners: [&LightPixel; 4], weights: [f32x16<S>; 4]) -> mask32x16<S> {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| corners[i].inverse_distance * weights[i]);
        let step = (self.inverse_distance - (a + b + c + d)).abs();
        let normal = splat(simd, corners[0].normal);
        step.simd_lt(FLAT_DISTANCE_STEP * self.inverse_distance)
            & dot(self.normal, normal).simd_gt(f32x16::splat(simd, FLAT_COSINE))
            & self.emission.simd_le(f32x16::splat(simd, 0.0))
    }

    /// Returns weights of pixels by whether they show a reflection, as the surfaces do: the radiance of emitters and of
    /// the environment would spread to what is around them. They have a weight only where nothing else is near.
    #[inline(always)]
    fn likeness(&self, light: &LightPixel) -> f32x16<S> {
        let unlike = (light.emission - self.emission).abs();
        (1.0 - unlike) * light.shows_surface + UNLIKE_WEIGHT
    }

    /// Returns how likely a pixel of the light shows the surfaces, 0 to 1.
    #[inline(always)]
    fn similarity(&self, simd: S, light: &LightPixel) -> f32x16<S> {
        let (zero, one) = (f32x16::splat(simd, 0.0), f32x16::splat(simd, 1.0));
        // Means over edges have short normals
        let cos = dot(splat(simd, light.normal), self.normal).max(zero).min(one);
        let facing = cos * cos;
        let facing = facing * facing;
        let from_eye = sub(self.point, splat(simd, light.origin));
        let on_plane = dot(self.plane, splat(simd, light.direction)) / dot(self.plane, from_eye);
        let expected = self.has_plane.select(on_plane, self.inverse_distance);
        let step = (light.inverse_distance - expected) * self.per_step;
        let step = step * step;
        facing * facing * self.likeness(light) / (1.0 + step * step)
    }
}

impl<S: Simd> LightSum<S> {
    #[inline(always)]
    fn none(simd: S) -> Self {
        let zero = f32x16::splat(simd, 0.0);
        Self { light: [zero; 3], weight: zero }
    }

    #[inline(always)]
    fn add(&mut self, simd: S, pixel: &LightPixel, weight: f32x16<S>) {
        let light = scaled(splat(simd, pixel.light), weight);
        for (sum, light) in self.light.iter_mut().zip(light) {
            *sum += light;
        }
        self.weight += weight;
    }

    #[inline(always)]
    fn mean(&self) -> V<S> {
        self.light.map(|light| light / self.weight)
    }
}

/// Returns a mask as bits.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a bit per lane")]
fn bits<S: Simd>(mask: mask32x16<S>) -> u32 {
    mask.to_bitmask() as u32
}
