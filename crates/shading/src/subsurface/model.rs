//! Choice of the diffusion model.

use super::DiffuseBoundary;
use super::dipole::{self, Dipole, Theory};
use super::normalized;

/// Model of the diffusion profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileModel {
    /// Dipole of classical diffusion [Jensen01, Eq. 4]. Its reflectance is that of light of all orders of scattering, and
    /// exact in the limit of no absorption, though the paper adds the light that is scattered once.
    Dipole,
    /// Dipole of Grosjean's diffusion for media that absorb more light; fluence and flux leave the surface
    /// [dEon12, dipole]. The light that is scattered once is meant to be added.
    BetterDipole,
    /// Normalised diffusion, two exponentials fitted to simulated light of all orders of scattering
    /// [Burley15, subsurface scattering] [Christensen15, reflectance profile].
    Normalized,
}

/// Smallest ratio of the mean free path to the diffuse mean free path. Without absorption the latter is infinite.
const SHORTEST: f32 = 1e-3;

impl ProfileModel {
    /// All models.
    pub const ALL: [Self; 3] = [Self::Dipole, Self::BetterDipole, Self::Normalized];

    /// Returns the name of the model.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dipole => "dipole",
            Self::BetterDipole => "better-dipole",
            Self::Normalized => "normalized",
        }
    }

    /// Returns the model of a name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.name() == name)
    }

    /// Returns the theory of a dipole; `None` for normalised diffusion.
    pub(super) const fn theory(self) -> Option<Theory> {
        match self {
            Self::Dipole => Some(Theory::Classical),
            Self::BetterDipole => Some(Theory::Grosjean),
            Self::Normalized => None,
        }
    }

    /// Returns the diffuse reflectance `2π ∫ R_d(r) r dr` of a half-space, in [0, 1].
    ///
    /// * `absorbed` — `σa / σt'`, in [0, 1].
    pub fn reflectance(self, absorbed: f32, boundary: DiffuseBoundary) -> f32 {
        match self.theory() {
            Some(theory) => Dipole::new(theory, absorbed, 1.0, boundary).reflectance(),
            None => normalized::reflectance_of_absorbed(absorbed, boundary),
        }
    }

    /// Returns the fraction `σa / σt'`, in [0, 1], of a half-space with the given diffuse reflectance: inverts
    /// [`reflectance`](Self::reflectance). Values outside of [0, 1] are clamped, and NaN is taken for 0.
    pub fn absorbed(self, reflectance: f32, boundary: DiffuseBoundary) -> f32 {
        let reflectance = if reflectance > 0.0 { reflectance.min(1.0) } else { 0.0 };
        match self.theory() {
            Some(theory) => dipole::absorbed_of_reflectance(theory, reflectance, boundary),
            None => normalized::absorbed_of_reflectance(reflectance, boundary),
        }
    }

    /// Returns the ratio of the diffuse mean free path, over which diffuse light is attenuated by e, to the mean free
    /// path; at most 1000.
    pub(super) fn diffuse_mean_free_path(self, absorbed: f32, boundary: DiffuseBoundary) -> f32 {
        match self.theory() {
            Some(theory) => 1.0 / dipole::transport(theory, absorbed).max(SHORTEST),
            None => normalized::diffuse_mean_free_path(self.reflectance(absorbed, boundary)),
        }
    }
}
