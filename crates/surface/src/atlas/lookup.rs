//! From points of surfaces to texels.

use sunfleck_math::{Vec2, vec2};

use super::Atlas;
use super::fold::folded;

/// Point of a surface in an atlas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Index of the triangle in the atlas.
    pub triangle: u32,
    /// Barycentric coordinates of vertices 1 and 2.
    pub barycentrics: Vec2,
}

/// Four texels and their weights, which add up to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bilinear {
    /// Indices of the texels; some are equal at the border of a rectangle.
    pub texels: [u32; 4],
    /// Weights in [0, 1].
    pub weights: [f32; 4],
}

impl Atlas {
    /// Returns the surface point of a hit; `None` if the atlas does not have its triangle.
    #[inline(always)]
    pub fn point_of(&self, inst_id: u32, prim_id: u32, uv: [f32; 2]) -> Option<SurfacePoint> {
        let (triangle, barycentrics) = self.surfaces().find(inst_id, prim_id, Vec2::from(uv))?;
        Some(SurfacePoint { triangle, barycentrics })
    }

    /// Returns the texel that a surface point is in. Texels divide each triangle into parts of the areas that
    /// [`Atlas::areas`] returns.
    #[inline(always)]
    pub fn texel_at(&self, point: SurfacePoint) -> u32 {
        if let Some(charts) = self.as_charts() {
            return charts.texel_at(point);
        }
        let rect = self.rect(point.triangle);
        let size = vec2(rect.width as f32, rect.height as f32);
        let at = (folded(point.barycentrics) * size).clamp(Vec2::ZERO, size - Vec2::ONE);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let (x, y) = (at.x as u32, at.y as u32);
        (rect.y + y.min(rect.height - 1)) * self.resolution() + rect.x + x.min(rect.width - 1)
    }

    /// Returns the texels around a surface point, for bilinear interpolation. They belong to its triangle: nearer than
    /// half a texel to the border of the rectangle, the lookup is clamped, which is the gutter of [Radiosity03, §2.3].
    /// In an atlas of charts they belong to its chart: texels without a surface have no weight.
    #[inline(always)]
    pub fn bilinear(&self, point: SurfacePoint) -> Bilinear {
        if let Some(charts) = self.as_charts() {
            return self.bilinear_of_charts(charts.position(point), charts.texel_at(point));
        }
        let rect = self.rect(point.triangle);
        let size = vec2(rect.width as f32, rect.height as f32);
        let at = (folded(point.barycentrics) * size - 0.5).clamp(Vec2::ZERO, size - Vec2::ONE);
        let (floor, part) = (at.floor(), at - at.floor());
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let (x, y) = (floor.x as u32, floor.y as u32);
        let columns = [x, (x + 1).min(rect.width - 1)].map(|x| rect.x + x);
        let rows = [y, (y + 1).min(rect.height - 1)].map(|y| (rect.y + y) * self.resolution());
        let (one, other) = (Vec2::ONE - part, part);
        Bilinear {
            texels: [rows[0] + columns[0], rows[0] + columns[1], rows[1] + columns[0], rows[1] + columns[1]],
            weights: [one.x * one.y, other.x * one.y, one.x * other.y, other.x * other.y],
        }
    }

    /// Returns the texels around a position that have surfaces.
    ///
    /// * `nearest` — the texel of the position, which is returned if none has.
    fn bilinear_of_charts(&self, position: Vec2, nearest: u32) -> Bilinear {
        let last = self.resolution() - 1;
        let at = (position - 0.5).clamp(Vec2::ZERO, Vec2::splat(last as f32));
        let (floor, part) = (at.floor(), at - at.floor());
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let (x, y) = (floor.x as u32, floor.y as u32);
        let [left, right] = [x, (x + 1).min(last)];
        let [above, below] = [y, (y + 1).min(last)].map(|y| y * self.resolution());
        let texels = [above + left, above + right, below + left, below + right];
        let (one, other) = (Vec2::ONE - part, part);
        let weights = [one.x * one.y, other.x * one.y, one.x * other.y, other.x * other.y];
        let has_surface = texels.map(|texel| f32::from(self.areas()[texel as usize] > 0.0));
        let weights = [0, 1, 2, 3].map(|i: usize| weights[i] * has_surface[i]);
        let sum: f32 = weights.iter().sum();
        if sum > 0.0 {
            Bilinear { texels, weights: weights.map(|weight| weight / sum) }
        } else {
            Bilinear { texels: [nearest; 4], weights: [1.0, 0.0, 0.0, 0.0] }
        }
    }
}
