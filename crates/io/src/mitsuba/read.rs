//! Reading of XML into objects: files that are included, parameters of the scene (`$name`), aliases, and names of old
//! versions.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use roxmltree::{Document, Node, ParsingOptions};

use super::search::SearchPaths;
use super::tree::{Class, Object, Parameter, Value};
use super::values;
use crate::error::ParseError;
use crate::renderer::omissions::Omissions;
use crate::renderer::place::{Included, SourcePlace};
use crate::text::decoded;
use crate::{FileKind, FileLocation, Resolver};

/// Objects within objects.
const MAX_DEPTH: usize = 64;

/// Files that a scene includes, the same one counted as often as it is included.
const MAX_INCLUDES: usize = 256;

/// Objects and parameters of a scene as a whole.
const MAX_ELEMENTS: u32 = 20_000_000;

/// Content of a scene file and of those that it includes.
#[derive(Debug)]
pub(super) struct SceneFile<'a> {
    pub(super) root: Rc<Object>,
    pub(super) ids: BTreeMap<String, Rc<Object>>,
    pub(super) paths: SearchPaths<'a>,
    /// Elements that are not known.
    pub(super) omissions: Omissions,
    /// Number of objects and parameters.
    pub(super) elements: usize,
}

/// Reads a scene file and those that it includes.
pub(super) fn read<'a>(bytes: &[u8], files: &'a dyn Resolver) -> Result<SceneFile<'a>, ParseError> {
    let mut reader = Reader {
        parameters: BTreeMap::new(),
        ids: BTreeMap::new(),
        paths: SearchPaths { folders: Vec::new(), files },
        omissions: Omissions::default(),
        open: Vec::new(),
        includes: 0,
        elements: 0,
    };
    let root = reader.file(bytes, None)?;
    let Reader { ids, paths, omissions, elements, .. } = reader;
    Ok(SceneFile { root: Rc::new(root), ids, paths, omissions, elements: elements as usize })
}

/// Reader of a scene and the files that it includes.
pub(super) struct Reader<'a> {
    /// Values of `$name`.
    parameters: BTreeMap<String, String>,
    ids: BTreeMap<String, Rc<Object>>,
    pub(super) paths: SearchPaths<'a>,
    omissions: Omissions,
    /// Names of the files that are being read.
    open: Vec<String>,
    includes: usize,
    elements: u32,
}

/// File that is being read.
pub(super) struct Source {
    included: Option<Rc<Included>>,
    /// Offsets of the first bytes of the lines.
    lines: Vec<usize>,
    pub(super) is_old: bool,
}

impl Source {
    fn new(text: &str, included: Option<Rc<Included>>) -> Self {
        let lines = [0].into_iter().chain(text.match_indices('\n').map(|(offset, _)| offset + 1)).collect();
        Self { included, lines, is_old: false }
    }

    fn place(&self, offset: usize) -> SourcePlace {
        let line = self.lines.partition_point(|&first| first <= offset);
        let column = offset - self.lines[line - 1] + 1;
        let location = FileLocation::Text { line: line as u64, column: column as u64, offset: offset as u64 };
        SourcePlace { included: self.included.clone(), location }
    }

    pub(super) fn place_of(&self, node: Node<'_, '_>) -> SourcePlace {
        self.place(node.range().start)
    }
}

