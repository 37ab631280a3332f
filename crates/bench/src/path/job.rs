//! Scene and camera, as files that peers read.

use std::path::PathBuf;

use serde_json::json;
use sunfleck_engine::Presentation;
use sunfleck_image::srgb::linear_from_srgb8_table;
use sunfleck_image::{DisplayOptions, Picture, save_picture};
use sunfleck_integrators::PlacedCamera;
use sunfleck_math::Vec3;
use sunfleck_scene::{Environment, Projection, Texels, Texture};
use tempfile::TempDir;

use super::PathSettings;
use crate::BenchError;

/// Files of a scene, which are removed at the end.
#[derive(Debug)]
pub(super) struct Job {
    /// Folder of the files.
    pub(super) folder: TempDir,
    /// Description of the scene and the image.
    pub(super) file: PathBuf,
    /// Size of the image.
    pub(super) size: [u32; 2],
}

/// Writes a scene with all that was added to it, as glTF, and its environment.
pub(super) fn write(
    shown: &Presentation,
    camera: &PlacedCamera,
    settings: &PathSettings,
) -> Result<Job, BenchError> {
    let folder =
        tempfile::tempdir().map_err(|source| BenchError::File { path: std::env::temp_dir(), source })?;
    let failed = |error: &dyn std::fmt::Display| BenchError::Scene(error.to_string());
    let scene_file = folder.path().join("scene.glb");
    let scene = shown.world.scene();
    sunfleck_io::save(scene, &scene_file).map_err(|error| failed(&error))?;
    let environment = match *scene.environment() {
        Environment::Black => json!(null),
        Environment::Constant { radiance } => json!({ "constant": radiance.to_array() }),
        Environment::Map { texture, rotation_y_radians, scale, .. } => {
            let map = scene.texture(texture).ok_or_else(|| failed(&"the environment has no texture"))?;
            let file = folder.path().join("environment.exr");
            let radiance = radiance(map).ok_or_else(|| failed(&"the environment is too large"))?;
            save_picture(&radiance, &file, &DisplayOptions::default()).map_err(|error| failed(&error))?;
            json!({
                "file": file, "rotation_y_radians": rotation_y_radians, "scale": scale.to_array(),
            })
        }
    };
    let (Projection::Perspective { fov_y_radians } | Projection::ThinLens { fov_y_radians, .. }) =
        camera.camera.projection
    else {
        return Err(failed(&"peers render perspective cameras only"));
    };
    let placed = camera.world_from_view;
    let columns = [placed.matrix3.x_axis, placed.matrix3.y_axis, placed.matrix3.z_axis, placed.translation];
    let description = json!({
        "scene": scene_file,
        "width": settings.size[0],
        "height": settings.size[1],
        "world_from_view": columns.map(|column| column.to_array()).concat(),
        "fov_y_radians": fov_y_radians,
        "max_bounces": settings.path.max_bounces,
        "environment": environment,
        "threads": settings.threads,
    });
    let file = folder.path().join("job.json");
    std::fs::write(&file, description.to_string())
        .map_err(|source| BenchError::File { path: file.clone(), source })?;
    Ok(Job { folder, file, size: settings.size })
}

/// Returns the radiance of a map, without its scale.
fn radiance(map: &Texture) -> Option<Picture> {
    let pixels = match map.texels() {
        Texels::Float(texels) => texels.iter().map(|&[r, g, b, _]| Vec3::new(r, g, b)).collect(),
        Texels::Linear8(texels) => texels
            .iter()
            .map(|texel| Vec3::from_array([0, 1, 2].map(|i| f32::from(texel[i]) / 255.0)))
            .collect(),
        Texels::Linear16(texels) => texels
            .iter()
            .map(|texel| Vec3::from_array([0, 1, 2].map(|i| f32::from(texel[i]) / 65535.0)))
            .collect(),
        Texels::Srgb8(texels) => {
            let linear = linear_from_srgb8_table();
            texels
                .iter()
                .map(|texel| Vec3::from_array([0, 1, 2].map(|i| linear[usize::from(texel[i])])))
                .collect()
        }
    };
    Picture::new(map.width(), map.height(), pixels).ok()
}
