//! Parser of material libraries: MTL files [Wavefront], with the extension for physically based rendering (`Pr`, `Pm`,
//! `norm` and their maps).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use glam::{Affine2, Mat2};
use sunfleck_math::{Vec2, Vec3, vec2};

use crate::FileLocation;
use crate::error::ParseError;
use crate::faults::{Fault, Faults};
use crate::report::Reporter;
use crate::text::{Lines, Word, Words};
use crate::unused::Unused;

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
    pub(super) specular_map: Option<TextureMap>,
    pub(super) exponent_map: Option<TextureMap>,
    pub(super) roughness_map: Option<TextureMap>,
    pub(super) metallic_map: Option<TextureMap>,
    pub(super) normal_map: Option<TextureMap>,
    /// Heights, or a normal map, which many exporters write as a bump map.
    pub(super) bump_map: Option<TextureMap>,
    /// `Tr`, from which the dissolve follows if there is no `d`.
    transparency: Option<f32>,
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
    /// Channel of the image that is the value of a scalar map: 0 to 3 for r, g, b and the matte channel; `None` if the
    /// file does not say.
    pub(super) channel: Option<usize>,
}

impl TextureMap {
    /// Returns the path of the texture as its library states it, but relative to the OBJ file. Two libraries may refer
    /// to different files of the same name.
    pub(super) fn path(&self) -> String {
        self.candidates().next().unwrap_or_default()
    }

    /// Returns the paths at which the texture may be, in order of preference: relative to its library, relative to the
    /// OBJ file, and the file name without folders, since many libraries contain absolute paths of another machine.
    pub(super) fn candidates(&self) -> impl Iterator<Item = String> {
        let folder = self.library.parent().filter(|folder| !folder.as_os_str().is_empty());
        let beside_library = folder.map(|folder| format!("{}/{}", folder.display(), self.file));
        let base_name = self.file.rsplit('/').next().map(str::to_string);
        beside_library.into_iter().chain([self.file.clone()]).chain(base_name)
    }
}

/// Parses a library and returns its materials by the bytes of their names. Malformed and unsupported lines are ignored
/// with a warning in `file`.
pub(super) fn parse(bytes: &[u8], file: &Path, report: &mut Reporter) -> BTreeMap<Vec<u8>, Mtl> {
    let mut parser = Parser {
        file,
        unused: Unused::default(),
        unused_options: Unused::default(),
        ambient: Unused::default(),
    };
    let mut materials: BTreeMap<Vec<u8>, Mtl> = BTreeMap::new();
    let mut current: Option<Vec<u8>> = None;
    let mut faults = Faults::default();
    for line in Lines::new(bytes) {
        let mut words = line;
        let Some(keyword) = words.next().filter(|word| !word.text.starts_with(b"#")) else { continue };
        if keyword.text.eq_ignore_ascii_case(b"newmtl") {
            let name = words.rest().text.to_vec();
            materials.insert(name.clone(), Mtl::default());
            current = Some(name);
            continue;
        }
        let Some(material) = current.as_ref().and_then(|name| materials.get_mut(name)) else {
            let message = "the statement is before the first newmtl";
            faults.add(Fault::Statement, 1, || ParseError::malformed(keyword.location(), message));
            continue;
        };
        if let Err(error) = parser.statement(material, keyword, words) {
            faults.add(Fault::Statement, 1, || error);
        }
    }
    faults.report_in(file, report);
    parser.ambient.note_in(file, "ambient terms are replaced by global illumination", report);
    parser.unused.warn_in(file, "statement", report);
    parser.unused_options.warn_in(file, "option", report);
    materials.values_mut().for_each(Mtl::resolve_transparency);
    materials
}

impl Mtl {
    /// Derives the dissolve from `Tr`. A value of 1, which would be invisible, stands for an opaque surface: old
    /// exporters write the dissolve as `Tr`.
    fn resolve_transparency(&mut self) {
        let of_transparency = self.transparency.map(|tr| if tr >= 1.0 { 1.0 } else { 1.0 - tr });
        self.dissolve = self.dissolve.or(of_transparency);
    }
}

/// Parser of the statements of a library.
struct Parser<'a> {
    file: &'a Path,
    unused: Unused,
    unused_options: Unused,
    /// Statements of ambient terms.
    ambient: Unused,
}

