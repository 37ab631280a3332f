//! Names of SIMD levels.

use fearless_simd::Level;

/// All names of SIMD levels; [`level`] accepts those that the CPU supports.
pub const NAMES: [&str; 7] = ["auto", "scalar", "sse2", "sse4.2", "avx2", "avx512", "neon"];

/// Returns the SIMD level called `name`; `auto` is the best level of this CPU.
///
/// # Errors
/// This CPU lacks the level, or no such level exists.
pub fn level(name: &str) -> Result<Level, String> {
    if name == "auto" {
        return Ok(Level::new());
    }
    let available = available();
    let found = available.iter().find(|(known, _)| *known == name);
    found.map(|&(_, level)| level).ok_or_else(|| {
        let known: Vec<_> = available.iter().map(|(name, _)| *name).collect();
        format!("this CPU does not support {name}; it supports: {}", known.join(", "))
    })
}

/// Returns the name of a SIMD level, as accepted by [`level`].
pub fn name(level: Level) -> &'static str {
    let same = |a: Level, b: Level| std::mem::discriminant(&a) == std::mem::discriminant(&b);
    available().into_iter().find(|(_, known)| same(*known, level)).map_or("unknown", |(name, _)| name)
}

/// Returns the SIMD levels of this CPU with their names, slowest first.
fn available() -> Vec<(&'static str, Level)> {
    let best = Level::new();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    let vector = [
        ("sse2", best.as_sse2().map(Level::Sse2)),
        ("sse4.2", best.as_sse4_2().map(Level::Sse4_2)),
        ("avx2", best.as_avx2().map(Level::Avx2)),
        ("avx512", best.as_avx512().map(Level::Avx512)),
    ];
    #[cfg(target_arch = "aarch64")]
    let vector = [("neon", best.as_neon().map(Level::Neon))];
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
    let vector = [("auto", Some(best))];
    let scalar = [("scalar", Some(Level::fallback()))];
    scalar.into_iter().chain(vector).filter_map(|(name, level)| Some((name, level?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_levels_agree() {
        for (name_of, level_of) in available() {
            assert_eq!(name(level_of), name_of);
            assert_eq!(level(name_of).map(name), Ok(name_of));
            assert!(NAMES.contains(&name_of), "{name_of} is in NAMES");
        }
        assert!(level("auto").is_ok(), "every CPU has a best level");
    }

    #[test]
    fn levels_of_other_architectures_are_refused() {
        let foreign = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
        assert!(level(foreign).is_err_and(|why| why.contains("scalar")), "{foreign} must be refused");
    }
}
