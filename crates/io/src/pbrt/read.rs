//! Reading of directives into a description of the scene: transforms, attributes, included files.

use std::collections::BTreeMap;
use std::rc::Rc;

use glam::DAffine3;

use super::description::{Description, MediumNames, Placed, ShapeEntry};
use super::files::SceneFiles;
use super::parameter::{self, Directive, Parameter, shortened};
use super::state::{MaterialName, State};
use super::tokens::{Token, Tokens};
use crate::FileKind;
use crate::error::ParseError;
use crate::renderer::place::{Included, SourcePlace};
use crate::text::decoded;

/// Files that a scene includes, the same one counted as often as it is included.
const MAX_INCLUDES: usize = 4096;

/// Files within each other.
const MAX_DEPTH: usize = 64;

/// Attributes that directives of a kind have unless they have their own.
const MAX_DEFAULTS: usize = 64;

/// States that are saved within each other.
const MAX_SAVED: usize = 100_000;

/// Reads a scene file and those that it includes.
///
/// Errors: text that is not pbrt's, a file that cannot be read, or one that includes itself.
pub(super) fn read(bytes: &[u8], files: &SceneFiles<'_>) -> Result<Description, ParseError> {
    let mut reader = Reader {
        files,
        state: State::default(),
        saved: Vec::new(),
        scene: Description::default(),
        open: Vec::new(),
        includes: 0,
        object: None,
        systems: BTreeMap::new(),
    };
    reader.file(bytes, None)?;
    if let Some((_, place)) = &reader.object {
        return Err(place.error("the object does not end"));
    }
    Ok(reader.scene)
}

/// State that is saved by `AttributeBegin` or `TransformBegin`.
struct Saved {
    state: State,
    is_attribute: bool,
}

pub(super) struct Reader<'a> {
    files: &'a SceneFiles<'a>,
    pub(super) state: State,
    saved: Vec<Saved>,
    pub(super) scene: Description,
    /// Names of the files that are being read.
    open: Vec<String>,
    includes: usize,
    /// Object whose shapes are being read.
    object: Option<(String, SourcePlace)>,
    /// Named coordinate systems.
    pub(super) systems: BTreeMap<String, DAffine3>,
}

/// File that is being read, and its tokens.
pub(super) struct Source<'a> {
    pub(super) tokens: Tokens<'a>,
    included: Option<Rc<Included>>,
}

impl Source<'_> {
    fn place(&mut self, offset: usize) -> SourcePlace {
        SourcePlace { included: self.included.clone(), location: self.tokens.location(offset) }
    }

    /// Returns the place of the next token.
    pub(super) fn here(&mut self) -> SourcePlace {
        let offset = self.tokens.offset();
        self.place(offset)
    }

    /// Reads a string.
    pub(super) fn quoted(&mut self, what: &str) -> Result<String, ParseError> {
        let place = self.here();
        match self.tokens.next().map_err(|message| place.error(message))? {
            Some(Token::Quoted(text)) => Ok(super::tokens::unescaped(text)),
            _ => Err(place.error(format!("{what} is missing, which must be in quotation marks"))),
        }
    }

    /// Reads numbers, which may be in brackets.
    pub(super) fn numbers<const N: usize>(&mut self) -> Result<[f64; N], ParseError> {
        let place = self.here();
        let is_list = self.tokens.peek() == Some(Token::Open);
        let skip = |source: &mut Self| source.tokens.next().map_err(|message| place.error(message));
        if is_list {
            skip(self)?;
        }
        let mut numbers = [0.0; N];
        let mut count = 0;
        self.tokens.numbers(|number| {
            if let Some(slot) = numbers.get_mut(count) {
                *slot = number;
            }
            count += 1;
        });
        if is_list && skip(self)? != Some(Token::Close)
            || count != N
            || numbers.iter().any(|n| !n.is_finite())
        {
            return Err(place.error(format!("{N} numbers are expected here")));
        }
        Ok(numbers)
    }
}

