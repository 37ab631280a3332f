//! The command line `sunfleck render …` that renders the current image.

use std::fmt::Write;

use sunfleck_engine::{StageChoice, stage_of};
use sunfleck_image::ToneCurve;
use sunfleck_integrators::{Algorithm, PlacedCamera};
use sunfleck_io::LoadOptions;
use sunfleck_math::transform::look_at;
use sunfleck_math::{DVec3, Vec3};
use sunfleck_scene::Projection;

use super::file_point::option_value;
use super::level_camera::exact_degrees;
use super::method::Method;
use super::view::View;
use crate::ViewerScene;
use crate::scene::{SceneFile, SceneSource};

/// Returns command lines, one per line.
///
/// * `file` — name or path of the scene.
/// * `arguments` — arguments of each line, see [`arguments`].
pub(super) fn lines(file: &str, arguments: &[String]) -> String {
    let line = |arguments: &String| format!("sunfleck render {}{arguments}", quoted(file));
    arguments.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the arguments after the name of the scene for each of the current images.
///
/// * `opened` — the scene as it was opened.
/// * `place` — arguments of the import, the moment, the stage and the camera.
pub(super) fn arguments(opened: &ViewerScene, view: &View, place: &str, shown: &ShownImages) -> Vec<String> {
    let methods = view.methods().zip(shown.samples);
    methods
        .map(|(method, samples)| method_arguments(opened, view, (&method, samples), place, shown))
        .collect()
}

/// The current images, as far as command lines depend on them.
#[derive(Debug, Default)]
pub(super) struct ShownImages {
    /// Exposure in stops, if it is automatic. It is given as a number, since `render` would measure it on an image that
    /// is not denoised.
    pub(super) exposure: Option<f32>,
    /// Samples per pixel of both images at rest. They may be more than the target, if that was lowered.
    pub(super) samples: [u32; 2],
    /// Device that rendered them, if it is not the CPU alone: results of GPUs differ by rounding.
    pub(super) device: Option<&'static str>,
}

fn method_arguments(
    opened: &ViewerScene,
    view: &View,
    (method, samples): (&Method, u32),
    place: &str,
    shown: &ShownImages,
) -> String {
    let [width, height] = view.pixels();
    let mut line = format!(" --width {width} --height {height}");
    // The viewer shows the whole image
    let mut cameras = opened.world.scene().cameras();
    if cameras.any(|(_, camera)| camera.film.is_some_and(|film| film.crop.is_some())) {
        let _ = write!(line, " --crop 0,0,{width},{height}");
    }
    line += place;
    // A channel may be rendered by another algorithm than radiance
    algorithm(&mut line, &method.at_rest());
    let frames = view.target(method).max(samples).div_ceil(method.at_rest().samples_per_frame());
    let _ = write!(line, " --spp {frames}");
    if let Some(channel) = method.channel {
        let _ = write!(line, " --aovs {channel}");
    } else {
        match (view.exposure(), shown.exposure) {
            (Some(stops), _) if opened.exposure == Some(stops) => {}
            (Some(stops), _) | (None, Some(stops)) => drop(write!(line, " --exposure {stops}")),
            (None, None) if opened.exposure.is_none() => {}
            (None, None) => line.push_str(" --exposure auto"),
        }
        if view.tone_curve != ToneCurve::default() {
            let _ = write!(line, " --tone-curve {}", view.tone_curve);
        }
        if !view.denoise.is_default() {
            let _ = write!(line, " --denoise {}", view.denoise.name());
        }
    }
    if let Some(device) = shown.device {
        let _ = write!(line, " --device {device}");
    }
    line + " -o picture.png"
}

/// Returns the arguments of the import, the moment, the stage and the camera for the scene as it was opened; `None` if
/// no camera options describe exactly this view.
///
/// * `moment` — index of an animation and its time in seconds.
pub(super) fn place_in_opened(
    opened: &ViewerScene,
    view: &View,
    moment: Option<(usize, f32)>,
) -> Option<String> {
    let mut place = import_options(&opened.source);
    if let Some((index, secs)) = moment {
        let _ = write!(place, " --animation {index} --at {secs}");
    }
    // `render` adds the same stage by itself, unless the user chose one, now or when the scene was opened
    match stage_of(opened.world.scene()) {
        now if opened.stage == StageChoice::Automatic && now == opened.initial_stage => {}
        Some(now) => drop(write!(place, " --stage {now}")),
        None => place.push_str(" --stage none"),
    }
    let cameras = opened.camera.cameras(&opened.world, view.aspect());
    place += &camera_options(view, &cameras, opened.world.scene().origin())?;
    Some(place)
}

/// Returns the options by which the file is read as it was.
fn import_options(source: &SceneSource) -> String {
    let SceneSource::File(SceneFile { options, .. }) = source else { return String::new() };
    let LoadOptions { up, allow_outside } = options;
    let up = up.map_or(String::new(), |up| format!(" --up {}", up.name()));
    up + if *allow_outside { " --allow-outside" } else { "" }
}

/// Returns the options of a camera, computed as `render` does; `None` if they would not yield exactly this view.
///
/// * `origin` — that of the scene: options have the coordinates of its file.
fn camera_options(view: &View, cameras: &[PlacedCamera], origin: DVec3) -> Option<String> {
    let camera = &view.camera;
    let selected = |index: usize| match index {
        0 => String::new(),
        _ => format!(" --camera {}", camera_argument(index, cameras)),
    };
    if let Some(index) = cameras.iter().position(|other| other.is_same_view(camera)) {
        return Some(selected(index));
    }
    // Start from a camera with the same projection, or at least with the same kind
    let kind = std::mem::discriminant(&camera.camera.projection);
    let same = cameras.iter().position(|other| other.camera.projection == camera.camera.projection);
    let is_alike = |other: &PlacedCamera| std::mem::discriminant(&other.camera.projection) == kind;
    let index = same.or_else(|| cameras.iter().position(is_alike))?;
    let mut options = selected(index);
    let eye = camera.world_from_view.translation;
    let ahead = eye + camera.world_from_view.transform_vector3(Vec3::NEG_Z);
    let target = view.look_at().unwrap_or(ahead);
    let [(from, eye), (at, target)] = [eye, target].map(|point| option_value(point, origin));
    let _ = write!(options, " --look-from {from} --look-at {at}");
    let mut rendered = cameras[index].clone();
    rendered.world_from_view = look_at(eye, target, Vec3::Y);
    if rendered.camera.projection != camera.camera.projection
        && let Projection::Perspective { fov_y_radians: given }
        | Projection::ThinLens { fov_y_radians: given, .. } = camera.camera.projection
        && let Projection::Perspective { fov_y_radians } | Projection::ThinLens { fov_y_radians, .. } =
            &mut rendered.camera.projection
    {
        let degrees = exact_degrees(given)?;
        let _ = write!(options, " --fov {degrees}");
        *fov_y_radians = degrees.to_radians();
    }
    rendered.is_same_view(camera).then_some(options)
}

/// Returns the name of a camera if it is unique, else its index.
pub(super) fn camera_argument(index: usize, cameras: &[PlacedCamera]) -> String {
    let name = &cameras[index].name;
    match cameras.iter().filter(|camera| camera.name == *name).count() {
        1 => quoted(name),
        _ => index.to_string(),
    }
}

fn algorithm(line: &mut String, algorithm: &Algorithm) {
    let _ = write!(line, " --integrator {}", algorithm.name());
    for (parameter, value) in algorithm.values() {
        if value != parameter.kind.default_value() {
            let _ = write!(line, " --set {}={value}", parameter.name);
        }
    }
}

/// Quotes a word for a POSIX shell, if needed.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_engine::Stage;
    use sunfleck_io::UpAxis;
    use sunfleck_math::{Affine3, vec3};
    use sunfleck_scene::parameter::Value;
    use sunfleck_scene::{Camera, CameraFilm, Material, Mesh, Node, Scene, SceneEdit};

    use super::*;
    use crate::protocol::Settings;

    /// Returns the command lines for the scene as it was opened.
    fn command_lines(opened: &ViewerScene, view: &View, moment: Option<(usize, f32)>) -> String {
        let place = place_in_opened(opened, view, moment).unwrap();
        lines(&opened.name, &arguments(opened, view, &place, &ShownImages::default()))
    }

    #[test]
    fn only_values_that_differ_from_defaults_are_given() {
        let cornell = sunfleck_models::build("cornell").unwrap();
        let scene = ViewerScene::new("cornell", cornell, Default::default(), Vec::new()).unwrap();
        let mut view = View::new(&scene);
        assert_eq!(
            command_lines(&scene, &view, None),
            "sunfleck render cornell --width 960 --height 540 --integrator path --spp 1024 -o picture.png"
        );
        let settings = Settings {
            algorithm: Some("path".into()),
            parameter: Some(("max_bounces".into(), Value::Integer(3))),
            exposure: Some(-0.5),
            tone_curve: Some("agx".into()),
            denoise: Some("features".into()),
            ..Settings::default()
        };
        view.set(&settings).unwrap();
        view.camera.world_from_view = Affine3::from_translation(vec3(1.0, 2.5, 3.0));
        view.camera.camera.projection = Projection::Perspective { fov_y_radians: 30f32.to_radians() };
        let line = command_lines(&scene, &view, Some((2, 0.25)));
        for part in [
            "--animation 2 --at 0.25 ",
            "--look-from 1,2.5,3 --look-at 1,2.5,2 --fov 30",
            "--integrator path --set max_bounces=3 --spp",
            "--exposure -0.5 --tone-curve agx --denoise features -o",
        ] {
            assert!(line.contains(part), "{part} is not in {line}");
        }
    }

    /// Without the option, `render` would render the crop window of the film.
    #[test]
    fn a_film_with_a_crop_window_is_shown_as_a_whole() {
        let mut cornell = sunfleck_models::build("cornell").unwrap();
        let (id, camera) = cornell.cameras().next().map(|(id, camera)| (id, camera.clone())).unwrap();
        let film = CameraFilm::cropped(400, 300, [10, 20, 110, 70]);
        cornell.apply(SceneEdit::Camera { id, camera: Some(Camera { film, ..camera }) }).unwrap();
        let scene = ViewerScene::new("part.xml", cornell, Default::default(), Vec::new()).unwrap();
        let line = command_lines(&scene, &View::new(&scene), None);
        assert!(line.contains(" --width 960 --height 540 --crop 0,0,960,540 --integrator "), "{line}");
    }

    #[test]
    fn an_orbited_camera_is_described_exactly() {
        let cornell = sunfleck_models::build("cornell").unwrap();
        let scene = ViewerScene::new("cornell", cornell, Default::default(), Vec::new()).unwrap();
        let mut view = View::new(&scene);
        let own = scene.camera.cameras(&scene.world, view.aspect());
        let mut given = own[0].clone();
        let turn = sunfleck_math::transform::rotation_y(0.3) * sunfleck_math::transform::rotation_x(-0.2);
        given.world_from_view = turn * given.world_from_view;
        given.camera.projection = Projection::Perspective { fov_y_radians: 0.7123 };
        view.set_camera(given.clone(), &own, DVec3::ZERO);
        assert!(view.given_camera().is_same_view(&given));
        let place = place_in_opened(&scene, &view, None).unwrap();
        let option = |name: &str| {
            let (_, rest) = place.split_once(name).unwrap();
            let numbers = rest.trim_start().split(' ').next().unwrap().split(',');
            numbers.map(|number| number.parse().unwrap()).collect::<Vec<f32>>()
        };
        let [eye, target] = ["--look-from", "--look-at"].map(|name| Vec3::from_slice(&option(name)));
        assert_eq!(look_at(eye, target, Vec3::Y), view.camera.world_from_view);
        let fov_y_radians = option("--fov")[0].to_radians();
        assert_eq!(view.camera.camera.projection, Projection::Perspective { fov_y_radians });
        // A camera of the scene stays as it is
        view.set_camera(own[0].clone(), &own, DVec3::ZERO);
        assert!(view.camera.is_same_view(&own[0]));
    }

    /// Cornell box with coordinates as maps have them.
    fn far_away(origin: DVec3) -> ViewerScene {
        let mut cornell = sunfleck_models::build("cornell").unwrap();
        cornell.set_origin(origin).unwrap();
        ViewerScene::new("map.obj", cornell, Default::default(), Vec::new()).unwrap()
    }

    #[test]
    fn options_have_the_coordinates_of_the_file() {
        let scene = far_away(DVec3::new(691_607.0, 120.0, -5_335_942.25));
        let mut view = View::new(&scene);
        assert!(!command_lines(&scene, &view, None).contains("--look"), "a camera of the scene");
        view.camera.world_from_view = Affine3::from_translation(vec3(1.0, 2.5, 3.0));
        let line = command_lines(&scene, &view, None);
        let expected = "--look-from 691608,122.5,-5335939.25 --look-at 691608,122.5,-5335940.25";
        assert!(line.contains(expected), "{line}");
        // No number in double precision is so near to the origin
        view.camera.world_from_view = Affine3::from_translation(vec3(1.0, 2.5, 1e-12));
        assert_eq!(place_in_opened(&scene, &view, None), None);
    }

    #[test]
    fn an_orbited_camera_is_described_exactly_in_maps() {
        let origin = DVec3::new(691_607.0, 120.0, -5_335_942.25);
        let scene = far_away(origin);
        let mut view = View::new(&scene);
        let own = scene.camera.cameras(&scene.world, view.aspect());
        for step in 0..100u16 {
            let turn = sunfleck_math::transform::rotation_y(f32::from(step) * 0.3);
            let mut given = own[0].clone();
            given.world_from_view = turn * sunfleck_math::transform::rotation_x(-0.2) * given.world_from_view;
            // Small coordinates are finer than those of the file
            given.world_from_view.translation.z *= if step % 2 == 0 { 1.0 } else { 1e-5 };
            view.set_camera(given, &own, origin);
            let place = place_in_opened(&scene, &view, None).unwrap();
            let point = |name: &str| {
                let (_, rest) = place.split_once(name).unwrap();
                let numbers = rest.trim_start().split(' ').next().unwrap().split(',');
                let numbers: Vec<f64> = numbers.map(|number| number.parse().unwrap()).collect();
                (DVec3::from_slice(&numbers) - origin).as_vec3()
            };
            let [eye, target] = ["--look-from", "--look-at"].map(point);
            assert_eq!(look_at(eye, target, Vec3::Y), view.camera.world_from_view, "{place}");
        }
    }

    #[test]
    fn a_rolled_camera_has_no_options() {
        let cornell = sunfleck_models::build("cornell").unwrap();
        let scene = ViewerScene::new("cornell", cornell, Default::default(), Vec::new()).unwrap();
        let mut view = View::new(&scene);
        let (right, up) = (vec3(0.6, 0.8, 0.0), vec3(-0.8, 0.6, 0.0));
        let roll = Affine3::from_cols(right, up, Vec3::Z, Vec3::ZERO);
        view.camera.world_from_view *= roll;
        assert_eq!(place_in_opened(&scene, &view, None), None);
    }

    #[test]
    fn the_shown_image_counts() {
        let cornell = sunfleck_models::build("cornell").unwrap();
        let scene = ViewerScene::new("cornell", cornell, Default::default(), Vec::new()).unwrap();
        let mut view = View::new(&scene);
        view.set(&Settings { auto_exposure: Some(true), ..Settings::default() }).unwrap();
        let shown = ShownImages { exposure: Some(1.25), samples: [2000, 0], device: Some("auto") };
        assert!(
            arguments(&scene, &view, "", &shown)[0].contains(" --spp 2000 --exposure 1.25 --device auto ")
        );
        assert!(arguments(&scene, &view, "", &ShownImages::default())[0].contains(" --exposure auto "));
    }

    /// A model without camera and light: what the viewer chooses, `render` chooses, too.
    #[test]
    fn a_stage_is_named_if_it_was_chosen() {
        let model = || {
            let mut scene = Scene::default();
            let mesh = scene.add_mesh(Mesh::new(sunfleck_models::teapot(2)).unwrap()).unwrap();
            let grey = scene.add_material(Material::lambert("grey", Vec3::splat(0.5))).unwrap();
            scene.add_node(Node::new("teapot").with_mesh(mesh, vec![grey])).unwrap();
            scene
        };
        let line = |stage| {
            let scene = ViewerScene::new("a.glb", model(), stage, Vec::new()).unwrap();
            command_lines(&scene, &View::new(&scene), None)
        };
        let automatic = "sunfleck render a.glb --width 960 --height 540";
        let rest = "--integrator path --spp 1024 -o picture.png";
        assert_eq!(line(StageChoice::Automatic), format!("{automatic} {rest}"));
        assert_eq!(line(StageChoice::Fixed(Stage::Clay)), format!("{automatic} --stage clay {rest}"));
        assert_eq!(line(StageChoice::None), format!("{automatic} --stage none {rest}"));
    }

    #[test]
    fn a_file_is_read_as_it_was() {
        let line = |options: LoadOptions| {
            let cornell = sunfleck_models::build("cornell").unwrap();
            let scene = ViewerScene::new("part.obj", cornell, Default::default(), Vec::new()).unwrap();
            let scene = scene.of_file("part.obj".as_ref(), options);
            command_lines(&scene, &View::new(&scene), None)
        };
        let [up, all] = [Some(UpAxis::Y), Some(UpAxis::Z)].map(|up| {
            let allow_outside = up == Some(UpAxis::Z);
            line(LoadOptions { up, allow_outside })
        });
        let size = "sunfleck render part.obj --width 960 --height 540";
        let rest = "--integrator path --spp 1024 -o picture.png";
        assert_eq!(line(LoadOptions::default()), format!("{size} {rest}"));
        assert_eq!(up, format!("{size} --up y {rest}"), "STL files would have their z axis up");
        assert_eq!(all, format!("{size} --up z --allow-outside {rest}"));
    }

    #[test]
    fn names_are_quoted_for_a_shell() {
        assert_eq!(quoted("models/a-1.glb"), "models/a-1.glb");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted(""), "''");
    }
}
