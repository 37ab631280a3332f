//! Scattering models and their lobes.

/// Kind of a scattering model: Lambertian reflection.
pub const LAMBERT: u32 = 0;
/// Microfacets of a metal mixed with those of a coated dielectric.
pub const METALLIC_ROUGHNESS: u32 = 1;
/// A perfect mirror.
pub const MIRROR: u32 = 2;
/// A smooth boundary between two dielectrics, such as glass.
pub const DIELECTRIC: u32 = 3;
/// Rough diffuse reflection.
pub const OREN_NAYAR: u32 = 4;

/// A set of lobes without any: a sample that carries no light.
pub const NO_LOBE: u32 = 0;
/// Diffuse reflection, multiple scattering of rough surfaces included.
pub const DIFFUSE_REFLECTION: u32 = 1;
/// Reflection by rough microfacets.
pub const GLOSSY_REFLECTION: u32 = 2;
/// Reflection into one direction, or nearly so: delta lobes, and microfacet lobes of a lower roughness than [`SPECULAR_ROUGHNESS`].
pub const SPECULAR_REFLECTION: u32 = 4;
/// Diffuse transmission.
pub const DIFFUSE_TRANSMISSION: u32 = 8;
/// Transmission by rough microfacets.
pub const GLOSSY_TRANSMISSION: u32 = 16;
/// Transmission into one direction, or nearly so.
pub const SPECULAR_TRANSMISSION: u32 = 32;
/// Both diffuse lobes.
pub const DIFFUSE: u32 = DIFFUSE_REFLECTION | DIFFUSE_TRANSMISSION;
/// Both glossy lobes.
pub const GLOSSY: u32 = GLOSSY_REFLECTION | GLOSSY_TRANSMISSION;
/// Both specular lobes.
pub const SPECULAR: u32 = SPECULAR_REFLECTION | SPECULAR_TRANSMISSION;
/// All lobes but the specular ones: what a handful of point lights can light.
pub const NON_SPECULAR: u32 = DIFFUSE | GLOSSY;
/// All lobes.
pub const ALL_LOBES: u32 = NON_SPECULAR | SPECULAR;

/// Microfacet lobes of a lower perceptual roughness count as specular.
pub const SPECULAR_ROUGHNESS: f32 = 0.3;

/// Reflectance at normal incidence of the dielectric in [`METALLIC_ROUGHNESS`]: index of refraction 1.5.
pub const DIELECTRIC_F0: f32 = 0.04;

/// Rows of the table of what microfacets keep after one bounce, spaced evenly in the eighth root of α.
pub const ALBEDO_ROWS: u32 = 48;
/// Its columns, spaced evenly in the eighth root of the cosine plus [`COSINE_OFFSET`].
pub const ALBEDO_COLUMNS: u32 = 64;
/// The smallest α of the table, and of microfacets altogether: roughness 0.0316.
pub const ALPHA_MIN: f32 = 1e-3;
/// See [`ALBEDO_COLUMNS`].
pub const COSINE_OFFSET: f32 = 5e-4;

/// Of [`OREN_NAYAR`] `1/2 - 2/(3π)`: `1/A` grows by so much as roughness grows from 0 to 1.
pub const A_SLOPE: f32 = 0.287_793_4;
/// `2/3 - 28/(15π)`: its mean albedo over A grows by so much.
pub const AVERAGE_SLOPE: f32 = 0.072_488_21;
/// What is not negative there may round to 0, and is a divisor: it is at least this.
pub const LEAST_DIVISOR: f32 = 1e-7;
