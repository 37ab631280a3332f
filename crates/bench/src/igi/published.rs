use serde::Serialize;

/// What was published about a scene in 2003: instant global illumination at 640 × 480 pixels on a cluster of dual Athlon MP
/// 1800+ machines.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Published {
    /// As there.
    pub scene: &'static str,
    /// Which of ours stands for it.
    #[serde(skip)]
    pub model: &'static str,
    /// How many.
    pub cpus: u32,
    /// With everything recomputed in each.
    pub frames_per_second: f64,
}

/// The power plant is PP/IGI of [Wald03, Table 2]; ERW6 on all CPUs is "beyond 20 frames per second" [Wald03, §13.1, Fig. 29].
pub const PUBLISHED: [Published; 8] = [
    row("ERW6", "erw6", 48, 20.0),
    row("PowerPlant", "plant", 48, 11.1),
    row("PowerPlant", "plant", 32, 8.0),
    row("PowerPlant", "plant", 24, 6.0),
    row("PowerPlant", "plant", 16, 4.3),
    row("PowerPlant", "plant", 8, 2.18),
    row("PowerPlant", "plant", 4, 1.03),
    row("PowerPlant", "plant", 2, 0.61),
];

const fn row(scene: &'static str, model: &'static str, cpus: u32, frames_per_second: f64) -> Published {
    Published { scene, model, cpus, frames_per_second }
}

impl Published {
    /// About one of our scenes, on the whole cluster.
    pub(super) fn beside(model: &str) -> Option<Self> {
        PUBLISHED.into_iter().find(|row| row.model == model)
    }
}
