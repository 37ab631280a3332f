use sunfleck_math::{Vec3, pow};

use super::mip_levels::byte;

/// Conversion between the 256 sRGB codes and linear values [IEC61966-2-1].
#[derive(Clone, Debug)]
pub(crate) struct SrgbTable {
    linear: [f32; 256],
    /// For each code, the linear value from which the next code is nearer.
    upper_bounds: [f32; 256],
    /// Code nearest to the smallest value of each step. Steps are narrower than the distance between two codes.
    steps: Box<[u8; STEPS]>,
}

/// Number of steps of linear values in [0, 1]. The smallest distance between two codes, at the dark end, is 1 / 3295.
const STEPS: usize = 4096;

impl SrgbTable {
    pub(crate) fn new() -> Self {
        let linear: [f32; 256] = std::array::from_fn(|code| {
            let encoded = code as f32 / 255.0;
            if encoded <= 0.04045 { encoded / 12.92 } else { pow((encoded + 0.055) / 1.055, 2.4) }
        });
        let upper_bounds = std::array::from_fn(|code| match linear.get(code + 1) {
            Some(next) => 0.5 * (linear[code] + next),
            None => f32::INFINITY,
        });
        let nearest =
            |step: usize| upper_bounds.partition_point(|&bound| bound <= step as f32 / STEPS as f32);
        let steps = Box::new(std::array::from_fn(|step| u8::try_from(nearest(step)).unwrap_or(u8::MAX)));
        Self { linear, upper_bounds, steps }
    }

    #[inline(always)]
    pub(crate) fn linear(&self, code: u8) -> f32 {
        self.linear[code as usize]
    }

    /// Returns the nearest code of a linear value.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to steps")]
    fn code(&self, linear: f32) -> u8 {
        let step = (linear * STEPS as f32).clamp(0.0, (STEPS - 1) as f32) as usize;
        let code = self.steps[step];
        if linear >= self.upper_bounds[code as usize] { code + 1 } else { code }
    }

    /// Returns the codes of a linear colour and of alpha, which is linear in 8 bits.
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
        // Middle grey, 18.4 %, lies between codes 118 and 119
        assert!(table.linear(118) < 0.184 && table.linear(119) > 0.184);
        assert!((table.linear(10) - 10.0 / 255.0 / 12.92).abs() < 1e-8, "the linear part");
        assert!((0..=255).all(|code| table.code(table.linear(code)) == code), "codes survive a round trip");
        assert_eq!([f32::NAN, -1.0, 1e-9, 0.5, 2.0].map(|linear| table.code(linear)), [0, 0, 0, 188, 255]);
        for i in 0..=100_000u32 {
            let linear = i as f32 / 100_000.0;
            let away = |code: u8| (table.linear(code) - linear).abs();
            let code = table.code(linear);
            let others = [code.saturating_sub(1), code.saturating_add(1)].map(away);
            assert!(away(code) <= others[0].min(others[1]) + 1e-7, "{linear} is not nearest to {code}");
        }
        assert!((0..255).all(|code| table.linear(code) < table.linear(code + 1)), "monotonic");
    }
}
