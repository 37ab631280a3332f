use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x4, f32x16, u32x16};

use super::gather::{Gathered, LANES};

/// Returns bilinear lookups of repeated textures for sixteen hits, linear RGB; 1 for hits without a texture.
#[inline(always)]
pub(super) fn bilinear<S: Simd>(
    simd: S,
    texels: &[[f32; 4]],
    gathered: &Gathered,
    uv: [f32x16<S>; 2],
) -> [f32x16<S>; 3] {
    // Indices of the four texels, whose centres are at half-integers
    let width = f32x16::load_array(simd, gathered.size[0]);
    let height = f32x16::load_array(simd, gathered.size[1]);
    let (columns, right_weight) = neighbours(simd, uv[0], width);
    let (rows, bottom_weight) = neighbours(simd, uv[1], height);
    let first = u32x16::load_array(simd, gathered.first_texel);
    let pitch = u32x16::truncate_from(width);
    let (upper, lower) = (first + rows[0] * pitch, first + rows[1] * pitch);
    let mut indices = [[0; LANES]; 4];
    (upper + columns[0]).store_array(&mut indices[0]);
    (upper + columns[1]).store_array(&mut indices[1]);
    (lower + columns[0]).store_array(&mut indices[2]);
    (lower + columns[1]).store_array(&mut indices[3]);

    // Bilinear interpolation
    let mut weights = [[0.0; LANES]; 2];
    right_weight.store_array(&mut weights[0]);
    bottom_weight.store_array(&mut weights[1]);
    let mut values = [[1.0; LANES]; 3];
    for lane in 0..LANES {
        if gathered.size[0][lane] > 0.0 {
            let [a, b, c, d] = [
                texel(simd, texels, indices[0][lane]),
                texel(simd, texels, indices[1][lane]),
                texel(simd, texels, indices[2][lane]),
                texel(simd, texels, indices[3][lane]),
            ];
            let (right, bottom) =
                (f32x4::splat(simd, weights[0][lane]), f32x4::splat(simd, weights[1][lane]));
            let (upper, lower) = (a + (b - a) * right, c + (d - c) * right);
            let value = upper + (lower - upper) * bottom;
            values[0][lane] = value[0];
            values[1][lane] = value[1];
            values[2][lane] = value[2];
        }
    }
    [
        f32x16::load_array(simd, values[0]),
        f32x16::load_array(simd, values[1]),
        f32x16::load_array(simd, values[2]),
    ]
}

/// Returns the texels on both sides of a coordinate with period 1, and the weight of the second.
#[inline(always)]
fn neighbours<S: Simd>(simd: S, x: f32x16<S>, size: f32x16<S>) -> ([u32x16<S>; 2], f32x16<S>) {
    let (zero, one) = (f32x16::splat(simd, 0.0), f32x16::splat(simd, 1.0));
    let x = (x - x.floor()) * size - f32x16::splat(simd, 0.5);
    let before = x.floor();
    let after = before + one;
    let wrapped_before = before.simd_lt(zero).select(size - one, before);
    let wrapped_after = after.simd_ge(size).select(zero, after);
    ([u32x16::truncate_from(wrapped_before), u32x16::truncate_from(wrapped_after)], x - before)
}

#[inline(always)]
fn texel<S: Simd>(simd: S, texels: &[[f32; 4]], index: u32) -> f32x4<S> {
    f32x4::load_array(
        simd,
        match texels.get(index as usize) {
            Some(texel) => *texel,
            None => [1.0; 4],
        },
    )
}
