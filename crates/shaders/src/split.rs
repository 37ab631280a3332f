use crate::Shader;

/// An array that no single binding can hold: segments of 2ⁿ elements each, but for the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Group of the array, and its binding there: that of its first segment.
    pub group: u32,
    /// See `group`.
    pub binding: u32,
    /// How many there are, up to [`Split::MOST`].
    pub segments: u32,
    /// Logarithm of their length.
    pub shift: u32,
}

impl Split {
    /// Most segments of an array.
    pub const MOST: u32 = 8;

    /// The binding of a segment of the array with some binding. What a group has otherwise is below 32.
    pub const fn binding_of(binding: u32, segment: u32) -> u32 {
        if segment == 0 { binding } else { 32 + binding * Self::MOST + segment }
    }
}

impl Shader {
    /// A text made from a shader's for arrays in segments: each read of an element asks which segment it is in. Arrays of one segment,
    /// and those that the text does not have, leave it as it is.
    pub fn split(text: &str, splits: &[Split]) -> String {
        splits.iter().fold(text.to_owned(), with_segments)
    }
}

fn with_segments(text: String, split: &Split) -> String {
    let &Split { group, binding, segments, shift } = split;
    let attributes = |segment| format!("@group({group}) @binding({})", Split::binding_of(binding, segment));
    let declared = text.find(&format!("{}\n", attributes(0))).filter(|_| segments > 1);
    let Some((name, element)) = declared.and_then(|at| declaration(&text[at..])) else { return text };
    let mut result = calls(&text, name);

    // The other segments, and the choice
    let mut cases = String::new();
    for segment in 1..segments {
        let at = attributes(segment);
        result += &format!("\n{at}\nvar<storage, read> {name}_{segment}: array<{element}>;\n");
        cases += &format!("        case {segment}u: {{ return {name}_{segment}[at]; }}\n");
    }
    let mask = (1u32 << shift) - 1;
    result += &format!(
        "\nfn {name}_at(i: u32) -> {element} {{\n    let at = i & {mask}u;\n    switch i >> {shift}u {{\n{cases}        \
         default: {{ return {name}[at]; }}\n    }}\n}}\n"
    );
    result
}

/// Name and element of the array whose declaration a text begins with; `None` if that is no array.
fn declaration(text: &str) -> Option<(&str, &str)> {
    let (before, _) = text.split_once(';')?;
    let (_, declared) = before.split_once("var<storage, read> ")?;
    declared.strip_suffix('>')?.split_once(": array<")
}

/// The text with calls of a function in place of reads of elements.
fn calls(text: &str, name: &str) -> String {
    let (array, call) = (format!("{name}["), format!("{name}_at("));
    let mut result = String::with_capacity(text.len());
    // For each bracket that is open, whether it is of the array
    let mut open = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let begins = !result.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if begins && rest.starts_with(&array) {
            result += &call;
            open.push(true);
            rest = &rest[array.len()..];
            continue;
        }
        match c {
            '[' => open.push(false),
            ']' if open.pop() == Some(true) => {
                result.push(')');
                rest = &rest[1..];
                continue;
            }
            _ => {}
        }
        result.push(c);
        rest = &rest[c.len_utf8()..];
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_become_calls_also_within_each_other() {
        assert_eq!(calls("a[b[i] + a[a[j]]] + ba[k]", "a"), "a_at(b[i] + a_at(a_at(j))) + ba[k]");
    }

    #[test]
    fn one_segment_changes_nothing() {
        let split = Split { group: 0, binding: 0, segments: 1, shift: 4 };
        assert_eq!(Shader::split(crate::CLOSEST.text, &[split]), crate::CLOSEST.text);
    }

    #[test]
    fn an_array_that_is_not_there_changes_nothing() {
        let split = Split { group: 2, binding: 2, segments: 3, shift: 4 };
        assert_eq!(Shader::split(crate::CLOSEST.text, &[split]), crate::CLOSEST.text);
    }
}
