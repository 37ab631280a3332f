use sunfleck_math::{DMat3, DVec3, Mat3};

/// CIE xy chromaticities of the primaries and the white of an RGB colour space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Primaries {
    /// Chromaticity of red, x and y.
    pub red: [f32; 2],
    /// Chromaticity of green.
    pub green: [f32; 2],
    /// Chromaticity of blue.
    pub blue: [f32; 2],
    /// Chromaticity of white: equal components.
    pub white: [f32; 2],
}

/// Cone responses of XYZ of the Bradford transform [Lam85, Bradford transform].
const CONES_FROM_XYZ: DMat3 = DMat3::from_cols_array(&[
    0.8951, -0.7502, 0.0389, //
    0.2664, 1.7135, -0.0685, //
    -0.1614, 0.0367, 1.0296,
]);

impl Primaries {
    /// Those of Rec. 709 and sRGB, with the white D65 [BT709, item 1.3].
    pub const REC709: Self =
        Self { red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06], white: [0.3127, 0.329] };

    /// Returns whether all chromaticities are those of Rec. 709, to the digits that files state.
    pub fn is_rec709(&self) -> bool {
        let flat = |p: &Self| [p.red, p.green, p.blue, p.white];
        let pairs = flat(self).into_iter().flatten().zip(flat(&Self::REC709).into_iter().flatten());
        pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-3)
    }

    /// Returns the matrix that converts linear RGB of these primaries to Rec. 709. Whites are adapted to each other by
    /// the Bradford transform [Lam85, Bradford transform], so that grey stays grey.
    ///
    /// Returns `None` if the chromaticities are not those of a colour space: not finite, on one line, or y is 0.
    pub fn rec709_from_rgb(&self) -> Option<Mat3> {
        if self.is_rec709() {
            return Some(Mat3::IDENTITY);
        }
        let xyz_from_rgb = self.xyz_from_rgb()?;
        let cones = |white| CONES_FROM_XYZ * white;
        let from = cones(xyz(self.white)?);
        let to = cones(xyz(Self::REC709.white)?);
        let adapted = CONES_FROM_XYZ.inverse() * DMat3::from_diagonal(to / from) * CONES_FROM_XYZ;
        let matrix = Self::REC709.xyz_from_rgb()?.inverse() * adapted * xyz_from_rgb;
        let matrix = matrix.as_mat3();
        let is_plausible = matrix.to_cols_array().iter().all(|v| v.abs() < 1e3);
        is_plausible.then_some(matrix)
    }

    /// Returns the relative luminance of red, green and blue, whose sum is 1; `None` as
    /// [`Primaries::rec709_from_rgb`].
    pub fn luminance(&self) -> Option<[f32; 3]> {
        let matrix = self.xyz_from_rgb()?;
        #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
        let weights = matrix.row(1).to_array().map(|weight| weight as f32);
        weights.iter().all(|weight| weight.abs() < 1e3).then_some(weights)
    }

    /// The columns are the primaries, scaled so that their sum is the white of Y = 1.
    fn xyz_from_rgb(&self) -> Option<DMat3> {
        let columns = DMat3::from_cols(xyz(self.red)?, xyz(self.green)?, xyz(self.blue)?);
        let is_regular = columns.determinant().abs() > 1e-6;
        let white = xyz(self.white).filter(|_| is_regular)?;
        Some(columns * DMat3::from_diagonal(columns.inverse() * white))
    }
}

/// Returns XYZ with Y = 1 of a chromaticity.
fn xyz([x, y]: [f32; 2]) -> Option<DVec3> {
    let [x, y] = [x, y].map(f64::from);
    let color = DVec3::new(x / y, 1.0, (1.0 - x - y) / y);
    color.is_finite().then_some(color)
}

#[cfg(test)]
mod tests {
    use sunfleck_math::Vec3;

    use super::*;
    use crate::color::LUMINANCE;

    /// ACES AP0, with a white near D60.
    const ACES: Primaries = Primaries {
        red: [0.7347, 0.2653],
        green: [0.0, 1.0],
        blue: [0.0001, -0.077],
        white: [0.321_68, 0.337_67],
    };

    #[test]
    fn white_stays_white() {
        for primaries in [
            ACES,
            Primaries { white: [1.0 / 3.0, 1.0 / 3.0], ..Primaries::REC709 },
            // BT.2020
            Primaries {
                red: [0.708, 0.292],
                green: [0.17, 0.797],
                blue: [0.131, 0.046],
                ..Primaries::REC709
            },
        ] {
            let white = primaries.rec709_from_rgb().unwrap() * Vec3::ONE;
            assert!((white - Vec3::ONE).abs().max_element() < 1e-5, "{white}");
        }
    }

    #[test]
    fn published_matrix_of_bt2020() {
        // BT.2087, annex 2: 1.6605, -0.5876, -0.0728 / -0.1246, 1.1329, -0.0083 / -0.0182, -0.1006, 1.1187
        let bt2020 = Primaries {
            red: [0.708, 0.292],
            green: [0.17, 0.797],
            blue: [0.131, 0.046],
            ..Primaries::REC709
        };
        let found = bt2020.rec709_from_rgb().unwrap();
        let published = Mat3::from_cols_array(&[
            1.6605, -0.1246, -0.0182, -0.5876, 1.1329, -0.1006, -0.0728, -0.0083, 1.1187,
        ]);
        assert!(found.abs_diff_eq(published, 1e-4), "{found}");
    }

    #[test]
    fn luminance_of_rec709() {
        for (found, published) in Primaries::REC709.luminance().unwrap().into_iter().zip(LUMINANCE) {
            assert!((found - published).abs() < 1e-4, "{found}");
        }
    }

    #[test]
    fn chromaticities_without_a_colour_space_are_refused() {
        let none = [0.0; 2];
        assert!(Primaries { red: none, green: none, blue: none, white: none }.rec709_from_rgb().is_none());
        assert!(Primaries { green: ACES.red, ..ACES }.rec709_from_rgb().is_none(), "twice the same");
        assert!(Primaries { white: [f32::NAN; 2], ..ACES }.rec709_from_rgb().is_none());
    }
}
