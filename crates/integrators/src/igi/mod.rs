//! Instant Global Illumination [Wald03, §12–14]: full global illumination recomputed in every frame.
//!
//! A few walks from the lights leave virtual point lights (VPLs) where they end [Keller97, instant radiosity]. Each pixel is lit by one of
//! `n × n` sets of them, a different one than its neighbours' [Keller01, interleaved sampling]; the structured noise that
//! this leaves is removed by a filter that mixes only what lies on one surface, the discontinuity buffer. Of the `N` camera
//! rays of a pixel each is lit by its own `N`-th of the set (§13.2).
//!
//! ```text
//! once:     choose lights ▶ walk ▶ VPLs, photons
//! per tile: camera packets ▶ first surfaces ┬▶ shadow packets to VPLs ▶ SIMD shading ▶ + photons ▶ irradiance, albedo, normals
//!                    ▲── sharp reflections ◀┘
//! at last:  discontinuity filter ▶ albedo × irradiance + rest ▶ film
//! ```
//!
//! Where there are many lights, a coarse path-traced picture of every frame tells which of them matter in it (§14).
//!
//! What we changed: every light walk leaves one VPL, where it is absorbed, so that all carry about the same flux and their
//! number is known; lights are sampled by VPLs of their own. The geometry term is bounded; what the bound takes away is put
//! back by short paths [Kollig04, bias compensation], so that frames that are added up converge to what [`path`](crate::path)
//! computes. Caustics are left to photons ([`Igi::photons`]).

mod blocks;
mod camera;
mod chance;
mod choice;
mod discontinuity;
mod frame;
mod gather;
mod memory;
mod packed;
mod paths;
mod primary;
mod shadow_rays;
mod tile_light;
mod tile_sums;
mod transfer;
mod vpl;
mod walks;
mod window;

use serde::{Deserialize, Serialize};
use sunfleck_scene::parameter::{Kind, Parameter};

pub(crate) use choice::Choice;
pub use choice::coarse_squares;
pub(crate) use frame::{Frame, finish};
pub use memory::Memory;
pub use packed::{VirtualLight, light_sums, virtual_lights};
pub(crate) use paths::Scratch;
pub(crate) use tile_light::TileLight;

/// The parameters of Instant Global Illumination.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Igi {
    /// VPLs that light a pixel in one frame.
    pub vpls: u32,
    /// Edge of the pattern of sets: 1 lights all pixels by the same VPLs.
    pub interleave: u32,
    /// Camera rays of a pixel in one frame; each is lit by its share of the VPLs.
    pub antialias: u32,
    /// Geometry terms are bounded to that of facing surfaces at this distance, as a share of how far the camera sees.
    pub clamp: f32,
    /// VPLs that bring a point less than this share of the mean of its VPLs are asked about by chance; 0 asks about all.
    pub roulette: f32,
    /// Whether the light that the bound takes away is put back by short paths: 0 or 1.
    pub compensate: u32,
    /// Whether the discontinuity filter runs: 0 or 1. Of frames that are added up it works on the first n² only.
    pub filter: u32,
    /// How much of the choice of lights follows a coarse estimate of what each brings to the picture [Wald03, §14]; the rest
    /// follows their power.
    pub importance: f32,
    /// Whether that estimate is smoothed over lights near to each other, 0 or 1; 0 is the paper's scheme.
    pub smooth: u32,
    /// Sharp reflections that a path follows.
    pub max_bounces: u32,
    /// Walks of a frame that leave photons of caustics; 0 leaves caustics out. Where nothing has sharp lobes there are none.
    pub photons: u32,
    /// From how far a point takes photons in the first frame, as a share of how far the camera sees.
    pub photon_radius: f32,
}

impl Default for Igi {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Igi {
    /// The values that the table states.
    pub const DEFAULT: Self = Self {
        vpls: 16,
        interleave: 5,
        antialias: 4,
        clamp: 0.1,
        roulette: 0.1,
        compensate: 1,
        filter: 1,
        importance: 0.9,
        smooth: 1,
        max_bounces: 16,
        photons: 0,
        photon_radius: 0.02,
    };

