//! Division of an image into jobs.

use std::ops::Range;

use sunfleck_constants::path::{BLOCK, BLOCK_EDGE};
use sunfleck_shaders::layout::{Plan, Wave};

/// Minimum number of jobs in flight: jobs become smaller if memory does not suffice for them. With more memory, more
/// jobs are in flight.
const MIN_SECTIONS: u32 = 4;

/// Limits of the streams of an image.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlanLimits {
    /// Maximum number of paths in flight.
    pub(super) paths: u32,
    /// Maximum size of an array in bytes.
    pub(super) bytes: u64,
    /// Bytes of a sample in flight, in the largest array.
    pub(super) bytes_per_sample: u64,
    /// Maximum number of workgroups in a row of a dispatch.
    pub(super) row: u32,
    /// Maximum number of samples of each pixel in a job.
    pub(super) samples: u32,
}

/// Divides an image into jobs of about as many items as there may be paths in flight. A job is the whole film if that
/// has enough pixels, several samples of each pixel if it is small, else a band.
///
/// * `numbers` — numbers of the samples of each pixel.
/// * `occlusion_radius` — distance of ambient occlusion, metres; 0 switches it off.
pub(super) fn plan(
    width: u32,
    height: u32,
    numbers: Range<u32>,
    occlusion_radius: f32,
    limits: PlanLimits,
) -> Plan {
    let samples = numbers.end.saturating_sub(numbers.start);
    let [columns, rows] = [width, height].map(|size| size.div_ceil(BLOCK_EDGE).max(1));
    // The smallest band is a row of blocks
    let row_items = columns.saturating_mul(BLOCK);
    let affordable = limits.bytes / (limits.bytes_per_sample * u64::from(MIN_SECTIONS));
    // The size of a section is a power of two
    let affordable = u32::try_from(1u64 << affordable.max(1).ilog2()).unwrap_or(1 << 31);
    let max_items = affordable.min(limits.paths).max(row_items);
    let bands = rows.div_ceil((max_items / row_items).max(1));
    let band_blocks = columns * rows.div_ceil(bands);
    let items_per_sample = band_blocks.saturating_mul(BLOCK);
    let mut sample_bits = 0;
    while items_per_sample << sample_bits <= max_items / 2 && 1 << sample_bits < samples.min(limits.samples) {
        sample_bits += 1;
    }
    let items = items_per_sample << sample_bits;
    let jobs = samples.div_ceil(1 << sample_bits).saturating_mul(bands);
    let section_bits = items.next_power_of_two().ilog2();
    let section_bytes = limits.bytes_per_sample << section_bits;
    let mut sections = jobs.min(Wave::SECTIONS).next_power_of_two().max(MIN_SECTIONS);
    while sections > MIN_SECTIONS && u64::from(sections) * section_bytes > limits.bytes {
        sections /= 2;
    }
    let in_flight = items.saturating_mul(jobs.min(sections));
    Plan {
        width,
        height,
        columns,
        blocks: columns * rows,
        band_blocks,
        bands,
        sample_bits,
        section_bits,
        items,
        jobs,
        samples: numbers.end,
        capacity: in_flight.min(limits.paths.max(BLOCK)),
        row: limits.row,
        occlusion_radius,
        nothing: 0,
        first: numbers.start,
        parameters: [0.0; 4],
        sections,
        features: 0,
        unused0: 0,
        unused1: 0,
    }
}

/// Number of samples that every pixel has when `jobs` jobs are in the film.
pub(super) fn samples_after(plan: &Plan, jobs: u32) -> u32 {
    ((jobs / plan.bands) << plan.sample_bits).min(plan.samples - plan.first)
}

/// Returns the plan with another number of samples of each pixel. It must include the samples of all jobs in flight.
pub(super) fn with_samples(plan: &Plan, samples: u32) -> Plan {
    let jobs = samples.div_ceil(1 << plan.sample_bits).saturating_mul(plan.bands);
    Plan { jobs, samples: plan.first + samples, ..*plan }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: PlanLimits =
        PlanLimits { paths: 1 << 21, bytes: 1 << 31, bytes_per_sample: 16, row: 65_535, samples: u32::MAX };

    #[test]
    fn jobs_fill_the_streams_and_sections_hold_them() {
        let sizes = [(1920, 1080), (7680, 4320), (1, 1), (65_535, 3), (48, 48), (333, 777)];
        for ((width, height), samples) in sizes.into_iter().flat_map(|size| [1, 5, 4096].map(|n| (size, n))) {
            let plan = plan(width, height, 7..7 + samples, 0.0, LIMITS);
            assert!(plan.items <= 1 << plan.section_bits, "{plan:?}");
            assert!(plan.bands * plan.band_blocks >= plan.blocks, "{plan:?}");
            assert_eq!(samples_after(&plan, plan.jobs), samples, "{plan:?}");
            assert_eq!(plan.items, (plan.band_blocks * BLOCK) << plan.sample_bits, "{plan:?}");
            let enough = plan.items >= LIMITS.paths / 4 || plan.jobs <= plan.bands;
            assert!(enough && plan.items <= LIMITS.paths, "{plan:?}");
            assert!(plan.sections >= plan.jobs.min(Wave::SECTIONS), "{plan:?}");
            assert!(plan.sections < 2 * plan.jobs.max(MIN_SECTIONS), "{plan:?}");
        }
    }

    #[test]
    fn jobs_can_have_single_samples() {
        let limits = PlanLimits { samples: 1, ..LIMITS };
        let plan = plan(48, 48, 0..99, 0.0, limits);
        let one = with_samples(&plan, 1);
        assert_eq!((plan.sample_bits, one.jobs, samples_after(&one, one.jobs)), (0, 1, 1), "{plan:?}");
        assert_eq!(plan.capacity, 48 * 48 * Wave::SECTIONS, "several jobs are in flight nevertheless");
    }

    #[test]
    fn little_memory_makes_small_sections() {
        let limits = PlanLimits { bytes: 1 << 20, ..LIMITS };
        let plan = plan(640, 480, 0..16, 0.0, limits);
        assert!(16 * u64::from(plan.sections << plan.section_bits) <= 2 * limits.bytes, "{plan:?}");
        assert!(plan.bands > 1, "{plan:?}");
        assert_eq!(plan.sections, MIN_SECTIONS, "{plan:?}");
    }
}
