//! Edits that the server works out by itself: adding a file, assigning an image, dropping objects on surfaces.

use std::path::Path;
use std::sync::Arc;

use sunfleck_math::Affine3;
use sunfleck_scene::{Environment, Node, NodeId, SceneEdit, TextureId};

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
        self.history.edit(&mut self.opened.world, insertion, None).map_err(|error| error.to_string())?;
        if added.cameras().len() > 0 || *added.environment() != Environment::Black {
            notes.insert(0, format!("{name} was added without its cameras and its environment"));
        }
        self.history.add_notes(notes);
        self.edited(None);
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
        let edited = self.history.edit(&mut self.opened.world, SceneEdit::Batch(both), None);
        edited.map_err(|error| error.to_string())?;
        self.edited(None);
        Ok(texture_id)
    }

    /// Moves nodes so that the lowest point of each lies on the surface below it, as an undo step.
    pub(super) fn drop_on_surface(&mut self, nodes: &[NodeId], input: Option<u64>) -> Result<(), String> {
        let edits = drops(&self.opened.world, nodes)?;
        if !edits.is_empty() {
            let edited = self.history.edit(&mut self.opened.world, SceneEdit::Batch(edits), None);
            edited.map_err(|error| error.to_string())?;
            self.edited(input);
        }
        Ok(())
    }
}
