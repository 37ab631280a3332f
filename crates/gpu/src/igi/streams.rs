use std::mem::offset_of;

use sunfleck_image::Film;
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{RayCount, ViewSpec, share_of_sample};
use sunfleck_shaders::layout::{Channels, IgiFrame, IgiPath, LitPoint, MOST_WAITING, Pixel, TracedRays};
use wgpu::Buffer;

use super::arrays::{Arrays, TRACED};
use super::bands::{Band, Bands};
use super::frame;
use super::kernels::Kernels;
use super::links::Links;
use super::past::Past;
use super::photons::{PhotonArrays, Photons};
use super::sizes::{Sizes, asked_words, paths_go_on};
use super::stages::Bound;
use super::workspace::{Needs, Workspace};
use super::{Order, Recipe};
use crate::film::{FilmSums, has_channels, read};
use crate::path::packed;
use crate::pipeline::Pipeline;
use crate::{Gpu, GpuError};

/// Where frames go.
#[derive(Debug)]
pub(super) enum Sink {
    /// Into the film, of which each band has a strip, from top to bottom.
    Film(Vec<Strip>),
    /// Into the mean that the next frame takes over.
    Next(Box<BoundPast>),
}

/// What the film has of a band.
#[derive(Debug)]
pub(super) struct Strip {
    pub(super) sums: FilmSums,
    pub(super) filter: Bound,
}

/// What frames of a sequence take.
#[derive(Debug)]
pub(super) struct BoundPast {
    pub(super) of: Past,
    pub(super) filter: Bound,
    pub(super) reuse: Bound,
}

/// What photons of caustics take.
#[derive(Debug)]
pub(super) struct BoundCaustics {
    pub(super) of: Photons,
    arrays: PhotonArrays,
    pub(super) walks: Bound,
    pub(super) cells: Bound,
    pub(super) places: Bound,
    pub(super) gather: Bound,
    pub(super) gather_paths: Bound,
    pub(super) follow: Bound,
}

/// What the stages pass on, and how each binds it.
#[derive(Debug)]
pub(super) struct Streams {
    recipe: Recipe,
    /// What all frames share.
    packed: IgiFrame,
    pub(super) sizes: Sizes,
    pub(super) arrays: Arrays,
    bands: Bands,
    pub(super) pattern: Bound,
    pub(super) probe: Bound,
    pub(super) reach: Bound,
    pub(super) estimate: Bound,
    pub(super) weigh: Bound,
    pub(super) recall: Bound,
    pub(super) collect: Bound,
    pub(super) shares: Bound,
    pub(super) blocks: Bound,
    pub(super) parts: Bound,
    pub(super) walks: Bound,
    pub(super) occluders: Bound,
    pub(super) clearances: Bound,
    pub(super) camera_beams: Option<Bound>,
    pub(super) primary: Bound,
    pub(super) surface: Bound,
    pub(super) ask: Bound,
    pub(super) occlude: Bound,
    pub(super) light: Bound,
    pub(super) follow: Bound,
    pub(super) occlude_paths: Bound,
    pub(super) light_paths: Bound,
    pub(super) resolve: Bound,
    /// If other channels than radiance are recorded.
    pub(super) first: Option<Bound>,
    /// If there are photons.
    pub(super) caustics: Option<BoundCaustics>,
    pub(super) sink: Sink,
    /// Bound above; it is given on when nothing of that is left.
    _workspace: Workspace,
}

impl Streams {
    /// For films of the size of `spec` with such channels.
    ///
    /// * `limit` — how large the arrays of a band are, bytes; smaller where memory is short.
    pub(super) fn new(
        gpu: &Gpu,
        kernels: &Kernels,
        order: &Order<'_>,
        mut limit: u64,
    ) -> Result<Self, GpuError> {
        let Order { world, spec, recipe: Recipe { igi: ref parameters, aovs, reuse }, .. } = *order;
        let of_ray = if paths_go_on(world, parameters) {
            MOST_WAITING * size_of::<IgiPath>()
        } else {
            size_of::<LitPoint>()
        };
        let of_pixel = if has_channels(aovs) { size_of::<Channels>() } else { size_of::<Pixel>() };
        let asked = asked_words(parameters) * size_of::<u32>();
        let looks_around = parameters.filters(0) || reuse.is_some();
        let of_rays = parameters.subsets() as usize * of_ray;
        let bytes_per_pixel = of_rays.max(of_pixel).max(asked) as u64;
        loop {
            let bands = Bands::new(spec, parameters, looks_around, bytes_per_pixel, limit);
            let can_be_smaller = bands.blocks > 1;
            match Self::in_bands(gpu, kernels, order, bands) {
                Err(GpuError::OutOfMemory { .. }) if kernels.spares.forget() => {}
                Err(GpuError::OutOfMemory { .. }) if can_be_smaller => limit /= 2,
                made => return made,
            }
        }
    }

