use crate::passes::{Features, Pass};

/// The linked texts of all passes, by name.
static TEXTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// A pass with some of its options.
#[derive(Clone, Copy, Debug)]
pub struct Shader {
    /// Which pass.
    pub pass: &'static Pass,
    /// Its options, no others.
    options: Features,
}

impl Shader {
    /// A pass with those of some features that it has as options.
    pub const fn new(pass: &'static Pass, features: Features) -> Self {
        Self { pass, options: features.within(pass.options) }
    }

    /// What it is called in messages.
    pub fn name(&self) -> String {
        self.pass.text_name(self.options)
    }

    /// Whether the shader has a constant that its [specialization](crate::Specialization) sets.
    pub fn declares(&self, constant: &str) -> bool {
        self.text().contains(&format!("override {constant}·"))
    }

    /// As it was linked: WGSL, but for numbers of bindings.
    pub fn text(&self) -> &'static str {
        let name = self.name();
        TEXTS.binary_search_by_key(&&*name, |(name, _)| name).map_or("", |found| TEXTS[found].1)
    }
}

impl PartialEq for Shader {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.pass, other.pass) && self.options == other.options
    }
}

impl From<&'static Pass> for Shader {
    /// Without options.
    fn from(pass: &'static Pass) -> Self {
        Self::new(pass, Features::NONE)
    }
}
