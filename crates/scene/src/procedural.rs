use serde::{Deserialize, Serialize};
use sunfleck_math::{Affine3, Vec3};

use crate::parameter::{Parameter, Parameters, SetError, Value, Variant};
use crate::parameters;

/// Solid texture [Peachey85, solid textures]: colour, and for some patterns a relief, as a function of the position in
/// object space. It needs no texture coordinates and moves with the object.
///
/// `pattern_from_object` determines its position, orientation and scale; the lengths of a pattern are in metres of
/// pattern space.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Procedural {
    /// Pattern.
    pub pattern: Pattern,
    /// Transform from object to pattern space; invertible. A translation selects another part of the pattern.
    pub pattern_from_object: Affine3,
}

/// Pattern of a [`Procedural`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Pattern {
    /// Wood with annual rings.
    Wood(Wood),
    /// Stone with veins.
    Marble(Marble),
    /// Brick wall in running bond, with recessed joints.
    Bricks(Bricks),
}

parameters! {
    /// Annual rings around the y axis, with fibres along it. Colours are interpolated between those of early and late
    /// wood.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Wood {
        /// Colour of early wood, grown in spring: wide and light.
        pub early: Vec3 = Vec3::new(0.64, 0.43, 0.23), in 0.0..=1.0, label "early wood";
        /// Colour of late wood, grown in summer: narrow and dark.
        pub late: Vec3 = Vec3::new(0.33, 0.17, 0.07), in 0.0..=1.0, label "late wood";
        /// Distance from ring to ring.
        pub ring_width: f32 = 0.016, in f32::MIN_POSITIVE..=f32::MAX, slider 0.001..=0.1, unit "m";
    }
}

parameters! {
    /// Veins across the x axis, distorted by turbulence. Colours are interpolated between those of stone and vein.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Marble {
        /// Colour of the stone.
        pub stone: Vec3 = Vec3::new(0.72, 0.69, 0.64), in 0.0..=1.0;
        /// Colour in the middle of a vein.
        pub vein: Vec3 = Vec3::new(0.16, 0.17, 0.17), in 0.0..=1.0;
        /// Distance from vein to vein.
        pub spacing: f32 = 0.75, in f32::MIN_POSITIVE..=f32::MAX, slider 0.01..=2.0, unit "m";
        /// Amplitude of the distortion of the veins, as a fraction of their distance.
        pub turbulence: f32 = 1.1, in 0.0..=f32::MAX, slider 0.0..=4.0;
    }
}

parameters! {
    /// Courses of bricks along x, stacked along y. The pattern is constant along z, through the wall, so the faces of
    /// the wall are perpendicular to z.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Bricks {
        /// Two colours of clay; the colour of each brick lies between them.
        pub clay: [Vec3; 2] = [Vec3::new(0.52, 0.20, 0.12), Vec3::new(0.30, 0.11, 0.075)], in 0.0..=1.0;
        /// Colour of the mortar between the bricks.
        pub mortar: Vec3 = Vec3::new(0.56, 0.53, 0.48), in 0.0..=1.0;
        /// Distance from brick to brick along a course.
        pub length: f32 = 0.225, in f32::MIN_POSITIVE..=f32::MAX, slider 0.01..=1.0, unit "m", label "brick length";
        /// Distance from course to course.
        pub height: f32 = 0.075, in f32::MIN_POSITIVE..=f32::MAX, slider 0.01..=0.5, unit "m", label "brick height";
        /// Width of the joints; less than the length and height of a brick.
        pub joint: f32 = 0.011, in f32::MIN_POSITIVE..=f32::MAX, slider 0.001..=0.1, unit "m", label "joint width";
        /// Depth of the mortar behind the faces of the bricks. It perturbs the shading normal.
        pub depth: f32 = 0.007, in 0.0..=f32::MAX, slider 0.0..=0.05, unit "m", label "joint depth";
    }
}

impl Pattern {
    /// Table of the patterns.
    pub const VARIANTS: &'static [Variant<Self>] = &[
        Variant {
            name: "wood",
            label: "Wood",
            summary: "A trunk with annual rings around the y axis.",
            parameters: Wood::PARAMETERS,
            default: Self::Wood(Wood::DEFAULT),
        },
        Variant {
            name: "marble",
            label: "Marble",
            summary: "Stone with veins across the x axis.",
            parameters: Marble::PARAMETERS,
            default: Self::Marble(Marble::DEFAULT),
        },
        Variant {
            name: "bricks",
            label: "Bricks",
            summary: "A wall in running bond with recessed joints, whose faces look along z.",
            parameters: Bricks::PARAMETERS,
            default: Self::Bricks(Bricks::DEFAULT),
        },
    ];

    /// Returns the parameters of the current variant.
    fn variant_parameters(&self) -> &dyn Parameters {
        match self {
            Self::Wood(wood) => wood,
            Self::Marble(marble) => marble,
            Self::Bricks(bricks) => bricks,
        }
    }

    /// Returns the parameters of the current variant, to change them.
    fn variant_parameters_mut(&mut self) -> &mut dyn Parameters {
        match self {
            Self::Wood(wood) => wood,
            Self::Marble(marble) => marble,
            Self::Bricks(bricks) => bricks,
        }
    }
}

impl Parameters for Pattern {
    fn parameters(&self) -> &'static [Parameter] {
        self.variant_parameters().parameters()
    }

    fn get(&self, name: &str) -> Option<Value> {
        self.variant_parameters().get(name)
    }

    fn set(&mut self, name: &str, value: Value) -> Result<(), SetError> {
        self.variant_parameters_mut().set(name, value)
    }
}

impl Procedural {
    /// Creates a solid texture whose pattern space is object space.
    pub fn new(pattern: Pattern) -> Self {
        Self { pattern, pattern_from_object: Affine3::IDENTITY }
    }

    /// Returns the solid texture with another transform from object to pattern space.
    pub fn placed(self, pattern_from_object: Affine3) -> Self {
        Self { pattern_from_object, ..self }
    }
}
