use serde::Serialize;

use super::{Rates, WorldKind};

/// What was measured on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Processor {
    /// A notebook with an Intel Pentium 4 of 2.5 GHz.
    #[serde(rename = "Pentium-IV 2.5 GHz")]
    Pentium4,
    /// An AMD Athlon MP 1700+ of 1.5 GHz.
    #[serde(rename = "AthlonMP 1700+")]
    AthlonMp,
}

/// A row of [Wald03, Table 1].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Published {
    /// As there.
    pub scene: &'static str,
    /// Which of ours stands for it.
    #[serde(skip)]
    pub model: &'static str,
    /// One level or two.
    pub world: WorldKind,
    /// Whose speed.
    pub processor: Processor,
    /// Mrays/s at 1024 × 1024 pixels; "without SIMD" is "non-SSE".
    pub rates: Rates,
}

/// All rows of [Wald03, Table 1], in their order.
pub const PUBLISHED: [Published; 10] = [
    row(Processor::Pentium4, "ERW6", "erw6", WorldKind::Static, [7.1, 2.3, 1.37]),
    row(Processor::Pentium4, "ERW6", "erw6", WorldKind::Dynamic, [4.8, 1.97, 1.06]),
    row(Processor::Pentium4, "conf", "conference", WorldKind::Static, [4.55, 1.93, 1.2]),
    row(Processor::Pentium4, "conf", "conference", WorldKind::Dynamic, [2.94, 1.6, 0.82]),
    row(Processor::Pentium4, "soda hall", "building", WorldKind::Static, [4.12, 1.8, 1.055]),
    row(Processor::AthlonMp, "ERW6", "erw6", WorldKind::Static, [3.7, 1.55, 0.9]),
    row(Processor::AthlonMp, "ERW6", "erw6", WorldKind::Dynamic, [2.54, 1.29, 0.7]),
    row(Processor::AthlonMp, "conf", "conference", WorldKind::Static, [2.5, 1.25, 0.77]),
    row(Processor::AthlonMp, "conf", "conference", WorldKind::Dynamic, [1.7, 1.0, 0.58]),
    row(Processor::AthlonMp, "soda hall", "building", WorldKind::Static, [2.11, 1.14, 0.67]),
];

const fn row(
    processor: Processor,
    scene: &'static str,
    model: &'static str,
    world: WorldKind,
    [casting, shaded, scalar]: [f64; 3],
) -> Published {
    Published { scene, model, world, processor, rates: Rates { casting, shaded, scalar } }
}

impl Published {
    /// The faster processor's row for one of our scenes.
    pub(super) fn beside(model: &str, world: WorldKind) -> Option<Self> {
        let fits =
            |row: &&Self| row.processor == Processor::Pentium4 && row.model == model && row.world == world;
        PUBLISHED.iter().find(fits).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [Wald03, Section 2.1.2 and Fig. 4]: shading "can cut performance in half", the 200 % for ERW6; frames per
    /// second of the text are the numbers of the table.
    #[test]
    fn the_table_says_what_the_text_says() {
        let erw6 = Published::beside("erw6", WorldKind::Static).unwrap();
        let soda = Published::beside("building", WorldKind::Static).unwrap();
        assert_eq!((erw6.rates.casting, erw6.rates.shaded), (7.1, 2.3));
        assert_eq!((soda.rates.casting.floor(), soda.rates.shaded), (4.0, 1.8));
        assert_eq!(erw6.rates.overhead_percent().round(), 209.0);
        for row in PUBLISHED {
            let Rates { casting, shaded, scalar } = row.rates;
            assert!(casting > shaded && shaded > scalar, "{row:?}");
        }
        assert!(Published::beside("building", WorldKind::Dynamic).is_none());
    }
}
