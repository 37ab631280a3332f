use sunfleck_image::AovSet;
use sunfleck_integrators::igi::{Memory, coarse_squares};
use sunfleck_math::vec2;
use sunfleck_shaders::layout::IgiFrame;

use super::Order;
use super::bands::Bands;

/// Pixels of a row and of a column of a group.
pub(super) const EDGE: u32 = 8;

/// What all kernels of frame number `pass` share; of no band yet.
///
/// * `places` — of the tree of lights. Where there are other channels, each camera ray has a surface of its own.
pub(super) fn packed(order: &Order<'_>, pass: u32, places: u32, bands: &Bands) -> IgiFrame {
    let Order { world, spec, igi, aovs, .. } = *order;
    let like = order.like(pass);
    let columns = spec.width.div_ceil(EDGE * igi.interleave);
    let bounds = world.bounds();
    let lights = u32::try_from(world.lights().len()).unwrap_or(u32::MAX);
    let (cell, squares) = coarse_squares(vec2(spec.width as f32, spec.height as f32));
    IgiFrame {
        pass_number: pass,
        rays: igi.subsets(),
        interleave: igi.interleave,
        per_share: igi.vpls_per_subset(),
        on_lights: igi.vpls_per_subset().div_ceil(2),
        blocks: columns,
        groups: columns * bands.blocks * igi.sets(),
        width: spec.width,
        height: spec.height,
        merges: u32::from(igi.merges(like) && aovs == AovSet::EMPTY),
        radius: if igi.filters(like) { igi.interleave / 2 } else { 0 },
        roulette: igi.roulette,
        clamp_at: igi.clamp,
        lights,
        max_bounces: igi.max_bounces,
        compensates: igi.compensate,
        center: bounds.center().to_array(),
        sphere_radius: 0.5 * bounds.diagonal(),
        bound: 0.0,
        cell,
        columns: squares[0],
        cells: squares[0] * squares[1],
        importance: if lights > 1 { igi.importance } else { 0.0 },
        smooths: igi.smooth,
        places,
        nothing: 0,
        traced_first: 0,
        traced_last: 0,
        wanted_first: 0,
        wanted_last: 0,
        photons: igi.photons,
        moves: u32::from(!igi.filters(like)),
        seed: spec.seed,
        left: if order.reuse.is_some() { Memory::LEFT } else { 0.0 },
        ..IgiFrame::default()
    }
}
