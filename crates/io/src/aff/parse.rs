//! Statements of AFF files.

use sunfleck_math::{DVec3, Vec3};

use crate::FileLocation;
use crate::error::ParseError;
use crate::faults::{Fault, Faults};
use crate::nff::{Lamp, Syntax, Tokens, View};
use crate::text::{Word, decoded};

use super::group::{Fill, Group, Look};
use super::keys::Key;
use super::rotation::AxisAngle;

/// Content of a file: its statements in their order, with the primitives between two others as one.
#[derive(Debug, Default)]
pub(super) struct AffFile {
    pub(super) items: Vec<Item>,
    pub(super) groups: Vec<Group>,
    pub(super) faults: Faults,
    /// Triangles that use a vertex twice and were removed.
    pub(super) degenerate: usize,
}

impl AffFile {
    /// Returns the number of statements, the looks of primitives counted.
    pub(super) fn statements(&self) -> usize {
        self.items.len() + self.groups.iter().map(|group| group.looks.len()).sum::<usize>()
    }
}

#[derive(Debug)]
pub(super) enum Item {
    Fill(Fill),
    /// Index into [`AffFile::groups`].
    Group(usize),
    Include {
        /// The file is included if this is not above the current level of detail.
        level: i64,
        name: String,
        location: FileLocation,
    },
    DetailLevel(i64),
    /// Beginning of a part with a transform of its own.
    Begin(Transform, FileLocation),
    End(FileLocation),
    View(View),
    Background(Vec3),
    Ambient(Vec3),
    /// Lamp; a name makes it one that can be animated.
    Lamp(Lamp, Option<String>),
    Times {
        start_secs: f64,
        end_secs: f64,
        frames: u32,
    },
    Keyframes(String, Keyframes),
}

/// Keyframes of an animation; each list is empty, or a spline of at least four keyframes.
#[derive(Clone, Debug, Default)]
pub(super) struct Keyframes {
    pub(super) translation: Vec<Key<DVec3>>,
    pub(super) rotation: Vec<Key<AxisAngle>>,
    pub(super) scale: Vec<Key<DVec3>>,
    /// Times from which the object is visible or not.
    pub(super) visibility: Vec<(f64, bool)>,
}

/// Transform of a part: it scales first, then rotates, then translates.
#[derive(Debug)]
pub(super) enum Transform {
    Static {
        scale: DVec3,
        rotation: AxisAngle,
        translation: DVec3,
    },
    /// That of the keyframes with this name.
    Animated(String),
}

const SYNTAX: Syntax = Syntax {
    comments: b"#%",
    statements: &[
        b"la", b"fm", b"tt", b"ttp", b"tpa", b"m", b"i", b"d", b"x", b"xs", b"k", b"a", b"am", b"{", b"}",
    ],
    braces: true,
};

/// Parses a file. Statements that cannot be understood are faults.
pub(super) fn parse(bytes: &[u8]) -> AffFile {
    let bytes = decoded(bytes);
    let mut parser = Parser {
        tokens: Tokens::new(&bytes, &SYNTAX),
        file: AffFile::default(),
        group: Group::default(),
        fill: None,
        group_fill: None,
        view: None,
    };
    while let Some(word) = parser.tokens.word() {
        if let Err(error) = parser.statement(&word) {
            parser.file.faults.add(Fault::Statement, 1, || error);
            parser.tokens.leave_line();
        }
    }
    parser.flush();
    let Parser { mut file, view, .. } = parser;
    file.items.extend(view.map(Item::View));
    file
}

/// State between the statements of a file.
pub(super) struct Parser<'a> {
    pub(super) tokens: Tokens<'a>,
    pub(super) file: AffFile,
    /// Primitives since the last change of the transform.
    pub(super) group: Group,
    /// Fill of the primitives that follow; `None` for that of the file that includes this one.
    fill: Option<Fill>,
    /// Last fill among the primitives of the group.
    group_fill: Option<Fill>,
    view: Option<View>,
}

