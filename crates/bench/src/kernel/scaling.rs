//! Cost per ray as a function of the number of triangles: it is expected to grow with the logarithm [Wald03, §2.1].

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::{KernelBenchSettings, KernelReport, QueryComparison, QueryKind, run};
use crate::embree::EmbreeLibrary;
use crate::table::Table;
use crate::{BenchError, Subject};

/// Number of triangles of the smallest teapot; each further one has ten times as many.
const SMALLEST: f64 = 1e4;
/// Number of triangles of a teapot of d divisions, over d².
const TRIANGLES_PER_DIVISION: f64 = 30.5;

/// Cost per ray of one shape at several levels of subdivision.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct ScalingReport {
    /// Results from the coarsest to the finest, seen from the same viewpoint.
    pub measured: KernelReport,
}

/// Measures teapots of about 10⁴, 10⁵, … triangles, up to `largest`. Errors: as [`super::run`].
pub fn scaling(
    settings: &KernelBenchSettings,
    largest: u32,
    peer: Option<&Arc<EmbreeLibrary>>,
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
        for question in QueryKind::ALL {
            writeln!(f, "ns per ray, {} hit (peer in parentheses)", question.name())?;
            let of_kind = |comparison: &&QueryComparison| comparison.question == question;
            let mut headings = vec!["triangles".to_string(), "log2".to_string()];
            headings.extend(first.contests.iter().filter(of_kind).flat_map(|comparison| {
                comparison.ours.iter().map(|ours| format!("{} {}", comparison.kind.name(), ours.name))
            }));
            let mut table = Table::new(headings);
            for scene in scenes {
                let mut row = vec![scene.triangles.to_string(), format!("{:.1}", log2(scene.triangles))];
                row.extend(
                    scene.contests.iter().filter(of_kind).flat_map(costs).map(|cost| cost.to_string()),
                );
                table.row(row);
            }
            if let [first, .., last] = scenes.as_slice() {
                let doublings = log2(last.triangles) - log2(first.triangles);
                let ends = first.contests.iter().filter(of_kind).zip(last.contests.iter().filter(of_kind));
                let grown = ends.flat_map(|(first, last)| costs(first).into_iter().zip(costs(last)));
                let growth = grown.map(|(first, last)| last.growth_from(first, doublings).to_string());
                table.row(["per doubling".to_string(), String::new()].into_iter().chain(growth));
            }
            write!(f, "{}", table.indented())?;
        }
        for scene in scenes.iter().filter(|scene| !scene.contests.iter().all(QueryComparison::agrees)) {
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
    /// Returns the increase per doubling of the number of triangles.
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

/// Returns the cost of each of our query forms.
fn costs(comparison: &QueryComparison) -> Vec<Cost> {
    let nanoseconds = |mrays: f64| 1e3 / mrays;
    let peer = comparison.best_peer().map(|peer| nanoseconds(peer.rate.best));
    comparison.ours.iter().map(|ours| Cost { ours: nanoseconds(ours.rate.best), peer }).collect()
}

fn log2(triangles: usize) -> f64 {
    #[allow(clippy::disallowed_methods, reason = "printed only: no image depends on it")]
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
    fn teapots_have_about_the_expected_number_of_triangles() {
        for divisions in [18, 57] {
            let triangles = Subject::teapot(divisions).mesh.triangles.len() as f64;
            let expected = TRIANGLES_PER_DIVISION * f64::from(divisions * divisions);
            assert!((triangles / expected - 1.0).abs() < 0.1, "{triangles} of {expected}");
        }
    }
}
