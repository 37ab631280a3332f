//! Procedural patterns as plain records for the GPU.

use bytemuck::{Pod, Zeroable};
use sunfleck_constants::material::{BRICKS, MARBLE, WOOD};
use sunfleck_math::{Vec3, Vec4, rows, vec4};
use sunfleck_scene::Pattern;

use super::{ProceduralRecord, steepness};

/// A procedural pattern with its placement; all zeros if there is none. 112 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PackedProcedural {
    /// First row of the transform from object space to pattern space.
    pub x: [f32; 4],
    /// Second row of the transform.
    pub y: [f32; 4],
    /// Third row of the transform.
    pub z: [f32; 4],
    /// First colour: earlywood, the stone of marble, or one clay of bricks.
    pub first: [f32; 3],
    /// Kind of pattern: [`NO_PATTERN`](sunfleck_constants::material::NO_PATTERN), [`WOOD`], [`MARBLE`] or [`BRICKS`].
    pub pattern: u32,
    /// Second colour: latewood, the vein of marble, or the other clay of bricks.
    pub second: [f32; 3],
    /// Length in object space per length in pattern space, by which heights of the relief are multiplied.
    pub steepness: f32,
    /// Third colour: mortar.
    pub third: [f32; 3],
    /// Padding, 0.
    pub unused: u32,
    /// Parameters: ring width of wood; spacing and turbulence of marble; length, height, joint and depth of bricks.
    pub lengths: [f32; 4],
}

impl PackedProcedural {
    pub(crate) fn new(record: &ProceduralRecord) -> Self {
        let [x, y, z] = rows(&record.pattern_from_object);
        let (pattern, [first, second, third], lengths) = match record.pattern {
            Pattern::Wood(p) => (WOOD, [p.early, p.late, Vec3::ZERO], Vec4::X * p.ring_width),
            Pattern::Marble(p) => {
                (MARBLE, [p.stone, p.vein, Vec3::ZERO], vec4(p.spacing, p.turbulence, 0.0, 0.0))
            }
            Pattern::Bricks(p) => {
                let [one, other] = p.clay;
                (BRICKS, [one, other, p.mortar], vec4(p.length, p.height, p.joint, p.depth))
            }
        };
        Self {
            x,
            y,
            z,
            first: first.to_array(),
            pattern,
            second: second.to_array(),
            steepness: steepness(&record.pattern_from_object.matrix3),
            third: third.to_array(),
            unused: 0,
            lengths: lengths.to_array(),
        }
    }
}
