use std::mem::offset_of;

use sunfleck_image::Film;
use sunfleck_integrators::path::PathTracer;
use sunfleck_integrators::{RayCount, ViewSpec, footprint_scale};
use sunfleck_shaders::Features;
use sunfleck_shaders::layout::{Channels, IgiFrame, IgiPath, LitPoint, MOST_WAITING, Pixel, TracedRays};

use super::arrays::FrameArrays;
use super::bands::{Band, Bands};
use super::frame;
use super::frame_passes::{FramePass, PHASES, StreamSet};
use super::history::FrameHistory;
use super::light_parents::LightParents;
use super::photons::{PhotonArrays, PhotonSizes};
use super::sizes::{FrameSizes, paths_continue, vpl_bit_words};
use super::stages::BoundPass;
use super::workspace::{Workspace, WorkspacePool, WorkspaceSizes};
use super::{IgiRequest, IgiSettings};
use crate::film::{FilmSums, has_channels, read};
use crate::kernels::Kernels;
use crate::path::packed_view;
use crate::{Gpu, GpuError};

/// Destination of frames.
#[derive(Debug)]
pub(super) enum FrameSink {
    /// The film, as one strip per band from top to bottom.
    Film(Vec<FilmSums>),
    /// The mean over frames that the next frame reuses.
    History(Box<FrameHistory>),
}

/// The arrays that passes share, and the bindings of the passes.
#[derive(Debug)]
pub(super) struct FrameStreams {
    settings: IgiSettings,
    /// Parameters that all frames share.
    shared: IgiFrame,
    pub(super) sizes: FrameSizes,
    pub(super) arrays: FrameArrays,
    bands: Bands,
    /// Passes of the [table](super::frame_passes) that have items, by phase.
    pub(super) phases: [Vec<BoundPass>; 3],
    /// Photons of caustics, if any.
    caustics: Option<(PhotonSizes, PhotonArrays)>,
    pub(super) sink: FrameSink,
    /// Its arrays are bound above; when dropped, it returns to the pool.
    _workspace: Workspace,
}

impl FrameStreams {
    /// Allocates the arrays for films of the size of `spec`.
    ///
    /// * `limit` — largest size of an array of a band, bytes; halved while memory is short.
    pub(super) fn new(
        kernels: &Kernels,
        workspaces: &WorkspacePool,
        request: &IgiRequest<'_>,
        mut limit: u64,
    ) -> Result<Self, GpuError> {
        let IgiRequest { world, spec, settings: IgiSettings { igi: ref parameters, aovs, reuse }, .. } =
            *request;
        let ray_bytes = if paths_continue(world, parameters) {
            MOST_WAITING * size_of::<IgiPath>()
        } else {
            size_of::<LitPoint>()
        };
        let film_bytes = if has_channels(aovs) { size_of::<Channels>() } else { size_of::<Pixel>() };
        let vpl_bits = vpl_bit_words(parameters) * size_of::<u32>();
        let reads_neighbors = parameters.filters(0) || reuse.is_some();
        let ray_bytes_per_pixel = parameters.subsets() as usize * ray_bytes;
        let bytes_per_pixel = ray_bytes_per_pixel.max(film_bytes).max(vpl_bits) as u64;
        loop {
            let bands = Bands::new(spec, parameters, reads_neighbors, bytes_per_pixel, limit);
            let can_be_smaller = bands.blocks > 1;
            match Self::in_bands(kernels, workspaces, request, bands) {
                Err(GpuError::OutOfMemory { .. }) if workspaces.clear() => {}
                Err(GpuError::OutOfMemory { .. }) if can_be_smaller => limit /= 2,
                made => return made,
            }
        }
    }

