use serde::{Deserialize, Serialize};
use sunfleck_math::Vec3;

/// Homogeneous participating medium: absorbs and scatters light on its way. Integrators do not evaluate it yet: they
/// take the space for empty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Medium {
    /// Absorption coefficient `σ_a`, 1/m.
    pub absorption: Vec3,
    /// Scattering coefficient `σ_s`, 1/m.
    pub scattering: Vec3,
    /// Mean cosine g of the angle of scattering, in (−1, 1), of the phase function of Henyey and Greenstein
    /// [PBRT4, §11.3.1]; 0 is isotropic, positive values scatter forward.
    pub asymmetry: f32,
}

/// Media on the two sides of a surface; `None` is empty space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Media {
    /// Medium behind the back of the surface.
    pub interior: Option<Medium>,
    /// Medium before the front of the surface.
    pub exterior: Option<Medium>,
}

impl Medium {
    /// Creates a medium from its extinction coefficient `σ_t = σ_a + σ_s`, 1/m, and its albedo `σ_s / σ_t`.
    pub fn of_extinction(extinction: Vec3, albedo: Vec3, asymmetry: f32) -> Self {
        let scattering = extinction * albedo;
        Self { absorption: extinction - scattering, scattering, asymmetry }
    }
}

impl Media {
    /// Returns whether both sides are empty.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the media, the interior one first.
    pub fn iter(&self) -> impl Iterator<Item = &Medium> {
        self.interior.iter().chain(&self.exterior)
    }
}
