use sunfleck_scene::parameter::ValueError;
use sunfleck_scene::{EditError, MeshError, TextureError};

/// Error of [`build`](crate::build).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// No scene has that name.
    #[error("there is no built-in scene `{name}`{}; the built-in scenes are: {known}", did_you_mean(nearest))]
    UnknownModel {
        /// Name as typed.
        name: String,
        /// The most similar existing name, if one is similar enough.
        nearest: Option<&'static str>,
        /// Names of all scenes, separated by commas.
        known: String,
    },
    /// The scene has no parameter of that name.
    #[error("`{model}` has no parameter `{name}`{}; it has: {known}", did_you_mean(nearest))]
    UnknownParameter {
        /// Name of the scene.
        model: &'static str,
        /// Name as typed.
        name: String,
        /// The most similar existing name, if one is similar enough.
        nearest: Option<&'static str>,
        /// Names of all parameters of the scene, separated by commas.
        known: String,
    },
    /// An entry after the colon is not of the form `name=value`.
    #[error("`{0}` is not of the form `parameter=value`")]
    InvalidSyntax(String),
    /// A parameter is given twice.
    #[error("`{0}` is given twice")]
    DuplicateParameter(&'static str),
    /// A value does not parse or is out of range.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// [`Scene`](sunfleck_scene::Scene) rejected an object of the built-in scene; a bug of this crate.
    #[error("a part of the built-in scene is invalid: {0}")]
    Edit(#[from] EditError),
    /// A mesh of the built-in scene is invalid; a bug of this crate.
    #[error("a mesh of the built-in scene is invalid: {0}")]
    Mesh(#[from] MeshError),
    /// A texture of the built-in scene is invalid; a bug of this crate.
    #[error("a texture of the built-in scene is invalid: {0}")]
    Texture(#[from] TextureError),
}

fn did_you_mean(nearest: &Option<&str>) -> String {
    nearest.map_or(String::new(), |name| format!(" (did you mean `{name}`?)"))
}
