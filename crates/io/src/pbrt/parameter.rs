//! Parameters of directives: `"type name" [ values ]`.

use std::cell::Cell;
use std::rc::Rc;

use sunfleck_math::{DVec3, Vec2, Vec3};

use super::tokens::{Token, Tokens, unescaped};
use crate::error::ParseError;
use crate::renderer::place::SourcePlace;

/// Type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    /// Numbers without another meaning, which are also points, vectors and normals.
    Float,
    Rgb,
    Xyz,
    BlackBody,
    Spectrum,
    Bool,
    Text,
    /// Name of a texture.
    Texture,
}

impl Kind {
    /// Returns the type of a name, and whether only version 3 and those before it have it.
    fn of_name(name: &[u8]) -> Option<(Self, bool)> {
        Some(match name {
            b"integer" => (Self::Integer, false),
            b"float" | b"point2" | b"point3" | b"vector2" | b"vector3" | b"normal" | b"normal3" => {
                (Self::Float, false)
            }
            b"point" | b"vector" => (Self::Float, true),
            b"rgb" => (Self::Rgb, false),
            b"color" => (Self::Rgb, true),
            b"xyz" => (Self::Xyz, true),
            b"blackbody" => (Self::BlackBody, false),
            b"spectrum" => (Self::Spectrum, false),
            b"bool" => (Self::Bool, false),
            b"string" => (Self::Text, false),
            b"texture" => (Self::Texture, false),
            _ => return None,
        })
    }
}

/// Values of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Values {
    Integers(Vec<i32>),
    Numbers(Vec<f32>),
    Texts(Vec<String>),
    Flags(Vec<bool>),
}

/// Parameter of a directive.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) values: Values,
    pub(super) place: SourcePlace,
    pub(super) is_used: Cell<bool>,
}

/// Directive such as `Shape`, with the name of what it makes and its parameters.
#[derive(Clone, Debug)]
pub(super) struct Directive {
    /// What it makes, such as `trianglemesh`.
    pub(super) kind: String,
    pub(super) parameters: Vec<Rc<Parameter>>,
    pub(super) place: SourcePlace,
}

/// Reads parameters up to the next directive.
///
/// * `place` — returns the place of an offset. * `saw_version_3` — set if a type is one of version 3.
///
/// Errors: a parameter whose values are not of its type, or without a type that is known.
pub(super) fn read(
    tokens: &mut Tokens<'_>,
    place: &dyn Fn(&mut Tokens<'_>, usize) -> SourcePlace,
    saw_version_3: &mut bool,
) -> Result<Vec<Rc<Parameter>>, ParseError> {
    let mut parameters = Vec::new();
    while let Some(Token::Quoted(declaration)) = tokens.peek() {
        let offset = tokens.offset();
        let place = place(tokens, offset);
        let mut words = declaration.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let (Some(kind), Some(name), None) = (words.next(), words.next(), words.next()) else {
            return Err(place.error(format!("{:?} is not a type and a name", shortened(declaration))));
        };
        let Some((kind, is_old)) = Kind::of_name(kind) else {
            return Err(place.error(format!("{:?} is not a type of parameters", shortened(kind))));
        };
        *saw_version_3 |= is_old;
        let token = |tokens: &mut Tokens<'_>| tokens.next().map(drop).map_err(|message| place.error(message));
        token(tokens)?;
        let values = values(tokens, kind)
            .map_err(|message| place.error(format!("the parameter {:?}: {message}", shortened(name))))?;
        let name = shortened(name);
        parameters.push(Rc::new(Parameter { kind, name, values, place, is_used: Cell::new(false) }));
    }
    Ok(parameters)
}

/// Returns a name of the file for messages and as a key.
pub(super) fn shortened(name: &[u8]) -> String {
    const MAX_BYTES: usize = 200;
    String::from_utf8_lossy(&name[..name.len().min(MAX_BYTES)]).into_owned()
}

/// Reads a value, or a list of them in brackets. Errors: one sentence.
fn values(tokens: &mut Tokens<'_>, kind: Kind) -> Result<Values, String> {
    let mut values = match kind {
        Kind::Integer => Values::Integers(Vec::new()),
        Kind::Float | Kind::Rgb | Kind::Xyz | Kind::BlackBody => Values::Numbers(Vec::new()),
        Kind::Bool => Values::Flags(Vec::new()),
        Kind::Text | Kind::Texture => Values::Texts(Vec::new()),
        Kind::Spectrum => match first_value(tokens) {
            Some(Token::Quoted(_)) => Values::Texts(Vec::new()),
            _ => Values::Numbers(Vec::new()),
        },
    };
    let is_list = tokens.peek() == Some(Token::Open);
    if !is_list {
        return match &mut values {
            Values::Integers(_) | Values::Numbers(_) => {
                let word = match tokens.next()? {
                    Some(Token::Word(word)) => word,
                    _ => return Err("a number is missing".to_string()),
                };
                push_numbers(&mut Tokens::new(word), &mut values);
                if len(&values) == 1 {
                    Ok(values)
                } else {
                    Err(format!("{:?} is not a number", shortened(word)))
                }
            }
            _ => push_word(tokens.next()?, &mut values).map(|()| values),
        };
    }
    tokens.next()?;
    loop {
        if matches!(values, Values::Integers(_) | Values::Numbers(_)) {
            push_numbers(tokens, &mut values);
        }
        match tokens.next()? {
            Some(Token::Close) => return Ok(values),
            None => return Err("the list does not end".to_string()),
            token => push_word(token, &mut values)?,
        }
    }
}

fn first_value<'a>(tokens: &Tokens<'a>) -> Option<Token<'a>> {
    let mut ahead = tokens.clone();
    match ahead.next().ok()? {
        Some(Token::Open) => ahead.next().ok()?,
        token => token,
    }
}

