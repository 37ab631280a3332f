//! Material table: the materials of a scene as records with resolved textures, and their evaluation at a point.

mod packed;
mod record;

use sunfleck_math::{Vec2, Vec3, Vec4, vec3};
use sunfleck_scene::{Alpha, Material, MaterialId, Scene};

use crate::texture::{TextureLookup, TextureTable};
use crate::{Bsdf, ThinDielectric};
pub use packed::{PackedMaterial, PackedMaterials, PackedRecords};
use record::MaterialRecord;

/// Attributes of a surface point on which textures and colours depend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceAttributes {
    /// First texture coordinates; (0, 0) is the upper left corner of the image.
    pub uv0: Vec2,
    /// Second texture coordinates.
    pub uv1: Vec2,
    /// Vertex colour, linear, and alpha; 1 if the mesh has none.
    pub color: Vec4,
    /// Position in object space, on which procedural patterns depend. Emission and alpha do not depend on it.
    pub position: Vec3,
    /// Width of the footprint over which textures are filtered, in units of `uv0` and of `uv1`; 0 for a point.
    pub footprint: [f32; 2],
}

impl Default for SurfaceAttributes {
    fn default() -> Self {
        Self { uv0: Vec2::ZERO, uv1: Vec2::ZERO, color: Vec4::ONE, position: Vec3::ZERO, footprint: [0.0; 2] }
    }
}

/// The materials of a scene by dense index, in the order of their ids.
///
/// Methods panic, like indexing, for an index that [`MaterialTable::index_of`] did not return.
#[derive(Clone, Debug)]
pub struct MaterialTable {
    /// One record per id, and a last one for ids that the scene does not have.
    records: Vec<MaterialRecord>,
    ids: Vec<MaterialId>,
    textures: TextureTable,
    has_panes: bool,
}

impl MaterialTable {
    /// Makes the table of all materials of a scene.
    pub fn new(scene: &Scene) -> Self {
        Self::build(scene, None)
    }

    /// Makes the table of another scene, such as an edited one, as [`MaterialTable::new`] does, but reuses the mip
    /// levels of images that this table has.
    #[must_use]
    pub fn update(&self, scene: &Scene) -> Self {
        Self::build(scene, Some(self))
    }

    fn build(scene: &Scene, previous: Option<&Self>) -> Self {
        let textures = TextureTable::new(scene, previous.map(|previous| &previous.textures));
        let unknown = Material::lambert("unknown", vec3(0.5, 0.5, 0.5));
        let materials = scene.materials().map(|(_, material)| material).chain([&unknown]);
        let records: Vec<_> = materials.map(|material| MaterialRecord::new(material, &textures)).collect();
        let has_panes = records.iter().any(|record| record.pane().is_some());
        Self { records, ids: scene.materials().map(|(id, _)| id).collect(), textures, has_panes }
    }

    /// Returns the dense index of a material, or that of a grey material if the scene has no material with that id.
    pub fn index_of(&self, id: MaterialId) -> u32 {
        let index = self.ids.binary_search(&id).unwrap_or(self.ids.len());
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    /// Returns the number of materials, that of unknown ones included.
    #[allow(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> u32 {
        u32::try_from(self.records.len()).unwrap_or(u32::MAX)
    }

    /// Returns the bsdf at a point.
    #[inline(always)]
    pub fn bsdf(&self, material: u32, at: &SurfaceAttributes) -> Bsdf {
        let record = self.record(material);
        record.surface.bsdf(&self.textures, record.procedural.as_deref(), at)
    }

    /// Returns whether the surface is ideally diffuse, not emissive, and has neither a normal map nor a procedural
    /// pattern: then [`MaterialTable::base_color`] describes it completely.
    #[inline(always)]
    pub fn is_plain(&self, material: u32) -> bool {
        self.record(material).is_plain()
    }

    /// Returns whether bsdf and emission are the same everywhere on a mesh without vertex colours: there are neither
    /// textures nor a procedural pattern.
    #[inline(always)]
    pub fn is_uniform(&self, material: u32) -> bool {
        self.record(material).is_uniform()
    }

    /// Returns whether the bsdf has diffuse lobes only.
    #[inline(always)]
    pub fn is_diffuse(&self, material: u32) -> bool {
        self.record(material).surface.is_diffuse()
    }

    /// Returns whether the bsdf may have specular lobes at some points.
    pub fn may_be_specular(&self, material: u32) -> bool {
        self.record(material).surface.may_be_specular()
    }

    /// Returns whether any material may have specular lobes.
    pub fn any_specular(&self) -> bool {
        self.records.iter().any(|record| record.surface.may_be_specular())
    }

    /// Returns whether the base colour depends on texture coordinates.
    #[inline(always)]
    pub fn has_base_texture(&self, material: u32) -> bool {
        self.record(material).surface.has_base_texture()
    }

    /// Returns the base colour without procedural patterns, which is the albedo of diffuse surfaces.
    #[inline(always)]
    pub fn base_color(&self, material: u32, at: &SurfaceAttributes) -> Vec3 {
        self.record(material).surface.reflectance(&self.textures, None, at)
    }

