//! Patterns as plain records.

use bytemuck::{Pod, Zeroable};
use sunfleck_constants::material::{BRICKS, MARBLE, WOOD};
use sunfleck_math::{Vec3, Vec4, vec4};
use sunfleck_scene::Pattern;

use super::{ProceduralRecord, steepness};

/// A solid pattern with its placement; all zeros: none. 112 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PackedProcedural {
    /// First row of the map from the mesh's space to the pattern's.
    pub x: [f32; 4],
    /// Second row.
    pub y: [f32; 4],
    /// Third row.
    pub z: [f32; 4],
    /// Of wood early, of marble the stone, of bricks the clay.
    pub first: [f32; 3],
    /// [`NO_PATTERN`](sunfleck_constants::material::NO_PATTERN), [`WOOD`], [`MARBLE`] or [`BRICKS`].
    pub pattern: u32,
    /// Late, the vein, the other clay.
    pub second: [f32; 3],
    /// Lengths of the mesh in one of the pattern.
    pub steepness: f32,
    /// The mortar.
    pub third: [f32; 3],
    /// Zero.
    pub unused: u32,
    /// Of wood the width of a ring; of marble spacing and turbulence; of bricks length, height, joint and depth.
    pub lengths: [f32; 4],
}

impl PackedProcedural {
    pub(crate) fn new(record: &ProceduralRecord) -> Self {
        let (m, t) = (record.pattern_from_object.matrix3, record.pattern_from_object.translation);
        let row = |axis: usize| [m.x_axis[axis], m.y_axis[axis], m.z_axis[axis], t[axis]];
        let (pattern, [first, second, third], lengths) = match record.pattern {
            Pattern::Wood(of) => (WOOD, [of.early, of.late, Vec3::ZERO], Vec4::X * of.ring_width),
            Pattern::Marble(of) => {
                (MARBLE, [of.stone, of.vein, Vec3::ZERO], vec4(of.spacing, of.turbulence, 0.0, 0.0))
            }
            Pattern::Bricks(of) => {
                let [one, other] = of.clay;
                (BRICKS, [one, other, of.mortar], vec4(of.length, of.height, of.joint, of.depth))
            }
        };
        Self {
            x: row(0),
            y: row(1),
            z: row(2),
            first: first.to_array(),
            pattern,
            second: second.to_array(),
            steepness: steepness(&m),
            third: third.to_array(),
            unused: 0,
            lengths: lengths.to_array(),
        }
    }
}
