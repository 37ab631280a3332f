//! History of a temporal sequence: accumulated radiance and features per pixel, and their interpolation at any point of
//! the previous film.

use sunfleck_constants::reuse::{CALM, LEAST_COS, LEAST_TAP_WEIGHT};
use sunfleck_image::Features;
use sunfleck_math::{Vec2, Vec3, vec2};
use sunfleck_transport::PreviousPoint;

use super::history_pixel::{HistoryPixel, LightMean};

/// Accumulated radiance and features of the pixels of a frame, row by row.
#[derive(Clone, Debug)]
pub(super) struct History {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) pixels: Vec<HistoryPixel>,
}

/// Surface that is looked for in the history.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) id: u32,
    pub(super) point: PreviousPoint,
    /// See [`PreviousSurface::tolerance`](super::surfaces::PreviousSurface::tolerance).
    pub(super) tolerance: f32,
}

/// Pixels of the previous frame with their weights, which sum to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taps {
    taps: [(usize, f32); 16],
    count: usize,
    /// The four pixels between which a cubic interpolation has to stay.
    middle: Option<[usize; 4]>,
    /// Whether it is a single pixel, at whose centre the point lies.
    pub(super) is_exact: bool,
}

impl History {
    /// Returns the pixels from which a point of the film is interpolated: 4 × 4 by a cubic [Keys81] if all of them show
    /// the wanted surface, else those of the nearest 2 × 2 that do, else one of the 3 × 3 around the point. `None` if
    /// there are none.
    pub(super) fn taps(&self, film: Vec2, wanted: &Wanted) -> Option<Taps> {
        let at = film - vec2(0.5, 0.5);
        let corner = at.floor();
        let fraction = at - corner;
        let (width, height) = (self.width as f32, self.height as f32);
        if !(corner.x >= -1.0 && corner.y >= -1.0 && corner.x < width && corner.y < height) {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "within the film")]
        let (x, y) = (corner.x as i32, corner.y as i32);
        let shows = |dx: i32, dy: i32| self.index(x + dx, y + dy).filter(|&i| self.pixels[i].shows(wanted));
        let square = [(0, 0), (1, 0), (0, 1), (1, 1)];
        let middle = square.map(|(dx, dy)| shows(dx, dy));

