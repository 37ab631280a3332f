//! Parser of material libraries: MTL files [Wavefront], with the extension for physically based rendering (`Pr`, `Pm`,
//! `norm`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use glam::{Affine2, Mat2};
use sunfleck_math::{Vec2, Vec3, vec2};

use crate::FileLocation;
use crate::error::ParseError;
use crate::report::Reporter;
use crate::text::{Lines, Word, Words};

/// Material of an MTL file; `None` where a parameter is not given.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Mtl {
    pub(super) diffuse: Option<Vec3>,
    pub(super) specular: Option<Vec3>,
    pub(super) emission: Option<Vec3>,
    pub(super) transmission: Option<Vec3>,
    pub(super) phong_exponent: Option<f32>,
    pub(super) dissolve: Option<f32>,
    pub(super) ior: Option<f32>,
    pub(super) illumination_model: Option<u32>,
    pub(super) roughness: Option<f32>,
    pub(super) metallic: Option<f32>,
    pub(super) diffuse_map: Option<TextureMap>,
    pub(super) emission_map: Option<TextureMap>,
    pub(super) dissolve_map: Option<TextureMap>,
    pub(super) normal_map: Option<TextureMap>,
}

/// Texture with its options.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TextureMap {
    /// File name as in the library, but with `/` between folders.
    pub(super) file: String,
    /// Library that refers to the texture.
    pub(super) library: PathBuf,
    pub(super) location: FileLocation,
    /// Transform of texture coordinates whose origin is the upper left corner.
    pub(super) uv_transform: Affine2,
    pub(super) clamp: bool,
    pub(super) bump_scale: f32,
}

impl TextureMap {
    /// Returns the paths at which the texture may be, in order of preference: relative to its library, relative to the
    /// OBJ file, and the file name without folders, since many libraries contain absolute paths of another machine.
    pub(super) fn candidates(&self) -> impl Iterator<Item = String> {
        let folder = self.library.parent().filter(|folder| !folder.as_os_str().is_empty());
        let beside_library = folder.map(|folder| format!("{}/{}", folder.display(), self.file));
        let base_name = self.file.rsplit('/').next().map(str::to_string);
        beside_library.into_iter().chain([self.file.clone()]).chain(base_name)
    }
}

/// Parses a library and returns its materials by name. Malformed and unsupported lines are ignored with a warning in
/// `file`.
pub(super) fn parse(bytes: &[u8], file: &Path, report: &mut Reporter) -> BTreeMap<String, Mtl> {
    let mut materials = BTreeMap::new();
    let mut current: Option<String> = None;
    for line in Lines::new(bytes) {
        let mut words = line;
        let Some(keyword) = words.next().filter(|word| !word.text.starts_with(b"#")) else { continue };
        if keyword.text.eq_ignore_ascii_case(b"newmtl") {
            let name = words.rest().lossy().into_owned();
            materials.insert(name.clone(), Mtl::default());
            current = Some(name);
            continue;
        }
        let Some(material) = current.as_ref().and_then(|name| materials.get_mut(name)) else {
            report.warn_in(file, keyword.location(), "a statement before the first newmtl is ignored");
            continue;
        };
        match statement(material, keyword, words, file) {
            Ok(StatementOutcome::Applied) => {}
            Ok(StatementOutcome::Ignored(reason)) => {
                let message = format!("{:?} is ignored: {reason}", keyword.lossy());
                report.warn_in(file, keyword.location(), message);
            }
            Err(error) => {
                report.warn_in(file, error.location, format!("the line is ignored: {}", error.problem));
            }
        }
    }
    materials
}

