//! Parsing of specs of built-in scenes, with suggestions for mistyped names.

use sunfleck_scene::Scene;
use sunfleck_scene::parameter::SetError;

use crate::model::Build;
use crate::{Model, ModelError, models};

/// Builds a scene from a spec such as `cornell` or `sunflowers:flowers=1000,seed=3`.
///
/// Returns an error if the spec has a syntax error, an unknown name (the error suggests the most similar one and lists
/// all), a duplicate parameter or an invalid value.
pub fn build(spec: &str) -> Result<Scene, ModelError> {
    let (_, values) = parse(spec)?;
    let mut scene = values.build()?;
    // Emission is chosen for this exposure
    scene.set_exposure(Some(0.0))?;
    Ok(scene)
}

/// Returns the scene of a spec and its parameters.
fn parse(spec: &str) -> Result<(&'static Model, Box<dyn Build>), ModelError> {
    let (name, settings) = spec.split_once(':').unwrap_or((spec, ""));
    let name = name.trim();
    let names = || models().iter().map(|m| m.name);
    let model = models().iter().find(|m| m.name == name).ok_or_else(|| ModelError::UnknownModel {
        name: name.to_string(),
        nearest: nearest(name, names()),
        known: names().collect::<Vec<_>>().join(", "),
    })?;
    let mut values = (model.defaults)();
    let mut given = vec![false; model.parameters.len()];
    for setting in settings.split(',').map(str::trim).filter(|s| !s.is_empty()) {
        let (name, value) =
            setting.split_once('=').ok_or_else(|| ModelError::InvalidSyntax(setting.to_string()))?;
        let parameter_index = parameter_index(model, name.trim())?;
        let parameter = &model.parameters[parameter_index];
        if std::mem::replace(&mut given[parameter_index], true) {
            return Err(ModelError::DuplicateParameter(parameter.name));
        }
        let value = parameter.parse(value.trim())?;
        values.set(parameter.name, value).map_err(|error| match error {
            SetError::Value(error) => error.into(),
            SetError::Unknown { name, .. } => unknown(model, &name),
        })?;
    }
    Ok((model, values))
}

/// Returns the index of a parameter in the table of the scene.
fn parameter_index(model: &Model, name: &str) -> Result<usize, ModelError> {
    model.parameters.iter().position(|p| p.name == name).ok_or_else(|| unknown(model, name))
}

/// Returns the error that a scene has no parameter of this name.
fn unknown(model: &Model, name: &str) -> ModelError {
    let names = || model.parameters.iter().map(|p| p.name);
    ModelError::UnknownParameter {
        model: model.name,
        name: name.to_string(),
        nearest: nearest(name, names()),
        known: names().collect::<Vec<_>>().join(", "),
    }
}

/// Returns the name with the smallest edit distance, or `None` if that exceeds half of its length.
fn nearest(typed: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let (distance, name) = names.map(|name| (edit_distance(typed, name), name)).min_by_key(|&(d, _)| d)?;
    (distance <= name.chars().count() / 2).then_some(name)
}

/// Levenshtein distance: the number of insertions, deletions and substitutions that change one word into another.
fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use sunfleck_scene::parameter::Value;
    use sunfleck_testkit::parameters::check_table;

    use super::*;

    fn message(spec: &str) -> String {
        parse(spec).unwrap_err().to_string()
    }

    #[test]
    fn edit_distances() {
        for (from, to, distance) in
            [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("flaw", "lawn", 2), ("same", "same", 0)]
        {
            assert_eq!(edit_distance(from, to), distance, "{from} to {to}");
            assert_eq!(edit_distance(to, from), distance, "{to} to {from}");
        }
    }

    #[test]
    fn unknown_names_are_reported_with_suggestions() {
        let unknown = message("sunflower");
        assert!(unknown.contains("`sunflower` (did you mean `sunflowers`?)"), "{unknown}");
        for model in models() {
            assert!(unknown.contains(model.name), "{unknown} lacks {}", model.name);
        }
        let far = message("xyzzy");
        assert!(!far.contains("did you mean"), "{far}");
        let parameter = message("sunflowers:flower=3");
        assert!(parameter.contains("did you mean `flowers`?") && parameter.contains("seed"), "{parameter}");
        assert!(
            message("cornell:size=3").contains("`size`; it has: brightness"),
            "{}",
            message("cornell:size=3")
        );
    }

    #[test]
    fn invalid_values_are_rejected() {
        for bad in ["-1", "2.5", "many", "", "99999999999"] {
            let text = message(&format!("sunflowers:flowers={bad}"));
            assert!(text.contains(&format!("`flowers` is `{bad}`; it must be a whole number")), "{text}");
        }
        for bad in ["nan", "inf", "-0.1", "1e9"] {
            let text = message(&format!("sunflowers:wind={bad}"));
            assert!(text.contains("it must be a number"), "{text}");
        }
        assert_eq!(parse("sunflowers:flowers").unwrap_err(), ModelError::InvalidSyntax("flowers".into()));
        assert_eq!(parse("sunflowers:seed=1,seed=1").unwrap_err(), ModelError::DuplicateParameter("seed"));
    }

    #[test]
    fn valid_values_are_parsed() {
        let (model, values) = parse(" sunflowers : flowers = 12 , wind=0.5, ").unwrap();
        let [flowers, wind] = ["flowers", "wind"].map(|name| values.get(name).unwrap());
        assert_eq!((model.name, flowers, wind), ("sunflowers", Value::Integer(12), Value::Number(0.5)));
        let (_, defaults) = parse("sunflowers:").unwrap();
        assert_eq!(defaults.values(), (model.defaults)().values());
        for (text, procedural) in [("0", false), ("1", true), ("false", false), ("true", true)] {
            let (_, values) = parse(&format!("erw6:procedural={text}")).unwrap();
            assert_eq!(values.get("procedural"), Some(Value::Boolean(procedural)), "{text}");
        }
    }

    #[test]
    fn parameter_tables_match_the_parameters() {
        for model in models() {
            let mut defaults = (model.defaults)();
            assert_eq!(defaults.parameters(), model.parameters, "{}", model.name);
            check_table(model.name, defaults.as_mut());
        }
    }
}
