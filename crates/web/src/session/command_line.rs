//! The command line `sunfleck render …` that renders the current image.

use std::fmt::Write;

use sunfleck_engine::{StageChoice, stage_of};
use sunfleck_image::ToneCurve;
use sunfleck_integrators::{Algorithm, PlacedCamera};
use sunfleck_math::Vec3;
use sunfleck_scene::Projection;

use super::method::Method;
use super::view::View;
use crate::ViewerScene;

/// Returns the command lines of the current images, one per line.
///
/// * `opened` — the scene as it was opened.
/// * `moment` — index of an animation and its time in seconds.
pub(super) fn command_lines(opened: &ViewerScene, view: &View, moment: Option<(usize, f32)>) -> String {
    let moment = moment.map_or(String::new(), |(index, secs)| format!(" --animation {index} --at {secs}"));
    let lines: Vec<_> = view.methods().map(|method| line(opened, view, &method, &moment)).collect();
    lines.join("\n")
}

fn line(opened: &ViewerScene, view: &View, method: &Method, moment: &str) -> String {
    let [width, height] = view.pixels();
    let mut line = format!("sunfleck render {} --width {width} --height {height}", quoted(&opened.name));
    line.push_str(moment);
    // `render` adds the same stage by itself, unless the user chose one, now or when the scene was opened
    match stage_of(opened.world.scene()) {
        now if opened.stage == StageChoice::Automatic && now == opened.initial_stage => {}
        Some(now) => drop(write!(line, " --stage {now}")),
        None => line.push_str(" --stage none"),
    }
    camera(&mut line, &view.camera, &opened.camera.cameras(&opened.world, view.aspect()));
    // A channel may be rendered by another algorithm than radiance
    algorithm(&mut line, &method.at_rest());
    let frames = view.target(method).div_ceil(method.at_rest().samples_per_frame());
    let _ = write!(line, " --spp {frames}");
    if let Some(channel) = method.channel {
        let _ = write!(line, " --aovs {channel}");
    } else {
        match view.exposure() {
            same if same == opened.exposure => {}
            None => line.push_str(" --exposure auto"),
            Some(stops) => drop(write!(line, " --exposure {stops}")),
        }
        if view.tone_curve != ToneCurve::default() {
            let _ = write!(line, " --tone-curve {}", view.tone_curve);
        }
        if !view.denoise.is_default() {
            let _ = write!(line, " --denoise {}", view.denoise.name());
        }
    }
    line + " -o picture.png"
}

fn camera(line: &mut String, camera: &PlacedCamera, cameras: &[PlacedCamera]) {
    if let Some(index) = cameras.iter().position(|other| other.is_same_view(camera)) {
        if index > 0 {
            let _ = write!(line, " --camera {}", camera_argument(index, cameras));
        }
        return;
    }
    // Start from a camera with the same kind of projection
    let kind = std::mem::discriminant(&camera.camera.projection);
    let similar = cameras.iter().position(|other| std::mem::discriminant(&other.camera.projection) == kind);
    if let Some(index) = similar.filter(|index| *index > 0) {
        let _ = write!(line, " --camera {}", camera_argument(index, cameras));
    }
    let eye = camera.world_from_view.translation;
    let target = eye + camera.world_from_view.transform_vector3(Vec3::NEG_Z);
    let _ = write!(line, " --look-from {} --look-at {}", point(eye), point(target));
    if let Projection::Perspective { fov_y_radians } | Projection::ThinLens { fov_y_radians, .. } =
        camera.camera.projection
    {
        let _ = write!(line, " --fov {}", fov_y_radians.to_degrees());
    }
}

/// Returns the name of a camera if it is unique, else its index.
fn camera_argument(index: usize, cameras: &[PlacedCamera]) -> String {
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

fn point(p: Vec3) -> String {
    format!("{},{},{}", p.x, p.y, p.z)
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
    use sunfleck_math::{Affine3, vec3};
    use sunfleck_scene::parameter::Value;
    use sunfleck_scene::{Material, Mesh, Node, Scene};

    use super::*;
    use crate::protocol::Settings;

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
        let line = command_lines(&scene, &view, Some((2, 0.25)));
        for part in [
            "--animation 2 --at 0.25 ",
            "--look-from 1,2.5,3 --look-at 1,2.5,2 --fov ",
            "--integrator path --set max_bounces=3 --spp",
            "--exposure -0.5 --tone-curve agx --denoise features -o",
        ] {
            assert!(line.contains(part), "{part} is not in {line}");
        }
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
    fn names_are_quoted_for_a_shell() {
        assert_eq!(quoted("models/a-1.glb"), "models/a-1.glb");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted(""), "''");
    }
}
