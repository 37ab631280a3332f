//! Parser of OBJ files [Wavefront].

use std::collections::BTreeMap;

use sunfleck_math::{DVec3, Vec2, Vec3, Vec4};

use crate::FileLocation;
use crate::corners::{Corner, NO_INDEX};
use crate::error::ParseError;
use crate::faults::{Fault, Faults};
use crate::mesh_file::linear_colors;
use crate::normals::is_direction;
use crate::polygon::{max_corners, triangulate};
use crate::report::Reporter;
use crate::text::{Lines, Word, Words};
use crate::unused::Unused;

use super::surface::{FreeForm, Patch};

/// Content of an OBJ file: faces are triangulated, all indices are in range.
#[derive(Debug, Default)]
pub(super) struct Obj {
    /// NaN where the file has no valid coordinates; no triangle uses these.
    pub(super) positions: Vec<DVec3>,
    /// One linear colour per position, or empty.
    pub(super) colors: Vec<Vec4>,
    pub(super) uvs: Vec<Vec2>,
    /// NaN where the file has no valid normal; no triangle uses these.
    pub(super) normals: Vec<Vec3>,
    pub(super) objects: Vec<Object>,
    /// Points: indices of positions and of [`Self::materials`], or [`NO_INDEX`].
    pub(super) points: Vec<[u32; 2]>,
    pub(super) materials: Vec<MaterialUse>,
    /// File names of material libraries: the rest of each `mtllib` statement.
    pub(super) libraries: Vec<(String, FileLocation)>,
    /// Number of triangles that use a vertex twice and were removed.
    pub(super) degenerate: usize,
}

/// Object: the faces that follow an `o` statement.
#[derive(Debug, Default)]
pub(super) struct Object {
    /// Empty for faces before the first `o`.
    pub(super) name: String,
    pub(super) triangles: Vec<[Corner; 3]>,
    /// Index into [`Obj::materials`] of each triangle, or [`NO_INDEX`].
    pub(super) materials: Vec<u32>,
    /// Smoothing group of each triangle: 0 is flat, [`NO_INDEX`] stands for faces before the first `s`.
    pub(super) smoothing: Vec<u32>,
    /// Free-form surfaces.
    pub(super) patches: Vec<Patch>,
}

impl Object {
    fn is_empty(&self) -> bool {
        self.triangles.is_empty() && self.patches.is_empty()
    }
}

/// Material that faces use.
#[derive(Debug)]
pub(super) struct MaterialUse {
    /// Bytes of the name, which identify the material in any encoding.
    pub(super) key: Vec<u8>,
    /// Name for display.
    pub(super) name: String,
    /// First use.
    pub(super) location: FileLocation,
}

pub(super) fn parse(bytes: &[u8], report: &mut Reporter) -> Result<Obj, ParseError> {
    let lines = || Lines::new(bytes).continued_by_backslash();
    let mut parser = Parser::default();
    lines().for_each(|line| parser.line(line));
    if parser.has_forward_references {
        parser = parser.again();
        lines().for_each(|line| parser.line(line));
    }
    let Parser { mut obj, faults, unused, ungrouped, extra_numbers, has_elements, .. } = parser;
    let Parser { weights, ranges, .. } = parser;
    obj.objects.retain(|object| !object.is_empty());
    if !has_elements {
        let valid = (0u32..).zip(&obj.positions).filter(|(_, position)| !position.is_nan());
        obj.points = valid.map(|(index, _)| [index, NO_INDEX]).collect();
    }
    linear_colors(&mut obj.colors);
    faults.report(obj.objects.is_empty() && obj.points.is_empty(), report)?;
    if let Some((count, location)) = ungrouped {
        report.note(location, format!("groups are not kept, only objects: {count} statements \"g\""));
    }
    if let Some((count, location)) = extra_numbers {
        report.note(
            location,
            format!(
                "weights, third texture coordinates and other extra numbers are ignored: {count} statements"
            ),
        );
    }
    if let Some((count, location)) = weights {
        let message = format!("rational surfaces, which are read without their weights: {count}");
        report.warn(location, message);
    }
    if let Some((count, location)) = ranges {
        let message = format!("surfaces of which only a part is meant, which are read as a whole: {count}");
        report.warn(location, message);
    }
    let file = report.file().to_path_buf();
    unused.warn_in(&file, "statement", report);
    Ok(obj)
}

/// Number of statements and the location of the first one.
type Count = Option<(usize, FileLocation)>;

fn count(counter: &mut Count, word: Word<'_>) {
    counter.get_or_insert_with(|| (0, word.location())).0 += 1;
}

