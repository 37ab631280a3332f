use sunfleck_constants::group::GROUP;
use sunfleck_constants::igi::{EDGE, OCCLUDER_TILE};
use sunfleck_image::AovSet;
use sunfleck_integrators::igi::{MEMORY_DECAY, coarse_squares};
use sunfleck_math::vec2;
use sunfleck_shaders::layout::IgiFrame;

use super::bands::Bands;
use super::{Order, Recipe};
use crate::AdapterKind;

/// Rows whose paths a group follows where processors do. Mesa's lavapipe ends a loop when all of a thread together have turned 65 536 times.
const ROWS_EACH: u32 = 2;

/// Fewest and most cells in a row of a map of what is nearest to a VPL; rows are multiples of [`OCCLUDER_TILE`].
const OCCLUDER_EDGES: [u32; 2] = [8, 64];
/// All of them together are no larger, 256 MiB: as much as the fewest of the most VPLs.
const OCCLUDER_CELLS: u64 = 1 << 24;
/// Cells in a row of such a map for one in a row of a face of the map of how far from the VPL nothing is: fewer are enough.
const OCCLUDERS_A_CLEARANCE: u32 = 4;

/// What all kernels of all frames share.
///
/// * `places` — of the tree of lights.
pub(super) fn packed(order: &Order<'_>, places: u32, bands: &Bands, kind: AdapterKind) -> IgiFrame {
    let Order { world, spec, recipe: Recipe { ref igi, reuse, .. }, .. } = *order;
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
        left: if reuse.is_some() { MEMORY_DECAY } else { 0.0 },
        rows_each: if kind == AdapterKind::Software { ROWS_EACH } else { u32::MAX },
        occluder_edge,
        clearance_edge: occluder_edge / OCCLUDERS_A_CLEARANCE,
        ..IgiFrame::default()
    }
}

/// As many cells as there are groups of 64 pixels of a set: so there are a few shadow rays for each ray that makes the map, whatever the number of VPLs.
fn occluder_edge(width: u32, height: u32, sets: u32, vpls_per_set: u32) -> u32 {
    let pixels = u64::from(width) * u64::from(height);
    let cells = (pixels / u64::from(GROUP * sets)).min(OCCLUDER_CELLS / u64::from(sets * vpls_per_set));
    let [fewest, most] = OCCLUDER_EDGES;
    let edge = u32::try_from(cells.isqrt()).unwrap_or(most);
    (edge / OCCLUDER_TILE * OCCLUDER_TILE).clamp(fewest, most)
}

/// The same of frame number `pass`; of no band yet. Where there are other channels, each camera ray has a surface of its own.
pub(super) fn numbered(of_all: &IgiFrame, recipe: &Recipe, pass: u32) -> IgiFrame {
    let Recipe { igi, aovs, .. } = recipe;
    let like = recipe.like(pass);
    IgiFrame {
        pass_number: pass,
        merges: u32::from(igi.merges(like) && *aovs == AovSet::EMPTY),
        radius: if igi.filters(like) { igi.interleave / 2 } else { 0 },
        moves: u32::from(!igi.filters(like)),
        ..*of_all
    }
}

#[cfg(test)]
mod tests {
    use super::{OCCLUDER_CELLS, occluder_edge};

    #[test]
    fn maps_grow_with_pictures() {
        assert_eq!(occluder_edge(64, 48, 25, 32), 8);
        assert_eq!(occluder_edge(1920, 1080, 25, 32), 32);
        assert_eq!(occluder_edge(1920, 1080, 9, 32), 56);
        assert_eq!(occluder_edge(u32::MAX, u32::MAX, 1, 32), 64);
    }

    #[test]
    fn many_lights_have_small_maps() {
        assert_eq!(occluder_edge(3840, 2160, 25, 1024), 24);
        for sets in [1, 25, 64] {
            let edge = u64::from(occluder_edge(3840, 2160, sets, 4096));
            assert!(u64::from(sets * 4096) * edge * edge <= OCCLUDER_CELLS, "{sets}");
        }
    }
}
