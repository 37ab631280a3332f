//! Edits that the server works out by itself: adding a file, assigning an image, an environment map, dropping objects on
//! surfaces.

use std::path::Path;
use std::sync::Arc;

use sunfleck_math::{Affine3, Vec3};
use sunfleck_scene::{Environment, Node, NodeId, SceneEdit, Texture, TextureId};

use super::super::dropping::drops;
use super::super::event::{AddedFile, AssignedImage};
use super::super::placement::resting_place;
use super::super::texture_slot::with_texture;
use super::Worker;
use crate::protocol::ClientId;

impl Worker {
    /// Adds the content of a file below a new node, on the surface in the middle of the image or where
    /// it was dropped, as an undo step.
    pub(super) fn add(&mut self, client: ClientId, file: AddedFile) -> Result<NodeId, String> {
        self.clients.check_editor(client)?;
        let AddedFile { name, scene: added, mut notes, at } = file;
        let at = at.filter(|at| at.iter().all(|x| (0.0..=1.0).contains(x)));
        let at = resting_place(&self.opened.world, &self.view.camera, self.view.pixels(), at, &added);
        let stem = Path::new(&name).file_stem().unwrap_or_default().to_string_lossy();
        let root = Node::new(stem).at(Affine3::from_translation(at));
        let scene = self.opened.world.scene();
        let id = scene.next_node_id();
        let insertion = scene.insertion(&added, root).map_err(|error| error.to_string())?;
        self.edit(insertion, None, None)?;
        if added.cameras().len() > 0 || *added.environment() != Environment::Black {
            notes.insert(0, format!("{name} was added without its cameras and its environment"));
        }
        self.history.add_notes(notes);
        Ok(id)
    }

    /// Sets a texture of a material to an image, as an undo step.
    pub(super) fn assign_image(
        &mut self,
        client: ClientId,
        image: AssignedImage,
    ) -> Result<TextureId, String> {
        self.clients.check_editor(client)?;
        let AssignedImage { texture, material: id, slot } = image;
        let scene = self.opened.world.scene();
        let material = scene.material(id).ok_or_else(|| format!("there is no {id}"))?;
        let texture_id = scene.next_texture_id();
        let (material, texture) = with_texture(scene, material, &slot, texture_id, texture)?;
        let both = vec![
            SceneEdit::Texture { id: texture_id, texture: Some(Arc::new(texture)) },
            SceneEdit::Material { id, material: Some(material) },
        ];
        self.edit(SceneEdit::Batch(both), None, None)?;
        Ok(texture_id)
    }

    /// Sets the environment map as an undo step. The texture stays in the scene after an undo, for redo.
    pub(super) fn set_environment(&mut self, client: ClientId, map: Texture) -> Result<(), String> {
        self.clients.check_editor(client)?;
        let id = self.opened.world.scene().next_texture_id();
        let environment =
            Environment::Map { texture: id, rotation_y_radians: 0.0, scale: Vec3::ONE, rows_at_poles: false };
        let both = vec![
            SceneEdit::Texture { id, texture: Some(Arc::new(map)) },
            SceneEdit::Environment { environment },
        ];
        self.edit(SceneEdit::Batch(both), None, None)
    }

    /// Moves nodes so that the lowest point of each lies on the surface below it, as an undo step.
    pub(super) fn drop_on_surface(&mut self, nodes: &[NodeId], input: Option<u64>) -> Result<(), String> {
        let edits = drops(&self.opened.world, nodes)?;
        if edits.is_empty() {
            return Ok(());
        }
        self.edit(SceneEdit::Batch(edits), None, input)
    }
}
