//! What importers of the scenes of renderers, Mitsuba and pbrt, share.

pub(crate) mod anisotropy;
pub(crate) mod bake;
pub(crate) mod metals;
pub(crate) mod numbers;
pub(crate) mod omissions;
pub(crate) mod place;
pub(crate) mod rough_diffuse;
pub(crate) mod spectrum;
