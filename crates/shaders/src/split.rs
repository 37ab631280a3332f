//! Arrays that exceed the largest binding of a device, stored in several bindings.

use crate::kernel::plain;

/// An array that exceeds the size of a binding, stored in segments of 2ⁿ elements each; the last may be shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Name of the array. The names of further segments are [`segment_name`](Self::segment_name)s.
    pub name: &'static str,
    /// Number of segments, up to [`Split::MOST`].
    pub segments: u32,
    /// Logarithm to base 2 of the length of a segment.
    pub shift: u32,
}

impl Split {
    /// Largest number of segments of an array.
    pub const MOST: u32 = 8;

    /// Returns the name of a segment of an array.
    pub fn segment_name(name: &str, segment: u32) -> String {
        if segment == 0 { name.to_owned() } else { format!("{name}_{segment}") }
    }

    /// Rewrites a shader for arrays in segments: each read of an element selects its segment. Arrays with one segment,
    /// and arrays that the shader does not declare or writes to, are left as they are.
    pub(crate) fn split(text: &str, splits: &[Self]) -> String {
        splits.iter().fold(text.to_owned(), with_segments)
    }
}

fn with_segments(text: String, split: &Split) -> String {
    let &Split { name: plain_name, segments, shift } = split;
    let declared =
        text.split(DECLARED).skip(1).filter_map(declaration).find(|(name, _)| plain(name) == plain_name);
    let Some((name, element)) = declared.filter(|_| segments > 1) else { return text };
    let mut result = calls(&text, name);

    // The other segments, and the function that selects one
    let mut cases = String::new();
    for segment in 1..segments {
        result += &format!("\n{DECLARED}{}: array<{element}>;\n", Split::segment_name(plain_name, segment));
        cases += &format!(
            "        case {segment}u: {{ return {}[at]; }}\n",
            Split::segment_name(plain_name, segment)
        );
    }
    let mask = (1u32 << shift) - 1;
    result += &format!(
        "\nfn {name}_at(i: u32) -> {element} {{\n    let at = i & {mask}u;\n    switch i >> {shift}u {{\n{cases}        \
         default: {{ return {name}[at]; }}\n    }}\n}}\n"
    );
    result
}

const DECLARED: &str = "var<storage, read> ";

/// Parses the name and the element type of the array whose declaration `text` continues with; `None` if it is no array.
fn declaration(text: &str) -> Option<(&str, &str)> {
    let (declared, _) = text.split_once(';')?;
    declared.strip_suffix('>')?.split_once(": array<")
}

/// Replaces the reads of elements of an array by calls of a function.
fn calls(text: &str, name: &str) -> String {
    let (array, call) = (format!("{name}["), format!("{name}_at("));
    let mut result = String::with_capacity(text.len());
    // For each open bracket, whether it belongs to the array
    let mut open = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let begins = !result.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '·');
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
    use crate::Shader;
    use crate::passes::trace;

    #[test]
    fn nested_reads_become_calls() {
        assert_eq!(calls("a[b[i] + a[a[j]]] + ba[k]", "a"), "a_at(b[i] + a_at(a_at(j))) + ba[k]");
    }

    #[test]
    fn one_segment_or_an_undeclared_array_changes_nothing() {
        let text = Shader::from(&trace::CLOSEST).text();
        for (name, segments) in [("units", 1), ("texels", 3)] {
            assert_eq!(Split::split(text, &[Split { name, segments, shift: 4 }]), text, "{name}");
        }
    }
}
