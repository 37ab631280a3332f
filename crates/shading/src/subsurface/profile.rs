//! Diffusion profiles of a colour channel and of a material: evaluation, sampling and densities.

use sunfleck_math::Vec3;
use sunfleck_math::float::ONE_MINUS_EPSILON;

use super::dipole::Dipole;
use super::normalized::Normalized;
use super::{DiffuseBoundary, DiffusionMedium, ProfileModel};

/// Diffusion profile `R_d(r)` of one colour channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChannelProfile {
    reflectance: f32,
    shape: Shape,
}

/// Normalised profile.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Dipole(Dipole),
    Normalized(Normalized),
}

impl ChannelProfile {
    /// Returns the profile of a channel.
    ///
    /// * `absorbed` — `σa / σt'`, in [0, 1].
    /// * `mean_free_path` — `1 / σt'` in m, positive and finite.
    fn new(model: ProfileModel, absorbed: f32, mean_free_path: f32, boundary: DiffuseBoundary) -> Self {
        let reflectance = model.reflectance(absorbed, boundary);
        let shape = match model.theory() {
            Some(theory) => Shape::Dipole(Dipole::new(theory, absorbed, mean_free_path, boundary)),
            None => Shape::Normalized(Normalized::new(reflectance, mean_free_path)),
        };
        Self { reflectance, shape }
    }

    /// Returns the diffuse reflectance `2π ∫ R_d(r) r dr`, in [0, 1].
    pub fn reflectance(&self) -> f32 {
        self.reflectance
    }

    /// Returns `R_d(r)` in 1/m², ≥ 0 and finite.
    ///
    /// * `r` — distance in m, ≥ 0.
    pub fn eval(&self, r: f32) -> f32 {
        self.reflectance * self.pdf_area(r)
    }

    /// Returns the density of [`radius_containing`](Self::radius_containing) at a uniform fraction, per unit area of the
    /// plane, in 1/m²: the profile divided by its integral.
    pub fn pdf_area(&self, r: f32) -> f32 {
        match self.shape {
            Shape::Dipole(dipole) => dipole.density(r),
            Shape::Normalized(normalized) => normalized.density(r),
        }
    }

    /// Returns the distance in m within which the given fraction of the light leaves: the inverse of the cumulative
    /// distribution function of the radius. Fractions above `1 - 2⁻²⁴` are taken for that.
    pub fn radius_containing(&self, fraction: f32) -> f32 {
        match self.shape {
            Shape::Dipole(dipole) => dipole.radius_containing(fraction),
            Shape::Normalized(normalized) => normalized.radius_containing(fraction),
        }
    }
}

/// Diffusion profile `R_d(r)` of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiffusionProfile {
    channels: [ChannelProfile; 3],
    /// Probabilities of sampling the channels, in proportion to their reflectances.
    probabilities: [f32; 3],
}

impl DiffusionProfile {
    /// Returns the profile of a medium.
    pub fn new(model: ProfileModel, medium: &DiffusionMedium) -> Self {
        let boundary = DiffuseBoundary::new(medium.eta());
        let (absorbed, length) = (medium.absorbed().to_array(), medium.mean_free_path().to_array());
        let channels = std::array::from_fn(|c| ChannelProfile::new(model, absorbed[c], length[c], boundary));
        let sum: f32 = channels.iter().map(ChannelProfile::reflectance).sum();
        let share = |channel: ChannelProfile| if sum > 0.0 { channel.reflectance / sum } else { 1.0 / 3.0 };
        Self { channels, probabilities: channels.map(share) }
    }

    /// Returns the profiles of the colour channels.
    pub fn channels(&self) -> &[ChannelProfile; 3] {
        &self.channels
    }

    /// Returns the diffuse reflectance `2π ∫ R_d(r) r dr`, components in [0, 1].
    pub fn reflectance(&self) -> Vec3 {
        Vec3::from_array(self.channels.map(|channel| channel.reflectance()))
    }

    /// Returns `R_d(r)` in 1/m², components ≥ 0 and finite.
    ///
    /// * `r` — distance in m, ≥ 0.
    pub fn eval(&self, r: f32) -> Vec3 {
        Vec3::from_array(self.channels.map(|channel| channel.eval(r)))
    }

    /// Samples a distance in m: chooses a channel in proportion to its reflectance, and a radius by inversion.
    ///
    /// * `u` — uniform in [0, 1).
    pub fn sample_radius(&self, u: f32) -> f32 {
        let mut u = u;
        let mut chosen = None;
        for (channel, &probability) in self.channels.iter().zip(&self.probabilities) {
            if probability <= 0.0 {
                continue;
            }
            // Rounding may leave some of `u` after the last channel
            chosen = Some((channel, (u / probability).min(ONE_MINUS_EPSILON)));
            if u < probability {
                break;
            }
            u -= probability;
        }
        chosen.map_or(0.0, |(channel, u)| channel.radius_containing(u))
    }

    /// Returns the density of [`sample_radius`](Self::sample_radius), per unit area of the plane, in 1/m².
    pub fn pdf_area(&self, r: f32) -> f32 {
        let densities = self.channels.iter().zip(&self.probabilities);
        densities.map(|(channel, probability)| probability * channel.pdf_area(r)).sum()
    }

    /// Returns the distance in m within which at least the given fraction of the light of each channel leaves; channels
    /// that reflect nothing do not count.
    pub fn radius_containing(&self, fraction: f32) -> f32 {
        let channels = self.channels.iter().zip(&self.probabilities);
        let visible = channels.filter(|&(_, &probability)| probability > 0.0);
        visible.map(|(channel, _)| channel.radius_containing(fraction)).fold(0.0, f32::max)
    }
}
