//! Figures published in the paper [RayEngine02, Tables 1 to 5].

use serde::Serialize;

/// Kind of rays that an application traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Application {
    /// Primary and shadow rays: classical ray tracing.
    Classical,
    /// Primary rays and diffuse bounces: Monte Carlo.
    MonteCarlo,
    /// Primary rays: ray casting.
    Casting,
}

/// A row of [RayEngine02, Table 1] and the corresponding row of [RayEngine02, Table 2].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PublishedScene {
    /// Name of the scene in the paper.
    pub scene: &'static str,
    /// Number of polygons.
    pub polygons: u32,
    /// Rays per second with the GPU, whose speed was estimated.
    pub rays_per_s: f64,
    /// Percentage of rays sent to the GPU.
    pub gpu_percent: f64,
    /// Built-in scene that stands for it.
    pub model: &'static str,
    /// Index of the camera of [`model`](Self::model).
    pub camera: usize,
    /// Kind of rays.
    pub application: Application,
}

/// All rows of both tables.
pub const SCENES: [PublishedScene; 5] = [
    scene("Teapot Room Classical", 2650, 206_905.0, 89.0, ("teapot-room", 0), Application::Classical),
    scene("Teapot Room Monte-Carlo", 2650, 149_233.0, 71.0, ("teapot-room", 0), Application::MonteCarlo),
    scene("Office", 34_000, 114_499.0, 65.0, ("office", 0), Application::Classical),
    scene("Soda Hall Top View", 11_052, 129_485.0, 70.0, ("building:floor=3", 1), Application::Casting),
    scene("Soda Hall Side View", 11_052, 131_302.0, 89.0, ("building:floor=3", 0), Application::Casting),
];

const fn scene(
    scene: &'static str,
    polygons: u32,
    rays_per_s: f64,
    gpu_percent: f64,
    (model, camera): (&'static str, usize),
    application: Application,
) -> PublishedScene {
    PublishedScene { scene, polygons, rays_per_s, gpu_percent, model, camera, application }
}

/// Rays per second of the teapot room on the CPU alone [RayEngine02, Tables 3 to 5].
pub const CPU_ONLY: f64 = 135_812.0;

/// The other rows of [RayEngine02, Table 3]: rays per second.
pub const SYSTEMS: [(&str, f64); 3] =
    [("plus GPU", 165_098.0), ("Asynch. Readback", 183_273.0), ("Infinitely Fast GPU", 234_102.0)];

/// The rows of [RayEngine02, Table 4]: T (minimum number of triangles for the GPU, maximum number per cell),
/// percentage of rays on the GPU, rays per second.
pub const TRIANGLES: [([usize; 2], f64, f64); 3] =
    [([4, 16], 78.0, 147_630.0), ([5, 12], 81.0, 157_839.0), ([5, 15], 89.0, 165_098.0)];

/// The rows of [RayEngine02, Table 5]: R (number of rays that the GPU tests together), rays per second.
pub const RAYS: [(usize, f64); 4] = [(64, 165_098.0), (128, 177_647.0), (256, 180_558.0), (512, 175_904.0)];

/// The best T of [RayEngine02, Table 4].
pub const BEST_TRIANGLES: [usize; 2] = [5, 15];

/// Ray–triangle tests per second on a Radeon 8500 [RayEngine02, §4.4].
pub const RADEON_8500: f64 = 114e6;

/// Parameters of a device in [RayEngine02, Eq. 11].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rates {
    /// Ray–triangle pairs per second.
    pub fill: f64,
    /// Bytes per second.
    pub read_back: f64,
    /// `γ`: bytes per ray.
    pub ray_bytes: f64,
}

impl Rates {
    /// Returns the ray–triangle pairs per second for a number of triangles [RayEngine02, Fig. 7].
    pub fn tests_per_s(&self, triangles: f64) -> f64 {
        triangles / (triangles / self.fill + self.ray_bytes / self.read_back)
    }
}

/// Parameters of a `GeForce3` [RayEngine02, §6.1].
pub const GEFORCE3: Rates = Rates { fill: 390e6, read_back: 250e6, ray_bytes: 4.0 };

/// Parameters of a `GeForce4`. The text states only 286 million pairs per second for ten triangles; the fill rate
/// follows, assuming the same bus.
pub const GEFORCE4: Rates = Rates { fill: 527e6, ..GEFORCE3 };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_matches_the_text() {
        let millions = |rates: Rates| (rates.tests_per_s(10.0) * 1e-6).round();
        assert_eq!([GEFORCE3, GEFORCE4].map(millions), [240.0, 286.0]);
        assert!(GEFORCE3.tests_per_s(1e9) > 0.99 * GEFORCE3.fill, "the fill rate is the limit");
    }

    /// The paper prints speedups in whole percent, some rounded down, others to the nearest.
    #[test]
    fn rates_and_speedups_of_the_tables_are_consistent() {
        let percent = |rate: f64| (rate / CPU_ONLY - 1.0) * 100.0;
        let near = |rate: f64, printed: f64| assert!((percent(rate) - printed).abs() < 1.0, "{rate}");
        SYSTEMS.iter().zip([22.0, 34.0, 73.0]).for_each(|((_, rate), printed)| near(*rate, printed));
        TRIANGLES.iter().zip([8.0, 16.0, 22.0]).for_each(|((.., rate), printed)| near(*rate, printed));
        RAYS.iter().zip([22.0, 31.0, 33.0, 29.0]).for_each(|((_, rate), printed)| near(*rate, printed));
        let (best, percent, _) = TRIANGLES[2];
        assert_eq!((best, percent), (BEST_TRIANGLES, SCENES[0].gpu_percent));
    }
}