    /// Values that go together, by name: the fastest picture that shows what is where; one for a scene that is moved about in; and
    /// one to look at.
    pub const PRESETS: [(&'static str, Self); 3] = [
        ("preview", Self { vpls: 8, antialias: 1, compensate: 0, ..Self::DEFAULT }),
        ("interactive", Self { compensate: 0, ..Self::DEFAULT }),
        ("final", Self { vpls: 64, photons: 100_000, ..Self::DEFAULT }),
    ];

    /// Name, range, default and meaning of each.
    pub const PARAMETERS: &'static [Parameter] = &[
        Parameter {
            name: "vpls",
            kind: Kind::Integer { least: 1, most: 4096, default: Self::DEFAULT.vpls },
            unit: "",
            summary: "virtual point lights that light a pixel in one frame",
        },
        Parameter {
            name: "interleave",
            kind: Kind::Integer { least: 1, most: 8, default: Self::DEFAULT.interleave },
            unit: "pixels",
            summary: "edge of the pattern of sets of them; 1 lights all pixels by the same",
        },
        Parameter {
            name: "antialias",
            kind: Kind::Integer { least: 1, most: 16, default: Self::DEFAULT.antialias },
            unit: "",
            summary: "camera rays of a pixel in one frame, each lit by its share of the point lights",
        },
        Parameter {
            name: "clamp",
            kind: Kind::Number { least: 0.0, most: 10.0, default: Self::DEFAULT.clamp },
            unit: "",
            summary: "surfaces nearer than this share of the mean distance seen light each other no stronger than there",
        },
        Parameter {
            name: "roulette",
            kind: Kind::Number { least: 0.0, most: 10.0, default: Self::DEFAULT.roulette },
            unit: "",
            summary: "point lights that bring less than this share of the mean of a point's are asked about by chance; 0 asks about all",
        },
        Parameter {
            name: "compensate",
            kind: Kind::Integer { least: 0, most: 1, default: Self::DEFAULT.compensate },
            unit: "",
            summary: "whether short paths put back the light that the bound takes away",
        },
        Parameter {
            name: "filter",
            kind: Kind::Integer { least: 0, most: 1, default: Self::DEFAULT.filter },
            unit: "",
            summary: "whether the discontinuity filter works on the first frames, as many as there are sets",
        },
        Parameter {
            name: "importance",
            kind: Kind::Number { least: 0.0, most: 0.99, default: Self::DEFAULT.importance },
            unit: "",
            summary: "how much of the choice of lights follows an estimate of what each brings to the picture; the rest follows their power",
        },
        Parameter {
            name: "smooth",
            kind: Kind::Integer { least: 0, most: 1, default: Self::DEFAULT.smooth },
            unit: "",
            summary: "whether that estimate is smoothed over lights near to each other",
        },
        Parameter {
            name: "max_bounces",
            kind: Kind::Integer { least: 0, most: 1000, default: Self::DEFAULT.max_bounces },
            unit: "",
            summary: "sharp reflections that a path follows",
        },
        Parameter {
            name: "photons",
            kind: Kind::Integer { least: 0, most: 10_000_000, default: Self::DEFAULT.photons },
            unit: "",
            summary: "walks of light in one frame that leave photons of caustics; 0 leaves caustics out",
        },
        Parameter {
            name: "photon_radius",
            kind: Kind::Number { least: 0.0001, most: 1.0, default: Self::DEFAULT.photon_radius },
            unit: "",
            summary: "surfaces take photons from this share of the mean distance seen; less in later frames",
        },
    ];

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the table's ranges fit")]
    pub(crate) fn set(&mut self, name: &str, value: f64) {
        match name {
            "vpls" => self.vpls = value as u32,
            "interleave" => self.interleave = value as u32,
            "antialias" => self.antialias = value as u32,
            "clamp" => self.clamp = value as f32,
            "roulette" => self.roulette = value as f32,
            "compensate" => self.compensate = value as u32,
            "filter" => self.filter = value as u32,
            "smooth" => self.smooth = value as u32,
            "importance" => self.importance = value as f32,
            "photons" => self.photons = value as u32,
            "photon_radius" => self.photon_radius = value as f32,
            _ => self.max_bounces = value as u32,
        }
    }

    pub(crate) fn get(&self, name: &str) -> f64 {
        match name {
            "vpls" => self.vpls.into(),
            "interleave" => self.interleave.into(),
            "antialias" => self.antialias.into(),
            "clamp" => self.clamp.into(),
            "roulette" => self.roulette.into(),
            "compensate" => self.compensate.into(),
            "filter" => self.filter.into(),
            "smooth" => self.smooth.into(),
            "importance" => self.importance.into(),
            "photons" => self.photons.into(),
            "photon_radius" => self.photon_radius.into(),
            _ => self.max_bounces.into(),
        }
    }

    /// What each of some frames has whose mean has these: camera rays, virtual point lights and photons, at least one of those that there are.
    #[must_use]
    pub fn part(&self, frames: u32) -> Self {
        let part = |count: u32| count.div_ceil(frames.max(1));
        Self { vpls: part(self.vpls), antialias: part(self.antialias), photons: part(self.photons), ..*self }
    }

    /// Number of sets.
    pub fn sets(&self) -> u32 {
        self.interleave * self.interleave
    }

    /// Shares of a set: no more camera rays than VPLs are of use.
    pub fn subsets(&self) -> u32 {
        self.antialias.min(self.vpls).max(1)
    }

    /// VPLs of a share.
    pub fn vpls_per_subset(&self) -> u32 {
        self.vpls.div_ceil(self.subsets())
    }

    /// VPLs of a set.
    pub fn vpls_per_set(&self) -> u32 {
        self.subsets() * self.vpls_per_subset()
    }

    /// Whether the filter works on frame number `pass`.
    pub fn filters(&self, pass: u32) -> bool {
        self.filter == 1 && self.interleave > 1 && pass < self.sets()
    }

    /// Whether pixels whose camera rays all meet the same are lit as a whole in frame number `pass`.
    pub fn merges(&self, pass: u32) -> bool {
        self.filters(pass) && self.subsets() > 1
    }

    /// From how far a point takes photons in frame number `pass`, as a share of how far the camera sees. The mean of frames converges: their bias
    /// vanishes as the radius does, and their variance grows more slowly than their number [Knaus11, radius sequence].
    #[allow(clippy::cast_possible_truncation, reason = "a share of at most 1")]
    pub fn photon_share(&self, pass: u32) -> f32 {
        const ALPHA: f64 = 2.0 / 3.0;
        let area: f64 = (1..=pass).map(|i| (f64::from(i) + ALPHA) / (f64::from(i) + 1.0)).product();
        self.photon_radius * area.sqrt() as f32
    }

    /// Edge of tiles: so many that each set has whole packets of 64 pixels.
    pub(crate) fn tile_size(&self) -> u32 {
        8 * self.interleave * (4 / self.interleave).max(1)
    }
}
