use std::collections::BTreeMap;

use sunfleck_image::srgb::linear_from_srgb8_table;
use sunfleck_kernel::MISS;
use sunfleck_math::{Affine3, Mat3, Vec2, Vec3};
use sunfleck_scene::parameter::{Parameters, Value};
use sunfleck_scene::{
    ColorTexture, Material, MaterialId, Mesh, Scene, Texels, TextureId, TextureRef, WorldInstance,
};

/// Shading data of a triangle of the world, one cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub struct TriangleRecord {
    /// Shading normal in world space at the first vertex, and the differences of those at the second and third vertex
    /// from it. Without shading normals: the geometric normal, and zeros.
    pub normal: [[f32; 3]; 3],
    /// Texture coordinates after the transform of the texture, in the same form.
    pub uv: [[f32; 2]; 3],
    /// Index of the [`MaterialRecord`].
    pub material: u32,
}

/// Shading data of a material.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct MaterialRecord {
    /// Diffuse reflectance, linear RGB. Mirrors and glass are shaded as diffuse surfaces of their colour.
    pub color: [f32; 3],
    /// Emitted radiance, linear RGB.
    pub emission: [f32; 3],
    /// Width and height of the texture, texels; 0 without one.
    pub size: [f32; 2],
    /// Index of the first texel in [`ShadingTables::texels`].
    pub first_texel: u32,
}

/// Shading data of a scene, as arrays.
#[derive(Clone, Debug, Default)]
pub struct ShadingTables {
    /// Records of the triangles of all visible instances, in their order.
    pub triangles: Vec<TriangleRecord>,
    /// Index of the first triangle of each instance.
    pub first_triangle: Vec<u32>,
    /// Records of the materials in use.
    pub materials: Vec<MaterialRecord>,
    /// Texels of all textures in use: linear RGB, and a fourth value as padding.
    pub texels: Vec<[f32; 4]>,
}

impl ShadingTables {
    /// Returns the tables of all visible instances. Textures are repeated and filtered bilinearly, whatever their
    /// samplers are; alpha and normal maps are ignored.
    pub fn new(scene: &Scene) -> Self {
        let mut tables = Self::default();
        let mut known = TableIndices::default();
        for instance in scene.world_instances() {
            let Some(mesh) = scene.mesh(instance.mesh) else { continue };
            tables.first_triangle.push(index(tables.triangles.len()));
            tables.add_instance(scene, mesh, &instance, &mut known);
        }
        tables
    }

    /// Returns the index of the triangle record of a hit, [`MISS`] if there is none.
    #[inline(always)]
    pub(super) fn triangle_index(&self, inst_id: u32, prim_id: u32) -> u32 {
        match self.first_triangle.get(inst_id as usize) {
            Some(&first) => first.saturating_add(prim_id),
            None => MISS,
        }
    }

    #[inline(always)]
    pub(super) fn triangle(&self, index: u32) -> &TriangleRecord {
        const NONE: &TriangleRecord =
            &TriangleRecord { normal: [[0.0; 3]; 3], uv: [[0.0; 2]; 3], material: MISS };
        match self.triangles.get(index as usize) {
            Some(triangle) => triangle,
            None => NONE,
        }
    }

    #[inline(always)]
    pub(super) fn material(&self, index: u32) -> &MaterialRecord {
        const BLACK: &MaterialRecord =
            &MaterialRecord { color: [0.0; 3], emission: [0.0; 3], size: [0.0; 2], first_texel: 0 };
        match self.materials.get(index as usize) {
            Some(material) => material,
            None => BLACK,
        }
    }

    /// Returns the fraction of hits whose material has a texture.
    pub(crate) fn textured_share(&self, inst_ids: &[u32], prim_ids: &[u32]) -> f64 {
        let textured = |(&inst, &prim): (&u32, &u32)| {
            self.material(self.triangle(self.triangle_index(inst, prim)).material).size[0] > 0.0
        };
        inst_ids.iter().zip(prim_ids).filter(|&hit| textured(hit)).count() as f64
            / prim_ids.len().max(1) as f64
    }

