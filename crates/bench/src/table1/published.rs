use serde::Serialize;

use super::{Table1Rates, WorldKind};

/// CPU of a published measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum PublishedCpu {
    /// Intel Pentium 4 of 2.5 GHz, in a notebook.
    #[serde(rename = "Pentium-IV 2.5 GHz")]
    Pentium4,
    /// AMD Athlon MP 1700+ of 1.5 GHz.
    #[serde(rename = "AthlonMP 1700+")]
    AthlonMp,
}

/// Row of [Wald03, Table 1].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PublishedTable1Row {
    /// Name of the scene in the paper.
    pub scene: &'static str,
    /// Built-in scene that replaces it.
    #[serde(skip)]
    pub model: &'static str,
    /// Number of levels of the acceleration structure.
    pub world: WorldKind,
    /// CPU.
    pub processor: PublishedCpu,
    /// Mrays/s at 1024 × 1024 pixels. [`Table1Rates::scalar`] is the column "non-SSE".
    pub rates: Table1Rates,
}

/// All rows of [Wald03, Table 1], in their order.
pub const PUBLISHED: [PublishedTable1Row; 10] = [
    row(PublishedCpu::Pentium4, "ERW6", "erw6", WorldKind::Static, [7.1, 2.3, 1.37]),
    row(PublishedCpu::Pentium4, "ERW6", "erw6", WorldKind::Dynamic, [4.8, 1.97, 1.06]),
    row(PublishedCpu::Pentium4, "conf", "conference", WorldKind::Static, [4.55, 1.93, 1.2]),
    row(PublishedCpu::Pentium4, "conf", "conference", WorldKind::Dynamic, [2.94, 1.6, 0.82]),
    row(PublishedCpu::Pentium4, "soda hall", "building", WorldKind::Static, [4.12, 1.8, 1.055]),
    row(PublishedCpu::AthlonMp, "ERW6", "erw6", WorldKind::Static, [3.7, 1.55, 0.9]),
    row(PublishedCpu::AthlonMp, "ERW6", "erw6", WorldKind::Dynamic, [2.54, 1.29, 0.7]),
    row(PublishedCpu::AthlonMp, "conf", "conference", WorldKind::Static, [2.5, 1.25, 0.77]),
    row(PublishedCpu::AthlonMp, "conf", "conference", WorldKind::Dynamic, [1.7, 1.0, 0.58]),
    row(PublishedCpu::AthlonMp, "soda hall", "building", WorldKind::Static, [2.11, 1.14, 0.67]),
];

const fn row(
    processor: PublishedCpu,
    scene: &'static str,
    model: &'static str,
    world: WorldKind,
    [casting, shaded, scalar]: [f64; 3],
) -> PublishedTable1Row {
    PublishedTable1Row { scene, model, world, processor, rates: Table1Rates { casting, shaded, scalar } }
}

impl PublishedTable1Row {
    /// Returns the row of a built-in scene, on the faster CPU.
    pub(super) fn for_model(model: &str, world: WorldKind) -> Option<Self> {
        let fits =
            |row: &&Self| row.processor == PublishedCpu::Pentium4 && row.model == model && row.world == world;
        PUBLISHED.iter().find(fits).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text agrees with the table [Wald03, §2.1.2, Fig. 4]: shading "can cut performance in half", and the frame
    /// rates of the text are the rates of the table.
    #[test]
    fn the_table_agrees_with_the_text() {
        let erw6 = PublishedTable1Row::for_model("erw6", WorldKind::Static).unwrap();
        let soda = PublishedTable1Row::for_model("building", WorldKind::Static).unwrap();
        assert_eq!((erw6.rates.casting, erw6.rates.shaded), (7.1, 2.3));
        assert_eq!((soda.rates.casting.floor(), soda.rates.shaded), (4.0, 1.8));
        assert_eq!(erw6.rates.overhead_percent().round(), 209.0);
        for row in PUBLISHED {
            let Table1Rates { casting, shaded, scalar } = row.rates;
            assert!(casting > shaded && shaded > scalar, "{row:?}");
        }
        assert!(PublishedTable1Row::for_model("building", WorldKind::Dynamic).is_none());
    }
}
