//! The arrays that the passes of a frame share, except those with per-pixel data.

use sunfleck_constants::group::GROUP;
use sunfleck_image::{FilterCell, FilterSampler};
use sunfleck_shaders::layout::{
    CameraOffset, FindScale, GlossyVpl, IgiFrame, LightFind, Seen, TracedRays, View, Vpl,
};
use wgpu::Buffer;

use super::IgiRequest;
use super::light_parents::LightParents;
use super::sizes::FrameSizes;
use crate::buffer::Array;
use crate::film::has_channels;
use crate::{Gpu, GpuError};

/// Arrays whose size follows from the request.
#[derive(Debug)]
pub(super) struct FrameArrays {
    pub(super) view: Array<View>,
    pub(super) frame: Array<IgiFrame>,
    pub(super) vpls: Array<Vpl>,
    /// Ray counters of first surfaces, and of paths.
    pub(super) traced: Array<TracedRays>,
    pub(super) followed: Array<TracedRays>,
    pub(super) part_sums: Array<u32>,
    pub(super) seen: Array<Seen>,
    offsets: Array<CameraOffset>,
    glossy_vpls: Array<GlossyVpl>,
    occluders: Array<[u32; 4]>,
    pub(super) clearances: Array<f32>,
    distances: Array<f32>,
    finds: Array<LightFind>,
    partial_sums: Array<[f32; 2]>,
    scale: Array<FindScale>,
    /// Arrays of the light tree: contributions found by coarse paths, parents, and shares of the power.
    found: Array<[u32; 2]>,
    light_parents: Array<u32>,
    shares: Array<f32>,
    blocks: Array<u32>,
    filter_cells: Array<FilterCell>,
}

impl FrameArrays {
    pub(super) fn new(
        gpu: &Gpu,
        request: &IgiRequest<'_>,
        sizes: &FrameSizes,
        light_parents: &LightParents,
    ) -> Result<Self, GpuError> {
        let IgiRequest { world, spec, settings, .. } = *request;
        let shares: Vec<f32> = world.lights().power_shares().collect();
        let seen = if has_channels(settings.aovs) { sizes.film } else { 1 };
        Ok(Self {
            view: Array::zeroed(gpu, "views", 1)?,
            frame: Array::zeroed(gpu, "frames", 1)?,
            vpls: Array::zeroed(gpu, "virtual point lights", sizes.vpls)?,
            traced: Array::zeroed(gpu, "counters", 1)?,
            followed: Array::zeroed(gpu, "counters", 1)?,
            part_sums: Array::zeroed(gpu, "parts of lights", sizes.lights + 1)?,
            seen: Array::zeroed(gpu, "first surfaces", seen)?,
            offsets: Array::zeroed(gpu, "patterns of camera rays", sizes.pattern)?,
            glossy_vpls: Array::zeroed(gpu, "virtual point lights", sizes.vpls)?,
            occluders: Array::zeroed(gpu, "occluders", sizes.occluders)?,
            clearances: Array::zeroed(gpu, "clearances", sizes.clearances)?,
            distances: Array::zeroed(gpu, "distances", sizes.probes)?,
            finds: Array::zeroed(gpu, "contributions of lights", sizes.finds)?,
            partial_sums: Array::zeroed(gpu, "sums of contributions", sizes.cells.div_ceil(GROUP as usize))?,
            scale: Array::zeroed(gpu, "scales", 1)?,
            found: Array::new(gpu, "contributions of lights", &vec![[0; 2]; light_parents.count as usize])?,
            light_parents: Array::new(gpu, "parents of lights", &light_parents.words)?,
            shares: Array::new(gpu, "shares of lights", &shares)?,
            blocks: Array::zeroed(gpu, "parts of lights", sizes.lights.div_ceil(GROUP as usize))?,
            filter_cells: Array::new(gpu, "cells of the filter", &FilterSampler::new(spec.filter).cells())?,
        })
    }

    /// Buffers by the names of WESL variables.
    pub(super) fn resources(&self) -> [(&'static str, &Buffer); 19] {
        [
            ("view", &self.view.buffer),
            ("frame", &self.frame.buffer),
            ("pattern", &self.offsets.buffer),
            ("vpls", &self.vpls.buffer),
            ("glossy_vpls", &self.glossy_vpls.buffer),
            ("traced", &self.traced.buffer),
            ("part_sums", &self.part_sums.buffer),
            ("distances", &self.distances.buffer),
            ("finds", &self.finds.buffer),
            ("partial_sums", &self.partial_sums.buffer),
            ("scale", &self.scale.buffer),
            ("found", &self.found.buffer),
            ("links", &self.light_parents.buffer),
            ("power_shares", &self.shares.buffer),
            ("block_sums", &self.blocks.buffer),
            ("seen", &self.seen.buffer),
            ("occluders", &self.occluders.buffer),
            ("clearances", &self.clearances.buffer),
            ("filter_cells", &self.filter_cells.buffer),
        ]
    }
}
