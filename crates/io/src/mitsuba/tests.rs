mod lights;
mod materials;
mod media;
mod mixtures;
mod sensors;
mod shapes;
mod syntax;

use std::collections::BTreeMap;

use sunfleck_scene::Material;

use crate::{LoadedScene, MemoryFiles, NoFiles, load_bytes};

/// Loads a scene of these elements, with files.
fn loaded_with(elements: &str, files: &[(&str, &[u8])]) -> LoadedScene {
    let files = files.iter().map(|(name, bytes)| ((*name).to_string(), bytes.to_vec())).collect();
    let xml = format!("<scene version='3.0.0'>{elements}</scene>");
    load_bytes("a.xml".as_ref(), xml.as_bytes(), &MemoryFiles(files)).unwrap()
}

fn loaded(elements: &str) -> LoadedScene {
    loaded_with(elements, &[])
}

/// Returns the error of a file.
fn error(xml: &str) -> String {
    load_bytes("a.xml".as_ref(), xml.as_bytes(), &NoFiles).unwrap_err().to_string()
}

/// Returns the material of the only shape.
fn material(elements: &str) -> Material {
    material_of(&loaded(elements))
}

fn material_of(loaded: &LoadedScene) -> Material {
    let materials: Vec<Material> = loaded.scene.materials().map(|(_, material)| material.clone()).collect();
    let [material] = <[Material; 1]>::try_from(materials).unwrap();
    material
}

fn messages(loaded: &LoadedScene) -> String {
    let entries: Vec<String> = loaded.report.entries.iter().map(ToString::to_string).collect();
    entries.join("\n")
}

const TRIANGLE: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0.1\nvt 1 0.2\nvt 0 0.9\nf 1/1 2/2 3/3\n";