#[derive(Debug)]
struct Parser {
    obj: Obj,
    /// Whether [`Obj`] has the vertices of the whole file already, because faces refer to later ones.
    vertices_are_known: bool,
    has_forward_references: bool,
    /// Whether there are faces, lines or points; if not, all vertices are points.
    has_elements: bool,
    /// Numbers of positions, texture coordinates and normals so far, which negative indices count from.
    positions: usize,
    uvs: usize,
    normals: usize,
    /// Current material, which is added to [`Obj::materials`] with its first face.
    material: Material,
    material_indices: BTreeMap<Vec<u8>, u32>,
    /// Current smoothing group, as in [`Object::smoothing`].
    smoothing: u32,
    faults: Faults,
    unused: Unused,
    ungrouped: Count,
    extra_numbers: Count,
    free_form: FreeForm,
    /// Rational surfaces, and surfaces of which the file shows only a part.
    weights: Count,
    ranges: Count,
    /// Corners of the current face; kept to avoid allocations.
    ring: Vec<Corner>,
}

#[derive(Debug)]
enum Material {
    Named(Vec<u8>, String, FileLocation),
    Index(u32),
}

impl Default for Parser {
    fn default() -> Self {
        Self {
            obj: Obj { objects: vec![Object::default()], ..Obj::default() },
            vertices_are_known: false,
            has_forward_references: false,
            has_elements: false,
            positions: 0,
            uvs: 0,
            normals: 0,
            material: Material::Index(NO_INDEX),
            material_indices: BTreeMap::new(),
            smoothing: NO_INDEX,
            faults: Faults::default(),
            unused: Unused::default(),
            ungrouped: None,
            extra_numbers: None,
            free_form: FreeForm::default(),
            weights: None,
            ranges: None,
            ring: Vec::new(),
        }
    }
}

impl Parser {
    /// Returns a parser for a second reading, in which faces may use the vertices of the whole file.
    fn again(self) -> Self {
        let Obj { positions, colors, uvs, normals, .. } = self.obj;
        let objects = vec![Object::default()];
        let obj = Obj { positions, colors, uvs, normals, objects, ..Obj::default() };
        let vertex_faults = [Fault::Position, Fault::Normal, Fault::TextureCoordinate, Fault::Color];
        let faults = self.faults.only(&vertex_faults);
        let extra_numbers = self.extra_numbers;
        Self { obj, vertices_are_known: true, faults, extra_numbers, ..Self::default() }
    }

    fn line(&mut self, line: Words<'_>) {
        let mut words = line;
        let Some(keyword) = words.next() else { return };
        match keyword.text {
            [b'#', ..] => {}
            b"v" => self.vertex(keyword, words.without_comment()),
            b"vt" => self.texture_coordinate(keyword, words.without_comment()),
            b"vn" => self.normal(words),
            b"f" | b"fo" => self.face(keyword, words.without_comment()),
            b"p" => self.points(words.without_comment()),
            b"cstype" | b"deg" | b"surf" | b"parm" | b"end" => {
                let read = self.free_form(keyword, words.without_comment());
                self.faults.ok(Fault::Surface, read);
            }
            b"o" => self.object(words.rest().name()),
            b"usemtl" => self.use_material(words.rest()),
            b"mtllib" => self.obj.libraries.push((words.rest().name(), keyword.location())),
            b"s" => self.smoothing_group(words),
            b"g" => count(&mut self.ungrouped, keyword),
            other => {
                self.has_elements |= matches!(other, b"l" | b"curv" | b"curv2");
                self.unused.add(&keyword.lossy(), || keyword.location());
            }
        }
    }

    fn object(&mut self, name: String) {
        self.obj.objects.pop_if(|object| object.is_empty());
        self.obj.objects.push(Object { name, ..Object::default() });
    }

    fn smoothing_group(&mut self, mut words: Words<'_>) {
        let group = match words.next() {
            None => Some(0),
            Some(word) if word.text.eq_ignore_ascii_case(b"off") => Some(0),
            Some(word) if word.text.eq_ignore_ascii_case(b"on") => Some(1),
            Some(word) => self.faults.ok(Fault::Statement, word.parse("a smoothing group")),
        };
        self.smoothing = group.unwrap_or(self.smoothing);
    }

