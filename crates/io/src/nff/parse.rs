//! Statements of NFF files.

use std::collections::BTreeMap;

use sunfleck_math::{DVec3, Vec3};

use crate::FileLocation;
use crate::error::ParseError;
use crate::faults::{Fault, Faults};
use crate::report::Reporter;
use crate::text::{Lines, Word, Words, decoded};

/// Content of a file.
#[derive(Debug, Default)]
pub(super) struct Nff {
    pub(super) view: Option<View>,
    pub(super) background: Option<Vec3>,
    pub(super) lamps: Vec<Lamp>,
    /// Different fills, in the order of their first use.
    pub(super) fills: Vec<Fill>,
    /// Primitives, each with the index of its fill and its place in the file.
    pub(super) primitives: Vec<(Primitive, u16, FileLocation)>,
    pub(super) faults: Faults,
}

/// View of the image that the file describes.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub(super) from: DVec3,
    pub(super) at: DVec3,
    pub(super) up: DVec3,
    /// Angle between the top and the bottom row.
    pub(super) angle_degrees: f32,
    pub(super) aspect_ratio: Option<f32>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Lamp {
    pub(super) position: DVec3,
    pub(super) color: Option<Vec3>,
}

/// Colour and shading of the primitives that follow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fill {
    pub(super) color: Vec3,
    pub(super) diffuse: f32,
    pub(super) specular: f32,
    /// Exponent of Phong's highlight.
    pub(super) exponent: f32,
    pub(super) transmittance: f32,
    pub(super) ior: f32,
    /// Index of the fill.
    index: usize,
}

impl Fill {
    pub(super) fn name(&self) -> String {
        format!("fill {}", self.index)
    }
}

#[derive(Clone, Debug)]
pub(super) enum Primitive {
    Polygon(Polygon),
    Sphere {
        center: DVec3,
        radius: f32,
    },
    /// Cone or cylinder: radii at base and apex.
    Cone {
        base: DVec3,
        apex: DVec3,
        radii: [f32; 2],
    },
}

#[derive(Clone, Debug)]
pub(super) struct Polygon {
    pub(super) corners: Vec<DVec3>,
    /// Empty, or one per corner.
    pub(super) normals: Vec<Vec3>,
}

/// Parses a file. Statements that cannot be understood are faults.
pub(super) fn parse(bytes: &[u8], report: &mut Reporter) -> Nff {
    let bytes = decoded(bytes);
    let lines = Lines::new(&bytes).map(Words::without_comment);
    let mut parser = Parser {
        tokens: Tokens { line: Words::at_end_of(b"", 1), lines, pending: None },
        nff: Nff::default(),
        indices: BTreeMap::new(),
        fill: None,
        unused_textures: 0,
        shared_fills: 0,
    };
    while let Some(word) = parser.tokens.word() {
        if let Err(error) = parser.statement(&word) {
            parser.nff.faults.add(Fault::Statement, 1, || error);
            parser.tokens.leave_line();
        }
    }
    let Parser { nff, unused_textures, shared_fills, .. } = parser;
    if unused_textures > 0 {
        let message = format!("textures of fills, which are not supported: {unused_textures}");
        report.note(FileLocation::File, message);
    }
    if shared_fills > 0 {
        let message =
            format!("fills beyond the {MOST_FILLS}th different one, which look like that: {shared_fills}");
        report.warn(FileLocation::File, message);
    }
    nff
}

/// Different fills that a file may have: slots of meshes are numbered from 0 to 65534.
const MOST_FILLS: usize = 65_535;

/// Words of the file, across its lines.
struct Tokens<'a, L> {
    line: Words<'a>,
    lines: L,
    /// Word that was read too early.
    pending: Option<Word<'a>>,
}

impl<'a, L: Iterator<Item = Words<'a>>> Tokens<'a, L> {
    /// Returns the next word, from this line or a later one.
    fn word(&mut self) -> Option<Word<'a>> {
        if let Some(word) = self.pending.take() {
            return Some(word);
        }
        loop {
            if let Some(word) = self.line.next() {
                return Some(word);
            }
            self.line = self.lines.next()?;
        }
    }

    /// Returns the next word for a number. Errors: the file ends, or a statement begins, which is kept.
    fn argument(&mut self) -> Result<Word<'a>, ParseError> {
        let missing = ParseError::malformed(self.line.location(), "a number is missing");
        match self.word() {
            Some(word) if is_statement(word.text) => {
                self.pending = Some(word);
                Err(missing)
            }
            word => word.ok_or(missing),
        }
    }

    fn number(&mut self) -> Result<f64, ParseError> {
        self.argument()?.coordinate()
    }

    #[allow(clippy::cast_possible_truncation, reason = "scenes are in f32")]
    fn short(&mut self) -> Result<f32, ParseError> {
        Ok(self.number()? as f32)
    }

    fn vec3(&mut self) -> Result<DVec3, ParseError> {
        Ok(DVec3::new(self.number()?, self.number()?, self.number()?))
    }

    fn color(&mut self) -> Result<Vec3, ParseError> {
        Ok(self.vec3()?.as_vec3().max(Vec3::ZERO))
    }

    /// Returns whether more words follow on this line.
    fn line_goes_on(&self) -> bool {
        self.line.clone().next().is_some()
    }

    /// Leaves out the rest of a line that cannot be understood.
    fn leave_line(&mut self) {
        if self.pending.is_none() {
            self.line.by_ref().for_each(drop);
        }
    }
}

