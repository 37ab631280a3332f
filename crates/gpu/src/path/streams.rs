use sunfleck_image::{Filter, FilterCell, FilterSampler};
use sunfleck_shaders::layout::{Hit, Live, Shadow, View, Wave};
use wgpu::BindGroup;

use super::PathRenderer;
use crate::buffer::Array;
use crate::{Gpu, GpuError, SceneMirror};

/// What the stages pass on, and how each binds it. Live paths are in one array at even bounces, in another at odd ones.
pub(super) struct Streams {
    view: Array<View>,
    wave: Array<Wave>,
    pub(super) samples: Array<[f32; 4]>,
    pub(super) generate: Vec<BindGroup>,
    pub(super) intersect: [Vec<BindGroup>; 2],
    pub(super) shade: [Vec<BindGroup>; 2],
    pub(super) shadow: Vec<BindGroup>,
    pub(super) advance: Vec<BindGroup>,
}

impl Streams {
    /// For so many paths.
    pub(super) fn new(
        gpu: &Gpu,
        renderer: &PathRenderer,
        scene: &SceneMirror,
        filter: Filter,
        paths: usize,
    ) -> Result<Self, GpuError> {
        let cells: Array<FilterCell> =
            Array::new(gpu, "cells of the filter", &FilterSampler::new(filter).cells())?;
        let view = Array::vacant(gpu, "views", 1)?;
        let wave = Array::vacant(gpu, "counters", 1)?;
        let samples = Array::vacant(gpu, "samples", paths)?;
        let live: [Array<Live>; 2] =
            [Array::vacant(gpu, "paths", paths)?, Array::vacant(gpu, "paths", paths)?];
        let hits: Array<Hit> = Array::vacant(gpu, "hits", paths)?;
        let shadows: Array<Shadow> = Array::vacant(gpu, "shadow rays", paths)?;

        let PathRenderer { generate, intersect, shade, shadow, advance, .. } = renderer;
        let (v, w, s) = (&view.buffer, &wave.buffer, &samples.buffer);
        let (h, r) = (&hits.buffer, &shadows.buffer);
        let trace = scene.mirror.bindings();
        let intersecting = |live: &Array<Live>| {
            let streams = [(1, &live.buffer), (2, h), (3, w)];
            vec![intersect.bind(gpu, 0, &trace), intersect.bind(gpu, 1, &streams)]
        };
        let shading = |live: &Array<Live>, next: &Array<Live>| {
            let streams = [(0, v), (1, &live.buffer), (2, h), (3, w), (4, &next.buffer), (5, r), (6, s)];
            vec![
                shade.bind(gpu, 0, &scene.surfaces()),
                shade.bind(gpu, 1, &streams),
                shade.bind(gpu, 2, &scene.materials()),
                shade.bind(gpu, 3, &scene.lights()),
            ]
        };
        let nothing = |pipeline: &crate::pipeline::Pipeline, group| pipeline.bind(gpu, group, &[]);
        let [even, odd] = &live;
        let streams = Self {
            generate: vec![
                nothing(generate, 0),
                generate.bind(gpu, 1, &[(0, v), (1, &even.buffer), (2, s)]),
                nothing(generate, 2),
                generate.bind(gpu, 3, &[(8, &cells.buffer)]),
            ],
            intersect: [intersecting(even), intersecting(odd)],
            shade: [shading(even, odd), shading(odd, even)],
            shadow: vec![shadow.bind(gpu, 0, &trace), shadow.bind(gpu, 1, &[(1, r), (2, s), (3, w)])],
            advance: vec![nothing(advance, 0), advance.bind(gpu, 1, &[(3, w)])],
            view,
            wave,
            samples,
        };
        gpu.check()?;
        Ok(streams)
    }

    /// Sets out for another sample.
    pub(super) fn begin(&self, gpu: &Gpu, view: &View) {
        self.view.write(gpu, &[*view]);
        self.wave.write(gpu, &[Wave { even: view.count, ..Wave::default() }]);
    }

    /// How far it is. Waits until all that was submitted is done.
    pub(super) fn wave(&self, gpu: &Gpu) -> Result<Wave, GpuError> {
        Ok(self.wave.read(gpu)?.first().copied().unwrap_or_default())
    }
}
