//! Which moments of which animation are shown.

use clap::Args;
use sunfleck_command::{Failure, arguments};
use sunfleck_scene::{AnimationId, Scene};

use crate::values;

/// Things that move.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Animation")]
pub(super) struct MomentArgs {
    /// An animation of the scene (see `sunfleck info`) [default: the first, if a moment is asked for]
    #[arg(long, value_name = "NAME|INDEX")]
    animation: Option<String>,

    /// Show the animation at this moment [default: as the file says without it]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = arguments::finite_number)]
    at: Option<f32>,

    /// Make a picture of each of these frames, the last one included; their numbers become part of the names of files
    #[arg(long, value_name = "FIRST..LAST", conflicts_with = "at", value_parser = frames)]
    frames: Option<Frames>,

    /// Frames a second
    #[arg(long, value_name = "N", default_value_t = 24.0, requires = "frames", value_parser = values::positive_number)]
    fps: f32,
}

/// Both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frames {
    first: u32,
    last: u32,
}

/// A picture to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moment {
    /// Part of the names of files, if there is a sequence of them.
    pub(super) frame: Option<u32>,
    /// None: the scene as it is.
    time_secs: Option<f32>,
}

impl MomentArgs {
    /// The pictures to be made, at least one.
    pub(super) fn moments(&self) -> Vec<Moment> {
        match self.frames {
            None => {
                let wanted = self.at.or(self.animation.as_ref().map(|_| 0.0));
                vec![Moment { frame: None, time_secs: wanted }]
            }
            Some(Frames { first, last }) => (first..=last)
                .map(|frame| Moment { frame: Some(frame), time_secs: Some(frame as f32 / self.fps) })
                .collect(),
        }
    }

    /// The animation that is at a moment, and its time, seconds; `None`: the scene is shown as it is. Errors: there is no such animation.
    pub(super) fn of(&self, moment: &Moment, scene: &Scene) -> Result<Option<(AnimationId, f32)>, Failure> {
        moment.time_secs.map(|time_secs| Ok((self.choose(scene)?, time_secs))).transpose()
    }

    fn choose(&self, scene: &Scene) -> Result<AnimationId, Failure> {
        let animations: Vec<_> = scene.animations().collect();
        let found = match &self.animation {
            None => animations.first(),
            Some(wanted) => {
                let by_name = animations.iter().find(|(_, animation)| animation.name == *wanted);
                by_name.or_else(|| animations.get(wanted.parse::<usize>().ok()?))
            }
        };
        found.map(|&(id, _)| id).ok_or_else(|| {
            let failure = match &self.animation {
                Some(wanted) => Failure::bad_input(format!("the scene has no animation `{wanted}`")),
                None => return Failure::bad_input("the scene has no animation"),
            };
            let names = animations.iter().enumerate();
            let names: Vec<_> =
                names.map(|(i, (_, animation))| format!("{i} `{}`", animation.name)).collect();
            if names.is_empty() {
                failure
            } else {
                failure.with_help(format!("it has: {}", names.join(", ")))
            }
        })
    }
}

/// `0..48`.
fn frames(text: &str) -> Result<Frames, String> {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let ends = text.split_once("..").and_then(|(first, last)| Some((number(first)?, number(last)?)));
    match ends {
        Some((first, last)) if first <= last => Ok(Frames { first, last }),
        _ => Err("it must be two numbers in order, such as 0..48".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_become_moments() {
        assert!(["", "3", "4..3", "a..b", "1..2..3", "-1..2"].iter().all(|text| frames(text).is_err()));
        let args = MomentArgs { frames: Some(frames("12..14").unwrap()), fps: 24.0, ..MomentArgs::default() };
        let moments: Vec<_> = args.moments().iter().map(|m| (m.frame, m.time_secs)).collect();
        assert_eq!(moments[0], (Some(12), Some(0.5)));
        assert_eq!(moments.len(), 3);
        let still = MomentArgs::default().moments();
        assert_eq!(still, [Moment { frame: None, time_secs: None }]);
    }
}