    fn in_bands(
        kernels: &Kernels,
        workspaces: &WorkspacePool,
        request: &IgiRequest<'_>,
        bands: Bands,
    ) -> Result<Self, GpuError> {
        let gpu = &*kernels.gpu;
        let IgiRequest { scene, world, spec, settings } = *request;
        let IgiSettings { igi: ref parameters, aovs, reuse } = settings;
        let light_parents = LightParents::new(scene.light_tree(), world.lights().len());
        let shared = frame::shared_parameters(request, light_parents.count, &bands, gpu.adapter().kind);
        let sizes = FrameSizes::new(gpu, request, &shared, &bands);
        let arrays = FrameArrays::new(gpu, request, &sizes, &light_parents)?;
        let workspace_sizes = WorkspaceSizes {
            rays: sizes.rays,
            places: sizes.places,
            path_threads: sizes.path_threads,
            vpl_bits: sizes.places * vpl_bit_words(parameters),
            groups: shared.groups as usize,
            camera_beams: sizes.camera_beams,
            pixels: spec.width as usize * bands.traced_rows() as usize,
            is_sequence: reuse.is_some(),
        };
        let workspace = workspaces.workspace(gpu, workspace_sizes)?;
        let caustics = PhotonSizes::new(world, parameters)
            .map(|photons| Ok((photons, PhotonArrays::new(gpu, world, photons)?)))
            .transpose()?;
        // Each band has its own sums
        let sums = |band: &Band| {
            let [start, end] = band.output;
            FilmSums::new(gpu, spec.width as usize * (end - start) as usize, aovs)
        };
        let sink = match reuse {
            None => FrameSink::Film(bands.bands.iter().map(sums).collect::<Result<_, GpuError>>()?),
            Some(frames) => FrameSink::History(Box::new(FrameHistory::new(gpu, spec, frames)?)),
        };

        // Resources of passes on first surfaces, and of those on paths
        let mut first = scene.resources();
        first.extend(arrays.resources());
        first.extend(workspace.resources());
        first.extend(caustics.iter().flat_map(|(_, arrays)| arrays.resources()));
        let strips: &[FilmSums] = match &sink {
            FrameSink::Film(strips) => strips,
            FrameSink::History(history) => {
                first.extend(history.resources());
                &[]
            }
        };
        let counted = first.clone().with("traced", &arrays.followed.buffer);
        let mut paths = counted.clone();
        paths.extend(workspace.path_arrays());
        let features = Features::FILM
            .when(reuse.is_none())
            .and(Features::CHANNELS.when(has_channels(aovs)))
            .and(Features::PHOTONS.when(caustics.is_some()));
        let bind = |frame_pass: &'static FramePass| -> Result<BoundPass, GpuError> {
            let pipeline = kernels.with_compensation(frame_pass.pass, features, parameters.compensate)?;
            let resources = match frame_pass.set {
                StreamSet::First => &first,
                StreamSet::Counted => &counted,
                StreamSet::Paths => &paths,
            };
            let to_strip = |strip: &FilmSums| {
                let mut resources = resources.clone().with("film", &strip.pixels.buffer);
                resources.extend(strip.channels.iter().map(|channels| ("channels", &channels.buffer)));
                pipeline.bind(gpu, &resources)
            };
            // Passes that add to the film have one binding per strip
            let adds = frame_pass.pass.options.within(Features::FILM).within(features) != Features::NONE;
            let groups = match adds {
                true => strips.iter().map(to_strip).collect::<Result<_, _>>()?,
                false => vec![pipeline.bind(gpu, resources)?],
            };
            Ok(BoundPass { frame_pass, pipeline, groups })
        };
        let bound = |passes: &'static [FramePass]| {
            passes
                .iter()
                .filter(|pass| (pass.items)(&sizes) > 0)
                .map(bind)
                .collect::<Result<Vec<_>, GpuError>>()
        };
        let [beginning, light, end] = PHASES.map(bound);
        let phases = [beginning?, light?, end?];
        let streams =
            Self { phases, caustics, sink, settings, shared, sizes, arrays, bands, _workspace: workspace };
        gpu.check()?;
        Ok(streams)
    }

    /// Number of bands of a frame.
    pub(super) fn bands(&self) -> usize {
        self.bands.bands.len()
    }

    /// Writes the parameters of frame number `pass`.
    ///
    /// * `spec` — view of the frame; all but the camera must be as at creation.
    pub(super) fn begin(&self, gpu: &Gpu, spec: &ViewSpec, pass: u32) {
        let mut frame = frame::frame_parameters(&self.shared, &self.settings, pass);
        if let Some((photons, _)) = &self.caustics {
            photons.write_parameters(&mut frame, &self.settings.igi, self.settings.equivalent_pass(pass));
        }
        let share = footprint_scale(self.settings.equivalent_pass(pass).saturating_mul(self.shared.rays));
        let spec = ViewSpec { texture_footprint: spec.texture_footprint * share, ..*spec };
        let PathTracer { max_bounces, roulette_after, .. } = PathTracer::DEFAULT;
        self.arrays.view.write(gpu, &[packed_view(&spec, max_bounces, roulette_after)]);
        self.arrays.frame.write(gpu, &[frame]);
    }

    /// Writes the parameters of the frame before frame number `number` of a temporal sequence, if there was one.
    pub(super) fn begin_after(&self, gpu: &Gpu, number: u32, before: Option<&ViewSpec>) {
        if let FrameSink::History(history) = &self.sink {
            history.write_parameters(gpu, number, before);
        }
    }

    /// Writes the parameters of a band, and resets the counters.
    pub(super) fn begin_band(&self, gpu: &Gpu, band: usize) {
        let Band { traced, output } = self.bands.bands[band];
        let at = offset_of!(IgiFrame, traced_first) as u64;
        gpu.queue.write_buffer(&self.arrays.frame.buffer, at, bytemuck::bytes_of(&[traced, output]));
        self.arrays.traced.write(gpu, &[TracedRays::default()]);
        self.arrays.followed.write(gpu, &[TracedRays::default()]);
        if let Some((_, arrays)) = self.caustics.iter().find(|_| band == 0) {
            arrays.reset_counts(gpu);
        }
    }

    /// Reads the film on the GPU into one of the same size and channels. Waits until all submitted work is done.
    pub(super) fn read_film(&self, gpu: &Gpu, film: &mut Film) -> Result<(), GpuError> {
        let FrameSink::Film(strips) = &self.sink else { return Ok(()) };
        read(gpu, &strips.iter().collect::<Vec<_>>(), film)
    }

    /// Reads the number of rays of the band that was rendered last. Waits until all submitted work is done.
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
