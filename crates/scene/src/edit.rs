use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sunfleck_math::{Affine3, DVec3};

use crate::check;
use crate::scene::{Scene, Table};
use crate::{
    Animation, AnimationId, Camera, CameraId, Deformer, Environment, Light, LightId, Material, MaterialId,
    Mesh, MeshId, Node, NodeId, Texture, TextureId,
};

/// Change of a [`Scene`], which can be serialised, replayed and inverted.
///
/// Edits with an `Option` add an object (if the id is new), replace it (if the id exists) or, with `None`, remove it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the description of a variant covers its fields")]
#[allow(clippy::large_enum_variant, reason = "most edits are of materials")]
pub enum SceneEdit {
    /// Sets or removes a mesh.
    Mesh { id: MeshId, mesh: Option<Arc<Mesh>> },
    /// Sets or removes a texture.
    Texture { id: TextureId, texture: Option<Arc<Texture>> },
    /// Sets or removes a material.
    Material { id: MaterialId, material: Option<Material> },
    /// Sets or removes a light.
    Light { id: LightId, light: Option<Light> },
    /// Sets or removes a camera.
    Camera { id: CameraId, camera: Option<Camera> },
    /// Sets or removes an animation.
    Animation { id: AnimationId, animation: Option<Arc<Animation>> },
    /// Sets or removes the deformer of a mesh.
    Deformer { id: MeshId, deformer: Option<Deformer> },
    /// Sets the weights of a deformer's morph targets. The vertices of the mesh are updated by the edits that
    /// [`Scene::deform`] returns.
    Weights { id: MeshId, weights: Vec<f32> },
    /// Sets or removes a node.
    Node { id: NodeId, node: Option<Node> },
    /// Sets the transform of a node.
    Transform { id: NodeId, parent_from_node: Affine3 },
    /// Shows or hides a node and its descendants.
    Visible { id: NodeId, visible: bool },
    /// Sets the environment.
    Environment { environment: Environment },
    /// Sets or removes the exposure that the author chose, in stops.
    Exposure { stops: Option<f32> },
    /// Sets the [`Scene::origin`]; objects keep their positions relative to it.
    Origin { origin: DVec3 },
    /// Applies all edits in order, or none if one of them is refused.
    Batch(Vec<SceneEdit>),
}

/// Error of an edit that is refused. The scene is then unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The edit removes or changes an object that does not exist.
    #[error("there is no {0}")]
    Missing(String),
    /// The edit makes an object refer to one that does not exist.
    #[error("{from} refers to {to}, which does not exist")]
    Dangling {
        /// Object with the reference.
        from: String,
        /// Object that does not exist.
        to: String,
    },
    /// The edit removes an object that is in use.
    #[error("{what} is still used by {by}")]
    InUse {
        /// Object that the edit removes.
        what: String,
        /// User of the object.
        by: String,
    },
    /// A node would be its own ancestor.
    #[error("{0} would be its own ancestor")]
    Cycle(NodeId),
    /// An instance has fewer materials than its mesh has slots.
    #[error("{node} has {found} materials for the {slots} material slots of its mesh")]
    Slots {
        /// Node of the instance.
        node: NodeId,
        /// Number of materials of the instance.
        found: usize,
        /// Number of slots of the mesh.
        slots: u16,
    },
    /// The edit changes the triangles or the number of vertices of a mesh with a deformer.
    #[error("{0} has a deformer: its triangles and its number of vertices cannot change")]
    Deformed(MeshId),
    /// An array of a deformer or an animation has the wrong length.
    #[error("{what} has {found} {array}, expected {expected}")]
    Length {
        /// Object with the array.
        what: String,
        /// Name of the array.
        array: &'static str,
        /// Length of the array.
        found: usize,
        /// Required length.
        expected: usize,
    },
    /// A number is out of its range.
    #[error("the {property} of {what} is {value}; it must be {expected}")]
    Range {
        /// Object with the number.
        what: String,
        /// Name of the property.
        property: &'static str,
        /// Value of the property.
        value: String,
        /// Description of the allowed values.
        expected: Cow<'static, str>,
    },
    /// All ids of a kind of object have been used.
    #[error("no id is available after {0}")]
    OutOfIds(String),
}

impl Scene {
    /// Applies an edit and returns its inverse. Errors: [`EditError`]; the scene is then unchanged.
    pub fn apply(&mut self, edit: SceneEdit) -> Result<SceneEdit, EditError> {
        let inverse = self.apply_without_revision(edit)?;
        self.revision += 1;
        Ok(inverse)
    }

