use sunfleck_image::{Aov, AovSet};
use sunfleck_integrators::reuse::FilmProjection;
use sunfleck_integrators::{CameraRays, ViewSpec};
use sunfleck_math::{Vec3, rows};
use sunfleck_shaders::layout::ReuseFrame;

/// Returns the parameters of a frame in the memory layout of the GPU.
///
/// * `previous` — view of the previous frame, if there is one.
/// * `aovs` — AOVs of the film of the frame.
/// * `map` — size of the change map; zeros without one.
pub(super) fn packed_frame(
    spec: &ViewSpec,
    previous: Option<&ViewSpec>,
    aovs: AovSet,
    map: [u32; 2],
) -> ReuseFrame {
    let exists = previous.is_some().into();
    let previous = previous.unwrap_or(spec);
    let FilmProjection { view_from_world, scale, centre, is_parallel } = FilmProjection::new(previous);
    let [x, y, z] = rows(&view_from_world);
    let rays = CameraRays::new(spec.projection, spec.world_from_view, spec.width, spec.height);
    let fixed_side = rays.pixel_side(Vec3::ZERO, 0.0);
    ReuseFrame {
        x,
        y,
        z,
        origin: previous.world_from_view.translation.to_array(),
        scale,
        side_per_depth: Vec3::AXES.map(|axis| rays.pixel_side(axis, 1.0) - fixed_side),
        fixed_side,
        centre: centre.to_array(),
        is_parallel: is_parallel.into(),
        is_same: previous.has_same_camera(spec).into(),
        exists,
        width: spec.width,
        height: spec.height,
        map_width: map[0],
        map_height: map[1],
        features: aovs.contains(Aov::Features).into(),
        diffuse: aovs.contains(Aov::Diffuse).into(),
        nothing: 0,
    }
}
