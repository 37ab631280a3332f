use std::sync::Arc;

use sunfleck_constants::radiosity::NO_SHAPES;
use sunfleck_integrators::View;
use sunfleck_integrators::radiosity::Radiosity;
use sunfleck_math::Vec3;
use sunfleck_shaders::Features;
use sunfleck_shaders::layout::{AtlasInstance, AtlasTriangle};
use sunfleck_surface::atlas::{Atlas, TessellatedShapes};
use sunfleck_surface::stochastic::Elements;

use super::texels::{index, packed_triangle};
use super::{PackedSurfaces, StochasticRadiosity};
use crate::buffer::Array;
use crate::kernels::Kernels;
use crate::resources::Resources;
use crate::{Gpu, GpuError, SceneMirror};

/// Rays of one submission, so that drivers do not take a long solution for a hang.
const RAYS_AT_ONCE: u32 = 1 << 24;

/// Irradiance of the surfaces of a world, to be looked up at hits.
#[derive(Debug)]
pub(super) struct RadiosityLight {
    /// Width of the map in texels; 0 without a map.
    width: u32,
    triangles: Array<AtlasTriangle>,
    instances: Array<AtlasInstance>,
    grids: Array<u32>,
    irradiance: Array<[f32; 4]>,
}

impl RadiosityLight {
    /// Solves for the light of a view's world: on the GPU if its solver supports the world and has the memory, else on
    /// the CPU. There is no map if the world has more triangles than an atlas can have.
    ///
    /// * `kernels` — compiled for such a world.
    pub(super) fn solve(
        kernels: &Kernels,
        scene: &SceneMirror,
        view: &View<'_>,
        radiosity: &Radiosity,
    ) -> Result<Self, GpuError> {
        let gpu = &*kernels.gpu;
        let Ok(atlas) = radiosity.atlas(view) else { return Self::none(gpu) };
        let irradiance = match solved_on_gpu(kernels, scene, view, radiosity, &atlas) {
            Err(GpuError::Unsupported { .. } | GpuError::TooLarge { .. } | GpuError::OutOfMemory { .. }) => {
                solved_on_cpu(gpu, view, radiosity, &atlas)?
            }
            solved => solved?,
        };
        Self::new(gpu, &atlas, irradiance)
    }

    fn none(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self {
            width: 0,
            triangles: Array::zeroed(gpu, "triangles", 0)?,
            instances: Array::zeroed(gpu, "instances of a map", 0)?,
            grids: Array::zeroed(gpu, "grids of shapes", 0)?,
            irradiance: Array::zeroed(gpu, "irradiance of texels", 0)?,
        })
    }

    fn new(gpu: &Gpu, atlas: &Atlas, irradiance: Array<[f32; 4]>) -> Result<Self, GpuError> {
        let surfaces = atlas.surfaces();
        let mut triangles = Vec::with_capacity(surfaces.triangles().len());
        let (mut instances, mut grids) = (Vec::with_capacity(surfaces.instances().len()), Vec::new());
        let mut known: Vec<(&Arc<TessellatedShapes>, u32)> = Vec::new();
        for placed in surfaces.instances() {
            let range = placed.triangles();
            for i in range.clone() {
                let corners = match placed.shapes() {
                    Some(shapes) => shapes.corners()[(i - range.start) as usize],
                    None => surfaces.triangles()[i as usize].corners,
                };
                triangles.push(packed_triangle(corners, atlas.rect(i)));
            }
            let shapes = placed.shapes().map_or(NO_SHAPES, |shapes| {
                let found = known.iter().find(|(other, _)| Arc::ptr_eq(other, shapes)).map(|&(_, at)| at);
                found.unwrap_or_else(|| {
                    let at = add_grids(&mut grids, shapes);
                    known.push((shapes, at));
                    at
                })
            });
            instances.push(AtlasInstance { first_triangle: range.start, shapes });
        }
        Ok(Self {
            width: atlas.resolution(),
            triangles: Array::new(gpu, "triangles", &triangles)?,
            instances: Array::new(gpu, "instances of a map", &instances)?,
            grids: Array::new(gpu, "grids of shapes", &grids)?,
            irradiance,
        })
    }

    /// Width of the map in texels; 0 without a map.
    pub(super) fn width(&self) -> u32 {
        self.width
    }

    /// Resources that the shading pass binds.
    pub(super) fn resources(&self) -> Resources<'_> {
        let buffers = [
            ("triangles", &self.triangles.buffer),
            ("atlas_instances", &self.instances.buffer),
            ("shape_grids", &self.grids.buffer),
            ("irradiance", &self.irradiance.buffer),
        ];
        buffers.into()
    }
}

/// Appends the grids of a mesh of shapes, as `shape_grids` in the shader describes them. Returns the index of the record
/// of the first shape.
fn add_grids(words: &mut Vec<u32>, shapes: &TessellatedShapes) -> u32 {
    let first = words.len();
    let cells = first + 2 * shapes.grids().len();
    let triangles = cells + shapes.grids().map(|grid| grid.cells.len()).sum::<usize>();
    let mut at = cells;
    for grid in shapes.grids() {
        words.extend([index(at), index(grid.side)]);
        at += grid.cells.len();
    }
    for grid in shapes.grids() {
        words.extend(grid.cells.iter().map(|cell| index(triangles + cell)));
    }
    words.extend(shapes.triangles_of_cells());
    index(first)
}

fn solved_on_gpu(
    kernels: &Kernels,
    scene: &SceneMirror,
    view: &View<'_>,
    radiosity: &Radiosity,
    atlas: &Atlas,
) -> Result<Array<[f32; 4]>, GpuError> {
    // Before the materials are evaluated
    PackedSurfaces::check(view.world())?;
    let elements = Elements::new(view.world(), atlas);
    let surfaces = PackedSurfaces::new(view.world(), atlas, &elements)?;
    let options = radiosity.options(view);
    let compiled = |pass| kernels.get(pass, Features::NONE);
    let solver =
        StochasticRadiosity::with_kernels(&kernels.gpu, scene.geometry(), &surfaces, &options, compiled)?;
    let at_once = (RAYS_AT_ONCE / radiosity.rays.max(1)).max(1);
    let iterate = |mut left: u32| -> Result<Vec<Vec3>, GpuError> {
        while left > 0 {
            let some = left.min(at_once);
            solver.iterate(some);
            kernels.gpu.wait()?;
            left -= some;
        }
        solver.irradiance()
    };
    // Half of the difference of both halves of the iterations estimates the error of their mean
    let first = radiosity.iterations / 2;
    let (before, after) = (iterate(first)?, iterate(radiosity.iterations - first)?);
    let share = radiosity.iterations as f32 / (radiosity.iterations - first).max(1) as f32;
    let errors: Vec<Vec3> =
        before.iter().zip(&after).map(|(before, after)| (*before - *after) * (0.5 * share)).collect();
    let smooth = if first > 0 { elements.smoothed(&after, &errors) } else { after };
    uploaded(&kernels.gpu, &smooth)
}

fn solved_on_cpu(
    gpu: &Gpu,
    view: &View<'_>,
    radiosity: &Radiosity,
    atlas: &Atlas,
) -> Result<Array<[f32; 4]>, GpuError> {
    let map = radiosity.map(view, atlas);
    uploaded(gpu, map.irradiance())
}

fn uploaded(gpu: &Gpu, irradiance: &[Vec3]) -> Result<Array<[f32; 4]>, GpuError> {
    let irradiance: Vec<[f32; 4]> = irradiance.iter().map(|e| e.extend(0.0).to_array()).collect();
    Array::new(gpu, "irradiance of texels", &irradiance)
}
