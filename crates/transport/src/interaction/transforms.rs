//! Transforms of sixteen instances at once.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16};
use sunfleck_math::{Affine3, float::gamma};

use crate::vectors::{LANES, V, abs, dot, load, put, splat, weighted};
use crate::world::MeshInstance;

/// Affine map of each lane.
pub(super) struct AffineLanes<S: Simd> {
    /// `[column][axis]`.
    columns: [V<S>; 3],
    translation: V<S>,
}

impl<S: Simd> AffineLanes<S> {
    /// Loads the maps of sixteen instances. Most blocks have a single instance, whose map is broadcast.
    #[inline(always)]
    fn fetch(
        simd: S,
        instances: &[MeshInstance],
        insts: &[u32; LANES],
        map: impl Fn(&MeshInstance) -> &Affine3,
    ) -> Self {
        if insts.iter().all(|&inst| inst == insts[0]) {
            let Affine3 { matrix3: m, translation } = map(&instances[insts[0] as usize]);
            return Self {
                columns: [splat(simd, m.x_axis), splat(simd, m.y_axis), splat(simd, m.z_axis)],
                translation: splat(simd, *translation),
            };
        }
        let mut rows = [[[0.0; LANES]; 3]; 4];
        for (lane, &inst) in insts.iter().enumerate() {
            let Affine3 { matrix3: m, translation } = map(&instances[inst as usize]);
            for (row, v) in rows.iter_mut().zip([m.x_axis, m.y_axis, m.z_axis, *translation]) {
                put(row, lane, v);
            }
        }
        let [x, y, z, translation] = &rows;
        Self { columns: [load(simd, x), load(simd, y), load(simd, z)], translation: load(simd, translation) }
    }

    /// Applies the linear part.
    #[inline(always)]
    fn linear(&self, p: V<S>) -> V<S> {
        weighted(self.columns, p)
    }

    /// Applies the linear part with the absolute values of its entries.
    #[inline(always)]
    pub(super) fn absolute(&self, p: V<S>) -> V<S> {
        let [x, y, z] = self.columns;
        weighted([abs(x), abs(y), abs(z)], p)
    }

    /// Returns the error bound of a transformed point: see
    /// [`transform_point_with_error`](sunfleck_math::transform::transform_point_with_error).
    #[inline(always)]
    pub(super) fn error(&self, simd: S, p: V<S>, error: V<S>) -> V<S> {
        let splat = |x: f32| f32x16::splat(simd, x);
        let of_error = self.absolute(error);
        let of_point = self.absolute(abs(p));
        let translation = self.translation;
        let axis = |i: usize| {
            (of_error[i] * splat(1.0 + gamma(4)) + (of_point[i] + translation[i].abs()) * splat(gamma(4)))
                * splat(1.0 + gamma(8))
        };
        [axis(0), axis(1), axis(2)]
    }
}

/// Transforms of the instances of sixteen hits.
pub(super) struct Transforms<S: Simd> {
    /// `world_from_object`.
    pub(super) forward: AffineLanes<S>,
    /// `object_from_world`.
    pub(super) backward: AffineLanes<S>,
}

impl<S: Simd> Transforms<S> {
    /// Loads the transforms of sixteen instances.
    #[inline(always)]
    pub(super) fn fetch(simd: S, instances: &[MeshInstance], insts: &[u32; LANES]) -> Self {
        Self {
            forward: AffineLanes::fetch(
                simd,
                instances,
                insts,
                #[inline(always)]
                |placed| &placed.world_from_object,
            ),
            backward: AffineLanes::fetch(
                simd,
                instances,
                insts,
                #[inline(always)]
                |placed| &placed.object_from_world,
            ),
        }
    }

    /// Transforms points to world space.
    #[inline(always)]
    pub(super) fn point(&self, p: V<S>) -> V<S> {
        let q = self.forward.linear(p);
        let t = self.forward.translation;
        [q[0] + t[0], q[1] + t[1], q[2] + t[2]]
    }

    /// Transforms normals to world space, by the inverse transpose.
    #[inline(always)]
    pub(super) fn normal(&self, n: V<S>) -> V<S> {
        let [x, y, z] = self.backward.columns;
        [dot(x, n), dot(y, n), dot(z, n)]
    }
}
