use serde::{Deserialize, Serialize};
use sunfleck_math::{Affine3, Vec3};

use crate::parameter::{Parameter, Parameters, SetError, Value, Variant};
use crate::parameters;

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

parameters! {
    /// Annual rings around the y axis, with fibres along it. Colours are anything between the two.
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
    /// Veins across the x axis, bent by turbulence. Colours are anything between the two.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Marble {
        /// Colour of the stone.
        pub stone: Vec3 = Vec3::new(0.72, 0.69, 0.64), in 0.0..=1.0;
        /// Colour in the middle of a vein.
        pub vein: Vec3 = Vec3::new(0.16, 0.17, 0.17), in 0.0..=1.0;
        /// Distance from vein to vein.
        pub spacing: f32 = 0.75, in f32::MIN_POSITIVE..=f32::MAX, slider 0.01..=2.0, unit "m";
        /// How far the veins are bent, as a fraction of their distance.
        pub turbulence: f32 = 1.1, in 0.0..=f32::MAX, slider 0.0..=4.0;
    }
}

parameters! {
    /// Courses of bricks along x, one above the other along y; along z, through the wall, nothing changes. So the faces of the
    /// wall look along z.
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
        /// How far the mortar lies behind the faces of the bricks. It perturbs the shading normal.
        pub depth: f32 = 0.007, in 0.0..=f32::MAX, slider 0.0..=0.05, unit "m", label "joint depth";
    }
}

impl Pattern {
    /// Name, sentence, parameters and defaults of each pattern.
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

    fn of_variant(&self) -> &dyn Parameters {
        match self {
            Self::Wood(wood) => wood,
            Self::Marble(marble) => marble,
            Self::Bricks(bricks) => bricks,
        }
    }

    fn of_variant_mut(&mut self) -> &mut dyn Parameters {
        match self {
            Self::Wood(wood) => wood,
            Self::Marble(marble) => marble,
            Self::Bricks(bricks) => bricks,
        }
    }
}

impl Parameters for Pattern {
    fn parameters(&self) -> &'static [Parameter] {
        self.of_variant().parameters()
    }

    fn get(&self, name: &str) -> Option<Value> {
        self.of_variant().get(name)
    }

    fn set(&mut self, name: &str, value: Value) -> Result<(), SetError> {
        self.of_variant_mut().set(name, value)
    }
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
