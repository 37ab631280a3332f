//! Images made by code: tiles, wood, cloth, pictures for the wall.

use std::sync::Arc;

use rayon::prelude::*;
use sunfleck_math::{Vec2, Vec3, pow, sin, vec2, vec3};
use sunfleck_scene::{ColorTexture, Texels, Texture, TextureError, TextureId, TextureRef};

use crate::noise::{noise, turbulence};
use crate::random::{Random, whole};

/// A repeating image of linear colours; `color` gets the middle of each texel in [0, 1]², (0, 0) at the upper left.
pub(crate) fn paint(
    name: &str,
    [width, height]: [u32; 2],
    color: impl Fn(Vec2) -> Vec3 + Sync,
) -> Result<Texture, TextureError> {
    let texel = |i: u32| {
        let place = vec2((i % width) as f32 + 0.5, (i / width) as f32 + 0.5);
        let linear = color(place / vec2(width as f32, height as f32));
        let [r, g, b] = linear.to_array().map(srgb8);
        [r, g, b, 255]
    };
    let texels: Vec<[u8; 4]> = (0..width * height).into_par_iter().map(texel).collect();
    Texture::new(name, width, height, Texels::Srgb8(Arc::new(texels)))
}

/// The colour of an image that repeats every `size` metres of the mesh's texture coordinates.
pub(crate) fn repeated(texture: TextureId, size: f32) -> ColorTexture {
    let uv_transform = glam::Affine2::from_scale(Vec2::splat(1.0 / size));
    let texture = Some(TextureRef { uv_transform, ..TextureRef::new(texture) });
    ColorTexture { texture, ..Vec3::ONE.into() }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
fn srgb8(linear: f32) -> u8 {
    let encoded = if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * pow(linear, 1.0 / 2.4) - 0.055 };
    (encoded.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

/// `count` × `count` square tiles in a chequer of two stones with dark joints.
pub(crate) fn tiles(name: &str, count: u32, stones: [Vec3; 2], seed: u32) -> Result<Texture, TextureError> {
    let random = Random::new(seed);
    paint(name, [128 * count; 2], |p| {
        let place = p * count as f32;
        let (tile, within) = (place.floor(), place.fract());
        let (column, row) = (whole(tile.x), whole(tile.y));
        let edge = within.min(1.0 - within).min_element();
        if edge < 0.012 {
            return vec3(0.12, 0.11, 0.10);
        }
        let number = row * count + column;
        let shade = random.fork(number).between(0.92, 1.04);
        // Veins: noise, folded where it changes its sign, along a direction of its own in each tile
        let cloud = turbulence(seed ^ number, place * 3.0, 4);
        let vein = 1.0 - (cloud.abs() * 9.0).min(1.0);
        stones[((row + column) % 2) as usize] * shade * (1.0 + 0.10 * cloud - 0.16 * vein)
    })
}

/// Floor boards along u: `rows` of them, each cut once.
pub(crate) fn planks(name: &str, rows: u32, wood: Vec3, seed: u32) -> Result<Texture, TextureError> {
    let random = Random::new(seed);
    paint(name, [768, 80 * rows], |p| {
        let across = p.y * rows as f32;
        let row = whole(across);
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

/// A board with its grain along u; seamless it is not.
pub(crate) fn wood(name: &str, wood: Vec3, seed: u32) -> Result<Texture, TextureError> {
    paint(name, [512, 512], |p| grain(wood, vec2(p.x * 2.0, p.y * 3.0), seed))
}

/// Rings of a tree, cut lengthwise, and its pores.
fn grain(wood: Vec3, p: Vec2, seed: u32) -> Vec3 {
    let bend = turbulence(seed, vec2(p.x * 0.9, p.y * 1.3), 3);
    let rings = 0.5 + 0.5 * sin((p.y + 0.35 * bend) * 26.0);
    let pores = noise(seed.wrapping_add(9), vec2(p.x * 11.0, p.y * 190.0));
    let dark = wood * vec3(0.62, 0.54, 0.48);
    wood.lerp(dark, 0.75 * rings * rings) * (1.0 + 0.10 * pores)
}

/// Looped pile: a colour with a grain.
pub(crate) fn cloth(name: &str, color: Vec3, seed: u32) -> Result<Texture, TextureError> {
    paint(name, [256, 256], |p| {
        let pile = noise(seed, p * 128.0) * 0.16 + noise(seed ^ 1, p * 61.0) * 0.10;
        color * (1.0 + pile)
    })
}

/// An abstract picture: overlapping fields of a palette over its first colour.
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