    fn in_bands(gpu: &Gpu, kernels: &Kernels, order: &Order<'_>, bands: Bands) -> Result<Self, GpuError> {
        let Order { scene, world, spec, recipe } = *order;
        let Recipe { igi: ref parameters, aovs, reuse } = recipe;
        let links = Links::of(scene.light_tree(), world.lights().len());
        let packed = frame::packed(order, links.places, &bands, gpu.adapter().kind);
        let goes_on = paths_go_on(world, parameters);
        let sizes = Sizes::new(spec, &packed, &bands, goes_on);
        let arrays = Arrays::new(gpu, order, &sizes, &links)?;
        let needs = Needs {
            rays: sizes.rays,
            places: sizes.places,
            followers: sizes.followers,
            asked: sizes.places * asked_words(parameters),
            groups: packed.groups as usize,
            camera_beams: sizes.camera_beams,
            pixels: spec.width as usize * bands.traced_rows() as usize,
            is_sequence: reuse.is_some(),
        };
        let workspace = kernels.spares.workspace(gpu, needs)?;
        let mut all = arrays.bindings().to_vec();
        all.extend(in_group(0, scene.mirror.bindings()).chain(in_group(0, scene.surfaces())));
        all.extend(in_group(1, workspace.bindings()));
        all.extend(in_group(2, scene.materials()).chain(in_group(3, scene.lights())));
        let bind = |pipeline: &Pipeline| bound(gpu, pipeline, &all);

        // Points that paths meet, and counters, are in arrays of their own; first surfaces are where paths begin
        let counters = [(1, TRACED, &arrays.followed.buffer)];
        let own: Vec<_> = in_group(1, workspace.of_paths()).chain(counters).collect();
        let of_paths = instead(&all, &own);
        let sharp = kernels.sharp(gpu, parameters.compensate)?;
        let surface = bound(gpu, &sharp.surface, &instead(&all, &counters));

        let caustics = |of: Photons| -> Result<_, GpuError> {
            let arrays = PhotonArrays::new(gpu, world, of)?;
            let kernels = kernels.caustics(gpu)?;
            let with_photons =
                |all: &[_], pipeline| bound(gpu, pipeline, &[all, &arrays.bindings()].concat());
            let [walks, cells, places, gather] =
                [&kernels.walks, &kernels.cells, &kernels.places, &kernels.gather]
                    .map(|pipeline| with_photons(&all, pipeline));
            let [follow, gather_paths] =
                [&kernels.follow, &kernels.gather_paths].map(|pipeline| with_photons(&of_paths, pipeline));
            Ok(BoundCaustics { of, walks, cells, places, gather, gather_paths, follow, arrays })
        };
        let caustics = Photons::of(world, parameters).map(caustics).transpose()?;

        // Each band has sums of its own
        let recording = has_channels(aovs).then(|| kernels.recording(gpu)).transpose()?;
        let filter = recording.map_or(&kernels.filter, |recording| &recording.filter);
        let strip = |band: &Band| {
            let [start, end] = band.wanted;
            let sums = FilmSums::new(gpu, spec.width as usize * (end - start) as usize, aovs)?;
            let channels = sums.channels.iter().map(|channels| (1, 5, &channels.buffer));
            let own: Vec<_> = channels.chain([(1, 4, &sums.pixels.buffer)]).collect();
            Ok(Strip { filter: bound(gpu, filter, &instead(&all, &own)), sums })
        };
        let sink = match reuse {
            None => Sink::Film(bands.bands.iter().map(strip).collect::<Result<_, GpuError>>()?),
            Some(frames) => {
                let of = Past::new(gpu, spec, frames)?;
                let all: Vec<_> = all.iter().copied().chain(of.bindings()).collect();
                let kernels = kernels.reusing(gpu)?;
                let [filter, reuse] =
                    [&kernels.filter, &kernels.reuse].map(|pipeline| bound(gpu, pipeline, &all));
                Sink::Next(Box::new(BoundPast { filter, reuse, of }))
            }
        };
        let streams = Self {
            pattern: bind(&kernels.pattern),
            probe: bind(&kernels.probe),
            reach: bind(&kernels.reach),
            estimate: bind(&kernels.estimate),
            weigh: bind(&kernels.weigh),
            recall: bind(&kernels.recall),
            collect: bind(&kernels.collect),
            shares: bind(&kernels.shares),
            blocks: bind(&kernels.blocks),
            parts: bind(&kernels.parts),
            walks: bind(&kernels.walks),
            occluders: bind(&kernels.occluders),
            clearances: bind(&kernels.clearances),
            camera_beams: kernels.camera_beams.as_ref().map(bind),
            primary: bind(&kernels.primary),
            surface,
            ask: bind(&kernels.ask),
            occlude: bind(&kernels.occlude),
            light: bind(&kernels.light),
            follow: bound(gpu, &sharp.follow, &of_paths),
            occlude_paths: bound(gpu, &kernels.occlude_paths, &of_paths),
            light_paths: bound(gpu, &kernels.light_paths, &of_paths),
            resolve: bind(&kernels.resolve),
            first: recording.map(|recording| bind(&recording.first)),
            caustics,
            sink,
            recipe,
            packed,
            sizes,
            arrays,
            bands,
            _workspace: workspace,
        };
        gpu.check()?;
        Ok(streams)
    }

