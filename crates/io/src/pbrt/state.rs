//! Current state of the attributes and transforms of a scene that is being read.

use std::rc::Rc;

use glam::{DAffine3, DVec3};

use super::description::MediumNames;
use super::read::{Defaults, Reader, Source};
use super::{parameter, transform};
use crate::error::ParseError;
use crate::renderer::place::SourcePlace;

/// Material of the shapes that follow.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MaterialName {
    #[default]
    Default,
    /// Number of a `Material`.
    Unnamed(usize),
    /// Name of a `MakeNamedMaterial`, which may follow.
    Named(Rc<str>),
}

/// What `AttributeBegin` saves and `AttributeEnd` restores.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// Current transform, from the space of what follows to the world; before `WorldBegin` from the world.
    pub(super) ctm: DAffine3,
    /// Whether transforms are only for the end of the time of exposure.
    is_end_time: bool,
    pub(super) is_reversed: bool,
    pub(super) material: MaterialName,
    /// Number of the area light of the shapes that follow.
    pub(super) area_light: Option<usize>,
    pub(super) media: MediumNames,
    pub(super) defaults: Defaults,
}

impl Reader<'_> {
    /// Applies a directive that changes the current transform.
    ///
    /// Errors: the directive is not known, or its arguments are not as they should be.
    pub(super) fn transform(
        &mut self,
        word: &[u8],
        place: SourcePlace,
        source: &mut Source<'_>,
    ) -> Result<(), ParseError> {
        let undefined = |message: &str| place.error(message);
        let vector = |[x, y, z]: [f64; 3]| DVec3::new(x, y, z);
        let ctm = self.state.ctm;
        let ctm = match word {
            b"Identity" => DAffine3::IDENTITY,
            b"Translate" => ctm * DAffine3::from_translation(vector(source.numbers()?)),
            b"Scale" => ctm * DAffine3::from_scale(vector(source.numbers()?)),
            b"Rotate" => {
                let [degrees, axis @ ..] = source.numbers::<4>()?;
                let turn = transform::rotation(degrees, vector(axis));
                ctm * turn.ok_or_else(|| undefined("the axis has no direction"))?
            }
            b"LookAt" => {
                let [ex, ey, ez, tx, ty, tz, up @ ..] = source.numbers::<9>()?;
                let look = transform::look_at(vector([ex, ey, ez]), vector([tx, ty, tz]), vector(up));
                let message = "eye, target and up do not define a direction";
                ctm * look.ok_or_else(|| undefined(message))?
            }
            b"Transform" | b"ConcatTransform" => {
                let matrix = transform::of_columns(&source.numbers()?);
                let matrix =
                    matrix.ok_or_else(|| undefined("transforms that are not affine are not supported"))?;
                if word == b"Transform" { matrix } else { ctm * matrix }
            }
            b"CoordinateSystem" => {
                let name = source.quoted("the name of the coordinate system")?;
                self.systems.insert(name, ctm);
                return Ok(());
            }
            b"CoordSysTransform" => {
                let name = source.quoted("the name of a coordinate system")?;
                match self.systems.get(&name) {
                    Some(&system) => system,
                    None => {
                        let message =
                            format!("there is no coordinate system {name:?}: the transform is unchanged");
                        self.scene.omissions.warn(&place, message);
                        return Ok(());
                    }
                }
            }
            b"ActiveTransform" => {
                match source.tokens.next() {
                    Ok(Some(super::tokens::Token::Word(b"StartTime" | b"All"))) => {
                        self.state.is_end_time = false;
                    }
                    Ok(Some(super::tokens::Token::Word(b"EndTime"))) => self.state.is_end_time = true,
                    _ => return Err(undefined("StartTime, EndTime or All is expected")),
                }
                return Ok(());
            }
            b"TransformTimes" => {
                source.numbers::<2>()?;
                self.scene
                    .omissions
                    .warn(&place, "motion is not supported: transforms are those of its beginning");
                return Ok(());
            }
            _ => return Err(place.error(format!("{:?} is not a directive", parameter::shortened(word)))),
        };
        if !self.state.is_end_time {
            self.state.ctm = ctm;
        }
        Ok(())
    }
}
