//! The JSON of our extension, by the object that it stands at.

use serde::Deserialize;
use sunfleck_scene::Procedural;

use super::surface::SurfaceKind;

#[derive(Debug, Deserialize)]
pub(in crate::gltf) struct Root {
    pub(super) version: u32,
    pub(super) environment: Option<Environment>,
}

#[derive(Debug, Deserialize)]
pub(in crate::gltf) struct Environment {
    pub(super) radiance: Option<[f32; 3]>,
    pub(super) texture: Option<usize>,
    #[serde(default)]
    pub(super) rotation: f32,
    #[serde(default = "white")]
    pub(super) scale: [f32; 3],
}

fn white() -> [f32; 3] {
    [1.0; 3]
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::gltf) struct Node {
    /// For every slot, and beyond.
    pub(in crate::gltf) materials: Option<Vec<usize>>,
    /// Where an animated node is now, column by column; what glTF says is where it is without animations.
    pub(in crate::gltf) matrix: Option<[f32; 12]>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(in crate::gltf) struct Mesh {
    /// Accessor of the material slot of each triangle; the primitives are those of the slots in use, in their order.
    pub(super) slots: Option<usize>,
    /// The mesh that it repeats with other materials, for other programs.
    pub(super) copy_of: Option<usize>,
    /// The skin of the nodes that show it.
    pub(super) skin: Option<usize>,
    /// Of morph targets now; what glTF says is without animations.
    pub(super) weights: Option<Vec<f32>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::gltf) struct Material {
    pub(in crate::gltf) surface: Option<SurfaceKind>,
    /// Of dielectrics; `KHR_materials_ior` begins at 1.
    pub(in crate::gltf) ior: Option<f32>,
    /// Of rough diffuse surfaces.
    pub(in crate::gltf) roughness: Option<f32>,
    pub(in crate::gltf) procedural: Option<Procedural>,
}

#[derive(Debug, Deserialize)]
pub(in crate::gltf) struct Texture {
    pub(super) encoding: Encoding,
    /// Buffer view of floating-point texels: red, green, blue, alpha.
    pub(super) texels: Option<usize>,
    #[serde(default)]
    pub(super) size: [u32; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::gltf) enum Encoding {
    Srgb,
    Linear,
    Float,
}

#[derive(Debug, Deserialize)]
pub(in crate::gltf) struct TextureInfo {
    /// Column by column, the last one is the translation.
    pub(in crate::gltf) matrix: [f32; 6],
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct Camera {
    pub(in crate::gltf) lens_radius: f32,
    pub(in crate::gltf) focus_distance: f32,
}
