use sunfleck_integrators::{PackedMesh, PackedPlaced, World};
use sunfleck_shading::packed_lights::{LightHeader, LightNode, PackedLights, PunctualLight, TriangleLight};
use sunfleck_shading::{PackedMaterial, PackedMaterials, PackedTexture, packed_albedo_table};

use crate::buffer::Array;
use crate::{Gpu, GpuError, Mirror};

/// A committed world where the GPU reads it: what rays are traced against, surfaces, materials, textures, lights.
#[derive(Debug)]
pub struct SceneMirror {
    pub(crate) mirror: Mirror,
    placed: Array<PackedPlaced>,
    meshes: Array<PackedMesh>,
    words: Array<u32>,
    materials: Array<PackedMaterial>,
    textures: Array<PackedTexture>,
    texels: Array<u32>,
    albedo_table: Array<[f32; 2]>,
    light_header: Array<LightHeader>,
    light_nodes: Array<LightNode>,
    triangle_lights: Array<TriangleLight>,
    punctual_lights: Array<PunctualLight>,
    light_numbers: Array<u32>,
}

impl SceneMirror {
    /// Uploads a world.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] if some surface is see-through; [`GpuError::TooLarge`], [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Gpu, world: &World) -> Result<Self, GpuError> {
        if !world.is_opaque() {
            return Err(GpuError::Unsupported { what: "surfaces with alpha" });
        }
        let PackedLights { header, nodes, triangles, punctual, numbers } =
            world.lights().packed(world.materials());
        let limit = u64::from(u32::MAX) * 4;
        let too_large = GpuError::TooLarge { what: "meshes", bytes: limit, limit };
        let surfaces = world.packed_surfaces().ok_or(too_large)?;
        let PackedMaterials { materials, textures, texels } = world.materials().packed();
        let mirror = Self {
            mirror: Mirror::new(gpu, world.tlas())?,
            placed: Array::new(gpu, "instances", &surfaces.placed)?,
            meshes: Array::new(gpu, "meshes", &surfaces.meshes)?,
            words: Array::new(gpu, "vertices", &surfaces.words)?,
            materials: Array::new(gpu, "materials", &materials)?,
            textures: Array::new(gpu, "textures", &textures)?,
            texels: Array::new(gpu, "texels", &texels)?,
            albedo_table: Array::new(gpu, "tables", &packed_albedo_table())?,
            light_header: Array::new(gpu, "lights", &[header])?,
            light_nodes: Array::new(gpu, "clusters of lights", &nodes)?,
            triangle_lights: Array::new(gpu, "triangles that shine", &triangles)?,
            punctual_lights: Array::new(gpu, "lights", &punctual)?,
            light_numbers: Array::new(gpu, "tables of lights", &numbers)?,
        };
        gpu.check()?;
        Ok(mirror)
    }

    /// What kernels that shade bind as group 0.
    pub(crate) fn surfaces(&self) -> [(u32, &wgpu::Buffer); 3] {
        [(3, &self.placed.buffer), (4, &self.meshes.buffer), (5, &self.words.buffer)]
    }

    /// What they bind as group 2.
    pub(crate) fn materials(&self) -> [(u32, &wgpu::Buffer); 4] {
        [
            (0, &self.materials.buffer),
            (1, &self.textures.buffer),
            (2, &self.texels.buffer),
            (3, &self.albedo_table.buffer),
        ]
    }

    /// What they bind as group 3.
    pub(crate) fn lights(&self) -> [(u32, &wgpu::Buffer); 5] {
        [
            (0, &self.light_header.buffer),
            (1, &self.light_nodes.buffer),
            (2, &self.triangle_lights.buffer),
            (3, &self.punctual_lights.buffer),
            (4, &self.light_numbers.buffer),
        ]
    }
}
