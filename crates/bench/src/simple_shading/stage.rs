use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f32x16, u32x16};
use sunfleck_kernel::{HitBuffer, MISS, RayStream};
use sunfleck_math::Vec3;

use super::TiledFilm;
use super::gather::{Gathered, LANES};
use super::records::ShadingTables;
use super::texture::bilinear;

/// Point light without shadows and without attenuation by distance, and an ambient term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointLight {
    /// Position in world space.
    pub position: Vec3,
    /// Radiance that a white surface facing the light reflects of it.
    pub diffuse: f32,
    /// Radiance that a white surface reflects of the ambient light.
    pub ambient: f32,
}

/// Shades the hits of primary rays and writes the colours to the film: ambient and diffuse term on the side of the
/// surface that faces the ray, times the colours of material and texture, plus the emission. Misses are black.
///
/// * `first_ray` — index of the first of these rays in the order of primary rays (see [`crate::RayKind::Primary`]).
/// * `hits` — hits of `rays`, of the same length.
///
/// Rays are shaded in blocks of sixteen; a last incomplete block is ignored, as are rays outside of the film.
pub fn shade(
    level: Level,
    tables: &ShadingTables,
    light: &PointLight,
    first_ray: usize,
    rays: &RayStream<'_>,
    hits: &HitBuffer,
    film: &mut TiledFilm,
) {
    dispatch!(level, simd => shade_batch(simd, tables, light, first_ray, rays, hits, film));
}

#[inline(always)]
fn shade_batch<S: Simd>(
    simd: S,
    tables: &ShadingTables,
    light: &PointLight,
    first_ray: usize,
    rays: &RayStream<'_>,
    hits: &HitBuffer,
    film: &mut TiledFilm,
) {
    let mut gathered = Gathered::default();
    let count = rays.len().min(hits.prim_id.len()) / LANES * LANES;
    for start in (0..count).step_by(LANES) {
        let rgb = shade_block(simd, tables, light, start, rays, hits, &mut gathered);
        film.put(first_ray + start, rgb);
    }
}

/// Shades sixteen hits.
#[inline(always)]
fn shade_block<S: Simd>(
    simd: S,
    tables: &ShadingTables,
    light: &PointLight,
    start: usize,
    rays: &RayStream<'_>,
    hits: &HitBuffer,
    gathered: &mut Gathered,
) -> [f32x16<S>; 3] {
    let origin = load3(simd, &rays.origin, start);
    let direction = load3(simd, &rays.direction, start);
    let (t, u, v) = (load(simd, &hits.t, start), load(simd, &hits.u, start), load(simd, &hits.v, start));
    let prim_ids = block(&hits.prim_id, start);
    gathered.fetch(simd, tables, block(&hits.inst_id, start), prim_ids);

    // Surface
    let [n0, n1, n2] = &gathered.normal;
    let normal = [
        interpolate([&n0[0], &n1[0], &n2[0]], u, v),
        interpolate([&n0[1], &n1[1], &n2[1]], u, v),
        interpolate([&n0[2], &n1[2], &n2[2]], u, v),
    ];

    // Light, on the side of the surface that faces the ray
    let towards_light = [
        f32x16::splat(simd, light.position.x) - (origin[0] + direction[0] * t),
        f32x16::splat(simd, light.position.y) - (origin[1] + direction[1] * t),
        f32x16::splat(simd, light.position.z) - (origin[2] + direction[2] * t),
    ];
    let zero = f32x16::splat(simd, 0.0);
    let cos = dot(normal, towards_light) / (dot(normal, normal) * dot(towards_light, towards_light)).sqrt();
    let cos = dot(normal, direction).simd_gt(zero).select(-cos, cos);
    let cos = cos.simd_gt(zero).select(cos, zero);
    let irradiance = f32x16::splat(simd, light.ambient) + f32x16::splat(simd, light.diffuse) * cos;

    // Material
    let mut color = rows(simd, &gathered.color);
    let emission = rows(simd, &gathered.emission);
    if gathered.textured {
        let [t0, t1, t2] = &gathered.uv;
        let uv = [interpolate([&t0[0], &t1[0], &t2[0]], u, v), interpolate([&t0[1], &t1[1], &t2[1]], u, v)];
        let texture = bilinear(simd, &tables.texels, gathered, uv);
        color = [color[0] * texture[0], color[1] * texture[1], color[2] * texture[2]];
    }

    // Misses have NaN values here and become black
    let missed = u32x16::load_array(simd, *prim_ids).simd_eq(u32x16::splat(simd, MISS));
    [
        missed.select(zero, color[0] * irradiance + emission[0]),
        missed.select(zero, color[1] * irradiance + emission[1]),
        missed.select(zero, color[2] * irradiance + emission[2]),
    ]
}

/// Interpolates a vertex attribute, given by its value at the first vertex and the differences to the other two.
#[inline(always)]
fn interpolate<S: Simd>([a, b, c]: [&[f32; LANES]; 3], u: f32x16<S>, v: f32x16<S>) -> f32x16<S> {
    let simd = u.simd;
    f32x16::load_array(simd, *a) + f32x16::load_array(simd, *b) * u + f32x16::load_array(simd, *c) * v
}

#[inline(always)]
fn dot<S: Simd>(a: [f32x16<S>; 3], b: [f32x16<S>; 3]) -> f32x16<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn rows<S: Simd>(simd: S, [x, y, z]: &[[f32; LANES]; 3]) -> [f32x16<S>; 3] {
    [f32x16::load_array(simd, *x), f32x16::load_array(simd, *y), f32x16::load_array(simd, *z)]
}

#[inline(always)]
fn load3<S: Simd>(simd: S, [x, y, z]: &[&[f32]; 3], start: usize) -> [f32x16<S>; 3] {
    [load(simd, x, start), load(simd, y, start), load(simd, z, start)]
}

#[inline(always)]
fn load<S: Simd>(simd: S, values: &[f32], start: usize) -> f32x16<S> {
    f32x16::from_slice(simd, &values[start..start + LANES])
}

/// Returns the sixteen values from `start` on, which must exist.
#[inline(always)]
fn block(values: &[u32], start: usize) -> &[u32; LANES] {
    match values[start..].first_chunk() {
        Some(block) => block,
        None => &[MISS; LANES],
    }
}
