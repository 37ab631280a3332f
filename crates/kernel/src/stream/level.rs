use fearless_simd::Level;

/// SIMD levels that stream tracers are compiled for. Code for the others would be large, and no faster than tracing
/// one ray at a time.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) enum StreamLevel {
    /// Thirty-two vector registers.
    Registers32(fearless_simd::Avx512),
    /// Sixteen vector registers.
    Registers16(fearless_simd::Avx2),
}

#[cfg(target_arch = "x86_64")]
impl StreamLevel {
    pub(super) fn of(level: Level) -> Option<Self> {
        level.as_avx512().map(Self::Registers32).or_else(|| level.as_avx2().map(Self::Registers16))
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "other targets have one stream level")]
pub(super) enum StreamLevel {
    Registers32(StreamToken),
    Registers16(StreamToken),
}

#[cfg(target_arch = "aarch64")]
type StreamToken = fearless_simd::Neon;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
type StreamToken = fearless_simd::Fallback;

#[cfg(not(target_arch = "x86_64"))]
impl StreamLevel {
    pub(super) fn of(level: Level) -> Option<Self> {
        #[cfg(target_arch = "aarch64")]
        return level.as_neon().map(Self::Registers32);
        #[cfg(not(target_arch = "aarch64"))]
        {
            let _ = level;
            None
        }
    }
}

/// Runs an operation with the SIMD token of a [`StreamLevel`].
macro_rules! dispatch_stream {
    ($level:expr, $simd:ident => $operation:expr) => {
        match $level {
            StreamLevel::Registers32($simd) => $operation,
            StreamLevel::Registers16($simd) => $operation,
        }
    };
}
pub(super) use dispatch_stream;
