use std::fmt;

use serde::Serialize;

use super::{Contest, Question, SceneReport};
use crate::RayKind;
use crate::table::Table;

/// No scene may be slower than this.
const WORST_TARGET: f64 = 0.9;

/// Ratios to the peer over all scenes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// For each kind of rays, question and form.
    pub means: Vec<Mean>,
}

/// Ratios of one of our forms to the peer's fastest.
#[derive(Clone, Debug, Serialize)]
pub struct Mean {
    /// Which rays.
    pub kind: RayKind,
    /// What was asked.
    pub question: Question,
    /// How we were asked.
    pub form: String,
    /// With how many threads.
    pub threads: usize,
    /// Geometric mean over scenes.
    pub ratio: f64,
    /// The smallest of a single scene, …
    pub worst: f64,
    /// … and which.
    pub worst_scene: String,
    /// The geometric mean that we want of streams; other forms have no target.
    pub target: Option<f64>,
    /// One-ray calls only: the geometric mean against the peer's one-ray calls.
    pub single_ratio: Option<f64>,
}

impl Summary {
    /// Gathers what belongs together, in the order of the first scene.
    pub(super) fn of(scenes: &[SceneReport]) -> Self {
        let key = |contest: &Contest, form: usize| {
            (contest.kind, contest.question, contest.ours[form].name.clone(), contest.threads)
        };
        let all: Vec<_> = scenes
            .iter()
            .flat_map(|scene| scene.contests.iter().map(move |contest| (scene, contest)))
            .flat_map(|(scene, contest)| (0..contest.ours.len()).map(move |form| (scene, contest, form)))
            .filter(|(_, contest, _)| contest.best_peer().is_some())
            .collect();
        let mut keys = Vec::new();
        for (_, contest, form) in &all {
            let key = key(contest, *form);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let mean = |wanted| {
            let ours: Vec<_> =
                all.iter().filter(|(_, contest, form)| key(contest, *form) == wanted).collect();
            let ratio_to_best = |contest: &Contest, form: usize| {
                contest.best_peer().map(|peer| Contest::ratio(&contest.ours[form], peer))
            };
            let ratio_to_single = |contest: &Contest, form: usize| {
                let single = contest.peers.iter().find(|peer| peer.name == contest.ours[form].name);
                single.map(|peer| Contest::ratio(&contest.ours[form], peer))
            };
            let ratios: Vec<(f64, &str)> = ours
                .iter()
                .filter_map(|(scene, contest, form)| {
                    Some((ratio_to_best(contest, *form)?, scene.name.as_str()))
                })
                .collect();
            let singles: Vec<f64> =
                ours.iter().filter_map(|(_, contest, form)| ratio_to_single(contest, *form)).collect();
            let (worst, worst_scene) = *ratios.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
            let (kind, question, form, threads) = wanted;
            Some(Mean {
                target: if form == "stream" { target(kind, question) } else { None },
                kind,
                question,
                form,
                threads,
                ratio: geometric_mean(&ratios.iter().map(|(ratio, _)| *ratio).collect::<Vec<_>>()),
                worst,
                worst_scene: worst_scene.to_string(),
                single_ratio: (!singles.is_empty()).then(|| geometric_mean(&singles)),
            })
        };
        Self { means: keys.into_iter().filter_map(mean).collect() }
    }
}

/// What we want to be, times as fast as the peer.
fn target(kind: RayKind, question: Question) -> Option<f64> {
    match (question, kind) {
        (_, RayKind::File) => None,
        (Question::Closest, RayKind::Primary) | (Question::Any, RayKind::Primary) => Some(1.1),
        (_, RayKind::Shadow) | (_, RayKind::Random) => Some(1.2),
        (Question::Closest, RayKind::Diffuse) => Some(1.4),
        (Question::Any, RayKind::Diffuse) => Some(1.5),
    }
}

/// Of positive numbers.
fn geometric_mean(values: &[f64]) -> f64 {
    #[allow(clippy::disallowed_methods, reason = "a statistic for people: no picture depends on it")]
    let mean = (values.iter().map(|value| value.ln()).sum::<f64>() / values.len().max(1) as f64).exp();
    mean
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.means.is_empty() {
            return Ok(());
        }
        writeln!(f, "times as fast as the peer, geometric means over scenes")?;
        let mut table = Table::new([
            "rays",
            "hit",
            "asked",
            "threads",
            "ratio",
            "target",
            "worst",
            "at least",
            "in",
            "to one-ray calls",
        ]);
        let target = |ratio: f64, target: Option<f64>| match target {
            Some(target) if ratio >= target => format!("{target:.1}"),
            Some(target) => format!("{target:.1} missed"),
            None => String::new(),
        };
        for mean in &self.means {
            table.row([
                mean.kind.name().to_string(),
                mean.question.name().to_string(),
                mean.form.clone(),
                mean.threads.to_string(),
                format!("{:.2}", mean.ratio),
                target(mean.ratio, mean.target),
                format!("{:.2}", mean.worst),
                target(mean.worst, mean.target.map(|_| WORST_TARGET)),
                mean.worst_scene.clone(),
                mean.single_ratio.map_or(String::new(), |ratio| format!("{ratio:.2}")),
            ]);
        }
        write!(f, "{}", table.indented())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_and_half_as_fast_is_as_fast() {
        assert!((geometric_mean(&[2.0, 0.5]) - 1.0).abs() < 1e-12);
        assert!((geometric_mean(&[1.0, 8.0, 1.0]) - 2.0).abs() < 1e-12);
    }
}
