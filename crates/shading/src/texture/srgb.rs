use sunfleck_math::pow;

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
        assert!((0..255).all(|code| table.linear(code) < table.linear(code + 1)), "monotonic");
    }
}
