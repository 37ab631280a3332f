use std::collections::BTreeMap;
use std::sync::Arc;

use sunfleck_math::DVec3;

use crate::{
    Animation, AnimationId, Camera, CameraId, Deformer, EditError, Environment, Light, LightId, Material,
    MaterialId, Mesh, MeshId, Node, NodeId, SceneEdit, Texture, TextureId,
};

/// Objects of one kind, ordered by id.
#[derive(Clone, Debug)]
pub(crate) struct Table<I, T> {
    pub(crate) items: BTreeMap<I, T>,
    /// Smallest id that has never been used.
    pub(crate) next: u32,
}

impl<I, T> Default for Table<I, T> {
    fn default() -> Self {
        Self { items: BTreeMap::new(), next: 0 }
    }
}

/// Scene: all objects that are rendered. It is changed only by [`Scene::apply`].
///
/// Meshes, textures and animations are shared (`Arc`), so cloning a scene is cheap.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub(crate) meshes: Table<MeshId, Arc<Mesh>>,
    pub(crate) textures: Table<TextureId, Arc<Texture>>,
    pub(crate) materials: Table<MaterialId, Material>,
    pub(crate) lights: Table<LightId, Light>,
    pub(crate) cameras: Table<CameraId, Camera>,
    pub(crate) nodes: Table<NodeId, Node>,
    pub(crate) animations: Table<AnimationId, Arc<Animation>>,
    pub(crate) deformers: BTreeMap<MeshId, Deformer>,
    pub(crate) environment: Environment,
    pub(crate) exposure_stops: Option<f32>,
    pub(crate) origin: DVec3,
    pub(crate) revision: u64,
}

impl Scene {
    /// Returns the environment.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the exposure that the author chose for images of the scene, in stops; `None` if it is left to automatic
    /// exposure.
    pub fn exposure_stops(&self) -> Option<f32> {
        self.exposure_stops
    }

    /// Returns the point of the author's coordinates that all positions are relative to, in metres.
    ///
    /// Geo-referenced scenes have coordinates of millions of metres, which f32 rounds to decimetres. Importers subtract
    /// a point nearby in f64; what shows or takes coordinates of the author adds or subtracts it again.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Returns the deformers with the ids of their meshes, ordered by id.
    pub fn deformers(&self) -> impl ExactSizeIterator<Item = (MeshId, &Deformer)> {
        self.deformers.iter().map(|(&id, deformer)| (id, deformer))
    }

    /// Returns the deformer of a mesh, if it has one.
    pub fn deformer(&self, id: MeshId) -> Option<&Deformer> {
        self.deformers.get(&id)
    }

    /// Returns the number of edits that have been applied.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Sets the environment by applying an edit. Errors: as [`Scene::apply`].
    pub fn set_environment(&mut self, environment: Environment) -> Result<(), EditError> {
        self.apply(SceneEdit::Environment { environment }).map(drop)
    }

    /// Sets or removes the author's exposure by applying an edit. Errors: as [`Scene::apply`].
    pub fn set_exposure(&mut self, stops: Option<f32>) -> Result<(), EditError> {
        self.apply(SceneEdit::Exposure { stops }).map(drop)
    }

    /// Sets the origin by applying an edit. Errors: as [`Scene::apply`].
    pub fn set_origin(&mut self, origin: DVec3) -> Result<(), EditError> {
        self.apply(SceneEdit::Origin { origin }).map(drop)
    }

    /// Returns the number of triangles of all visible instances; a mesh counts once per instance.
    pub fn instanced_triangle_count(&self) -> u64 {
        self.world_instances().iter().map(|i| self.meshes.items[&i.mesh].triangles().len() as u64).sum()
    }

    /// Returns the number of shapes of all visible instances; a mesh counts once per instance.
    pub fn instanced_shape_count(&self) -> u64 {
        self.world_instances().iter().map(|i| self.meshes.items[&i.mesh].shapes().len() as u64).sum()
    }
}

/// Implements the accessors of each kind of object, and the method that adds one by applying an edit.
macro_rules! accessors {
    ($($things:ident: $id:ident => $stored:ty, $thing:ident, $Thing:ident, $next:ident, $add:ident, $wrap:expr;)*) => {
        impl Scene {$(
            #[doc = concat!("Returns all ", stringify!($things), " with their ids, ordered by id.")]
            pub fn $things(&self) -> impl ExactSizeIterator<Item = ($id, &$stored)> {
                self.$things.items.iter().map(|(&id, thing)| (id, thing))
            }

            #[doc = concat!("Returns the ", stringify!($thing), " with this id, or `None`.")]
            pub fn $thing(&self, id: $id) -> Option<&$stored> {
                self.$things.items.get(&id)
            }

            #[doc = concat!("Returns an id that no ", stringify!($thing), " has ever had, for an edit that adds one.")]
            pub fn $next(&self) -> $id {
                $id(self.$things.next)
            }

            #[doc = concat!("Adds an object (", stringify!($thing), ") by applying an edit, and returns its id.")]
            ///
            /// Errors: as [`Scene::apply`].
            pub fn $add(&mut self, $thing: $Thing) -> Result<$id, EditError> {
                let id = self.$next();
                self.apply(SceneEdit::$Thing { id, $thing: Some($wrap($thing)) })?;
                Ok(id)
            }
        )*}
    };
}

accessors! {
    meshes: MeshId => Arc<Mesh>, mesh, Mesh, next_mesh_id, add_mesh, Arc::new;
    textures: TextureId => Arc<Texture>, texture, Texture, next_texture_id, add_texture, Arc::new;
    materials: MaterialId => Material, material, Material, next_material_id, add_material, std::convert::identity;
    lights: LightId => Light, light, Light, next_light_id, add_light, std::convert::identity;
    cameras: CameraId => Camera, camera, Camera, next_camera_id, add_camera, std::convert::identity;
    nodes: NodeId => Node, node, Node, next_node_id, add_node, std::convert::identity;
    animations: AnimationId => Arc<Animation>, animation, Animation, next_animation_id, add_animation, Arc::new;
}
