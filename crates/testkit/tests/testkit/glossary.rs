//! The glossary rule: no source or document uses a word that docs/GLOSSARY.md says to avoid, and documents are wrapped.
//!
//! An entry reads ``*Avoid:* `word` (scope), `two words` (scope).`` The scope is `identifier` (code of all crates),
//! `prose` (comments, string literals and documents), or the name of a crate (its code alone).

use std::fmt;
use std::fs;
use std::path::Path;

use crate::repository::{files, root, shown};

/// Maximum length of a line of a document, in characters.
const LINE: usize = 120;

#[derive(Debug, PartialEq, Eq)]
enum Scope {
    Identifier,
    Prose,
    Crate(String),
}

#[derive(Debug, PartialEq, Eq)]
struct Avoided {
    words: String,
    scope: Scope,
}

impl fmt::Display for Avoided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.words)
    }
}

/// Returns the entries after each `*Avoid:*` of a glossary.
fn avoided(glossary: &str) -> Vec<Avoided> {
    let mut found = Vec::new();
    for list in glossary.split("*Avoid:*").skip(1) {
        let mut rest = list;
        while let Some(words) = rest.trim_start().trim_start_matches(',').trim_start().strip_prefix('`') {
            let (words, after) = words.split_once('`').expect("a closing backquote");
            let (scope, after) = after
                .trim_start()
                .strip_prefix('(')
                .and_then(|scope| scope.split_once(')'))
                .unwrap_or_else(|| panic!("`{words}` has no scope"));
            let scope = match scope {
                "identifier" => Scope::Identifier,
                "prose" => Scope::Prose,
                name => Scope::Crate(name.to_string()),
            };
            found.push(Avoided { words: words.to_string(), scope });
            rest = after;
        }
    }
    found
}

/// Code and prose of a file. In sources, comments and string literals are prose; in documents, everything except code.
#[derive(Default)]
struct Split {
    code: String,
    prose: String,
}

fn split(kind: &str, text: &str) -> Split {
    if kind == "md" { split_document(text) } else { split_source(text) }
}

fn split_document(text: &str) -> Split {
    let mut split = Split::default();
    let mut in_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            split.prose.extend(line.split('`').step_by(2));
            split.prose.push(' ');
        }
    }
    split
}

/// Splits Rust, WESL or JavaScript.
fn split_source(text: &str) -> Split {
    let mut split = Split::default();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            split.prose.push_str(rest[..end].trim_start_matches(['/', '!']));
            split.prose.push(' ');
            end
        } else if first == '"' {
            let end = end_of_literal(rest);
            split.prose.push_str(&rest[..end]);
            split.prose.push(' ');
            end
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\\"'") {
            // The character literal of a quotation mark does not begin a string
            rest[1..].find('\'').map_or(rest.len(), |end| end + 2)
        } else {
            split.code.push(first);
            first.len_utf8()
        };
        rest = &rest[end..];
    }
    split
}

/// Returns the length of the string literal at the start of a text, including its quotation marks.
fn end_of_literal(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns whether a text contains the given words, as whole words and with the same case and white space.
fn contains(text: &str, words: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

/// Returns prose in lower case with a single space between words.
fn one_line(prose: &str) -> String {
    prose.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn crate_of(file: &Path) -> Option<String> {
    let mut parts = file.strip_prefix(root().join("crates")).ok()?.components();
    Some(parts.next()?.as_os_str().to_string_lossy().into_owned())
}

#[test]
fn words_to_avoid_are_not_used() {
    let glossary = fs::read_to_string(root().join("docs/GLOSSARY.md")).expect("docs/GLOSSARY.md");
    let avoided = avoided(&glossary);
    assert!(avoided.len() > 20, "the glossary must list more than 20 words to avoid");
    let mut found = String::new();
    for file in files() {
        let Some(kind @ ("rs" | "wesl" | "js" | "md")) = file.extension().and_then(|kind| kind.to_str())
        else {
            continue;
        };
        if file.ends_with("docs/GLOSSARY.md") || file.ends_with("testkit/glossary.rs") {
            continue;
        }
        let Split { code, prose } = split(kind, &fs::read_to_string(&file).expect("a text file"));
        let (prose, folder) = (one_line(&prose), crate_of(&file));
        for entry in &avoided {
            let is_used = match &entry.scope {
                Scope::Identifier => contains(&code, &entry.words),
                Scope::Prose => contains(&prose, &entry.words.to_lowercase()),
                Scope::Crate(name) => folder.as_ref() == Some(name) && contains(&code, &entry.words),
            };
            if is_used {
                found += &format!("\n{}: {entry}", shown(&file));
            }
        }
    }
    assert!(found.is_empty(), "docs/GLOSSARY.md names the terms to use instead of:{found}");
}

#[test]
fn lines_of_documents_are_wrapped() {
    let mut found = String::new();
    for file in files() {
        if file.extension().is_none_or(|kind| kind != "md") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a text file");
        for (number, line) in text.lines().enumerate() {
            if line.chars().count() > LINE && !line.starts_with('|') {
                found += &format!("\n{}:{}", shown(&file), number + 1);
            }
        }
    }
    assert!(found.is_empty(), "longer than {LINE} characters:{found}");
}

#[test]
fn entries_code_and_prose_are_recognised() {
    let list = "- **lobe** — a part. *Avoid:* `Shine` (identifier), `sharp\nlobes` (prose),\n  `Goal` (kernel).\n- **x**, `y` (z)";
    let [shine, sharp, goal] = &avoided(list)[..] else { panic!("three entries") };
    assert_eq!((shine.words.as_str(), &shine.scope), ("Shine", &Scope::Identifier));
    assert_eq!((sharp.words.as_str(), &sharp.scope), ("sharp\nlobes", &Scope::Prose));
    assert_eq!(goal.scope, Scope::Crate("kernel".into()));

    let source =
        "let a: Shine = f('\"', \"no \\\" sharp\"); // two\n/// words\nlet b = '\\\"'; let c = Other;";
    let Split { code, prose } = split("rs", source);
    assert!(contains(&code, "Shine") && contains(&code, "Other"), "{code}");
    assert!(!contains(&code, "sharp") && !contains(&code, "two"), "{code}");
    assert!(contains(&one_line(&prose), "two words") && contains(&prose, "sharp"), "{prose}");
    let document = split("md", "Light `shines` here\nand\nthere.\n```\ncode\n```\n");
    assert!(contains(&one_line(&document.prose), "here and there"), "{}", document.prose);
    assert!(!document.prose.contains("shines") && !document.prose.contains("code"), "{}", document.prose);

    assert!(!contains("SunShine and shine_on", "Shine") && !contains("shine_on", "shine"), "whole words");
}
