//! Elements of a scene: objects with parameters, whose values are parsed.

use std::cell::Cell;
use std::rc::Rc;

use sunfleck_math::{Affine3, DVec3, Vec3};

use super::transform::Transform;
use crate::error::ParseError;
use crate::renderer::place::SourcePlace;
use crate::renderer::spectrum::Spectrum;

/// Object of a scene: an element with a `type`, such as a shape or a texture.
#[derive(Debug)]
pub(super) struct Object {
    /// Number of the object in the order of the file, which identifies it.
    pub(super) number: u32,
    pub(super) class: Class,
    /// Value of `type`, such as `roughplastic`.
    pub(super) plugin: String,
    pub(super) id: String,
    pub(super) place: SourcePlace,
    pub(super) parameters: Vec<Parameter>,
    /// Whether the object was converted; only then its parameters that are not used are reported.
    pub(super) is_used: Cell<bool>,
    /// Whether the scene is of a version before 2, in which some values mean something else.
    pub(super) is_old: bool,
}

/// Kind of an [`Object`]: the name of its element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Scene,
    Shape,
    Bsdf,
    Texture,
    Spectrum,
    Emitter,
    Sensor,
    Film,
    Medium,
    /// Subsurface scattering of old versions.
    Subsurface,
    /// Integrators, samplers and reconstruction filters, which scenes do not have here.
    Rendering,
}

impl Class {
    /// Returns the class of an element name, including those of versions before 0.5.
    pub(super) fn of_tag(tag: &str) -> Option<Self> {
        Some(match tag {
            "scene" => Self::Scene,
            "shape" => Self::Shape,
            "bsdf" => Self::Bsdf,
            "texture" => Self::Texture,
            "spectrum" => Self::Spectrum,
            "emitter" | "luminaire" => Self::Emitter,
            "sensor" | "camera" => Self::Sensor,
            "film" => Self::Film,
            "medium" | "phase" | "volume" => Self::Medium,
            "subsurface" => Self::Subsurface,
            "integrator" | "sampler" | "rfilter" => Self::Rendering,
            _ => return None,
        })
    }

    /// Returns the name of the class for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Scene => "scene",
            Self::Shape => "shape",
            Self::Bsdf => "bsdf",
            Self::Texture => "texture",
            Self::Spectrum => "spectrum",
            Self::Emitter => "emitter",
            Self::Sensor => "sensor",
            Self::Film => "film",
            Self::Medium => "medium",
            Self::Subsurface => "subsurface",
            Self::Rendering => "integrator, sampler or filter",
        }
    }
}

/// Parameter of an [`Object`], or an object within it.
#[derive(Debug)]
pub(super) struct Parameter {
    /// Name; empty for objects without one.
    pub(super) name: String,
    pub(super) value: Value,
    pub(super) place: SourcePlace,
    pub(super) is_used: Cell<bool>,
}

/// Value of a [`Parameter`].
#[derive(Clone, Debug)]
pub(super) enum Value {
    Boolean(bool),
    Number(f64),
    Text(String),
    Vector(DVec3),
    /// Linear colour.
    Color(Vec3),
    Spectrum(Spectrum),
    Transform(Transform),
    Object(Rc<Object>),
    /// Id of an object.
    Reference(String),
}

impl Object {
    /// Returns a parameter, which is then used.
    pub(super) fn get(&self, name: &str) -> Option<&Parameter> {
        let found = self.parameters.iter().find(|parameter| parameter.name == name)?;
        found.is_used.set(true);
        Some(found)
    }

    /// Returns a number, or `default` if there is none. Errors: the parameter is not a number.
    pub(super) fn number(&self, name: &str, default: f64) -> Result<f64, ParseError> {
        Ok(self.optional_number(name)?.unwrap_or(default))
    }

    /// Returns a number if there is one. Errors: the parameter is not a number.
    pub(super) fn optional_number(&self, name: &str) -> Result<Option<f64>, ParseError> {
        match self.get(name) {
            None => Ok(None),
            Some(Parameter { value: Value::Number(number), .. }) => Ok(Some(*number)),
            Some(parameter) => Err(parameter.place.error(format!("{name:?} is not a number"))),
        }
    }

    /// Returns a number in single precision, or `default` if there is none. Errors: the parameter is not a number.
    #[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
    pub(super) fn float(&self, name: &str, default: f32) -> Result<f32, ParseError> {
        Ok(self.optional_number(name)?.map_or(default, |number| number as f32))
    }

    /// Returns a truth value, or `default`. Errors: the parameter is none.
    pub(super) fn boolean(&self, name: &str, default: bool) -> Result<bool, ParseError> {
        match self.get(name) {
            None => Ok(default),
            Some(Parameter { value: Value::Boolean(value), .. }) => Ok(*value),
            Some(parameter) => Err(parameter.place.error(format!("{name:?} is not a boolean"))),
        }
    }

    /// Returns a text if there is one. Errors: the parameter is not a string.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, ParseError> {
        match self.get(name) {
            None => Ok(None),
            Some(Parameter { value: Value::Text(text), .. }) => Ok(Some(text)),
            Some(parameter) => Err(parameter.place.error(format!("{name:?} is not a string"))),
        }
    }

    /// Returns a point or vector if there is one. Errors: the parameter is neither.
    pub(super) fn vector(&self, name: &str) -> Result<Option<DVec3>, ParseError> {
        match self.get(name) {
            None => Ok(None),
            Some(Parameter { value: Value::Vector(vector), .. }) => Ok(Some(*vector)),
            Some(parameter) => Err(parameter.place.error(format!("{name:?} is not a point or vector"))),
        }
    }

    /// Returns a transform; the identity if there is none. Errors: the parameter is not a transform.
    pub(super) fn transform(&self, name: &str) -> Result<Affine3, ParseError> {
        self.transform_from(name, DVec3::ZERO, DVec3::ZERO)
    }

    /// Returns a transform from coordinates relative to `center` to those relative to `origin`; that of the identity if
    /// there is none.
    ///
    /// Errors: the parameter is not a transform, or not finite relative to the origin.
    pub(super) fn transform_from(
        &self,
        name: &str,
        center: DVec3,
        origin: DVec3,
    ) -> Result<Affine3, ParseError> {
        let transform = match self.get(name) {
            None => Transform::IDENTITY,
            Some(Parameter { value: Value::Transform(transform), .. }) => *transform,
            Some(parameter) => return Err(parameter.place.error(format!("{name:?} is not a transform"))),
        };
        let relative = transform.about(center).relative_to(origin).to_affine();
        relative.ok_or_else(|| self.place.error(format!("{name:?} is not finite")))
    }

    /// Marks parameters as used that make no difference to a scene.
    pub(super) fn ignore(&self, names: &[&str]) {
        let ignored = self.parameters.iter().filter(|parameter| names.contains(&parameter.name.as_str()));
        ignored.for_each(|parameter| parameter.is_used.set(true));
    }

    /// Returns the parameter of a shape with a formula that is its place.
    pub(super) fn own_place(&self) -> Option<&'static str> {
        match self.plugin.as_str() {
            "sphere" => Some("center"),
            "cylinder" => Some("p0"),
            _ => None,
        }
    }

    /// Returns the name of the object for messages: its class and its plugin.
    pub(super) fn title(&self) -> String {
        format!("{} {:?}", self.class.name(), self.plugin)
    }

    /// Returns a name for users: the id, or else the plugin.
    pub(super) fn name(&self) -> &str {
        if self.id.is_empty() { &self.plugin } else { &self.id }
    }
}
