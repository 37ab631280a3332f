//! Choice of an animation and its times.

use std::iter;
use std::ops::RangeInclusive;

use clap::{Args, value_parser};
use sunfleck_command::{Failure, arguments};
use sunfleck_scene::{AnimationId, Scene};

use super::turntable::Turn;
use crate::values;

/// Animation and the times or frames to render.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Animation")]
pub(super) struct AnimationArgs {
    /// Animation of the scene, by name or index [default: the first]
    ///
    /// `sunfleck info` lists the animations. Without this option, --at and --frames, the scene is in its rest pose.
    #[arg(long, value_name = "NAME|INDEX")]
    animation: Option<String>,

    /// Time of the animation to render, in seconds [default: 0]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = arguments::finite_number)]
    at: Option<f32>,

    /// Render the frames of a range, both ends included, to numbered files
    ///
    /// `-o a.png` writes `a-0000.png` and so on. --spp, --time and --noise apply to each frame. The first frame decides
    /// the camera that frames an object, the stage and automatic exposure: to render a sequence in parts, give
    /// --look-from, --look-at, --exposure, --environment and --no-reuse.
    #[arg(long, value_name = "FIRST..LAST", conflicts_with = "at", value_parser = frame_range)]
    frames: Option<FrameRange>,

    /// Render a turn of the camera about the scene, to N numbered files
    ///
    /// It is a full turn about the vertical axis through the centre of the scene. The lights stay, and each frame is
    /// rendered on its own.
    #[arg(long, value_name = "N", conflicts_with = "frames", value_parser = value_parser!(u32).range(1..=100_000))]
    turntable: Option<u32>,

    /// Frames per second of --frames
    #[arg(long, value_name = "N", default_value_t = 24.0, requires = "frames", value_parser = values::positive_number)]
    fps: f32,

    /// Render each frame of --frames on its own
    ///
    /// By default, frames reuse those before, so that noise flickers less. They depend on where the range begins then,
    /// but not on threads. Frames do not reuse others with --noise, --crop or --all-cameras, or if a file is not
    /// denoised.
    #[arg(long, requires = "frames")]
    no_reuse: bool,
}

/// Range of frame numbers, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FrameRange {
    first: u32,
    last: u32,
}

/// Whether the frames of a sequence reuse those before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reuse {
    On,
    /// They do not, with the reason.
    Off(&'static str),
}

/// Frame to render.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AnimationFrame {
    /// Number in file names, if a sequence is rendered.
    pub(super) number: Option<u32>,
    /// Time of the animation in seconds; `None` for the rest pose.
    time_secs: Option<f32>,
    /// Turn of the camera, if there is a turntable.
    pub(super) turn: Option<Turn>,
}

impl AnimationArgs {
    /// Returns whether frames reuse those before; `None` of a single frame.
    ///
    /// * `excluded_by` — what excludes reuse, if anything does. * `are_all_denoised` — whether all files are.
    pub(super) fn reuse(&self, excluded_by: Option<&'static str>, are_all_denoised: bool) -> Option<Reuse> {
        let FrameRange { first, last } = self.frames?;
        // Frames with reuse depend on those before: only denoised images, which are approximations, are made so
        match (first < last, self.no_reuse, excluded_by, are_all_denoised) {
            (false, ..) => None,
            (_, true, ..) => Some(Reuse::Off("--no-reuse is given")),
            (_, _, Some(why), _) => Some(Reuse::Off(why)),
            (.., false) => Some(Reuse::Off("not all files are denoised")),
            (.., true) => Some(Reuse::On),
        }
    }

    /// Returns whether frames are numbered.
    pub(super) fn is_sequence(&self) -> bool {
        self.frames.is_some() || self.turntable.is_some()
    }

    /// Returns whether the frames are those of a turntable.
    pub(super) fn is_turntable(&self) -> bool {
        self.turntable.is_some()
    }

    /// Returns the frames to render, which begin with [`first_frame`](Self::first_frame).
    pub(super) fn frames_to_render(&self) -> impl Iterator<Item = AnimationFrame> {
        let later = self.numbers().into_iter().flatten().skip(1);
        iter::once(self.first_frame()).chain(later.map(|number| self.frame(Some(number))))
    }

