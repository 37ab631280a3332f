//! Summary of a command's result as text: labels in one column, values in another.

use std::fmt;

use console::style;

/// Rows of a label and one or more lines of values.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    rows: Vec<(&'static str, Vec<String>)>,
}

impl Summary {
    /// Adds a row with a line per value; nothing if all values are empty.
    pub(crate) fn lines(&mut self, label: &'static str, lines: impl IntoIterator<Item = String>) {
        let lines: Vec<String> = lines.into_iter().filter(|line| !line.is_empty()).collect();
        if !lines.is_empty() {
            self.rows.push((label, lines));
        }
    }

    /// Adds a row of one line: its values, separated by commas.
    pub(crate) fn line<const N: usize>(&mut self, label: &'static str, values: [String; N]) {
        let values: Vec<String> = values.into_iter().filter(|value| !value.is_empty()).collect();
        self.lines(label, [values.join(", ")]);
    }

    /// Adds a row per note of an importer or renderer; its prefix `note: ` or `warning: ` becomes the label.
    pub(crate) fn notes(&mut self, notes: impl IntoIterator<Item = String>) {
        for note in notes {
            let (label, text) = match note.split_once(": ") {
                Some(("warning", text)) => ("warning", text),
                Some(("note", text)) => ("note", text),
                _ => ("note", note.as_str()),
            };
            self.lines(label, [text.to_string()]);
        }
    }
}

/// Prints aligned rows; on a terminal, labels are dim.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rows.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
        for (label, lines) in &self.rows {
            let labels = std::iter::once(*label).chain(std::iter::repeat(""));
            for (label, line) in labels.zip(lines) {
                writeln!(f, "{}  {line}", style(format!("{label:>width$}")).dim())?;
            }
        }
        Ok(())
    }
}

/// Formats rows of cells as lines with aligned columns: the first and the last left-aligned, the others right-aligned.
pub(crate) fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let line = |row: &Vec<String>| {
        let last = row.len().saturating_sub(1);
        let cells = row.iter().enumerate().map(|(column, cell)| match column {
            0 if last > 0 => format!("{cell:<0$}", width(column)),
            c if c == last => cell.clone(),
            _ => format!("{cell:>0$}", width(column)),
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_align_and_continue() {
        let mut summary = Summary::default();
        summary.line("scene", ["a room".to_string(), String::new(), "3 lights".to_string()]);
        summary.lines("files", ["one".to_string(), "two".to_string()]);
        summary.lines("nothing", []);
        let expected = "scene  a room, 3 lights\nfiles  one\n       two\n";
        assert_eq!(console::strip_ansi_codes(&summary.to_string()), expected);
    }

    #[test]
    fn severities_of_notes_are_labels() {
        let mut summary = Summary::default();
        summary.notes(["warning: a.obj:1: bad".to_string(), "note: framed".to_string()]);
        let expected = "warning  a.obj:1: bad\n   note  framed\n";
        assert_eq!(console::strip_ansi_codes(&summary.to_string()), expected);
    }

    #[test]
    fn columns_align() {
        let row = |cells: [&str; 3]| cells.map(String::from).to_vec();
        let lines = columns(&[row(["ab", "1", "x"]), row(["c", "234", "yz"])]);
        assert_eq!(lines, ["ab    1  x", "c   234  yz"]);
    }
}
