//! What can be chosen, from the tables of the other rooms (DESIGN.md, decision 7): a new algorithm appears in the page by itself.

use serde::Serialize;
use sunfleck_image::{Aov, REFLECTION_KNOTS, ToneCurve};
use sunfleck_integrators::Algorithm;
use sunfleck_scene::parameter::{Kind, Parameter};

/// All that panels are made of.
#[derive(Debug, Serialize)]
pub(crate) struct Tables {
    algorithms: Vec<AlgorithmRow>,
    channels: Vec<&'static str>,
    tone_curves: Vec<&'static str>,
    /// Extensions of files that can be opened.
    extensions: &'static [&'static str],
    /// … and of maps of the environment.
    maps: &'static [&'static str],
    /// What the colours of the channel `reflections` mean: levels, and red, green and blue as bytes.
    reflections: Vec<(f32, [u8; 3])>,
}

#[derive(Debug, Serialize)]
struct AlgorithmRow {
    name: &'static str,
    summary: &'static str,
    presets: Vec<&'static str>,
    parameters: Vec<ParameterRow>,
}

#[derive(Debug, Serialize)]
struct ParameterRow {
    name: &'static str,
    integer: bool,
    least: f64,
    most: f64,
    default: f64,
    unit: &'static str,
    summary: &'static str,
}

impl Tables {
    pub(crate) fn new() -> Self {
        Self {
            algorithms: Algorithm::ALL.iter().map(row).collect(),
            channels: Aov::ALL.iter().map(|aov| aov.name()).collect(),
            tone_curves: ToneCurve::ALL.iter().map(|curve| curve.name()).collect(),
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

fn row(algorithm: &Algorithm) -> AlgorithmRow {
    let parameter = |parameter: &Parameter| {
        let Parameter { name, kind, unit, summary } = *parameter;
        let integer = matches!(kind, Kind::Integer { .. });
        let [least, most] = kind.range();
        ParameterRow { name, integer, least, most, default: kind.default_value(), unit, summary }
    };
    AlgorithmRow {
        name: algorithm.name(),
        summary: algorithm.summary(),
        presets: algorithm.presets().collect(),
        parameters: algorithm.parameters().iter().map(parameter).collect(),
    }
}
