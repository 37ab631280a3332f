//! Kinds and flags of lights, and limits of their sampling.

/// Kind of environment: black.
pub const NO_ENVIRONMENT: u32 = 0;
/// Kind of environment: the same radiance from every direction.
pub const CONSTANT: u32 = 1;
/// Kind of environment: an image.
pub const MAP: u32 = 2;

/// Flag of an emissive triangle or shape that emits on both sides.
pub const DOUBLE_SIDED: u32 = 1;
/// Flag of an emissive triangle or shape whose radiance is multiplied by a texture.
pub const TEXTURED: u32 = 2;
/// Flag of an emissive triangle or shape whose radiance is multiplied by alpha, since rays may pass through it.
pub const PIERCED: u32 = 4;

/// Flag of an emissive shape.
pub const SHAPE: u32 = 8;

/// Kind of punctual light: the same intensity in all directions.
pub const POINT: u32 = 0;
/// Kind of punctual light: infinitely far away.
pub const DIRECTIONAL: u32 = 1;
/// First kind of punctual light that is a cone; the kind is the sum of this and of the number of the falloff.
pub const SPOT: u32 = 2;

/// Falloff of a spot: δ², where δ is linear in the cosine.
pub const QUADRATIC: u32 = 0;
/// Falloff of a spot: 3δ² − 2δ³.
pub const SMOOTH: u32 = 1;
/// Falloff of a spot: δ⁴.
pub const QUARTIC: u32 = 2;
/// Falloff of a spot: linear in the angle.
pub const LINEAR: u32 = 3;

/// Largest ratio of the probabilities of two parts of the light tree.
pub const MOST_ODDS: f32 = 1e9;
/// Weight of power in the distribution of virtual point lights: each cluster of the light tree counts as if this many
/// more contributions had been found in it, distributed in proportion to power.
pub const PRIOR: f32 = 4.0;

/// Length of a shadow ray relative to the distance of the light: it stops short of the light's own surface, on which
/// the light sample lies up to rounding.
pub const SHADOW_LENGTH: f32 = 0.9999;
