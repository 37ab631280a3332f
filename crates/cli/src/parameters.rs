//! Parameter tables of integrators, materials and scenes as text.

use sunfleck_scene::parameter::Parameter;

use crate::summary::columns;

/// Formats parameters as indented lines of `name=default  summary; range`.
pub(crate) fn table(parameters: &[Parameter]) -> String {
    let row = |&Parameter { name, kind, unit, summary, .. }: &Parameter| {
        let default = kind.default_value();
        let space = if unit.is_empty() { "" } else { " " };
        let summary = summary.trim_end_matches('.');
        vec![format!("{name}={default}"), format!("{summary}; {kind}{space}{unit}")]
    };
    columns(&parameters.iter().map(row).collect::<Vec<_>>())
        .into_iter()
        .map(|line| format!("  {line}\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use sunfleck_scene::parameter::Kind;

    use super::*;

    #[test]
    fn rows_align() {
        let row = |name, unit| Parameter {
            name,
            label: name,
            kind: Kind::Integer { least: 1, most: 3, default: 2 },
            slider: None,
            unit,
            summary: "It does.",
        };
        let text = table(&[row("depth", ""), row("d", "metres")]);
        let range = "a whole number from 1 to 3";
        assert_eq!(text, format!("  depth=2  It does; {range}\n  d=2      It does; {range} metres\n"));
    }
}
