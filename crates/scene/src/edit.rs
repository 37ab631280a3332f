use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sunfleck_math::Affine3;

use crate::check;
use crate::scene::{Scene, Table};
use crate::{
    Animation, AnimationId, Camera, CameraId, Deformer, Environment, Light, LightId, Material, MaterialId,
    Mesh, MeshId, Node, NodeId, Texture, TextureId,
};

/// One change of a [`Scene`]; serialisable, replayable, invertible.
///
/// The edits that carry an `Option` add (a new id), replace (an existing one) or, with `None`, remove a thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields say nothing that the variant does not")]
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
    /// Sets or removes what deforms a mesh.
    Deformer { id: MeshId, deformer: Option<Deformer> },
    /// Sets how much of each morph target a deformed mesh takes; its vertices follow with [`Scene::deform`].
    Weights { id: MeshId, weights: Vec<f32> },
    /// Sets or removes a node.
    Node { id: NodeId, node: Option<Node> },
    /// Moves a node: the frequent edit, small.
    Transform { id: NodeId, parent_from_node: Affine3 },
    /// Shows or hides a node and all below it.
    Visible { id: NodeId, visible: bool },
    /// Sets the light from outside.
    Environment { environment: Environment },
    /// All of them in order, or none.
    Batch(Vec<SceneEdit>),
}

/// Why an edit was refused; the scene is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The edit removes or changes something that is not there.
    #[error("there is no {0}")]
    Missing(String),
    /// The edit makes something refer to a thing that is not there.
    #[error("{from} refers to {to}, which does not exist")]
    Dangling {
        /// What would refer.
        from: String,
        /// To what.
        to: String,
    },
    /// The edit removes something that is in use.
    #[error("{what} is still used by {by}")]
    InUse {
        /// What would go.
        what: String,
        /// Who needs it.
        by: String,
    },
    /// A node would be its own ancestor.
    #[error("{0} would be its own ancestor")]
    Cycle(NodeId),
    /// An instance has fewer materials than its mesh has slots.
    #[error("{node} has {found} materials for the {slots} material slots of its mesh")]
    Slots {
        /// The node of the instance.
        node: NodeId,
        /// Materials given.
        found: usize,
        /// Slots of the mesh.
        slots: u16,
    },
    /// A deformed mesh would get triangles or vertices that its deformer does not know.
    #[error("{0} is deformed: it must keep its triangles and the number of its vertices")]
    Deformed(MeshId),
    /// Arrays of a deformer or an animation do not fit together.
    #[error("{what} has {found} {array}, expected {expected}")]
    Length {
        /// Whose array.
        what: String,
        /// Which array.
        array: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// A number is out of its range.
    #[error("the {property} of {what} is {value}; it must be {expected}")]
    Range {
        /// Whose number.
        what: String,
        /// Which number.
        property: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
        expected: Cow<'static, str>,
    },
    /// All 2³² ids of a kind are used up.
    #[error("no id is left after {0}")]
    OutOfIds(String),
}

impl Scene {
    /// Applies an edit and returns its inverse. Errors: [`EditError`]; then the scene is unchanged.
    pub fn apply(&mut self, edit: SceneEdit) -> Result<SceneEdit, EditError> {
        let inverse = self.apply_unrevised(edit)?;
        self.revision += 1;
        Ok(inverse)
    }

    fn apply_unrevised(&mut self, edit: SceneEdit) -> Result<SceneEdit, EditError> {
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
            SceneEdit::Batch(edits) => self.apply_batch(edits)?,
        })
    }

    /// All or nothing: a refused edit takes those before it back.
    fn apply_batch(&mut self, edits: Vec<SceneEdit>) -> Result<SceneEdit, EditError> {
        let mut inverses = Vec::with_capacity(edits.len());
        let mut refused = None;
        for edit in edits {
            match self.apply_unrevised(edit) {
                Ok(inverse) => inverses.push(inverse),
                Err(error) => {
                    refused = Some(error);
                    break;
                }
            }
        }
        inverses.reverse();
        match refused {
            None => Ok(SceneEdit::Batch(inverses)),
            Some(error) => {
                for inverse in inverses {
                    self.apply_unrevised(inverse)?;
                }
                Err(error)
            }
        }
    }

    fn node_mut(&mut self, id: NodeId) -> Result<&mut Node, EditError> {
        self.nodes.items.get_mut(&id).ok_or_else(|| EditError::Missing(id.to_string()))
    }
}

/// Puts or removes a value; returns what was there.
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
            let after = index.checked_add(1).ok_or_else(|| EditError::OutOfIds(id.to_string()))?;
            table.next = table.next.max(after);
            entry.insert(value);
            Ok(None)
        }
    }
}
