//! Links each entry point's modules into one WGSL text.

/// Module of the entry point, and the name of the text.
const LINKED: [(&str, &str); 3] = [
    ("package::trace::closest", "closest"),
    ("package::trace::any", "any"),
    ("package::crossbar::closest", "crossbar"),
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