    /// Reads `x y z [w] [r g b]`. The colour, a common but undocumented extension, is sRGB.
    fn vertex(&mut self, keyword: Word<'_>, mut words: Words<'_>) {
        self.positions += 1;
        if self.vertices_are_known {
            return;
        }
        let mut coordinate = || words.expect("a coordinate of the vertex")?.coordinate();
        let mut read = || Ok(DVec3::new(coordinate()?, coordinate()?, coordinate()?));
        let position = self.faults.ok(Fault::Position, read()).unwrap_or(DVec3::NAN);
        self.obj.positions.push(position);
        if position.is_nan() {
            if !self.obj.colors.is_empty() {
                self.obj.colors.push(Vec4::NAN);
            }
            return;
        }
        let mut numbers = [0.0; 4];
        let mut len = 0;
        while let (Some(slot), Some(word)) = (numbers.get_mut(len), words.next()) {
            *slot = self.faults.ok(Fault::Color, word.number()).unwrap_or(f32::NAN);
            len += 1;
        }
        let color = match len {
            3 => Some(&numbers[..3]),
            4 => Some(&numbers[1..]),
            _ => None,
        };
        // A weight of 1 means nothing.
        let has_weight = len == 2 || len % 3 == 1 && numbers[0] != 1.0;
        if has_weight || words.next().is_some() {
            count(&mut self.extra_numbers, keyword);
        }
        if let Some(&[r, g, b]) = color {
            self.obj.colors.resize(self.obj.positions.len() - 1, Vec4::NAN);
            self.obj.colors.push(Vec4::new(r, g, b, 1.0));
        } else if !self.obj.colors.is_empty() {
            self.obj.colors.push(Vec4::NAN);
        }
    }

    /// Reads `u [v [w]]` and flips v: the origin is the lower left corner in OBJ, the upper left corner in a scene.
    fn texture_coordinate(&mut self, keyword: Word<'_>, mut words: Words<'_>) {
        self.uvs += 1;
        if self.vertices_are_known {
            return;
        }
        let mut read = || {
            let u = words.expect("a texture coordinate")?.number()?;
            let v = words.next().map_or(Ok(0.0), |word| word.number())?;
            Ok(Vec2::new(u, 1.0 - v))
        };
        let uv = self.faults.ok(Fault::TextureCoordinate, read()).unwrap_or(Vec2::ZERO);
        self.obj.uvs.push(uv);
        if words.next().is_some_and(|w| w.number().is_ok_and(|w| w != 0.0)) {
            count(&mut self.extra_numbers, keyword);
        }
    }

    fn normal(&mut self, mut words: Words<'_>) {
        self.normals += 1;
        if self.vertices_are_known {
            return;
        }
        let location = words.location();
        let mut number = || words.expect("a coordinate of the normal")?.number();
        let read = || match Vec3::new(number()?, number()?, number()?) {
            normal if is_direction(normal) => Ok(normal),
            _ => Err(ParseError::malformed(location, "the normal has no direction")),
        };
        let normal = self.faults.ok(Fault::Normal, read()).unwrap_or(Vec3::NAN);
        self.obj.normals.push(normal);
    }

    fn use_material(&mut self, name: Word<'_>) {
        self.material = match self.material_indices.get(name.text) {
            Some(&index) => Material::Index(index),
            None => Material::Named(name.text.to_vec(), name.name(), name.location()),
        };
    }

    /// Returns the index of the current material.
    fn material_index(&mut self) -> u32 {
        let (key, name, location) = match std::mem::replace(&mut self.material, Material::Index(NO_INDEX)) {
            Material::Index(index) => {
                self.material = Material::Index(index);
                return index;
            }
            Material::Named(key, name, location) => (key, name, location),
        };
        let index = u32::try_from(self.obj.materials.len()).unwrap_or(NO_INDEX);
        self.material_indices.insert(key.clone(), index);
        self.obj.materials.push(MaterialUse { key, name, location });
        self.material = Material::Index(index);
        index
    }

    fn points(&mut self, words: Words<'_>) {
        self.has_elements = true;
        for word in words {
            match self.corner(word) {
                Ok(corner) => {
                    let material = self.material_index();
                    self.obj.points.push([corner.position, material]);
                }
                Err(error) => self.faults.add(Fault::Point, 1, || error),
            }
        }
    }

    /// Reads a statement about free-form surfaces.
    fn free_form(&mut self, keyword: Word<'_>, mut words: Words<'_>) -> Result<(), ParseError> {
        match keyword.text {
            b"cstype" => self.free_form.curve_type(words),
            b"deg" => self.free_form.degree(words),
            b"parm" => self.free_form.parameters(words),
            b"surf" => {
                self.has_elements = true;
                let mut number = || words.expect("a parameter of the surface");
                let range = [number()?, number()?, number()?, number()?];
                let corners = words.map(|word| self.corner(word)).collect::<Result<_, _>>()?;
                let material = self.material_index();
                self.free_form.begin(range, corners, material, keyword.location())
            }
            _ => {
                let Some((patches, notes)) = self.free_form.end(&self.obj.positions, &self.obj.uvs)? else {
                    return Ok(());
                };
                if notes.weights {
                    count(&mut self.weights, keyword);
                }
                if notes.range {
                    count(&mut self.ranges, keyword);
                }
                if let Some(object) = self.obj.objects.last_mut() {
                    object.patches.extend(patches);
                }
                Ok(())
            }
        }
    }

