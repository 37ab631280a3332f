use sunfleck_math::{Vec3, pow};

use super::levels::byte;

/// Linear values of the 256 sRGB codes [IEC61966-2-1].
#[derive(Clone, Debug)]
pub(crate) struct SrgbTable([f32; 256]);

impl SrgbTable {
    pub(crate) fn new() -> Self {
        Self(std::array::from_fn(|code| {
            let encoded = code as f32 / 255.0;
            if encoded <= 0.04045 { encoded / 12.92 } else { pow((encoded + 0.055) / 1.055, 2.4) }
        }))
    }

    #[inline(always)]
    pub(crate) fn linear(&self, code: u8) -> f32 {
        self.0[code as usize]
    }

    /// The nearest code of a linear value.
    fn code(&self, linear: f32) -> u8 {
        let above = self.0.partition_point(|&value| value < linear).min(255);
        let below = above.saturating_sub(1);
        let is_nearer_below = linear - self.0[below] < self.0[above] - linear;
        u8::try_from(if is_nearer_below { below } else { above }).unwrap_or(u8::MAX)
    }

    /// A colour with its alpha, which is not encoded.
    pub(super) fn codes(&self, (color, alpha): (Vec3, f32)) -> [u8; 4] {
        let [red, green, blue] = color.to_array().map(|linear| self.code(linear));
        [red, green, blue, byte(alpha)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let table = SrgbTable::new();
        assert_eq!(table.linear(0), 0.0);
        assert_eq!(table.linear(255), 1.0);
        // Photographers' middle grey: 18.4 % is code 118 to 119
        assert!(table.linear(118) < 0.184 && table.linear(119) > 0.184);
        assert!((table.linear(10) - 10.0 / 255.0 / 12.92).abs() < 1e-8, "the linear part");
        assert!((0..=255).all(|code| table.code(table.linear(code)) == code), "and back");
        assert_eq!([-1.0, 1e-9, 0.5, 2.0].map(|linear| table.code(linear)), [0, 0, 188, 255]);
        assert!((0..255).all(|code| table.linear(code) < table.linear(code + 1)), "monotonic");
    }
}
