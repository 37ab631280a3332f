//! Measured materials.

use sunfleck_math::Vec3;

use super::DiffusionMedium;

/// Material whose coefficients were measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredMaterial {
    /// Name, in lower case with hyphens.
    pub name: &'static str,
    /// Reduced scattering coefficients `σs'` of red, green and blue, 1/mm.
    pub reduced_scattering_per_mm: [f32; 3],
    /// Absorption coefficients `σa` of red, green and blue, 1/mm.
    pub absorption_per_mm: [f32; 3],
    /// Relative index of refraction.
    pub eta: f32,
}

impl MeasuredMaterial {
    /// Returns the medium, with coefficients in 1/m.
    pub fn medium(&self) -> DiffusionMedium {
        let per_metre = |per_mm: [f32; 3]| Vec3::from_array(per_mm) * 1000.0;
        DiffusionMedium::new(
            per_metre(self.reduced_scattering_per_mm),
            per_metre(self.absorption_per_mm),
            self.eta,
        )
    }
}

/// Returns the medium of a measured material; `None` if there is none of that name.
pub fn measured_medium(name: &str) -> Option<DiffusionMedium> {
    MEASURED_MATERIALS.iter().find(|material| material.name == name).map(MeasuredMaterial::medium)
}

/// Materials measured by [Jensen01, Fig. 5].
pub const MEASURED_MATERIALS: [MeasuredMaterial; 12] = [
    measured("apple", [2.29, 2.39, 1.97], [0.0030, 0.0034, 0.046], 1.3),
    measured("chicken1", [0.15, 0.21, 0.38], [0.015, 0.077, 0.19], 1.3),
    measured("chicken2", [0.19, 0.25, 0.32], [0.018, 0.088, 0.20], 1.3),
    measured("cream", [7.38, 5.47, 3.15], [0.0002, 0.0028, 0.0163], 1.3),
    measured("ketchup", [0.18, 0.07, 0.03], [0.061, 0.97, 1.45], 1.3),
    measured("marble", [2.19, 2.62, 3.00], [0.0021, 0.0041, 0.0071], 1.5),
    measured("potato", [0.68, 0.70, 0.55], [0.0024, 0.0090, 0.12], 1.3),
    measured("skim-milk", [0.70, 1.22, 1.90], [0.0014, 0.0025, 0.0142], 1.3),
    measured("skin1", [0.74, 0.88, 1.01], [0.032, 0.17, 0.48], 1.3),
    measured("skin2", [1.09, 1.59, 1.79], [0.013, 0.070, 0.145], 1.3),
    measured("spectralon", [11.6, 20.4, 14.9], [0.0, 0.0, 0.0], 1.3),
    measured("whole-milk", [2.55, 3.21, 3.77], [0.0011, 0.0024, 0.014], 1.3),
];

const fn measured(
    name: &'static str,
    reduced_scattering_per_mm: [f32; 3],
    absorption_per_mm: [f32; 3],
    eta: f32,
) -> MeasuredMaterial {
    MeasuredMaterial { name, reduced_scattering_per_mm, absorption_per_mm, eta }
}
