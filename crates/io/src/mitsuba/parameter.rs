//! Elements that are parameters, such as `float` and `transform`, and their values.

use std::collections::BTreeMap;

use roxmltree::Node;
use sunfleck_image::srgb::linear_from_srgb_rgb;
use sunfleck_math::DVec3;

use super::read::{Reader, Source};
use super::transform::Transform;
use super::tree::Value;
use super::values;
use crate::FileKind;
use crate::error::ParseError;
use crate::renderer::place::SourcePlace;
use crate::renderer::spectrum::Spectrum;

impl Reader<'_> {
    /// Returns the value of a parameter; `None` if the element is not one.
    pub(super) fn value(
        &self,
        node: Node<'_, '_>,
        tag: &str,
        source: &Source,
        place: &SourcePlace,
    ) -> Result<Option<Value>, ParseError> {
        let attribute = |name: &str| self.attribute(node, name, source);
        if tag == "transform" || tag == "animation" {
            return self.transform(node, source).map(Some);
        }
        let components = || -> Result<Option<DVec3>, ParseError> {
            let mut point = DVec3::ZERO;
            let mut found = false;
            for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
                if let Some(text) = attribute(name)? {
                    let number = crate::renderer::numbers::number(&text)
                        .ok_or_else(|| bad(place, &text, "a number"))?;
                    (point[axis], found) = (number, true);
                }
            }
            Ok(found.then_some(point))
        };
        let text = attribute("value")?;
        let (text, expected): (&str, &str) = match (tag, &text) {
            ("boolean", Some(text)) => (text, "true or false"),
            ("float" | "integer", Some(text)) => (text, "a number"),
            ("string", Some(text)) => return Ok(Some(Value::Text(text.clone()))),
            ("rgb" | "srgb", Some(text)) => (text, "a colour"),
            ("spectrum", Some(text)) => (text, "a spectrum"),
            ("vector" | "point", Some(text)) => (text, "three numbers"),
            ("vector" | "point", None) => return Ok(Some(Value::Vector(components()?.unwrap_or_default()))),
            ("spectrum", None) => match attribute("filename")? {
                Some(name) => return self.spectrum_file(&name, place).map(Some),
                None => return Ok(None),
            },
            ("blackbody", _) => {
                let number = |name: &str, default: &str| -> Result<f64, ParseError> {
                    let text = attribute(name)?.unwrap_or_else(|| default.to_string());
                    // "5000K" is a temperature
                    crate::renderer::numbers::number(text.trim_end_matches(['K', 'k']))
                        .ok_or_else(|| bad(place, &text, "a number"))
                };
                let kelvin = number("temperature", "5000")?;
                let scale = number("scale", "1")?;
                return Ok(Some(Value::Spectrum(Spectrum::BlackBody { kelvin, scale })));
            }
            ("boolean" | "float" | "integer" | "string" | "rgb" | "srgb", None) => {
                return Err(place.error(format!("<{tag}> has no attribute \"value\"")));
            }
            _ => return Ok(None),
        };
        let value = match tag {
            "boolean" => values::boolean(text).map(Value::Boolean),
            "float" | "integer" => crate::renderer::numbers::number(text).map(Value::Number),
            "rgb" => values::triple(text)
                .map(|color| color.as_vec3())
                .or_else(|| values::hexadecimal(text).map(linear_from_srgb_rgb))
                .map(Value::Color),
            "srgb" => values::hexadecimal(text)
                .or_else(|| values::triple(text).map(|color| color.as_vec3()))
                .map(|color| Value::Color(linear_from_srgb_rgb(color))),
            "spectrum" => {
                let uniform = crate::renderer::numbers::number(text).map(Spectrum::Uniform);
                let sampled = || values::pairs(text).filter(|pairs| !pairs.is_empty());
                let three = || values::triple(text).map(|color| Value::Color(color.as_vec3()));
                let spectrum = uniform.or_else(|| sampled().map(Spectrum::samples)).map(Value::Spectrum);
                // Old versions took three numbers for RGB
                spectrum.or_else(|| source.is_old.then(three).flatten())
            }
            _ => values::triple(text).map(Value::Vector),
        };
        value.ok_or_else(|| bad(place, text, expected)).map(Some)
    }

    fn transform(&self, node: Node<'_, '_>, source: &Source) -> Result<Value, ParseError> {
        let mut transform = Transform::IDENTITY;
        for child in node.children().filter(Node::is_element) {
            let place = source.place_of(child);
            let name = child.tag_name().name();
            // The transform at the first time of an animation
            if name == "transform" {
                return self.transform(child, source);
            }
            let tag = name.to_ascii_lowercase();
            let mut attributes = BTreeMap::new();
            for attribute in child.attributes() {
                let value = self.attribute(child, attribute.name(), source)?.unwrap_or_default();
                attributes.insert(attribute.name(), value);
            }
            let next = Transform::of_element(&tag, |name| attributes.get(name).map(String::as_str));
            transform = transform.then(&next.map_err(|message| place.error(message))?);
        }
        let place = source.place_of(node);
        let is_finite = transform.to_affine().is_some();
        is_finite
            .then_some(Value::Transform(transform))
            .ok_or_else(|| place.error("the transform is not finite"))
    }

    fn spectrum_file(&self, name: &str, place: &SourcePlace) -> Result<Value, ParseError> {
        let read = self.paths.read(name, FileKind::Spectrum).map_err(|message| place.error(message));
        let (_, bytes) = read?;
        let spectrum = Spectrum::of_file(&String::from_utf8_lossy(&bytes));
        let message = || place.error(format!("{name:?} is not a file of wavelengths and values"));
        Ok(Value::Spectrum(spectrum.ok_or_else(message)?))
    }
}

/// Returns the error that a text is not what it should be.
fn bad(place: &SourcePlace, text: &str, expected: &str) -> ParseError {
    let start: String = text.chars().take(40).collect();
    place.error(format!("{start:?} is not {expected}"))
}
