//! Whether the film fits into memory.

use sunfleck_command::Failure;

use super::args::RenderArgs;
use crate::{memory, units};

/// Refuses a film of a size, with AOVs, that needs more memory than is free. Errors: it does.
pub(super) fn check(args: &RenderArgs) -> Result<(), Failure> {
    let aovs = args.view.wanted_aovs();
    let needed = bytes(args.width, args.height, aovs.iter().count() as u64);
    match memory::available() {
        Some(free) if needed > free => Err(Failure::failed(format!(
            "a picture of {} × {} pixels takes {} of memory, but only {} are free",
            units::count(args.width.into()),
            units::count(args.height.into()),
            units::bytes(needed),
            units::bytes(free),
        ))),
        _ => Ok(()),
    }
}

/// What film and output files take at the same time, from above.
fn bytes(width: u32, height: u32, aovs: u64) -> u64 {
    // Film: 56 bytes of sums, and up to 28 for each AOV; while a file is made, three floats each. The canvas has a picture of three floats, too
    const RADIANCE: u64 = 56 + 12 + 12;
    const AOV: u64 = 28 + 12;
    (u64::from(width) * u64::from(height)).saturating_mul(RADIANCE + AOV * aovs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_do_not_overflow() {
        assert_eq!(bytes(1000, 1000, 0), 80_000_000);
        assert_eq!(bytes(u32::MAX, u32::MAX, 8), u64::MAX);
    }
}
