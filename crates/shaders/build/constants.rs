//! Translates `crates/constants` to WESL: the module `package::constants::NAME` is its file `src/NAME.rs`, line by
//! line.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use wesl::{ModulePath, ResolveError, Resolver};

/// Resolver of the modules of constants; other modules are resolved by `R`.
#[derive(Debug)]
pub(crate) struct WithConstants<R>(pub(crate) R);

impl<R: Resolver> Resolver for WithConstants<R> {
    fn resolve_source<'a>(&'a self, path: &ModulePath) -> Result<Cow<'a, str>, ResolveError> {
        let Some(file) = file_of(path) else { return self.0.resolve_source(path) };
        let failed = |what| ResolveError::FileNotFound(file.clone(), what);
        let rust = fs::read_to_string(&file).map_err(|error| failed(error.to_string()))?;
        translated(&rust).map(Cow::Owned).map_err(failed)
    }

    fn display_name(&self, path: &ModulePath) -> Option<String> {
        file_of(path).map_or_else(|| self.0.display_name(path), |file| Some(file.display().to_string()))
    }

    fn fs_path(&self, path: &ModulePath) -> Option<PathBuf> {
        file_of(path).or_else(|| self.0.fs_path(path))
    }
}

/// Returns the file of a module of constants, relative to the folder of any crate; `None` for other modules.
fn file_of(path: &ModulePath) -> Option<PathBuf> {
    match &path.components[..] {
        [folder, name] if folder == "constants" => {
            Some(Path::new("../constants/src").join(name).with_extension("rs"))
        }
        _ => None,
    }
}

/// Translates Rust constants to WESL, without their comments.
///
/// # Errors
/// If a line has no translation; the message names it.
pub(crate) fn translated(rust: &str) -> Result<String, String> {
    let mut wesl = String::new();
    for (line, number) in rust.lines().map(str::trim).zip(1..) {
        if !line.is_empty() && !line.starts_with("//") {
            let constant =
                constant(line).ok_or_else(|| format!("line {number} has no translation to WESL: {line}"))?;
            wesl += &constant;
        }
    }
    Ok(wesl)
}

/// Translates `pub const NAME: TYPE = VALUE;`.
fn constant(line: &str) -> Option<String> {
    let (name, rest) = line.strip_prefix("pub const ")?.strip_suffix(';')?.split_once(": ")?;
    let (of, value) = rest.split_once(" = ")?;
    let value = match of {
        "bool" => value.parse::<bool>().ok()?.to_string(),
        "u32" => integer(value, "u")?,
        "i32" => integer(value, "i")?,
        "f32" => float(value)?,
        _ => return None,
    };
    is_name(name).then(|| format!("const {name}: {of} = {value};\n"))
}

/// Translates an integer expression of names, operators that WGSL shares, and literals, to which it adds a suffix.
fn integer(value: &str, suffix: &str) -> Option<String> {
    let mut wesl = String::new();
    let mut rest = value;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        if first.is_ascii_digit() {
            let literal = word.replace('_', "");
            let is_whole = match literal.strip_prefix("0x") {
                Some(digits) => digits.chars().all(|c| c.is_ascii_hexdigit()),
                None => literal.chars().all(|c| c.is_ascii_digit()),
            };
            wesl += &is_whole.then(|| literal + suffix)?;
            rest = after;
        } else if !word.is_empty() {
            wesl += is_name(word).then_some(word)?;
            rest = after;
        } else {
            wesl.push(" +-*/%<>&|^()".contains(first).then_some(first)?);
            rest = &rest[first.len_utf8()..];
        }
    }
    Some(wesl)
}

/// Translates a float literal or a name. The suffix makes WGSL round to f32 directly, as Rust does, and not to f64
/// first.
fn float(value: &str) -> Option<String> {
    let literal = value.replace('_', "");
    let is_literal = literal.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && literal.ends_with(|c: char| c.is_ascii_digit())
        && literal.parse::<f32>().is_ok_and(f32::is_finite);
    match is_literal {
        true => Some(literal + "f"),
        false => is_name(value).then(|| value.to_owned()),
    }
}

/// Returns whether a word is the name of a constant.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}
