//! References: rendered once, and kept as EXR files.

use std::path::Path;

use sunfleck_engine::StageChoice;
use sunfleck_image::{AovSet, DisplayOptions, Picture, read_picture, save_picture};
use sunfleck_integrators::path::PathTracer;

use super::view::PictureView;
use super::{PictureSettings, files};
use crate::BenchError;

/// Seed of references, which is not that of the images.
const SEED: u32 = 1 << 20;

/// Returns the reference of a view: that of an earlier run if it was kept, else a new one, which is kept if a folder is
/// given.
///
/// The file is named after scene, size, samples, stage and camera. A scene file that has changed under the same name is
/// not noticed. Errors: the reference cannot be rendered, read or written, or has another size.
pub(super) fn of(
    settings: &PictureSettings,
    view: &PictureView,
    progress: &mut dyn FnMut(&str),
) -> Result<Picture, BenchError> {
    let file = settings.references.as_ref().map(|folder| folder.join(file_name(settings, &view.name)));
    if let Some(file) = file.as_ref().filter(|file| file.exists()) {
        progress(&format!("{}: reference of {}", view.name, file.display()));
        return read(file, settings.size);
    }
    progress(&format!("{}: reference of {} samples per pixel", view.name, settings.reference_samples));
    let (film, _) =
        view.render(PathTracer::DEFAULT.into(), settings.reference_samples, SEED, AovSet::EMPTY)?;
    let reference = film.radiance();
    if let Some(file) = file {
        save_picture(&reference, &file, &DisplayOptions::default())?;
    }
    Ok(reference)
}

fn read(file: &Path, size: [u32; 2]) -> Result<Picture, BenchError> {
    let reference = read_picture(file)?;
    match [reference.width(), reference.height()] {
        found if found == size => Ok(reference),
        [width, height] => {
            let reason =
                format!("the reference has {width}×{height} pixels; remove the file to render it again");
            Err(BenchError::Format { path: file.to_path_buf(), reason })
        }
    }
}

fn file_name(settings: &PictureSettings, scene: &str) -> String {
    let [width, height] = settings.size;
    let size = format!("{width}x{height}");
    let samples = settings.reference_samples.to_string();
    let stage = match settings.stage {
        StageChoice::Automatic => None,
        StageChoice::None => Some("none"),
        StageChoice::Fixed(stage) => Some(stage.name()),
    };
    let parts = [scene, &size, &samples].into_iter().chain(stage).chain(settings.camera.as_deref());
    files::name(&parts.collect::<Vec<_>>(), "exr")
}
