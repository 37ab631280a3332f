//! Links each entry point's modules into one WGSL text.

/// Module of the entry point, and the name of the text.
const LINKED: [(&str, &str); 8] = [
    ("package::trace::closest", "closest"),
    ("package::trace::any", "any"),
    ("package::crossbar::closest", "crossbar"),
    ("package::path::generate", "path_generate"),
    ("package::path::intersect", "path_intersect"),
    ("package::path::shade", "path_shade"),
    ("package::path::shadow", "path_shadow"),
    ("package::path::advance", "path_advance"),
];

fn main() {
    let linker = wesl::Wesl::new("shaders");
    for (module, name) in LINKED {
        match module.parse() {
            Ok(module) => linker.build_artifact(&module, name),
            Err(error) => println!("cargo::error={module}: {error}"),
        }
    }
}
