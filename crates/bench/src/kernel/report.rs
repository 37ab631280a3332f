use std::fmt;

use serde::Serialize;

use super::{BuildCost, Contest, Entrant, Rate, Summary};
use crate::clock::CPU_TIME;
use crate::compare::Differences;
use crate::table::{NOTHING, Table};

/// All that was measured. Rates are in Mrays/s, times in seconds, memory in bytes.
#[derive(Clone, Debug, Serialize)]
pub struct KernelReport {
    /// Version of Embree, if it took part.
    pub embree: Option<String>,
    /// Whether rates are per second of CPU time; if not, on the wall.
    pub cpu_time: bool,
    /// In the order asked for.
    pub scenes: Vec<SceneReport>,
    /// Over all scenes.
    pub summary: Summary,
}

/// What was measured of one subject.
#[derive(Clone, Debug, Serialize)]
pub struct SceneReport {
    /// Its name.
    pub name: String,
    /// How many.
    pub triangles: usize,
    /// Where the light of the shadow rays hangs.
    pub light: Option<[f32; 3]>,
    /// We and the peer, for each number of threads.
    pub builds: Vec<BuildCost>,
    /// For each number of threads and each kind of rays: closest, then any hit.
    pub contests: Vec<Contest>,
}

impl KernelReport {
    pub(super) fn new(embree: Option<String>, scenes: Vec<SceneReport>) -> Self {
        let summary = Summary::of(&scenes);
        Self { embree, cpu_time: CPU_TIME, scenes, summary }
    }

    /// Whether all answers agree as far as they must.
    pub fn agrees(&self) -> bool {
        self.scenes.iter().flat_map(|scene| &scene.contests).all(Contest::agrees)
    }
}

impl fmt::Display for KernelReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clock = if self.cpu_time { "per second of CPU time (of wall time)" } else { "per second" };
        match &self.embree {
            Some(version) => writeln!(f, "Mrays/s {clock}, best rounds, beside Embree {version}")?,
            None => writeln!(f, "Mrays/s {clock}, best rounds, without a peer")?,
        }
        for scene in &self.scenes {
            write!(f, "\n{scene}")?;
        }
        write!(f, "\n{}", self.summary)
    }
}

impl fmt::Display for SceneReport {
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
            "rays", "asked", "threads", "closest", "peer", "as", "ratio", "any", "peer", "as", "ratio",
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

impl SceneReport {
    /// Which answers differ, and who is right.
    pub(super) fn write_differences(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found: Vec<String> = self.contests.iter().flat_map(differences).collect();
        if !found.is_empty() {
            writeln!(f, "  answers that differ from the peer's: ties / hits or misses / distances")?;
        }
        found.iter().try_for_each(|line| writeln!(f, "    {line}"))
    }
}

/// One of our forms, in both contests about the same rays.
fn row(pair: &[Contest], form: usize) -> Vec<String> {
    let mut row =
        vec![pair[0].kind.name().to_string(), pair[0].ours[form].name.clone(), pair[0].threads.to_string()];
    for contest in pair {
        let ours = &contest.ours[form];
        row.push(rate(ours, contest.threads));
        match contest.best_peer() {
            Some(peer) => row.extend([
                rate(peer, contest.threads),
                peer.name.clone(),
                format!("{:.2}", Contest::ratio(ours, peer)),
            ]),
            None => row.extend([NOTHING; 3].map(String::from)),
        }
    }
    row
}

/// What the peer's robust mode reaches, if it took part.
fn robust(contests: &[Contest]) -> Option<String> {
    let threads = contests.first()?.threads;
    let rates = contests.iter().filter(|contest| contest.threads == threads).filter_map(|contest| {
        let robust = contest.peers.iter().find(|peer| peer.name.starts_with("robust"))?;
        Some(format!("{} {} {:.2}", contest.kind.name(), contest.question.name(), robust.rate.best))
    });
    let rates: Vec<String> = rates.collect();
    (!rates.is_empty()).then(|| format!("the peer's robust one-ray calls: {}", rates.join(", ")))
}

/// Mrays/s of CPU time; with more than one thread also on the wall.
fn rate(entrant: &Entrant, threads: usize) -> String {
    let Rate { best, wall, .. } = entrant.rate;
    if threads > 1 { format!("{best:.2} ({wall:.2})") } else { format!("{best:.2}") }
}

/// How the answers of a contest differ, if they do, and who is right.
fn differences(contest: &Contest) -> Vec<String> {
    let place = format!("{}, {} hit", contest.kind.name(), contest.question.name());
    if !contest.consistent {
        return vec![format!("{place}: OUR FORMS DISAGREE WITH EACH OTHER")];
    }
    let with = |peer: &Entrant| {
        let Differences { ties, edges, distances, .. } = peer.differences?;
        let verdict = if peer.differences?.too_many() { " (many)" } else { "" };
        (ties + edges + distances > 0)
            .then(|| format!("{} {ties} / {edges} / {distances}{verdict}", peer.name))
    };
    let judged = |peer: &Entrant| {
        let judgement = peer.judgement.filter(|judgement| judgement.examined > 0)?;
        Some(format!("  as {}: {judgement}", peer.name))
    };
    let found: Vec<String> = contest.peers.iter().filter_map(with).collect();
    let counts =
        (!found.is_empty()).then(|| format!("{place}, of {} rays: {}", contest.rays, found.join(", ")));
    counts.into_iter().chain(contest.peers.iter().filter_map(judged)).collect()
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
            line += &format!(", at most {:.1} while building", peak as f64 / triangles.max(1) as f64);
        }
        if let Some(cost) = self.sah_cost {
            line += &format!(", SAH cost {cost:.2}");
        }
        line
    }
}
