//! A sheet of facts: labels in one column, facts in another.

use std::fmt;

use console::style;

/// Rows of a label with one or more lines.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    rows: Vec<(&'static str, Vec<String>)>,
}

impl Sheet {
    /// Adds a row; without facts there is none.
    pub(crate) fn row(&mut self, label: &'static str, lines: impl IntoIterator<Item = String>) {
        let lines: Vec<String> = lines.into_iter().filter(|line| !line.is_empty()).collect();
        if !lines.is_empty() {
            self.rows.push((label, lines));
        }
    }

    /// Adds a row of one line: its facts side by side.
    pub(crate) fn facts<const N: usize>(&mut self, label: &'static str, facts: [String; N]) {
        self.row(label, [facts.into_iter().filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(", ")]);
    }
}

/// Labels are dim on a terminal.
impl fmt::Display for Sheet {
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

/// Lines as columns: the first left-aligned, the others right-aligned unless they are last.
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
        let mut sheet = Sheet::default();
        sheet.facts("scene", ["a room".to_string(), String::new(), "3 lights".to_string()]);
        sheet.row("noted", ["one".to_string(), "two".to_string()]);
        sheet.row("nothing", []);
        let expected = "scene  a room, 3 lights\nnoted  one\n       two\n";
        assert_eq!(console::strip_ansi_codes(&sheet.to_string()), expected);
    }

    #[test]
    fn columns_align() {
        let row = |cells: [&str; 3]| cells.map(String::from).to_vec();
        let lines = columns(&[row(["ab", "1", "x"]), row(["c", "234", "yz"])]);
        assert_eq!(lines, ["ab    1  x", "c   234  yz"]);
    }
}
