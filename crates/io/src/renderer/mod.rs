//! What importers of the scenes of renderers, Mitsuba and pbrt, share.

/// Warning about media that were read.
pub(crate) const MEDIA_ARE_KEPT: &str =
    "participating media are part of the scene, but not rendered yet: the space is empty";
/// Warning about a medium that a scene cannot have.
pub(crate) const MEDIUM_IS_LEFT_OUT: &str =
    "only homogeneous media with coefficients are supported: the participating medium is left out";
/// Warning about a light with a mixture that varies with an image.
pub(crate) const MIXTURE_IS_SIMPLE: &str =
    "the surface of a light cannot be a mixture by a texture: it has one of the models";

pub(crate) mod anisotropy;
pub(crate) mod bake;
pub(crate) mod film;
pub(crate) mod image_use;
pub(crate) mod look;
pub(crate) mod metals;
pub(crate) mod mixture;
pub(crate) mod numbers;
pub(crate) mod omissions;
pub(crate) mod place;
pub(crate) mod rough_diffuse;
pub(crate) mod spectrum;
