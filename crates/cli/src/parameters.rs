//! Parameter tables of other rooms (DESIGN.md, decision 7), as text; and values that are typed.

use sunfleck_integrators::Algorithm;

use crate::failure::Failure;
use crate::sheet::columns;

/// As `--set` says. Errors: the algorithm has no such parameter, or not that value.
pub(crate) fn set(algorithm: &mut Algorithm, assignments: &[(String, String)]) -> Result<(), Failure> {
    assignments.iter().try_for_each(|(name, value)| {
        let set = algorithm.set(name, value);
        set.map_err(|error| Failure::bad_input(format!("--set {name}={value}: {error}")))
    })
}

/// One parameter.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) default: String,
    /// What is allowed, such as "a whole number from 1 to 10".
    pub(crate) range: String,
    /// Empty for pure numbers.
    pub(crate) unit: &'static str,
    pub(crate) summary: &'static str,
}

/// Indented lines of `name=default  meaning; range`.
pub(crate) fn table(rows: impl Iterator<Item = Row>) -> String {
    let row = |Row { name, default, range, unit, summary }: Row| {
        let space = if unit.is_empty() { "" } else { " " };
        let summary = summary.trim_end_matches('.');
        vec![format!("{name}={default}"), format!("{summary}; {range}{space}{unit}")]
    };
    columns(&rows.map(row).collect::<Vec<_>>()).into_iter().map(|line| format!("  {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_align() {
        let row = |name, unit| Row {
            name,
            default: "2".into(),
            range: "a number".into(),
            unit,
            summary: "it does.",
        };
        let text = table([row("depth", ""), row("d", "metres")].into_iter());
        assert_eq!(text, "  depth=2  it does; a number\n  d=2      it does; a number metres\n");
    }
}
