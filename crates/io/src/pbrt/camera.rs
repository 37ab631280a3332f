//! The camera and the film.

use sunfleck_math::{Affine3, Vec3, atan2, tan};
use sunfleck_scene::{Camera, CameraFilm, Node, Projection, VALID_ASPECT_RATIOS};

use super::Importer;
use super::description::Placed;
use super::parameter::Directive;
use crate::error::ParseError;
use crate::renderer::film;

/// Turns the axes of cameras of pbrt, which look along +z, to those of ours, which look along −z.
const TURN: Affine3 = Affine3::from_cols(Vec3::X, Vec3::Y, Vec3::NEG_Z, Vec3::ZERO);

impl Importer<'_, '_> {
    pub(super) fn camera(&mut self) -> Result<(), ParseError> {
        let Some(Placed { directive: camera, transform }) = self.description.camera.take() else {
            return Ok(());
        };
        let film = self.film()?;
        let aspect_of_film = film::aspect(&film);
        if !matches!(camera.kind.as_str(), "perspective" | "orthographic") {
            self.omissions.warn(
                &camera.place,
                format!("the camera {} is not supported and is left out", camera.title()),
            );
            return Ok(());
        }
        camera.ignore(&["shutteropen", "shutterclose"]);
        let world_from_camera = self.world(&transform, &camera.place)?;
        let aspect = camera.float("frameaspectratio", aspect_of_film);
        let window = Window::of(&camera, aspect);
        if !window.is_centred() {
            let message =
                "a screen window beside the axis of the camera is not supported: it is in the middle";
            self.omissions.warn(&camera.place, message);
        }
        let aspect_ratio = window.width() / window.height();
        if !VALID_ASPECT_RATIOS.contains(&aspect_ratio) {
            return Err(camera
                .place
                .error(format!("an image of the aspect ratio {aspect_ratio} is not supported")));
        }
        let m = world_from_camera.matrix3;
        let lens_radius = camera.float("lensradius", 0.0).max(0.0) * m.x_axis.length();
        let focus_distance = camera.float("focaldistance", 1e6) * m.z_axis.length();
        let projection = if camera.kind == "orthographic" {
            if lens_radius > 0.0 {
                self.omissions.warn(
                    &camera.place,
                    "a lens of an orthographic camera is not supported: all is in focus",
                );
            }
            Projection::Orthographic { height: window.height() * m.y_axis.length() }
        } else {
            let fov_y_radians = 2.0 * atan2(tan(0.5 * fov(&camera)?) * 0.5 * window.height(), 1.0);
            if lens_radius > 0.0 && focus_distance > 0.0 {
                Projection::ThinLens { fov_y_radians, lens_radius, focus_distance }
            } else {
                Projection::Perspective { fov_y_radians }
            }
        };
        let has_square_pixels = (aspect_ratio / aspect_of_film - 1.0).abs() < 0.01;
        if !has_square_pixels {
            let message = "the pixels of the film are not squares: its size is not kept";
            self.omissions.warn(&camera.place, message);
        }
        let film = has_square_pixels.then_some(film);
        let scene_camera =
            Camera { aspect_ratio: Some(aspect_ratio), film, ..Camera::new("camera", projection) };
        let id = self.scene.add_camera(scene_camera).map_err(|error| camera.place.problem(error.into()))?;
        let place = world_from_camera * TURN;
        self.add_node(&camera.place, Node::new("camera").at(place).with_camera(id))?;
        self.unused(&camera);
        Ok(())
    }

    /// Returns the size of the film and its crop window.
    fn film(&mut self) -> Result<CameraFilm, ParseError> {
        let (default_width, default_height) = (1280, 720);
        let Some(film_of) = self.description.film.take() else {
            return Ok(CameraFilm { width: default_width, height: default_height, crop: None });
        };
        let pixels = |name: &str, default: u32| {
            film_of.integers(name).first().map_or(i64::from(default), |&pixels| i64::from(pixels))
        };
        let (width, height) = (pixels("xresolution", default_width), pixels("yresolution", default_height));
        // How the image is stored is chosen on the command line
        film_of.ignore(&[
            "filename",
            "diagonal",
            "savefp16",
            "maxcomponentvalue",
            "maxsampleluminance",
            "scale",
        ]);
        let of_exposure = ["iso", "exposuretime", "sensor", "whitebalance"];
        if of_exposure.into_iter().filter(|name| film_of.get(name).is_some()).count() > 0 {
            let message =
                "sensor and exposure of the film are not part of a scene: they are options of rendering";
            self.omissions.note(&film_of.place, message);
        }
        let bounds = match film_of.integers("pixelbounds") {
            &[x0, x1, y0, y1] => Some([x0, x1, y0, y1].map(i64::from)),
            _ => None,
        };
        // Edges as in pbrt: the pixel of a bound is the next one [PBRT4, §5.4.1]
        let crop = match film_of.numbers("cropwindow") {
            &[x0, x1, y0, y1] => {
                #[allow(clippy::cast_precision_loss, reason = "sizes of images")]
                let edge = |share: f32, pixels: i64| rounded_up(pixels as f32 * share.clamp(0.0, 1.0));
                Some([edge(x0, width), edge(x1, width), edge(y0, height), edge(y1, height)])
            }
            _ => None,
        };
        // Of both, pbrt takes the crop window, and the bounds of each in any order
        let ordered = |[a, b, c, d]: [i64; 4]| [a.min(b), c.min(d), a.max(b), c.max(d)];
        let window = crop.or(bounds).map(ordered);
        self.unused(&film_of);
        film::film([width, height], window, &mut self.omissions, &film_of.place)
    }
}

/// Returns the next whole number.
#[allow(clippy::cast_possible_truncation, reason = "the conversion saturates")]
fn rounded_up(x: f32) -> i64 {
    x.ceil() as i64
}

/// Part of the plane at distance 1 in front of a camera that the image shows, in which the shorter half axis of the
/// field of view is 1.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Window {
    x: [f32; 2],
    y: [f32; 2],
}

impl Window {
    /// Returns the window of a camera: by default −1 to 1 along the shorter axis of the image [PBRT4, §5.2].
    fn of(camera: &Directive, aspect: f32) -> Self {
        let half = if aspect >= 1.0 { (aspect, 1.0) } else { (1.0, 1.0 / aspect) };
        match camera.numbers("screenwindow") {
            &[left, right, bottom, top] if left < right && bottom < top => {
                Self { x: [left, right], y: [bottom, top] }
            }
            _ => {
                let scale = camera.float("screenscale", 1.0);
                let (x, y) = (half.0 * scale, half.1 * scale);
                Self { x: [-x, x], y: [-y, y] }
            }
        }
    }

    fn width(self) -> f32 {
        self.x[1] - self.x[0]
    }

    fn height(self) -> f32 {
        self.y[1] - self.y[0]
    }

    fn is_centred(self) -> bool {
        let offset = (self.x[0] + self.x[1]).abs().max((self.y[0] + self.y[1]).abs());
        offset <= 1e-4 * self.width().min(self.height())
    }
}

/// Returns the field of view along the shorter axis in radians.
fn fov(camera: &Directive) -> Result<f32, ParseError> {
    let half = camera.number("halffov").map(|half| 2.0 * half);
    let degrees = half.unwrap_or_else(|| camera.float("fov", 90.0));
    if degrees > 0.0 && degrees < 180.0 {
        Ok(degrees.to_radians())
    } else {
        Err(camera.place.error(format!("a field of view of {degrees}° is not possible")))
    }
}
