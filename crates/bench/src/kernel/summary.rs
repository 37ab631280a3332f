use std::fmt;

use serde::Serialize;

use super::{KernelSceneReport, QueryComparison, QueryKind};
use crate::RayKind;
use crate::table::Table;

/// Smallest acceptable ratio of a single scene.
const WORST_TARGET: f64 = 0.9;

/// Speeds relative to the peer, averaged over all scenes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct KernelSummary {
    /// One mean for each kind of rays, kind of query, query form and number of threads.
    pub means: Vec<MeanRatio>,
}

/// Speed of one of our query forms relative to the peer's fastest.
#[derive(Clone, Debug, Serialize)]
pub struct MeanRatio {
    /// Kind of rays.
    pub kind: RayKind,
    /// Kind of query.
    pub question: QueryKind,
    /// Our query form.
    pub form: String,
    /// Number of threads.
    pub threads: usize,
    /// Geometric mean over the scenes.
    pub ratio: f64,
    /// Smallest ratio of a single scene.
    pub worst: f64,
    /// Scene of the smallest ratio.
    pub worst_scene: String,
    /// Target of the geometric mean, for streams only.
    pub target: Option<f64>,
    /// Geometric mean relative to the peer's single-ray queries, for single rays only.
    pub single_ratio: Option<f64>,
}

impl KernelSummary {
    /// Averages over the scenes; rows are in the order of the first scene.
    pub(super) fn of(scenes: &[KernelSceneReport]) -> Self {
        let key = |comparison: &QueryComparison, form: usize| {
            (comparison.kind, comparison.question, comparison.ours[form].name.clone(), comparison.threads)
        };
        let all: Vec<_> = scenes
            .iter()
            .flat_map(|scene| scene.contests.iter().map(move |comparison| (scene, comparison)))
            .flat_map(|(scene, comparison)| {
                (0..comparison.ours.len()).map(move |form| (scene, comparison, form))
            })
            .filter(|(_, comparison, _)| comparison.best_peer().is_some())
            .collect();
        let mut keys = Vec::new();
        for (_, comparison, form) in &all {
            let key = key(comparison, *form);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let mean = |wanted| {
            let ours: Vec<_> =
                all.iter().filter(|(_, comparison, form)| key(comparison, *form) == wanted).collect();
            let ratio_to_best = |comparison: &QueryComparison, form: usize| {
                comparison.best_peer().map(|peer| QueryComparison::ratio(&comparison.ours[form], peer))
            };
            let ratio_to_single = |comparison: &QueryComparison, form: usize| {
                let single = comparison.peers.iter().find(|peer| peer.name == comparison.ours[form].name);
                single.map(|peer| QueryComparison::ratio(&comparison.ours[form], peer))
            };
            let ratios: Vec<(f64, &str)> = ours
                .iter()
                .filter_map(|(scene, comparison, form)| {
                    Some((ratio_to_best(comparison, *form)?, scene.name.as_str()))
                })
                .collect();
            let singles: Vec<f64> =
                ours.iter().filter_map(|(_, comparison, form)| ratio_to_single(comparison, *form)).collect();
            let (worst, worst_scene) = *ratios.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
            let (kind, question, form, threads) = wanted;
            Some(MeanRatio {
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

/// Target of the speed relative to the peer.
fn target(kind: RayKind, question: QueryKind) -> Option<f64> {
    match (question, kind) {
        (_, RayKind::File) => None,
        (QueryKind::Closest, RayKind::Primary) | (QueryKind::Any, RayKind::Primary) => Some(1.1),
        (_, RayKind::Shadow) | (_, RayKind::Random) => Some(1.2),
        (QueryKind::Closest, RayKind::Diffuse) => Some(1.4),
        (QueryKind::Any, RayKind::Diffuse) => Some(1.5),
    }
}

/// Returns the geometric mean of positive numbers.
fn geometric_mean(values: &[f64]) -> f64 {
    #[allow(clippy::disallowed_methods, reason = "printed only: no image depends on it")]
    let mean = (values.iter().map(|value| value.ln()).sum::<f64>() / values.len().max(1) as f64).exp();
    mean
}

impl fmt::Display for KernelSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.means.is_empty() {
            return Ok(());
        }
        writeln!(f, "speed relative to the peer, geometric means over scenes")?;
        let mut table = Table::new([
            "rays",
            "hit",
            "query",
            "threads",
            "ratio",
            "target",
            "worst",
            "minimum",
            "scene",
            "single rays",
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
    fn the_geometric_mean_is_a_root_of_the_product() {
        assert!((geometric_mean(&[2.0, 0.5]) - 1.0).abs() < 1e-12);
        assert!((geometric_mean(&[1.0, 8.0, 1.0]) - 2.0).abs() < 1e-12);
    }
}
