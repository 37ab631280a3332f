//! JSON document of glTF 2.0 [glTF2]: the members that are read, with the defaults of the specification.
//!
//! Indices are plain numbers, which are checked where they are used, since only there the JSON path is known.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::sunfleck;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Root {
    pub(super) asset: Asset,
    pub(super) scene: Option<usize>,
    pub(super) scenes: Vec<Scene>,
    pub(super) nodes: Vec<Node>,
    pub(super) meshes: Vec<Mesh>,
    pub(super) materials: Vec<Material>,
    pub(super) textures: Vec<Texture>,
    pub(super) images: Vec<Image>,
    pub(super) samplers: Vec<Sampler>,
    pub(super) accessors: Vec<Accessor>,
    pub(super) buffer_views: Vec<BufferView>,
    pub(super) buffers: Vec<Buffer>,
    pub(super) cameras: Vec<Camera>,
    pub(super) skins: Vec<Skin>,
    pub(super) animations: Vec<Animation>,
    pub(super) extensions_used: Vec<String>,
    pub(super) extensions_required: Vec<String>,
    pub(super) extensions: RootExtensions,
    pub(super) extras: Option<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Asset {
    pub(super) version: String,
    pub(super) min_version: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RootExtensions {
    #[serde(rename = "KHR_lights_punctual")]
    pub(super) lights_punctual: LightsPunctual,
    #[serde(rename = "SUNFLECK_scene")]
    pub(super) sunfleck: Option<sunfleck::model::Root>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LightsPunctual {
    pub(super) lights: Vec<Light>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Light {
    #[serde(default)]
    pub(super) name: String,
    #[serde(rename = "type", default)]
    pub(super) kind: LightKind,
    #[serde(default = "white")]
    pub(super) color: [f32; 3],
    #[serde(default = "one")]
    pub(super) intensity: f32,
    pub(super) range: Option<f32>,
    #[serde(default)]
    pub(super) spot: Spot,
    #[serde(default)]
    pub(super) extensions: LightExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LightExtensions {
    #[serde(rename = "SUNFLECK_scene")]
    pub(super) sunfleck: Option<sunfleck::model::Light>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LightKind {
    Point,
    Spot,
    Directional,
    #[default]
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Spot {
    pub(super) inner_cone_angle: f32,
    pub(super) outer_cone_angle: f32,
}

impl Default for Spot {
    fn default() -> Self {
        Self { inner_cone_angle: 0.0, outer_cone_angle: std::f32::consts::FRAC_PI_4 }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Scene {
    pub(super) nodes: Vec<usize>,
    pub(super) extras: Option<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) children: Vec<usize>,
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f32; 4]>,
    pub(super) scale: Option<[f32; 3]>,
    pub(super) mesh: Option<usize>,
    pub(super) camera: Option<usize>,
    pub(super) skin: Option<usize>,
    pub(super) weights: Option<Vec<f32>>,
    pub(super) extensions: NodeExtensions,
    pub(super) extras: Option<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct NodeExtensions {
    #[serde(rename = "KHR_lights_punctual")]
    pub(super) light: Option<NodeLight>,
    #[serde(rename = "KHR_node_visibility")]
    pub(super) visibility: Option<Visibility>,
    #[serde(rename = "SUNFLECK_scene")]
    pub(super) sunfleck: Option<sunfleck::model::Node>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Visibility {
    #[serde(default = "yes")]
    pub(super) visible: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct NodeLight {
    pub(super) light: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Mesh {
    pub(super) name: String,
    pub(super) primitives: Vec<Primitive>,
    pub(super) weights: Vec<f32>,
    /// Arbitrary data; by convention `targetNames` holds the names of morph targets.
    pub(super) extras: serde_json::Value,
    pub(super) extensions: MeshExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MeshExtensions {
    #[serde(rename = "SUNFLECK_scene")]
    pub(super) sunfleck: Option<sunfleck::model::Mesh>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: BTreeMap<String, usize>,
    pub(super) indices: Option<usize>,
    pub(super) material: Option<usize>,
    #[serde(default = "triangles")]
    pub(super) mode: u32,
    /// Accessors of the displacements of attributes of each morph target.
    #[serde(default)]
    pub(super) targets: Vec<BTreeMap<String, usize>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Skin {
    pub(super) name: String,
    pub(super) inverse_bind_matrices: Option<usize>,
    pub(super) joints: Vec<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Animation {
    pub(super) name: String,
    pub(super) channels: Vec<Channel>,
    pub(super) samplers: Vec<AnimationSampler>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Channel {
    pub(super) sampler: usize,
    pub(super) target: ChannelTarget,
}

#[derive(Debug, Deserialize)]
pub(super) struct ChannelTarget {
    pub(super) node: Option<usize>,
    pub(super) path: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct AnimationSampler {
    pub(super) input: usize,
    pub(super) output: usize,
    #[serde(default)]
    pub(super) interpolation: Interpolation,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Interpolation {
    Step,
    #[default]
    Linear,
    CubicSpline,
}

impl From<Interpolation> for sunfleck_scene::Interpolation {
    fn from(interpolation: Interpolation) -> Self {
        match interpolation {
            Interpolation::Step => Self::Step,
            Interpolation::Linear => Self::Linear,
            Interpolation::CubicSpline => Self::CubicSpline,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Material {
    pub(super) name: String,
    pub(super) pbr_metallic_roughness: PbrMetallicRoughness,
    pub(super) normal_texture: Option<TextureInfo>,
    pub(super) emissive_texture: Option<TextureInfo>,
    pub(super) emissive_factor: [f32; 3],
    pub(super) alpha_mode: AlphaMode,
    pub(super) alpha_cutoff: f32,
    pub(super) double_sided: bool,
    pub(super) occlusion_texture: Option<IgnoredAny>,
    pub(super) extensions: MaterialExtensions,
    pub(super) extras: Option<IgnoredAny>,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: String::new(),
            pbr_metallic_roughness: PbrMetallicRoughness::default(),
            normal_texture: None,
            emissive_texture: None,
            emissive_factor: [0.0; 3],
            alpha_mode: AlphaMode::Opaque,
            alpha_cutoff: 0.5,
            double_sided: false,
            occlusion_texture: None,
            extensions: MaterialExtensions::default(),
            extras: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum AlphaMode {
    Opaque,
    Mask,
    Blend,
}

#[derive(Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct PbrMetallicRoughness {
    pub(super) base_color_factor: [f32; 4],
    pub(super) base_color_texture: Option<TextureInfo>,
    pub(super) metallic_factor: f32,
    pub(super) roughness_factor: f32,
    pub(super) metallic_roughness_texture: Option<TextureInfo>,
}

impl Default for PbrMetallicRoughness {
    fn default() -> Self {
        Self {
            base_color_factor: [1.0; 4],
            base_color_texture: None,
            metallic_factor: 1.0,
            roughness_factor: 1.0,
            metallic_roughness_texture: None,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MaterialExtensions {
    #[serde(rename = "KHR_materials_emissive_strength")]
    pub(super) emissive_strength: Option<EmissiveStrength>,
    #[serde(rename = "KHR_materials_ior")]
    pub(super) ior: Option<Ior>,
    #[serde(rename = "KHR_materials_transmission")]
    pub(super) transmission: Option<Transmission>,
    #[serde(rename = "KHR_materials_volume")]
    pub(super) volume: Option<Volume>,
    #[serde(rename = "KHR_materials_unlit")]
    pub(super) unlit: Option<IgnoredAny>,
    #[serde(rename = "SUNFLECK_scene")]
    pub(super) sunfleck: Option<sunfleck::model::Material>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EmissiveStrength {
    #[serde(default = "one")]
    pub(super) emissive_strength: f32,
}

#[derive(Debug, Deserialize)]
pub(super) struct Ior {
    #[serde(default = "glass")]
    pub(super) ior: f32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Transmission {
    pub(super) transmission_factor: f32,
    pub(super) transmission_texture: Option<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Volume {
    /// 0 is thin glass.
    pub(super) thickness_factor: f32,
    pub(super) attenuation_distance: Option<f32>,
    /// Colour that white light has after that distance; white if it is missing.
    pub(super) attenuation_color: Option<[f32; 3]>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextureInfo {
    pub(super) index: usize,
    #[serde(default)]
    pub(super) tex_coord: u32,
    /// Strength of a normal map; other textures do not have it.
    #[serde(default = "one")]
    pub(super) scale: f32,
    #[serde(default)]
    pub(super) extensions: TextureInfoExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TextureInfoExtensions {
    #[serde(rename = "KHR_texture_transform")]
    pub(super) transform: Option<TextureTransform>,
    #[serde(rename = "SUNFLECK_scene")]
    pub(super) sunfleck: Option<sunfleck::model::TextureInfo>,
}

#[derive(Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct TextureTransform {
    pub(super) offset: [f32; 2],
    pub(super) rotation: f32,
    pub(super) scale: [f32; 2],
    pub(super) tex_coord: Option<u32>,
}

impl Default for TextureTransform {
    fn default() -> Self {
        Self { offset: [0.0; 2], rotation: 0.0, scale: [1.0; 2], tex_coord: None }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Texture {
    pub(super) name: String,
    pub(super) sampler: Option<usize>,
    pub(super) source: Option<usize>,
    pub(super) extensions: TextureExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TextureExtensions {
    #[serde(rename = "EXT_texture_webp")]
    pub(super) webp: Option<TextureSource>,
    #[serde(rename = "SUNFLECK_scene")]
    pub(super) sunfleck: Option<sunfleck::model::Texture>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TextureSource {
    pub(super) source: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Image {
    pub(super) name: String,
    pub(super) uri: Option<String>,
    pub(super) buffer_view: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Sampler {
    pub(super) mag_filter: Option<u32>,
    pub(super) wrap_s: Option<u32>,
    pub(super) wrap_t: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: usize,
    #[serde(rename = "type")]
    pub(super) shape: String,
    pub(super) sparse: Option<Sparse>,
    /// Smallest value of each component, if the file states it.
    #[serde(default)]
    pub(super) min: serde_json::Value,
    /// Largest value of each component, if the file states it.
    #[serde(default)]
    pub(super) max: serde_json::Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    pub(super) count: usize,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    pub(super) byte_stride: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) uri: Option<String>,
    pub(super) byte_length: usize,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Camera {
    pub(super) name: String,
    pub(super) perspective: Option<Perspective>,
    pub(super) orthographic: Option<Orthographic>,
    pub(super) extensions: CameraExtensions,
    pub(super) extras: Option<IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CameraExtensions {
    #[serde(rename = "SUNFLECK_scene")]
    pub(super) sunfleck: Option<sunfleck::model::Camera>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Perspective {
    pub(super) yfov: f32,
    #[serde(rename = "aspectRatio")]
    pub(super) aspect_ratio: Option<f32>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Orthographic {
    pub(super) xmag: Option<f32>,
    pub(super) ymag: f32,
}

fn one() -> f32 {
    1.0
}

fn yes() -> bool {
    true
}

fn glass() -> f32 {
    1.5
}

fn white() -> [f32; 3] {
    [1.0; 3]
}

fn triangles() -> u32 {
    super::primitive::TRIANGLES
}