    /// Validates and applies an edit without incrementing the revision.
    fn apply_without_revision(&mut self, edit: SceneEdit) -> Result<SceneEdit, EditError> {
        check::edit(self, &edit)?;
        Ok(match edit {
            SceneEdit::Mesh { id, mesh } => {
                SceneEdit::Mesh { id, mesh: set(&mut self.meshes, id, id.0, mesh)? }
            }
            SceneEdit::Texture { id, texture } => {
                SceneEdit::Texture { id, texture: set(&mut self.textures, id, id.0, texture)? }
            }
            SceneEdit::Material { id, material } => {
                SceneEdit::Material { id, material: set(&mut self.materials, id, id.0, material)? }
            }
            SceneEdit::Light { id, light } => {
                SceneEdit::Light { id, light: set(&mut self.lights, id, id.0, light)? }
            }
            SceneEdit::Camera { id, camera } => {
                SceneEdit::Camera { id, camera: set(&mut self.cameras, id, id.0, camera)? }
            }
            SceneEdit::Node { id, node } => {
                SceneEdit::Node { id, node: set(&mut self.nodes, id, id.0, node)? }
            }
            SceneEdit::Animation { id, animation } => {
                SceneEdit::Animation { id, animation: set(&mut self.animations, id, id.0, animation)? }
            }
            SceneEdit::Deformer { id, deformer } => {
                let before = match deformer {
                    Some(deformer) => self.deformers.insert(id, deformer),
                    None => self.deformers.remove(&id),
                };
                SceneEdit::Deformer { id, deformer: before }
            }
            SceneEdit::Weights { id, weights } => {
                let missing = || EditError::Missing(format!("deformer of {id}"));
                let deformer = self.deformers.get_mut(&id).ok_or_else(missing)?;
                SceneEdit::Weights { id, weights: std::mem::replace(&mut deformer.weights, weights) }
            }
            SceneEdit::Transform { id, parent_from_node } => {
                let node = self.node_mut(id)?;
                let before = std::mem::replace(&mut node.parent_from_node, parent_from_node);
                SceneEdit::Transform { id, parent_from_node: before }
            }
            SceneEdit::Visible { id, visible } => {
                let node = self.node_mut(id)?;
                SceneEdit::Visible { id, visible: std::mem::replace(&mut node.visible, visible) }
            }
            SceneEdit::Environment { environment } => {
                SceneEdit::Environment { environment: std::mem::replace(&mut self.environment, environment) }
            }
            SceneEdit::Exposure { stops } => {
                SceneEdit::Exposure { stops: std::mem::replace(&mut self.exposure_stops, stops) }
            }
            SceneEdit::Origin { origin } => {
                SceneEdit::Origin { origin: std::mem::replace(&mut self.origin, origin) }
            }
            SceneEdit::Batch(edits) => self.apply_batch(edits)?,
        })
    }

    /// Applies all edits or none: if one is refused, those before it are undone.
    fn apply_batch(&mut self, edits: Vec<SceneEdit>) -> Result<SceneEdit, EditError> {
        let mut inverses = Vec::with_capacity(edits.len());
        let mut first_error = None;
        for edit in edits {
            match self.apply_without_revision(edit) {
                Ok(inverse) => inverses.push(inverse),
                Err(error) => {
                    first_error = Some(error);
                    break;
                }
            }
        }
        inverses.reverse();
        match first_error {
            None => Ok(SceneEdit::Batch(inverses)),
            Some(error) => {
                for inverse in inverses {
                    self.apply_without_revision(inverse)?;
                }
                Err(error)
            }
        }
    }

    fn node_mut(&mut self, id: NodeId) -> Result<&mut Node, EditError> {
        self.nodes.items.get_mut(&id).ok_or_else(|| EditError::Missing(id.to_string()))
    }
}

/// Inserts, replaces or removes an object and returns the previous one. Errors: [`EditError::Missing`],
/// [`EditError::OutOfIds`].
fn set<I: Ord + Copy + std::fmt::Display, T>(
    table: &mut Table<I, T>,
    id: I,
    index: u32,
    value: Option<T>,
) -> Result<Option<T>, EditError> {
    match (table.items.entry(id), value) {
        (Entry::Occupied(mut entry), Some(value)) => Ok(Some(entry.insert(value))),
        (Entry::Occupied(entry), None) => Ok(Some(entry.remove())),
        (Entry::Vacant(_), None) => Err(EditError::Missing(id.to_string())),
        (Entry::Vacant(entry), Some(value)) => {
            let next = index.checked_add(1).ok_or_else(|| EditError::OutOfIds(id.to_string()))?;
            table.next = table.next.max(next);
            entry.insert(value);
            Ok(None)
        }
    }
}
