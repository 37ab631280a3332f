//! The scene of a file and of those that it includes.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use sunfleck_image::io_reason;
use sunfleck_math::Vec3;
use sunfleck_math::transform::from_translation_rotation_scale;
use sunfleck_scene::{Deformer, MaterialId, Mesh, MeshData, MeshId, Node, NodeId, Scene, SceneEdit};

use crate::error::{ParseError, WithLocation};
use crate::nff::{Lamp, View};
use crate::report::Reporter;
use crate::{FileKind, FileLocation, FileReference, Resolver};

use super::group::{Fill, Group, Look};
use super::material::{DEFAULT_FILL, Materials};
use super::parse::{AffFile, Item, Keyframes, Transform, parse};

/// Files that may be included one in the other.
const MOST_LEVELS: usize = 32;
/// Transforms that may be open at once.
const MOST_TRANSFORMS: usize = 256;
/// Statements that any scene may have, those of a file counted each time it is included.
const MOST_STATEMENTS: usize = 50_000;
/// Times that the statements of large files may be included, so that memory is bounded by the length of the files.
const MOST_REPETITIONS: usize = 64;

/// What the statements of all files set.
#[derive(Debug)]
pub(super) struct Builder<'a> {
    pub(super) scene: Scene,
    pub(super) files: &'a dyn Resolver,
    pub(super) report: &'a mut Reporter,
    pub(super) view: Option<View>,
    pub(super) background: Option<Vec3>,
    pub(super) ambient: Option<Vec3>,
    pub(super) lamps: Vec<(Lamp, Option<String>)>,
    /// Start and end of the animation in seconds, and its number of frames.
    pub(super) times: Option<(f64, f64, u32)>,
    /// Keyframes by their name; the last ones in a scene count.
    pub(super) keyframes: BTreeMap<String, Keyframes>,
    /// Nodes whose transform is that of the keyframes with a name.
    pub(super) animated: Vec<(NodeId, String)>,
    /// Meshes with moving triangles, with the times of their positions.
    pub(super) morphs: Vec<(MeshId, Vec<f64>)>,
    pub(super) degenerate: usize,
    materials: Materials,
    /// Fill of the primitives that follow, with the name of the file that sets it.
    fill: (Fill, String),
    detail_level: i64,
    /// Nodes of the transforms that are open.
    open: Vec<NodeId>,
    /// Files by their name; `None` for those that cannot be read.
    known: BTreeMap<String, Option<Rc<NamedFile>>>,
    /// Meshes of each group of primitives, by the name of its file and its index there.
    meshes: BTreeMap<(String, usize), Rc<[MeshId]>>,
    statements: usize,
    /// Statements that have been read.
    read_statements: usize,
}

/// File whose faults have been reported.
#[derive(Debug)]
pub(super) struct NamedFile {
    pub(super) name: String,
    /// Name without folders and extension, which nodes and materials get.
    pub(super) title: String,
    pub(super) content: AffFile,
}

impl<'a> Builder<'a> {
    pub(super) fn new(files: &'a dyn Resolver, report: &'a mut Reporter) -> Self {
        Self {
            scene: Scene::default(),
            files,
            report,
            view: None,
            background: None,
            ambient: None,
            lamps: Vec::new(),
            times: None,
            keyframes: BTreeMap::new(),
            animated: Vec::new(),
            morphs: Vec::new(),
            degenerate: 0,
            materials: Materials::default(),
            fill: (DEFAULT_FILL, "grey".to_string()),
            detail_level: 0,
            open: Vec::new(),
            known: BTreeMap::new(),
            meshes: BTreeMap::new(),
            statements: 0,
            read_statements: 0,
        }
    }

    /// Carries out the statements of the file that is loaded.
    pub(super) fn run_root(&mut self, root: &NamedFile) -> Result<(), ParseError> {
        self.read_statements += root.content.statements();
        self.run(root, &mut Vec::new())
    }

    /// Carries out the statements of a file.
    ///
    /// * `includers` — names of the files that include it, one in the other.
    ///
    /// Errors: files that include each other, and scenes that are too large.
    fn run(&mut self, file: &NamedFile, includers: &mut Vec<String>) -> Result<(), ParseError> {
        let open_before = self.open.len();
        self.degenerate += file.content.degenerate;
        for item in &file.content.items {
            self.statements += 1;
            let most = MOST_STATEMENTS + MOST_REPETITIONS * self.read_statements;
            if self.statements > most {
                let message =
                    format!("the scene and the files that it includes have more than {most} statements");
                return Err(ParseError::unsupported(FileLocation::File, message));
            }
            match item {
                Item::Fill(fill) => self.fill = (*fill, file.title.clone()),
                Item::Group(index) => self.add_group(file, *index)?,
                Item::Include { level, name, location } => {
                    if *level <= self.detail_level {
                        self.include(file, name, location, includers)?;
                    }
                }
                Item::DetailLevel(level) => self.detail_level = *level,
                Item::Begin(transform, location) => self.begin(transform, location)?,
                Item::End(location) => {
                    if self.open.len() > open_before {
                        self.open.pop();
                    } else {
                        self.warn(file, location, "a closing brace has no opening one");
                    }
                }
                Item::View(view) => self.view = Some(*view),
                Item::Background(color) => self.background = Some(*color),
                Item::Ambient(color) => self.ambient = Some(*color),
                Item::Lamp(lamp, name) => self.lamps.push((*lamp, name.clone())),
                &Item::Times { start_secs, end_secs, frames } => {
                    self.times = Some((start_secs, end_secs, frames));
                }
                Item::Keyframes(name, keys) => drop(self.keyframes.insert(name.clone(), keys.clone())),
            }
        }
        if self.open.len() > open_before {
            self.warn(file, &FileLocation::File, "a closing brace is missing at the end of the file");
            self.open.truncate(open_before);
        }
        Ok(())
    }

