use std::mem::offset_of;

use sunfleck_image::{Film, FilterCell, FilterSampler};
use sunfleck_integrators::igi::Igi;
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{RayCount, ViewSpec, World};
use sunfleck_shaders::GROUP;
use sunfleck_shaders::layout::{
    CameraOffset, Channels, FindScale, GlossyVpl, IgiFrame, IgiPath, LightFind, LitPoint, MOST_WAITING,
    Pixel, Seen, TracedRays, View, Vpl,
};
use wgpu::{Buffer, BufferDescriptor, BufferUsages};

use super::bands::{Band, Bands};
use super::frame::{self, EDGE};
use super::kernels::Kernels;
use super::links::Links;
use super::past::Past;
use super::photons::{PhotonArrays, Photons};
use super::stages::Bound;
use super::workspace::{Needs, PICTURE, STATES, Workspace};
use super::{Order, Recipe};
use crate::buffer::Array;
use crate::film::{FilmSums, has_channels, read};
use crate::path::packed;
use crate::pipeline::Pipeline;
use crate::{Gpu, GpuError};

/// Pixels of a row and of a column of the pattern of camera rays.
const PATTERN_EDGE: u32 = 8;
/// Surfaces of a path of the coarse picture.
const PATH_LENGTH: usize = 4;
/// Camera rays by which distances are judged.
const PROBES: usize = 24 * 24;
/// Pixels of a row and of a column whose camera rays run together.
const SQUARE: u32 = 4;

/// How many threads kernels have; those of a band.
#[derive(Debug)]
pub(super) struct Sizes {
    pub(super) pattern: usize,
    pub(super) probes: usize,
    pub(super) vpls: usize,
    pub(super) lights: usize,
    /// Nodes of the tree of lights, and lights infinitely far away.
    pub(super) nodes: usize,
    /// Paths of the coarse picture, none if it is not asked for; and what they may find.
    pub(super) cells: usize,
    pub(super) finds: usize,
    pub(super) primary: usize,
    /// Pixels in the order of sets, those outside of the film included.
    pub(super) places: usize,
    /// As many times the rays of a pixel.
    pub(super) rays: usize,
    /// Those that are added to the film, in groups of 8 × 8 …
    pub(super) pixels: usize,
    /// … and row by row.
    pub(super) film: usize,
    /// How often paths go on in a frame that nothing waits for.
    pub(super) bounces: u32,
    /// Of a row of pixels.
    camera_rays: u64,
}

impl Sizes {
    fn new(spec: &ViewSpec, frame: &IgiFrame, bands: &Bands, goes_on: bool) -> Self {
        let rays = frame.rays as usize;
        let squares =
            |rows: u32, edge: u32| (spec.width.div_ceil(edge) * rows.div_ceil(edge) * edge * edge) as usize;
        let cells = if frame.importance > 0.0 { frame.cells as usize } else { 0 };
        let places = (frame.groups * GROUP) as usize;
        Self {
            pattern: (PATTERN_EDGE * PATTERN_EDGE) as usize * rays,
            probes: PROBES,
            vpls: (frame.interleave * frame.interleave * frame.rays * frame.per_share) as usize,
            lights: frame.lights as usize,
            nodes: frame.places as usize,
            cells,
            finds: cells * PATH_LENGTH,
            primary: squares(bands.traced_rows(), SQUARE) * rays,
            places,
            rays: places * rays,
            pixels: squares(bands.wanted_rows(), EDGE),
            film: spec.width as usize * bands.wanted_rows() as usize,
            bounces: if goes_on { frame.max_bounces } else { 0 },
            camera_rays: u64::from(spec.width) * u64::from(frame.rays),
        }
    }
}

/// Words of a pixel that has a bit for each VPL of its set.
fn asked_words(igi: &Igi) -> usize {
    (igi.subsets() * igi.vpls_per_subset()).div_ceil(u32::BITS) as usize
}

fn paths_go_on(world: &World, igi: &Igi) -> bool {
    world.materials().any_sharp() || igi.compensate == 1
}

/// Where frames go.
#[derive(Debug)]
pub(super) enum Sink {
    /// Into the film, of which each band has a strip, from top to bottom.
    Film(Vec<Strip>),
    /// Into the mean that the next frame takes over.
    Next(BoundPast),
}

/// What the film has of a band.
#[derive(Debug)]
pub(super) struct Strip {
    pub(super) sums: FilmSums,
    pub(super) add: Bound,
}

/// What frames of a sequence take.
#[derive(Debug)]
pub(super) struct BoundPast {
    pub(super) of: Past,
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
}

