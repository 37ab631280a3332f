//! The citation rule: every work that a comment cites as `[Key]` or `[Key, Eq. 4]` is in docs/references.bib, and every
//! work there is cited.
//!
//! A bracket in prose is a citation if its first word begins with a capital letter, has the form of a key, or equals a
//! key except for its case, and is followed by a comma, a semicolon or the closing bracket. Mistyped keys are therefore
//! reported: code, including links to items, must be in backquotes, and intervals begin with a digit or a small letter.

#![allow(missing_docs, reason = "a test")]

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::PathBuf;

use crate::repository::{files, root, shown};

/// Keys of the works on which the engine is based: they are listed first, cited or not.
const FOUNDING: [&str; 4] = ["RayEngine02", "Radiosity03", "Stochastic04", "Wald03"];

struct Work {
    key: String,
    /// Text of the entry, from its key to its end.
    entry: String,
}

/// Returns the entries of the bibliography in their order.
fn works() -> Vec<Work> {
    let text = fs::read_to_string(root().join("docs/references.bib")).expect("docs/references.bib");
    let entries = text.split("\n@").skip(1);
    entries
        .map(|entry| {
            let (_, entry) = entry.split_once('{').expect("an entry begins @kind{Key,");
            let (key, _) = entry.split_once(',').expect("an entry begins @kind{Key,");
            Work { key: key.to_string(), entry: entry.trim_end().to_string() }
        })
        .collect()
}

/// Consecutive comment lines or lines of Markdown, joined since a citation may be broken across lines.
struct Paragraph {
    first_line: usize,
    text: String,
}

/// Returns the comments and documentation of a file with the extension `kind`, without fenced blocks of code.
fn prose(kind: &str, text: &str) -> Vec<Paragraph> {
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    let (mut between, mut in_code, mut in_docstring) = (true, false, false);
    for (i, line) in text.lines().enumerate() {
        let written = match kind {
            "rs" | "wesl" => after_mark(line, "//").map(|comment| comment.trim_start_matches(['/', '!'])),
            "py" => {
                let quotes = line.matches("\"\"\"").count();
                let quoted = in_docstring || quotes > 0;
                in_docstring ^= quotes % 2 == 1;
                if quoted { Some(line) } else { after_mark(line, "#") }
            }
            _ => Some(line),
        };
        let written = written.map(str::trim).filter(|words| !words.is_empty());
        let fence = written.is_some_and(|words| words.starts_with("```"));
        in_code ^= fence;
        let Some(words) = written.filter(|_| !fence && !in_code) else {
            between = true;
            continue;
        };
        if between {
            paragraphs.push(Paragraph { first_line: i + 1, text: String::new() });
        }
        if let Some(paragraph) = paragraphs.last_mut() {
            paragraph.text.push_str(words);
            paragraph.text.push(' ');
        }
        between = false;
    }
    paragraphs
}

/// Returns the rest of a line after a comment mark, which begins the line or follows white space.
fn after_mark<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let begins = |at: &usize| line[..*at].chars().next_back().is_none_or(char::is_whitespace);
    line.match_indices(mark).map(|(at, _)| at).find(begins).map(|at| &line[at + mark.len()..])
}

/// Returns the keys that a paragraph cites.
fn cited<'a>(paragraph: &'a str, keys: &BTreeSet<String>) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut rest = paragraph;
    while let Some((before, _)) = rest.split_once(['`', '[']) {
        let (mark, after) = rest[before.len()..].split_at(1);
        rest = match after.split_once(if mark == "`" { '`' } else { ']' }) {
            Some((_code, after)) if mark == "`" => after,
            Some((bracket, after)) if cites(bracket, keys) && !after.starts_with('(') => {
                let unquoted = bracket.split('`').step_by(2);
                let words = unquoted.flat_map(|prose| prose.split(|c| !of_key(c))).enumerate();
                let is_key =
                    |&(i, word): &(usize, &str)| i == 0 || keys.contains(word) || formed_like_key(word);
                found.extend(words.filter(is_key).map(|(_, word)| word));
                after
            }
            _ => after,
        };
    }
    found
}

/// Returns whether the content of a bracket is a citation.
fn cites(bracket: &str, keys: &BTreeSet<String>) -> bool {
    let word = bracket.split([',', ';']).next().unwrap_or_default();
    word.chars().count() > 1
        && word.chars().all(of_key)
        && (word.starts_with(char::is_uppercase)
            || formed_like_key(word)
            || keys.iter().any(|key| key.eq_ignore_ascii_case(word)))
}

fn of_key(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '–')
}

/// Returns whether a word has the form of a key: two or more letters, two digits of the year, and at most one letter,
/// as in `Walter07` and `Arvo95b`, but not `f32` or `vec3`.
fn formed_like_key(word: &str) -> bool {
    let year = word.trim_start_matches(char::is_alphabetic);
    let name = word.len() - year.len();
    let letter = year.trim_start_matches(|c: char| c.is_ascii_digit());
    name >= 2 && year.len() - letter.len() == 2 && letter.len() < 2 && letter.chars().all(char::is_lowercase)
}