    fn warn(&mut self, file: &NamedFile, location: &FileLocation, message: &str) {
        self.report.warn_in(Path::new(&file.name), location.clone(), message);
    }

    fn include(
        &mut self,
        file: &NamedFile,
        name: &str,
        location: &FileLocation,
        includers: &mut Vec<String>,
    ) -> Result<(), ParseError> {
        let malformed = |message: String| Err(ParseError::malformed(location.clone(), message));
        if name == file.name || includers.iter().any(|includer| includer == name) {
            return malformed(format!("{name} includes itself"));
        }
        if includers.len() >= MOST_LEVELS {
            return malformed(format!("{name}: files are included in more than {MOST_LEVELS} others"));
        }
        let Some(included) = self.file(name, file, location) else { return Ok(()) };
        includers.push(file.name.clone());
        self.run(&included, includers)?;
        includers.pop();
        Ok(())
    }

    /// Returns an included file, which is read once; `None`, with a warning, if that is not possible.
    fn file(&mut self, name: &str, from: &NamedFile, location: &FileLocation) -> Option<Rc<NamedFile>> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let file = match self.files.read(FileReference::new(name, FileKind::Scene)) {
            Ok(bytes) => {
                let mut content = parse(&bytes);
                self.read_statements += content.statements();
                std::mem::take(&mut content.faults).report_in(Path::new(name), self.report);
                let title = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
                Some(Rc::new(NamedFile { name: name.to_string(), title, content }))
            }
            Err(error) => {
                let message = format!("cannot read the included file {name}: {}", io_reason(&error));
                self.warn(from, location, &message);
                None
            }
        };
        self.known.insert(name.to_string(), file.clone());
        file
    }

    fn begin(&mut self, transform: &Transform, location: &FileLocation) -> Result<(), ParseError> {
        if self.open.len() >= MOST_TRANSFORMS {
            let message = format!("more than {MOST_TRANSFORMS} transforms within each other");
            return Err(ParseError::unsupported(location.clone(), message));
        }
        let node = match transform {
            Transform::Static { scale, rotation, translation } => {
                let rotation = rotation.quaternion().as_quat().to_array();
                let [translation, scale] = [translation, scale].map(|v| v.as_vec3());
                Node::new("transform").at(from_translation_rotation_scale(translation, rotation, scale))
            }
            Transform::Animated(name) => Node::new(name.clone()),
        };
        let id = self.add_node(node).map_err(|error| ParseError { location: location.clone(), ..error })?;
        if let Transform::Animated(name) = transform {
            self.animated.push((id, name.clone()));
        }
        self.open.push(id);
        Ok(())
    }

    /// Adds a node within the innermost transform.
    fn add_node(&mut self, node: Node) -> Result<NodeId, ParseError> {
        let parent = self.open.last().copied();
        self.scene.add_node(Node { parent, ..node }).at(|| FileLocation::File)
    }

    /// Adds nodes with the meshes of a group, which are shared by all that include the file.
    fn add_group(&mut self, file: &NamedFile, index: usize) -> Result<(), ParseError> {
        let Some(group) = file.content.groups.get(index) else { return Ok(()) };
        self.statements += group.looks.len();
        let key = (file.name.clone(), index);
        let meshes = match self.meshes.get(&key) {
            Some(meshes) => Rc::clone(meshes),
            None => {
                if group.has_more_looks {
                    let message =
                        "more than 65535 materials within a transform: further ones are the last one";
                    self.warn(file, &FileLocation::File, message);
                }
                self.add_meshes(group, &file.title)?
            }
        };
        self.meshes.insert(key, Rc::clone(&meshes));
        let looks = group.looks.iter().map(|look| self.material(look, &file.title));
        let materials = looks.collect::<Result<Vec<_>, _>>()?;
        for &mesh in meshes.iter() {
            self.add_node(Node::new(file.title.clone()).with_mesh(mesh, materials.clone()))?;
        }
        Ok(())
    }

    fn material(&mut self, look: &Look, title: &str) -> Result<MaterialId, ParseError> {
        let (fill, name) = match look.fill {
            Some(fill) => (fill, title),
            None => (self.fill.0, self.fill.1.as_str()),
        };
        let texture = look.texture.as_deref();
        self.materials.material(&fill, texture, name, &mut self.scene, (self.files, &mut *self.report))
    }

    fn add_meshes(&mut self, group: &Group, title: &str) -> Result<Rc<[MeshId]>, ParseError> {
        let mut meshes = Vec::new();
        for data in [&group.flat, &group.smooth, &group.shapes] {
            if !data.slots.is_empty() {
                meshes.push(self.add_mesh(data, title)?);
            }
        }
        for morph in &group.morphs {
            let id = self.add_mesh(&morph.base, title)?;
            let Some(base) = self.scene.mesh(id).map(Arc::clone) else { continue };
            let deformer = Deformer {
                base,
                targets: Arc::new(morph.targets.clone()),
                weights: vec![0.0; morph.targets.len()],
                skin: None,
            };
            self.scene
                .apply(SceneEdit::Deformer { id, deformer: Some(deformer) })
                .at(|| FileLocation::File)?;
            self.morphs.push((id, morph.times_secs.clone()));
            meshes.push(id);
        }
        Ok(meshes.into())
    }

    fn add_mesh(&mut self, data: &MeshData, title: &str) -> Result<MeshId, ParseError> {
        let data = MeshData { name: title.to_string(), ..data.clone() };
        let mesh = Mesh::new(data).at(|| FileLocation::File)?;
        self.scene.add_mesh(mesh).at(|| FileLocation::File)
    }
}
