//! Scene, world and camera, ready to take pictures.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sunfleck_command::Failure;
use sunfleck_command::scene::{self, OpenedScene};
use sunfleck_engine::{
    Budget, Canvas, EditableWorld, Engine, EngineError, EngineOptions, FrameRequest, FrameResult, GpuError,
};
use sunfleck_image::Film;
use sunfleck_integrators::{Algorithm, PlacedCamera, Schedule, StopReason};
use sunfleck_io::Added;
use sunfleck_scene::{SceneEdit, Texture};

use super::args::RenderArgs;
use super::moment::Moment;
use super::progress::Progress;
use super::{camera, environment};

/// The progress is shown, and Ctrl-C noticed, after so long at the latest.
const POLL: Duration = Duration::from_millis(20);

/// What the picture is taken of, and from where.
#[derive(Debug)]
pub(super) struct RenderSetup {
    /// Of the scene.
    pub(super) name: String,
    pub(super) notes: Vec<String>,
    pub(super) added: Added,
    pub(super) load_time: Duration,
    pub(super) world: EditableWorld,
    /// How long the acceleration structures and light tables took.
    pub(super) build_time: Duration,
    pub(super) camera: PlacedCamera,
    /// Where a building that came without a camera is seen from.
    inside: Option<PlacedCamera>,
}

impl RenderSetup {
    /// Opens the scene, puts the environment into it, builds its acceleration structures, chooses the camera.
    pub(super) fn set(
        args: &RenderArgs,
        map: Option<Texture>,
        moment: &Moment,
        progress: &Progress,
    ) -> Result<Self, Failure> {
        progress.preparing("reading the scene");
        let OpenedScene { name, mut scene, added, mut notes, elapsed } = scene::open(&args.scene)?;
        environment::apply(&args.light, map, &mut scene)?;
        if let Some((animation, time_secs)) = args.moment.of(moment, &scene)? {
            let edits = scene.pose(animation, time_secs).map_err(failed)?;
            scene.apply(SceneEdit::Batch(edits)).map_err(failed)?;
        }

        progress.preparing("building acceleration structures");
        let start = Instant::now();
        let world = EditableWorld::new(scene).map_err(|error| Failure::failed(format!("{name}: {error}")))?;
        let build_time = start.elapsed();

        let inside = if added.camera { world.committed().view_from_inside(args.machine.simd) } else { None };
        if inside.is_some() {
            notes.push("note: the scene is a building: looking at it from inside".into());
        }
        let camera = camera::choose(&args.view, inside.as_slice(), world.cameras())?;
        if world.committed().light_count() == 0 {
            notes.push("warning: there is no light: the picture is black; try --environment white".into());
        }
        Ok(Self { name, notes, added, load_time: elapsed, world, build_time, camera, inside })
    }

    /// Moves everything to another moment, the camera too. Errors: it cannot be there.
    pub(super) fn go_on(&mut self, args: &RenderArgs, moment: &Moment) -> Result<(), Failure> {
        if let Some((animation, time_secs)) = args.moment.of(moment, self.world.scene())? {
            self.world.pose(animation, time_secs).map_err(failed)?;
        }
        self.world.commit().map_err(|error| Failure::failed(format!("{}: {error}", self.name)))?;
        self.camera = camera::choose(&args.view, self.inside.as_slice(), self.world.cameras())?;
        Ok(())
    }

    /// Renders until a stop rule or `interrupt` says enough. Errors: nobody who may can do it.
    pub(super) fn shoot(
        &self,
        engine: &Engine,
        args: &RenderArgs,
        algorithm: &Algorithm,
        interrupt: &AtomicBool,
        progress: &Progress,
    ) -> Result<(Film, FrameResult), Failure> {
        let stop = args.stop.rules();
        let frame = FrameRequest {
            algorithm: *algorithm,
            sampler: args.method.sampler,
            seed: args.method.seed,
            filter: args.method.filter,
            aovs: args.view.aov_set(algorithm)?,
            occlusion_radius: args.view.occlusion_radius,
            texture_footprint: args.view.texture_footprint,
            budget: Budget { samples: Some(stop.target()), time: stop.time, noise: stop.noise },
            ..FrameRequest::new(self.camera.clone(), args.width, args.height)
        };
        progress.rendering();
        // One for each picture: an engine that knew how long the one before took would leave something out to keep a time
        let canvas = Canvas::new();
        let ticket = engine.render(&self.world, &frame, &canvas);
        let shot = loop {
            if let Some(shot) = ticket.wait_for(POLL) {
                break shot;
            }
            if interrupt.load(Ordering::Relaxed) {
                ticket.cancel();
            }
            progress.update(&ticket.progress());
        };
        match (shot.ended, canvas.take_film()) {
            (StopReason::Done | StopReason::Cancelled, Some(film)) => Ok((film, shot)),
            _ => Err(match engine.trouble() {
                Some(why) => cannot(&why),
                None => Failure::failed("the renderer broke off"),
            }),
        }
    }
}

/// Starts what renders. Errors: the GPU that was asked for cannot be used.
pub(super) fn engine(args: &RenderArgs) -> Result<Engine, Failure> {
    let options = EngineOptions {
        threads: args.machine.threads.unwrap_or(0).into(),
        schedule: Schedule { tile_size: args.machine.tile_size, level: args.machine.simd },
        device: args.method.device,
        changes: false,
        fall_back: args.method.device.falls_back(),
    };
    Engine::new(options).map_err(|error| match error {
        EngineError::Gpu(why) => cannot(&why),
        error @ EngineError::Threads(_) => failed(error),
    })
}

/// Why who was asked for cannot render.
fn cannot(why: &GpuError) -> Failure {
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
    use sunfleck_command::Exit;

    use super::*;

    #[test]
    fn what_a_gpu_lacks_is_bad_input_and_a_gpu_that_fails_is_not() {
        assert_eq!(cannot(&GpuError::Unsupported { what: "spheres" }).exit(), Exit::BadInput);
        assert_eq!(cannot(&GpuError::lost("it fell off the bus")).exit(), Exit::Failed);
    }
}