    /// Returns the radiance, W/(m² sr), emitted by the front face, and by the back face if the material is
    /// double-sided.
    #[inline(always)]
    pub fn emission(&self, material: u32, at: &SurfaceAttributes) -> Vec3 {
        let record = self.record(material);
        match &record.emission_texture {
            Some(lookup) => record.radiance * self.textures.sample(lookup, at).truncate().max(Vec3::ZERO),
            None => record.radiance,
        }
    }

    /// Returns whether the surface may be emissive; its emission texture may still be black.
    #[inline(always)]
    pub fn is_emissive(&self, material: u32) -> bool {
        self.record(material).radiance != Vec3::ZERO
    }

    /// Returns the radiance if it is the same everywhere; `None` if it depends on a texture.
    #[inline(always)]
    pub(crate) fn uniform_emission(&self, material: u32) -> Option<Vec3> {
        let record = self.record(material);
        record.emission_texture.is_none().then_some(record.radiance)
    }

    /// Returns the radiance that lights have to have at a point: as with bsdf sampling, where a fraction 1 - alpha of the
    /// rays passes through and misses the emission.
    ///
    /// * `attributes` — returns those of the point; not called if the radiance is the same everywhere.
    #[inline(always)]
    pub(crate) fn light_radiance(
        &self,
        material: u32,
        attributes: impl FnOnce() -> SurfaceAttributes,
    ) -> Vec3 {
        let is_opaque = self.is_opaque(material);
        if let Some(radiance) = self.uniform_emission(material)
            && is_opaque
        {
            return radiance;
        }
        let attributes = attributes();
        let radiance = self.emission(material, &attributes);
        if is_opaque { radiance } else { radiance * self.alpha(material, &attributes) }
    }

    /// Returns whether the surface is ideally specular everywhere, so that sampling lights is of no use.
    #[inline(always)]
    pub fn is_delta(&self, material: u32) -> bool {
        self.record(material).surface.is_delta()
    }

    /// Returns the factors of [`MaterialTable::emission`]: a constant radiance and, if there is one, a texture.
    pub(crate) fn emission_factors(&self, material: u32) -> (Vec3, Option<&TextureLookup>) {
        let record = self.record(material);
        (record.radiance, record.emission_texture.as_ref())
    }

    pub(crate) fn textures(&self) -> &TextureTable {
        &self.textures
    }

    /// Returns whether the back emits, too.
    #[inline(always)]
    pub fn is_double_sided(&self, material: u32) -> bool {
        self.record(material).double_sided
    }

    /// Returns whether the surface stops every ray: [`MaterialTable::alpha`] is 1 everywhere, and it is no
    /// [pane](MaterialTable::pane).
    #[inline(always)]
    pub fn is_opaque(&self, material: u32) -> bool {
        let record = self.record(material);
        record.alpha == Alpha::Opaque && record.pane().is_none()
    }

    /// Returns the pane of thin glass through which rays pass without a vertex; `None` for other surfaces.
    #[inline(always)]
    pub fn pane(&self, material: u32) -> Option<&ThinDielectric> {
        self.record(material).pane()
    }

    /// Returns whether any material is a [pane](MaterialTable::pane).
    #[inline(always)]
    pub fn has_panes(&self) -> bool {
        self.has_panes
    }

    /// Returns the opacity at a point: the fraction of rays that hit the surface there, in [0, 1].
    #[inline(always)]
    pub fn alpha(&self, material: u32, at: &SurfaceAttributes) -> f32 {
        let record = self.record(material);
        match record.alpha {
            Alpha::Opaque => 1.0,
            Alpha::Mask { cutoff } => f32::from(self.base_alpha(record, at) >= cutoff),
            Alpha::Blend => self.base_alpha(record, at).clamp(0.0, 1.0),
        }
    }

    /// Returns whether [`MaterialTable::normal`] or [`MaterialTable::relief`] may be `Some`.
    #[inline(always)]
    pub fn is_bumpy(&self, material: u32) -> bool {
        let record = self.record(material);
        record.normal_map.is_some() || record.procedural.is_some()
    }

    /// Returns whether the bsdf depends on the direction of the tangent.
    #[inline(always)]
    pub fn is_anisotropic(&self, material: u32) -> bool {
        self.record(material).surface.is_anisotropic()
    }

    /// Returns the unit normal from the normal map, in the tangent frame (x in the direction of increasing u, y up in
    /// the image, z outwards); `None` without a map.
    #[inline(always)]
    pub fn normal(&self, material: u32, at: &SurfaceAttributes) -> Option<Vec3> {
        let map = self.record(material).normal_map.as_ref()?;
        let code = self.textures.sample(&map.lookup, at).truncate();
        let n = code * 2.0 - Vec3::ONE;
        Some(vec3(n.x * map.scale, n.y * map.scale, n.z).normalize_or(Vec3::Z))
    }

    /// Returns the gradient, in object space, of the height by which a procedural relief displaces the surface; `None`
    /// without a relief.
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
