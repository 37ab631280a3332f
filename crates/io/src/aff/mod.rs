//! AFF, the format of BART, the Benchmark for Animated Ray Tracing [Lext01]: NFF with files in files, materials with
//! three colours, textures, meshes, a hierarchy of transforms and keyframes.
//!
//! `parse` reads the statements of a file, `primitives` those of surfaces, which `group` makes meshes; `build` carries
//! them out, so that a file that is included several times is read once and its meshes are shared. `keys`, `spline` and
//! `rotation` make curves of keyframes, and `motion` the animation. Cameras and lamps are those of NFF.

mod build;
mod group;
mod keys;
mod material;
mod motion;
mod parse;
mod primitives;
mod rotation;
mod spline;
#[cfg(test)]
mod tests;

use sunfleck_math::{DVec3, Vec3};
use sunfleck_scene::{Environment, Light, LightId, NodeId, Scene, SceneEdit};

use crate::error::{ImportProblem, ParseError, WithLocation};
use crate::mesh_file::report_degenerate;
use crate::nff::{View, report_intensity};
use crate::report::Reporter;
use crate::{FileLocation, Resolver};

use build::{Builder, NamedFile};

/// Reads an AFF file, and the files and textures that it includes.
pub(crate) fn load(
    bytes: &[u8],
    title: &str,
    files: &dyn Resolver,
    report: &mut Reporter,
) -> Result<Scene, ParseError> {
    let mut content = parse::parse(bytes);
    let faults = std::mem::take(&mut content.faults);
    let name = report.file().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let root = NamedFile { name, title: title.to_string(), content };
    let mut builder = Builder::new(files, report);
    builder.run_root(&root)?;
    let camera = add_camera(&mut builder).at(|| FileLocation::File)?;
    let lamps = add_lights(&mut builder).at(|| FileLocation::File)?;
    let named = lamps.iter().zip(&builder.lamps);
    let named = named.filter_map(|(&(node, _), (_, name))| Some((node, name.clone()?)));
    let named: Vec<_> = named.collect();
    motion::animate(&mut builder, camera, &named)?;
    set_intensities(&mut builder, &lamps).at(|| FileLocation::File)?;
    let Builder { scene, report, degenerate, .. } = builder;
    faults.report(scene.meshes().len() == 0, report)?;
    report_degenerate(degenerate, FileLocation::File, report);
    Ok(scene)
}

/// Adds the camera of the file; one that has keyframes only has the default angle.
fn add_camera(builder: &mut Builder<'_>) -> Result<Option<NodeId>, ImportProblem> {
    let animated = builder.keyframes.contains_key("camera").then(View::default);
    let view = builder.view.or(animated);
    view.map(|view| view.add(&mut builder.scene, DVec3::ZERO)).transpose()
}

/// Adds the environment and the lamps. Returns the nodes of the lamps and their lights.
///
/// The background lights the scene. Ambient light, by which surfaces reflect the same fraction as of a constant
/// environment, is used where there is no background.
fn add_lights(builder: &mut Builder<'_>) -> Result<Vec<(NodeId, LightId)>, ImportProblem> {
    let Builder { scene, report, lamps, background, ambient, .. } = builder;
    if let Some(radiance) = background.or(*ambient) {
        scene.set_environment(Environment::Constant { radiance })?;
    }
    if ambient.is_some() {
        let message = match background {
            Some(_) => {
                "ambient light and the ambient colours of surfaces are not used: indirect light is computed"
            }
            None => "ambient light becomes an environment; the ambient colours of surfaces are not used",
        };
        report.note(FileLocation::File, message);
    }
    report_intensity(lamps.len(), report);
    let mut added = Vec::new();
    for (lamp, name) in lamps.iter() {
        let node = lamp.add(scene, name.as_deref().unwrap_or("lamp"), Vec3::ZERO, DVec3::ZERO)?;
        added.extend(scene.node(node).and_then(|node| node.light).map(|light| (node, light)));
    }
    Ok(added)
}

/// Sets the intensities of the lamps, for which the places of all objects are known.
fn set_intensities(builder: &mut Builder<'_>, added: &[(NodeId, LightId)]) -> Result<(), ImportProblem> {
    let Builder { scene, lamps, .. } = builder;
    let bounds = scene.world_bounds();
    let middle = if bounds.is_empty() { DVec3::ZERO } else { bounds.center().as_dvec3() };
    for (&(_, id), (lamp, _)) in added.iter().zip(lamps.iter()) {
        let emission = lamp.intensity(lamps.len(), middle);
        let light = scene.light(id).map(|light| Light { emission, ..light.clone() });
        scene.apply(SceneEdit::Light { id, light })?;
    }
    Ok(())
}
