//! Lights, and the rays that ask for them.

/// Kind of an environment: black.
pub const NO_ENVIRONMENT: u32 = 0;
/// The same from everywhere.
pub const CONSTANT: u32 = 1;
/// An image.
pub const MAP: u32 = 2;

/// Flag of an emissive triangle that emits on both sides.
pub const DOUBLE_SIDED: u32 = 1;
/// Of one whose radiance is multiplied by a texture.
pub const TEXTURED: u32 = 2;
/// Of one whose emitted radiance is multiplied by alpha: rays may pass.
pub const PIERCED: u32 = 4;

/// Kind of a light without extent: the same in all directions.
pub const POINT: u32 = 0;
/// In a cone.
pub const SPOT: u32 = 1;
/// Infinitely far away.
pub const DIRECTIONAL: u32 = 2;

/// Of two parts of the tree of lights, one is chosen no more than so many times as often as the other.
pub const MOST_ODDS: f32 = 1e9;
/// Virtual point lights are spread as if each cluster of the tree had been found so often in proportion to power.
pub const PRIOR: f32 = 4.0;

/// Length of a shadow ray, relative to the distance of the light: it stops short of the light's own surface, on which the light sample lies up to rounding.
pub const SHADOW_LENGTH: f32 = 0.9999;
