use sunfleck_constants::group::GROUP;
use sunfleck_constants::igi::{EDGE, OCCLUDER_TILE};
use sunfleck_image::AovSet;
use sunfleck_integrators::igi::{HISTORY_DECAY, coarse_squares};
use sunfleck_math::vec2;
use sunfleck_shaders::layout::IgiFrame;

use super::bands::Bands;
use super::{IgiRequest, IgiSettings};
use crate::AdapterKind;

/// Rows whose paths a workgroup follows on a CPU. Mesa's lavapipe ends a loop when the invocations that one CPU thread
/// runs have made 65 536 iterations in total.
const SOFTWARE_ROWS_PER_GROUP: u32 = 2;

/// Smallest and largest edge of the occluder map of a VPL, in cells; edges are multiples of [`OCCLUDER_TILE`].
const OCCLUDER_EDGES: [u32; 2] = [8, 64];
/// Maximum number of cells of all occluder maps, 256 MiB: enough for the largest number of VPLs with the smallest maps.
const MAX_OCCLUDER_CELLS: u64 = 1 << 24;
/// Ratio of the edges of the occluder map and of a face of the clearance map, which needs fewer cells.
const OCCLUDERS_PER_CLEARANCE: u32 = 4;

/// Parameters that all frames share.
///
/// * `places` — number of nodes of the light tree and of lights at infinity.
pub(super) fn shared_parameters(
    request: &IgiRequest<'_>,
    places: u32,
    bands: &Bands,
    kind: AdapterKind,
) -> IgiFrame {
    let IgiRequest { world, spec, settings: IgiSettings { ref igi, reuse, .. }, .. } = *request;
    let columns = spec.width.div_ceil(EDGE * igi.interleave);
    let bounds = world.bounds();
    let lights = u32::try_from(world.lights().len()).unwrap_or(u32::MAX);
    let occluder_edge = occluder_edge(spec.width, spec.height, igi.sets(), igi.vpls_per_set());
    let (cell, squares) = coarse_squares(vec2(spec.width as f32, spec.height as f32));
    IgiFrame {
        rays: igi.subsets(),
        interleave: igi.interleave,
        per_share: igi.vpls_per_subset(),
        on_lights: igi.vpls_per_subset().div_ceil(2),
        blocks: columns,
        groups: columns * bands.blocks * igi.sets(),
        width: spec.width,
        height: spec.height,
        roulette: igi.roulette,
        clamp_at: igi.clamp,
        lights,
        max_bounces: igi.max_bounces,
        compensates: u32::from(igi.compensate),
        center: bounds.center().to_array(),
        sphere_radius: 0.5 * bounds.diagonal(),
        cell,
        columns: squares[0],
        cells: squares[0] * squares[1],
        importance: if lights > 1 { igi.importance } else { 0.0 },
        smooths: u32::from(igi.smooth),
        places,
        photons: igi.photons,
        seed: spec.seed,
        left: if reuse.is_some() { HISTORY_DECAY } else { 0.0 },
        rows_each: if kind == AdapterKind::Software { SOFTWARE_ROWS_PER_GROUP } else { u32::MAX },
        occluder_edge,
        clearance_edge: occluder_edge / OCCLUDERS_PER_CLEARANCE,
        ..IgiFrame::default()
    }
}

/// Edge of the occluder maps: they have as many cells as there are groups of 64 pixels of a set, so that the number of
/// shadow rays per cell does not depend on the number of VPLs.
fn occluder_edge(width: u32, height: u32, sets: u32, vpls_per_set: u32) -> u32 {
    let pixels = u64::from(width) * u64::from(height);
    let cells = (pixels / u64::from(GROUP * sets)).min(MAX_OCCLUDER_CELLS / u64::from(sets * vpls_per_set));
    let [smallest, largest] = OCCLUDER_EDGES;
    let edge = u32::try_from(cells.isqrt()).unwrap_or(largest);
    (edge / OCCLUDER_TILE * OCCLUDER_TILE).clamp(smallest, largest)
}

/// Parameters of frame number `pass`, without those of a band. If AOVs are recorded, each camera ray has its own
/// surface.
pub(super) fn frame_parameters(shared: &IgiFrame, settings: &IgiSettings, pass: u32) -> IgiFrame {
    let IgiSettings { igi, aovs, .. } = settings;
    let equivalent = settings.equivalent_pass(pass);
    IgiFrame {
        pass_number: pass,
        merges: u32::from(igi.merges(equivalent) && *aovs == AovSet::EMPTY),
        radius: if igi.filters(equivalent) { igi.interleave / 2 } else { 0 },
        moves: u32::from(!igi.filters(equivalent)),
        ..*shared
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_OCCLUDER_CELLS, occluder_edge};

    #[test]
    fn occluder_maps_grow_with_images() {
        assert_eq!(occluder_edge(64, 48, 25, 32), 8);
        assert_eq!(occluder_edge(1920, 1080, 25, 32), 32);
        assert_eq!(occluder_edge(1920, 1080, 9, 32), 56);
        assert_eq!(occluder_edge(u32::MAX, u32::MAX, 1, 32), 64);
    }

    #[test]
    fn many_vpls_have_small_occluder_maps() {
        assert_eq!(occluder_edge(3840, 2160, 25, 1024), 24);
        for sets in [1, 25, 64] {
            let edge = u64::from(occluder_edge(3840, 2160, sets, 4096));
            assert!(u64::from(sets * 4096) * edge * edge <= MAX_OCCLUDER_CELLS, "{sets}");
        }
    }
}
