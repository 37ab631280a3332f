//! What the stages of a frame pass on, beside what there is of each pixel.

use sunfleck_constants::group::GROUP;
use sunfleck_image::{FilterCell, FilterSampler};
use sunfleck_shaders::layout::{
    CameraOffset, FindScale, GlossyVpl, IgiFrame, LightFind, Seen, TracedRays, View, Vpl,
};
use wgpu::Buffer;

use super::Order;
use super::links::Links;
use super::sizes::Sizes;
use crate::buffer::Array;
use crate::film::has_channels;
use crate::{Gpu, GpuError};

/// Arrays whose size follows from the order.
#[derive(Debug)]
pub(super) struct Arrays {
    pub(super) view: Array<View>,
    pub(super) frame: Array<IgiFrame>,
    pub(super) vpls: Array<Vpl>,
    /// Counters of first surfaces, and of paths.
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
    /// Of the tree of lights: what was found, links, shares of the power.
    found: Array<[u32; 2]>,
    links: Array<u32>,
    shares: Array<f32>,
    blocks: Array<u32>,
    filter_cells: Array<FilterCell>,
}

impl Arrays {
    pub(super) fn new(gpu: &Gpu, order: &Order<'_>, sizes: &Sizes, links: &Links) -> Result<Self, GpuError> {
        let Order { world, spec, recipe, .. } = *order;
        let shares: Vec<f32> = world.lights().power_shares().collect();
        let seen = if has_channels(recipe.aovs) { sizes.film } else { 1 };
        Ok(Self {
            view: Array::vacant(gpu, "views", 1)?,
            frame: Array::vacant(gpu, "frames", 1)?,
            vpls: Array::vacant(gpu, "virtual point lights", sizes.vpls)?,
            traced: Array::vacant(gpu, "counters", 1)?,
            followed: Array::vacant(gpu, "counters", 1)?,
            part_sums: Array::vacant(gpu, "parts of lights", sizes.lights + 1)?,
            seen: Array::vacant(gpu, "first surfaces", seen)?,
            offsets: Array::vacant(gpu, "patterns of camera rays", sizes.pattern)?,
            glossy_vpls: Array::vacant(gpu, "virtual point lights", sizes.vpls)?,
            occluders: Array::vacant(gpu, "occluders", sizes.occluders)?,
            clearances: Array::vacant(gpu, "clearances", sizes.clearances)?,
            distances: Array::vacant(gpu, "distances", sizes.probes)?,
            finds: Array::vacant(gpu, "finds", sizes.finds)?,
            partial_sums: Array::vacant(gpu, "sums of finds", sizes.cells.div_ceil(GROUP as usize))?,
            scale: Array::vacant(gpu, "scales", 1)?,
            found: Array::new(gpu, "finds", &vec![[0; 2]; links.places as usize])?,
            links: Array::new(gpu, "links of lights", &links.words)?,
            shares: Array::new(gpu, "shares of lights", &shares)?,
            blocks: Array::vacant(gpu, "parts of lights", sizes.lights.div_ceil(GROUP as usize))?,
            filter_cells: Array::new(gpu, "cells of the filter", &FilterSampler::new(spec.filter).cells())?,
        })
    }

    /// By the names that shaders have for them.
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
            ("links", &self.links.buffer),
            ("power_shares", &self.shares.buffer),
            ("block_sums", &self.blocks.buffer),
            ("seen", &self.seen.buffer),
            ("occluders", &self.occluders.buffer),
            ("clearances", &self.clearances.buffer),
            ("filter_cells", &self.filter_cells.buffer),
        ]
    }
}
