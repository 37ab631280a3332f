//! Cost per ray against the number of triangles: [Wald03, §2.1] promises that it grows with its logarithm.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::{Contest, KernelReport, Question, Settings, run};
use crate::embree::Library;
use crate::table::Table;
use crate::{BenchError, Subject};

/// Triangles of the smallest teapot; each further one has ten times as many.
const SMALLEST: f64 = 1e4;
/// A teapot of d divisions has about so many times d² triangles.
const TRIANGLES_PER_DIVISION: f64 = 30.5;

/// Costs of one shape at several finenesses.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct ScalingReport {
    /// From the coarsest to the finest, seen from the same place.
    pub measured: KernelReport,
}

/// Measures teapots of about 10⁴, 10⁵ … triangles, up to `largest`. Errors: as [`super::run`].
pub fn scaling(
    settings: &Settings,
    largest: u32,
    peer: Option<&Arc<Library>>,
    progress: &mut dyn FnMut(&str),
) -> Result<ScalingReport, BenchError> {
    let sizes = std::iter::successors(Some(SMALLEST), |size| Some(size * 10.0));
    let mut scenes = Vec::new();
    for size in sizes.take_while(|&size| size <= f64::from(largest).max(SMALLEST)) {
        #[allow(clippy::cast_possible_truncation, reason = "at most the root of 2^32")]
        let divisions = (size / TRIANGLES_PER_DIVISION).sqrt().round() as u32;
        let subject = Subject { name: format!("teapot:{divisions}"), ..Subject::teapot(divisions) };
        scenes.push(run::measure(settings, &subject, peer, progress)?);
    }
    Ok(ScalingReport { measured: KernelReport::new(peer.map(|library| library.version()), scenes) })
}

impl fmt::Display for ScalingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scenes = &self.measured.scenes;
        let Some(first) = scenes.first() else { return Ok(()) };
        for question in Question::ALL {
            writeln!(f, "ns per ray, {} hit (peer in brackets)", question.name())?;
            let held = |contest: &&Contest| contest.question == question;
            let mut headings = vec!["triangles".to_string(), "log2".to_string()];
            headings.extend(first.contests.iter().filter(held).flat_map(|contest| {
                contest.ours.iter().map(|ours| format!("{} {}", contest.kind.name(), ours.name))
            }));
            let mut table = Table::new(headings);
            for scene in scenes {
                let mut row = vec![scene.triangles.to_string(), format!("{:.1}", log2(scene.triangles))];
                row.extend(scene.contests.iter().filter(held).flat_map(costs).map(|cost| cost.to_string()));
                table.row(row);
            }
            if let [first, .., last] = scenes.as_slice() {
                let doublings = log2(last.triangles) - log2(first.triangles);
                let ends = first.contests.iter().filter(held).zip(last.contests.iter().filter(held));
                let grown = ends.flat_map(|(first, last)| costs(first).into_iter().zip(costs(last)));
                let growth = grown.map(|(first, last)| last.growth_from(first, doublings).to_string());
                table.row(["each doubling".to_string(), String::new()].into_iter().chain(growth));
            }
            write!(f, "{}", table.indented())?;
        }
        for scene in scenes.iter().filter(|scene| !scene.contests.iter().all(Contest::agrees)) {
            writeln!(f, "{}", scene.name)?;
            scene.write_differences(f)?;
        }
        Ok(())
    }
}

/// Nanoseconds of CPU time per ray.
#[derive(Clone, Copy, Debug)]
struct Cost {
    ours: f64,
    peer: Option<f64>,
}

impl Cost {
    /// What each doubling of the number of triangles adds.
    fn growth_from(self, first: Self, doublings: f64) -> Self {
        let growth = |last: f64, first: f64| (last - first) / doublings;
        let peer = self.peer.zip(first.peer).map(|(last, first)| growth(last, first));
        Self { ours: growth(self.ours, first.ours), peer }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1}", self.ours)?;
        self.peer.map_or(Ok(()), |peer| write!(f, " ({peer:.1})"))
    }
}

/// Of each of our forms.
fn costs(contest: &Contest) -> Vec<Cost> {
    let nanoseconds = |mrays: f64| 1e3 / mrays;
    let peer = contest.best_peer().map(|peer| nanoseconds(peer.rate.best));
    contest.ours.iter().map(|ours| Cost { ours: nanoseconds(ours.rate.best), peer }).collect()
}

fn log2(triangles: usize) -> f64 {
    #[allow(clippy::disallowed_methods, reason = "a statistic for people: no picture depends on it")]
    let log2 = (triangles as f64).log2();
    log2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_per_doubling() {
        let [small, large] = [(10.0, Some(5.0)), (40.0, Some(20.0))].map(|(ours, peer)| Cost { ours, peer });
        assert_eq!(large.growth_from(small, 10.0).to_string(), "3.0 (1.5)");
    }

    #[test]
    fn teapots_have_about_as_many_triangles_as_wanted() {
        for divisions in [18, 57] {
            let triangles = Subject::teapot(divisions).mesh.triangles.len() as f64;
            let expected = TRIANGLES_PER_DIVISION * f64::from(divisions * divisions);
            assert!((triangles / expected - 1.0).abs() < 0.1, "{triangles} of {expected}");
        }
    }
}