fn len(values: &Values) -> usize {
    match values {
        Values::Integers(list) => list.len(),
        Values::Numbers(list) => list.len(),
        Values::Texts(list) => list.len(),
        Values::Flags(list) => list.len(),
    }
}

#[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision; `as` saturates")]
fn push_numbers(tokens: &mut Tokens<'_>, values: &mut Values) {
    match values {
        Values::Integers(list) => tokens.numbers(|number| list.push(number as i32)),
        Values::Numbers(list) => tokens.numbers(|number| list.push(number as f32)),
        _ => {}
    }
}

/// Adds a value that is no number. Errors: the value is of another type.
fn push_word(token: Option<Token<'_>>, values: &mut Values) -> Result<(), String> {
    match (token, values) {
        (Some(Token::Quoted(text)), Values::Texts(list)) => list.push(unescaped(text)),
        (Some(Token::Word(word) | Token::Quoted(word)), Values::Flags(list)) => match word {
            b"true" => list.push(true),
            b"false" => list.push(false),
            _ => return Err(format!("{:?} is neither true nor false", shortened(word))),
        },
        (Some(Token::Word(word)), Values::Texts(_)) => {
            return Err(format!("{:?} is not in quotation marks", shortened(word)));
        }
        (Some(Token::Word(word) | Token::Quoted(word)), _) => {
            return Err(format!("{:?} is not a number", shortened(word)));
        }
        (_, Values::Texts(_)) => return Err("a string is missing".to_string()),
        _ => return Err("a value is missing".to_string()),
    }
    Ok(())
}

impl Directive {
    /// Returns what it is, for messages.
    pub(super) fn title(&self) -> String {
        format!("{:?}", self.kind)
    }

    /// Returns a parameter, which is then used.
    pub(super) fn get(&self, name: &str) -> Option<&Parameter> {
        let found = self.parameters.iter().find(|parameter| parameter.name == name).map(|found| &**found);
        if let Some(parameter) = found {
            parameter.is_used.set(true);
        }
        found
    }

    /// Marks parameters as used that make no difference here.
    pub(super) fn ignore(&self, names: &[&str]) {
        for name in names {
            self.get(name);
        }
    }

    /// Returns the numbers of a parameter; empty if there is none.
    pub(super) fn numbers(&self, name: &str) -> &[f32] {
        match self.get(name).map(|parameter| &parameter.values) {
            Some(Values::Numbers(list)) => list,
            _ => &[],
        }
    }