    /// Returns the first frame to render, or the only one.
    pub(super) fn first_frame(&self) -> AnimationFrame {
        self.frame(self.numbers().map(|numbers| *numbers.start()))
    }

    /// Returns the numbers of the frames of a sequence; `None` of a single image.
    fn numbers(&self) -> Option<RangeInclusive<u32>> {
        let turns = self.turntable.map(|frames| 0..=frames.saturating_sub(1));
        self.frames.map(|FrameRange { first, last }| first..=last).or(turns)
    }

    fn frame(&self, number: Option<u32>) -> AnimationFrame {
        let still = self.at.or(self.animation.as_ref().map(|_| 0.0));
        let of_sequence = number.filter(|_| self.frames.is_some()).map(|number| number as f32 / self.fps);
        let turn = number.zip(self.turntable).map(|(number, frames)| Turn::of_frame(number, frames));
        AnimationFrame { number, time_secs: of_sequence.or(still), turn }
    }

    /// Returns the animation and its time in seconds for a frame, or `None` for the rest pose.
    ///
    /// # Errors
    /// The scene has no such animation.
    pub(super) fn time_of(
        &self,
        frame: AnimationFrame,
        scene: &Scene,
    ) -> Result<Option<(AnimationId, f32)>, Failure> {
        frame.time_secs.map(|time_secs| Ok((self.choose(scene)?, time_secs))).transpose()
    }

    fn choose(&self, scene: &Scene) -> Result<AnimationId, Failure> {
        let animations: Vec<_> = scene.animations().collect();
        let found = match &self.animation {
            None => animations.first(),
            Some(name_or_index) => {
                let by_name = animations.iter().find(|(_, animation)| animation.name == *name_or_index);
                by_name.or_else(|| animations.get(name_or_index.parse::<usize>().ok()?))
            }
        };
        found.map(|&(id, _)| id).ok_or_else(|| {
            let failure = match &self.animation {
                Some(name_or_index) => {
                    Failure::bad_input(format!("the scene has no animation `{name_or_index}`"))
                }
                None => return Failure::bad_input("the scene has no animation"),
            };
            let names = animations.iter().enumerate();
            let names: Vec<_> =
                names.map(|(i, (_, animation))| format!("{i} `{}`", animation.name)).collect();
            if names.is_empty() {
                failure
            } else {
                failure.with_help(format!("available animations: {}", names.join(", ")))
            }
        })
    }
}

/// Parses a range of frames such as `0..48`.
fn frame_range(text: &str) -> Result<FrameRange, String> {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let ends = text.split_once("..").and_then(|(first, last)| Some((number(first)?, number(last)?)));
    match ends {
        Some((first, last)) if first <= last => Ok(FrameRange { first, last }),
        _ => Err("it must be two frame numbers in ascending order, such as 0..48".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_times() {
        assert!(["", "3", "4..3", "a..b", "1..2..3", "-1..2"].iter().all(|text| frame_range(text).is_err()));
        let args = AnimationArgs {
            frames: Some(frame_range("12..14").unwrap()),
            fps: 24.0,
            ..AnimationArgs::default()
        };
        let frames: Vec<_> = args.frames_to_render().map(|f| (f.number, f.time_secs)).collect();
        assert_eq!(frames, [(12, 12.0), (13, 13.0), (14, 14.0)].map(|(n, of)| (Some(n), Some(of / 24.0))));
        let rest: Vec<_> = AnimationArgs::default().frames_to_render().collect();
        assert_eq!(rest, [AnimationFrame { number: None, time_secs: None, turn: None }]);
        let args = AnimationArgs { turntable: Some(4), ..AnimationArgs::default() };
        let turns: Vec<_> = args.frames_to_render().collect();
        assert_eq!(turns.iter().map(|frame| frame.number).collect::<Vec<_>>(), [0, 1, 2, 3].map(Some));
        assert_eq!(turns[1].turn, Some(Turn::of_frame(1, 4)));
        let frames = Some(frame_range("0..4294967295").unwrap());
        let endless = AnimationArgs { frames, fps: 24.0, ..AnimationArgs::default() };
        assert_eq!(endless.frames_to_render().next(), Some(endless.first_frame()), "no list of all frames");
    }
}
