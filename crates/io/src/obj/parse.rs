//! Parser of OBJ files [Wavefront].

use std::collections::BTreeMap;

use sunfleck_math::{Vec2, Vec3, Vec4};

use crate::FileLocation;
use crate::corners::{Corner, NO_INDEX};
use crate::error::ParseError;
use crate::polygon::triangulate;
use crate::report::Reporter;
use crate::text::{Lines, Word, Words};

/// Content of an OBJ file: faces are triangulated, all indices are in range.
#[derive(Debug, Default)]
pub(super) struct Obj {
    pub(super) positions: Vec<Vec3>,
    /// One linear colour per position, or empty.
    pub(super) colors: Vec<Vec4>,
    pub(super) uvs: Vec<Vec2>,
    pub(super) normals: Vec<Vec3>,
    pub(super) objects: Vec<Object>,
    /// Names of materials, with the locations of their first uses.
    pub(super) materials: Vec<(String, FileLocation)>,
    /// File names of material libraries.
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
}

pub(super) fn parse(bytes: &[u8], report: &mut Reporter) -> Result<Obj, ParseError> {
    let mut parser = Parser {
        obj: Obj { objects: vec![Object::default()], ..Obj::default() },
        material: NO_INDEX,
        material_indices: BTreeMap::new(),
        ignored: BTreeMap::new(),
        ring: Vec::new(),
    };
    for line in Lines::new(bytes).continued_by_backslash() {
        parser.line(line)?;
    }
    for (keyword, (count, location)) in parser.ignored {
        report
            .warn(location, format!("{count} × {keyword:?}: the statement is not supported and is ignored"));
    }
    parser.obj.objects.retain(|object| !object.triangles.is_empty());
    Ok(parser.obj)
}

struct Parser {
    obj: Obj,
    /// Index of the current material, or [`NO_INDEX`].
    material: u32,
    material_indices: BTreeMap<Vec<u8>, u32>,
    /// Unsupported statements: their number and the location of the first one.
    ignored: BTreeMap<String, (usize, FileLocation)>,
    /// Corners of the current face; kept to avoid allocations.
    ring: Vec<Corner>,
}

impl Parser {
    fn line(&mut self, line: Words<'_>) -> Result<(), ParseError> {
        let mut words = line;
        let Some(keyword) = words.next() else { return Ok(()) };
        match keyword.text {
            [b'#', ..] => {}
            b"v" => self.vertex(words.without_comment())?,
            b"vt" => self.texture_coordinate(words)?,
            b"vn" => {
                let mut number = || words.expect("a coordinate of the normal")?.number();
                self.obj.normals.push(Vec3::new(number()?, number()?, number()?));
            }
            b"f" | b"fo" => self.face(keyword, words.without_comment())?,
            b"o" => {
                let name = words.rest().lossy().into_owned();
                self.obj.objects.push(Object { name, ..Object::default() });
            }
            b"usemtl" => self.use_material(words.rest()),
            b"mtllib" => self.obj.libraries.push((words.rest().lossy().into_owned(), keyword.location())),
            // Groups and smoothing groups do not affect the scene.
            b"g" | b"s" => {}
            _ => {
                const MAX_CHARS: usize = 16;
                let name: String = keyword.lossy().chars().take(MAX_CHARS).collect();
                if self.ignored.len() < 20 || self.ignored.contains_key(&name) {
                    self.ignored.entry(name).or_insert((0, keyword.location())).0 += 1;
                }
            }
        }
        Ok(())
    }

