//! Sensors as cameras.

use sunfleck_math::{Affine3, DVec3, atan2, tan};
use sunfleck_scene::{Camera, CameraFilm, Node, Projection};

use super::tree::{Class, Object};
use super::{Importer, TURN};
use crate::error::ParseError;
use crate::renderer::film;

/// Diagonal of a frame of 35 mm film, 36 mm × 24 mm.
const FRAME_DIAGONAL_MM: f32 = 43.266_617;

impl Importer<'_, '_> {
    pub(super) fn sensor(&mut self, object: &Object) -> Result<(), ParseError> {
        if !matches!(object.plugin.as_str(), "perspective" | "thinlens" | "orthographic") {
            self.omissions
                .warn(&object.place, format!("the {} is not supported and is left out", object.title()));
            return Ok(());
        }
        object.is_used.set(true);
        let film = self.film(object)?;
        let aspect = film::aspect(&film);
        let to_world = object.transform_from("to_world", DVec3::ZERO, self.scene.origin())?;
        // Surfaces are not clipped, and there is no shutter
        object.ignore(&["near_clip", "far_clip", "shutter_open", "shutter_close"]);
        let projection = match object.plugin.as_str() {
            "orthographic" => {
                object.ignore(&["focus_distance"]);
                Projection::Orthographic { height: 2.0 * to_world.matrix3.y_axis.length() / aspect }
            }
            "thinlens" => {
                let fov_y_radians = fov_y(object, aspect)?;
                let focus = object.float("focus_distance", 0.0)?;
                let missing = || object.place.error("a thin lens needs \"aperture_radius\"");
                let radius = object.optional_number("aperture_radius")?.ok_or_else(missing)?;
                #[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
                let lens_radius = (radius as f32).max(0.0);
                if focus > 0.0 {
                    Projection::ThinLens { fov_y_radians, lens_radius, focus_distance: focus }
                } else {
                    self.omissions.warn(
                        &object.place,
                        "a thin lens needs a \"focus_distance\": the camera is a pinhole",
                    );
                    Projection::Perspective { fov_y_radians }
                }
            }
            _ => {
                object.ignore(&["focus_distance"]);
                Projection::Perspective { fov_y_radians: fov_y(object, aspect)? }
            }
        };
        let name = object.name().to_string();
        let camera =
            Camera { aspect_ratio: Some(aspect), film: Some(film), ..Camera::new(name.clone(), projection) };
        let camera = self.scene.add_camera(camera).map_err(|error| object.place.problem(error.into()))?;
        if to_world.matrix3.determinant() < 0.0 {
            let message = "the sensor mirrors the image: the camera shows it as it is";
            self.omissions.warn(&object.place, message);
        }
        let place: Affine3 = to_world * TURN;
        self.add_node(object, Node::new(name).at(place).with_camera(camera)).map(drop)
    }

    /// Returns the size of the film and its crop window.
    fn film(&mut self, sensor: &Object) -> Result<CameraFilm, ParseError> {
        let films = self.inner(sensor, Class::Film)?;
        let Some(film_of) = films.first() else {
            return Ok(CameraFilm { width: 768, height: 576, crop: None });
        };
        film_of.is_used.set(true);
        let pixels = |name: &str, default: i64| -> Result<i64, ParseError> {
            #[allow(clippy::cast_possible_truncation, reason = "the conversion saturates")]
            Ok(film_of.optional_number(name)?.map_or(default, |number| number as i64))
        };
        let (width, height) = (pixels("width", 768)?, pixels("height", 576)?);
        // How the image is stored is chosen on the command line
        let of_files = [
            "file_format",
            "pixel_format",
            "component_format",
            "banner",
            "high_quality_edges",
            "gamma",
            "exposure",
            "attach_log",
            "sample_border",
            "compensate",
            "tonemap_method",
        ];
        film_of.ignore(&of_files);
        let (x, y) = (pixels("crop_offset_x", 0)?, pixels("crop_offset_y", 0)?);
        let (columns, rows) = (pixels("crop_width", width)?, pixels("crop_height", height)?);
        let window = [x, y, x.saturating_add(columns), y.saturating_add(rows)];
        film::film([width, height], Some(window), &mut self.omissions, &film_of.place)
    }
}

/// Returns the vertical field of view of a sensor.
fn fov_y(object: &Object, aspect: f32) -> Result<f32, ParseError> {
    let diagonal = (1.0 + aspect * aspect).sqrt();
    // Half the length of a side of the image over its distance, and that side in units of the height
    let (half, side) = match object.optional_number("fov")? {
        Some(fov) if fov > 0.0 && fov < 180.0 => {
            let side = match object.text("fov_axis")?.unwrap_or("x") {
                "x" => aspect,
                "y" => 1.0,
                "diagonal" => diagonal,
                "smaller" => aspect.min(1.0),
                "larger" => aspect.max(1.0),
                other => {
                    return Err(object.place.error(format!("{other:?} is not an axis of the field of view")));
                }
            };
            #[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
            let half_angle = 0.5 * (fov as f32).to_radians();
            (tan(half_angle), side)
        }
        Some(fov) => return Err(object.place.error(format!("a field of view of {fov}° is not possible"))),
        None => {
            let text = object.text("focal_length")?.unwrap_or("50mm");
            let number = crate::renderer::numbers::number(text.trim().trim_end_matches("mm"));
            let number = number.filter(|number| *number > 0.0);
            let bad = || object.place.error(format!("{text:?} is not a focal length such as 50mm"));
            #[allow(clippy::cast_possible_truncation, reason = "scenes are in single precision")]
            let focal_length = number.ok_or_else(bad)? as f32;
            (0.5 * FRAME_DIAGONAL_MM / focal_length, diagonal)
        }
    };
    Ok(2.0 * atan2(half / side, 1.0))
}
