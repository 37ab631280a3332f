use sunfleck_image::AovSet;
use sunfleck_integrators::igi::{Memory, coarse_squares};
use sunfleck_math::vec2;
use sunfleck_shaders::layout::IgiFrame;

use super::bands::Bands;
use super::{Order, Recipe};
use crate::AdapterKind;

/// Pixels of a row and of a column of a group.
pub(super) const EDGE: u32 = 8;

/// Rows whose paths a group follows where processors do. Mesa's lavapipe ends a loop when all of a thread together have turned 65 536 times.
const ROWS_EACH: u32 = 2;

/// What all kernels of all frames share.
///
/// * `places` — of the tree of lights.
pub(super) fn packed(order: &Order<'_>, places: u32, bands: &Bands, kind: AdapterKind) -> IgiFrame {
    let Order { world, spec, recipe: Recipe { ref igi, reuse, .. }, .. } = *order;
    let columns = spec.width.div_ceil(EDGE * igi.interleave);
    let bounds = world.bounds();
    let lights = u32::try_from(world.lights().len()).unwrap_or(u32::MAX);
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
        trust: igi.trust,
        clamp_at: igi.clamp,
        lights,
        max_bounces: igi.max_bounces,
        compensates: igi.compensate,
        center: bounds.center().to_array(),
        sphere_radius: 0.5 * bounds.diagonal(),
        cell,
        columns: squares[0],
        cells: squares[0] * squares[1],
        importance: if lights > 1 { igi.importance } else { 0.0 },
        smooths: igi.smooth,
        places,
        photons: igi.photons,
        seed: spec.seed,
        left: if reuse.is_some() { Memory::LEFT } else { 0.0 },
        rows_each: if kind == AdapterKind::Software { ROWS_EACH } else { u32::MAX },
        ..IgiFrame::default()
    }
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
