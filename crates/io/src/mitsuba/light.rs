//! Emitters that are not shapes.

use sunfleck_math::{Affine3, DVec3, Frame, Vec3};
use sunfleck_scene::{Environment, Light, LightKind, Node, SpotFalloff};

use super::tree::Object;
use super::{Importer, TURN};
use crate::error::ParseError;
use crate::renderer::spectrum::Quantity;

impl Importer<'_, '_> {
    /// Adds an emitter of the scene.
    pub(super) fn emitter_of_scene(&mut self, object: &Object) -> Result<(), ParseError> {
        match object.plugin.as_str() {
            "point" => self.point(object),
            "spot" => self.spot(object),
            "directional" => self.directional(object),
            "constant" => {
                self.one_environment(object);
                let radiance = self.emitted(object, "radiance")?;
                self.scene
                    .set_environment(Environment::Constant { radiance })
                    .map_err(|error| object.place.problem(error.into()))
            }
            "envmap" => {
                self.one_environment(object);
                self.envmap(object)
            }
            _ => {
                self.omissions
                    .warn(&object.place, format!("the {} is not supported and is left out", object.title()));
                Ok(())
            }
        }
    }

    /// Returns the emission of a light. What a light emits has no texture.
    pub(super) fn emitted(&mut self, object: &Object, name: &str) -> Result<Vec3, ParseError> {
        object.is_used.set(true);
        object.ignore(&["sampling_weight"]);
        Ok(self.plain_color(object, name, Vec3::ONE, Quantity::Emission)?.max(Vec3::ZERO))
    }

    fn one_environment(&mut self, object: &Object) {
        if *self.scene.environment() != Environment::Black {
            self.omissions.warn(&object.place, "a scene has one environment: the last one is used");
        }
    }

    fn add_light(
        &mut self,
        object: &Object,
        emission: Vec3,
        kind: LightKind,
        place: Affine3,
    ) -> Result<(), ParseError> {
        let name = object.name().to_string();
        let light = self.scene.add_light(Light { name: name.clone(), emission, kind });
        let light = light.map_err(|error| object.place.problem(error.into()))?;
        self.add_node(object, Node::new(name).at(place).with_light(light)).map(drop)
    }

    fn point(&mut self, object: &Object) -> Result<(), ParseError> {
        let intensity = self.emitted(object, "intensity")?;
        let origin = self.scene.origin();
        let to_world = object.transform_from("to_world", DVec3::ZERO, origin)?;
        let position = object.vector("position")?.map(|point| (point - origin).as_vec3());
        let position = position.unwrap_or(to_world.translation);
        self.add_light(object, intensity, LightKind::Point, Affine3::from_translation(position))
    }

    fn spot(&mut self, object: &Object) -> Result<(), ParseError> {
        let intensity = self.emitted(object, "intensity")?;
        let outer = object.float("cutoff_angle", 20.0)?;
        let inner = object.float("beam_width", 0.75 * outer)?;
        let outer_radians = outer.clamp(0.01, 89.9).to_radians();
        let inner_radians = inner.to_radians().clamp(0.0, outer_radians * 0.999);
        let place = object.transform_from("to_world", DVec3::ZERO, self.scene.origin())? * TURN;
        self.add_light(
            object,
            intensity,
            LightKind::Spot { inner_radians, outer_radians, falloff: SpotFalloff::Linear },
            place,
        )
    }

    fn directional(&mut self, object: &Object) -> Result<(), ParseError> {
        let irradiance = self.emitted(object, "irradiance")?;
        let to_world = object.transform("to_world")?;
        let direction = object.vector("direction")?.map_or(Vec3::Z, |direction| direction.as_vec3());
        let direction = to_world.matrix3 * direction;
        let missing = || object.place.error("the light has no direction");
        let frame = Frame::from_normal(-direction.try_normalize().ok_or_else(missing)?);
        let place = Affine3::from_cols(frame.tangent, frame.bitangent, frame.normal, Vec3::ZERO);
        self.add_light(object, irradiance, LightKind::Directional, place)
    }
}
