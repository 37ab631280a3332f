use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x16, u32x16};
use sunfleck_math::transpose;

use super::records::{MaterialRecord, ShadingTables, TriangleRecord};

/// Number of hits that are shaded together.
pub(super) const LANES: usize = 16;

/// Records of sixteen hits, as structure of arrays. Apart from texels, gathering them is the only scalar code.
#[derive(Clone, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Gathered {
    /// [`TriangleRecord::normal`], by vertex and axis.
    pub(super) normal: [[[f32; LANES]; 3]; 3],
    /// [`TriangleRecord::uv`], by vertex and axis. Stale if no lane is textured.
    pub(super) uv: [[[f32; LANES]; 2]; 3],
    pub(super) color: [[f32; LANES]; 3],
    pub(super) emission: [[f32; LANES]; 3],
    /// Width and height of the texture, texels; 0 without one.
    pub(super) size: [[f32; LANES]; 2],
    pub(super) first_texel: [u32; LANES],
    /// Whether any lane has a texture.
    pub(super) textured: bool,
}

impl Gathered {
    /// Gathers the records of sixteen hits. If all hits are on one triangle or one material, as in most blocks of
    /// neighbouring pixels, its record is loaded once and broadcast.
    #[inline(always)]
    pub(super) fn fetch<S: Simd>(
        &mut self,
        simd: S,
        tables: &ShadingTables,
        inst_ids: &[u32; LANES],
        prim_ids: &[u32; LANES],
    ) {
        if all_same(simd, prim_ids) && all_same(simd, inst_ids) {
            let triangle = tables.triangle(tables.triangle_index(inst_ids[0], prim_ids[0]));
            self.broadcast_material(simd, tables.material(triangle.material));
            self.broadcast_triangle(simd, triangle);
            return;
        }
        let mut rows = [f32x16::splat(simd, 0.0); LANES];
        for lane in 0..LANES {
            let triangle = tables.triangle(tables.triangle_index(inst_ids[lane], prim_ids[lane]));
            rows[lane] = f32x16::load_array_ref(simd, bytemuck::cast_ref(triangle));
        }
        let columns = transpose(rows);
        for (row, column) in self.normal.as_flattened_mut().iter_mut().zip(columns) {
            column.store_array(row);
        }
        for (row, column) in self.uv.as_flattened_mut().iter_mut().zip(&columns[9..]) {
            column.store_array(row);
        }
        let materials = columns[15].to_bits().to_array();
        if all_same(simd, &materials) {
            self.broadcast_material(simd, tables.material(materials[0]));
        } else {
            self.fetch_materials(tables, &materials);
        }
    }

    #[inline(always)]
    fn fetch_materials(&mut self, tables: &ShadingTables, materials: &[u32; LANES]) {
        self.textured = false;
        for lane in 0..LANES {
            let MaterialRecord { color, emission, size, first_texel } = tables.material(materials[lane]);
            for channel in 0..3 {
                self.color[channel][lane] = color[channel];
                self.emission[channel][lane] = emission[channel];
            }
            self.size[0][lane] = size[0];
            self.size[1][lane] = size[1];
            self.first_texel[lane] = *first_texel;
            self.textured |= size[0] > 0.0;
        }
    }

    #[inline(always)]
    fn broadcast_material<S: Simd>(&mut self, simd: S, material: &MaterialRecord) {
        self.textured = material.size[0] > 0.0;
        for channel in 0..3 {
            broadcast(simd, material.color[channel], &mut self.color[channel]);
            broadcast(simd, material.emission[channel], &mut self.emission[channel]);
        }
        for axis in 0..2 {
            broadcast(simd, material.size[axis], &mut self.size[axis]);
        }
        u32x16::splat(simd, material.first_texel).store_array(&mut self.first_texel);
    }

    /// Broadcasts a triangle; texture coordinates only if there is a texture.
    #[inline(always)]
    fn broadcast_triangle<S: Simd>(&mut self, simd: S, triangle: &TriangleRecord) {
        for vertex in 0..3 {
            for axis in 0..3 {
                broadcast(simd, triangle.normal[vertex][axis], &mut self.normal[vertex][axis]);
            }
            if self.textured {
                for axis in 0..2 {
                    broadcast(simd, triangle.uv[vertex][axis], &mut self.uv[vertex][axis]);
                }
            }
        }
    }
}

#[inline(always)]
fn broadcast<S: Simd>(simd: S, value: f32, lanes: &mut [f32; LANES]) {
    f32x16::splat(simd, value).store_array(lanes);
}

#[inline(always)]
fn all_same<S: Simd>(simd: S, values: &[u32; LANES]) -> bool {
    u32x16::load_array(simd, *values).simd_eq(u32x16::splat(simd, values[0])).all_true()
}
