//! Choice of the camera.

use sunfleck_command::Failure;
use sunfleck_integrators::PlacedCamera;
use sunfleck_math::transform::look_at;
use sunfleck_math::{DVec3, Vec3};
use sunfleck_scene::{CameraFilm, Projection, Scene, WorldCamera};

use super::args::ViewArgs;

/// Returns the camera given by name or index, else the first one; with position, direction and field of view as given.
///
/// * `origin` — [`Scene::origin`](sunfleck_scene::Scene::origin).
/// * `centre` — centre of the scene, at which a camera looks of which only the position is given.
///
/// # Errors
/// No such camera exists, or its arguments are invalid.
pub(super) fn choose(
    args: &ViewArgs,
    cameras: &[PlacedCamera],
    origin: DVec3,
    centre: Vec3,
) -> Result<PlacedCamera, Failure> {
    let mut placed = match (&args.camera, cameras.first()) {
        (None, None) => return Err(no_camera()),
        (None, Some(first)) => first.clone(),
        (Some(name_or_index), _) => find(name_or_index, cameras)?.clone(),
    };
    if args.look_from.is_some() || args.look_at.is_some() {
        let now = placed.world_from_view;
        let in_scene = |point: DVec3| (point - origin).as_vec3();
        let eye = args.look_from.map_or(now.translation, in_scene);
        let ahead = eye + now.transform_vector3(Vec3::NEG_Z);
        // From the centre of a room, the direction stays
        let default = if args.look_from.is_some() && eye != centre { centre } else { ahead };
        let target = args.look_at.map_or(default, in_scene);
        if eye == target {
            return Err(Failure::bad_input("--look-from and --look-at are the same point"));
        }
        placed.world_from_view = look_at(eye, target, Vec3::Y);
    }
    if let Some(degrees) = args.fov {
        set_field_of_view(&mut placed, degrees.to_radians())?;
    }
    Ok(placed)
}

/// Returns the film of the camera given by name or index, else of the first one; `None` if it has none.
pub(super) fn film(args: &ViewArgs, scene: &Scene) -> Option<CameraFilm> {
    let cameras = scene.world_cameras();
    let name = |placed: &WorldCamera| match scene.camera(placed.camera) {
        Some(camera) if !camera.name.is_empty() => camera.name.clone(),
        _ => scene.node(placed.node).map_or_else(String::new, |node| node.name.clone()),
    };
    let chosen = match &args.camera {
        None => cameras.first(),
        Some(wanted) => cameras
            .iter()
            .find(|camera| name(camera) == *wanted)
            .or_else(|| cameras.get(wanted.parse::<usize>().ok()?)),
    };
    scene.camera(chosen?.camera)?.film
}

/// Returns all cameras, with the field of view as given, and a name of each for files: unique, without characters that
/// paths or shells treat specially.
///
/// # Errors
/// There is none, or one has no field of view.
pub(super) fn all(
    fov_degrees: Option<f32>,
    cameras: &[PlacedCamera],
) -> Result<Vec<(String, PlacedCamera)>, Failure> {
    let mut chosen: Vec<(String, PlacedCamera)> = Vec::new();
    for (index, camera) in cameras.iter().enumerate() {
        let mut placed = camera.clone();
        if let Some(degrees) = fov_degrees {
            set_field_of_view(&mut placed, degrees.to_radians())?;
        }
        let plain = |c: char| if c.is_alphanumeric() || "-_".contains(c) { c } else { '_' };
        let mut name: String = placed.name.chars().map(plain).collect();
        while name.is_empty() || chosen.iter().any(|(other, _)| other.eq_ignore_ascii_case(&name)) {
            name = format!("{name}{}{index}", if name.is_empty() { "camera" } else { "-" });
        }
        chosen.push((name, placed));
    }
    if chosen.is_empty() { Err(no_camera()) } else { Ok(chosen) }
}

fn no_camera() -> Failure {
    Failure::bad_input("the scene has no camera")
}

