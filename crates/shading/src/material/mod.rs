//! Materials as flat records, with their textures resolved.

mod packed;
mod record;

use sunfleck_math::{Vec2, Vec3, Vec4, vec3};
use sunfleck_scene::{Alpha, Material, MaterialId, Scene};

use crate::Bsdf;
use crate::texture::{TextureLookup, TextureTable};
pub use packed::{PackedMaterial, PackedMaterials, PackedRecords};
use record::MaterialRecord;

/// What of a surface point the textures and colours of its material depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceAttributes {
    /// First texture coordinates; (0, 0) is the upper left corner of the image.
    pub uv0: Vec2,
    /// Second texture coordinates.
    pub uv1: Vec2,
    /// Vertex colour, linear, and alpha; 1 if the mesh has none.
    pub color: Vec4,
    /// Where it is in the mesh's own space. Emission and alpha do not depend on it.
    pub position: Vec3,
    /// How wide what is seen of the surface is, in units of `uv0` and of `uv1`; 0 is a point.
    pub footprint: [f32; 2],
}

impl Default for SurfaceAttributes {
    fn default() -> Self {
        Self { uv0: Vec2::ZERO, uv1: Vec2::ZERO, color: Vec4::ONE, position: Vec3::ZERO, footprint: [0.0; 2] }
    }
}

/// The materials of a scene by dense index, in the order of their ids.
///
/// Methods panic, as indexing does, for an index that [`MaterialTable::index_of`] never gave.
#[derive(Clone, Debug)]
pub struct MaterialTable {
    /// One more than `ids`: the last stands for ids that the scene does not have.
    records: Vec<MaterialRecord>,
    ids: Vec<MaterialId>,
    textures: TextureTable,
}

impl MaterialTable {
    /// Resolves all materials of a scene.
    pub fn new(scene: &Scene) -> Self {
        Self::build(scene, None)
    }

    /// The table of an edited scene, or any other one: the same as [`MaterialTable::new`] makes, but what follows from images that
    /// this one has is taken from it.
    #[must_use]
    pub fn update(&self, scene: &Scene) -> Self {
        Self::build(scene, Some(self))
    }

    fn build(scene: &Scene, before: Option<&Self>) -> Self {
        let textures = TextureTable::new(scene, before.map(|before| &before.textures));
        let unknown = Material::lambert("unknown", vec3(0.5, 0.5, 0.5));
        let materials = scene.materials().map(|(_, material)| material).chain([&unknown]);
        let records = materials.map(|material| MaterialRecord::new(material, &textures)).collect();
        Self { records, ids: scene.materials().map(|(id, _)| id).collect(), textures }
    }

    /// Dense index of a material; that of a grey one if the scene had none of that id.
    pub fn index_of(&self, id: MaterialId) -> u32 {
        let index = self.ids.binary_search(&id).unwrap_or(self.ids.len());
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    /// How the surface scatters light at a point.
    #[inline(always)]
    pub fn bsdf(&self, material: u32, at: &SurfaceAttributes) -> Bsdf {
        let record = self.record(material);
        record.surface.bsdf(&self.textures, record.procedural.as_deref(), at)
    }

    /// Whether the surface is ideally diffuse, dark, and without a normal map or a procedural pattern: then its
    /// [`MaterialTable::base_color`] is all there is to know.
    #[inline(always)]
    pub fn is_plain(&self, material: u32) -> bool {
        self.record(material).is_plain()
    }

    /// Whether the surface may have specular lobes somewhere.
    pub fn may_be_specular(&self, material: u32) -> bool {
        self.record(material).surface.may_be_specular()
    }

    /// Whether any material may have such lobes.
    pub fn any_specular(&self) -> bool {
        self.records.iter().any(|record| record.surface.may_be_specular())
    }

    /// Whether the base colour depends on the texture coordinates.
    #[inline(always)]
    pub fn has_base_texture(&self, material: u32) -> bool {
        self.record(material).surface.base_texture()
    }

    /// The base colour without procedural patterns: of diffuse surfaces the albedo.
    #[inline(always)]
    pub fn base_color(&self, material: u32, at: &SurfaceAttributes) -> Vec3 {
        self.record(material).surface.reflectance(&self.textures, None, at)
    }

    /// Radiance of the surface, W/(m² sr), from its front, and from its back if it is double-sided.
    #[inline(always)]
    pub fn emission(&self, material: u32, at: &SurfaceAttributes) -> Vec3 {
        let record = self.record(material);
        match &record.emission_texture {
            Some(lookup) => record.radiance * self.textures.sample(lookup, at).truncate().max(Vec3::ZERO),
            None => record.radiance,
        }
    }

    /// Whether the surface may radiate; its emission texture may still be black.
    #[inline(always)]
    pub fn is_emissive(&self, material: u32) -> bool {
        self.record(material).radiance != Vec3::ZERO
    }

    /// What [`MaterialTable::emission`] is the product of: a constant, and an image if there is one.
    pub(crate) fn emission_factors(&self, material: u32) -> (Vec3, Option<&TextureLookup>) {
        let record = self.record(material);
        (record.radiance, record.emission_texture.as_ref())
    }

    pub(crate) fn textures(&self) -> &TextureTable {
        &self.textures
    }

    /// Whether the back radiates too.
    #[inline(always)]
    pub fn is_double_sided(&self, material: u32) -> bool {
        self.record(material).double_sided
    }

    /// Whether the surface is there everywhere: [`MaterialTable::alpha`] is 1.
    #[inline(always)]
    pub fn is_opaque(&self, material: u32) -> bool {
        self.record(material).alpha == Alpha::Opaque
    }

    /// The fraction of rays that meet the surface at a point, in [0, 1].
    #[inline(always)]
    pub fn alpha(&self, material: u32, at: &SurfaceAttributes) -> f32 {
        let record = self.record(material);
        match record.alpha {
            Alpha::Opaque => 1.0,
            Alpha::Mask { cutoff } => f32::from(self.base_alpha(record, at) >= cutoff),
            Alpha::Blend => self.base_alpha(record, at).clamp(0.0, 1.0),
        }
    }

    /// Whether [`MaterialTable::normal`] or [`MaterialTable::relief`] may have an answer.
    #[inline(always)]
    pub fn is_bumpy(&self, material: u32) -> bool {
        let record = self.record(material);
        record.normal_map.is_some() || record.procedural.is_some()
    }

    /// Unit normal from the normal map, in the tangent frame (x along growing u, y up the image, z outward); `None`
    /// without a map.
    #[inline(always)]
    pub fn normal(&self, material: u32, at: &SurfaceAttributes) -> Option<Vec3> {
        let map = self.record(material).normal_map.as_ref()?;
        let code = self.textures.sample(&map.lookup, at).truncate();
        let n = code * 2.0 - Vec3::ONE;
        Some(vec3(n.x * map.scale, n.y * map.scale, n.z).normalize_or(Vec3::Z))
    }

    /// Gradient, in the mesh's own space, of the height by which a procedural relief raises the surface; `None` if it has
    /// no relief.
    #[inline(always)]
    pub fn relief(&self, material: u32, at: &SurfaceAttributes) -> Option<Vec3> {
        self.record(material).procedural.as_deref()?.relief(at.position)
    }

    #[inline(always)]
    fn base_alpha(&self, record: &MaterialRecord, at: &SurfaceAttributes) -> f32 {
        record.surface.base_color(&self.textures, at).w
    }

    #[inline(always)]
    fn record(&self, material: u32) -> &MaterialRecord {
        &self.records[material as usize]
    }
}
