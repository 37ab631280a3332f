use std::sync::Arc;

use sunfleck_constants::radiosity::PYRAMID_LEVELS;
use sunfleck_math::Vec3;
use sunfleck_shaders::Pass;
use sunfleck_shaders::layout::{PyramidStep, Shooter, Shooting as Settings, Texel};
use sunfleck_shaders::passes::radiosity::{COLLECT, PYRAMID, SELECT, SHOOT, SHOOT_RAYS};
use sunfleck_shading::luminance;
use sunfleck_surface::stochastic::{Averaging, Shooting, StochasticOptions};
use wgpu::BindGroup;

use super::PackedSurfaces;
use crate::buffer::Array;
use crate::pipeline::{Dispatch, Pipeline, run};
use crate::timing::{StageTime, Timestamps};
use crate::{Gpu, GpuError, Mirror};

/// Width of the tiles of texels that a workgroup updates.
const TILE: u32 = 8;
/// The largest component of a colour of luminance 1, which is pure blue, and a little more.
const MOST_COLOR: f32 = 13.9;

/// Stochastic radiosity on the GPU [Stochastic04, §2]: each iteration chooses texels in proportion to their luminous power
/// and shoots their light. Nothing is read back between iterations.
///
/// The texels are diffuse and opaque, and only texels emit: rays stop at all surfaces, whatever their alpha, and no light
/// comes from the environment or from punctual lights. [`PackedSurfaces::new`] refuses worlds that have them.
#[derive(Debug)]
pub struct StochasticRadiosity {
    gpu: Arc<Gpu>,
    /// Stages of an iteration, in order.
    stages: Vec<Stage>,
    texels: Array<Texel>,
    radiance: Array<[f32; 4]>,
    irradiance: Array<[f32; 4]>,
    cells: Array<f32>,
    progress: Array<u32>,
}

/// A dispatch of an iteration.
#[derive(Debug)]
struct Stage {
    name: &'static str,
    kernel: Pipeline,
    group: BindGroup,
    items: usize,
}

impl StochasticRadiosity {
    /// Uploads surfaces, compiles the kernels for the world of `mirror`, and begins with emission alone.
    ///
    /// # Errors
    /// [`GpuError::Unsupported`] unless the map consists of whole layers whose width is a power of two and at least 8, or
    /// if no texel shoots; [`GpuError::TooLarge`], [`GpuError::OutOfMemory`], [`GpuError::Shader`].
    pub fn new(
        gpu: &Arc<Gpu>,
        mirror: &Mirror,
        surfaces: &PackedSurfaces,
        options: &StochasticOptions,
    ) -> Result<Self, GpuError> {
        let specialization = mirror.specialization();
        let compiled = |pass: &'static Pass| Pipeline::new(gpu, pass.into(), &specialization);
        Self::with_kernels(gpu, mirror, surfaces, options, compiled)
    }