/// What the stages pass on, and how each binds it.
#[derive(Debug)]
pub(super) struct Streams {
    recipe: Recipe,
    /// What all frames share.
    packed: IgiFrame,
    pub(super) sizes: Sizes,
    view: Array<View>,
    frame: Array<IgiFrame>,
    pub(super) part_sums: Array<u32>,
    traced: Array<TracedRays>,
    pub(super) vpls: Array<Vpl>,
    bands: Bands,
    pub(super) groups_to_run: Buffer,
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
    pub(super) primary: Bound,
    pub(super) surface: Bound,
    pub(super) ask: Bound,
    pub(super) occlude: Bound,
    pub(super) light: Bound,
    pub(super) intersect: Bound,
    pub(super) bounce: Bound,
    pub(super) turn: Bound,
    pub(super) resolve: Bound,
    pub(super) filter: Bound,
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
        let bytes_per_pixel = (parameters.subsets() as usize * of_ray).max(of_pixel).max(asked) as u64;
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
        let packed = frame::packed(order, links.places, &bands);
        let goes_on = paths_go_on(world, parameters);
        let sizes = Sizes::new(spec, &packed, &bands, goes_on);
        let cells: Array<FilterCell> =
            Array::new(gpu, "cells of the filter", &FilterSampler::new(spec.filter).cells())?;
        let view: Array<View> = Array::vacant(gpu, "views", 1)?;
        let frame: Array<IgiFrame> = Array::vacant(gpu, "frames", 1)?;
        let offsets: Array<CameraOffset> = Array::vacant(gpu, "patterns of camera rays", sizes.pattern)?;
        let vpls: Array<Vpl> = Array::vacant(gpu, "virtual point lights", sizes.vpls)?;
        let glossy_vpls: Array<GlossyVpl> = Array::vacant(gpu, "virtual point lights", sizes.vpls)?;
        let traced: Array<TracedRays> = Array::vacant(gpu, "counters", 1)?;
        let part_sums: Array<u32> = Array::vacant(gpu, "parts of lights", packed.lights as usize + 1)?;
        let distances: Array<f32> = Array::vacant(gpu, "distances", sizes.probes)?;
        let needs = Needs {
            rays: sizes.rays,
            places: sizes.places,
            waiting: if goes_on { MOST_WAITING * sizes.rays } else { 1 },
            asked: sizes.places * asked_words(parameters),
            groups: packed.groups as usize,
            pixels: spec.width as usize * bands.traced_rows() as usize,
        };
        let workspace = kernels.spares.workspace(gpu, needs)?;
        let groups_to_run = gpu.device.create_buffer(&BufferDescriptor {
            label: Some("groups to run"),
            size: size_of::<[[u32; 3]; 2]>() as u64,
            usage: BufferUsages::STORAGE | BufferUsages::INDIRECT,
            mapped_at_creation: false,
        });
        let finds: Array<LightFind> = Array::vacant(gpu, "finds", sizes.finds)?;
        let partial_sums: Array<[f32; 2]> =
            Array::vacant(gpu, "sums of finds", sizes.cells.div_ceil(GROUP as usize))?;
        let scale: Array<FindScale> = Array::vacant(gpu, "scales", 1)?;
        let found: Array<[u32; 2]> = Array::new(gpu, "finds", &vec![[0; 2]; links.places as usize])?;
        let words: Array<u32> = Array::new(gpu, "links of lights", &links.words)?;
        let shares: Vec<f32> = world.lights().power_shares().collect();
        let shares: Array<f32> = Array::new(gpu, "shares of lights", &shares)?;
        let blocks: Array<u32> =
            Array::vacant(gpu, "parts of lights", sizes.lights.div_ceil(GROUP as usize))?;
        let seen: Array<Seen> =
            Array::vacant(gpu, "first surfaces", if has_channels(aovs) { sizes.film } else { 1 })?;

        let own = [
            (0, &view.buffer),
            (1, &frame.buffer),
            (2, &offsets.buffer),
            (10, &vpls.buffer),
            (11, &glossy_vpls.buffer),
            (12, &traced.buffer),
            (19, &part_sums.buffer),
            (20, &distances.buffer),
            (22, &groups_to_run),
            (23, &finds.buffer),
            (24, &partial_sums.buffer),
            (25, &scale.buffer),
            (26, &found.buffer),
            (27, &words.buffer),
            (28, &shares.buffer),
            (29, &blocks.buffer),
            (30, &seen.buffer),
        ];
        let own: Vec<_> = own.into_iter().chain(workspace.bindings()).collect();
        let of_world = world;
        let world: Vec<_> = scene.mirror.bindings().into_iter().chain(scene.surfaces()).collect();
        let lights: Vec<_> = scene.lights().into_iter().chain([(8, &cells.buffer)]).collect();
        let groups = [&world[..], &own, &scene.materials(), &lights];
        let all: Vec<_> = (0..)
            .zip(groups)
            .flat_map(|(group, arrays)| arrays.iter().map(move |&(number, array)| (group, number, array)))
            .collect();
        let bind = |pipeline: &Pipeline| bound(gpu, pipeline, &all);

