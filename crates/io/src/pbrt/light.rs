//! Lights, and the emission of shapes.

use std::f32::consts::PI;

use sunfleck_math::{Affine3, Frame, Vec3, cos};
use sunfleck_scene::{Emission, Environment, Light, LightKind, Node, SpotFalloff};

use super::Importer;
use super::description::Placed;
use super::parameter::Directive;
use super::texture::UvSpace;
use crate::error::ParseError;
use crate::images::{Encoding, Sampling};
use crate::renderer::image_use::ImageUse;
use crate::renderer::spectrum::Quantity;
use sunfleck_scene::{TextureFilter, Wrap};

impl Importer<'_, '_> {
    pub(super) fn lights(&mut self) -> Result<(), ParseError> {
        for light in std::mem::take(&mut self.description.lights) {
            let to_world = self.world(&light.transform, &light.directive.place)?;
            match light.directive.kind.as_str() {
                "point" => self.point(&light, &to_world)?,
                "spot" => self.spot(&light, &to_world)?,
                "distant" => self.distant(&light, &to_world)?,
                "infinite" | "exinfinite" => self.infinite(&light.directive, &to_world)?,
                _ => {
                    let title = light.directive.title();
                    let message = format!("the light {title} is not supported and is left out");
                    self.omissions.warn(&light.directive.place, message);
                    continue;
                }
            }
            self.unused(&light.directive);
        }
        Ok(())
    }

    /// Returns the emission of a light.
    fn emitted(&mut self, light: &Directive, name: &str) -> Vec3 {
        light.ignore(&["samples", "nsamples"]);
        // In version 3 the scale may be a colour
        let scale = self.color(light, "scale", Quantity::Index).unwrap_or(Vec3::ONE);
        self.color(light, name, Quantity::Emission).unwrap_or(Vec3::ONE) * scale
    }

    fn add_light(
        &mut self,
        light: &Directive,
        emission: Vec3,
        kind: LightKind,
        place: Affine3,
    ) -> Result<(), ParseError> {
        let name = light.kind.clone();
        let added = self.scene.add_light(Light { name: name.clone(), emission, kind });
        let added = added.map_err(|error| light.place.problem(error.into()))?;
        self.add_node(&light.place, Node::new(name).at(place).with_light(added)).map(drop)
    }

    fn point(&mut self, light: &Placed, to_world: &Affine3) -> Result<(), ParseError> {
        let light = &light.directive;
        let mut intensity = self.emitted(light, "I");
        if let Some(power) = light.number("power").filter(|power| *power > 0.0) {
            intensity *= power / (4.0 * PI);
        }
        let position = to_world.transform_point3(point(light, "from", Vec3::ZERO));
        self.add_light(light, intensity, LightKind::Point, Affine3::from_translation(position))
    }

    fn spot(&mut self, light: &Placed, to_world: &Affine3) -> Result<(), ParseError> {
        let light = &light.directive;
        let mut intensity = self.emitted(light, "I");
        let outer = light.float("coneangle", 30.0).clamp(0.01, 90.0);
        let inner = (outer - light.float("conedeltaangle", 5.0)).clamp(0.0, outer * 0.999);
        let (outer_radians, inner_radians) = (outer.to_radians(), inner.to_radians());
        if let Some(power) = light.number("power").filter(|power| *power > 0.0) {
            // The solid angle in which the light is full, and half of that in which it falls off [PBRT4, §12.2.1]
            let (start, end) = (cos(inner_radians), cos(outer_radians));
            intensity *= power / (2.0 * PI * ((1.0 - start) + 0.5 * (start - end)));
        }
        let falloff = if self.description.is_version_3 { SpotFalloff::Quartic } else { SpotFalloff::Smooth };
        let from = point(light, "from", Vec3::ZERO);
        let to = point(light, "to", Vec3::Z);
        let place =
            self.facing(light, to_world.transform_point3(from), to_world.transform_vector3(to - from))?;
        self.add_light(light, intensity, LightKind::Spot { inner_radians, outer_radians, falloff }, place)
    }

