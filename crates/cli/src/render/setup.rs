//! Scene, world and camera of a rendering, and its engine.

use std::time::{Duration, Instant};

use sunfleck_command::Failure;
use sunfleck_command::scene::OpenedScene;
use sunfleck_engine::{
    Denoiser, EditableWorld, Engine, EngineError, EngineOptions, FrameRequest, GpuError, InitialCamera,
    Presentation, Stage, VisibleContent, is_stage_ground, sees_surfaces,
};
use sunfleck_image::AovSet;
use sunfleck_integrators::{Algorithm, PlacedCamera, Schedule};
use sunfleck_io::LoadedEnvironment;
use sunfleck_math::Vec3;
use sunfleck_scene::{Environment, SceneEdit};

use super::animation::AnimationFrame;
use super::args::RenderArgs;
use super::image_size::ImageSize;
use super::memory_budget::MemoryBudget;
use super::progress::Progress;
use super::{aovs, camera, environment};

/// World and camera to render, with data for the report.
#[derive(Debug)]
pub(super) struct RenderSetup {
    /// Name of the scene.
    pub(super) name: String,
    pub(super) notes: Vec<String>,
    pub(super) load_time: Duration,
    pub(super) world: EditableWorld,
    /// Time taken to commit the scene, and to choose camera and stage.
    pub(super) build_time: Duration,
    /// First camera of the scene, or the default one.
    initial_camera: InitialCamera,
    pub(super) stage: Option<Stage>,
}

/// Camera of an image, with its name in files if several cameras are rendered.
#[derive(Clone, Debug)]
pub(super) struct CameraView {
    pub(super) label: Option<String>,
    pub(super) camera: PlacedCamera,
}

impl RenderSetup {
    /// Sets the environment of a scene and the time of the first frame, builds acceleration structures and chooses camera
    /// and stage.
    ///
    /// # Errors
    /// The scene cannot be built, or has no such camera or animation.
    pub(super) fn new(
        args: &RenderArgs,
        opened: OpenedScene,
        map: Option<LoadedEnvironment>,
        budget: MemoryBudget,
        progress: &Progress,
    ) -> Result<Self, Failure> {
        let OpenedScene { name, mut scene, mut notes, elapsed, .. } = opened;
        notes.extend(map.iter().flat_map(|map| &map.report.entries).map(ToString::to_string));
        environment::apply(&args.light, map.map(|map| map.texture), &mut scene)?;
        if let Some((animation, time_secs)) = args.animation.time_of(args.animation.first_frame(), &scene)? {
            let edits = scene.pose(animation, time_secs).map_err(failed)?;
            scene.apply(SceneEdit::Batch(edits)).map_err(failed)?;
        }

        let budget = budget.with_scene(&scene);
        budget.check()?;
        progress.preparing("building acceleration structures and choosing the view");
        let start = Instant::now();
        let presented = Presentation::new(scene, args.stage_choice(), args.machine.simd)
            .map_err(|error| Failure::failed(format!("{name}: {error}")))?;
        let build_time = start.elapsed();
        let Presentation { mut world, camera: initial_camera, stage, notes: added } = presented;
        let of_stage = *world.scene().environment();
        environment::check_strength(&args.light, &of_stage)?;
        let environment = environment::adjusted(of_stage, &args.light);
        if stage.is_some() && environment != of_stage {
            world.edit(SceneEdit::Environment { environment }).map_err(failed)?;
            world.commit().map_err(failed)?;
        }
        if args.background.leaves_out_environment() {
            hide_stage_ground(&mut world)?;
        }
        let structures = world.committed().bvh_bytes() as u64;
        MemoryBudget { structures, ..budget.with_scene(world.scene()) }.check()?;
        notes.extend(added);
        Ok(Self { name, notes, load_time: elapsed, world, build_time, initial_camera, stage })
    }

