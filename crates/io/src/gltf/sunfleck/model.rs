//! JSON of the extension `SUNFLECK_scene`: one struct for each glTF object that can have it.

use std::collections::BTreeMap;

use serde::Deserialize;
use sunfleck_scene::{Media, Procedural, SpotFalloff};

use super::surface::SurfaceKind;

#[derive(Debug, Deserialize)]
pub(in crate::gltf) struct Root {
    pub(super) version: u32,
    pub(super) environment: Option<Environment>,
    /// Exposure chosen by the author, stops.
    pub(super) exposure: Option<f32>,
    /// Point of the author's coordinates that positions are relative to.
    #[serde(default)]
    pub(super) origin: [f64; 3],
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct Environment {
    pub(super) radiance: Option<[f32; 3]>,
    pub(super) texture: Option<usize>,
    #[serde(default)]
    pub(super) rotation: f32,
    #[serde(default = "white")]
    pub(super) scale: [f32; 3],
    /// Whether the first and the last row of the map are at the poles.
    #[serde(default)]
    pub(super) rows_at_poles: bool,
}

fn white() -> [f32; 3] {
    [1.0; 3]
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::gltf) struct Node {
    /// Materials of all slots, used or not.
    pub(in crate::gltf) materials: Option<Vec<usize>>,
    /// Current transform of an animated node, column-major; the transform of the glTF node is the rest pose.
    pub(in crate::gltf) matrix: Option<[f32; 12]>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(in crate::gltf) struct Mesh {
    /// Accessor of the material slot of each triangle. There is one primitive for each slot in use, in the order of the
    /// slots.
    pub(super) slots: Option<usize>,
    /// Mesh of which this one is a copy with other materials. The copy is meant for other programs.
    pub(super) copy_of: Option<usize>,
    /// Skin of the nodes with this mesh.
    pub(super) skin: Option<usize>,
    /// Current weights of the morph targets; those of the glTF mesh are the rest pose.
    pub(super) weights: Option<Vec<f32>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::gltf) struct Material {
    pub(in crate::gltf) surface: Option<SurfaceKind>,
    /// Index of refraction of a dielectric, which may be below 1, unlike that of `KHR_materials_ior`.
    pub(in crate::gltf) ior: Option<f32>,
    /// Roughness of other models than metallic-roughness.
    pub(in crate::gltf) roughness: Option<f32>,
    /// Real and imaginary part of the index of refraction of a conductor.
    pub(in crate::gltf) eta: Option<[f32; 3]>,
    pub(in crate::gltf) k: Option<[f32; 3]>,
    /// Factor of the specular reflection of plastic.
    pub(in crate::gltf) specular: Option<[f32; 3]>,
    pub(in crate::gltf) nonlinear: bool,
    pub(in crate::gltf) beckmann: bool,
    /// Anisotropy of the microfacets of a dielectric or conductor.
    pub(in crate::gltf) anisotropy: Option<f32>,
    /// Parameters of the principled model beside base colour, metallic, roughness and index of refraction.
    pub(in crate::gltf) principled: Principled,
    pub(in crate::gltf) procedural: Option<Procedural>,
    pub(in crate::gltf) media: Media,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(in crate::gltf) struct Principled {
    /// Texture of clearcoat in red and sheen in green.
    pub(in crate::gltf) coat_texture: Option<crate::gltf::model::TextureInfo>,
    /// Factors by name.
    #[serde(flatten)]
    pub(in crate::gltf) factors: BTreeMap<String, f32>,
}

#[derive(Debug, Deserialize)]
pub(in crate::gltf) struct Texture {
    pub(super) encoding: Encoding,
    /// Buffer view of floating-point texels in RGBA.
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
    /// Affine transform of texture coordinates, column-major; the last column is the translation.
    pub(in crate::gltf) matrix: [f32; 6],
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct Camera {
    pub(in crate::gltf) lens_radius: Option<f32>,
    pub(in crate::gltf) focus_distance: Option<f32>,
    /// Width and height of the images that the author renders.
    pub(in crate::gltf) film: Option<[u32; 2]>,
    /// Part of them that is rendered: column, row, width and height.
    pub(in crate::gltf) crop: Option<[u32; 4]>,
    /// Aspect ratio of an orthographic camera, which glTF has only as a quotient.
    pub(in crate::gltf) aspect_ratio: Option<f32>,
}

#[derive(Debug, Deserialize)]
pub(in crate::gltf) struct Light {
    /// Falloff of a spot in its cone.
    #[serde(default)]
    pub(in crate::gltf) falloff: SpotFalloff,
}
