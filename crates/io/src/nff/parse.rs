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

/// Words of the file, across its lines.
struct Tokens<'a, L> {
    line: Words<'a>,
    lines: L,
}

impl<'a, L: Iterator<Item = Words<'a>>> Tokens<'a, L> {
    /// Returns the next word, from this line or a later one.
    fn word(&mut self) -> Option<Word<'a>> {
        loop {
            if let Some(word) = self.line.next() {
                return Some(word);
            }
            self.line = self.lines.next()?;
        }
    }

    fn number(&mut self) -> Result<f64, ParseError> {
        let missing = ParseError::malformed(self.line.location(), "a number is missing");
        self.word().ok_or(missing)?.coordinate()
    }

    #[allow(clippy::cast_possible_truncation, reason = "scenes are in f32")]
    fn short(&mut self) -> Result<f32, ParseError> {
        Ok(self.number()? as f32)
    }

    fn vec3(&mut self) -> Result<DVec3, ParseError> {
        Ok(DVec3::new(self.number()?, self.number()?, self.number()?))
    }

    /// Returns whether more words follow on this line.
    fn line_goes_on(&self) -> bool {
        self.line.clone().next().is_some()
    }
}

/// Parses a file. Statements that cannot be understood are faults.
pub(super) fn parse(bytes: &[u8], report: &mut Reporter) -> Nff {
    let bytes = decoded(bytes);
    let lines = Lines::new(&bytes).map(Words::without_comment);
    let mut tokens = Tokens { line: Words::at_end_of(b"", 1), lines };
    let mut nff = Nff::default();
    let mut indices: BTreeMap<[u32; 8], u16> = BTreeMap::new();
    let mut fill = None;
    let mut unused_textures = 0;
    while let Some(word) = tokens.word() {
        let location = word.location();
        let statement =
            nff.statement(&word, &mut tokens, &mut indices, &mut fill, &location, &mut unused_textures);
        if let Err(error) = statement {
            nff.faults.add(Fault::Statement, 1, || error);
            // The rest of the line cannot be understood either.
            tokens.line.by_ref().for_each(drop);
        }
    }
    if unused_textures > 0 {
        report.note(
            FileLocation::File,
            format!("textures of fills, which are not supported: {unused_textures}"),
        );
    }
    nff
}

impl Nff {
    fn statement<'a, L: Iterator<Item = Words<'a>>>(
        &mut self,
        word: &Word<'a>,
        tokens: &mut Tokens<'a, L>,
        indices: &mut BTreeMap<[u32; 8], u16>,
        fill: &mut Option<u16>,
        location: &FileLocation,
        unused_textures: &mut usize,
    ) -> Result<(), ParseError> {
        match word.text {
            b"v" => {
                self.view = Some(View {
                    from: DVec3::Z,
                    at: DVec3::ZERO,
                    up: DVec3::Y,
                    angle_degrees: 45.0,
                    aspect_ratio: None,
                });
            }
            b"from" => self.view(word)?.from = tokens.vec3()?,
            b"at" => self.view(word)?.at = tokens.vec3()?,
            b"up" => self.view(word)?.up = tokens.vec3()?,
            b"angle" => {
                let angle = tokens.short()?;
                if !(angle > 0.0 && angle < 180.0) {
                    return Err(word.bad("an angle between 0 and 180 degrees"));
                }
                self.view(word)?.angle_degrees = angle;
            }
            b"hither" => drop(tokens.number()?),
            b"resolution" => {
                let [width, height] = [tokens.short()?, tokens.short()?];
                let is_valid = width >= 1.0 && height >= 1.0;
                self.view(word)?.aspect_ratio = is_valid.then_some(width / height);
            }
            b"b" => self.background = Some(tokens.vec3()?.as_vec3().max(Vec3::ZERO)),
            b"l" => {
                let position = tokens.vec3()?;
                let has_color = tokens.line_goes_on();
                let color = if has_color { Some(tokens.vec3()?.as_vec3().max(Vec3::ZERO)) } else { None };
                self.lamps.push(Lamp { position, color });
            }
            b"f" => {
                let mut numbers = [0.0; 8];
                for number in &mut numbers {
                    *number = tokens.short()?;
                }
                if tokens.line_goes_on() {
                    tokens.line.by_ref().for_each(drop);
                    *unused_textures += 1;
                }
                *fill = Some(self.fill(&numbers, indices));
            }
            b"s" => {
                let sphere = Primitive::Sphere { center: tokens.vec3()?, radius: tokens.short()? };
                self.push(sphere, fill, indices, location);
            }
            b"c" => {
                let (base, r0) = (tokens.vec3()?, tokens.short()?);
                let (apex, r1) = (tokens.vec3()?, tokens.short()?);
                self.push(Primitive::Cone { base, apex, radii: [r0, r1] }, fill, indices, location);
            }
            b"p" | b"pp" => {
                let count =
                    tokens.word().ok_or_else(|| word.bad("complete"))?.parse::<u32>("a number of corners")?;
                let (mut corners, mut normals) = (Vec::new(), Vec::new());
                for _ in 0..count {
                    corners.push(tokens.vec3()?);
                    if word.text == b"pp" {
                        normals.push(tokens.vec3()?.as_vec3());
                    }
                }
                if count < 3 {
                    return Err(ParseError::malformed(
                        location.clone(),
                        "a polygon has at least three corners",
                    ));
                }
                self.push(Primitive::Polygon(Polygon { corners, normals }), fill, indices, location);
            }
            // The number of segments into which shapes are divided
            b"tess" => drop(tokens.number()?),
            _ => return Err(word.bad("a statement")),
        }
        Ok(())
    }

    fn view(&mut self, word: &Word<'_>) -> Result<&mut View, ParseError> {
        self.view.as_mut().ok_or_else(|| word.bad("allowed before v"))
    }

    /// Returns the index of a fill; equal fills have one index.
    fn fill(&mut self, numbers: &[f32; 8], indices: &mut BTreeMap<[u32; 8], u16>) -> u16 {
        let [r, g, b, diffuse, specular, exponent, transmittance, ior] = *numbers;
        *indices.entry(numbers.map(f32::to_bits)).or_insert_with(|| {
            let index = self.fills.len();
            // More fills than slots share the last one.
            let Ok(slot) = u16::try_from(index) else { return u16::MAX };
            let color = Vec3::new(r, g, b);
            self.fills.push(Fill { color, diffuse, specular, exponent, transmittance, ior, index });
            slot
        })
    }

    fn push(
        &mut self,
        primitive: Primitive,
        fill: &mut Option<u16>,
        indices: &mut BTreeMap<[u32; 8], u16>,
        location: &FileLocation,
    ) {
        // Before the first fill
        let slot = *fill.get_or_insert_with(|| self.fill(&[0.6, 0.6, 0.6, 1.0, 0.0, 0.0, 0.0, 1.0], indices));
        self.primitives.push((primitive, slot, location.clone()));
    }
}
