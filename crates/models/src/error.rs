use sunfleck_scene::parameter::ValueError;
use sunfleck_scene::{EditError, MeshError, TextureError};

/// Why a scene was not made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// No scene has that name.
    #[error("there is no built-in scene `{name}`{}; there are: {known}", did_you_mean(nearest))]
    UnknownModel {
        /// As typed.
        name: String,
        /// The most similar name, if one is similar.
        nearest: Option<&'static str>,
        /// All names.
        known: String,
    },
    /// The scene has no parameter of that name.
    #[error("`{model}` has no parameter `{name}`{}; it has: {known}", did_you_mean(nearest))]
    UnknownParameter {
        /// Of which scene.
        model: &'static str,
        /// As typed.
        name: String,
        /// The most similar name, if one is similar.
        nearest: Option<&'static str>,
        /// All names.
        known: String,
    },
    /// A part of the spec is not `name=value`.
    #[error("`{0}` is not of the form `parameter=value`")]
    Form(String),
    /// A parameter is given twice.
    #[error("`{0}` is given twice")]
    Twice(&'static str),
    /// A value does not parse or is out of range.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// The scene refused a part: a fault of this crate.
    #[error("a part of the built-in scene does not fit: {0}")]
    Edit(#[from] EditError),
    /// A mesh is wrong: a fault of this crate.
    #[error("a mesh of the built-in scene is wrong: {0}")]
    Mesh(#[from] MeshError),
    /// A texture is wrong: a fault of this crate.
    #[error("a texture of the built-in scene is wrong: {0}")]
    Texture(#[from] TextureError),
}

fn did_you_mean(nearest: &Option<&str>) -> String {
    nearest.map_or(String::new(), |name| format!(" (did you mean `{name}`?)"))
}