    /// As [`new`](Self::new), with kernels that were compiled for such a world.
    pub(super) fn with_kernels(
        gpu: &Arc<Gpu>,
        mirror: &Mirror,
        surfaces: &PackedSurfaces,
        options: &StochasticOptions,
        compiled: impl Fn(&'static Pass) -> Result<Pipeline, GpuError>,
    ) -> Result<Self, GpuError> {
        let PackedSurfaces { texels, width, triangles, first_triangles } = surfaces;
        let (width, shooters) = (*width, options.bundles);
        let count = texels.len();
        let layers = count / (width as usize).pow(2).max(1);
        let is_whole = layers * (width as usize).pow(2) == count && layers > 0;
        if !width.is_power_of_two() || width < TILE || !is_whole || shooters == 0 {
            return Err(GpuError::Unsupported {
                what: "a map without whole layers whose width is a power of two",
            });
        }
        let rays = match options.shooting {
            Shooting::Hemisphere => 0,
            Shooting::Rays { rays } => rays.max(1),
        };
        let all_rays = shooters.checked_mul(rays.max(1)).filter(|&rays| rays <= 1 << 28);
        let all_rays = all_rays.ok_or(GpuError::Unsupported { what: "that many rays in an iteration" })?;
        let settings = Settings {
            width,
            shooters,
            rays,
            seed: options.seed,
            averages_iterates: (options.averaging == Averaging::Iterates).into(),
            // Even if all rays hit one texel, it counts less than 2³² units
            unit: u32::MAX as f32 / (MOST_COLOR * all_rays as f32 + all_rays as f32),
            ..Settings::default()
        };
        let settings = Array::new(gpu, "settings", &[settings])?;
        let all_cells = (0..=width.ilog2()).map(|level| layers * (width as usize >> level).pow(2)).sum();
        let cells = Array::<f32>::zeroed(gpu, "sums of texels", all_cells)?;
        let progress = Array::<u32>::zeroed(gpu, "iterations", 1)?;
        let radiance = Array::zeroed(gpu, "radiance of texels", count)?;
        let irradiance = Array::zeroed(gpu, "irradiance of texels", count)?;
        let places = Array::<Shooter>::zeroed(gpu, "texels that shoot", shooters as usize)?;
        let deposits = Array::<u32>::zeroed(gpu, "light of texels", if rays > 0 { 3 * count } else { 0 })?;
        let own_texels = Array::new(gpu, "texels", texels)?;
        let triangles = Array::new(gpu, "triangles", triangles)?;
        let first_triangles = Array::new(gpu, "triangles of instances", first_triangles)?;
        let mut stages = Vec::new();
        let sums = compiled(&PYRAMID)?;
        for level in (0..width.ilog2()).step_by(PYRAMID_LEVELS as usize) {
            let counts = (level + PYRAMID_LEVELS >= width.ilog2()).into();
            let layers = u32::try_from(layers).unwrap_or(u32::MAX);
            let step = Array::new(gpu, "steps", &[PyramidStep { level, width, layers, counts }])?;
            let buffers =
                [("step", &step.buffer), ("pyramid", &cells.buffer), ("progress", &progress.buffer)];
            let group = sums.bind(gpu, &buffers.into())?;
            // Workgroups take whole blocks
            let own = width >> level;
            let [columns, rows] =
                [own, layers * own].map(|cells| cells.div_ceil(1 << PYRAMID_LEVELS) as usize);
            let items = (columns * rows) << (2 * (PYRAMID_LEVELS - 1));
            stages.push(Stage { name: "sums of texels", kernel: sums.clone(), group, items });
        }
        let mut buffers = mirror.resources();
        buffers.extend([
            ("shooting", &settings.buffer),
            ("texels", &own_texels.buffer),
            ("triangles", &triangles.buffer),
            ("first_triangles", &first_triangles.buffer),
            ("radiance", &radiance.buffer),
            ("irradiance", &irradiance.buffer),
            ("pyramid", &cells.buffer),
            ("progress", &progress.buffer),
            ("shooters", &places.buffer),
            ("deposits", &deposits.buffer),
        ]);
        let rest = match options.shooting {
            Shooting::Hemisphere => {
                [("selection", &SELECT, shooters as usize), ("visibility and update", &SHOOT, count)]
            }
            Shooting::Rays { .. } => {
                [("selection and rays", &SHOOT_RAYS, all_rays as usize), ("update", &COLLECT, count)]
            }
        };
        for (name, pass, items) in rest {
            let kernel = compiled(pass)?;
            let group = kernel.bind(gpu, &buffers)?;
            stages.push(Stage { name, kernel, group, items });
        }
        let gpu = gpu.clone();
        let new = Self { gpu, stages, texels: own_texels, radiance, irradiance, cells, progress };
        let emission: Vec<Vec3> = texels.iter().map(|texel| Vec3::from(texel.emission)).collect();
        new.restart(texels, &emission);
        Ok(new)
    }

    /// Replaces the texels, after emission, reflectance or places changed. Iterations go on with the radiance so far; to
    /// forget it sooner, [restart](Self::restart).
    pub fn set_texels(&self, texels: &[Texel]) {
        self.texels.write(&self.gpu, texels);
    }

    /// Starts again with iteration 1, which shoots from the given radiance, W/(m² sr): the emission, or the radiance of
    /// a similar scene. Waits for nothing.
    ///
    /// * `texels` — the current texels.
    pub fn restart(&self, texels: &[Texel], radiance: &[Vec3]) {
        let powers: Vec<f32> = texels.iter().zip(radiance).map(|(t, &r)| luminance(r) * t.area).collect();
        let radiance: Vec<[f32; 4]> = radiance.iter().map(|r| r.extend(0.0).to_array()).collect();
        self.radiance.write(&self.gpu, &radiance);
        self.cells.write(&self.gpu, &powers);
        self.progress.write(&self.gpu, &[0]);
    }

    /// Submits iterations, and does not wait for them.
    pub fn iterate(&self, iterations: u32) {
        run(&self.gpu, &self.dispatches(iterations), 1, None);
    }

    /// Returns the mean irradiance of all texels, W/m²; their radiance is the emission plus the part of it that they
    /// reflect. Waits for the GPU.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], [`GpuError::Lost`].
    pub fn irradiance(&self) -> Result<Vec<Vec3>, GpuError> {
        Ok(self.irradiance.read(&self.gpu)?.into_iter().map(|[r, g, b, _]| Vec3::new(r, g, b)).collect())
    }

    /// Runs iterations, each stage alone, and returns the GPU time of each stage; `None` if the GPU has no timestamps.
    /// Waits for the GPU.
    ///
    /// # Errors
    /// As [`irradiance`](Self::irradiance).
    pub fn time_stages(&self, iterations: u32) -> Result<Option<Vec<StageTime>>, GpuError> {
        let Some(stamps) = Timestamps::new(&self.gpu, 1)? else { return Ok(None) };
        let mut times: Vec<StageTime> = Vec::new();
        for _ in 0..iterations {
            for stage in &self.stages {
                run(&self.gpu, &[stage.dispatch()], 1, Some(&stamps));
                let seconds = stamps.read(&self.gpu)?.iter().sum::<f64>();
                match times.iter_mut().find(|time| time.name == stage.name) {
                    Some(time) => time.seconds += seconds,
                    None => times.push(StageTime { name: stage.name, seconds }),
                }
            }
        }
        Ok(Some(times))
    }

    /// Runs iterations without a break and returns their GPU time in seconds; `None` if the GPU has no timestamps.
    /// Waits for the GPU.
    ///
    /// # Errors
    /// As [`irradiance`](Self::irradiance).
    pub fn time_iterations(&self, iterations: u32) -> Result<Option<f64>, GpuError> {
        let stamps = Timestamps::new(&self.gpu, 1)?;
        run(&self.gpu, &self.dispatches(iterations), 1, stamps.as_ref());
        self.gpu.wait()?;
        stamps.map(|stamps| Ok(stamps.read(&self.gpu)?.iter().sum())).transpose()
    }

    fn dispatches(&self, iterations: u32) -> Vec<Dispatch<'_>> {
        (0..iterations).flat_map(|_| self.stages.iter().map(Stage::dispatch)).collect()
    }
}

impl Stage {
    fn dispatch(&self) -> Dispatch<'_> {
        Dispatch { kernel: &self.kernel, group: self.group.clone(), items: self.items }
    }
}
