//! Scene, world and camera, ready to take pictures.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use sunfleck_command::Failure;
use sunfleck_command::scene::{self, OpenedScene};
use sunfleck_gpu::{GpuError, Renderer, is_there};
use sunfleck_image::Film;
use sunfleck_integrators::{
    Algorithm, Outcome, PlacedCamera, Schedule, Status, View, ViewSpec, World, render,
};
use sunfleck_scene::Texture;

use super::args::{Device, RenderArgs};
use super::moment::Moment;
use super::progress::Progress;
use super::{camera, environment, gpu};

/// What the picture is taken of, and from where.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) opened: OpenedScene,
    pub(super) world: Arc<World>,
    /// How long the acceleration structures and light tables took.
    pub(super) build_time: Duration,
    pub(super) camera: PlacedCamera,
    /// Where a building that came without a camera is seen from.
    inside: Option<PlacedCamera>,
    /// Once a GPU has rendered.
    renderer: Option<Renderer>,
}

/// What a GPU did.
#[derive(Debug)]
pub(super) struct OnGpu {
    /// As its driver calls it.
    pub(super) name: String,
    /// Of each pixel.
    pub(super) samples: u32,
}

/// What was done, and where.
#[derive(Debug)]
pub(super) struct Shot {
    pub(super) outcome: Outcome,
    /// The GPU that did it, or a part of it.
    pub(super) gpu: Option<OnGpu>,
}

impl Stage {
    /// Opens the scene, puts the environment into it, builds its acceleration structures, chooses the camera.
    pub(super) fn set(
        args: &RenderArgs,
        map: Option<Texture>,
        moment: &Moment,
        progress: &Progress,
    ) -> Result<Self, Failure> {
        progress.preparing("reading the scene");
        let mut opened = scene::open(&args.scene)?;
        environment::apply(&args.light, map, &mut opened.scene)?;
        args.moment.show(moment, &mut opened.scene)?;

        progress.preparing("building acceleration structures");
        let start = Instant::now();
        let world = World::commit(&opened.scene);
        let world = Arc::new(world.map_err(|error| Failure::failed(format!("{}: {error}", opened.name)))?);
        let build_time = start.elapsed();

        let inside = if opened.added.camera { world.view_from_inside(args.machine.simd) } else { None };
        if inside.is_some() {
            opened.notes.push("note: the scene is a building: looking at it from inside".into());
        }
        let camera = camera::choose(&args.view, inside.as_slice(), world.cameras())?;
        if world.light_count() == 0 {
            opened
                .notes
                .push("warning: there is no light: the picture is black; try --environment white".into());
        }
        Ok(Self { opened, world, build_time, camera, inside, renderer: None })
    }

    /// Moves everything to another moment, the camera too. Errors: it cannot be there.
    pub(super) fn go_on(&mut self, args: &RenderArgs, moment: &Moment) -> Result<(), Failure> {
        args.moment.show(moment, &mut self.opened.scene)?;
        let world = self.world.update(&self.opened.scene);
        self.world =
            Arc::new(world.map_err(|error| Failure::failed(format!("{}: {error}", self.opened.name)))?);
        self.camera = camera::choose(&args.view, self.inside.as_slice(), self.world.cameras())?;
        Ok(())
    }

    /// Renders into `film` until a stop rule or `cancel` says enough. Errors: the GPU that was asked for cannot.
    pub(super) fn shoot(
        &mut self,
        args: &RenderArgs,
        algorithm: &Algorithm,
        film: &mut Film,
        cancel: &AtomicBool,
        progress: &Progress,
    ) -> Result<Shot, Failure> {
        let spec = ViewSpec {
            sampler: args.method.sampler,
            seed: args.method.seed,
            filter: args.method.filter,
            aovs: film.aovs(),
            occlusion_radius: args.view.occlusion_radius,
            texture_footprint: args.view.texture_footprint,
            ..ViewSpec::new(&self.camera, film.width(), film.height())
        };
        progress.rendering();
        let stop = args.stop.rules();
        let schedule = Schedule { tile_size: args.machine.tile_size, level: args.machine.simd };
        let device = args.method.device;
        let order =
            gpu::Order { world: &self.world, spec: &spec, algorithm, stop: &stop, schedule: &schedule };
        let renderer = &mut self.renderer;
        let tried = match device {
            Device::Processor => None,
            Device::Gpu(number) => Some(gpu::shoot(renderer, number, &order, film, cancel, progress)),
            Device::Auto => is_there().then(|| gpu::shoot(renderer, None, &order, film, cancel, progress)),
            Device::Shared => Some(gpu::share(&order, film, cancel, progress)),
        };
        if let Some(shot) = made_on_gpu(device, tried, film)? {
            return Ok(shot);
        }
        let view = View::new(&self.world, spec);
        let observer = |status: &Status| progress.update(status);
        let outcome = render(&view, algorithm, film, 0, &stop, &schedule, cancel, &observer);
        Ok(Shot { outcome, gpu: None })
    }
}

/// What a GPU made, if it did; none if the processor has to, with an empty film. Errors: the GPU that was asked for cannot.
fn made_on_gpu(
    device: Device,
    tried: Option<Result<Shot, GpuError>>,
    film: &mut Film,
) -> Result<Option<Shot>, Failure> {
    match tried {
        None => Ok(None),
        Some(Ok(shot)) => Ok(Some(shot)),
        Some(Err(error)) if matches!(device, Device::Auto | Device::Shared) => {
            eprintln!("warning: on the processor, since {error}");
            film.clear();
            Ok(None)
        }
        Some(Err(error @ GpuError::Unsupported { .. })) => Err(Failure::bad_input(error.to_string())),
        Some(Err(error)) => Err(Failure::failed(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use sunfleck_command::Exit;
    use sunfleck_image::{AovSample, AovSet, PixelSample, TileRect};
    use sunfleck_math::Vec3;

    use super::*;

    /// A film on which a GPU has left something.
    fn begun() -> Film {
        let mut film = Film::new(2, 2, AovSet::EMPTY);
        let mut tile = film.tile(TileRect { x0: 0, y0: 0, x1: 2, y1: 2 });
        tile.add(1, 1, &PixelSample { radiance: Vec3::ONE, weight: 1.0, aov: AovSample::MISS });
        film.put(tile).unwrap();
        film
    }

    #[test]
    fn a_gpu_that_fails_in_the_middle_leaves_nothing_behind() {
        for device in [Device::Auto, Device::Shared] {
            let mut film = begun();
            let lost = GpuError::Lost { why: "it fell off the bus".to_owned() };
            assert!(
                matches!(made_on_gpu(device, Some(Err(lost)), &mut film), Ok(None)),
                "the processor goes on"
            );
            let empty = Film::new(2, 2, AovSet::EMPTY);
            assert_eq!(film.radiance(), empty.radiance(), "what was begun does not count twice");
        }
    }

    #[test]
    fn a_gpu_that_was_asked_for_has_to_do_it() {
        let exit = |error| {
            let made = made_on_gpu(Device::Gpu(None), Some(Err(error)), &mut begun());
            made.err().map(|failure| failure.exit())
        };
        assert_eq!(exit(GpuError::Unsupported { what: "spheres" }), Some(Exit::BadInput));
        assert_eq!(exit(GpuError::Lost { why: "it fell off the bus".to_owned() }), Some(Exit::Failed));
    }
}
