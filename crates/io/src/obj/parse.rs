//! The lines of an OBJ file [Wavefront].

use std::collections::BTreeMap;

use sunfleck_math::{Vec2, Vec3, Vec4};

use crate::FileLocation;
use crate::corners::{Corner, NONE};
use crate::error::Fault;
use crate::polygon::triangulate;
use crate::report::Reporter;
use crate::text::{Lines, Word, Words};

/// What an OBJ file says, faces as triangles, all indices in range.
#[derive(Debug, Default)]
pub(super) struct Obj {
    pub(super) positions: Vec<Vec3>,
    /// Empty, or one for each position: linear.
    pub(super) colors: Vec<Vec4>,
    pub(super) uvs: Vec<Vec2>,
    pub(super) normals: Vec<Vec3>,
    pub(super) objects: Vec<Object>,
    /// Names of materials, with the place of their first use.
    pub(super) materials: Vec<(String, FileLocation)>,
    /// File names of material libraries.
    pub(super) libraries: Vec<(String, FileLocation)>,
    /// Triangles that name a vertex twice and were left out.
    pub(super) degenerate: usize,
}

/// What stands below an `o`.
#[derive(Debug, Default)]
pub(super) struct Object {
    /// Empty if there is no `o`.
    pub(super) name: String,
    pub(super) triangles: Vec<[Corner; 3]>,
    /// For each triangle an index into [`Obj::materials`], or [`NONE`].
    pub(super) materials: Vec<u32>,
}

pub(super) fn parse(bytes: &[u8], report: &mut Reporter) -> Result<Obj, Fault> {
    let mut parser = Parser {
        obj: Obj { objects: vec![Object::default()], ..Obj::default() },
        material: NONE,
        material_indices: BTreeMap::new(),
        ignored: BTreeMap::new(),
        ring: Vec::new(),
    };
    for line in Lines::new(bytes).continued_by_backslash() {
        parser.line(line)?;
    }
    for (keyword, (count, place)) in parser.ignored {
        report.warn(place, format!("{count} × {keyword:?} cannot be shown and is ignored"));
    }
    parser.obj.objects.retain(|object| !object.triangles.is_empty());
    Ok(parser.obj)
}

struct Parser {
    obj: Obj,
    /// Index of the current material, or [`NONE`].
    material: u32,
    material_indices: BTreeMap<Vec<u8>, u32>,
    /// Statements that we don't understand: how often, and where first.
    ignored: BTreeMap<String, (usize, FileLocation)>,
    /// The corners of a face; kept to save allocations.
    ring: Vec<Corner>,
}

impl Parser {
    fn line(&mut self, line: Words<'_>) -> Result<(), Fault> {
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
            b"mtllib" => self.obj.libraries.push((words.rest().lossy().into_owned(), keyword.place())),
            // Groups and smoothing groups say nothing that is shown.
            b"g" | b"s" => {}
            _ => {
                const LONGEST: usize = 16;
                let name: String = keyword.lossy().chars().take(LONGEST).collect();
                if self.ignored.len() < 20 || self.ignored.contains_key(&name) {
                    self.ignored.entry(name).or_insert((0, keyword.place())).0 += 1;
                }
            }
        }
        Ok(())
    }

    /// `x y z [w] [r g b]`; the colour, an extension that is as common as it is undocumented, is sRGB.
    fn vertex(&mut self, mut words: Words<'_>) -> Result<(), Fault> {
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

    /// `u [v [w]]`; the origin is in the lower left corner, ours in the upper left.
    fn texture_coordinate(&mut self, mut words: Words<'_>) -> Result<(), Fault> {
        let u = words.expect("a texture coordinate")?.number()?;
        let v = words.next().map_or(Ok(0.0), |word| word.number())?;
        self.obj.uvs.push(Vec2::new(u, 1.0 - v));
        Ok(())
    }

    fn use_material(&mut self, name: Word<'_>) {
        let materials = &mut self.obj.materials;
        self.material = *self.material_indices.entry(name.text.to_vec()).or_insert_with(|| {
            materials.push((name.lossy().into_owned(), name.place()));
            u32::try_from(materials.len() - 1).unwrap_or(NONE)
        });
    }

    fn face(&mut self, keyword: Word<'_>, words: Words<'_>) -> Result<(), Fault> {
        let mut ring = std::mem::take(&mut self.ring);
        ring.clear();
        for word in words {
            ring.push(self.corner(word)?);
        }
        if ring.len() < 3 {
            return Err(Fault::malformed(keyword.place(), "a face needs at least three corners"));
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

    /// `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    fn corner(&self, word: Word<'_>) -> Result<Corner, Fault> {
        let mut parts = word.split(b'/');
        let mut index = |what: &str, count: usize| match parts.next() {
            Some(part) if !part.text.is_empty() => resolve(part, what, count),
            _ => Ok(NONE),
        };
        let corner = Corner {
            position: index("vertex", self.obj.positions.len())?,
            uv: index("texture coordinate", self.obj.uvs.len())?,
            normal: index("normal", self.obj.normals.len())?,
        };
        if corner.position == NONE { Err(word.bad("a corner of a face")) } else { Ok(corner) }
    }
}

/// Positive indices count from 1; negative ones from the last one backwards.
fn resolve(word: Word<'_>, what: &str, count: usize) -> Result<u32, Fault> {
    let index: i64 = word.parse("an index")?;
    let from_zero = if index < 0 { index + count as i64 } else { index - 1 };
    let found = u32::try_from(from_zero).ok().filter(|&i| (i as usize) < count && i != NONE);
    found.ok_or_else(|| {
        let message = format!("{what} {index} does not exist; there are {count} so far");
        Fault::malformed(word.place(), message)
    })
}
