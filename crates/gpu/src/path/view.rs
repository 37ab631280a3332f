use sunfleck_constants::camera::{ORTHOGRAPHIC, PERSPECTIVE, THIN_LENS};
use sunfleck_integrators::ViewSpec;
use sunfleck_math::{rows, tan};
use sunfleck_scene::Projection;
use sunfleck_shaders::layout::View;

/// Parameters of a view for the kernels: the GPU counterpart of `CameraRays::new`.
pub(crate) fn packed_view(spec: &ViewSpec, max_bounces: u32, roulette_after: u32) -> View {
    let (projection, half_height, lens_radius, focus_distance) = match spec.projection {
        Projection::Perspective { fov_y_radians } => (PERSPECTIVE, tan(fov_y_radians * 0.5), 0.0, 1.0),
        Projection::ThinLens { fov_y_radians, lens_radius, focus_distance } => {
            (THIN_LENS, tan(fov_y_radians * 0.5), lens_radius, focus_distance)
        }
        Projection::Orthographic { height } => (ORTHOGRAPHIC, height * 0.5, 0.0, 1.0),
    };
    let (width, height) = (spec.width.max(1) as f32, spec.height.max(1) as f32);
    let [x, y, z] = rows(&spec.world_from_view);
    let m = spec.world_from_view.matrix3;
    let side = 2.0 * half_height / height * spec.texture_footprint;
    let (footprint, footprint_per_depth) = match spec.projection {
        Projection::Orthographic { .. } => (side * m.y_axis.length(), 0.0),
        Projection::Perspective { .. } | Projection::ThinLens { .. } => (0.0, side * m.z_axis.length_recip()),
    };
    View {
        x,
        y,
        z,
        half_film: [half_height * width / height, half_height],
        pixel_size: [width.recip(), height.recip()],
        projection,
        lens_radius,
        focus_distance,
        filter_radius: spec.filter.radius(),
        sampler_kind: spec.sampler as u32,
        seed: spec.seed,
        width: spec.width,
        max_bounces,
        roulette_after,
        footprint,
        footprint_per_depth,
        unused: 0,
    }
}
