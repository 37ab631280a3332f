use rayon::prelude::*;
use sunfleck_math::transform::look_at;
use sunfleck_math::{Affine3, Vec3};
use sunfleck_scene::{
    Camera, CameraId, Environment, Light, Material, MaterialId, Mesh, MeshData, MeshId, Node, NodeId, Scene,
    Texture, TextureId,
};

use crate::ModelError;

/// Builder of a scene; every method adds one or more objects and returns their ids.
#[derive(Debug, Default)]
pub(crate) struct SceneBuilder {
    scene: Scene,
}

impl SceneBuilder {
    pub(crate) fn finish(self) -> Scene {
        self.scene
    }

    pub(crate) fn material(&mut self, material: Material) -> Result<MaterialId, ModelError> {
        Ok(self.scene.add_material(material)?)
    }

    pub(crate) fn texture(&mut self, texture: Texture) -> Result<TextureId, ModelError> {
        Ok(self.scene.add_texture(texture)?)
    }

    pub(crate) fn mesh(&mut self, mesh: MeshData) -> Result<MeshId, ModelError> {
        Ok(self.scene.add_mesh(Mesh::new(mesh)?)?)
    }

    pub(crate) fn node(&mut self, node: Node) -> Result<NodeId, ModelError> {
        Ok(self.scene.add_node(node)?)
    }

    /// Adds a mesh and one instance of it, in world space; the node has the name of the mesh.
    pub(crate) fn fixture(&mut self, mesh: MeshData, materials: &[MaterialId]) -> Result<NodeId, ModelError> {
        let name = mesh.name.clone();
        let mesh = self.mesh(mesh)?;
        self.node(Node::new(name).with_mesh(mesh, materials.to_vec()))
    }

    /// Adds meshes as [`fixture`](Self::fixture) does, with one list of materials for all. Meshes are validated in
    /// parallel; those without triangles are skipped.
    pub(crate) fn fixtures(
        &mut self,
        meshes: Vec<MeshData>,
        materials: &[MaterialId],
    ) -> Result<(), ModelError> {
        let meshes = meshes.into_par_iter().filter(|mesh| !mesh.triangles.is_empty()).map(Mesh::new);
        for mesh in meshes.collect::<Vec<_>>() {
            let mesh = mesh?;
            let (name, slots) = (mesh.name().to_string(), mesh.slot_count());
            let mesh = self.scene.add_mesh(mesh)?;
            let materials = materials.iter().take(usize::from(slots)).copied().collect();
            self.node(Node::new(name).with_mesh(mesh, materials))?;
        }
        Ok(())
    }

    /// Adds a light and a node for it, which has the name of the light.
    pub(crate) fn light(&mut self, light: Light, world_from_light: Affine3) -> Result<NodeId, ModelError> {
        let name = light.name.clone();
        let light = self.scene.add_light(light)?;
        self.node(Node::new(name).at(world_from_light).with_light(light))
    }

    pub(crate) fn environment(&mut self, environment: Environment) -> Result<(), ModelError> {
        Ok(self.scene.set_environment(environment)?)
    }

    /// Adds a camera at `eye` that looks at `target`, with +y up.
    pub(crate) fn camera(&mut self, camera: Camera, eye: Vec3, target: Vec3) -> Result<CameraId, ModelError> {
        let name = camera.name.clone();
        let id = self.scene.add_camera(camera)?;
        self.node(Node::new(name).at(look_at(eye, target, Vec3::Y)).with_camera(id))?;
        Ok(id)
    }
}
