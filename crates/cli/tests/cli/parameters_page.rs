//! `docs/parameters.md`, generated from the parameter tables.

use std::fmt::Write;
use std::path::Path;

use sunfleck_integrators::Algorithm;
use sunfleck_models::{Model, models};
use sunfleck_scene::parameter::{Parameter, Variant};
use sunfleck_scene::{Emission, Pattern, Surface};

/// Environment variable that makes the test write the page instead of comparing it.
const WRITE: &str = "SUNFLECK_WRITE_DOCS";
const COMMAND: &str = "SUNFLECK_WRITE_DOCS=1 cargo test -p sunfleck-cli --test cli parameters_page";

fn page() -> String {
    let mut page = "\
# Parameters

Every parameter of integrators, materials and built-in scenes. This page is generated from the tables in the code; the
test that compares it prints how to generate it again.

Colours are linear Rec. 709, red, green and blue. Booleans are `true` or `false`; `1` and `0` are accepted, too.

## Integrators

`sunfleck render --integrator NAME --set PARAMETER=VALUE`; in the viewer, see *Rendering › Parameters*.

"
    .to_string();
    for algorithm in Algorithm::ALL {
        let _ = writeln!(page, "### `{algorithm}`\n\n{}.\n", capital(algorithm.summary()));
        let presets: Vec<_> = algorithm.presets().map(|preset| format!("`{preset}`")).collect();
        if !presets.is_empty() {
            let _ = writeln!(page, "Presets (`--preset`): {}.\n", presets.join(", "));
        }
        table(&mut page, algorithm.parameters());
    }
    page += "\
## Materials

A material has one scattering model, an emission and an optional pattern. They are read from files, set by
`SceneEdit::Material`, and edited in the viewer; `sunfleck materials` lists them.

### Scattering models

";
    variants(&mut page, Surface::VARIANTS);
    page += "### Emission\n\n";
    table(&mut page, Emission::PARAMETERS);
    page += "\
### Patterns

A pattern is a solid texture: a colour as a function of the position in object space, without texture coordinates. It
multiplies the base colour of the surface.

";
    variants(&mut page, Pattern::VARIANTS);
    page += "\
## Built-in scenes

`sunfleck render NAME:PARAMETER=VALUE,…`; `sunfleck scenes` lists them.

";
    for Model { name, summary, parameters, .. } in models() {
        let _ = writeln!(page, "### `{name}`\n\n{}.\n", capital(summary));
        table(&mut page, parameters);
    }
    page.trim_end().to_string() + "\n"
}

fn variants<T>(page: &mut String, rows: &[Variant<T>]) {
    for Variant { name, label, summary, parameters, .. } in rows {
        let _ = writeln!(page, "#### {label} (`{name}`)\n\n{summary}\n");
        table(page, parameters);
    }
}

fn table(page: &mut String, rows: &[Parameter]) {
    *page += "| parameter | default | values | unit | |\n|---|---|---|---|---|\n";
    for Parameter { name, kind, unit, summary, .. } in rows {
        let _ = writeln!(page, "| `{name}` | {} | {kind} | {unit} | {summary} |", kind.default_value());
    }
    page.push('\n');
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[test]
fn parameters_page_is_up_to_date() {
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/parameters.md"));
    let page = page();
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(file, page).unwrap();
        return;
    }
    let found = std::fs::read_to_string(file).unwrap_or_default();
    let differs = found.lines().zip(page.lines()).find(|(found, wanted)| found != wanted);
    assert!(found == page, "docs/parameters.md is out of date: {differs:?}; generate it with\n  {COMMAND}");
}