    /// How many bands a frame is made in.
    pub(super) fn bands(&self) -> usize {
        self.bands.bands.len()
    }

    /// Sets out for frame number `pass`.
    ///
    /// * `spec` — from where it is seen, else as when the streams were made.
    pub(super) fn begin(&self, gpu: &Gpu, spec: &ViewSpec, pass: u32) {
        let mut frame = frame::numbered(&self.packed, &self.recipe, pass);
        if let Some(caustics) = &self.caustics {
            caustics.of.set_out(&mut frame, &self.recipe.igi, self.recipe.like(pass));
        }
        let share = share_of_sample(self.recipe.like(pass).saturating_mul(self.packed.rays));
        let spec = ViewSpec { texture_footprint: spec.texture_footprint * share, ..*spec };
        let PathTracer { max_bounces, roulette_after } = PathTracer::DEFAULT;
        self.arrays.view.write(gpu, &[packed(&spec, max_bounces, roulette_after)]);
        self.arrays.frame.write(gpu, &[frame]);
    }

    /// Tells frame number `number` of a sequence of the one before it, if there was one.
    pub(super) fn begin_after(&self, gpu: &Gpu, number: u32, before: Option<&ViewSpec>) {
        if let Sink::Next(past) = &self.sink {
            past.of.set_out(gpu, number, before);
        }
    }

    /// Sets out for a band of it.
    pub(super) fn begin_band(&self, gpu: &Gpu, band: usize) {
        let Band { traced, wanted } = self.bands.bands[band];
        let at = offset_of!(IgiFrame, traced_first) as u64;
        gpu.queue.write_buffer(&self.arrays.frame.buffer, at, bytemuck::bytes_of(&[traced, wanted]));
        self.arrays.traced.write(gpu, &[TracedRays::default()]);
        self.arrays.followed.write(gpu, &[TracedRays::default()]);
        if let Some(caustics) = self.caustics.iter().find(|_| band == 0) {
            caustics.arrays.forget(gpu);
        }
    }

    /// Puts what the film has on the GPU into one of its size and channels. Waits until all that was submitted is done.
    pub(super) fn read_film(&self, gpu: &Gpu, film: &mut Film) -> Result<(), GpuError> {
        let Sink::Film(strips) = &self.sink else { return Ok(()) };
        let sums: Vec<_> = strips.iter().map(|strip| &strip.sums).collect();
        read(gpu, &sums, film)
    }

    /// Rays of the band that was worked on last. Waits until all that was submitted is done.
    pub(super) fn rays(&self, gpu: &Gpu, band: usize) -> Result<RayCount, GpuError> {
        let (mut closest, mut any) = (0, 0);
        for counters in [&self.arrays.traced, &self.arrays.followed] {
            for counted in counters.read(gpu)? {
                closest += u64::from(counted.closest);
                any += u64::from(counted.any);
            }
        }
        let [start, end] = self.bands.bands[band].traced;
        let intersect = self.sizes.camera_rays * u64::from(end - start) + closest;
        Ok(RayCount { intersect, occluded: any })
    }
}

/// All arrays, and some of them in place of those with the same group and number.
fn instead<'a>(
    all: &[(u32, u32, &'a Buffer)],
    some: &[(u32, u32, &'a Buffer)],
) -> Vec<(u32, u32, &'a Buffer)> {
    let replaced = |group, number| some.iter().any(|&(g, n, _)| (g, n) == (group, number));
    let others = all.iter().filter(|&&(group, number, _)| !replaced(group, number));
    others.chain(some).copied().collect()
}

/// With the number of their group.
fn in_group<'a>(
    group: u32,
    arrays: impl IntoIterator<Item = (u32, &'a Buffer)>,
) -> impl Iterator<Item = (u32, u32, &'a Buffer)> {
    arrays.into_iter().map(move |(number, array)| (group, number, array))
}

fn bound(gpu: &Gpu, pipeline: &Pipeline, arrays: &[(u32, u32, &Buffer)]) -> Bound {
    Bound { pipeline: pipeline.clone(), groups: pipeline.groups(gpu, arrays) }
}