impl Reader<'_> {
    fn file(&mut self, bytes: &[u8], included: Option<Rc<Included>>) -> Result<(), ParseError> {
        let bytes = decoded(bytes);
        let mut source = Source { tokens: Tokens::new(&bytes), included };
        loop {
            let place = source.here();
            match source.tokens.next().map_err(|message| place.error(message))? {
                None => return Ok(()),
                Some(Token::Word(word)) => {
                    self.scene.directives += 1;
                    self.directive(word, place, &mut source)?;
                }
                Some(Token::Quoted(text)) => {
                    return Err(place.error(format!("{:?} is not a directive", shortened(text))));
                }
                Some(Token::Open | Token::Close) => return Err(place.error("a bracket without a directive")),
            }
        }
    }

    /// Reads the name of what a directive makes, and its parameters.
    ///
    /// * `target` — what `Attribute` calls these directives, or an empty string.
    fn made(
        &mut self,
        source: &mut Source<'_>,
        place: SourcePlace,
        target: &str,
    ) -> Result<Directive, ParseError> {
        let kind = source.quoted("a name")?;
        let mut parameters = self.parameters(source)?;
        if let Some(defaults) = self.state.defaults.get(target) {
            for default in defaults.iter() {
                if parameters.iter().all(|parameter| parameter.name != default.name) {
                    parameters.push(Rc::clone(default));
                }
            }
        }
        Ok(Directive { kind, parameters, place })
    }

    fn parameters(&mut self, source: &mut Source<'_>) -> Result<Vec<Rc<Parameter>>, ParseError> {
        let included = source.included.clone();
        let place = move |tokens: &mut Tokens<'_>, offset: usize| SourcePlace {
            included: included.clone(),
            location: tokens.location(offset),
        };
        parameter::read(&mut source.tokens, &place, &mut self.scene.is_version_3)
    }

    fn directive(
        &mut self,
        word: &[u8],
        place: SourcePlace,
        source: &mut Source<'_>,
    ) -> Result<(), ParseError> {
        match word {
            b"AttributeBegin" => self.save(true, &place)?,
            b"TransformBegin" => self.save(false, &place)?,
            b"AttributeEnd" => self.restore(true, &place)?,
            b"TransformEnd" => self.restore(false, &place)?,
            b"ReverseOrientation" => self.state.is_reversed = !self.state.is_reversed,
            b"WorldBegin" => {
                self.state.ctm = DAffine3::IDENTITY;
                self.systems.insert("world".to_string(), DAffine3::IDENTITY);
            }
            b"WorldEnd" => self.scene.is_version_3 = true,
            b"Include" => {
                let name = source.quoted("a file name")?;
                self.include(&name, &place)?;
            }
            b"Import" => {
                // Unlike an inclusion, an imported file leaves the graphics state as it was
                let name = source.quoted("a file name")?;
                let (state, saved) = (self.state.clone(), self.saved.len());
                self.include(&name, &place)?;
                if self.saved.len() != saved {
                    return Err(place.error(format!("{name:?} ends within attributes that it begins")));
                }
                self.state = state;
            }
            b"Camera" => {
                let camera = self.made(source, place, "")?;
                let camera_from_world = self.state.ctm;
                let world_from_camera = super::transform::inverse(&camera_from_world);
                let world_from_camera = world_from_camera
                    .ok_or_else(|| camera.place.error("the transform of the camera has no inverse"))?;
                self.systems.insert("camera".to_string(), world_from_camera);
                self.scene.camera = Some(Placed { directive: camera, transform: world_from_camera });
            }
            b"Film" => {
                let film = self.made(source, place, "")?;
                self.scene.is_version_3 |= film.kind == "image";
                self.scene.film = Some(film);
            }
            b"Sampler" | b"Integrator" | b"PixelFilter" | b"Accelerator" | b"SurfaceIntegrator"
            | b"VolumeIntegrator" | b"Renderer" => {
                self.scene.rendering.get_or_insert(place.clone());
                self.made(source, place, "").map(drop)?;
            }
            b"Option" => self.parameters(source).map(drop)?,
            b"ColorSpace" => {
                let name = source.quoted("a colour space")?;
                if name != "srgb" {
                    let message =
                        format!("the colour space {name:?} is not supported: colours are taken as sRGB's");
                    self.scene.omissions.warn(&place, message);
                }
            }
            b"Attribute" => {
                let target = source.quoted("what the attributes belong to")?;
                let parameters = self.parameters(source)?;
                let targets = ["shape", "light", "material", "medium", "texture"];
                let Some(target) = targets.into_iter().find(|known| *known == target) else {
                    return Err(place.error(format!("there are no attributes of {target:?}")));
                };
                let defaults = self.state.defaults.entry(target).or_default();
                let mut all = std::mem::take(defaults).to_vec();
                all.retain(|old| parameters.iter().all(|new| new.name != old.name));
                all.extend(parameters);
                if all.len() > MAX_DEFAULTS {
                    return Err(place.error(format!("more than {MAX_DEFAULTS} attributes of {target:?}")));
                }
                *defaults = all.into();
            }
            b"Material" => {
                let material = self.made(source, place, "material")?;
                self.state.material = MaterialName::Unnamed(self.scene.materials.len());
                self.scene.materials.push(material);
            }
            b"MakeNamedMaterial" => {
                let mut material = self.made(source, place, "material")?;
                let name = std::mem::take(&mut material.kind);
                let missing = || material.place.error(format!("the material {name:?} has no \"type\""));
                let kind = material.text("type").map(str::to_string).ok_or_else(missing)?;
                self.scene.named_materials.insert(name, Directive { kind, ..material });
            }
            b"NamedMaterial" => {
                self.state.material = MaterialName::Named(source.quoted("the name of a material")?.into());
            }
            b"Texture" => {
                let name = source.quoted("the name of the texture")?;
                let of = source.quoted("the type of the texture")?;
                let texture = self.made(source, place, "texture")?;
                self.scene.is_version_3 |= of == "color";
                self.scene.textures.insert((of == "float", name), texture);
            }
            b"LightSource" => {
                let directive = self.made(source, place, "light")?;
                self.scene.lights.push(Placed { directive, transform: self.state.ctm });
            }
            b"AreaLightSource" => {
                let light = self.made(source, place, "light")?;
                self.state.area_light = Some(self.scene.area_lights.len());
                self.scene.area_lights.push(light);
            }
            b"MakeNamedMedium" => {
                let mut medium = self.made(source, place, "medium")?;
                let name = std::mem::take(&mut medium.kind);
                let kind = medium.text("type").unwrap_or_default().to_string();
                self.scene.named_media.insert(name, Directive { kind, ..medium });
            }
            b"MediumInterface" => {
                let inside = source.quoted("the name of a medium")?;
                let has_outside = matches!(source.tokens.peek(), Some(Token::Quoted(_)));
                let outside =
                    if has_outside { source.quoted("the name of a medium")? } else { inside.clone() };
                self.state.media = MediumNames { interior: inside.into(), exterior: outside.into() };
            }
            b"Volume" => {
                let volume = self.made(source, place, "")?;
                self.scene.omissions.medium(&volume.place, false);
            }
            b"Shape" => {
                let shape = self.made(source, place, "shape")?;
                self.shape(shape);
            }
            b"ObjectBegin" => {
                let name = source.quoted("the name of the object")?;
                if self.object.is_some() {
                    return Err(place.error("an object cannot be within another one"));
                }
                self.save(true, &place)?;
                self.scene.objects.insert(name.clone(), Vec::new());
                self.object = Some((name, place));
            }
            b"ObjectEnd" => {
                if self.object.take().is_none() {
                    return Err(place.error("no object begins before this end"));
                }
                self.restore(true, &place)?;
            }
            b"ObjectInstance" => {
                let kind = source.quoted("the name of the object")?;
                let directive = Directive { kind, parameters: self.parameters(source)?, place };
                if self.object.is_some() {
                    return Err(directive.place.error("an object cannot contain instances"));
                }
                self.scene.instances.push(Placed { directive, transform: self.state.ctm });
            }
            _ => return self.transform(word, place, source),
        }
        Ok(())
    }

    fn shape(&mut self, directive: Directive) {
        let State { ctm, is_reversed, ref material, mut area_light, ref media, .. } = self.state;
        let (material, media) = (material.clone(), media.clone());
        if self.object.is_some() && area_light.take().is_some() {
            let message = "area lights within objects are not supported, as in pbrt: the shape is dark";
            self.scene.omissions.warn(&directive.place, message);
        }
        let entry = ShapeEntry { directive, transform: ctm, is_reversed, material, area_light, media };
        let object = self.object.as_ref().and_then(|(name, _)| self.scene.objects.get_mut(name));
        object.unwrap_or(&mut self.scene.shapes).push(entry);
    }

    fn save(&mut self, is_attribute: bool, place: &SourcePlace) -> Result<(), ParseError> {
        if self.saved.len() >= MAX_SAVED {
            return Err(place.error(format!("more than {MAX_SAVED} attributes are within each other")));
        }
        self.saved.push(Saved { state: self.state.clone(), is_attribute });
        Ok(())
    }

    fn restore(&mut self, is_attribute: bool, place: &SourcePlace) -> Result<(), ParseError> {
        match self.saved.pop() {
            Some(saved) if saved.is_attribute == is_attribute => {
                if is_attribute {
                    self.state = saved.state;
                } else {
                    self.state.ctm = saved.state.ctm;
                }
                Ok(())
            }
            _ => Err(place.error("this end has no beginning of its kind")),
        }
    }

    /// Reads a file in the place of its directive.
    fn include(&mut self, name: &str, place: &SourcePlace) -> Result<(), ParseError> {
        self.includes += 1;
        if self.includes > MAX_INCLUDES {
            return Err(place.error(format!("the scene includes more than {MAX_INCLUDES} files")));
        }
        if self.open.iter().any(|open| open == name) || self.open.len() >= MAX_DEPTH {
            return Err(place.error(format!("{name:?} includes itself")));
        }
        let bytes = self.files.read(name, FileKind::Scene).map_err(|message| place.error(message))?;
        let from = place.included.as_ref().map_or(&place.location, |included| &included.from).clone();
        self.open.push(name.to_string());
        let result = self.file(&bytes, Some(Rc::new(Included { name: name.to_string(), from })));
        self.open.pop();
        result
    }
}

/// Attributes that directives get unless they have their own, by what they belong to.
pub(super) type Defaults = BTreeMap<&'static str, Rc<[Rc<Parameter>]>>;
