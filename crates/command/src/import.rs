//! Options about the reading of scene files.

use std::ffi::OsStr;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use sunfleck_io::{LoadOptions, UpAxis};

use crate::Failure;
use crate::scene::{self, OpenedScene};

/// Options of all commands that read a scene file.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct ImportArgs {
    /// Axis that points up [default: z in .stl and .bpt files, else y]
    ///
    /// With z, the scene is turned: (x, y, z) of the file becomes (x, z, -y), also in the bounds of `sunfleck info` and
    /// in points on the command line.
    #[arg(long, value_name = "AXIS", help_heading = "Scene file", value_parser = up_axis())]
    up: Option<UpAxis>,

    /// Read all files that the scene refers to, wherever they are
    ///
    /// By default, absolute paths, links that lead elsewhere, and files further than three folders above that of the
    /// scene are refused.
    #[arg(long, help_heading = "Scene file")]
    allow_outside: bool,
}

impl ImportArgs {
    /// Opens a scene as [`scene::open`] does, and its file as these options say.
    ///
    /// # Errors
    /// Those of [`scene::open`].
    pub fn open(&self, name_or_path: &OsStr) -> Result<OpenedScene, Failure> {
        scene::open_with(name_or_path, &self.options())
    }

    /// Returns the options as importers take them.
    pub fn options(&self) -> LoadOptions {
        LoadOptions { up: self.up, allow_outside: self.allow_outside }
    }
}

fn up_axis() -> impl TypedValueParser<Value = UpAxis> {
    let axis = |word: String| if word == UpAxis::Z.name() { UpAxis::Z } else { UpAxis::Y };
    PossibleValuesParser::new([UpAxis::Y, UpAxis::Z].map(|axis| PossibleValue::new(axis.name()))).map(axis)
}
