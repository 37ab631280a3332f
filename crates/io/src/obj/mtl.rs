//! Material libraries: the lines of an MTL file [Wavefront], with the PBR extension of its makers' heirs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use glam::{Affine2, Mat2};
use sunfleck_math::{Vec2, Vec3, vec2};

use crate::FileLocation;
use crate::error::Fault;
use crate::report::Reporter;
use crate::text::{Lines, Word, Words};

/// What an MTL file says of a material; none: nothing.
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
    pub(super) diffuse_map: Option<Map>,
    pub(super) emission_map: Option<Map>,
    pub(super) dissolve_map: Option<Map>,
    pub(super) normal_map: Option<Map>,
}

/// A texture with its options.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Map {
    /// As it stands there, but with `/` between folders.
    pub(super) file: String,
    /// The file that names it.
    pub(super) library: PathBuf,
    pub(super) place: FileLocation,
    /// For coordinates whose origin is in the upper left corner.
    pub(super) uv_transform: Affine2,
    pub(super) clamp: bool,
    pub(super) bump_scale: f32,
}

impl Map {
    /// Where the texture may be, best first: beside its library, beside the scene, and, since many libraries hold the
    /// absolute paths of another machine, without its folders.
    pub(super) fn candidates(&self) -> impl Iterator<Item = String> {
        let folder = self.library.parent().filter(|folder| !folder.as_os_str().is_empty());
        let beside_library = folder.map(|folder| format!("{}/{}", folder.display(), self.file));
        let base_name = self.file.rsplit('/').next().map(str::to_string);
        beside_library.into_iter().chain([self.file.clone()]).chain(base_name)
    }
}

/// The materials of a library by name. Lines that are malformed or not understood become warnings in `file`.
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
            report.warn_in(file, keyword.place(), "a statement before the first newmtl is ignored");
            continue;
        };
        match statement(material, keyword, words, file) {
            Ok(Understood::Yes) => {}
            Ok(Understood::No(why)) => {
                let message = format!("{:?} is ignored: {why}", keyword.lossy());
                report.warn_in(file, keyword.place(), message);
            }
            Err(fault) => {
                report.warn_in(file, fault.place, format!("the line is ignored: {}", fault.problem));
            }
        }
    }
    materials
}

enum Understood {
    Yes,
    No(&'static str),
}

fn statement(
    material: &mut Mtl,
    keyword: Word<'_>,
    mut words: Words<'_>,
    file: &Path,
) -> Result<Understood, Fault> {
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
            return Ok(Understood::No("bumps are shown by normal maps (norm) only"));
        }
        // Ambient light is computed, and sharpness belongs to reflection maps.
        b"ka" | b"map_ka" | b"sharpness" => {}
        _ => return Ok(Understood::No("it is not supported")),
    }
    Ok(Understood::Yes)
}

/// `r [g b]`.
fn color(mut words: Words<'_>) -> Result<Vec3, Fault> {
    let word = words.expect("a colour")?;
    if word.text == b"spectral" || word.text == b"xyz" {
        return Err(Fault::unsupported(word.place(), "only RGB colours are supported"));
    }
    let r = word.number()?;
    let Some(g) = words.next() else { return Ok(Vec3::splat(r)) };
    Ok(Vec3::new(r, g.number()?, words.expect("the blue part of the colour")?.number()?))
}

/// `[-option value …] file name`.
fn map(mut words: Words<'_>, library: &Path) -> Result<Map, Fault> {
    let (mut scale, mut offset) = (Vec2::ONE, Vec2::ZERO);
    let (mut clamp, mut bump_scale) = (false, 1.0);
    loop {
        let name = words.rest();
        let mut ahead = words;
        let Some(option) = ahead.next().filter(|word| word.text.starts_with(b"-")) else {
            if name.text.is_empty() {
                return Err(Fault::malformed(name.place(), "the name of the texture is missing"));
            }
            let file = name.lossy().replace('\\', "/");
            let uv_transform = flipped(scale, offset);
            let (library, place) = (library.to_path_buf(), name.place());
            return Ok(Map { file, library, place, uv_transform, clamp, bump_scale });
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

/// One to three numbers, of which two matter.
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

/// MTL scales and moves coordinates whose v points up; ours points down: 1 − (s (1 − v) + o) = s v + 1 − s − o.
fn flipped(scale: Vec2, offset: Vec2) -> Affine2 {
    let translation = vec2(offset.x, 1.0 - scale.y - offset.y);
    Affine2::from_mat2_translation(Mat2::from_diagonal(scale), translation)
}
