//! Procedural image textures: tiles, wood, cloth, and paintings for the wall.

use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_math::{Vec2, Vec3, pow, sin, vec2, vec3};
use sunfleck_scene::{ColorTexture, Texels, Texture, TextureError, TextureId, TextureRef};

use crate::noise::{noise, turbulence};
use crate::random::{Random, floor_to_u32};

/// Renders a repeating sRGB texture. `color` returns the linear colour at a texel centre in [0, 1]², with (0, 0) at the
/// upper left.
pub(crate) fn paint(
    name: &str,
    [width, height]: [u32; 2],
    color: impl Fn(Vec2) -> Vec3 + Sync,
) -> Result<Texture, TextureError> {
    let texel = |i: u32| {
        let position = vec2((i % width) as f32 + 0.5, (i / width) as f32 + 0.5);
        let linear = color(position / vec2(width as f32, height as f32));
        let [r, g, b] = linear.to_array().map(srgb8);
        [r, g, b, 255]
    };
    let texels: Vec<[u8; 4]> = (0..width * height).into_par_iter().map(texel).collect();
    Texture::new(name, width, height, Texels::Srgb8(Arc::new(texels)))
}

/// Returns a colour with a texture that repeats every `size` metres, for meshes with texture coordinates in
/// metres.
pub(crate) fn repeated(texture: TextureId, size: f32) -> ColorTexture {
    let uv_transform = glam::Affine2::from_scale(Vec2::splat(1.0 / size));
    let texture = Some(TextureRef { uv_transform, ..TextureRef::new(texture) });
    ColorTexture { texture, ..Vec3::ONE.into() }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
/// Encodes a linear value as 8-bit sRGB (IEC 61966-2-1).
fn srgb8(linear: f32) -> u8 {
    let encoded = if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * pow(linear, 1.0 / 2.4) - 0.055 };
    (encoded.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

/// Checkerboard of `count` × `count` square tiles of two kinds of stone, with dark joints.
pub(crate) fn tiles(name: &str, count: u32, stones: [Vec3; 2], seed: u32) -> Result<Texture, TextureError> {
    let random = Random::new(seed);
    paint(name, [128 * count; 2], |p| {
        let position = p * count as f32;
        let (tile, within) = (position.floor(), position.fract());
        let (column, row) = (floor_to_u32(tile.x), floor_to_u32(tile.y));
        let edge = within.min(1.0 - within).min_element();
        if edge < 0.012 {
            return vec3(0.12, 0.11, 0.10);
        }
        let number = row * count + column;
        let shade = random.fork(number).between(0.92, 1.04);
        // Veins: the absolute value of noise is small along its zero crossings. Every tile has noise of its own.
        let cloud = turbulence(seed ^ number, position * 3.0, 4);
        let vein = 1.0 - (cloud.abs() * 9.0).min(1.0);
        stones[((row + column) % 2) as usize] * shade * (1.0 + 0.10 * cloud - 0.16 * vein)
    })
}

/// Floor boards along u: `rows` rows, each of two boards.
pub(crate) fn planks(name: &str, rows: u32, wood: Vec3, seed: u32) -> Result<Texture, TextureError> {
    let random = Random::new(seed);
    paint(name, [768, 80 * rows], |p| {
        let across = p.y * rows as f32;
        let row = floor_to_u32(across);
        let cut = random.fork(row).unit();
        let along = (p.x + cut).fract();
        let half = u32::from(along >= 0.5);
        let board = 2 * row + half;
        let joint = across.fract().min(1.0 - across.fract());
        let end = (along - 0.5 * half as f32).min(0.5 * (1 + half) as f32 - along) * 8.0;
        if joint < 0.02 || end < 0.012 {
            return wood * 0.25;
        }
        let shade = random.fork(1000 + board).between(0.78, 1.12);
        grain(wood, vec2(along * 2.0 + board as f32 * 7.0, across.fract()), seed ^ board) * shade
    })
}

/// Wood with its grain along u. Its edges do not match when it repeats.
pub(crate) fn wood(name: &str, wood: Vec3, seed: u32) -> Result<Texture, TextureError> {
    paint(name, [512, 512], |p| grain(wood, vec2(p.x * 2.0, p.y * 3.0), seed))
}

/// Colour of wood that is cut along the trunk: growth rings and pores.
fn grain(wood: Vec3, p: Vec2, seed: u32) -> Vec3 {
    let bend = turbulence(seed, vec2(p.x * 0.9, p.y * 1.3), 3);
    let rings = 0.5 + 0.5 * sin((p.y + 0.35 * bend) * 26.0);
    let pores = noise(seed.wrapping_add(9), vec2(p.x * 11.0, p.y * 190.0));
    let dark = wood * vec3(0.62, 0.54, 0.48);
    wood.lerp(dark, 0.75 * rings * rings) * (1.0 + 0.10 * pores)
}

/// Textile of looped pile: one colour, modulated by noise.
pub(crate) fn cloth(name: &str, color: Vec3, seed: u32) -> Result<Texture, TextureError> {
    paint(name, [256, 256], |p| {
        let pile = noise(seed, p * 128.0) * 0.16 + noise(seed ^ 1, p * 61.0) * 0.10;
        color * (1.0 + pile)
    })
}

/// Abstract painting: overlapping round fields in colours of a palette, over its first colour.
pub(crate) fn abstract_picture(name: &str, palette: &[Vec3], seed: u32) -> Result<Texture, TextureError> {
    let random = Random::new(seed);
    let fields: Vec<(Vec2, f32, Vec3)> = (0..9)
        .map(|i| {
            let mut r = random.fork(i);
            let center = vec2(r.between(0.1, 0.9), r.between(0.1, 0.9));
            let color = r.pick(&palette[1..]);
            (center, r.between(0.08, 0.30), color)
        })
        .collect();
    paint(name, [384, 512], |p| {
        let brush = 1.0 + 0.07 * turbulence(seed, p * vec2(18.0, 60.0), 3);
        let wobble = 0.025 * turbulence(seed ^ 5, p * 7.0, 3);
        let ground = palette[0] * (1.0 - 0.25 * p.y);
        let painted = fields.iter().fold(ground, |under, &(center, radius, color)| {
            let inside = radius - (p - center).length() + wobble;
            under.lerp(color, (inside * 60.0).clamp(0.0, 0.88))
        });
        painted * brush
    })
}
