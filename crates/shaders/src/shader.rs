//! Linked shaders by pass and options.

use crate::passes::{Features, Pass};

/// The linked shaders of all passes by name, sorted.
static TEXTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// A pass with a choice of its options.
#[derive(Clone, Copy, Debug)]
pub struct Shader {
    /// The pass.
    pub pass: &'static Pass,
    /// The chosen options, a subset of the options of the pass.
    options: Features,
}

impl Shader {
    /// Creates the shader of a pass, with those of the features that are options of the pass.
    pub const fn new(pass: &'static Pass, features: Features) -> Self {
        Self { pass, options: features.within(pass.options) }
    }

    /// Returns the name of the shader in messages.
    pub fn name(&self) -> String {
        self.pass.text_name(self.options)
    }

    /// Returns whether the shader declares a constant that its [specialization](crate::Specialization) sets.
    pub fn declares(&self, constant: &str) -> bool {
        self.text().contains(&format!("override {constant}·"))
    }

    /// Returns the linked text: WGSL without binding numbers.
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
    /// The shader of a pass without any of its options.
    fn from(pass: &'static Pass) -> Self {
        Self::new(pass, Features::NONE)
    }
}
