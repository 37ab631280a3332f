//! Depth of field: the lens of the camera.

use clap::Args;
use fearless_simd::Level;
use sunfleck_command::Failure;
use sunfleck_command::arguments::finite_number;
use sunfleck_engine::{EditableWorld, distance_at_centre};
use sunfleck_integrators::PlacedCamera;
use sunfleck_math::tan;
use sunfleck_scene::Projection;

use crate::values;

/// Half the height of the sensor to which f-numbers refer, metres: that of 35 mm film, 36 × 24 mm.
const HALF_SENSOR: f32 = 0.012;

/// Lens of the camera.
#[derive(Args, Debug)]
#[command(next_help_heading = "Depth of field")]
pub(super) struct LensArgs {
    /// Aperture as f-number, such as 2.8: the smaller, the less is in focus
    ///
    /// It is that of a camera with a sensor 24 mm high: with the field of view F, the lens has a radius of
    /// 12 mm / tan(F/2) / (2 f-number). The scene has to be in metres.
    #[arg(long, value_name = "F-NUMBER", value_parser = values::positive_number)]
    aperture: Option<f32>,

    /// Distance in focus, or `auto` [default: that of the camera, else auto]
    ///
    /// It is in metres along the view. `auto` is the surface in the centre of the image.
    #[arg(long, value_name = "METRES|auto", value_parser = focus)]
    focus: Option<Focus>,
}

/// Value of `--focus`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Focus {
    /// The surface in the centre of the image.
    Auto,
    /// A distance, metres.
    Distance(f32),
}

fn focus(text: &str) -> Result<Focus, String> {
    match text {
        "auto" => Ok(Focus::Auto),
        number => match finite_number(number) {
            Ok(distance) if distance > 0.0 => Ok(Focus::Distance(distance)),
            _ => Err("it must be a distance greater than 0, or auto".into()),
        },
    }
}

impl LensArgs {
    /// Gives a camera the aperture and the focus of the arguments.
    ///
    /// # Errors
    /// The camera has no perspective, has no lens to focus, or sees no surface in the centre of the image.
    pub(super) fn apply(
        &self,
        placed: &mut PlacedCamera,
        world: &EditableWorld,
        level: Level,
    ) -> Result<(), Failure> {
        if self.aperture.is_none() && self.focus.is_none() {
            return Ok(());
        }
        let (fov_y_radians, lens) = match placed.camera.projection {
            Projection::Perspective { fov_y_radians } => (fov_y_radians, None),
            Projection::ThinLens { fov_y_radians, lens_radius, focus_distance } => {
                (fov_y_radians, Some((lens_radius, focus_distance)))
            }
            Projection::Orthographic { .. } => {
                return Err(Failure::bad_input(format!(
                    "camera `{}` is orthographic and has no depth of field; omit --aperture and --focus",
                    placed.name
                )));
            }
        };
        let lens_radius = match (self.aperture, lens) {
            (Some(f_number), _) => lens_radius(fov_y_radians, f_number),
            (None, Some((lens_radius, _))) => lens_radius,
            (None, None) => {
                return Err(Failure::bad_input(format!(
                    "--focus: everything is in focus, since camera `{}` has no aperture",
                    placed.name
                ))
                .with_help("add --aperture, such as --aperture 2.8"));
            }
        };
        let focus_distance = match (self.focus, lens) {
            (Some(Focus::Distance(distance)), _) => distance,
            (None, Some((_, distance))) => distance,
            _ => distance_at_centre(world, placed, level).ok_or_else(|| {
                Failure::bad_input("--focus auto: there is no surface in the centre of the image")
                    .with_help("give the distance in focus: --focus METRES")
            })?,
        };
        placed.camera.projection = Projection::ThinLens { fov_y_radians, lens_radius, focus_distance };
        Ok(())
    }
}

/// Returns the radius of a lens, metres, from its f-number: the focal length over the diameter.
fn lens_radius(fov_y_radians: f32, f_number: f32) -> f32 {
    let focal_length = HALF_SENSOR / tan(fov_y_radians * 0.5);
    focal_length / (2.0 * f_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_normal_lens_has_its_textbook_radius() {
        // 50 mm on 24 mm of height: 26.99°; f/2 has a diameter of 25 mm
        let radius = lens_radius(2.0 * sunfleck_math::atan(12.0 / 50.0), 2.0);
        assert!((radius - 0.0125).abs() < 1e-6, "{radius}");
    }

    #[test]
    fn distances_are_checked() {
        assert_eq!(focus("auto"), Ok(Focus::Auto));
        assert_eq!(focus("2.5"), Ok(Focus::Distance(2.5)));
        assert!(["0", "-1", "nan", "near"].iter().all(|text| focus(text).is_err()));
    }
}