        let linear = [
            (1.0 - fraction.x) * (1.0 - fraction.y),
            fraction.x * (1.0 - fraction.y),
            (1.0 - fraction.x) * fraction.y,
            fraction.x * fraction.y,
        ];
        // On a pixel's centre no other one counts
        let is_centre = fraction == Vec2::ZERO;
        if let [Some(a), Some(b), Some(c), Some(d)] = middle
            && !is_centre
            && let Some(taps) = self.cubic(x, y, fraction, wanted)
        {
            return Some(Taps { middle: Some([a, b, c, d]), ..taps });
        }
        let mut taps = Taps::EMPTY;
        for (index, weight) in middle.into_iter().zip(linear) {
            if let Some(index) = index {
                taps.push(index, weight);
            }
        }
        if taps.sum() < LEAST_TAP_WEIGHT {
            taps.count = 0;
            // The nearest of the pixels around
            let (cx, cy) = (x + i32::from(fraction.x >= 0.5), y + i32::from(fraction.y >= 0.5));
            let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (cx + dx, cy + dy)));
            let distance = |(px, py): (i32, i32)| (vec2(px as f32, py as f32) - at).length_squared();
            let found = around
                .filter(|&(px, py)| self.index(px, py).is_some_and(|i| self.pixels[i].shows(wanted)))
                .min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
            let (px, py) = found?;
            taps.push(self.index(px, py)?, 1.0);
        }
        taps.normalise();
        taps.is_exact = is_centre && middle[0].is_some();
        Some(taps)
    }

    /// Returns 4 × 4 pixels with the weights of a cubic; `None` if one of them shows something else.
    fn cubic(&self, x: i32, y: i32, fraction: Vec2, wanted: &Wanted) -> Option<Taps> {
        let (wx, wy) = (cubic_weights(fraction.x), cubic_weights(fraction.y));
        let mut taps = Taps::EMPTY;
        for (wy, dy) in wy.into_iter().zip(-1..) {
            for (wx, dx) in wx.into_iter().zip(-1..) {
                let index = self.index(x + dx, y + dy).filter(|&i| self.pixels[i].shows(wanted))?;
                taps.push(index, wx * wy);
            }
        }
        Some(taps)
    }

    #[expect(clippy::cast_sign_loss, reason = "coordinates are not negative there")]
    fn index(&self, x: i32, y: i32) -> Option<usize> {
        let inside = x >= 0 && y >= 0 && (x as u32) < self.width && (y as u32) < self.height;
        inside.then(|| y as usize * self.width as usize + x as usize)
    }

    /// Returns the mean light at taps.
    pub(super) fn light(&self, taps: &Taps, light: impl Fn(&HistoryPixel) -> LightMean) -> LightMean {
        let mut sum = LightMean::NONE;
        for &(index, weight) in taps.iter() {
            let LightMean { radiance, square, frames } = light(&self.pixels[index]);
            sum.radiance += radiance * weight;
            sum.square += square * weight;
            sum.frames += frames * weight;
        }
        if let Some(middle) = taps.middle {
            let middle = middle.map(|i| light(&self.pixels[i]));
            let least = middle.iter().fold(Vec3::INFINITY, |least, light| least.min(light.radiance));
            let most = middle.iter().fold(Vec3::NEG_INFINITY, |most, light| most.max(light.radiance));
            sum.radiance = sum.radiance.clamp(least, most);
            let squares = middle.map(|light| light.square);
            sum.square = sum.square.max(squares.into_iter().fold(f32::INFINITY, f32::min));
            let frames = middle.map(|light| light.frames);
            sum.frames = sum.frames.clamp(
                frames.into_iter().fold(f32::INFINITY, f32::min),
                frames.into_iter().fold(0.0, f32::max),
            );
        }
        sum
    }

    /// Returns the mean features at taps.
    pub(super) fn features(&self, taps: &Taps) -> Features {
        let mut sum = Features { albedo: Vec3::ZERO, normal: Vec3::ZERO, inverse_distance: 0.0 };
        for &(index, weight) in taps.iter() {
            let Features { albedo, normal, inverse_distance } = self.pixels[index].features;
            sum.albedo += albedo * weight;
            sum.normal += normal * weight;
            sum.inverse_distance += inverse_distance * weight;
        }
        sum.albedo = sum.albedo.clamp(Vec3::ZERO, Vec3::ONE);
        sum.inverse_distance = sum.inverse_distance.max(0.0);
        sum
    }
}

impl HistoryPixel {
    /// Returns whether the pixel shows the wanted surface near the wanted point. Calm pixels want calm ones.
    #[inline(always)]
    fn shows(&self, wanted: &Wanted) -> bool {
        let PreviousPoint { position, normal } = wanted.point;
        (self.id == wanted.id || self.id == wanted.id | CALM)
            && (normal == Vec3::ZERO
                || (self.ng.dot(normal) >= LEAST_COS
                    && (self.position - position).dot(normal).abs() <= wanted.tolerance))
    }
}

impl Taps {
    const EMPTY: Self = Self { taps: [(0, 0.0); 16], count: 0, middle: None, is_exact: false };

    fn push(&mut self, index: usize, weight: f32) {
        self.taps[self.count] = (index, weight);
        self.count += 1;
    }

    fn iter(&self) -> std::slice::Iter<'_, (usize, f32)> {
        self.taps[..self.count].iter()
    }

    fn sum(&self) -> f32 {
        self.iter().map(|&(_, weight)| weight).sum()
    }

    fn normalise(&mut self) {
        let scale = self.sum().recip();
        self.taps[..self.count].iter_mut().for_each(|(_, weight)| *weight *= scale);
    }
}

/// Returns the weights of four points in a row, for a point between the second and the third [Keys81, a = -1/2].
fn cubic_weights(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [-0.5 * t + t2 - 0.5 * t3, 1.0 - 2.5 * t2 + 1.5 * t3, 0.5 * t + 2.0 * t2 - 1.5 * t3, -0.5 * t2 + 0.5 * t3]
}