    fn distant(&mut self, light: &Placed, to_world: &Affine3) -> Result<(), ParseError> {
        let light = &light.directive;
        let mut irradiance = self.emitted(light, "L");
        if let Some(illuminance) = light.number("illuminance").filter(|illuminance| *illuminance > 0.0) {
            irradiance *= illuminance;
        }
        let along = point(light, "to", Vec3::Z) - point(light, "from", Vec3::ZERO);
        let place = self.facing(light, Vec3::ZERO, to_world.transform_vector3(along))?;
        self.add_light(light, irradiance, LightKind::Directional, place)
    }

    /// Returns the place of a light whose −z axis has a direction.
    fn facing(&self, light: &Directive, position: Vec3, direction: Vec3) -> Result<Affine3, ParseError> {
        let missing = || light.place.error("the light has no direction");
        let frame = Frame::from_normal(-direction.try_normalize().ok_or_else(missing)?);
        Ok(Affine3::from_cols(frame.tangent, frame.bitangent, frame.normal, position))
    }

    fn infinite(&mut self, light: &Directive, to_world: &Affine3) -> Result<(), ParseError> {
        if *self.scene.environment() != Environment::Black {
            self.omissions.warn(&light.place, "a scene has one environment: the last one is used");
        }
        let has_color = light.get("L").is_some();
        let mut radiance = self.emitted(light, "L");
        if light.get("portal").is_some() {
            self.omissions
                .note(&light.place, "the portal of an environment makes no difference here but for noise");
        }
        let file = light.text("filename").or_else(|| light.text("mapname")).map(str::to_string);
        let illuminance = light.number("illuminance").filter(|illuminance| *illuminance > 0.0);
        if let Some(file) = file.filter(|file| !file.is_empty()) {
            if illuminance.is_some() {
                self.omissions.warn(&light.place, "\"illuminance\" of an environment map is not supported");
            }
            if has_color && !self.description.is_version_3 {
                self.omissions
                    .warn(&light.place, "an environment has either a map or a radiance: it is the map");
                radiance = self.color(light, "scale", Quantity::Index).unwrap_or(Vec3::ONE);
            }
            return self.environment_map(light, &file, radiance, to_world);
        }
        if let Some(illuminance) = illuminance {
            // A surface under a uniform sky has π times its radiance
            radiance *= illuminance / PI;
        }
        let set = self.scene.set_environment(Environment::Constant { radiance });
        set.map_err(|error| light.place.problem(error.into()))
    }

    /// Returns the factor of the radiance of an area light.
    ///
    /// * `area` — area of its shape, by which its power is divided; `None` if it is not known.
    pub(super) fn light_scale(&mut self, light: usize, area: Option<f32>) -> f32 {
        let Some(light) = self.description.area_lights.get(light) else { return 1.0 };
        let Some(power) = light.number("power").filter(|power| *power > 0.0) else { return 1.0 };
        let sides = if light.flag("twosided", false) { 2.0 } else { 1.0 };
        match area.filter(|area| *area > 0.0) {
            Some(area) => power / (sides * area * PI),
            None => {
                self.omissions.warn(
                    &light.place,
                    "\"power\" of a light on this shape is not supported: its radiance is L",
                );
                1.0
            }
        }
    }

    /// Returns the emission of the shapes of an area light.
    pub(super) fn emission(&mut self, light: usize, scale: f32, uv: UvSpace) -> Result<Emission, ParseError> {
        let Some(light) = self.description.area_lights.get(light).cloned() else {
            return Ok(Emission::default());
        };
        if !matches!(light.kind.as_str(), "diffuse" | "area") {
            let message = format!("the light {} of a shape is not supported", light.title());
            self.omissions.warn(&light.place, message);
            return Ok(Emission::default());
        }
        let radiance = self.emitted(&light, "L") * scale;
        let texture = match light.text("filename").map(str::to_string) {
            Some(name) if self.image(&light, &name) => {
                let (wrap, filter) = ([Wrap::ClampToEdge; 2], TextureFilter::Linear);
                let sampling = Sampling { encoding: Encoding::Color, wrap, filter };
                let image = ImageUse { key: name, sampling, image_from_uv: UvSpace::flip() };
                self.texture_ref(&light, &image, uv)?
            }
            _ => None,
        };
        Ok(Emission { radiance, texture })
    }
}

/// Returns a point of a directive in single precision.
fn point(directive: &Directive, name: &str, default: Vec3) -> Vec3 {
    directive.point(name).map_or(default, |point| point.as_vec3())
}
