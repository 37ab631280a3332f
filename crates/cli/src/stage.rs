//! Argument that selects a stage.

use std::str::FromStr;

use sunfleck_engine::{Stage, StageChoice};

/// Value of `--stage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StageArg(pub(crate) StageChoice);

impl FromStr for StageArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self(StageChoice::None)),
            name => match name.parse() {
                Ok(stage) => Ok(Self(StageChoice::Fixed(stage))),
                Err(_) => {
                    let names: Vec<_> = Stage::ALL.iter().map(|stage| stage.name()).collect();
                    Err(format!("it must be {} or none", names.join(", ")))
                }
            },
        }
    }
}