    /// Reads `x y z [w] [r g b]`. The colour, a common but undocumented extension, is sRGB.
    fn vertex(&mut self, mut words: Words<'_>) -> Result<(), ParseError> {
        let mut numbers = [0.0; 7];
        let mut count = 0;
        while let (Some(slot), Some(word)) = (numbers.get_mut(count), words.next()) {
            *slot = word.number()?;
            count += 1;
        }
        if count < 3 {
            words.expect("a coordinate of the vertex")?;
        }
        let [x, y, z, ..] = numbers;
        self.obj.positions.push(Vec3::new(x, y, z));
        let color = match count {
            6 => Some(&numbers[3..6]),
            7 => Some(&numbers[4..7]),
            _ => None,
        };
        if let Some(&[r, g, b]) = color {
            self.obj.colors.resize(self.obj.positions.len() - 1, Vec4::ONE);
            let srgb = Vec3::new(r, g, b).clamp(Vec3::ZERO, Vec3::ONE);
            self.obj.colors.push(sunfleck_image::srgb::linear_from_srgb_rgb(srgb).extend(1.0));
        } else if !self.obj.colors.is_empty() {
            self.obj.colors.push(Vec4::ONE);
        }
        Ok(())
    }

    /// Reads `u [v [w]]` and flips v: the origin is the lower left corner in OBJ, the upper left corner in a scene.
    fn texture_coordinate(&mut self, mut words: Words<'_>) -> Result<(), ParseError> {
        let u = words.expect("a texture coordinate")?.number()?;
        let v = words.next().map_or(Ok(0.0), |word| word.number())?;
        self.obj.uvs.push(Vec2::new(u, 1.0 - v));
        Ok(())
    }

    fn use_material(&mut self, name: Word<'_>) {
        let materials = &mut self.obj.materials;
        self.material = *self.material_indices.entry(name.text.to_vec()).or_insert_with(|| {
            materials.push((name.lossy().into_owned(), name.location()));
            u32::try_from(materials.len() - 1).unwrap_or(NO_INDEX)
        });
    }

    fn face(&mut self, keyword: Word<'_>, words: Words<'_>) -> Result<(), ParseError> {
        let mut ring = std::mem::take(&mut self.ring);
        ring.clear();
        for word in words {
            ring.push(self.corner(word)?);
        }
        if ring.len() < 3 {
            return Err(ParseError::malformed(keyword.location(), "a face needs at least three corners"));
        }
        if let [a, b, c] = ring[..] {
            self.triangle([a, b, c]);
        } else {
            let positions: Vec<Vec3> = ring.iter().map(|c| self.obj.positions[c.position as usize]).collect();
            for triangle in triangulate(&positions) {
                self.triangle(triangle.map(|i| ring[i]));
            }
        }
        self.ring = ring;
        Ok(())
    }

    fn triangle(&mut self, corners: [Corner; 3]) {
        let [a, b, c] = corners.map(|corner| corner.position);
        if a == b || b == c || c == a {
            self.obj.degenerate += 1;
        } else if let Some(object) = self.obj.objects.last_mut() {
            object.triangles.push(corners);
            object.materials.push(self.material);
        }
    }

    /// Reads `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    fn corner(&self, word: Word<'_>) -> Result<Corner, ParseError> {
        let mut parts = word.split(b'/');
        let mut index = |what: &str, count: usize| match parts.next() {
            Some(part) if !part.text.is_empty() => resolve(part, what, count),
            _ => Ok(NO_INDEX),
        };
        let corner = Corner {
            position: index("vertex", self.obj.positions.len())?,
            uv: index("texture coordinate", self.obj.uvs.len())?,
            normal: index("normal", self.obj.normals.len())?,
        };
        if corner.position == NO_INDEX { Err(word.bad("a corner of a face")) } else { Ok(corner) }
    }
}

/// Converts an index to one from 0. Positive indices count from 1, negative ones backwards from the last element.
fn resolve(word: Word<'_>, what: &str, count: usize) -> Result<u32, ParseError> {
    let index: i64 = word.parse("an index")?;
    let from_zero = if index < 0 { index + count as i64 } else { index - 1 };
    let found = u32::try_from(from_zero).ok().filter(|&i| (i as usize) < count && i != NO_INDEX);
    found.ok_or_else(|| {
        let message = format!("{what} {index} does not exist; there are {count} so far");
        ParseError::malformed(word.location(), message)
    })
}