/// Result of interpreting a statement; an ignored one has a reason.
enum StatementOutcome {
    Applied,
    Ignored(&'static str),
}

fn statement(
    material: &mut Mtl,
    keyword: Word<'_>,
    mut words: Words<'_>,
    file: &Path,
) -> Result<StatementOutcome, ParseError> {
    let number = |mut words: Words<'_>| words.expect("a number")?.number();
    match keyword.text.to_ascii_lowercase().as_slice() {
        b"kd" => material.diffuse = Some(color(words)?),
        b"ks" => material.specular = Some(color(words)?),
        b"ke" => material.emission = Some(color(words)?),
        b"tf" => material.transmission = Some(color(words)?),
        b"ns" => material.phong_exponent = Some(number(words)?),
        b"ni" => material.ior = Some(number(words)?),
        b"pr" => material.roughness = Some(number(words)?),
        b"pm" => material.metallic = Some(number(words)?),
        b"d" => {
            let word = words.expect("a number")?;
            let halo = word.text == b"-halo";
            material.dissolve = Some(if halo { number(words)? } else { word.number()? });
        }
        b"tr" => material.dissolve = Some(1.0 - number(words)?),
        b"illum" => {
            material.illumination_model = Some(words.expect("a number")?.parse("an illumination model")?);
        }
        b"map_kd" => material.diffuse_map = Some(map(words, file)?),
        b"map_ke" => material.emission_map = Some(map(words, file)?),
        b"map_d" => material.dissolve_map = Some(map(words, file)?),
        b"norm" => material.normal_map = Some(map(words, file)?),
        b"bump" | b"map_bump" | b"disp" => {
            return Ok(StatementOutcome::Ignored("bump maps are not supported, only normal maps (norm)"));
        }
        // Ambient terms are replaced by global illumination; sharpness applies to reflection maps.
        b"ka" | b"map_ka" | b"sharpness" => {}
        _ => return Ok(StatementOutcome::Ignored("the statement is not supported")),
    }
    Ok(StatementOutcome::Applied)
}

/// Reads `r [g b]`.
fn color(mut words: Words<'_>) -> Result<Vec3, ParseError> {
    let word = words.expect("a colour")?;
    if word.text == b"spectral" || word.text == b"xyz" {
        return Err(ParseError::unsupported(word.location(), "only RGB colours are supported"));
    }
    let r = word.number()?;
    let Some(g) = words.next() else { return Ok(Vec3::splat(r)) };
    Ok(Vec3::new(r, g.number()?, words.expect("the blue part of the colour")?.number()?))
}

/// Reads `[-option value …] file name`.
fn map(mut words: Words<'_>, library: &Path) -> Result<TextureMap, ParseError> {
    let (mut scale, mut offset) = (Vec2::ONE, Vec2::ZERO);
    let (mut clamp, mut bump_scale) = (false, 1.0);
    loop {
        let name = words.rest();
        let mut ahead = words;
        let Some(option) = ahead.next().filter(|word| word.text.starts_with(b"-")) else {
            if name.text.is_empty() {
                return Err(ParseError::malformed(name.location(), "the name of the texture is missing"));
            }
            let file = name.lossy().replace('\\', "/");
            let uv_transform = flipped(scale, offset);
            let (library, location) = (library.to_path_buf(), name.location());
            return Ok(TextureMap { file, library, location, uv_transform, clamp, bump_scale });
        };
        match option.text {
            b"-s" => scale = numbers(&mut ahead, scale),
            b"-o" => offset = numbers(&mut ahead, offset),
            b"-t" => drop(numbers(&mut ahead, Vec2::ZERO)),
            b"-bm" => bump_scale = ahead.expect("a number")?.number()?,
            b"-clamp" => clamp = ahead.expect("on or off")?.text == b"on",
            b"-mm" => drop(ahead.nth(1)),
            _ => drop(ahead.next()),
        }
        words = ahead;
    }
}

/// Reads one to three numbers and returns the first two.
fn numbers(words: &mut Words<'_>, default: Vec2) -> Vec2 {
    let mut read = [default.x, default.y, 0.0];
    for slot in &mut read {
        let mut ahead = *words;
        let Some(number) = ahead.next().and_then(|word| word.number().ok()) else { break };
        *slot = number;
        *words = ahead;
    }
    vec2(read[0], read[1])
}

/// Converts a scale and an offset for coordinates whose v points up to a transform of coordinates whose v points down:
/// 1 − (s (1 − v) + o) = s v + 1 − s − o.
fn flipped(scale: Vec2, offset: Vec2) -> Affine2 {
    let translation = vec2(offset.x, 1.0 - scale.y - offset.y);
    Affine2::from_mat2_translation(Mat2::from_diagonal(scale), translation)
}
