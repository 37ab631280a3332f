//! Textures of MTL materials: those of image files, and those that are computed from several maps.

use sunfleck_scene::{NormalMap, TextureFilter, TextureRef, Wrap};

use crate::error::ImportProblem;
use crate::images::{Encoding, Image, Sampling};
use crate::phong::roughness_of_phong;

use super::maps::{is_normal_map, masked, metallic_roughness, normals_of_heights};
use super::material::MaterialConverter;
use super::mtl::{Mtl, TextureMap};

/// Map with its image.
#[derive(Debug)]
pub(super) struct LoadedMap<'a> {
    pub(super) map: &'a TextureMap,
    image: Image,
}

impl LoadedMap<'_> {
    /// Returns what distinguishes the values of the map from those of others.
    fn key(&self) -> String {
        format!("{}, channel {:?}", self.map.path(), self.map.channel)
    }
}

impl MaterialConverter<'_> {
    /// Returns the texture of a map; `None`, with a warning, if its image cannot be read.
    pub(super) fn texture(
        &mut self,
        map: Option<&TextureMap>,
        encoding: Encoding,
    ) -> Result<Option<TextureRef>, ImportProblem> {
        match map {
            Some(map) if self.image(map).is_some() => self.texture_of(&map.path(), map, encoding),
            _ => Ok(None),
        }
    }

    /// Returns a map with its image; `None`, with a warning, if the image cannot be read.
    pub(super) fn loaded<'m>(&mut self, map: Option<&'m TextureMap>) -> Option<LoadedMap<'m>> {
        let map = map?;
        Some(LoadedMap { map, image: self.image(map)? })
    }

    /// Converts a bump map: a normal map, or heights whose unit is the width of a texel.
    pub(super) fn bump(&mut self, map: &TextureMap) -> Result<Option<NormalMap>, ImportProblem> {
        let Some(heights) = self.loaded(Some(map)) else { return Ok(None) };
        let texture = if is_normal_map(&heights.image) {
            self.texture(Some(map), Encoding::Linear)?
        } else {
            let key = format!("normals of {}, clamped {}", heights.key(), map.clamp);
            let name = format!("{} as normals", map.path());
            self.computed_texture(key, name, map, Encoding::Linear, || {
                normals_of_heights(&heights.image, map.channel, map.clamp)
            })?
        };
        Ok(texture.map(|texture| NormalMap { texture, scale: map.bump_scale }))
    }

    /// Returns the texture of `map_Kd`, with `map_d` as its alpha if that could be read, and whether it could.
    pub(super) fn diffuse_texture(&mut self, mtl: &Mtl) -> Result<(Option<TextureRef>, bool), ImportProblem> {
        let color = self.loaded(mtl.diffuse_map.as_ref());
        let Some(mask) = self.loaded(mtl.dissolve_map.as_ref()) else {
            return Ok((self.texture(color.map(|color| color.map), Encoding::Color)?, false));
        };
        let (of_color, of_mask) = (color.as_ref().map(|color| color.map.path()), mask.map.path());
        let name = match &of_color {
            Some(color) => format!("{color} masked by {of_mask}"),
            None => format!("{of_mask} as mask"),
        };
        let key = format!("{of_color:?} masked by {}", mask.key());
        let placed = self.shared_placement(color.as_ref(), &mask, "map_Kd");
        let texture = self.computed_texture(key, name, placed, Encoding::Color, || {
            masked(color.as_ref().map(|color| &color.image), &mask.image, mask.map.channel)
        })?;
        Ok((texture, true))
    }

    /// Combines `map_Pr`, or without it `map_Ns` with the factor of its exponents, and `map_Pm` in one texture.
    pub(super) fn metallic_roughness_texture(
        &mut self,
        rough: Option<LoadedMap<'_>>,
        exponent: Option<(LoadedMap<'_>, f32)>,
        metal: Option<LoadedMap<'_>>,
    ) -> Result<Option<TextureRef>, ImportProblem> {
        let factor = exponent.as_ref().map(|&(_, factor)| factor);
        let rough = rough.or(exponent.map(|(map, _)| map));
        let (placed, name) = match (&rough, &metal) {
            (None, None) => return Ok(None),
            (Some(rough), None) => (rough.map, format!("{} as roughness", rough.map.path())),
            (None, Some(metal)) => (metal.map, format!("{} as metallic", metal.map.path())),
            (Some(rough), Some(metal)) => (
                self.shared_placement(Some(rough), metal, "the roughness"),
                format!("{} as roughness, {} as metallic", rough.map.path(), metal.map.path()),
            ),
        };
        let [rough_key, metal_key] = [&rough, &metal].map(|map| map.as_ref().map(LoadedMap::key));
        let key = format!("roughness {rough_key:?} of exponent {factor:?}, metallic {metal_key:?}");
        let roughness = |value: f32| factor.map_or(value, |factor| roughness_of_phong(factor * value));
        let [rough, metal] = [rough, metal].map(|map| map.map(|loaded| (loaded.image, loaded.map.channel)));
        self.computed_texture(key, name, placed, Encoding::Linear, || {
            metallic_roughness(rough.as_ref(), metal.as_ref(), roughness)
        })
    }

    /// Returns the map whose options place two maps that become one texture: the first one, if there are two. Adds a
    /// warning if those of the second one differ.
    ///
    /// * `first_name` — name of the first map for messages.
    fn shared_placement<'m>(
        &mut self,
        first: Option<&LoadedMap<'m>>,
        second: &LoadedMap<'m>,
        first_name: &str,
    ) -> &'m TextureMap {
        let Some(first) = first else { return second.map };
        if (first.map.uv_transform, first.map.clamp) != (second.map.uv_transform, second.map.clamp) {
            let message =
                format!("the options -s, -o and -clamp are ignored: the map shares those of {first_name}");
            self.report.warn_in(&second.map.library, second.map.location.clone(), message);
        }
        first.map
    }

    /// Returns the texture of an image that is computed at the first use of its key.
    ///
    /// * `name` — name of the texture for users. * `placed` — map whose options place the texture.
    fn computed_texture(
        &mut self,
        key: String,
        name: String,
        placed: &TextureMap,
        encoding: Encoding,
        compute: impl FnOnce() -> Image,
    ) -> Result<Option<TextureRef>, ImportProblem> {
        if self.images.get(&key).is_none() {
            self.images.insert(key.clone(), name, compute());
        }
        self.texture_of(&key, placed, encoding)
    }

    /// Returns the texture of an image that has been read or computed.
    fn texture_of(
        &mut self,
        key: &str,
        placed: &TextureMap,
        encoding: Encoding,
    ) -> Result<Option<TextureRef>, ImportProblem> {
        let wrap = if placed.clamp { Wrap::ClampToEdge } else { Wrap::Repeat };
        let sampling = Sampling { encoding, wrap: [wrap; 2], filter: TextureFilter::Linear };
        let texture = self.images.texture(self.scene, key, sampling)?;
        let uv_transform = placed.uv_transform;
        Ok(texture.map(|texture| TextureRef { texture, uv_set: 0, uv_transform }))
    }

    fn image(&mut self, map: &TextureMap) -> Option<Image> {
        let files = self.files;
        let read = || Image::read(&map.file, map.candidates(), files);
        let found = self.images.image(&map.path(), read).map(|image| image.cloned());
        self.report.image_notes(&map.library, &map.location, &map.file, self.images.take_notes());
        match found {
            Ok(image) => image,
            Err(problem) => {
                let message = format!("the texture is ignored: {problem}");
                self.report.warn_in(&map.library, map.location.clone(), message);
                None
            }
        }
    }
}