/// Returns whether a word begins a statement.
fn is_statement(word: &[u8]) -> bool {
    let of_view: [&[u8]; 6] = [b"from", b"at", b"up", b"angle", b"hither", b"resolution"];
    let others: [&[u8]; 9] = [b"v", b"b", b"l", b"f", b"s", b"c", b"p", b"pp", b"tess"];
    of_view.contains(&word) || others.contains(&word)
}

/// State between the statements of a file.
struct Parser<'a, L> {
    tokens: Tokens<'a, L>,
    nff: Nff,
    /// Index of each different fill, by the bits of its numbers.
    indices: BTreeMap<[u32; 8], u16>,
    /// Fill of the primitives that follow.
    fill: Option<u16>,
    unused_textures: usize,
    /// Fills for which there was no slot left.
    shared_fills: usize,
}

impl<'a, L: Iterator<Item = Words<'a>>> Parser<'a, L> {
    fn statement(&mut self, word: &Word<'a>) -> Result<(), ParseError> {
        let tokens = &mut self.tokens;
        match word.text {
            b"v" => self.nff.view = Some(View::default()),
            b"from" | b"at" | b"up" | b"angle" | b"resolution" => return self.view(word),
            // Clipping plane; the number of segments into which shapes are divided
            b"hither" | b"tess" => drop(tokens.number()?),
            b"b" => self.nff.background = Some(tokens.color()?),
            b"l" => {
                let position = tokens.vec3()?;
                let color = if tokens.line_goes_on() { Some(tokens.color()?) } else { None };
                self.nff.lamps.push(Lamp { position, color });
            }
            b"f" => {
                let mut numbers = [0.0; 8];
                for number in &mut numbers {
                    *number = tokens.short()?;
                }
                if tokens.line_goes_on() {
                    tokens.leave_line();
                    self.unused_textures += 1;
                }
                self.fill = Some(self.fill(&numbers));
            }
            b"s" => {
                let sphere = Primitive::Sphere { center: tokens.vec3()?, radius: tokens.short()? };
                self.push(sphere, word);
            }
            b"c" => {
                let (base, r0) = (tokens.vec3()?, tokens.short()?);
                let (apex, r1) = (tokens.vec3()?, tokens.short()?);
                self.push(Primitive::Cone { base, apex, radii: [r0, r1] }, word);
            }
            b"p" | b"pp" => {
                let count = tokens.argument()?.parse::<u32>("a number of corners")?;
                let (mut corners, mut normals) = (Vec::new(), Vec::new());
                for _ in 0..count {
                    corners.push(tokens.vec3()?);
                    if word.text == b"pp" {
                        normals.push(tokens.vec3()?.as_vec3());
                    }
                }
                if count < 3 {
                    let message = "a polygon has at least three corners";
                    return Err(ParseError::malformed(word.location(), message));
                }
                self.push(Primitive::Polygon(Polygon { corners, normals }), word);
            }
            _ => return Err(word.bad("a statement")),
        }
        Ok(())
    }

    /// Reads a statement of the view.
    fn view(&mut self, word: &Word<'a>) -> Result<(), ParseError> {
        let tokens = &mut self.tokens;
        let view = self.nff.view.as_mut().ok_or_else(|| word.bad("allowed before v"))?;
        match word.text {
            b"from" => view.from = tokens.vec3()?,
            b"at" => view.at = tokens.vec3()?,
            b"up" => view.up = tokens.vec3()?,
            b"angle" => {
                let angle = tokens.short()?;
                if !(angle > 0.0 && angle < 180.0) {
                    return Err(word.bad("an angle between 0 and 180 degrees"));
                }
                view.angle_degrees = angle;
            }
            _ => {
                let [width, height] = [tokens.short()?, tokens.short()?];
                view.aspect_ratio = (width >= 1.0 && height >= 1.0).then_some(width / height);
            }
        }
        Ok(())
    }

    /// Returns the index of a fill; equal fills have one index.
    fn fill(&mut self, numbers: &[f32; 8]) -> u16 {
        let key = numbers.map(f32::to_bits);
        if let Some(&slot) = self.indices.get(&key) {
            return slot;
        }
        let fills = &mut self.nff.fills;
        let Some(slot) = u16::try_from(fills.len()).ok().filter(|_| fills.len() < MOST_FILLS) else {
            self.shared_fills += 1;
            return u16::MAX - 1;
        };
        let [r, g, b, diffuse, specular, exponent, transmittance, ior] = *numbers;
        let (color, index) = (Vec3::new(r, g, b), fills.len());
        fills.push(Fill { color, diffuse, specular, exponent, transmittance, ior, index });
        self.indices.insert(key, slot);
        slot
    }

    fn push(&mut self, primitive: Primitive, word: &Word<'a>) {
        let slot = match self.fill {
            Some(slot) => slot,
            // Before the first fill
            None => self.fill(&[0.6, 0.6, 0.6, 1.0, 0.0, 0.0, 0.0, 1.0]),
        };
        self.fill = Some(slot);
        self.nff.primitives.push((primitive, slot, word.location()));
    }
}

impl Default for View {
    fn default() -> Self {
        Self { from: DVec3::Z, at: DVec3::ZERO, up: DVec3::Y, angle_degrees: 45.0, aspect_ratio: None }
    }
}