        let caustics = |of: Photons| -> Result<_, GpuError> {
            let arrays = PhotonArrays::new(gpu, of_world, of)?;
            let kernels = kernels.caustics(gpu)?;
            let all: Vec<_> = all.iter().copied().chain(arrays.bindings()).collect();
            let [walks, cells, places, gather] =
                [&kernels.walks, &kernels.cells, &kernels.places, &kernels.gather]
                    .map(|pipeline| bound(gpu, pipeline, &all));
            Ok(BoundCaustics { of, arrays, walks, cells, places, gather })
        };
        let caustics = Photons::of(of_world, parameters).map(caustics).transpose()?;

        // Each band has sums of its own
        let recording = has_channels(aovs).then(|| kernels.recording(gpu)).transpose()?;
        let add = recording.map_or(&kernels.add, |recording| &recording.add);
        let strip = |band: &Band| {
            let [start, end] = band.wanted;
            let sums = FilmSums::new(gpu, spec.width as usize * (end - start) as usize, aovs)?;
            let mut arrays = vec![(1, 1, &frame.buffer), (1, 4, &sums.pixels.buffer), (1, 30, &seen.buffer)];
            arrays.extend(workspace.some(&[PICTURE, STATES]).map(|(number, array)| (1, number, array)));
            arrays.extend(sums.channels.iter().map(|channels| (1, 5, &channels.buffer)));
            Ok(Strip { add: bound(gpu, add, &arrays), sums })
        };
        let sink = match reuse {
            None => Sink::Film(bands.bands.iter().map(strip).collect::<Result<_, GpuError>>()?),
            Some(frames) => {
                let of = Past::new(gpu, spec, frames)?;
                let all: Vec<_> = all.iter().copied().chain(of.bindings()).collect();
                Sink::Next(BoundPast { reuse: bound(gpu, kernels.reuse(gpu)?, &all), of })
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
            primary: bind(&kernels.primary),
            surface: bind(&kernels.surface),
            ask: bind(&kernels.ask),
            occlude: bind(&kernels.occlude),
            light: bind(&kernels.light),
            intersect: bind(&kernels.intersect),
            bounce: bind(&kernels.bounce),
            turn: bind(&kernels.turn),
            resolve: bind(&kernels.resolve),
            filter: bind(&kernels.filter),
            first: recording.map(|recording| bind(&recording.first)),
            caustics,
            sink,
            recipe,
            packed,
            sizes,
            view,
            frame,
            part_sums,
            traced,
            vpls,
            bands,
            groups_to_run,
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
        self.view
            .write(gpu, &[packed(spec, PathTracer::DEFAULT.max_bounces, PathTracer::DEFAULT.roulette_after)]);
        self.frame.write(gpu, &[frame]);
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
        gpu.queue.write_buffer(&self.frame.buffer, at, bytemuck::bytes_of(&[traced, wanted]));
        self.traced.write(gpu, &[TracedRays::NONE]);
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

    /// What was counted. Waits until all that was submitted is done.
    pub(super) fn counted(&self, gpu: &Gpu) -> Result<TracedRays, GpuError> {
        Ok(self.traced.read(gpu)?.first().copied().unwrap_or_default())
    }

    /// Rays of the band that was worked on last. Waits until all that was submitted is done.
    pub(super) fn rays(&self, gpu: &Gpu, band: usize) -> Result<RayCount, GpuError> {
        let TracedRays { closest, any, .. } = self.counted(gpu)?;
        let [start, end] = self.bands.bands[band].traced;
        let intersect = self.sizes.camera_rays * u64::from(end - start) + u64::from(closest);
        Ok(RayCount { intersect, occluded: any.into() })
    }
}

fn bound(gpu: &Gpu, pipeline: &Pipeline, arrays: &[(u32, u32, &Buffer)]) -> Bound {
    Bound { pipeline: pipeline.clone(), groups: pipeline.groups(gpu, arrays) }
}