impl Parser<'_> {
    fn statement(
        &mut self,
        material: &mut Mtl,
        keyword: Word<'_>,
        mut words: Words<'_>,
    ) -> Result<(), ParseError> {
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
                if halo {
                    self.unused_options.add("-halo", || word.location());
                }
                material.dissolve = Some(if halo { number(words)? } else { word.number()? });
            }
            b"tr" => material.transparency = Some(number(words)?),
            b"illum" => {
                material.illumination_model = Some(words.expect("a number")?.parse("an illumination model")?);
            }
            b"map_kd" => material.diffuse_map = Some(self.map(words)?),
            b"map_ks" => material.specular_map = Some(self.map(words)?),
            b"map_ke" => material.emission_map = Some(self.map(words)?),
            b"map_ns" => material.exponent_map = Some(self.map(words)?),
            b"map_d" => material.dissolve_map = Some(self.map(words)?),
            b"map_pr" => material.roughness_map = Some(self.map(words)?),
            b"map_pm" => material.metallic_map = Some(self.map(words)?),
            b"norm" => material.normal_map = Some(self.map(words)?),
            b"bump" | b"map_bump" => material.bump_map = Some(self.map(words)?),
            // Exporters write the parameters of lobes that are not supported as 0 for most materials.
            b"ps" | b"pc" | b"pcr" | b"aniso" | b"anisor" if number(words).is_ok_and(|n| n == 0.0) => {}
            b"ka" | b"map_ka" => self.ambient.add(&keyword.lossy(), || keyword.location()),
            _ => self.unused.add(&keyword.lossy(), || keyword.location()),
        }
        Ok(())
    }

    /// Reads `[-option value …] file name`.
    fn map(&mut self, mut words: Words<'_>) -> Result<TextureMap, ParseError> {
        let (mut scale, mut offset) = (Vec2::ONE, Vec2::ZERO);
        let (mut clamp, mut bump_scale, mut channel) = (false, 1.0, None);
        loop {
            let name = words.rest();
            let mut ahead = words;
            let Some(option) = ahead.next().filter(|word| is_option(word.text)) else {
                if name.text.is_empty() {
                    return Err(ParseError::malformed(name.location(), "the name of the texture is missing"));
                }
                let file = name.name().replace('\\', "/");
                let uv_transform = flipped(scale, offset);
                let (library, location) = (self.file.to_path_buf(), name.location());
                return Ok(TextureMap { file, library, location, uv_transform, clamp, bump_scale, channel });
            };
            // Whether the option asks for what is not supported; the defaults of the others are.
            let unused = match option.text.to_ascii_lowercase().as_slice() {
                b"-s" => {
                    scale = numbers(&mut ahead, scale);
                    false
                }
                b"-o" => {
                    offset = numbers(&mut ahead, offset);
                    false
                }
                b"-t" => numbers(&mut ahead, Vec2::ZERO) != Vec2::ZERO,
                b"-mm" => numbers(&mut ahead, vec2(0.0, 1.0)) != vec2(0.0, 1.0),
                b"-bm" => {
                    bump_scale = ahead.expect("a number")?.number()?;
                    false
                }
                b"-clamp" => {
                    clamp = ahead.expect("on or off")?.text == b"on";
                    false
                }
                b"-imfchan" => {
                    let letter = ahead.expect("a channel")?.text;
                    channel = [b"r", b"g", b"b", b"m"].iter().position(|known| letter == *known);
                    channel.is_none() && letter != b"l"
                }
                b"-blendu" | b"-blendv" => ahead.expect("on or off")?.text != b"on",
                b"-cc" => ahead.expect("on or off")?.text != b"off",
                _ => {
                    ahead.expect("the value of the option")?;
                    true
                }
            };
            if unused {
                self.unused_options.add(&option.lossy(), || option.location());
            }
            words = ahead;
        }
    }
}

/// Returns whether a word is an option of a map, and not a file name that begins with a hyphen.
fn is_option(word: &[u8]) -> bool {
    matches!(word, [b'-', letters @ ..] if !letters.is_empty() && letters.iter().all(u8::is_ascii_alphabetic))
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
