//! Statements of NFF files.

use std::collections::BTreeMap;

use sunfleck_math::{DVec3, Vec3};

use crate::FileLocation;
use crate::error::ParseError;
use crate::faults::{Fault, Faults};
use crate::report::Reporter;
use crate::text::{Word, decoded};

use super::lamps::Lamp;
use super::tokens::{Syntax, Tokens};
use super::view::View;

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
    let mut parser = Parser {
        tokens: Tokens::new(&bytes, &SYNTAX),
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

const SYNTAX: Syntax = Syntax {
    comments: b"#",
    // The number of segments into which shapes are divided
    statements: &[b"tess"],
    braces: false,
};

/// State between the statements of a file.
struct Parser<'a> {
    tokens: Tokens<'a>,
    nff: Nff,
    /// Index of each different fill, by the bits of its numbers.
    indices: BTreeMap<[u32; 8], u16>,
    /// Fill of the primitives that follow.
    fill: Option<u16>,
    unused_textures: usize,
    /// Fills for which there was no slot left.
    shared_fills: usize,
}

impl<'a> Parser<'a> {
    fn statement(&mut self, word: &Word<'a>) -> Result<(), ParseError> {
        let tokens = &mut self.tokens;
        match word.text {
            b"v" => self.nff.view = Some(View::default()),
            b"from" | b"at" | b"up" | b"angle" | b"hither" | b"resolution" => {
                let view = self.nff.view.as_mut().ok_or_else(|| word.bad("allowed before v"))?;
                view.read(word, tokens)?;
            }
            b"tess" => drop(tokens.number()?),
            b"b" => self.nff.background = Some(tokens.color()?),
            b"l" => self.nff.lamps.push(Lamp::read(tokens)?),
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
                let (corners, normals) = tokens.polygon(word)?;
                self.push(Primitive::Polygon(Polygon { corners, normals }), word);
            }
            _ => return Err(word.bad("a statement")),
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
