//! The linear system of radiosity, and changes of its light without new form factors.

use sunfleck_math::Vec3;
use sunfleck_transport::World;

use super::{Channels, FormFactors, Matrix, Patches};
use crate::direct;

/// The system `B_i = E_i + ρ_i ∑ F_ij B_j` [Radiosity03, Eq. 1], RGB over one scalar matrix.
#[derive(Debug)]
pub struct RadiositySystem {
    pub(super) matrix: Matrix,
    pub(super) areas: Vec<f32>,
    emission: Channels,
    pub(super) reflectance: Channels,
    /// Irradiance by the environment and by punctual lights.
    direct: Channels,
}

impl RadiositySystem {
    /// Returns the system of patches. Light of the environment, and of punctual lights, is a source at the patches.
    ///
    /// * `matrix` — made of `factors`, or traced.
    pub fn new(world: &World, patches: &Patches, factors: &FormFactors, matrix: Matrix) -> Self {
        let (areas, black) = (factors.areas().to_vec(), Channels::default());
        let mut system =
            Self { matrix, areas, emission: black.clone(), reflectance: black.clone(), direct: black };
        system.relight(world, patches, factors);
        system
    }

    /// Takes reflectances and lights from a world with the same patches, whose form factors stay valid.
    ///
    /// * `patches` — with the materials of `world`: see [`Patches::with_materials_of`].
    pub fn relight(&mut self, world: &World, patches: &Patches, factors: &FormFactors) {
        self.emission = patches.patches().iter().map(|patch| patch.emission).collect();
        self.reflectance = patches.patches().iter().map(|patch| patch.reflectance).collect();
        self.direct = if direct::has_lights(world) {
            let (punctual, sky) =
                (patches.punctual_irradiance(world), factors.sky_irradiance(world, patches));
            punctual.iter().zip(sky.iter()).map(|(punctual, sky)| punctual + sky).collect()
        } else {
            Channels::black(self.areas.len())
        };
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
    /// environment and of punctual lights.
    pub fn source(&self) -> Channels {
        let reflected = self.reflectance.iter().zip(self.direct.iter());
        self.emission.iter().zip(reflected).map(|(emission, (rho, direct))| emission + rho * direct).collect()
    }

    /// Returns the irradiance of each patch by radiosities and by lights that are no patches, W/m².
    pub fn irradiance(&self, radiosity: &Channels) -> Channels {
        let mut irradiance = Channels::black(self.patch_count());
        self.matrix.apply(radiosity, &mut irradiance);
        irradiance.iter().zip(self.direct.iter()).map(|(irradiance, direct)| irradiance + direct).collect()
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