fn find<'a>(name_or_index: &str, cameras: &'a [PlacedCamera]) -> Result<&'a PlacedCamera, Failure> {
    let by_name = cameras.iter().find(|camera| camera.name == name_or_index);
    let by_index = || name_or_index.parse::<usize>().ok().and_then(|index| cameras.get(index));
    by_name.or_else(by_index).ok_or_else(|| {
        const LISTED: usize = 20;
        let names = cameras.iter().enumerate().take(LISTED);
        let names: Vec<_> = names.map(|(index, camera)| format!("{index} `{}`", camera.name)).collect();
        let more = if cameras.len() > LISTED { ", …" } else { "" };
        let help = format!("available cameras: {}{more}", names.join(", "));
        Failure::bad_input(format!("the scene has no camera `{name_or_index}`")).with_help(help)
    })
}

fn set_field_of_view(placed: &mut PlacedCamera, radians: f32) -> Result<(), Failure> {
    match &mut placed.camera.projection {
        Projection::Perspective { fov_y_radians } | Projection::ThinLens { fov_y_radians, .. } => {
            *fov_y_radians = radians;
            Ok(())
        }
        Projection::Orthographic { .. } => Err(Failure::bad_input(format!(
            "camera `{}` is orthographic and has no field of view; omit --fov",
            placed.name
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use sunfleck_math::{Affine3, vec3};
    use sunfleck_scene::Camera;

    use crate::render::RenderArgs;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: RenderArgs,
    }

    fn named(name: &str) -> PlacedCamera {
        PlacedCamera {
            name: name.into(),
            camera: Camera::perspective(name, 1.0),
            world_from_view: Affine3::IDENTITY,
        }
    }

    #[test]
    fn names_come_before_indices() {
        let cameras = [named("front"), named("0"), named("side")];
        let name = |name_or_index| {
            find(name_or_index, &cameras).map(|camera| camera.name.as_str()).map_err(|e| e.to_string())
        };
        assert_eq!(name("side"), Ok("side"));
        assert_eq!(name("0"), Ok("0"));
        assert_eq!(name("2"), Ok("side"));
        assert!(name("3").is_err_and(|message| message.contains("`3`")), "there are three cameras");
    }

    #[test]
    fn names_of_all_cameras_are_unique_in_files() {
        let names = ["front", "Front", "", "a/b c", "../x"].map(named);
        let found = all(None, &names).unwrap();
        let found: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(found, ["front", "Front-1", "camera2", "a_b_c", "___x"]);
        assert!(all(None, &[]).is_err(), "no camera");
    }

    #[test]
    fn a_position_alone_looks_at_the_centre_of_the_scene() {
        let direction = |options: &str| {
            let words = ["render"].into_iter().chain(options.split(' '));
            let Line { args } = Line::parse_from(words);
            // The origin of the scene is (100, 0, 0), and its centre (102, 0, 0)
            let origin = DVec3::new(100.0, 0.0, 0.0);
            let chosen = choose(&args.view, &[named("a")], origin, vec3(2.0, 0.0, 0.0)).unwrap();
            chosen.world_from_view.transform_vector3(Vec3::NEG_Z)
        };
        for (options, expected) in [
            ("--look-from 107,0,0", Vec3::NEG_X),
            ("--look-from 102,0,-4", Vec3::Z),
            ("--look-from 107,0,0 --look-at 107,0,9", Vec3::Z),
            ("--look-at 109,0,0", Vec3::X),
            // There is no direction from the centre to itself: that of the camera stays
            ("--look-from 102,0,0", Vec3::NEG_Z),
        ] {
            assert!(direction(options).abs_diff_eq(expected, 1e-6), "{options}: {}", direction(options));
        }
    }

    #[test]
    fn an_orthographic_camera_has_no_field_of_view() {
        let mut placed = named("plan");
        placed.camera.projection = Projection::Orthographic { height: 2.0 };
        assert!(set_field_of_view(&mut placed, 1.0).is_err(), "--fov must be refused");
    }
}