impl Reader<'_> {
    /// Reads a file: the object `scene`.
    fn file(&mut self, bytes: &[u8], included: Option<Rc<Included>>) -> Result<Object, ParseError> {
        let bytes = decoded(bytes);
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
            Err(error) => {
                let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let source = Source::new(&valid, included);
                return Err(source.place(error.valid_up_to()).error("the text is not UTF-8"));
            }
        };
        let mut source = Source::new(text, included);
        let options = ParsingOptions { nodes_limit: MAX_ELEMENTS, ..ParsingOptions::default() };
        let document = Document::parse_with_options(text, options).map_err(|error| {
            let at = error.pos();
            let line_start = source.lines.get(at.row.saturating_sub(1) as usize).copied().unwrap_or(0);
            let characters = text[line_start..].char_indices();
            let offset = characters.map(|(i, _)| i).nth(at.col.saturating_sub(1) as usize).unwrap_or(0);
            // The message of the parser ends with the position
            let message = error.to_string();
            let message = message.rsplit_once(" at ").map_or(message.as_str(), |(sentence, _)| sentence);
            source.place(line_start + offset).error(format!("the file is not valid XML: {message}"))
        })?;
        let root = document.root_element();
        if root.tag_name().name() != "scene" {
            return Err(source.place_of(root).error("the root element is not <scene>"));
        }
        if let Some(version) = root.attribute("version") {
            let major = version.split('.').next().and_then(|major| major.trim().parse::<u32>().ok());
            let message = || format!("{version:?} is not a version of Mitsuba");
            source.is_old = major.ok_or_else(|| source.place_of(root).error(message()))? < 2;
        }
        self.object(root, Class::Scene, &source, 0)
    }

    fn object(
        &mut self,
        node: Node<'_, '_>,
        class: Class,
        source: &Source,
        depth: usize,
    ) -> Result<Object, ParseError> {
        let place = source.place_of(node);
        if depth > MAX_DEPTH {
            return Err(place.error(format!("more than {MAX_DEPTH} objects are within each other")));
        }
        let number = self.count(&place)?;
        let plugin = self.attribute(node, "type", source)?.unwrap_or_default();
        let id = self.attribute(node, "id", source)?.unwrap_or_default();
        let mut parameters = Vec::new();
        for child in node.children().filter(Node::is_element) {
            self.child(child, class, source, depth, &mut parameters)?;
        }
        let (is_used, is_old) = (Cell::new(false), source.is_old);
        Ok(Object { number, class, plugin, id, place, parameters, is_used, is_old })
    }

    /// Counts an element of the scene and returns its number.
    fn count(&mut self, place: &SourcePlace) -> Result<u32, ParseError> {
        self.elements += 1;
        if self.elements > MAX_ELEMENTS {
            return Err(place.error(format!("the scene has more than {MAX_ELEMENTS} elements")));
        }
        Ok(self.elements)
    }

    fn child(
        &mut self,
        node: Node<'_, '_>,
        parent: Class,
        source: &Source,
        depth: usize,
        parameters: &mut Vec<Parameter>,
    ) -> Result<(), ParseError> {
        let place = source.place_of(node);
        let tag = node.tag_name().name();
        let required = |reader: &Self, name: &str| {
            let value = reader.attribute(node, name, source)?;
            value.ok_or_else(|| place.error(format!("<{tag}> has no attribute {name:?}")))
        };
        match tag {
            "default" => {
                let (name, value) = (required(self, "name")?, required(self, "value")?);
                self.parameters.entry(name).or_insert(value);
                return Ok(());
            }
            "path" => {
                let folder = required(self, "value")?.replace('\\', "/");
                self.paths.folders.push(folder.trim_end_matches('/').to_string());
                return Ok(());
            }
            "alias" => {
                let (id, name) = (required(self, "id")?, required(self, "as")?);
                let missing = || place.error(format!("there is no object {id:?} before this alias"));
                let object = self.ids.get(&id).cloned().ok_or_else(missing)?;
                self.ids.insert(name, object);
                return Ok(());
            }
            "include" => {
                let name = required(self, "filename")?;
                let included = self.include(&name, &place)?;
                parameters.extend(included.parameters);
                return Ok(());
            }
            _ => {}
        }
        let name = self.attribute(node, "name", source)?.unwrap_or_default();
        let name = if source.is_old { values::snake_case(&name) } else { name };
        let value = if tag == "ref" {
            Value::Reference(required(self, "id")?)
        } else if let Some(value) = self.value(node, tag, source, &place)? {
            self.count(&place)?;
            value
        } else if let Some(class) = Class::of_tag(tag).filter(|class| *class != Class::Scene) {
            let object = Rc::new(self.object(node, class, source, depth + 1)?);
            if !object.id.is_empty() && self.ids.insert(object.id.clone(), Rc::clone(&object)).is_some() {
                return Err(place.error(format!("there are two objects with the id {:?}", object.id)));
            }
            Value::Object(object)
        } else {
            let message = format!("<{tag}> in <{}> is not known and is ignored", parent.name());
            self.omissions.warn(&place, message);
            return Ok(());
        };
        parameters.push(Parameter { name, value, place, is_used: Cell::new(false) });
        Ok(())
    }

    /// Reads the file of an `include`.
    fn include(&mut self, name: &str, place: &SourcePlace) -> Result<Object, ParseError> {
        self.includes += 1;
        if self.includes > MAX_INCLUDES {
            return Err(place.error(format!("the scene includes more than {MAX_INCLUDES} files")));
        }
        let read = self.paths.read(name, FileKind::Scene).map_err(|message| place.error(message));
        let (path, bytes) = read?;
        if self.open.contains(&path) {
            return Err(place.error(format!("{name:?} includes itself")));
        }
        let from = place.included.as_ref().map_or(&place.location, |included| &included.from).clone();
        self.open.push(path);
        let object = self.file(&bytes, Some(Rc::new(Included { name: name.to_string(), from })));
        self.open.pop();
        object
    }

    /// Returns the value of an attribute, in which parameters of the scene are replaced by their values.
    pub(super) fn attribute(
        &self,
        node: Node<'_, '_>,
        name: &str,
        source: &Source,
    ) -> Result<Option<String>, ParseError> {
        let Some(text) = node.attribute(name) else { return Ok(None) };
        if !text.contains('$') {
            return Ok(Some(text.to_string()));
        }
        let mut parts = text.split('$');
        let mut result = parts.next().unwrap_or_default().to_string();
        for part in parts {
            // The longest name that the text begins with
            let known = self.parameters.iter().filter(|(name, _)| part.starts_with(name.as_str()));
            let Some((name, value)) = known.max_by_key(|(name, _)| name.len()) else {
                let message = format!("the parameter \"${part}\" has no value: there is no <default> before");
                return Err(source.place_of(node).error(message));
            };
            result.push_str(value);
            result.push_str(&part[name.len()..]);
        }
        Ok(Some(result))
    }
}