struct Citation {
    key: String,
    file: PathBuf,
    line: usize,
}

impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n[{}] in the lines from {}:{}", self.key, shown(&self.file), self.line)
    }
}

/// Returns all citations in the sources, scripts and documents.
fn citations(keys: &BTreeSet<String>) -> Vec<Citation> {
    let mut citations = Vec::new();
    for file in files() {
        let Some(kind @ ("rs" | "wesl" | "py" | "md")) = file.extension().and_then(|kind| kind.to_str())
        else {
            continue;
        };
        for paragraph in prose(kind, &fs::read_to_string(&file).expect("a text file")) {
            let line = paragraph.first_line;
            let keys = cited(&paragraph.text, keys).into_iter().map(str::to_string);
            citations.extend(keys.map(|key| Citation { key, file: file.clone(), line }));
        }
    }
    citations
}

fn keys() -> BTreeSet<String> {
    works().into_iter().map(|work| work.key).collect()
}

#[test]
fn every_citation_is_in_the_bibliography() {
    let keys = keys();
    let unknown: String = citations(&keys)
        .iter()
        .filter(|citation| !keys.contains(&citation.key))
        .map(ToString::to_string)
        .collect();
    assert!(unknown.is_empty(), "not in docs/references.bib (if it is code, backquote it):{unknown}");
}

#[test]
fn every_work_is_cited() {
    let keys = keys();
    let cited: BTreeSet<String> = citations(&keys).into_iter().map(|citation| citation.key).collect();
    let uncited: Vec<&String> =
        keys.difference(&cited).filter(|key| !FOUNDING.contains(&key.as_str())).collect();
    assert!(uncited.is_empty(), "never cited: {uncited:?}");
}

#[test]
fn the_bibliography_is_complete_and_in_order() {
    let works = works();
    let (founding, others) = works.split_at(FOUNDING.len());
    assert!(founding.iter().map(|work| work.key.as_str()).eq(FOUNDING), "the founding works come first");
    for pair in others.windows(2) {
        let [before, after] = [&pair[0].key, &pair[1].key];
        assert!(before.to_lowercase() < after.to_lowercase(), "`{after}` belongs before `{before}`");
    }
    for Work { key, entry } in &works {
        let has = |field: &str| entry.contains(&format!(" {field} = {{"));
        assert!(has("author") || has("institution"), "`{key}` needs an author or an institution");
        assert!(has("title") && has("year"), "`{key}` needs a title and a year");
        // The brace that opens the entry is not in its text
        assert_eq!(entry.matches('{').count() + 1, entry.matches('}').count(), "braces of `{key}`");
    }
}

#[test]
fn citations_are_told_from_other_brackets() {
    let keys: BTreeSet<String> =
        ["Walter07", "PBRT4", "glTF2", "Howell", "IEC61966-2-1"].map(String::from).into();
    let seen = |paragraph: &str| cited(paragraph, &keys).join(" ");

    // Citations, mistyped ones among them
    assert_eq!(seen("GGX [Walter07], [PBRT4, Eq. 9.6] and [Howell, C-11]."), "Walter07 PBRT4 Howell");
    assert_eq!(seen("[Walter07; the square as in Walter08, Eq. 16]"), "Walter07 Walter08");
    assert_eq!(seen("[IEC61966-2-1, matrix], [Steele14, `SplitMix64`]"), "IEC61966-2-1 Steele14");
    assert_eq!(
        seen("[Walter08] [walter07] [PBRT5, §6] [gltf2] [Howel]"),
        "Walter08 walter07 PBRT5 gltf2 Howel"
    );
    assert_eq!(seen("[Möller–Trumbore]"), "Möller–Trumbore");

    // Other uses of brackets
    assert_eq!(seen("[`Ggx`] [`Ggx::pdf`] [Ggx::pdf] [the table](Table) `[Vec3; 3]` `a[Axis]`"), "");
    assert_eq!(seen("in [0, 1], [f32; 3], [u8], [t_near, t_far], [-1, 1], [X, Y] and #[inline(always)]"), "");

    // Comments of several lines and comments after code; brackets in code and in examples do not count
    let comment = "//";
    let source = format!(
        "#[Walter09]\n{comment}/ As in [Walter07,\n{comment}/ Eq. 33].\n{comment}/ ```\n{comment}/ let a = [Vec3];\n\
         {comment}/ ```\nlet a = [Vec3]; {comment} [PBRT4]\nlet b = \"http:{comment}a [Vec3]\";"
    );
    let read = |kind, text| prose(kind, text).iter().map(|p| seen(&p.text)).collect::<Vec<_>>().join(" ");
    assert_eq!(read("rs", &source), "Walter07 PBRT4");
    assert_eq!(read("py", "\"\"\"By [Walter07].\n\"\"\"\na = [LEFT]  # [PBRT4]"), "Walter07 PBRT4");
    assert_eq!(read("md", "By [Walter07].\n```\n\n[Vec3]\n```\n[PBRT4]"), "Walter07 PBRT4");
}
