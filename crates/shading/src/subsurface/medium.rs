//! Scattering and absorption of a material, from coefficients or from its appearance.

use sunfleck_math::Vec3;
use sunfleck_scene::Medium;

use super::{DiffuseBoundary, ProfileModel};

/// Smallest and largest coefficient of extinction, 1/m.
const EXTINCTION: (f32, f32) = (1e-6, 1e12);

/// Medium behind a smooth dielectric boundary, as diffusion theory describes it, per colour channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiffusionMedium {
    /// Reduced scattering coefficient `σs' = (1 - g) σs`, 1/m.
    reduced_scattering: Vec3,
    /// Absorption coefficient `σa`, 1/m.
    absorption: Vec3,
    /// Index of refraction inside divided by that outside.
    eta: f32,
}

impl DiffusionMedium {
    /// Returns the medium with the given coefficients in 1/m. Negative coefficients and NaN are taken for 0, and larger
    /// ones than 5 · 10¹¹ for that.
    ///
    /// * `eta` — index of refraction inside divided by that outside.
    pub fn new(reduced_scattering: Vec3, absorption: Vec3, eta: f32) -> Self {
        let valid = |coefficients: Vec3| coefficients.map(|x| clamp(x, 0.0, 0.5 * EXTINCTION.1));
        Self { reduced_scattering: valid(reduced_scattering), absorption: valid(absorption), eta }
    }

    /// Returns the medium that a participating medium is by similarity: scattering by `σs` with the mean cosine g is
    /// taken for isotropic scattering by `(1 - g) σs`.
    pub fn of_medium(medium: &Medium, eta: f32) -> Self {
        Self::new(medium.scattering * (1.0 - medium.asymmetry), medium.absorption, eta)
    }

    /// Returns the medium that has the given diffuse reflectance according to a model.
    ///
    /// * `reflectance` — diffuse reflectance `2π ∫ R_d(r) r dr`, components in [0, 1].
    /// * `mean_free_path` — reduced mean free path `1 / σt'`, m.
    pub fn of_reflectance(model: ProfileModel, reflectance: Vec3, mean_free_path: Vec3, eta: f32) -> Self {
        let boundary = DiffuseBoundary::new(eta);
        Self::of_absorbed(reflectance.map(|r| model.absorbed(r, boundary)), mean_free_path, eta)
    }

    /// Returns the medium that has the given diffuse reflectance and diffuse mean free path according to a model.
    ///
    /// * `diffuse_mean_free_path` — distance in m over which diffuse light is attenuated by e, `1 / σ_tr`. It is finite,
    ///   so a reflectance near 1 means a mean free path that is near 0; at least a thousandth is used.
    pub fn of_diffuse_mean_free_path(
        model: ProfileModel,
        reflectance: Vec3,
        diffuse_mean_free_path: Vec3,
        eta: f32,
    ) -> Self {
        let boundary = DiffuseBoundary::new(eta);
        let absorbed = reflectance.map(|r| model.absorbed(r, boundary));
        let ratio = absorbed.map(|absorbed| model.diffuse_mean_free_path(absorbed, boundary));
        Self::of_absorbed(absorbed, diffuse_mean_free_path / ratio, eta)
    }

    fn of_absorbed(absorbed: Vec3, mean_free_path: Vec3, eta: f32) -> Self {
        let extinction = mean_free_path.map(|l| clamp(l, 1.0 / EXTINCTION.1, 1.0 / EXTINCTION.0).recip());
        Self::new(extinction * (Vec3::ONE - absorbed), extinction * absorbed, eta)
    }

    /// Returns the reduced scattering coefficient `σs'`, 1/m.
    pub fn reduced_scattering(&self) -> Vec3 {
        self.reduced_scattering
    }

    /// Returns the absorption coefficient `σa`, 1/m.
    pub fn absorption(&self) -> Vec3 {
        self.absorption
    }

    /// Returns the index of refraction inside divided by that outside.
    pub fn eta(&self) -> f32 {
        self.eta
    }

    /// Returns the reduced extinction coefficient `σt' = σs' + σa`, 1/m.
    pub fn extinction(&self) -> Vec3 {
        self.reduced_scattering + self.absorption
    }

    /// Returns the reduced mean free path `1 / σt'`, m; at most 1000 km, also of empty space.
    pub fn mean_free_path(&self) -> Vec3 {
        self.extinction().max(Vec3::splat(EXTINCTION.0)).recip()
    }

    /// Returns the fraction `σa / σt'`, components in [0, 1]; 1 for empty space, which returns no light either.
    pub fn absorbed(&self) -> Vec3 {
        let fraction = |absorbed: f32, all: f32| if all > 0.0 { absorbed / all } else { 1.0 };
        let (absorption, extinction) = (self.absorption, self.extinction());
        Vec3::new(
            fraction(absorption.x, extinction.x),
            fraction(absorption.y, extinction.y),
            fraction(absorption.z, extinction.z),
        )
    }

    /// Returns the diffuse reflectance according to a model, components in [0, 1].
    pub fn reflectance(&self, model: ProfileModel) -> Vec3 {
        let boundary = DiffuseBoundary::new(self.eta);
        self.absorbed().map(|absorbed| model.reflectance(absorbed, boundary))
    }

    /// Returns the distance over which diffuse light is attenuated by e according to a model, m; at most 1000 mean free
    /// paths.
    pub fn diffuse_mean_free_path(&self, model: ProfileModel) -> Vec3 {
        let boundary = DiffuseBoundary::new(self.eta);
        self.mean_free_path()
            * self.absorbed().map(|absorbed| model.diffuse_mean_free_path(absorbed, boundary))
    }
}

/// Returns `x` clamped to `low..=high`; `low` for NaN.
fn clamp(x: f32, low: f32, high: f32) -> f32 {
    if x > low { x.min(high) } else { low }
}
