use sunfleck_image::{Aov, AovSet};
use sunfleck_integrators::reuse::FilmProjection;
use sunfleck_integrators::{CameraRays, ViewSpec};
use sunfleck_math::Vec3;
use sunfleck_shaders::layout::ReuseFrame;

/// Returns the parameters of a frame.
///
/// * `before` — view of the frame before.
/// * `aovs` — AOVs of the film of the frame.
/// * `map` — size of the change map; zeros without one.
pub(super) fn packed_frame(
    spec: &ViewSpec,
    before: Option<&ViewSpec>,
    aovs: AovSet,
    map: [u32; 2],
) -> ReuseFrame {
    let earlier = before.unwrap_or(spec);
    let FilmProjection { view_from_world, scale, centre, is_parallel } = FilmProjection::new(earlier);
    let (m, t) = (view_from_world.matrix3, view_from_world.translation);
    let row = |axis: usize| [m.x_axis[axis], m.y_axis[axis], m.z_axis[axis], t[axis]];
    let rays = CameraRays::new(spec.projection, spec.world_from_view, spec.width, spec.height);
    let fixed_side = rays.pixel_side(Vec3::ZERO, 0.0);
    let is_same = (earlier.world_from_view, earlier.projection) == (spec.world_from_view, spec.projection);
    ReuseFrame {
        x: row(0),
        y: row(1),
        z: row(2),
        origin: earlier.world_from_view.translation.to_array(),
        scale,
        side_per_depth: Vec3::AXES.map(|axis| rays.pixel_side(axis, 1.0) - fixed_side),
        fixed_side,
        centre: centre.to_array(),
        is_parallel: is_parallel.into(),
        is_same: is_same.into(),
        exists: before.is_some().into(),
        width: spec.width,
        height: spec.height,
        map_width: map[0],
        map_height: map[1],
        features: aovs.contains(Aov::Features).into(),
        diffuse: aovs.contains(Aov::Diffuse).into(),
        nothing: 0,
    }
}
