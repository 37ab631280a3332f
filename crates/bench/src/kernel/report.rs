use std::fmt;

use serde::Serialize;

use super::{BuildCost, KernelSummary, QueryComparison, QueryRate, QueryTiming};
use crate::clock::CPU_TIME;
use crate::compare::Differences;
use crate::table::{NO_VALUE, Table};

/// Results of the kernel benchmark. Rates are in Mrays/s, times in seconds, memory in bytes.
#[derive(Clone, Debug, Serialize)]
pub struct KernelReport {
    /// Version of Embree; `None` without a peer.
    pub embree: Option<String>,
    /// Whether rates are per second of CPU time; otherwise they are per second of wall time.
    pub cpu_time: bool,
    /// One report per scene.
    pub scenes: Vec<KernelSceneReport>,
    /// Means over all scenes.
    pub summary: KernelSummary,
}

/// Results of one scene.
#[derive(Clone, Debug, Serialize)]
pub struct KernelSceneReport {
    /// Name of the scene.
    pub name: String,
    /// Number of triangles.
    pub triangles: usize,
    /// Position of the light of the shadow rays; `None` without shadow rays.
    pub light: Option<[f32; 3]>,
    /// Builds of Sunfleck and of the peer, for each number of threads.
    pub builds: Vec<BuildCost>,
    /// Comparisons for each number of threads and each kind of rays: closest hit, then any hit.
    pub contests: Vec<QueryComparison>,
}

impl KernelReport {
    pub(super) fn new(embree: Option<String>, scenes: Vec<KernelSceneReport>) -> Self {
        let summary = KernelSummary::of(&scenes);
        Self { embree, cpu_time: CPU_TIME, scenes, summary }
    }

    /// Returns whether none of our answers is known to be wrong; see [`QueryComparison::agrees`].
    pub fn agrees(&self) -> bool {
        self.scenes.iter().flat_map(|scene| &scene.contests).all(QueryComparison::agrees)
    }
}

impl fmt::Display for KernelReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clock = if self.cpu_time { "per second of CPU time (of wall time)" } else { "per second" };
        match &self.embree {
            Some(version) => writeln!(f, "Mrays/s {clock}, best rounds, compared with Embree {version}")?,
            None => writeln!(f, "Mrays/s {clock}, best rounds, without a peer")?,
        }
        for scene in &self.scenes {
            write!(f, "\n{scene}")?;
        }
        write!(f, "\n{}", self.summary)
    }
}

impl fmt::Display for KernelSceneReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} triangles", self.name, self.triangles)?;
        match self.light {
            Some([x, y, z]) => writeln!(f, ", light for shadow rays at {x:.3}, {y:.3}, {z:.3}")?,
            None => writeln!(f)?,
        }
        for cost in &self.builds {
            writeln!(f, "  {}", cost.line(self.triangles))?;
        }
        let mut table = Table::new([
            "rays",
            "query",
            "threads",
            "closest hit",
            "peer",
            "query",
            "ratio",
            "any hit",
            "peer",
            "query",
            "ratio",
        ]);
        for pair in self.contests.chunks(2) {
            table.extend((0..pair[0].ours.len()).map(|form| row(pair, form)));
        }
        write!(f, "{}", table.indented())?;
        if let Some(line) = robust(&self.contests) {
            writeln!(f, "  {line}")?;
        }
        self.write_differences(f)
    }
}

impl KernelSceneReport {
    /// Writes how many answers differ, and the verdicts on them.
    pub(super) fn write_differences(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found: Vec<String> = self.contests.iter().flat_map(differences).collect();
        if !found.is_empty() {
            writeln!(f, "  answers that differ from the peer's: ties / edges / distances")?;
        }
        found.iter().try_for_each(|line| writeln!(f, "    {line}"))
    }
}

/// Returns the table row of one of our query forms: closest hits and any hits of the same rays.
fn row(pair: &[QueryComparison], form: usize) -> Vec<String> {
    let mut row =
        vec![pair[0].kind.name().to_string(), pair[0].ours[form].name.clone(), pair[0].threads.to_string()];
    for comparison in pair {
        let ours = &comparison.ours[form];
        row.push(rate(ours, comparison.threads));
        match comparison.best_peer() {
            Some(peer) => row.extend([
                rate(peer, comparison.threads),
                peer.name.clone(),
                format!("{:.2}", QueryComparison::ratio(ours, peer)),
            ]),
            None => row.extend([NO_VALUE; 3].map(String::from)),
        }
    }
    row
}

/// Returns the speed of the peer's robust mode, if it was measured.
fn robust(contests: &[QueryComparison]) -> Option<String> {
    let threads = contests.first()?.threads;
    let rates = contests.iter().filter(|comparison| comparison.threads == threads).filter_map(|comparison| {
        let robust = comparison.peers.iter().find(|peer| peer.name.starts_with("robust"))?;
        Some(format!("{} {} {:.2}", comparison.kind.name(), comparison.question.name(), robust.rate.best))
    });
    let rates: Vec<String> = rates.collect();
    (!rates.is_empty()).then(|| format!("the peer's robust mode, single rays: {}", rates.join(", ")))
}

/// Formats Mrays per second of CPU time and, with more than one thread, of wall time.
fn rate(timing: &QueryTiming, threads: usize) -> String {
    let QueryRate { best, wall, .. } = timing.rate;
    if threads > 1 { format!("{best:.2} ({wall:.2})") } else { format!("{best:.2}") }
}

/// Returns how the answers of a comparison differ, if they do, and the verdicts on them.
fn differences(comparison: &QueryComparison) -> Vec<String> {
    let label = format!("{}, {} hit", comparison.kind.name(), comparison.question.name());
    if !comparison.consistent {
        return vec![format!("{label}: OUR QUERY FORMS DISAGREE WITH EACH OTHER")];
    }
    let with = |peer: &QueryTiming| {
        let Differences { ties, edges, distances, .. } = peer.differences?;
        let verdict = if peer.differences?.too_many() { " (more than rounding explains)" } else { "" };
        (ties + edges + distances > 0)
            .then(|| format!("{} {ties} / {edges} / {distances}{verdict}", peer.name))
    };
    let judged = |peer: &QueryTiming| {
        let judgement = peer.judgement.filter(|judgement| judgement.examined > 0)?;
        Some(format!("  query {}: {judgement}", peer.name))
    };
    let found: Vec<String> = comparison.peers.iter().filter_map(with).collect();
    let counts =
        (!found.is_empty()).then(|| format!("{label}, of {} rays: {}", comparison.rays, found.join(", ")));
    counts.into_iter().chain(comparison.peers.iter().filter_map(judged)).collect()
}

impl BuildCost {
    fn line(&self, triangles: usize) -> String {
        let per_triangle = self.bytes as f64 / triangles.max(1) as f64;
        let mut line = format!(
            "{}, {} thread{}: {:.1} ms CPU, {:.1} ms wall, {per_triangle:.1} bytes per triangle",
            self.builder,
            self.threads,
            if self.threads == 1 { "" } else { "s" },
            self.cpu_secs * 1e3,
            self.wall_secs * 1e3,
        );
        if let Some(peak) = self.peak_bytes {
            line += &format!(", {:.1} at the peak of the build", peak as f64 / triangles.max(1) as f64);
        }
        if let Some(cost) = self.sah_cost {
            line += &format!(", SAH cost {cost:.2}");
        }
        line
    }
}