    fn face(&mut self, keyword: Word<'_>, words: Words<'_>) {
        self.has_elements = true;
        let mut ring = std::mem::take(&mut self.ring);
        match self.read_ring(keyword, words, &mut ring) {
            Ok(()) if self.has_forward_references => {}
            Ok(()) => self.triangulate(&ring),
            Err(error) => self.faults.add(Fault::Face, 1, || error),
        }
        self.ring = ring;
    }

    fn read_ring(
        &mut self,
        keyword: Word<'_>,
        words: Words<'_>,
        ring: &mut Vec<Corner>,
    ) -> Result<(), ParseError> {
        ring.clear();
        // No more memory is allocated than the vertices justify.
        let max = max_corners(self.obj.positions.len()).max(3);
        for word in words {
            if ring.len() == max {
                self.has_forward_references |= !self.vertices_are_known;
                let message = format!("a face has more than {max} corners, twice the number of vertices");
                return Err(ParseError::malformed(keyword.location(), message));
            }
            ring.push(self.corner(word)?);
        }
        if ring.len() < 3 {
            return Err(ParseError::malformed(keyword.location(), "a face needs at least three corners"));
        }
        Ok(())
    }

    fn triangulate(&mut self, ring: &[Corner]) {
        let material = self.material_index();
        if let [a, b, c] = *ring {
            self.triangle([a, b, c], material);
        } else {
            let positions: Vec<DVec3> =
                ring.iter().map(|c| self.obj.positions[c.position as usize]).collect();
            for triangle in triangulate(&positions) {
                self.triangle(triangle.map(|i| ring[i]), material);
            }
        }
    }

    fn triangle(&mut self, corners: [Corner; 3], material: u32) {
        let [a, b, c] = corners.map(|corner| corner.position);
        if a == b || b == c || c == a {
            self.obj.degenerate += 1;
        } else if let Some(object) = self.obj.objects.last_mut() {
            object.triangles.push(corners);
            object.materials.push(material);
            object.smoothing.push(self.smoothing);
        }
    }

    /// Reads `v`, `v/vt`, `v//vn` or `v/vt/vn`. Errors: there is no such vertex, or its coordinates are not valid.
    fn corner(&mut self, word: Word<'_>) -> Result<Corner, ParseError> {
        let mut parts = word.split(b'/');
        let mut part = || parts.next().filter(|part| !part.text.is_empty());
        let (position, uv, normal) = (part(), part(), part());
        let position = position.ok_or_else(|| word.bad("a corner of a face"))?;
        let found = self.resolve(position, "vertex", self.positions, self.obj.positions.len())?;
        if self.obj.positions.get(found as usize).is_some_and(|p| p.is_nan()) {
            let message = format!("vertex {} has no valid coordinates", position.lossy());
            return Err(ParseError::malformed(word.location(), message));
        }
        let uv = uv.map(|uv| self.resolve(uv, "texture coordinate", self.uvs, self.obj.uvs.len()));
        let normal =
            normal.map(|normal| self.resolve(normal, "normal", self.normals, self.obj.normals.len()));
        let mut optional = |index: Option<_>| {
            index.and_then(|index| self.faults.ok(Fault::Corner, index)).unwrap_or(NO_INDEX)
        };
        let mut corner = Corner { position: found, uv: optional(uv), normal: optional(normal) };
        if self.obj.normals.get(corner.normal as usize).is_some_and(|n| n.is_nan()) {
            corner.normal = NO_INDEX;
        }
        Ok(corner)
    }

    /// Converts an index to one from 0. Positive indices count from 1, negative ones backwards from the last element.
    ///
    /// * `so_far` — number of elements before the face; `known` — number of those that are known.
    fn resolve(
        &mut self,
        word: Word<'_>,
        what: &str,
        so_far: usize,
        known: usize,
    ) -> Result<u32, ParseError> {
        let index: i64 = word.parse("an index")?;
        let from_zero = if index < 0 { index.saturating_add(so_far as i64) } else { index - 1 };
        let found = u32::try_from(from_zero).ok().filter(|&i| i != NO_INDEX);
        self.has_forward_references |= !self.vertices_are_known && found.is_some_and(|i| i as usize >= known);
        found.filter(|&i| (i as usize) < known).ok_or_else(|| {
            let message = format!("{what} {index} does not exist; there are {so_far} so far");
            ParseError::malformed(word.location(), message)
        })
    }
}
