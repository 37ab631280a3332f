//! The linear system of radiosity, and changes of its light without new form factors.

use sunfleck_math::Vec3;

use super::{Channels, FormFactors, Matrix, Patches};

/// The system `B_i = E_i + ρ_i ∑ F_ij B_j` [Radiosity03, Eq. 1], RGB over one scalar matrix.
#[derive(Debug)]
pub struct RadiositySystem {
    pub(super) matrix: Matrix,
    pub(super) areas: Vec<f32>,
    emission: Channels,
    pub(super) reflectance: Channels,
    sky_irradiance: Channels,
}

impl RadiositySystem {
    /// Returns the system of patches. Light of the environment is emission of the patches that it reaches.
    ///
    /// * `matrix` — made of `factors`, or traced.
    pub fn new(patches: &Patches, factors: &FormFactors, matrix: Matrix) -> Self {
        let patches = patches.patches();
        Self {
            matrix,
            areas: factors.areas().to_vec(),
            emission: patches.iter().map(|patch| patch.emission).collect(),
            reflectance: patches.iter().map(|patch| patch.reflectance).collect(),
            sky_irradiance: factors.sky_irradiance().clone(),
        }
    }

    /// Returns the matrix of form factors.
    pub fn matrix(&self) -> &Matrix {
        &self.matrix
    }

    /// Returns the number of patches.
    pub fn patch_count(&self) -> usize {
        self.areas.len()
    }

    /// Sets the emitted radiosity of a patch, W/m². Form factors stay valid; solving again from the former radiosities
    /// takes few iterations. Ignored if the patch does not exist.
    pub fn set_emission(&mut self, patch: usize, emission: Vec3) {
        if patch < self.patch_count() {
            self.emission.set(patch, emission.max(Vec3::ZERO));
        }
    }

    /// Sets the reflectance of a patch, clamped to [0, 1]. Form factors stay valid. Ignored if the patch does not exist.
    pub fn set_reflectance(&mut self, patch: usize, reflectance: Vec3) {
        if patch < self.patch_count() {
            self.reflectance.set(patch, reflectance.clamp(Vec3::ZERO, Vec3::ONE));
        }
    }

    /// Returns the radiosity of each patch without light of other patches: emission, and reflected light of the
    /// environment.
    pub fn source(&self) -> Channels {
        let reflected = self.reflectance.iter().zip(self.sky_irradiance.iter());
        self.emission.iter().zip(reflected).map(|(emission, (rho, sky))| emission + rho * sky).collect()
    }

    /// Returns the reflectance of each patch.
    pub fn reflectance(&self) -> &Channels {
        &self.reflectance
    }

    /// Returns the largest reflectance of any channel.
    pub fn largest_reflectance(&self) -> f32 {
        self.reflectance.largest()
    }

    /// Writes `E + ρ F B`, one Jacobi iteration. With a diagonal of 1 it is [Radiosity03, Eq. 4].
    ///
    /// * `source` — see [`source`](Self::source).
    pub fn gather(&self, source: &Channels, radiosity: &Channels, out: &mut Channels) {
        self.matrix.apply(radiosity, out);
        let planes = out.planes_mut().into_iter().zip(source.planes()).zip(self.reflectance.planes());
        for ((out, source), reflectance) in planes {
            for ((out, source), reflectance) in out.iter_mut().zip(source).zip(reflectance) {
                *out = source + reflectance * *out;
            }
        }
    }
}
