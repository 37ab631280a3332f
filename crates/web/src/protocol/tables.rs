//! Tables of algorithms, materials and parameters for the page, made from those of the other crates: a new algorithm,
//! scattering model or parameter appears in the page without changes to it.

use serde::Serialize;
use sunfleck_image::{Aov, REFLECTION_KNOTS, ToneCurve};
use sunfleck_integrators::Algorithm;
use sunfleck_scene::parameter::{Kind, Parameter, Value, Variant};
use sunfleck_scene::{Emission, Pattern, Surface};

use crate::session::DenoiseSetting;

/// Tables from which the page builds its panels.
#[derive(Debug, Serialize)]
pub(crate) struct Tables {
    algorithms: Vec<AlgorithmRow>,
    /// Scattering models of materials.
    surfaces: Vec<VariantRow<Surface>>,
    /// Solid patterns of materials.
    patterns: Vec<VariantRow<Pattern>>,
    /// Emission of materials.
    emission: Vec<ParameterRow>,
    channels: Vec<&'static str>,
    tone_curves: Vec<&'static str>,
    /// Values of the setting `denoise`, the default first.
    denoisers: Vec<&'static str>,
    /// File name extensions of scenes.
    extensions: &'static [&'static str],
    /// File name extensions of environment maps.
    maps: &'static [&'static str],
    /// Colour map of the channel `reflections`: level of reflection, and red, green and blue as bytes.
    reflections: Vec<(f32, [u8; 3])>,
}

#[derive(Debug, Serialize)]
struct AlgorithmRow {
    name: &'static str,
    summary: &'static str,
    presets: Vec<PresetRow>,
    parameters: Vec<ParameterRow>,
}

#[derive(Debug, Serialize)]
struct PresetRow {
    name: &'static str,
    /// Name of the algorithm, which may be another one.
    algorithm: &'static str,
    /// Values of its parameters, in the order of its table.
    parameters: Vec<Value>,
}

/// A scattering model or a pattern.
#[derive(Debug, Serialize)]
struct VariantRow<T: 'static> {
    name: &'static str,
    label: &'static str,
    summary: &'static str,
    parameters: Vec<ParameterRow>,
    /// Default value, in the form of `surface` or `pattern` of materials.
    default: &'static T,
}

#[derive(Debug, Serialize)]
struct ParameterRow {
    name: &'static str,
    label: &'static str,
    kind: &'static str,
    /// Smallest value; of colours that of a component; 0 for kinds without a range.
    least: f64,
    /// Largest value, like `least`.
    most: f64,
    /// Names of a choice; none for other kinds.
    names: &'static [&'static str],
    default: Value,
    /// Range of the slider.
    slider: [f64; 2],
    unit: &'static str,
    summary: &'static str,
}

impl Tables {
    pub(crate) fn new() -> Self {
        Self {
            algorithms: Algorithm::ALL.iter().map(algorithm).collect(),
            surfaces: variants(Surface::VARIANTS),
            patterns: variants(Pattern::VARIANTS),
            emission: rows(Emission::PARAMETERS),
            channels: Aov::ALL.iter().map(|aov| aov.name()).collect(),
            tone_curves: ToneCurve::ALL.iter().map(|curve| curve.name()).collect(),
            denoisers: DenoiseSetting::names(),
            extensions: sunfleck_io::supported_extensions(),
            maps: crate::MAP_EXTENSIONS,
            reflections: REFLECTION_KNOTS.map(|(levels, color)| (levels, color.map(byte))).to_vec(),
        }
    }
}

fn byte(encoded: f32) -> u8 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within 0 … 1")]
    let byte = (encoded * 255.0).round() as u8;
    byte
}

fn algorithm(algorithm: &Algorithm) -> AlgorithmRow {
    AlgorithmRow {
        name: algorithm.name(),
        summary: algorithm.summary(),
        presets: algorithm.presets().filter_map(|name| preset(algorithm, name)).collect(),
        parameters: rows(algorithm.parameters()),
    }
}

fn preset(of: &Algorithm, name: &'static str) -> Option<PresetRow> {
    let mut algorithm = *of;
    algorithm.set_preset(name).ok()?;
    let parameters = algorithm.values().into_iter().map(|(_, value)| value).collect();
    Some(PresetRow { name, algorithm: algorithm.name(), parameters })
}

fn variants<T>(table: &'static [Variant<T>]) -> Vec<VariantRow<T>> {
    let row = |Variant { name, label, summary, parameters, default }: &'static Variant<T>| VariantRow {
        name,
        label,
        summary,
        parameters: rows(parameters),
        default,
    };
    table.iter().map(row).collect()
}

fn rows(parameters: &[Parameter]) -> Vec<ParameterRow> {
    let row = |&Parameter { name, label, kind, slider, unit, summary }: &Parameter| {
        let [least, most] = kind.range().unwrap_or_default();
        let slider = slider.map_or([least, most], |range| range.map(f64::from));
        let default = kind.default_value();
        let names = if let Kind::Choice { names, .. } = kind { names } else { &[] };
        ParameterRow {
            name,
            label,
            kind: kind_name(kind),
            least,
            most,
            names,
            default,
            slider,
            unit,
            summary,
        }
    };
    parameters.iter().map(row).collect()
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Boolean { .. } => "boolean",
        Kind::Integer { .. } => "integer",
        Kind::Number { .. } => "number",
        Kind::Color { .. } => "color",
        Kind::Colors { .. } => "colors",
        Kind::TexturedColor { .. } => "textured-color",
        Kind::Choice { .. } => "choice",
        Kind::Texture => "texture",
    }
}
