use serde::Serialize;

/// Published frame rate of instant global illumination at 640 × 480 pixels, on a cluster of dual Athlon MP 1800+
/// machines in 2003.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PublishedIgi {
    /// Name of the scene in the paper.
    pub scene: &'static str,
    /// Built-in scene that replaces it.
    #[serde(skip)]
    pub model: &'static str,
    /// Number of CPUs.
    pub cpus: u32,
    /// Rate of independent frames.
    pub frames_per_second: f64,
}

/// Published figures. Those of the power plant are PP/IGI of [Wald03, Table 2]; ERW6 on all CPUs is "beyond 20 frames
/// per second" [Wald03, §13.1, Fig. 29].
pub const PUBLISHED: [PublishedIgi; 8] = [
    row("ERW6", "erw6", 48, 20.0),
    row("PowerPlant", "plant", 48, 11.1),
    row("PowerPlant", "plant", 32, 8.0),
    row("PowerPlant", "plant", 24, 6.0),
    row("PowerPlant", "plant", 16, 4.3),
    row("PowerPlant", "plant", 8, 2.18),
    row("PowerPlant", "plant", 4, 1.03),
    row("PowerPlant", "plant", 2, 0.61),
];

const fn row(scene: &'static str, model: &'static str, cpus: u32, frames_per_second: f64) -> PublishedIgi {
    PublishedIgi { scene, model, cpus, frames_per_second }
}

impl PublishedIgi {
    /// Returns the figures of a built-in scene, on the whole cluster.
    pub(super) fn for_model(model: &str) -> Option<Self> {
        PUBLISHED.into_iter().find(|row| row.model == model)
    }
}