    /// Returns the cameras of a frame: that of the arguments, or all of the scene.
    ///
    /// * `aspect` — aspect ratio of the image, width over height.
    ///
    /// # Errors
    /// The scene has no such camera, or a camera does not support an argument.
    pub(super) fn views(
        &self,
        args: &RenderArgs,
        aspect: f32,
        frame: AnimationFrame,
    ) -> Result<Vec<CameraView>, Failure> {
        let cameras = self.initial_camera.cameras(&self.world, aspect);
        let mut views = match args.view.all_cameras {
            true => camera::all(args.view.fov, &cameras)?
                .into_iter()
                .map(|(name, camera)| CameraView { label: Some(name), camera })
                .collect(),
            false => vec![CameraView {
                label: None,
                camera: camera::choose(&args.view, &cameras, self.world.scene().origin(), self.centre())?,
            }],
        };
        for view in &mut views {
            if let Some(turn) = frame.turn {
                turn.apply(&mut view.camera, self.centre());
            }
            // `--focus auto` is the surface in the centre of this image
            args.lens.apply(&mut view.camera, &self.world, args.machine.simd)?;
        }
        Ok(views)
    }

    /// Returns whether there is something visible beside the ground of a stage.
    fn has_surfaces(&self) -> bool {
        let scene = self.world.scene();
        let instances = scene.world_instances();
        let mut objects = instances.iter().filter(|instance| !is_stage_ground(scene, instance.node));
        objects.any(|instance| scene.mesh(instance.mesh).is_some_and(|mesh| mesh.primitive_count() > 0))
    }

    /// Returns the centre of the bounds of what is visible, without the ground of a stage; zero if there is nothing.
    fn centre(&self) -> Vec3 {
        let bounds = VisibleContent::of(self.world.scene()).bounds;
        if bounds.is_empty() { Vec3::ZERO } else { (bounds.min + bounds.max) * 0.5 }
    }

    /// Updates the world for the next frame of an animation.
    ///
    /// # Errors
    /// The world cannot be posed or committed.
    pub(super) fn advance(&mut self, args: &RenderArgs, frame: AnimationFrame) -> Result<(), Failure> {
        if let Some((animation, time_secs)) = args.animation.time_of(frame, self.world.scene())? {
            self.world.pose(animation, time_secs).map_err(failed)?;
        }
        self.world.commit().map_err(|error| Failure::failed(format!("{}: {error}", self.name)))?;
        Ok(())
    }

    /// Checks that the image of a camera shows a surface, or an environment that is not that of a stage.
    ///
    /// # Errors
    /// It shows nothing.
    pub(super) fn check_visible(
        &self,
        args: &RenderArgs,
        size: &ImageSize,
        camera: &PlacedCamera,
    ) -> Result<(), Failure> {
        let own_environment = self.stage.is_none() && *self.world.scene().environment() != Environment::Black;
        if own_environment && !args.background.leaves_out_environment()
            || sees_surfaces(&self.world, camera, size.full, args.machine.simd)
        {
            return Ok(());
        }
        if !self.has_surfaces() {
            let failure = Failure::bad_input(format!("{}: the scene has no surfaces", self.name));
            return Err(failure.with_help(
                "it has no visible triangles and shapes; `sunfleck info` lists what it has; --allow-empty renders it anyway",
            ));
        }
        let failure =
            Failure::bad_input(format!("{}: the camera `{}` sees no surface", self.name, camera.name));
        Err(failure.with_help(
            "choose another --camera, or --look-from and --look-at; --allow-empty renders it anyway",
        ))
    }

    /// Returns the frame to render; its budget is a single sample.
    ///
    /// * `camera` — one of [`views`](Self::views).
    /// * `shows_environment` — whether the camera sees the environment behind the scene.
    /// * `denoises` — whether the features for denoising are recorded.
    ///
    /// # Errors
    /// The integrator does not support an AOV that was given by name.
    pub(super) fn request(
        &self,
        args: &RenderArgs,
        algorithm: &Algorithm,
        size: &ImageSize,
        camera: PlacedCamera,
        shows_environment: bool,
        denoises: bool,
    ) -> Result<FrameRequest, Failure> {
        let [width, height] = size.full;
        let for_denoising = if denoises { Denoiser::AOVS } else { AovSet::EMPTY };
        let aovs = args.view.aov_set(algorithm)?.union(aovs::implied(args, algorithm)).union(for_denoising);
        Ok(FrameRequest {
            algorithm: *algorithm,
            sampler: args.method.sampler,
            seed: args.method.seed,
            filter: args.method.filter,
            aovs,
            shows_environment,
            window: size.part(),
            occlusion_radius: args.view.occlusion_radius,
            texture_footprint: args.view.texture_footprint,
            ..FrameRequest::new(camera, width, height)
        })
    }
}

