//! Deformers: skins and morph targets of the meshes of the scene.

use std::sync::Arc;

use sunfleck_math::{Affine3, Mat4};
use sunfleck_scene::{Deformer, Instance, MeshId, SceneEdit, Skin};

use crate::FileLocation;
use crate::error::{ParseError, WithLocation};

use super::Importer;
use super::deformation::DeformationData;
use super::model;

/// Estimate of the memory of a deformed mesh per vertex, in bytes: attributes of 80 bytes, and triangles.
const BYTES_PER_VERTEX: usize = 128;

/// Mesh whose deformer is added after all nodes, since any of them may be a joint.
#[derive(Debug)]
pub(super) struct PendingDeformer {
    pub(super) mesh: MeshId,
    pub(super) deformation: DeformationData,
    pub(super) skin: Option<usize>,
    /// Weights in the rest pose, which are padded with 0 or truncated to the number of morph targets.
    pub(super) rest: Vec<f32>,
    /// Current weights, if they differ from the rest pose.
    pub(super) weights: Option<Vec<f32>>,
    /// JSON path of the node or mesh, for messages.
    pub(super) path: String,
}

impl Importer<'_> {
    /// Returns the instance of a node whose mesh may be deformed. In glTF, weights and skins belong to nodes, so each
    /// node with a deformed mesh gets a mesh of its own.
    pub(super) fn deformed_instance(
        &mut self,
        index: usize,
        instance: Instance,
        node: &model::Node,
        path: &str,
    ) -> Result<Instance, ParseError> {
        let Some(deformation) = self.deformations.get(&index).cloned() else { return Ok(instance) };
        let skin = node.skin.filter(|_| !deformation.influences.is_empty());
        let deformed = skin.is_some() || !deformation.targets.is_empty();
        let Instance { mesh: original, materials } = instance;
        let needs_copy =
            if deformed { self.instantiated.contains(&original) } else { self.deformed.contains(&original) };
        let mesh = if needs_copy {
            let id = self.scene.next_mesh_id();
            let copy = SceneEdit::Mesh { id, mesh: Some(deformation.base.clone()) };
            self.scene.apply(copy).at(|| FileLocation::Json(format!("{path}.mesh")))?;
            id
        } else {
            original
        };
        self.instantiated.insert(mesh);
        if deformed {
            self.deformed.insert(mesh);
            let mesh_weights = self.root.meshes.get(index).map(|mesh| mesh.weights.clone());
            let rest = node.weights.clone().or(mesh_weights).unwrap_or_default();
            let path = path.to_string();
            self.pending_deformers.push(PendingDeformer {
                mesh,
                deformation,
                skin,
                rest,
                weights: None,
                path,
            });
        }
        Ok(Instance { mesh, materials })
    }

    /// Adds all deformers and deforms their meshes. An invalid deformer is ignored with a warning, since its mesh can
    /// be rendered without it.
    pub(super) fn add_deformers(&mut self) -> Result<(), ParseError> {
        for pending in std::mem::take(&mut self.pending_deformers) {
            let path = pending.path.clone();
            if let Err(error) = self.add_deformer(pending) {
                let message = format!("{path} is imported without skin and morph targets: {}", error.problem);
                self.report.warn(error.location, message);
            }
        }
        match self.scene.deform() {
            Ok(edits) => {
                self.scene.apply(SceneEdit::Batch(edits)).at(|| FileLocation::Json("meshes".to_string()))?;
            }
            Err(error) => {
                let message = format!("deformed meshes are imported in their bind pose: {error}");
                self.report.warn(FileLocation::Json("skins".to_string()), message);
            }
        }
        Ok(())
    }

    fn add_deformer(&mut self, pending: PendingDeformer) -> Result<(), ParseError> {
        let PendingDeformer { mesh, deformation, skin, mut rest, weights, path } = pending;
        self.accessors.spend(deformation.base.positions().len() * BYTES_PER_VERTEX, &path)?;
        let skin = skin.map(|index| self.skin(index, &deformation, &path)).transpose()?;
        let DeformationData { base, targets, .. } = deformation;
        rest.resize(targets.len(), 0.0);
        let weights = weights.filter(|weights| weights.len() == rest.len()).unwrap_or_else(|| rest.clone());
        let deformer = Deformer { base, targets, weights, skin };
        self.scene
            .apply(SceneEdit::Deformer { id: mesh, deformer: Some(deformer) })
            .at(|| FileLocation::Json(path))?;
        self.rest_weights.insert(mesh, rest);
        Ok(())
    }

    /// Returns a skin, which is read at the first use and shared by meshes with the same influences.
    fn skin(
        &mut self,
        index: usize,
        deformation: &DeformationData,
        from: &str,
    ) -> Result<Arc<Skin>, ParseError> {
        let key = (index, Arc::as_ptr(&deformation.influences));
        if let Some(skin) = self.skins.get(&key) {
            return Ok(skin.clone());
        }
        let skin = self.read_skin(index, deformation, from)?;
        self.skins.insert(key, skin.clone());
        Ok(skin)
    }

    fn read_skin(
        &self,
        index: usize,
        deformation: &DeformationData,
        from: &str,
    ) -> Result<Arc<Skin>, ParseError> {
        let root = self.root;
        let skin = root.skins.get(index).ok_or_else(|| {
            let message = format!("there is no skin {index}; there are {}", root.skins.len());
            ParseError::malformed(FileLocation::Json(format!("{from}.skin")), message)
        })?;
        let path = format!("skins[{index}]");
        let joint = |(i, joint): (usize, &usize)| {
            self.nodes.get(joint).copied().ok_or_else(|| {
                let message = format!("node {joint}, which is a joint, is not in the scene");
                ParseError::malformed(FileLocation::Json(format!("{path}.joints[{i}]")), message)
            })
        };
        let joints = skin.joints.iter().enumerate().map(joint).collect::<Result<Vec<_>, _>>()?;
        let joint_from_bind = self.bind_transforms(skin, &path)?;
        let influences = deformation.influences.clone();
        Ok(Arc::new(Skin { name: skin.name.clone(), joints, joint_from_bind, influences }))
    }

    fn bind_transforms(&self, skin: &model::Skin, path: &str) -> Result<Vec<Affine3>, ParseError> {
        let Some(accessor) = skin.inverse_bind_matrices else {
            return Ok(vec![Affine3::IDENTITY; skin.joints.len()]);
        };
        let from = format!("{path}.inverseBindMatrices");
        let matrices = self.accessors.reals::<16>(accessor, &["MAT4"], 0.0, &from)?;
        // There may be more matrices than joints
        let matrices = matrices.iter().take(skin.joints.len());
        Ok(matrices.map(|matrix| Affine3::from_mat4(Mat4::from_cols_array(matrix))).collect())
    }
}
