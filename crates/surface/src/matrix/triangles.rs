use std::sync::Arc;

use sunfleck_scene::{EditError, Mesh, Scene, SceneEdit};

/// Returns the scene with its shapes divided into triangles, as [`Mesh::tessellated`] does. Hits of the world of this
/// scene can be looked up in patches.
///
/// # Errors
/// [`EditError`] if a tessellated mesh is refused.
pub fn with_triangles_only(scene: &Scene) -> Result<Scene, EditError> {
    let mut result = scene.clone();
    for (id, mesh) in scene.meshes().filter(|(_, mesh)| !mesh.shapes().is_empty()) {
        if let Ok(mesh) = Mesh::new(mesh.tessellated().data) {
            result.apply(SceneEdit::Mesh { id, mesh: Some(Arc::new(mesh)) })?;
        }
    }
    Ok(result)
}
