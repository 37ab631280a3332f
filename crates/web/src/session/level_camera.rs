//! Cameras that options of `sunfleck render` describe exactly.
//!
//! The page computes the axes of a camera from angles, the command from two points. Both differ by rounding, which
//! would change pixels. A camera that a client sets is therefore rendered as the command computes it.

use sunfleck_integrators::PlacedCamera;
use sunfleck_math::transform::look_at;
use sunfleck_math::{DVec3, Vec2, Vec3};
use sunfleck_scene::Projection;

use super::file_point::representable;

/// Largest change of the direction of view.
const MAX_ERROR: f32 = 1e-6;

/// Camera whose horizon is level.
#[derive(Clone, Debug)]
pub(super) struct LevelCamera {
    /// The camera as it was set.
    pub(super) given: PlacedCamera,
    /// Point that it looks at.
    pub(super) target: Vec3,
}

/// Returns a camera as the options `--look-from`, `--look-at` and `--fov` describe it; `None` if it is rolled.
///
/// * `own` — cameras of the scene, whose projections need no option.
/// * `origin` — that of the scene: options have the coordinates of its file.
pub(super) fn leveled(
    given: &PlacedCamera,
    own: &[PlacedCamera],
    origin: DVec3,
) -> Option<(PlacedCamera, LevelCamera)> {
    let before = given.world_from_view;
    let back = before.matrix3.z_axis;
    let eye = representable(before.translation, origin);
    // So far away that the target has no larger rounding errors than the eye
    let target = representable(eye - back * eye.length().max(1.0), origin);
    let mut rendered = PlacedCamera { world_from_view: look_at(eye, target, Vec3::Y), ..given.clone() };
    let now = rendered.world_from_view.matrix3;
    // The steeper the view, the more the right axis depends on rounding
    let max_turn = MAX_ERROR / Vec2::new(back.x, back.z).length().max(MAX_ERROR);
    let is_near = target.is_finite()
        && now.z_axis.abs_diff_eq(back, MAX_ERROR)
        && now.x_axis.abs_diff_eq(before.matrix3.x_axis, max_turn)
        && now.y_axis.abs_diff_eq(before.matrix3.y_axis, max_turn);
    if !is_near {
        return None;
    }
    let projection = &mut rendered.camera.projection;
    if !own.iter().any(|other| other.camera.projection == *projection)
        && let Projection::Perspective { fov_y_radians } | Projection::ThinLens { fov_y_radians, .. } =
            projection
    {
        *fov_y_radians = fov_y_radians.to_degrees().to_radians();
    }
    Some((rendered, LevelCamera { given: given.clone(), target }))
}

/// Returns degrees that are exactly so many radians after conversion, if there are any.
pub(super) fn exact_degrees(radians: f32) -> Option<f32> {
    let nearest = radians.to_degrees();
    let near = [nearest, nearest.next_down(), nearest.next_up()];
    near.into_iter().find(|degrees| degrees.to_radians() == radians)
}

#[cfg(test)]
mod tests {
    use sunfleck_math::{Affine3, vec3};
    use sunfleck_scene::Camera;

    use super::*;

    /// Returns sine and cosine of an angle nearby with the precision of JavaScript.
    fn sin_cos(angle: f32) -> [f64; 2] {
        let (sin, cos) = sunfleck_math::sin_cos(angle);
        let [sin, cos] = [sin, cos].map(f64::from);
        let length = (sin * sin + cos * cos).sqrt();
        [sin / length, cos / length]
    }

    /// Returns the pose that the page computes from angles.
    fn orbited(eye: Vec3, yaw: f32, pitch: f32) -> PlacedCamera {
        let ([sin_yaw, cos_yaw], [sin, cos]) = (sin_cos(yaw), sin_cos(pitch));
        #[expect(clippy::cast_possible_truncation, reason = "as the page rounds them")]
        let axis = |x: f64, y: f64, z: f64| vec3(x as f32, y as f32, z as f32);
        let world_from_view = Affine3::from_cols(
            axis(cos_yaw, 0.0, -sin_yaw),
            axis(-sin * sin_yaw, cos, -sin * cos_yaw),
            axis(sin_yaw * cos, sin, cos_yaw * cos),
            eye,
        );
        PlacedCamera { name: "viewer".into(), camera: Camera::perspective("viewer", 0.7), world_from_view }
    }

    #[test]
    fn orbits_are_level_and_change_by_rounding_only() {
        for eye in [vec3(0.3, -0.7, 0.1), vec3(278.1, 273.3, -800.7), vec3(-1e5, 3.3, 1e4)] {
            for step in 0..400u16 {
                // As steep as the page allows
                let (yaw, pitch) =
                    (f32::from(step) * 0.731, 1.5698 * sunfleck_math::sin(f32::from(step) * 0.37));
                let given = orbited(eye, yaw, pitch);
                let (rendered, level) = leveled(&given, &[], DVec3::ZERO).unwrap();
                assert_eq!(rendered.world_from_view, look_at(eye, level.target, Vec3::Y));
                assert!(level.given.is_same_view(&given));
                let turn = rendered.world_from_view.matrix3.z_axis - given.world_from_view.matrix3.z_axis;
                assert!(turn.length() < 1e-6, "{eye} {yaw} {pitch}: {turn}");
                let Projection::Perspective { fov_y_radians } = rendered.camera.projection else { panic!() };
                assert!((fov_y_radians - 0.7).abs() < 1e-6 && exact_degrees(fov_y_radians).is_some());
            }
        }
    }

    #[test]
    fn rolled_and_mirrored_cameras_are_not_level() {
        let mut rolled = orbited(vec3(1.0, 2.0, 3.0), 0.4, 0.3);
        rolled.world_from_view *=
            Affine3::from_cols(vec3(1.0, 0.01, 0.0), vec3(-0.01, 1.0, 0.0), Vec3::Z, Vec3::ZERO);
        assert!(leveled(&rolled, &[], DVec3::ZERO).is_none());
        let mut mirrored = orbited(vec3(1.0, 2.0, 3.0), 0.4, 0.3);
        mirrored.world_from_view.matrix3.y_axis *= -1.0;
        assert!(leveled(&mirrored, &[], DVec3::ZERO).is_none());
    }

    #[test]
    fn a_target_that_is_too_far_away_is_none() {
        assert!(leveled(&orbited(Vec3::X * 1e30, 0.0, 0.0), &[], DVec3::ZERO).is_none());
    }

    #[test]
    fn fields_of_view_of_the_scene_are_kept() {
        let mut own = orbited(Vec3::ZERO, 0.0, 0.0);
        let mut near = (0..1000u16).map(|i| 0.7 + f32::from(i) * 1e-6);
        let odd = near.find(|radians| exact_degrees(*radians).is_none()).unwrap();
        own.camera.projection = Projection::Perspective { fov_y_radians: odd };
        let mut given = orbited(vec3(1.0, 2.0, 3.0), 0.4, 0.3);
        given.camera.projection = own.camera.projection;
        let (kept, _) = leveled(&given, &[own], DVec3::ZERO).unwrap();
        assert_eq!(kept.camera.projection, given.camera.projection);
        let (changed, _) = leveled(&given, &[], DVec3::ZERO).unwrap();
        assert_ne!(changed.camera.projection, given.camera.projection);
    }
}
