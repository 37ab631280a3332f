//! Light samples of many receivers at once. The loops over receivers have no branches that the compiler cannot turn
//! into selections, so they are vectorised at every SIMD level, with the same bits as one sample at a time.

use sunfleck_math::{Vec2, Vec3, vec2, vec3};
use sunfleck_sampling::warp::SphericalTriangle;

use super::tree_batch::Descent;
use super::{Kind, LightSample, LightTable};
use crate::MaterialTable;

/// Largest number of receivers of a [`LightBatch`].
pub const BATCH_SIZE: usize = 256;

/// One number per receiver.
pub type BatchRow = [f32; BATCH_SIZE];

/// Receivers, and the light samples for them, as structure of arrays, `[axis][receiver]`.
#[derive(Clone, Debug)]
pub struct LightBatch {
    /// Positions of the receivers.
    pub from: [BatchRow; 3],
    /// Normals of the sides on which they reflect light; see [`LightTable::sample`].
    pub receiver_normal: [BatchRow; 3],
    /// Uniforms for the choice of the light.
    pub light_u: BatchRow,
    /// Uniforms for the point on it.
    pub u: [BatchRow; 2],
    /// Direction, distance, radiance and density of each sample; without meaning if the density is 0.
    pub wi: [BatchRow; 3],
    /// See [`LightSample::distance`].
    pub distance: BatchRow,
    /// See [`LightSample::radiance`].
    pub radiance: [BatchRow; 3],
    /// See [`LightSample::pdf_solid_angle`]; 0 if there is no sample.
    pub pdf_solid_angle: BatchRow,
    /// See [`LightSample::light`].
    pub light: [u32; BATCH_SIZE],
    /// 1 for a light without extent, else 0; see [`LightSample::delta`].
    pub delta: [u32; BATCH_SIZE],
    /// Probability of the chosen light.
    selected: BatchRow,
    /// Corners of the chosen triangle.
    corners: [[BatchRow; 3]; 3],
    barycentrics: [BatchRow; 2],
    descent: Descent,
}

impl Default for LightBatch {
    fn default() -> Self {
        let (row, axes) = ([0.0; BATCH_SIZE], [[0.0; BATCH_SIZE]; 3]);
        Self {
            from: axes,
            receiver_normal: axes,
            light_u: row,
            u: [row; 2],
            wi: axes,
            distance: row,
            radiance: axes,
            pdf_solid_angle: row,
            light: [0; BATCH_SIZE],
            delta: [0; BATCH_SIZE],
            selected: row,
            corners: [axes; 3],
            barycentrics: [row; 2],
            descent: Descent::default(),
        }
    }
}

/// Returns vector `i` of a structure of arrays.
#[inline(always)]
pub fn row(rows: &[BatchRow; 3], i: usize) -> Vec3 {
    vec3(rows[0][i], rows[1][i], rows[2][i])
}

/// Sets vector `i` of a structure of arrays.
#[inline(always)]
pub fn set_row(rows: &mut [BatchRow; 3], i: usize, v: Vec3) {
    [rows[0][i], rows[1][i], rows[2][i]] = v.to_array();
}

impl LightBatch {
    /// Returns the sample of a receiver; `None` if its density is 0.
    #[inline(always)]
    pub fn sample(&self, i: usize) -> Option<LightSample> {
        let sample = self.candidate(i);
        (sample.pdf_solid_angle > 0.0).then_some(sample)
    }

    /// Returns the sample of a receiver, which has no meaning if its density is 0.
    #[inline(always)]
    pub fn candidate(&self, i: usize) -> LightSample {
        LightSample {
            wi: row(&self.wi, i),
            distance: self.distance[i],
            radiance: row(&self.radiance, i),
            pdf_solid_angle: self.pdf_solid_angle[i],
            light: self.light[i] as usize,
            delta: self.delta[i] == 1,
        }
    }
}

