//! Indices of refraction, as numbers or as names of media [Jakob22, list of indices of refraction].

use super::tree::{Object, Parameter, Value};
use crate::error::ParseError;

/// Indices of refraction of media at 20 °C or 0 °C.
const MEDIA: [(&str, f32); 23] = [
    ("vacuum", 1.0),
    ("helium", 1.000_036),
    ("hydrogen", 1.000_132),
    ("air", 1.000_277),
    ("carbon dioxide", 1.000_45),
    ("water", 1.333),
    ("acetone", 1.36),
    ("ethanol", 1.361),
    ("carbon tetrachloride", 1.461),
    ("glycerol", 1.4729),
    ("benzene", 1.501),
    ("silicone oil", 1.520_45),
    ("bromine", 1.661),
    ("water ice", 1.31),
    ("fused quartz", 1.458),
    ("pyrex", 1.47),
    ("acrylic glass", 1.49),
    ("polypropylene", 1.49),
    ("bk7", 1.5046),
    ("sodium chloride", 1.544),
    ("amber", 1.55),
    ("pet", 1.575),
    ("diamond", 2.419),
];

/// Returns the index of refraction of the inside over that of the outside, which is air unless it is given.
///
/// * `default` — name of the medium inside if none is given.
///
/// Errors: a name that is not in the list, or an index that is not positive.
pub(super) fn relative_index(object: &Object, default: &str) -> Result<f32, ParseError> {
    let inside = index(object, "int_ior", default)?;
    Ok(inside / index(object, "ext_ior", "air")?)
}

pub(super) fn index(object: &Object, name: &str, default: &str) -> Result<f32, ParseError> {
    let of_name = |medium: &str| {
        let found =
            MEDIA.iter().find(|(known, _)| known.eq_ignore_ascii_case(medium)).map(|&(_, index)| index);
        found.ok_or_else(|| object.place.error(format!("the index of refraction of {medium:?} is not known")))
    };
    let index = match object.get(name) {
        None => of_name(default)?,
        Some(Parameter { value: Value::Text(medium), .. }) => of_name(medium)?,
        Some(_) => object.float(name, 1.0)?,
    };
    if index > 0.0 { Ok(index) } else { Err(object.place.error(format!("{name:?} is not positive"))) }
}
