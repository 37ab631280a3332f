use crate::kernel::plain;

/// An array that no single binding can hold: segments of 2ⁿ elements each, but for the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Of the array. That of a segment but the first is [`segment_name`](Self::segment_name).
    pub name: &'static str,
    /// How many there are, up to [`Split::MOST`].
    pub segments: u32,
    /// Logarithm of their length.
    pub shift: u32,
}

impl Split {
    /// Most segments of an array.
    pub const MOST: u32 = 8;

    /// What a segment of an array is called.
    pub fn segment_name(name: &str, segment: u32) -> String {
        if segment == 0 { name.to_owned() } else { format!("{name}_{segment}") }
    }

    /// A text made from a shader's for arrays in segments: each read of an element asks which segment it is in. Arrays of one segment,
    /// and those that the text does not have or writes, leave it as it is.
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

    // The other segments, and the choice
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

/// Name and element of the array whose declaration a text goes on with; `None` if that is no array.
fn declaration(text: &str) -> Option<(&str, &str)> {
    let (declared, _) = text.split_once(';')?;
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
    fn reads_become_calls_also_within_each_other() {
        assert_eq!(calls("a[b[i] + a[a[j]]] + ba[k]", "a"), "a_at(b[i] + a_at(a_at(j))) + ba[k]");
    }

    #[test]
    fn one_segment_or_an_array_that_is_not_there_changes_nothing() {
        let text = Shader::from(&trace::CLOSEST).text();
        for (name, segments) in [("units", 1), ("texels", 3)] {
            assert_eq!(Split::split(text, &[Split { name, segments, shift: 4 }]), text, "{name}");
        }
    }
}
