use std::fmt;

/// Text table. The first column is aligned to the left, all others to the right.
#[derive(Debug)]
pub(crate) struct Table {
    indent: &'static str,
    rows: Vec<Vec<String>>,
}

/// Content of a cell without a value.
pub(crate) const NO_VALUE: &str = "–";

/// Formats a rate in 10⁹ per second; [`NO_VALUE`] for `None`.
pub(crate) fn giga(rate: Option<f64>) -> String {
    rate.map_or(NO_VALUE.to_owned(), |rate| format!("{:.3}", rate * 1e-9))
}

impl Table {
    pub(crate) fn new(headings: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { indent: "", rows: vec![headings.into_iter().map(Into::into).collect()] }
    }

    /// Indents all rows by two spaces, for a table below a heading.
    pub(crate) fn indented(self) -> Self {
        Self { indent: "  ", ..self }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = Vec::new();
        for row in &self.rows {
            widths.resize(widths.len().max(row.len()), 0);
            widths.iter_mut().zip(row).for_each(|(width, cell)| *width = cell.chars().count().max(*width));
        }
        widths
    }
}

impl Extend<Vec<String>> for Table {
    fn extend<I: IntoIterator<Item = Vec<String>>>(&mut self, rows: I) {
        self.rows.extend(rows);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        let cell = |(column, (cell, &width)): (usize, (&String, &usize))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        };
        self.rows.iter().try_for_each(|row| {
            let cells: Vec<String> = row.iter().zip(&widths).enumerate().map(cell).collect();
            writeln!(f, "{}{}", self.indent, cells.join("  ").trim_end())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align() {
        let mut table = Table::new(["rays", "closest", "ñ"]);
        table.row(["random", "1.25", ""].map(String::from));
        assert_eq!(table.to_string(), "rays    closest  ñ\nrandom     1.25\n");
        assert_eq!(table.indented().to_string(), "  rays    closest  ñ\n  random     1.25\n");
    }
}
