//! Skins and morph targets: what deforms the meshes that have been added.

use std::sync::Arc;

use sunfleck_math::{Affine3, Mat4};
use sunfleck_scene::{Deformer, Instance, MeshId, SceneEdit, Skin};

use crate::FileLocation;
use crate::error::{At, Fault};

use super::Importer;
use super::model;
use super::movable::Movable;

/// Of a deformed mesh: vectors of 80 bytes, and triangles.
const BYTES_PER_VERTEX: usize = 128;

/// A mesh of the scene whose deformer is still to be added: joints may stand anywhere among the nodes.
#[derive(Debug)]
pub(super) struct Deformable {
    pub(super) mesh: MeshId,
    pub(super) movable: Movable,
    pub(super) skin: Option<usize>,
    /// Without animations; too few or too many are filled up with 0, or cut.
    pub(super) rest: Vec<f32>,
    /// Now, if they are others.
    pub(super) weights: Option<Vec<f32>>,
    /// JSON path of who says so.
    pub(super) path: String,
}

impl Importer<'_> {
    /// The instance that a node shows of a mesh that may be deformed: each node deforms a mesh of its own, since weights
    /// and skins belong to nodes.
    pub(super) fn deformable(
        &mut self,
        index: usize,
        instance: Instance,
        node: &model::Node,
        path: &str,
    ) -> Result<Instance, Fault> {
        let Some(movable) = self.movables.get(&index).cloned() else { return Ok(instance) };
        let skin = node.skin.filter(|_| !movable.influences.is_empty());
        let deformed = skin.is_some() || !movable.targets.is_empty();
        let Instance { mesh: first, materials } = instance;
        let taken = if deformed { self.shown.contains(&first) } else { self.deformed.contains(&first) };
        let mesh = if taken {
            let id = self.scene.next_mesh_id();
            let copy = SceneEdit::Mesh { id, mesh: Some(movable.base.clone()) };
            self.scene.apply(copy).at(|| FileLocation::Json(format!("{path}.mesh")))?;
            id
        } else {
            first
        };
        self.shown.insert(mesh);
        if deformed {
            self.deformed.insert(mesh);
            let of_mesh = self.root.meshes.get(index).map(|mesh| mesh.weights.clone());
            let rest = node.weights.clone().or(of_mesh).unwrap_or_default();
            let path = path.to_string();
            self.deformables.push(Deformable { mesh, movable, skin, rest, weights: None, path });
        }
        Ok(Instance { mesh, materials })
    }

    /// Adds all deformers, and brings their meshes to where joints and weights say. A deformer whose numbers make no sense is
    /// left out with a warning: its mesh can be seen without it.
    pub(super) fn add_deformers(&mut self) -> Result<(), Fault> {
        for deformable in std::mem::take(&mut self.deformables) {
            let path = deformable.path.clone();
            if let Err(fault) = self.add_deformer(deformable) {
                let message = format!("{path} is shown without skin and morph targets: {}", fault.problem);
                self.report.warn(fault.place, message);
            }
        }
        match self.scene.deform() {
            Ok(edits) => {
                self.scene.apply(SceneEdit::Batch(edits)).at(|| FileLocation::Json("meshes".to_string()))?;
            }
            Err(error) => {
                let message = format!("meshes are shown as they were bound: {error}");
                self.report.warn(FileLocation::Json("skins".to_string()), message);
            }
        }
        Ok(())
    }

    fn add_deformer(&mut self, deformable: Deformable) -> Result<(), Fault> {
        let Deformable { mesh, movable, skin, mut rest, weights, path } = deformable;
        self.accessors.spend(movable.base.positions().len() * BYTES_PER_VERTEX, &path)?;
        let skin = skin.map(|index| self.skin(index, &movable, &path)).transpose()?;
        let Movable { base, targets, .. } = movable;
        rest.resize(targets.len(), 0.0);
        let weights = weights.filter(|weights| weights.len() == rest.len()).unwrap_or_else(|| rest.clone());
        let deformer = Deformer { base, targets, weights, skin };
        self.scene
            .apply(SceneEdit::Deformer { id: mesh, deformer: Some(deformer) })
            .at(|| FileLocation::Json(path))?;
        self.rest_weights.insert(mesh, rest);
        Ok(())
    }

    /// Figures of one kind share their skin.
    fn skin(&mut self, index: usize, movable: &Movable, from: &str) -> Result<Arc<Skin>, Fault> {
        let key = (index, Arc::as_ptr(&movable.influences));
        if let Some(skin) = self.skins.get(&key) {
            return Ok(skin.clone());
        }
        let skin = self.read_skin(index, movable, from)?;
        self.skins.insert(key, skin.clone());
        Ok(skin)
    }

    fn read_skin(&self, index: usize, movable: &Movable, from: &str) -> Result<Arc<Skin>, Fault> {
        let root = self.root;
        let skin = root.skins.get(index).ok_or_else(|| {
            let message = format!("there is no skin {index}; there are {}", root.skins.len());
            Fault::malformed(FileLocation::Json(format!("{from}.skin")), message)
        })?;
        let path = format!("skins[{index}]");
        let joint = |(i, joint): (usize, &usize)| {
            self.nodes.get(joint).copied().ok_or_else(|| {
                let message = format!("the joint, node {joint}, is not in the scene");
                Fault::malformed(FileLocation::Json(format!("{path}.joints[{i}]")), message)
            })
        };
        let joints = skin.joints.iter().enumerate().map(joint).collect::<Result<Vec<_>, _>>()?;
        let joint_from_bind = self.bind_transforms(skin, &path)?;
        let influences = movable.influences.clone();
        Ok(Arc::new(Skin { name: skin.name.clone(), joints, joint_from_bind, influences }))
    }

    fn bind_transforms(&self, skin: &model::Skin, path: &str) -> Result<Vec<Affine3>, Fault> {
        let Some(accessor) = skin.inverse_bind_matrices else {
            return Ok(vec![Affine3::IDENTITY; skin.joints.len()]);
        };
        let from = format!("{path}.inverseBindMatrices");
        let matrices = self.accessors.reals::<16>(accessor, &["MAT4"], 0.0, &from)?;
        // There may be more than joints
        let matrices = matrices.iter().take(skin.joints.len());
        Ok(matrices.map(|matrix| Affine3::from_mat4(Mat4::from_cols_array(matrix))).collect())
    }
}
