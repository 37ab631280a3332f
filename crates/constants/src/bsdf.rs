//! Kinds of scattering models and their lobes.

/// Kind of scattering model: Lambertian reflection.
pub const LAMBERT: u32 = 0;
/// Kind of scattering model: microfacets of a metal mixed with a diffuse base under dielectric microfacets (glTF).
pub const METALLIC_ROUGHNESS: u32 = 1;
/// Kind of scattering model: perfect mirror.
pub const MIRROR: u32 = 2;
/// Kind of scattering model: smooth boundary between two dielectrics, such as glass.
pub const DIELECTRIC: u32 = 3;
/// Kind of scattering model: rough diffuse reflection.
pub const OREN_NAYAR: u32 = 4;
/// Kind of scattering model: sheet of a clear dielectric with air on both sides, which does not bend rays.
pub const THIN_DIELECTRIC: u32 = 5;
/// Kind of scattering model: metal with a complex index of refraction, smooth or with microfacets.
pub const CONDUCTOR: u32 = 6;
/// Kind of scattering model: rough boundary between two dielectrics, such as frosted glass.
pub const ROUGH_DIELECTRIC: u32 = 7;
/// Kind of scattering model: diffuse base under a dielectric coating, smooth or with microfacets.
pub const PLASTIC: u32 = 8;
/// Kind of scattering model: Disney's principled model.
pub const PRINCIPLED: u32 = 9;

/// Flag of microfacets: Beckmann's distribution instead of GGX.
pub const BECKMANN: u32 = 1;
/// Flag of [`PLASTIC`]: reflections between coating and base make its colour more saturated.
pub const NONLINEAR: u32 = 2;

/// Number of coefficients of the transmittance of [`PLASTIC`]'s coating.
pub const TRANSMITTANCE_TERMS: u32 = 8;

/// Empty set of lobes, also the lobe of a sample that carries no light.
pub const NO_LOBE: u32 = 0;
/// Lobe of diffuse reflection, including the multiple scattering of rough surfaces.
pub const DIFFUSE_REFLECTION: u32 = 1;
/// Lobe of reflection by rough microfacets.
pub const GLOSSY_REFLECTION: u32 = 2;
/// Lobe of reflection into one direction, or nearly so: delta lobes, and microfacet lobes whose roughness is below
/// [`SPECULAR_ROUGHNESS`].
pub const SPECULAR_REFLECTION: u32 = 4;
/// Lobe of diffuse transmission.
pub const DIFFUSE_TRANSMISSION: u32 = 8;
/// Lobe of transmission by rough microfacets.
pub const GLOSSY_TRANSMISSION: u32 = 16;
/// Lobe of transmission into one direction, or nearly so.
pub const SPECULAR_TRANSMISSION: u32 = 32;
/// Both diffuse lobes.
pub const DIFFUSE: u32 = DIFFUSE_REFLECTION | DIFFUSE_TRANSMISSION;
/// Both glossy lobes.
pub const GLOSSY: u32 = GLOSSY_REFLECTION | GLOSSY_TRANSMISSION;
/// Both specular lobes.
pub const SPECULAR: u32 = SPECULAR_REFLECTION | SPECULAR_TRANSMISSION;
/// All lobes on the other side of the surface than the viewer.
pub const TRANSMISSION: u32 = DIFFUSE_TRANSMISSION | GLOSSY_TRANSMISSION | SPECULAR_TRANSMISSION;
/// All lobes but the specular ones: those that a few point lights can illuminate.
pub const NON_SPECULAR: u32 = DIFFUSE | GLOSSY;
/// All lobes.
pub const ALL_LOBES: u32 = NON_SPECULAR | SPECULAR;

/// Perceptual roughness below which microfacet lobes count as specular.
pub const SPECULAR_ROUGHNESS: f32 = 0.3;

/// Reflectance at normal incidence of the dielectric in [`METALLIC_ROUGHNESS`], whose index of refraction is 1.5.
pub const DIELECTRIC_F0: f32 = 0.04;

/// Fraction of the light between microfacets that meets another facet, divided by the same fraction of light that
/// arrives from above: light between facets is nearer to their upper ends.
///
/// Fitted to random walks on the microsurface [Heitz16, random walk]: with 1, rough coloured metals are up to 8 % too
/// dark; with 3/4, the RMS error of their albedos is least.
pub const REPEATED_LOSS: f32 = 0.75;

/// Number of rows of the table of directional albedos of microfacets, spaced evenly in the eighth root of α.
pub const ALBEDO_ROWS: u32 = 48;
/// Number of columns of the table of directional albedos, spaced evenly in the eighth root of the cosine plus
/// [`COSINE_OFFSET`].
pub const ALBEDO_COLUMNS: u32 = 64;
/// Smallest α of the table, and of microfacets altogether: roughness 0.0316.
pub const ALPHA_MIN: f32 = 1e-3;
/// Offset that is added to the cosines of the columns, see [`ALBEDO_COLUMNS`].
pub const COSINE_OFFSET: f32 = 5e-4;

/// Growth of `1/A` of [`OREN_NAYAR`] as roughness grows from 0 to 1: `1/2 - 2/(3π)`.
pub const A_SLOPE: f32 = 0.287_793_4;
/// Growth of the average albedo over `A` of [`OREN_NAYAR`] as roughness grows from 0 to 1: `2/3 - 28/(15π)`.
pub const AVERAGE_SLOPE: f32 = 0.072_488_21;
/// Lower bound of the terms of [`OREN_NAYAR`] that are divisors and could round to 0.
pub const LEAST_DIVISOR: f32 = 1e-7;

/// Roughness α of the coating of [`PRINCIPLED`] with a gloss of 1.
pub const COAT_ALPHA_GLOSSY: f32 = 1e-3;
/// Roughness α of the coating of [`PRINCIPLED`] with a gloss of 0.
pub const COAT_ALPHA_ROUGH: f32 = 0.1;
/// Roughness α of the masking by the coating of [`PRINCIPLED`].
pub const COAT_MASKING_ALPHA: f32 = 0.25;
/// Reflectance of the coating of [`PRINCIPLED`] at normal incidence.
pub const COAT_F0: f32 = 0.04;
/// Smallest index of refraction of [`PRINCIPLED`], since a medium of 1 does not refract.
pub const PRINCIPLED_LEAST_IOR: f32 = 1.001;
/// Least weight with which the diffuse base of [`PRINCIPLED`] is sampled, as a part of the strength of its sheen, which
/// reflects at most 9 % of the light.
pub const SHEEN_WEIGHT: f32 = 0.25;