    fn add_instance(
        &mut self,
        scene: &Scene,
        mesh: &Mesh,
        instance: &WorldInstance<'_>,
        known: &mut TableIndices,
    ) {
        let normal_matrix = normal_matrix(&instance.world_from_object);
        let slots: Vec<(u32, Option<TextureRef>)> = instance
            .materials
            .iter()
            .map(|&id| {
                (self.add_material(scene, id, known), scene.material(id).and_then(|m| color_of(m).texture))
            })
            .collect();
        let data = mesh.data();
        for (&vertices, prim) in data.triangles.iter().zip(0u32..) {
            let vertices = vertices.map(|v| v as usize);
            let (material, texture) = slots.get(mesh.slot(prim) as usize).copied().unwrap_or_default();
            let [a, b, c] = vertices.map(|v| instance.world_from_object.transform_point3(data.positions[v]));
            let flat = (b - a).cross(c - a).normalize_or(Vec3::Y);
            let normals = vertices
                .map(|v| data.normals.get(v).map_or(flat, |n| (normal_matrix * *n).normalize_or(flat)));
            let uvs = match texture.map_or(0, |texture| texture.uv_set) {
                0 => &data.uv0,
                _ => &data.uv1,
            };
            let uvs = vertices.map(|v| {
                let uv = uvs.get(v).copied().unwrap_or(Vec2::ZERO);
                texture.map_or(uv, |texture| texture.uv_transform.transform_point2(uv))
            });
            let [n0, n1, n2] = normals;
            let [t0, t1, t2] = uvs;
            self.triangles.push(TriangleRecord {
                normal: [n0, n1 - n0, n2 - n0].map(|n| n.to_array()),
                uv: [t0, t1 - t0, t2 - t0].map(|t| t.to_array()),
                material,
            });
        }
    }

    fn add_material(&mut self, scene: &Scene, id: MaterialId, known: &mut TableIndices) -> u32 {
        if let Some(&row) = known.materials.get(&id) {
            return row;
        }
        let mut record = MaterialRecord::default();
        if let Some(material) = scene.material(id) {
            let ColorTexture { factor, texture } = color_of(material);
            record.color = factor.truncate().to_array();
            record.emission = material.emission.radiance.to_array();
            let texture = texture.and_then(|texture| self.add_texture(scene, texture.texture, known));
            (record.first_texel, record.size) = texture.unwrap_or_default();
        }
        let row = index(self.materials.len());
        self.materials.push(record);
        known.materials.insert(id, row);
        row
    }

    /// Adds a texture, if it is not in the tables yet; returns its first texel and size.
    fn add_texture(
        &mut self,
        scene: &Scene,
        id: TextureId,
        known: &mut TableIndices,
    ) -> Option<(u32, [f32; 2])> {
        if let Some(&found) = known.textures.get(&id) {
            return Some(found);
        }
        let texture = scene.texture(id)?;
        let found = (index(self.texels.len()), [texture.width() as f32, texture.height() as f32]);
        match texture.texels() {
            Texels::Srgb8(texels) => {
                let linear = linear_from_srgb8_table();
                self.texels.extend(texels.iter().map(|t| t.map(|code| linear[code as usize])));
            }
            Texels::Linear8(texels) => {
                self.texels.extend(texels.iter().map(|t| t.map(|value| f32::from(value) / 255.0)));
            }
            Texels::Linear16(texels) => {
                self.texels.extend(texels.iter().map(|t| t.map(|value| f32::from(value) / 65535.0)));
            }
            Texels::Float(texels) => self.texels.extend_from_slice(texels),
        }
        known.textures.insert(id, found);
        Some(found)
    }
}

/// Indices of the materials and textures that are in the tables already.
#[derive(Default)]
struct TableIndices {
    materials: BTreeMap<MaterialId, u32>,
    textures: BTreeMap<TextureId, (u32, [f32; 2])>,
}

/// Returns the first colour parameter of a material's surface.
fn color_of(material: &Material) -> ColorTexture {
    let color = material.surface.values().into_iter().find_map(|(_, value)| match value {
        Value::TexturedColor(color) => Some(color),
        Value::Color(color) => Some(color.into()),
        _ => None,
    });
    color.unwrap_or_else(|| Vec3::ONE.into())
}

/// Returns the matrix that transforms normals to world space, up to their length: the cofactor matrix.
fn normal_matrix(world_from_object: &Affine3) -> Mat3 {
    let m = world_from_object.matrix3;
    let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis];
    Mat3::from_cols(y.cross(z), z.cross(x), x.cross(y))
}

fn index(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
