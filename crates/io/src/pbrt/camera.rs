//! The camera and the film.

use sunfleck_math::{Affine3, Vec3, atan2, tan};
use sunfleck_scene::{Camera, CameraFilm, Node, Projection, VALID_ASPECT_RATIOS};

use super::Importer;
use super::description::Placed;
use super::parameter::Directive;
use crate::error::ParseError;

/// Turns the axes of cameras of pbrt, which look along +z, to those of ours, which look along −z.
const TURN: Affine3 = Affine3::from_cols(Vec3::X, Vec3::Y, Vec3::NEG_Z, Vec3::ZERO);

impl Importer<'_, '_> {
    pub(super) fn camera(&mut self) -> Result<(), ParseError> {
        let Some(Placed { directive: camera, transform }) = self.description.camera.take() else {
            return Ok(());
        };
        let film = self.film()?;
        #[allow(clippy::cast_precision_loss, reason = "sizes of images")]
        let aspect_of_film = film.width as f32 / film.height as f32;
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
        let Some(film) = self.description.film.take() else {
            return Ok(CameraFilm { width: default_width, height: default_height, crop: None });
        };
        let pixels = |name: &str, default: u32| {
            let found = film.integer(name, i32::try_from(default).unwrap_or(i32::MAX));
            u32::try_from(found).unwrap_or(0)
        };
        let (width, height) = (pixels("xresolution", default_width), pixels("yresolution", default_height));
        // How the image is stored is chosen on the command line
        film.ignore(&[
            "filename",
            "diagonal",
            "savefp16",
            "maxcomponentvalue",
            "maxsampleluminance",
            "scale",
        ]);
        let of_exposure = ["iso", "exposuretime", "sensor", "whitebalance"];
        if of_exposure.into_iter().filter(|name| film.get(name).is_some()).count() > 0 {
            let message =
                "sensor and exposure of the film are not part of a scene: they are options of rendering";
            self.omissions.note(&film.place, message);
        }
        let whole = CameraFilm { width, height, crop: None };
        #[allow(clippy::cast_precision_loss, reason = "sizes of images")]
        let has_valid_aspect = VALID_ASPECT_RATIOS.contains(&(width as f32 / height as f32));
        if !(whole.is_valid() && has_valid_aspect) {
            return Err(film.place.error(format!("a film of {width} × {height} pixels is not supported")));
        }
        let cropped = match (film.integers("pixelbounds"), film.numbers("cropwindow")) {
            (&[x0, x1, y0, y1], _) => CameraFilm::cropped(width, height, [x0, y0, x1, y1].map(i64::from)),
            // Edges as in pbrt: the pixel of a bound is the next one [PBRT4, §5.4.1]
            (_, &[x0, x1, y0, y1]) => {
                #[allow(clippy::cast_precision_loss, reason = "sizes of images")]
                let (columns, rows) = (width as f32, height as f32);
                let window = [columns * x0, rows * y0, columns * x1, rows * y1];
                CameraFilm::cropped(width, height, window.map(rounded_up))
            }
            _ => Some(whole),
        };
        self.unused(&film);
        Ok(cropped.unwrap_or_else(|| {
            self.omissions.warn(&film.place, "the crop window of the film is empty: the whole film is shown");
            whole
        }))
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
