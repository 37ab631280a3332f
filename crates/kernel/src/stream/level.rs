use fearless_simd::Level;

/// SIMD levels that stream tracers are compiled for. Code for the others would be large, and no faster than tracing
/// one ray at a time.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) enum Wide {
    /// Thirty-two vector registers.
    Large(fearless_simd::Avx512),
    /// Sixteen vector registers.
    Small(fearless_simd::Avx2),
}

#[cfg(target_arch = "x86_64")]
impl Wide {
    pub(super) fn of(level: Level) -> Option<Self> {
        level.as_avx512().map(Self::Large).or_else(|| level.as_avx2().map(Self::Small))
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "elsewhere there is but one kind of wide level")]
pub(super) enum Wide {
    Large(WideToken),
    Small(WideToken),
}

#[cfg(target_arch = "aarch64")]
type WideToken = fearless_simd::Neon;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
type WideToken = fearless_simd::Fallback;

#[cfg(not(target_arch = "x86_64"))]
impl Wide {
    pub(super) fn of(level: Level) -> Option<Self> {
        #[cfg(target_arch = "aarch64")]
        return level.as_neon().map(Self::Large);
        #[cfg(not(target_arch = "aarch64"))]
        {
            let _ = level;
            None
        }
    }
}

/// Runs an operation with the token of a [`Wide`] level.
macro_rules! on {
    ($level:expr, $simd:ident => $operation:expr) => {
        match $level {
            Wide::Large($simd) => $operation,
            Wide::Small($simd) => $operation,
        }
    };
}
pub(super) use on;
