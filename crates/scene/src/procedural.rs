use serde::{Deserialize, Serialize};
use sunfleck_math::{Affine3, Vec3};

/// A colour, and perhaps a relief, that a formula gives at every point of an object, as if it were carved from one piece
/// [Peachey85, solid textures]. Needs no texture coordinates; moves with the object.
///
/// Where and of what size is up to the placement: the patterns' own lengths are in metres of its space.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Procedural {
    /// What is evaluated.
    pub pattern: Pattern,
    /// From the mesh's space to that of the pattern; invertible. Shifting it chooses another piece of the same stuff.
    pub pattern_from_object: Affine3,
}

/// The formula of a [`Procedural`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Pattern {
    /// A trunk, and what is cut from it.
    Wood(Wood),
    /// Veined stone.
    Marble(Marble),
    /// A wall in running bond, with recessed joints.
    Bricks(Bricks),
}

/// Annual rings around the y axis, with fibres along it. Colours are anything between the two.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wood {
    /// Grown in spring: wide and light.
    pub early: Vec3,
    /// Grown in summer: narrow and dark.
    pub late: Vec3,
    /// From ring to ring, metres, > 0.
    pub ring_width: f32,
}

/// Veins across the x axis, bent by turbulence. Colours are anything between the two.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Marble {
    /// The stone.
    pub stone: Vec3,
    /// The middle of a vein.
    pub vein: Vec3,
    /// From vein to vein, metres, > 0.
    pub spacing: f32,
    /// How far the veins are bent, as a fraction of their distance, ≥ 0.
    pub turbulence: f32,
}

/// Courses of bricks along x, one above the other along y; along z, through the wall, nothing changes. So the faces of the
/// wall look along z.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bricks {
    /// A brick is anything between these two.
    pub clay: [Vec3; 2],
    /// Between the bricks.
    pub mortar: Vec3,
    /// From brick to brick along a course, metres.
    pub length: f32,
    /// From course to course, metres.
    pub height: f32,
    /// Width of the joints, metres: > 0, less than a brick.
    pub joint: f32,
    /// How far the mortar lies behind the faces of the bricks, metres, ≥ 0. It perturbs the shading normal.
    pub depth: f32,
}

impl Procedural {
    /// In the space of the mesh.
    pub fn new(pattern: Pattern) -> Self {
        Self { pattern, pattern_from_object: Affine3::IDENTITY }
    }

    /// The same, elsewhere.
    pub fn placed(self, pattern_from_object: Affine3) -> Self {
        Self { pattern_from_object, ..self }
    }
}
