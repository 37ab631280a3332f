//! Replacement of the scene's environment as given on the command line.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use sunfleck_command::Failure;
use sunfleck_io::LoadedEnvironment;
use sunfleck_math::Vec3;
use sunfleck_scene::{Environment, Scene, Texture};

use super::args::LightArgs;

/// Value of `--environment`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum EnvironmentChoice {
    Black,
    White,
    Map(PathBuf),
}

impl FromStr for EnvironmentChoice {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "black" => Self::Black,
            "white" => Self::White,
            file => Self::Map(file.into()),
        })
    }
}

/// Reads the environment map, if one is given. Called before the scene is opened, so that a wrong path fails at once.
pub(super) fn read_map(args: &LightArgs) -> Result<Option<LoadedEnvironment>, Failure> {
    match &args.environment {
        Some(EnvironmentChoice::Map(file)) => read(file).map(Some),
        _ => Ok(None),
    }
}

/// Sets, rotates and scales the environment of the scene as given by the arguments.
pub(super) fn apply(args: &LightArgs, map: Option<Texture>, scene: &mut Scene) -> Result<(), Failure> {
    let chosen = match (&args.environment, map) {
        (None, _) => *scene.environment(),
        (Some(EnvironmentChoice::White), _) => Environment::Constant { radiance: Vec3::ONE },
        (Some(EnvironmentChoice::Map(_)), Some(map)) => {
            let texture = scene.add_texture(map).map_err(internal)?;
            Environment::Map { texture, rotation_y_radians: 0.0, scale: Vec3::ONE, rows_at_poles: false }
        }
        (Some(_), _) => Environment::Black,
    };
    let adjusted = adjusted(chosen, args);
    if adjusted == *scene.environment() { Ok(()) } else { scene.set_environment(adjusted).map_err(internal) }
}

/// Returns an environment with the rotation and the strength given by the arguments.
pub(super) fn adjusted(environment: Environment, args: &LightArgs) -> Environment {
    let degrees = args.environment_rotation.unwrap_or(0.0);
    let strength = args.environment_strength.unwrap_or(1.0);
    match environment {
        Environment::Map { texture, rotation_y_radians, scale, rows_at_poles } => Environment::Map {
            texture,
            rotation_y_radians: rotation_y_radians + degrees.to_radians(),
            scale: scale * strength,
            rows_at_poles,
        },
        Environment::Constant { radiance } => Environment::Constant { radiance: radiance * strength },
        Environment::Black => Environment::Black,
    }
}

/// Checks that there is an environment for a strength.
///
/// # Errors
/// A strength is given, and the environment of scene and stage is black.
pub(super) fn check_strength(args: &LightArgs, environment: &Environment) -> Result<(), Failure> {
    match args.environment_strength {
        // A strength of 0 may be what makes it black
        Some(strength) if strength > 0.0 && *environment == Environment::Black => {
            let failure = Failure::bad_input("--environment-strength: the scene has no environment");
            Err(failure.with_help(
                "add one with --environment or --stage; --exposure changes the brightness of the image",
            ))
        }
        _ => Ok(()),
    }
}

fn read(file: &Path) -> Result<LoadedEnvironment, Failure> {
    Ok(sunfleck_io::load_environment(file)?)
}

fn internal(error: sunfleck_scene::EditError) -> Failure {
    Failure::failed(format!("cannot set the environment of the scene: {error}"))
}

#[cfg(test)]
mod tests {
    use sunfleck_scene::Texels;

    use super::*;

    fn light(environment: Option<&str>, environment_rotation: Option<f32>) -> LightArgs {
        let environment = environment.map(|text| text.parse().unwrap());
        LightArgs { environment, environment_rotation, environment_strength: None, stage: None }
    }

    #[test]
    fn the_argument_replaces_the_environment() {
        let mut scene = Scene::default();
        apply(&light(Some("white"), None), None, &mut scene).unwrap();
        assert_eq!(*scene.environment(), Environment::Constant { radiance: Vec3::ONE });
        apply(&light(None, None), None, &mut scene).unwrap();
        assert_eq!(*scene.environment(), Environment::Constant { radiance: Vec3::ONE });
        apply(&light(Some("black"), None), None, &mut scene).unwrap();
        assert_eq!(*scene.environment(), Environment::Black);
    }

    #[test]
    fn the_strength_scales_constants_and_maps() {
        let args = LightArgs { environment_strength: Some(2.5), ..light(Some("white"), None) };
        let mut scene = Scene::default();
        apply(&args, None, &mut scene).unwrap();
        assert_eq!(*scene.environment(), Environment::Constant { radiance: Vec3::splat(2.5) });
        let map = Texture::new("sky", 1, 1, Texels::Float(vec![[1.0; 4]].into())).unwrap();
        let args = LightArgs { environment_strength: Some(0.5), ..light(Some("sky.hdr"), None) };
        apply(&args, Some(map), &mut scene).unwrap();
        let Environment::Map { scale, .. } = *scene.environment() else { panic!("a map was set") };
        assert_eq!(scale, Vec3::splat(0.5));
    }

    #[test]
    fn rotations_add_up() {
        let map = Texture::new("sky", 1, 1, Texels::Float(vec![[1.0; 4]].into())).unwrap();
        let mut scene = Scene::default();
        apply(&light(Some("sky.hdr"), Some(30.0)), Some(map), &mut scene).unwrap();
        apply(&light(None, Some(60.0)), None, &mut scene).unwrap();
        let Environment::Map { rotation_y_radians, .. } = *scene.environment() else {
            panic!("a map was set")
        };
        assert!((rotation_y_radians - std::f32::consts::FRAC_PI_2).abs() < 1e-6, "{rotation_y_radians}");
    }
}
