/// Lines of aligned columns: the first left, the others right.
pub(crate) fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..rows.iter().map(Vec::len).max().unwrap_or(0)).map(width).collect();
    let cell = |(column, cell): (usize, &String)| match column {
        0 => format!("{cell:<0$}", widths[0]),
        _ => format!("{cell:>0$}", widths[column]),
    };
    let line = |row: &Vec<String>| row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ");
    rows.iter().map(|row| line(row).trim_end().to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align() {
        let row = |cells: [&str; 3]| cells.map(String::from).to_vec();
        let lines = columns(&[row(["rays", "closest", "ñ"]), row(["random", "1.25", ""])]);
        assert_eq!(lines, ["rays    closest  ñ", "random     1.25"]);
    }
}
