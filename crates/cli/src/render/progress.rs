//! Progress of rendering: a bar on a terminal, a line every five seconds otherwise.

use std::cell::Cell;
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use sunfleck_engine::Progress as Status;

use crate::units;

/// Prints the progress to standard error.
#[derive(Debug)]
pub(super) struct Progress {
    display: Display,
    noise_target: Option<f32>,
    /// Time of the next update, in milliseconds since the start of the image.
    next: Cell<u64>,
}

#[derive(Debug)]
enum Display {
    Silent,
    Lines,
    Bar(ProgressBar),
}

const SPINNER: &str = "{spinner:.yellow} {wide_msg}";
const BAR: &str = "{bar:20.yellow/dim} {wide_msg}";
/// Number of steps of the bar.
const STEPS: u64 = 1000;
/// Fraction of the work that must be done before the remaining time is estimated.
const MIN_FRACTION: f32 = 0.01;
/// Time that must have passed before the remaining time is estimated.
const MIN_ELAPSED: Duration = Duration::from_millis(500);

impl Progress {
    /// Makes a progress display.
    ///
    /// * `quiet` — disables it. * `logs` — whether other lines are printed, which would tear a bar.
    pub(super) fn new(quiet: bool, logs: bool, noise_target: Option<f32>) -> Self {
        let display = match (quiet, std::io::stderr().is_terminal() && !logs) {
            (true, _) => Display::Silent,
            (false, false) => Display::Lines,
            (false, true) => Display::Bar(ProgressBar::new(STEPS)),
        };
        Self { display, noise_target, next: Cell::new(0) }
    }

    /// Shows a step of the preparation; on a terminal only, where it is cleared afterwards.
    pub(super) fn preparing(&self, what: &str) {
        if let Display::Bar(bar) = &self.display {
            bar.set_style(style(SPINNER));
            bar.set_message(what.to_string());
            bar.enable_steady_tick(Duration::from_millis(100));
        }
    }

    /// Begins an image.
    pub(super) fn rendering(&self) {
        self.next.set(self.display.interval());
        if let Display::Bar(bar) = &self.display {
            bar.disable_steady_tick();
            bar.set_message("");
            bar.set_style(style(BAR).progress_chars("━╸─"));
            bar.reset();
        }
    }

    /// Clears the bar, so that other output starts on an empty line.
    pub(super) fn clear(&self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }

    /// Updates the display, at most once per interval.
    pub(super) fn update(&self, status: &Status) {
        let now = u64::try_from(status.elapsed.as_millis()).unwrap_or(u64::MAX);
        if now < self.next.get() {
            return;
        }
        self.next.set(now.saturating_add(self.display.interval()));
        match &self.display {
            Display::Silent => {}
            Display::Lines => eprintln!("{}", describe(status, self.noise_target)),
            Display::Bar(bar) => {
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "done is in 0 … 1"
                )]
                bar.set_position((status.done * STEPS as f32) as u64);
                bar.set_message(describe(status, self.noise_target));
            }
        }
    }
}

/// Clears the bar before the message of a failure.
impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Display {
    /// Milliseconds between two updates.
    fn interval(&self) -> u64 {
        match self {
            Self::Silent => u64::MAX,
            Self::Lines => 5_000,
            Self::Bar(_) => 100,
        }
    }
}

/// Formats the progress as one line: percentage, remaining time, samples, ray rate, noise and its target. The most
/// important come first, since a narrow terminal cuts off the end.
fn describe(status: &Status, noise_target: Option<f32>) -> String {
    let left = remaining(status).map(|time| format!("{} left", humantime::format_duration(time)));
    let noise = match (status.noise, noise_target) {
        (Some(noise), Some(target)) => {
            format!("  noise {} of {}", units::percent(noise), units::percent(target))
        }
        (Some(noise), None) => format!("  noise {}", units::percent(noise)),
        (None, _) => String::new(),
    };
    format!(
        "{:>3.0} %  {}  {} spp  {}{noise}",
        (status.done * 100.0).floor(),
        left.unwrap_or_else(|| "estimating".into()),
        units::count(status.samples.into()),
        units::ray_rate(status.rays, status.elapsed),
    )
}

/// Extrapolates the remaining time; `None` while too little work is done.
fn remaining(status: &Status) -> Option<Duration> {
    if status.done < MIN_FRACTION || status.elapsed < MIN_ELAPSED {
        return None;
    }
    let seconds = status.elapsed.as_secs_f32() * (1.0 - status.done) / status.done;
    Duration::try_from_secs_f32(seconds.round()).ok()
}

fn style(template: &str) -> ProgressStyle {
    // A test checks that the constant templates parse
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(done: f32, seconds: u64, noise: Option<f32>) -> Status {
        Status { elapsed: Duration::from_secs(seconds), done, samples: 12, noise, rays: 30_000_000 }
    }

    #[test]
    fn remaining_time_is_extrapolated() {
        assert_eq!(remaining(&status(0.25, 10, None)), Some(Duration::from_secs(30)));
        assert_eq!(remaining(&status(1.0, 10, None)), Some(Duration::ZERO));
    }

    #[test]
    fn remaining_time_needs_some_progress() {
        assert_eq!(remaining(&status(0.001, 10, None)), None);
        assert_eq!(remaining(&status(0.5, 0, None)), None);
    }

    #[test]
    fn the_noise_target_is_shown() {
        let line = describe(&status(0.25, 10, Some(0.02)), Some(0.01));
        assert_eq!(line, " 25 %  30s left  12 spp  3.00 Mrays/s  noise 2.0 % of 1.0 %");
    }

    #[test]
    fn templates_parse() {
        for template in [SPINNER, BAR] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }
}