    /// Returns the integers of a parameter; empty if there is none.
    pub(super) fn integers(&self, name: &str) -> &[i32] {
        match self.get(name).map(|parameter| &parameter.values) {
            Some(Values::Integers(list)) => list,
            _ => &[],
        }
    }

    /// Returns a number; `None` if there is none that is finite.
    pub(super) fn number(&self, name: &str) -> Option<f32> {
        self.numbers(name).first().copied().filter(|number| number.is_finite())
    }

    pub(super) fn float(&self, name: &str, default: f32) -> f32 {
        self.number(name).unwrap_or(default)
    }

    pub(super) fn integer(&self, name: &str, default: i32) -> i32 {
        self.integers(name).first().copied().unwrap_or(default)
    }

    pub(super) fn flag(&self, name: &str, default: bool) -> bool {
        match self.get(name).map(|parameter| &parameter.values) {
            Some(Values::Flags(list)) => list.first().copied().unwrap_or(default),
            _ => default,
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match self.get(name).map(|parameter| &parameter.values) {
            Some(Values::Texts(list)) => list.first().map(String::as_str),
            _ => None,
        }
    }

    pub(super) fn point(&self, name: &str) -> Option<DVec3> {
        match self.numbers(name) {
            &[x, y, z, ..] => Some(Vec3::new(x, y, z).as_dvec3()).filter(|point| point.is_finite()),
            _ => None,
        }
    }

    pub(super) fn points(&self, name: &str) -> Vec<Vec3> {
        self.numbers(name).as_chunks().0.iter().map(|&point: &[f32; 3]| Vec3::from(point)).collect()
    }

    pub(super) fn points2(&self, name: &str) -> Vec<Vec2> {
        self.numbers(name).as_chunks().0.iter().map(|&point: &[f32; 2]| Vec2::from(point)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileLocation;

    fn parsed(text: &str) -> Result<Directive, ParseError> {
        let mut tokens = Tokens::new(text.as_bytes());
        let place = |tokens: &mut Tokens<'_>, offset| SourcePlace {
            included: None,
            location: tokens.location(offset),
        };
        let parameters = read(&mut tokens, &place, &mut false)?;
        let place = SourcePlace { included: None, location: FileLocation::File };
        Ok(Directive { kind: "test".to_string(), parameters, place })
    }

    #[test]
    fn values_with_and_without_brackets() {
        let read = parsed(
            "\"float a\" 2.5 \"integer n\" [ 1 -2 ] \"bool b\" true \"bool c\" [\"false\"] \"string s\" [\"x\"]
             \"rgb L\" [1 2 3] \"spectrum m\" \"metal-Au-k\" \"spectrum w\" [400 1 500 2] \"point3 P\" [1 2 3 4 5 6]",
        );
        let read = read.unwrap();
        assert_eq!(read.float("a", 0.0), 2.5);
        assert_eq!(read.integers("n"), [1, -2]);
        assert!(read.flag("b", false) && !read.flag("c", true) && read.flag("d", true));
        assert_eq!(read.text("s"), Some("x"));
        assert_eq!((read.text("m"), read.numbers("w")), (Some("metal-Au-k"), &[400.0, 1.0, 500.0, 2.0][..]));
        assert_eq!(read.points("P"), [Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)]);
        assert_eq!(read.get("L").map(|parameter| parameter.kind), Some(Kind::Rgb));
        assert_eq!(read.float("s", 7.0), 7.0, "a value of another type");
    }

    #[test]
    fn values_of_other_types_are_errors() {
        for (text, expected) in [
            ("\"float a\" [1 x]", "the parameter \"a\": \"x\" is not a number"),
            ("\"float a\" [1", "the list does not end"),
            ("\"float a\"", "a number is missing"),
            ("\"float a\" 1x", "\"1x\" is not a number"),
            ("\"bool a\" 1", "neither true nor false"),
            ("\"string a\" [b]", "\"b\" is not in quotation marks"),
            ("\"string a\" [[", "a string is missing"),
            ("\"double a\" 1", "\"double\" is not a type of parameters"),
            ("\"float\" 1", "is not a type and a name"),
            ("\"string a\" \"b", "the string does not end"),
        ] {
            let error = parsed(text).unwrap_err().problem.to_string();
            assert!(error.contains(expected), "{error}\n{expected}");
        }
    }
}
