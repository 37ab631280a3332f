use std::fmt;

use serde::Serialize;

use super::{PublishedTable1Row, WorldKind};
use crate::table::{NO_VALUE, Table};

/// Columns of the table, Mrays/s.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Table1Rates {
    /// Ray casting without shading (column "none" of the paper).
    pub casting: f64,
    /// Ray casting and simple shading (column "simple").
    pub shaded: f64,
    /// Ray casting and simple shading without SIMD (column "simple", "non-SSE").
    pub scalar: f64,
}

impl Table1Rates {
    /// Returns the time of shading in percent of that of casting.
    pub fn overhead_percent(&self) -> f64 {
        (self.casting / self.shaded - 1.0) * 100.0
    }
}

/// Results of one scene and one kind of world.
#[derive(Clone, Debug, Serialize)]
pub struct Table1Row {
    /// Name of the scene.
    pub scene: String,
    /// Number of levels of the acceleration structure.
    pub world: WorldKind,
    /// Number of triangles.
    pub triangles: usize,
    /// Number of instances; 1 for a static world.
    pub instances: usize,
    /// Fraction of the rays that hit something.
    pub hit_share: f64,
    /// Fraction of the rays that hit a textured surface.
    pub textured_share: f64,
    /// Rates of one thread.
    pub rates: Table1Rates,
    /// [`Table1Rates::overhead_percent`] of the rates.
    pub overhead_percent: f64,
    /// Frame rate of shaded images.
    pub frames_per_second: f64,
    /// Published row of the scene that it replaces, on the faster of the two CPUs.
    pub published: Option<PublishedTable1Row>,
}

/// Report of the measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Table1Report {
    /// Whether rates are per second of CPU time; otherwise they are per second of wall time.
    pub cpu_time: bool,
    /// Pixels per side of the image.
    pub resolution: usize,
    /// Number of timings, of which the best counts.
    pub rounds: usize,
    /// One row per scene and kind of world.
    pub rows: Vec<Table1Row>,
}

impl fmt::Display for Table1Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clock = if self.cpu_time { "second of CPU time" } else { "second" };
        writeln!(
            f,
            "Mrays per {clock}, one thread, {0}×{0} primary rays, best of {1} rounds; published: [Wald03, Table 1], Pentium-IV 2.5 GHz",
            self.resolution, self.rounds
        )?;
        writeln!(
            f,
            "shading: diffuse, one bilinear texture lookup, no shadow rays; its cost in percent of casting"
        )?;
        writeln!(f)?;
        let mut table = Table::new([
            "scene",
            "world",
            "casting",
            "shaded",
            "cost",
            "scalar",
            "fps",
            "published",
            "casting",
            "shaded",
            "cost",
            "scalar",
            "ratio: casting",
            "shaded",
            "scalar",
        ]);
        table.extend(self.rows.iter().map(Table1Row::cells));
        writeln!(f, "{table}")?;
        for row in &self.rows {
            writeln!(f, "{}", row.facts())?;
        }
        Ok(())
    }
}

impl Table1Row {
    fn cells(&self) -> Vec<String> {
        let Self { rates: ours, frames_per_second, published, .. } = self;
        let number = |x: f64| format!("{x:.2}");
        let percent = |x: f64| format!("{x:.0} %");
        let mut cells = vec![
            self.scene.clone(),
            self.world.name().to_string(),
            number(ours.casting),
            number(ours.shaded),
            percent(self.overhead_percent),
            number(ours.scalar),
            format!("{frames_per_second:.1}"),
        ];
        match published {
            Some(PublishedTable1Row { scene, rates: theirs, .. }) => cells.extend([
                (*scene).to_string(),
                number(theirs.casting),
                number(theirs.shaded),
                percent(theirs.overhead_percent()),
                number(theirs.scalar),
                format!("{:.1}", ours.casting / theirs.casting),
                format!("{:.1}", ours.shaded / theirs.shaded),
                format!("{:.1}", ours.scalar / theirs.scalar),
            ]),
            None => cells.extend([NO_VALUE; 8].map(String::from)),
        }
        cells
    }

    fn facts(&self) -> String {
        format!(
            "{} ({}): {} triangles in {} instance{}, {:.0} % of the rays hit, {:.0} % hit a textured surface",
            self.scene,
            self.world.name(),
            self.triangles,
            self.instances,
            if self.instances == 1 { "" } else { "s" },
            self.hit_share * 100.0,
            self.textured_share * 100.0,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_rates_are_in_the_same_row() {
        let rates = Table1Rates { casting: 42.6, shaded: 34.5, scalar: 6.85 };
        let row = |scene: &str, world| Table1Row {
            scene: scene.to_string(),
            world,
            triangles: 838,
            instances: 1,
            hit_share: 1.0,
            textured_share: 0.34,
            rates,
            overhead_percent: rates.overhead_percent(),
            frames_per_second: 32.9,
            published: PublishedTable1Row::for_model(scene, world),
        };
        let rows = vec![row("erw6", WorldKind::Static), row("teapot", WorldKind::Dynamic)];
        let report = Table1Report { cpu_time: true, resolution: 1024, rounds: 5, rows };
        let text = report.to_string();
        let lines: Vec<&str> = text.lines().collect();
        let words = |line: usize| lines[line].split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            words(4),
            "erw6 static 42.60 34.50 23 % 6.85 32.9 ERW6 7.10 2.30 209 % 1.37 6.0 15.0 5.0",
            "{text}"
        );
        assert!(words(5).starts_with("teapot dynamic") && words(5).ends_with("– – – – – – – –"), "{text}");
        assert!(lines[7].contains("838 triangles in 1 instance, 100 % of the rays hit, 34 %"), "{text}");
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["rows"][0]["published"]["processor"], "Pentium-IV 2.5 GHz");
        assert_eq!(json["rows"][0]["published"]["rates"]["casting"], 7.1);
    }
}
