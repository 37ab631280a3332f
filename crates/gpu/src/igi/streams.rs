use std::mem::offset_of;

use sunfleck_image::Film;
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{RayCount, ViewSpec, share_of_sample};
use sunfleck_shaders::Features;
use sunfleck_shaders::layout::{Channels, IgiFrame, IgiPath, LitPoint, MOST_WAITING, Pixel, TracedRays};

use super::arrays::Arrays;
use super::bands::{Band, Bands};
use super::frame;
use super::links::Links;
use super::past::Past;
use super::photons::{PhotonArrays, Photons};
use super::rows::{PARTS, Row, StreamSet};
use super::sizes::{Sizes, asked_words, paths_go_on};
use super::stages::Bound;
use super::workspace::{Needs, Spares, Workspace};
use super::{Order, Recipe};
use crate::film::{FilmSums, has_channels, read};
use crate::kernels::Kernels;
use crate::path::packed;
use crate::{Gpu, GpuError};

/// Where frames go.
#[derive(Debug)]
pub(super) enum Sink {
    /// Into the film, of which each band has a strip, from top to bottom.
    Film(Vec<FilmSums>),
    /// Into the mean that the next frame takes over.
    Next(Box<Past>),
}

/// What the passes pass on, and how each binds it.
#[derive(Debug)]
pub(super) struct Streams {
    recipe: Recipe,
    /// What all frames share.
    packed: IgiFrame,
    pub(super) sizes: Sizes,
    pub(super) arrays: Arrays,
    bands: Bands,
    /// Those of the [table](super::rows) that have items, in their order.
    pub(super) parts: [Vec<Bound>; 3],
    /// If there are photons.
    caustics: Option<(Photons, PhotonArrays)>,
    pub(super) sink: Sink,
    /// Bound above; it is given on when nothing of that is left.
    _workspace: Workspace,
}

impl Streams {
    /// For films of the size of `spec` with such channels.
    ///
    /// * `limit` — how large the arrays of a band are, bytes; smaller where memory is short.
    pub(super) fn new(
        kernels: &Kernels,
        spares: &Spares,
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
            match Self::in_bands(kernels, spares, order, bands) {
                Err(GpuError::OutOfMemory { .. }) if spares.forget() => {}
                Err(GpuError::OutOfMemory { .. }) if can_be_smaller => limit /= 2,
                made => return made,
            }
        }
    }

    fn in_bands(
        kernels: &Kernels,
        spares: &Spares,
        order: &Order<'_>,
        bands: Bands,
    ) -> Result<Self, GpuError> {
        let gpu = &*kernels.gpu;
        let Order { scene, world, spec, recipe } = *order;
        let Recipe { igi: ref parameters, aovs, reuse } = recipe;
        let links = Links::of(scene.light_tree(), world.lights().len());
        let packed = frame::packed(order, links.places, &bands, gpu.adapter().kind);
        let sizes = Sizes::new(gpu, order, &packed, &bands);
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
        let workspace = spares.workspace(gpu, needs)?;
        let caustics = Photons::of(world, parameters)
            .map(|of| Ok((of, PhotonArrays::new(gpu, world, of)?)))
            .transpose()?;
        // Each band has sums of its own
        let sums = |band: &Band| {
            let [start, end] = band.wanted;
            FilmSums::new(gpu, spec.width as usize * (end - start) as usize, aovs)
        };
        let sink = match reuse {
            None => Sink::Film(bands.bands.iter().map(sums).collect::<Result<_, GpuError>>()?),
            Some(frames) => Sink::Next(Box::new(Past::new(gpu, spec, frames)?)),
        };

        // What passes of first surfaces bind, those of paths, and those that add to a strip of the film
        let mut first = scene.resources();
        first.extend(arrays.resources());
        first.extend(workspace.resources());
        first.extend(caustics.iter().flat_map(|(_, arrays)| arrays.resources()));
        let strips: &[FilmSums] = match &sink {
            Sink::Film(strips) => strips,
            Sink::Next(past) => {
                first.extend(past.resources());
                &[]
            }
        };
        let counted = first.clone().with("traced", &arrays.followed.buffer);
        let mut paths = counted.clone();
        paths.extend(workspace.of_paths());
        let features = Features::FILM
            .when(reuse.is_none())
            .and(Features::CHANNELS.when(has_channels(aovs)))
            .and(Features::PHOTONS.when(caustics.is_some()));
        let bind = |row: &'static Row| -> Result<Bound, GpuError> {
            let pipeline = kernels.with_short_paths(row.pass, features, parameters.compensate)?;
            let resources = match row.set {
                StreamSet::First => &first,
                StreamSet::Counted => &counted,
                StreamSet::Paths => &paths,
            };
            let to_strip = |strip: &FilmSums| {
                let mut resources = resources.clone().with("film", &strip.pixels.buffer);
                resources.extend(strip.channels.iter().map(|channels| ("channels", &channels.buffer)));
                pipeline.bind(gpu, &resources)
            };
            // What adds to the film does so strip by strip
            let adds = row.pass.options.within(Features::FILM).within(features) != Features::NONE;
            let groups = match adds {
                true => strips.iter().map(to_strip).collect::<Result<_, _>>()?,
                false => vec![pipeline.bind(gpu, resources)?],
            };
            Ok(Bound { row, pipeline, groups })
        };
        let bound = |rows: &'static [Row]| {
            rows.iter().filter(|row| (row.items)(&sizes) > 0).map(bind).collect::<Result<Vec<_>, GpuError>>()
        };
        let [beginning, light, end] = PARTS.map(bound);
        let parts = [beginning?, light?, end?];
        let streams =
            Self { parts, caustics, sink, recipe, packed, sizes, arrays, bands, _workspace: workspace };
        gpu.check()?;
        Ok(streams)
    }

    /// How many bands a frame is made in.
    pub(super) fn bands(&self) -> usize {
        self.bands.bands.len()
    }

    /// Writes the parameters of frame number `pass`.
    ///
    /// * `spec` — from where it is seen, else as when the streams were made.
    pub(super) fn begin(&self, gpu: &Gpu, spec: &ViewSpec, pass: u32) {
        let mut frame = frame::numbered(&self.packed, &self.recipe, pass);
        if let Some((photons, _)) = &self.caustics {
            photons.write_parameters(&mut frame, &self.recipe.igi, self.recipe.like(pass));
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
            past.write_parameters(gpu, number, before);
        }
    }

    /// Writes the parameters of a band of it.
    pub(super) fn begin_band(&self, gpu: &Gpu, band: usize) {
        let Band { traced, wanted } = self.bands.bands[band];
        let at = offset_of!(IgiFrame, traced_first) as u64;
        gpu.queue.write_buffer(&self.arrays.frame.buffer, at, bytemuck::bytes_of(&[traced, wanted]));
        self.arrays.traced.write(gpu, &[TracedRays::default()]);
        self.arrays.followed.write(gpu, &[TracedRays::default()]);
        if let Some((_, arrays)) = self.caustics.iter().find(|_| band == 0) {
            arrays.forget(gpu);
        }
    }

    /// Puts what the film has on the GPU into one of its size and channels. Waits until all that was submitted is done.
    pub(super) fn read_film(&self, gpu: &Gpu, film: &mut Film) -> Result<(), GpuError> {
        let Sink::Film(strips) = &self.sink else { return Ok(()) };
        read(gpu, &strips.iter().collect::<Vec<_>>(), film)
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
