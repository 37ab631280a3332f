//! Textures of PLY files, which `comment TextureFile` names.

use sunfleck_scene::{Scene, TextureFilter, TextureRef, Wrap};

use crate::error::{ImportProblem, ParseError, WithLocation};
use crate::images::{Encoding, Image, Images, Sampling};
use crate::mesh_file::RawMesh;
use crate::report::Reporter;
use crate::{FileLocation, Resolver};

/// Reads the image files and makes them the textures of the mesh; slots beyond them get a material without a texture.
/// Images that cannot be read are a warning.
pub(super) fn add(
    names: &[(String, FileLocation)],
    files: &dyn Resolver,
    mesh: &mut RawMesh,
    scene: &mut Scene,
    report: &mut Reporter,
) -> Result<(), ParseError> {
    let Some((_, location)) = names.first() else { return Ok(()) };
    if mesh.uvs.is_empty() && mesh.corner_uvs.is_empty() {
        report.note(location.clone(), "the textures are not used, since there are no texture coordinates");
        mesh.slots.clear();
        return Ok(());
    }
    let mut images = Images::default();
    for (name, location) in names {
        let texture = texture(name, files, &mut images, scene).map_err(|problem| {
            report.warn(location.clone(), format!("the texture is ignored: {problem}"));
        });
        let file = report.file().to_path_buf();
        report.image_notes(&file, location, name, images.take_notes());
        mesh.textures.push((name.clone(), texture.unwrap_or_default()));
    }
    if mesh.slots.iter().any(|&slot| usize::from(slot) >= names.len()) {
        mesh.textures.push(("without texture".to_string(), None));
    }
    u16::try_from(names.len())
        .map(drop)
        .map_err(|_| ImportProblem::Unsupported("a file has more than 65535 textures".to_string()))
        .at(|| location.clone())
}

fn texture(
    name: &str,
    files: &dyn Resolver,
    images: &mut Images,
    scene: &mut Scene,
) -> Result<Option<TextureRef>, ImportProblem> {
    let base_name = name.rsplit('/').next().map(str::to_string);
    images.image(name, || Image::read(name, [name.to_string()].into_iter().chain(base_name), files))?;
    let sampling =
        Sampling { encoding: Encoding::Color, wrap: [Wrap::Repeat; 2], filter: TextureFilter::Linear };
    Ok(images.texture(scene, name, sampling)?.map(TextureRef::new))
}