impl Parser<'_> {
    fn statement(&mut self, word: &Word<'_>) -> Result<(), ParseError> {
        let tokens = &mut self.tokens;
        match word.text {
            b"v" => self.view = Some(View::default()),
            b"from" | b"at" | b"up" | b"angle" | b"hither" | b"resolution" => {
                let view = self.view.as_mut().ok_or_else(|| word.bad("allowed before v"))?;
                view.read(word, tokens)?;
            }
            b"b" => self.file.items.push(Item::Background(tokens.color()?)),
            b"am" => self.file.items.push(Item::Ambient(tokens.color()?)),
            b"l" => self.file.items.push(Item::Lamp(Lamp::read(tokens)?, None)),
            b"la" => {
                let name = self.name("the name of a lamp")?;
                let lamp = Lamp::read(&mut self.tokens)?;
                self.file.items.push(Item::Lamp(lamp, Some(name)));
            }
            b"f" | b"fm" => self.set_fill(word)?,
            b"s" | b"c" => self.shape(word)?,
            b"p" | b"pp" => self.polygon(word)?,
            b"tt" | b"ttp" => self.textured_triangle(word)?,
            b"tpa" => self.moving_triangle(word)?,
            b"m" => self.mesh(word)?,
            b"i" => {
                let level = tokens.argument()?.parse("a level of detail")?;
                let name = self.name("the name of a file")?.replace('\\', "/");
                self.flush();
                self.file.items.push(Item::Include { level, name, location: word.location() });
                // The included file may have changed it
                self.fill = None;
            }
            b"d" => {
                let level = tokens.argument()?.parse("a level of detail")?;
                self.file.items.push(Item::DetailLevel(level));
            }
            b"x" | b"xs" => self.begin(word)?,
            b"}" => {
                self.flush();
                self.file.items.push(Item::End(word.location()));
            }
            b"a" => {
                let (start_secs, end_secs) = (tokens.number()?, tokens.number()?);
                let frames = tokens.argument()?.parse("a number of frames")?;
                self.file.items.push(Item::Times { start_secs, end_secs, frames });
            }
            b"k" => self.keyframes()?,
            _ => return Err(word.bad("a statement")),
        }
        Ok(())
    }

    /// Ends the group of primitives.
    fn flush(&mut self) {
        let group = std::mem::take(&mut self.group);
        if !group.is_empty() {
            self.file.items.push(Item::Group(self.file.groups.len()));
            self.file.groups.push(group);
        }
        self.file.items.extend(self.group_fill.take().map(Item::Fill));
    }

    /// Reads `f`, the fill of NFF, or `fm`: ambient, diffuse and specular colour. Ambient light is not used, since
    /// indirect light is computed.
    fn set_fill(&mut self, word: &Word<'_>) -> Result<(), ParseError> {
        let tokens = &mut self.tokens;
        let (diffuse, specular) = if word.text == b"fm" {
            tokens.color()?;
            (tokens.color()?, tokens.color()?)
        } else {
            let color = tokens.color()?;
            (color * tokens.short()?.max(0.0), Vec3::splat(tokens.short()?.max(0.0)))
        };
        // Exponent of the highlights of lamps; see `material.rs`
        tokens.short()?;
        let (transmittance, ior) = (tokens.short()?, tokens.short()?);
        let fill = Fill { diffuse, specular, transmittance, ior };
        (self.fill, self.group_fill) = (Some(fill), Some(fill));
        Ok(())
    }

    /// Returns the slot for primitives with a texture or without one.
    pub(super) fn slot(&mut self, texture: Option<String>) -> u16 {
        self.group.slot(Look { fill: self.fill, texture })
    }

    pub(super) fn name(&mut self, what: &str) -> Result<String, ParseError> {
        let location = self.tokens.location();
        let missing = || ParseError::malformed(location, format!("{what} is missing"));
        Ok(self.tokens.word().ok_or_else(missing)?.name())
    }

    fn begin(&mut self, word: &Word<'_>) -> Result<(), ParseError> {
        let transform = if word.text == b"xs" {
            let scale = self.tokens.vec3()?;
            let rotation = axis_angle(&mut self.tokens)?;
            Transform::Static { scale, rotation, translation: self.tokens.vec3()? }
        } else {
            Transform::Animated(self.name("the name of a transform")?)
        };
        self.brace()?;
        self.flush();
        self.file.items.push(Item::Begin(transform, word.location()));
        Ok(())
    }

    fn brace(&mut self) -> Result<(), ParseError> {
        match self.tokens.word() {
            Some(word) if word.text == b"{" => Ok(()),
            Some(word) => {
                let error = word.bad("an opening brace");
                self.tokens.put_back(word);
                Err(error)
            }
            None => Err(ParseError::malformed(self.tokens.location(), "an opening brace is missing")),
        }
    }

    fn keyframes(&mut self) -> Result<(), ParseError> {
        let name = self.name("the name of an animation")?;
        self.brace()?;
        let mut keyframes = Keyframes::default();
        let closed = loop {
            let Some(word) = self.tokens.word() else { break Ok(()) };
            let tokens = &mut self.tokens;
            let read = match word.text {
                b"}" => break Ok(()),
                b"transl" => splines(&word, tokens, Tokens::vec3).map(|keys| keyframes.translation = keys),
                b"scale" => splines(&word, tokens, Tokens::vec3).map(|keys| keyframes.scale = keys),
                b"rot" => splines(&word, tokens, axis_angle).map(|keys| keyframes.rotation = keys),
                b"visibility" => visibility(tokens).map(|keys| keyframes.visibility = keys),
                _ => Err(word.bad("a kind of keyframes")),
            };
            if let Err(error) = read {
                break Err(error);
            }
        };
        self.file.items.push(Item::Keyframes(name, keyframes));
        closed
    }
}

fn axis_angle(tokens: &mut Tokens<'_>) -> Result<AxisAngle, ParseError> {
    Ok(AxisAngle { axis: tokens.vec3()?, degrees: tokens.number()? })
}

/// Reads keyframes, each of a time, a value, tension, continuity and bias.
fn splines<'a, T>(
    word: &Word<'_>,
    tokens: &mut Tokens<'a>,
    value: impl Fn(&mut Tokens<'a>) -> Result<T, ParseError>,
) -> Result<Vec<Key<T>>, ParseError> {
    let count = tokens.argument()?.parse::<u32>("a number of keyframes")?;
    let mut keys = Vec::new();
    for _ in 0..count {
        let (time_secs, value) = (tokens.number()?, value(tokens)?);
        let [tension, continuity, bias] = [tokens.number()?, tokens.number()?, tokens.number()?];
        keys.push(Key { time_secs, value, tension, continuity, bias });
    }
    // The first and the last one determine tangents only
    if count < 4 {
        return Err(ParseError::malformed(word.location(), "a spline needs at least four keyframes"));
    }
    Ok(keys)
}

fn visibility(tokens: &mut Tokens<'_>) -> Result<Vec<(f64, bool)>, ParseError> {
    let count = tokens.argument()?.parse::<u32>("a number of keyframes")?;
    (0..count).map(|_| Ok((tokens.number()?, tokens.number()? != 0.0))).collect()
}