/// Opens the scene.
///
/// # Errors
/// The scene cannot be opened.
pub(super) fn open(args: &RenderArgs, progress: &Progress) -> Result<OpenedScene, Failure> {
    progress.preparing("reading the scene");
    args.import.open(&args.scene)
}

/// Hides the ground of a stage, which stands for the surroundings as the environment does.
fn hide_stage_ground(world: &mut EditableWorld) -> Result<(), Failure> {
    let nodes = world.scene().nodes().map(|(id, _)| id);
    let ground: Vec<_> = nodes.filter(|&id| is_stage_ground(world.scene(), id)).collect();
    for id in ground {
        world.edit(SceneEdit::Visible { id, visible: false }).map_err(failed)?;
    }
    world.commit().map_err(failed)?;
    Ok(())
}

/// Starts the engine.
///
/// # Errors
/// The selected GPU cannot be used, or threads cannot be started.
pub(super) fn engine(args: &RenderArgs) -> Result<Engine, Failure> {
    let options = EngineOptions {
        threads: args.machine.threads.unwrap_or(0).into(),
        schedule: Schedule { tile_size: args.machine.tile_size, level: args.machine.simd },
        device: args.method.device,
        changes: false,
        fall_back: args.method.device.falls_back(),
    };
    Engine::new(options).map_err(|error| match error {
        EngineError::Gpu(why) => gpu_failure(&why),
        error @ EngineError::Threads(_) => failed(error),
    })
}

/// Failure of a GPU: bad input if it lacks a feature, else a failure of the work.
pub(super) fn gpu_failure(why: &GpuError) -> Failure {
    match why {
        GpuError::Unsupported { .. } => Failure::bad_input(why.to_string()),
        _ => Failure::failed(why.to_string()),
    }
}

fn failed(error: impl std::error::Error) -> Failure {
    Failure::failed(error.to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use sunfleck_command::Exit;
    use sunfleck_scene::Projection;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: RenderArgs,
    }

    /// A box of 1 × 1 × 8 m about the origin.
    const LONG: &str = "v -.5 -.5 -4\nv .5 -.5 -4\nv .5 .5 -4\nv -.5 .5 -4\nv -.5 -.5 4\nv .5 -.5 4\nv .5 .5 4\n\
                        v -.5 .5 4\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

    #[test]
    fn every_frame_of_a_turntable_is_focused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("long.obj");
        std::fs::write(&file, LONG).unwrap();
        let options = "--look-from 0,0,10 --look-at 0,0,0 --turntable 4 --aperture 2 --focus auto";
        let words = ["render", file.to_str().unwrap()].into_iter().chain(options.split(' '));
        let Line { args } = Line::parse_from(words);
        let progress = Progress::new(true, false, None);
        let budget = MemoryBudget::default();
        let opened = open(&args, &progress).unwrap();
        let setup = RenderSetup::new(&args, opened, None, budget, &progress).unwrap();
        for (frame, expected) in args.animation.frames_to_render().zip([6.0, 9.5, 6.0, 9.5]) {
            let view = setup.views(&args, 1.0, frame).unwrap().remove(0);
            let Projection::ThinLens { focus_distance, .. } = view.camera.camera.projection else {
                panic!("an aperture is given")
            };
            assert!((focus_distance - expected).abs() < 1e-3, "{frame:?}: {focus_distance}");
        }
    }

    #[test]
    fn a_missing_gpu_feature_is_bad_input_and_a_lost_gpu_is_not() {
        assert_eq!(gpu_failure(&GpuError::Unsupported { what: "shapes" }).exit(), Exit::BadInput);
        assert_eq!(gpu_failure(&GpuError::lost("it fell off the bus")).exit(), Exit::Failed);
    }
}