impl LightTable {
    /// Samples a light for each of the first `count` receivers of a batch, as [`LightTable::sample`] does for one.
    ///
    /// * `wanted` — returns whether a receiver needs a sample.
    #[inline(always)]
    pub fn sample_batch(
        &self,
        materials: &MaterialTable,
        batch: &mut LightBatch,
        count: usize,
        wanted: impl Fn(usize) -> bool,
    ) {
        let count = count.min(BATCH_SIZE);
        self.select_batch(batch, count, wanted);
        batch.sample_triangles(count);
        for i in 0..count {
            if batch.selected[i] == 0.0 {
                batch.pdf_solid_angle[i] = 0.0;
                continue;
            }
            let light = batch.light[i] as usize;
            let radiance = match self.triangles.get(light) {
                Some(triangle) if batch.pdf_solid_angle[i] > 0.0 => {
                    let barycentrics = vec2(batch.barycentrics[0][i], batch.barycentrics[1][i]);
                    triangle.radiance(materials, barycentrics)
                }
                Some(_) => Vec3::ZERO,
                None => {
                    let u = vec2(batch.u[0][i], batch.u[1][i]);
                    let other = self.illuminate(
                        materials,
                        light,
                        row(&batch.from, i),
                        row(&batch.receiver_normal, i),
                        u,
                    );
                    match other {
                        Some(other) => {
                            set_row(&mut batch.wi, i, other.wi);
                            batch.distance[i] = other.distance;
                            batch.pdf_solid_angle[i] = other.pdf_solid_angle;
                            batch.delta[i] = u32::from(other.delta);
                            other.radiance
                        }
                        None => Vec3::ZERO,
                    }
                }
            };
            set_row(&mut batch.radiance, i, radiance);
            let selected = if radiance == Vec3::ZERO { 0.0 } else { batch.selected[i] };
            batch.pdf_solid_angle[i] *= selected;
        }
    }

    /// Chooses the lights, as [`LightTable::sample`] does. A receiver that needs none, or for which there is none, has
    /// the probability 0.
    #[inline(always)]
    fn select_batch(&self, batch: &mut LightBatch, count: usize, wanted: impl Fn(usize) -> bool) {
        let LightBatch { from, light_u, delta, light, selected, corners, descent, .. } = batch;
        for i in 0..count {
            (selected[i], descent.probability[i], delta[i]) = (0.0, 0.0, 0);
            if !wanted(i) {
                continue;
            }
            match self.kind(light_u[i]) {
                Kind::Distant(distant, probability) => {
                    light[i] = u32::try_from(distant).unwrap_or(u32::MAX);
                    selected[i] = probability;
                }
                Kind::Near(u) => (descent.probability[i], descent.u[i]) = (1.0, u),
                Kind::None => {}
            }
        }
        self.tree.sample_batch(from, descent, count, light);
        for i in 0..count {
            if descent.probability[i] > 0.0 {
                selected[i] = descent.probability[i] * (1.0 - self.share_of_distant());
            }
            if selected[i] > 0.0
                && let Some(triangle) = self.triangles.get(light[i] as usize)
            {
                let seen = triangle.corners_seen_from(row(from, i));
                for (rows, corner) in corners.iter_mut().zip(seen) {
                    set_row(rows, i, corner);
                }
            }
        }
    }
}

impl LightBatch {
    /// Samples the triangles uniformly in solid angle, whether or not a light is a triangle. The density is 0 where
    /// there is no sample.
    #[inline(always)]
    fn sample_triangles(&mut self, count: usize) {
        let Self { from, corners: [a, b, c], u: [u, v], wi, distance, barycentrics, pdf_solid_angle, .. } =
            self;
        // The compiler vectorises loops of unknown length in which it sees that indices are in bounds
        for i in 0..count.min(BATCH_SIZE) {
            let seen = SphericalTriangle::new(row(from, i), [row(a, i), row(b, i), row(c, i)]);
            let sample = seen.map(|triangle| triangle.sample(vec2(u[i], v[i])));
            let (direction, t, point, pdf) = match sample {
                Some(s) => (s.direction, s.distance, s.barycentrics, s.pdf_solid_angle),
                None => (Vec3::ZERO, 0.0, Vec2::ZERO, 0.0),
            };
            set_row(wi, i, direction);
            distance[i] = t;
            [barycentrics[0][i], barycentrics[1][i]] = point.to_array();
            pdf_solid_angle[i] = if t > 0.0 && t.is_finite() { pdf } else { 0.0 };
        }
    }
}
